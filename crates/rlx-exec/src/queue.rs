//! Queues: the order of runs on one device.
//!
//! Work on one queue runs in order. Between queues, only data orders it: a reader of a value waits until it is
//! there. A backend makes the queues of its device, one per compiled graph unless a session shares one. A
//! device with its own scheduler may order runs as it likes as long as it keeps this. On the host, a run is
//! made by the calling thread, after what is on the queue; `commit_no_wait` is a job of the queue's one thread.

use rlx_compile::BackendError;
use rlx_driver::DeviceId;
use rlx_pool::{Held, Process, discard, lock};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, ThreadId};

/// An order of work on one device. A backend tells its own kind by `as_any`.
pub trait Queue: Send + Sync {
    /// The device.
    fn device(&self) -> DeviceId;

    /// Waits until all work put on the queue so far is done. An error of that work is told by the run that started it.
    fn wait(&self) -> Result<(), BackendError>;

    /// The queue as one of work on the host, where programs run on the thread that calls them and a run in the background is a job;
    /// none where the device works by itself, and [`Executable::run`](crate::Executable::run) only starts a run.
    fn host(&self) -> Option<&HostQueue> {
        None
    }

    /// The queue as its own type.
    fn as_any(&self) -> &dyn Any;
}

/// A function that runs on the host.
pub type Job = Box<dyn FnOnce() + Send>;

/// A queue of functions on the host, one after the other on one thread, which is started with the first and lives as long as the queue.
///
/// A child of `fork` has none of the parent's threads: there the queue is empty, and starts a thread of its own. Jobs that were on it run in
/// the parent alone.
pub struct HostQueue {
    device: DeviceId,
    /// Jobs that are not done, told without a lock.
    unfinished: Arc<AtomicUsize>,
    state: Mutex<OfProcess>,
}

/// The queue as one process has it.
struct OfProcess {
    process: Process,
    worker: Option<Worker>,
    ends: Arc<Ends>,
}

struct Worker {
    jobs: Sender<Counted>,
    thread: ThreadId,
}

/// Tells those who wait that the last job is done.
#[derive(Default)]
struct Ends {
    lock: Mutex<()>,
    none: Condvar,
}

impl Ends {
    fn lock(&self) -> MutexGuard<'_, ()> {
        // It guards nothing that a panic could leave half done.
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A job that counts for as long as it lives: until it ran, or was dropped with the list that it was on.
struct Counted {
    job: Option<Job>,
    unfinished: Arc<AtomicUsize>,
    ends: Arc<Ends>,
}

impl Counted {
    /// Runs the job. Whoever waits for a result of one that panics sees its channel closed; the jobs behind it run.
    fn run(mut self) {
        if let Some(Err(payload)) = self.job.take().map(|job| catch_unwind(AssertUnwindSafe(job))) {
            discard(payload);
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        // What a job that never ran has captured may panic as it goes.
        if let Some(Err(payload)) = self.job.take().map(|job| catch_unwind(AssertUnwindSafe(|| drop(job)))) {
            discard(payload);
        }
        if self.unfinished.fetch_sub(1, Ordering::AcqRel) == 1 {
            drop(self.ends.lock());
            self.ends.none.notify_all();
        }
    }
}

impl HostQueue {
    /// A queue of a device whose programs run on the host's threads.
    pub fn new(device: impl Into<DeviceId>) -> HostQueue {
        let state = OfProcess { process: Process::watched(), worker: None, ends: Arc::default() };
        HostQueue { device: device.into(), unfinished: Arc::default(), state: Mutex::new(state) }
    }

    /// Starts the thread, if none runs yet. After it [`submit`](Self::submit) does not fail.
    ///
    /// # Errors
    /// [`BackendError::Thread`] where the system gives no thread.
    pub fn start(&self) -> Result<(), BackendError> {
        self.start_in(&mut self.state())
    }

    fn start_in(&self, state: &mut OfProcess) -> Result<(), BackendError> {
        if state.worker.is_some() {
            return Ok(());
        }
        let (jobs, list) = channel::<Counted>();
        let body = move || list.into_iter().for_each(Counted::run);
        let started = Builder::new().name(format!("rlx-queue-{}", self.device)).spawn(body);
        let thread = started.map_err(|e| BackendError::Thread(e.to_string()))?.thread().id();
        state.worker = Some(Worker { jobs, thread });
        Ok(())
    }

