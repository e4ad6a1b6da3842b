use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};

/// Seconds of CPU time that this thread spends in `work`; other processes are not counted.
pub(crate) fn cpu_seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = now();
    black_box(work());
    now() - start
}

/// The minimum of `reps` measurements, each the mean of `rounds` calls.
pub(crate) fn best_of<T>(reps: usize, rounds: usize, mut work: impl FnMut() -> T) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..reps {
        let spent = cpu_seconds(|| {
            for _ in 0..rounds {
                black_box(work());
            }
        });
        best = best.min(spent / rounds as f64);
    }
    best
}

fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
