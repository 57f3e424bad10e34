//! The pool with few and with many callers.

use super::slots::SLOTS;
use super::{Pool, PoolError, WORTH_SPLITTING};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

/// The number of rounds of a test: few under Miri, which is slow and finds errors in any round.
const fn rounds(count: usize) -> usize {
    if cfg!(miri) { count.div_ceil(30) } else { count }
}

fn assert_send_sync<T: Send + Sync>() {}

fn count_runs(pool: &Pool, tasks: usize) {
    let runs: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
    pool.run(tasks, |task| {
        assert!(task.worker < pool.threads());
        runs[task.index].fetch_add(1, Ordering::Relaxed);
    });
    assert!(runs.iter().all(|runs| runs.load(Ordering::Relaxed) == 1), "{runs:?}");
}

#[test]
fn a_pool_of_more_threads_than_it_may_have_is_an_error() {
    for threads in [usize::MAX, usize::MAX / 2, super::MAX_THREADS + 1] {
        let error = Pool::new(threads).unwrap_err();
        assert!(matches!(error, PoolError::TooManyThreads(n) if n == threads), "{error}");
    }
}

/// Forks, runs `child` in the child and returns its result; 101 if the child panics. A child that hangs is killed.
#[cfg(all(unix, not(miri)))]
fn in_a_child(child: impl FnOnce() -> i32) -> i32 {
    use std::ffi::{c_int, c_uint};
    unsafe extern "C" {
        fn fork() -> c_int;
        fn alarm(seconds: c_uint) -> c_uint;
        fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
        fn _exit(status: c_int) -> !;
    }
    // SAFETY: the child leaves through `_exit`, whatever `child` does, and before that only computes.
    unsafe {
        match fork() {
            0 => {
                alarm(20);
                let status = catch_unwind(AssertUnwindSafe(child)).unwrap_or(101);
                _exit(status)
            }
            pid => {
                let mut status = -1;
                assert_eq!(waitpid(pid, &mut status, 0), pid);
                status
            }
        }
    }
}

#[test]
#[cfg(all(unix, not(miri)))]
fn children_of_fork_run_alone_and_drop_pools() {
    let pool = Pool::new(3).unwrap();
    count_runs(&pool, 50);
    let busy = std::sync::atomic::AtomicBool::new(true);
    std::thread::scope(|scope| {
        // Forks in the middle of jobs of another thread, with workers inside and locks held.
        scope.spawn(|| {
            while busy.load(Ordering::Relaxed) {
                pool.run(7, |_| std::thread::yield_now())
            }
        });
        for _ in 0..20 {
            let child = || {
                // SAFETY: only this thread uses the child's copy, and the parent's lives on.
                let copy = unsafe { std::ptr::read(&pool) };
                count_runs(&copy, 50);
                drop(copy);
                let own = Pool::new(2).map(|own| count_runs(&own, 50));
                i32::from(own.is_err())
            };
            assert_eq!(in_a_child(child), 0);
        }
        busy.store(false, Ordering::Relaxed);
    });
    count_runs(&pool, 50);
}

#[test]
fn every_task_runs_once() {
    assert_send_sync::<Pool>();
    for threads in [1, 2, 3, 8] {
        let pool = Pool::new(threads).unwrap();
        assert_eq!(pool.threads(), threads);
        for round in 0..rounds(300) {
            count_runs(&pool, round % 40);
            if round % 100 == 0 {
                // Long enough for the workers to fall asleep.
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

#[test]
fn a_pool_of_one_spawns_nothing_and_of_none_is_refused() {
    assert!(Pool::new(1).unwrap().workers.is_empty());
    assert!(matches!(Pool::new(0), Err(PoolError::NoThreads)));
}

#[test]
fn both_threads_work_and_have_numbers_of_their_own() {
    let pool = Pool::new(2).unwrap();
    let barrier = Barrier::new(2);
    let workers = Mutex::new(Vec::new());
    pool.run(2, |task| {
        // Passes only if the two tasks run at the same time.
        barrier.wait();
        workers.lock().unwrap().push(task.worker);
    });
    let mut workers = workers.into_inner().unwrap();
    workers.sort_unstable();
    assert_eq!(workers, [0, 1]);
}

#[test]
fn a_panic_reaches_the_caller_and_the_pool_goes_on() {
    let pool = Pool::new(2).unwrap();
    for culprit in 0..2 {
        let barrier = Barrier::new(2);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            pool.run(2, |task| {
                barrier.wait();
                assert!(task.worker != culprit, "task of worker {culprit}");
            });
        }));
        let payload = outcome.unwrap_err();
        let message = payload.downcast_ref::<String>().unwrap();
        assert_eq!(message, &format!("task of worker {culprit}"));
        count_runs(&pool, 100);
    }
}

#[test]
fn callers_at_once_and_nested_calls_all_finish() {
    let pool = Arc::new(Pool::new(3).unwrap());
    let total = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..rounds(200) {
                    pool.run(5, |_| {
                        pool.run(3, |_| {
                            total.fetch_add(1, Ordering::Relaxed);
                        });
                    });
                }
            });
        }
    });
    assert_eq!(total.into_inner(), 3 * rounds(200) * 15);
}

