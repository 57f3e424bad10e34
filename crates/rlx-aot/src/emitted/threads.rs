//! Threads that share the tasks of a launch. They are started once and sleep between launches. Without the feature
//! `threads` there is only the calling thread.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

pub use team::Team;

/// The pieces of a launch that no thread has begun. A piece is a range of tasks and the parts of memory that only these tasks write.
pub struct Pieces<I> {
    share: usize,
    tasks: usize,
    /// The next task, and the parts of memory of that task and the following ones.
    rest: Mutex<(usize, I)>,
}

impl<I: Iterator> Pieces<I> {
    /// Divides a launch of `tasks` tasks into pieces of `share` tasks. The last piece may be smaller.
    pub fn new(share: usize, tasks: usize, parts: I) -> Self {
        Pieces { share, tasks, rest: Mutex::new((0, parts)) }
    }

    /// Takes the next piece, or returns `None` if none is left.
    pub fn next(&self) -> Option<(Range<usize>, I::Item)> {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let first = rest.0;
        if first >= self.tasks {
            return None;
        }
        rest.0 = self.tasks.min(first + self.share);
        Some((first..rest.0, rest.1.next()?))
    }
}

#[cfg(not(feature = "threads"))]
mod team {
    /// The calling thread.
    pub struct Team;

    impl Team {
        /// Returns a team without other threads.
        pub fn alone() -> Team {
            Team
        }

        /// Returns the number of tasks per piece: all of them.
        pub fn share(&self, tasks: usize, _: usize) -> usize {
            tasks.max(1)
        }

        /// Calls the function.
        pub fn run(&mut self, pieces: impl Fn() + Sync) {
            pieces();
        }
    }
}

#[cfg(feature = "threads")]
mod team {
    use std::any::Any;
    use std::io::{Error, ErrorKind};
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
    use std::thread::{Builder, JoinHandle};
    use std::time::{Duration, Instant};

    /// How long a thread spins waiting for the next launch before it sleeps.
    const SPIN: Duration = Duration::from_micros(50);

    /// The function of a launch, which every thread that joins it calls.
    type Job = &'static (dyn Fn() + Sync);

    /// Threads that share launches. The caller of [`run`](Team::run) is one of them.
    pub struct Team {
        shared: Arc<TeamShared>,
        workers: Vec<JoinHandle<()>>,
        /// The id of the process that owns the workers, or 0 if there are none.
        process: u32,
    }

    struct TeamShared {
        state: Mutex<TeamState>,
        /// Wakes workers for a launch or for the end.
        begun: Condvar,
        /// Tells the caller that the last worker has left the launch.
        left: Condvar,
        /// The number of launches so far. Like `inside`, it changes only under the lock.
        launches: AtomicUsize,
        /// The number of workers inside the launch.
        inside: AtomicUsize,
        spin: Duration,
    }

    #[derive(Default)]
    struct TeamState {
        /// The launch, while threads may join it.
        job: Option<Job>,
        /// The number of sleeping workers.
        asleep: usize,
        /// The payload of a worker's panic.
        panic: Option<Box<dyn Any + Send>>,
        ended: bool,
    }

    impl Team {
        /// Returns a team without other threads.
        pub fn alone() -> Team {
            Team { shared: Arc::new(TeamShared::new(Duration::ZERO)), workers: Vec::new(), process: 0 }
        }

        /// Starts a team of `threads` threads, including the calling one.
        pub fn of(threads: usize) -> Result<Team, Error> {
            if threads == 0 {
                return Err(Error::new(ErrorKind::InvalidInput, "a program needs at least 1 thread"));
            }
            // A thread that spins without a core to itself would slow the others down.
            let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
            let spin = if threads <= cores { SPIN } else { Duration::ZERO };
            let process = if threads > 1 { std::process::id() } else { 0 };
            let mut team = Team { shared: Arc::new(TeamShared::new(spin)), workers: Vec::new(), process };
            for _ in 1..threads {
                let shared = Arc::clone(&team.shared);
                team.workers.push(Builder::new().spawn(move || shared.serve())?);
            }
            Ok(team)
        }