    /// Puts a function behind the others. A panic in it, or in the destructor of what it carries, is caught.
    ///
    /// # Errors
    /// [`BackendError::Thread`] where the system gives no thread.
    pub fn submit(&self, job: Job) -> Result<(), BackendError> {
        let mut state = self.state();
        self.start_in(&mut state)?;
        self.unfinished.fetch_add(1, Ordering::AcqRel);
        let job = Counted { job: Some(job), unfinished: self.unfinished.clone(), ends: state.ends.clone() };
        let sent = state.worker.as_ref().map(|worker| worker.jobs.send(job));
        // What comes back is dropped, and with it what its job carries, without the lock.
        drop(state);
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(BackendError::Thread("the queue's thread has ended".into())),
        }
    }

    /// The queue as this process has it.
    fn state(&self) -> Held<MutexGuard<'_, OfProcess>> {
        let mut state = lock(&self.state);
        if state.process != Process::current() {
            // The thread and its list are the parent's, which may have been in the middle of using them.
            std::mem::forget(state.worker.take());
            std::mem::forget(std::mem::take(&mut state.ends));
            self.unfinished.store(0, Ordering::Release);
            state.process = Process::current();
        }
        state
    }
}

impl Drop for HostQueue {
    fn drop(&mut self) {
        // Forgets what is the parent's.
        drop(self.state());
    }
}

impl Queue for HostQueue {
    fn device(&self) -> DeviceId {
        self.device
    }

    fn wait(&self) -> Result<(), BackendError> {
        if self.unfinished.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        let state = self.state();
        if state.worker.as_ref().is_some_and(|worker| worker.thread == std::thread::current().id()) {
            let problem = "work on a queue cannot wait for that queue; use another one";
            return Err(BackendError::Argument(problem.into()));
        }
        let ends = state.ends.clone();
        drop(state);
        let mut guard = ends.lock();
        while self.unfinished.load(Ordering::Acquire) > 0 {
            guard = ends.none.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }

    fn host(&self) -> Option<&HostQueue> {
        Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_driver::Device;

    #[test]
    fn jobs_run_in_order_and_waiting_sees_them_all() {
        let queue = HostQueue::new(Device::Cpu);
        queue.wait().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        for i in 0..100 {
            let seen = seen.clone();
            let job = move || seen.lock().unwrap().push(i);
            queue.submit(Box::new(job)).unwrap();
        }
        queue.wait().unwrap();
        assert_eq!(*seen.lock().unwrap(), (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_ends_its_job_alone() {
        let queue = HostQueue::new(Device::Cpu);
        let (sender, result) = channel();
        queue.submit(Box::new(move || panic!("{:?}", sender.send(1).is_ok()))).unwrap();
        let (behind, last) = channel();
        queue.submit(Box::new(move || behind.send(2).unwrap())).unwrap();
        assert_eq!((last.recv(), result.recv()), (Ok(2), Ok(1)));
        assert!(result.recv().is_err());
        queue.wait().unwrap();
    }

    /// A value whose destructor panics.
    struct Bomb(Sender<u32>);

    impl Drop for Bomb {
        fn drop(&mut self) {
            self.0.send(0).unwrap();
            std::panic::resume_unwind(Box::new("of a destructor"));
        }
    }

    /// What a panic carries, and what a job has captured, may panic as they are dropped: the jobs behind run, and waiting ends.
    #[test]
    fn a_panic_in_a_destructor_ends_no_queue() {
        let (ended, told) = channel();
        std::thread::spawn(move || {
            let queue = HostQueue::new(Device::Cpu);
            let (sender, dropped) = channel();
            for round in 0..3 {
                let (payload, captured) = (Bomb(sender.clone()), Bomb(sender.clone()));
                queue.submit(Box::new(move || std::panic::resume_unwind(Box::new(payload)))).unwrap();
                queue.submit(Box::new(move || drop(captured))).unwrap();
                queue.wait().unwrap();
                assert_eq!(dropped.try_iter().count(), 2, "round {round}");
            }
            let (behind, last) = channel();
            queue.submit(Box::new(move || behind.send(1).unwrap())).unwrap();
            queue.wait().unwrap();
            ended.send(last.try_recv()).unwrap();
        });
        assert_eq!(told.recv_timeout(std::time::Duration::from_secs(60)), Ok(Ok(1)), "the queue hangs");
    }

    #[test]
    fn work_that_waits_for_its_own_queue_is_refused() {
        let queue = Arc::new(HostQueue::new(Device::Cpu));
        let (sender, result) = channel();
        let inner = queue.clone();
        queue.submit(Box::new(move || sender.send(inner.wait()).unwrap())).unwrap();
        let error = result.recv().unwrap().unwrap_err();
        assert!(error.to_string().contains("cannot wait for that queue"), "{error}");
    }
}