#[test]
fn small_work_stays_with_the_caller() {
    let pool = Pool::new(2).unwrap();
    let caller = std::thread::current().id();
    pool.run_if_worth(WORTH_SPLITTING - 1, 64, |_| {
        assert_eq!(std::thread::current().id(), caller);
        std::thread::yield_now();
    });
}

#[test]
fn ranges_of_any_length_are_cut_without_overflow() {
    for len in [usize::MAX, usize::MAX - 1, usize::MAX / 2 + 1] {
        for (grain, ranges) in [(0, 8), (1, 8), (64, 7), (usize::MAX / 3, 3)] {
            let cut = |index| super::cut(len, grain, ranges, index);
            assert_eq!((cut(0).start, cut(ranges - 1).end), (0, len));
            assert!((1..ranges).all(|i| cut(i - 1).end == cut(i).start && cut(i).start <= cut(i).end));
        }
    }
}

#[test]
fn ranges_cover_everything_once() {
    let pool = Pool::new(2).unwrap();
    for len in [0, 1, 63, 64, 65, 1000, 4097] {
        let covered: Vec<AtomicUsize> = (0..len).map(|_| AtomicUsize::new(0)).collect();
        for nanoseconds in [0, 1_000_000] {
            pool.run_ranges(nanoseconds, len, 64, |range| {
                assert!(range.start % 64 == 0 && (range.end % 64 == 0 || range.end == len));
                covered[range].iter().for_each(|runs| {
                    runs.fetch_add(1, Ordering::Relaxed);
                });
            });
        }
        assert!(covered.iter().all(|runs| runs.load(Ordering::Relaxed) == 2));
    }
}

/// Callers whose tasks wait for each other; they finish only if each caller has its own helper.
#[test]
fn callers_at_once_share_the_workers() {
    let pool = Pool::new(4).unwrap();
    let met = AtomicUsize::new(0);
    for _ in 0..rounds(50) {
        let both = Barrier::new(2);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let pair = Barrier::new(2);
                    both.wait();
                    pool.run(2, |_| {
                        pair.wait();
                        met.fetch_add(1, Ordering::Relaxed);
                    });
                });
            }
        });
    }
    assert_eq!(met.into_inner(), 4 * rounds(50));
}

/// A worker that helps one caller moves to a second one that arrives before the first is done.
#[test]
fn help_is_handed_over() {
    const TASKS: usize = rounds(30_000);
    let pool = Pool::new(4).unwrap();
    let (second, pair) = (Barrier::new(2), Barrier::new(2));
    let (begun, helped) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pool.run(TASKS, |task| {
                if task.index == 0 {
                    second.wait();
                }
                begun.fetch_add(1, Ordering::Relaxed);
                if helped.load(Ordering::Relaxed) == 0 {
                    std::thread::sleep(Duration::from_micros(100));
                }
            });
        });
        second.wait();
        pool.run(2, |_| {
            pair.wait();
            let left = TASKS - begun.load(Ordering::Relaxed);
            // The first job continues to its end only after both have looked.
            pair.wait();
            helped.fetch_add(1, Ordering::Relaxed);
            assert!(left > 0, "no worker came before the first job was done");
        });
    });
}

/// A panic reaches the caller whose task it was, and no other.
#[test]
fn panics_stay_with_their_caller() {
    let pool = Pool::new(3).unwrap();
    std::thread::scope(|scope| {
        for caller in 0..3 {
            let pool = &pool;
            scope.spawn(move || {
                for round in 0..rounds(200) {
                    let culprit = (round % 3 == 0).then_some(round % 7);
                    let outcome = catch_unwind(AssertUnwindSafe(|| {
                        pool.run(7, |task| {
                            if culprit == Some(task.index) {
                                std::panic::resume_unwind(Box::new((caller, round)));
                            }
                        });
                    }));
                    let expected = culprit.map(|_| (caller, round));
                    assert_eq!(outcome.err().map(|e| *e.downcast::<(i32, usize)>().unwrap()), expected);
                }
            });
        }
    });
    count_runs(&pool, 100);
}

#[test]
fn a_nested_call_stays_on_its_thread() {
    let pool = Pool::new(3).unwrap();
    for _ in 0..rounds(100) {
        pool.run(5, |_| {
            let thread = std::thread::current().id();
            pool.run(4, |_| assert_eq!(std::thread::current().id(), thread));
        });
    }
}

