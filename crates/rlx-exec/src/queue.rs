//! Queues: the order of runs on one device.
//!
//! Work on one queue runs in order. Work on different queues is ordered only by data: a reader of a value waits until the
//! value is ready. A backend makes the queues of its device, one per compiled graph unless a session shares one. A
//! device with its own scheduler may order runs in any way that satisfies this. On the host, the calling thread executes a
//! run after the work on the queue has finished; `commit_no_wait` submits a job to the queue's single thread.

use rlx_compile::BackendError;
use rlx_driver::DeviceId;
use rlx_pool::{Held, Process, discard, lock};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, ThreadId};

/// An order of work on one device. A backend recognizes its own queues with `as_any`.
pub trait Queue: Send + Sync {
    /// Returns the device.
    fn device(&self) -> DeviceId;

    /// Waits until all work put on the queue so far is done. The run that started the work reports its errors.
    fn wait(&self) -> Result<(), BackendError>;

    /// Returns the host queue if programs run on the calling thread and background runs are jobs. Returns `None` if the device works
    /// asynchronously, so that [`Executable::run`](crate::Executable::run) only starts a run.
    fn host(&self) -> Option<&HostQueue> {
        None
    }

    /// Returns the queue as its own type.
    fn as_any(&self) -> &dyn Any;
}

/// A function that runs on the host.
pub type Job = Box<dyn FnOnce() + Send>;

/// A queue of functions on the host, which run one after the other on a single thread. The thread starts with the first function and lives
/// as long as the queue.
///
/// After a `fork`, the child has none of the parent's threads. Its copy of the queue is empty and starts its own thread. Jobs that were on
/// the queue run only in the parent.
pub struct HostQueue {
    device: DeviceId,
    /// The number of unfinished jobs, readable without a lock.
    unfinished: Arc<AtomicUsize>,
    state: Mutex<OfProcess>,
}

/// The state of the queue in one process.
struct OfProcess {
    process: Process,
    worker: Option<Worker>,
    ends: Arc<Ends>,
}

struct Worker {
    jobs: Sender<Counted>,
    thread: ThreadId,
}

/// Notifies waiting threads that the last job is done.
#[derive(Default)]
struct Ends {
    lock: Mutex<()>,
    none: Condvar,
}

impl Ends {
    fn lock(&self) -> MutexGuard<'_, ()> {
        // It guards no data that a panic could leave half updated.
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A job that counts as unfinished until it has run or been dropped with the list that contained it.
struct Counted {
    job: Option<Job>,
    unfinished: Arc<AtomicUsize>,
    ends: Arc<Ends>,
}

impl Counted {
    /// Runs the job. If it panics, code that waits for its result sees a closed channel, and later jobs still run.
    fn run(mut self) {
        if let Some(Err(payload)) = self.job.take().map(|job| catch_unwind(AssertUnwindSafe(job))) {
            discard(payload);
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        // The captured values of a job that never ran may panic when they are dropped.
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
    /// Creates a queue for a device that runs programs on the host's threads.
    pub fn new(device: impl Into<DeviceId>) -> HostQueue {
        let state = OfProcess { process: Process::watched(), worker: None, ends: Arc::default() };
        HostQueue { device: device.into(), unfinished: Arc::default(), state: Mutex::new(state) }
    }

    /// Starts the thread if it is not running yet. After that, [`submit`](Self::submit) does not fail.
    ///
    /// # Errors
    /// Returns [`BackendError::Thread`] if the system cannot start a thread.
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

    /// Appends a function to the queue. Panics in the function, or in the destructors of its captured values, are caught.
    ///
    /// # Errors
    /// Returns [`BackendError::Thread`] if the system cannot start a thread.
    pub fn submit(&self, job: Job) -> Result<(), BackendError> {
        let mut state = self.state();
        self.start_in(&mut state)?;
        self.unfinished.fetch_add(1, Ordering::AcqRel);
        let job = Counted { job: Some(job), unfinished: self.unfinished.clone(), ends: state.ends.clone() };
        let sent = state.worker.as_ref().map(|worker| worker.jobs.send(job));
        // A job that could not be sent is dropped together with its captured values, after the lock is released.
        drop(state);
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(BackendError::Thread("the queue's thread has ended".into())),
        }
    }

    /// Returns the state of the queue in this process.
    fn state(&self) -> Held<MutexGuard<'_, OfProcess>> {
        let mut state = lock(&self.state);
        if state.process != Process::current() {
            // The thread and its list belong to the parent process, which may have been using them during the fork.
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
        // Forgets the state that belongs to the parent process.
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

    /// The payload of a panic and the captured values of a job may panic when they are dropped. Later jobs still run, and waiting ends.
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