        /// Returns the number of tasks per piece, if at most `most` pieces are worthwhile. There are never more pieces than threads.
        pub fn share(&self, tasks: usize, most: usize) -> usize {
            tasks.div_ceil(most.min(self.workers.len() + 1)).max(1)
        }

        /// Calls the function on this thread and on every worker that joins before this thread is done. A panic in a worker resumes here.
        #[allow(unsafe_code)]
        pub fn run(&mut self, pieces: impl Fn() + Sync) {
            if self.workers.is_empty() {
                return pieces();
            }
            let job: &(dyn Fn() + Sync) = &pieces;
            // SAFETY: only the lifetime changes. Workers take the job from `TeamState::job` under its lock and are
            // counted in `inside` until they have dropped it. `Launch` takes the job back and waits for them before
            // `pieces` is dropped, even if this thread panics.
            let job = unsafe { std::mem::transmute::<&(dyn Fn() + Sync), Job>(job) };
            let launch = self.shared.launch(job);
            pieces();
            drop(launch);
            let panic = self.shared.lock().panic.take();
            if let Some(panic) = panic {
                resume_unwind(panic);
            }
        }
    }

    impl Drop for Team {
        fn drop(&mut self) {
            if self.workers.is_empty() {
                return;
            }
            if self.process != std::process::id() {
                // A forked child has none of the threads and would wait for them forever.
                return std::mem::forget(std::mem::take(&mut self.workers));
            }
            self.shared.lock().ended = true;
            self.shared.begun.notify_all();
            for worker in self.workers.drain(..) {
                // Workers catch the panics of jobs, so `join` does not fail.
                let _ = worker.join();
            }
        }
    }

    /// A launch in progress. Dropping it lets no more threads join and waits for those that have.
    struct Launch<'a>(&'a TeamShared);

    impl Drop for Launch<'_> {
        fn drop(&mut self) {
            self.0.lock().job = None;
            self.0.spin_while(|| self.0.inside.load(Ordering::Acquire) > 0);
            let mut state = self.0.lock();
            while self.0.inside.load(Ordering::Acquire) > 0 {
                state = self.0.left.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    impl TeamShared {
        fn new(spin: Duration) -> TeamShared {
            TeamShared {
                state: Mutex::default(),
                begun: Condvar::new(),
                left: Condvar::new(),
                launches: AtomicUsize::new(0),
                inside: AtomicUsize::new(0),
                spin,
            }
        }

        fn lock(&self) -> MutexGuard<'_, TeamState> {
            self.state.lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// Spins until the condition no longer holds, for a limited time.
        fn spin_while(&self, condition: impl Fn() -> bool) {
            let begin = Instant::now();
            while condition() && begin.elapsed() < self.spin {
                (0..16).for_each(|_| std::hint::spin_loop());
            }
        }

        fn launch(&self, job: Job) -> Launch<'_> {
            let mut state = self.lock();
            state.job = Some(job);
            state.panic = None;
            self.launches.fetch_add(1, Ordering::Release);
            let asleep = state.asleep;
            drop(state);
            if asleep > 0 {
                self.begun.notify_all();
            }
            Launch(self)
        }

        /// The loop of a worker.
        fn serve(&self) {
            let mut seen = 0;
            loop {
                self.spin_while(|| self.launches.load(Ordering::Acquire) == seen);
                let mut state = self.lock();
                while self.launches.load(Ordering::Acquire) == seen && !state.ended {
                    state.asleep += 1;
                    state = self.begun.wait(state).unwrap_or_else(PoisonError::into_inner);
                    state.asleep -= 1;
                }
                if state.ended {
                    return;
                }
                seen = self.launches.load(Ordering::Acquire);
                // A worker that arrives late finds no job.
                let Some(job) = state.job else { continue };
                self.inside.fetch_add(1, Ordering::Release);
                drop(state);
                let ran = catch_unwind(AssertUnwindSafe(job));
                let mut state = self.lock();
                if let Err(panic) = ran {
                    state.panic.get_or_insert(panic);
                }
                if self.inside.fetch_sub(1, Ordering::Release) == 1 {
                    self.left.notify_one();
                }
            }
        }
    }
}