/// Jobs of all sizes from more callers than there are slots, some of them nested: every task runs once, with a number that no other task of
/// its job has at that time.
#[test]
fn many_callers_and_jobs() {
    let pool = Pool::new(3).unwrap();
    std::thread::scope(|scope| {
        for caller in 0..if cfg!(miri) { 3 } else { SLOTS + 2 } {
            let pool = &pool;
            scope.spawn(move || {
                for round in 0..rounds(300) {
                    let tasks = (caller * 7 + round * 5) % 23;
                    let (runs, inside): (Vec<_>, [AtomicUsize; 3]) =
                        ((0..tasks).map(|_| AtomicUsize::new(0)).collect(), Default::default());
                    pool.run(tasks, |task| {
                        assert_eq!(inside[task.worker].fetch_add(1, Ordering::Relaxed), 0);
                        if round % 4 == 0 {
                            pool.run(3, |nested| assert!(nested.index < 3));
                        }
                        runs[task.index].fetch_add(1, Ordering::Relaxed);
                        inside[task.worker].fetch_sub(1, Ordering::Relaxed);
                    });
                    assert!(runs.iter().all(|runs| runs.load(Ordering::Relaxed) == 1), "{runs:?}");
                }
            });
        }
    });
}

/// The threads of a pool end with it, whatever they were doing.
#[test]
fn a_pool_ends_its_threads() {
    for sleep in [0, 100, 2_000] {
        let pool = Pool::new(3).unwrap();
        let shared = Arc::downgrade(&pool.shared);
        std::thread::scope(|scope| {
            (0..3).for_each(|_| drop(scope.spawn(|| count_runs(&pool, 10))));
        });
        std::thread::sleep(Duration::from_micros(sleep));
        drop(pool);
        assert_eq!(shared.strong_count(), 0, "a remaining thread holds the pool");
    }
}

/// A panic payload whose destructor panics too.
struct Bomb(&'static AtomicUsize);

impl Drop for Bomb {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
        std::panic::resume_unwind(Box::new("from a destructor"));
    }
}

/// Fails if `scenario` hangs, that is, if it takes longer than it ever should.
fn ends(scenario: impl FnOnce() + Send + 'static) {
    let (sender, ended) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        scenario();
        sender.send(()).unwrap();
    });
    match ended.recv_timeout(Duration::from_secs(if cfg!(miri) { 600 } else { 60 })) {
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        _ => thread.join().unwrap(),
    }
}

/// All threads of a job panic at the same time, so that some of the payloads must be dropped.
#[test]
fn panics_whose_payload_panics_end_no_thread() {
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    ends(|| {
        let pool = Pool::new(3).unwrap();
        for round in 1..=3 {
            let all = Barrier::new(3);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                pool.run(3, |_| {
                    all.wait();
                    std::panic::resume_unwind(Box::new(Bomb(&DROPPED)));
                });
            }));
            let payload = outcome.unwrap_err();
            assert!(payload.is::<Bomb>(), "the caller gets the payload of a task");
            super::discard(payload);
            assert_eq!(DROPPED.load(Ordering::SeqCst), 3 * round);
            // All threads are available for the next job.
            let all = Barrier::new(3);
            pool.run(3, |_| {
                all.wait();
            });
        }
    });
}

#[test]
fn a_payload_tells_its_message() {
    let of = |f: fn()| catch_unwind(f).unwrap_err();
    assert_eq!(super::message(&of(|| std::panic::resume_unwind(Box::new("text")))), Some("text"));
    assert_eq!(super::message(&of(|| std::panic::resume_unwind(Box::new(String::from("s"))))), Some("s"));
    assert_eq!(super::message(&of(|| std::panic::resume_unwind(Box::new(7)))), None);
}

/// Other threads hold a lock most of the time, in the middle of changing two numbers that must agree.
#[test]
#[cfg(all(unix, not(miri)))]
fn a_fork_waits_for_what_must_stay_in_one_piece() {
    let (lock, busy) = (Mutex::new((0u64, 0u64)), std::sync::atomic::AtomicBool::new(true));
    let change = || {
        let _undivided = super::undivided();
        let mut pair = lock.lock().unwrap();
        pair.0 += 1;
        std::thread::sleep(Duration::from_micros(200));
        pair.1 += 1;
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while busy.load(Ordering::Relaxed) {
                    change();
                }
            });
        }
        for round in 0..20 {
            // A thread that has a guard itself may fork.
            let own = (round % 2 == 0).then(super::undivided);
            let child = || {
                let whole = {
                    let pair = lock.try_lock();
                    pair.is_ok_and(|pair| pair.0 == pair.1)
                };
                change();
                i32::from(!whole)
            };
            assert_eq!(in_a_child(child), 0);
            drop(own);
        }
        busy.store(false, Ordering::Relaxed);
    });
    change();
}
