//! Queues: the order of work on one device.
//!
//! Work on one queue runs in the order in which it was put there. Between queues there is no order but that of data: whatever reads a
//! value waits until it is there. A compiled graph has a queue of its own unless its session shares one.

use crate::backend::BackendError;
use rlx_driver::DeviceId;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
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
pub struct HostQueue {
    device: DeviceId,
    worker: Mutex<Option<Worker>>,
    unfinished: Arc<Unfinished>,
}

struct Worker {
    jobs: Sender<Job>,
    thread: ThreadId,
}

/// How many jobs are not done.
#[derive(Default)]
struct Unfinished {
    count: Mutex<usize>,
    none: Condvar,
}

impl Unfinished {
    fn count(&self) -> MutexGuard<'_, usize> {
        // The lock is held for additions alone, which leave a number.
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn done(&self) {
        let mut count = self.count();
        *count = count.saturating_sub(1);
        if *count == 0 {
            self.none.notify_all();
        }
    }
}

impl HostQueue {
    /// A queue of a device whose programs run on the host's threads.
    pub fn new(device: impl Into<DeviceId>) -> HostQueue {
        HostQueue { device: device.into(), worker: Mutex::new(None), unfinished: Arc::default() }
    }

    /// Starts the thread, if none runs yet. After it [`submit`](Self::submit) does not fail.
    pub fn start(&self) -> Result<(), BackendError> {
        let mut worker = self.worker();
        if worker.is_some() {
            return Ok(());
        }
        let (jobs, list) = channel::<Job>();
        let unfinished = self.unfinished.clone();
        let body = move || {
            for job in list {
                // Whoever waits for a result of a job that panics sees its channel closed; the jobs behind it run.
                let _ = catch_unwind(AssertUnwindSafe(job));
                unfinished.done();
            }
        };
        let started = Builder::new().name(format!("rlx-queue-{}", self.device)).spawn(body);
        let thread = started.map_err(|e| BackendError::Thread(e.to_string()))?.thread().id();
        *worker = Some(Worker { jobs, thread });
        Ok(())
    }

    /// Puts a function behind the others. A panic in it is caught.
    pub fn submit(&self, job: Job) -> Result<(), BackendError> {
        self.start()?;
        *self.unfinished.count() += 1;
        let sent = self.worker().as_ref().is_some_and(|worker| worker.jobs.send(job).is_ok());
        if !sent {
            self.unfinished.done();
            return Err(BackendError::Thread("the queue's thread has ended".into()));
        }
        Ok(())
    }

    fn worker(&self) -> MutexGuard<'_, Option<Worker>> {
        // The worker is set in one piece.
        self.worker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue for HostQueue {
    fn device(&self) -> DeviceId {
        self.device
    }

    fn wait(&self) -> Result<(), BackendError> {
        let mut count = self.unfinished.count();
        if *count == 0 {
            return Ok(());
        }
        if self.worker().as_ref().is_some_and(|worker| worker.thread == std::thread::current().id()) {
            let problem = "work on a queue cannot wait for that queue; use another one";
            return Err(BackendError::Argument(problem.into()));
        }
        while *count > 0 {
            count = self.unfinished.none.wait(count).unwrap_or_else(PoisonError::into_inner);
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
