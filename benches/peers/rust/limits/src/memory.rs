//! Memory bandwidth as STREAM counts it: read a, copy a = b, triad a = b + s·c. Each thread has a part of each array.

use std::hint::black_box;

/// Elements per array: 512 MiB, more than any cache.
const ELEMENTS: usize = 1 << 27;

#[derive(Clone, Copy)]
pub enum Traffic {
    Read,
    Copy,
    Triad,
}

impl Traffic {
    pub fn of(name: &str) -> Option<Traffic> {
        match name {
            "read" => Some(Traffic::Read),
            "copy" => Some(Traffic::Copy),
            "triad" => Some(Traffic::Triad),
            _ => None,
        }
    }
}

pub struct Memory {
    threads: usize,
    arrays: [Vec<f32>; 3],
}

impl Memory {
    pub fn new(threads: usize) -> Memory {
        // Writes each page once, so that no run waits for the system to provide it.
        Memory { threads, arrays: [1.0, 2.0, 3.0].map(|value| vec![value; ELEMENTS]) }
    }

    /// Bytes that a run transfers.
    pub fn bytes(&self, traffic: Traffic) -> f64 {
        let arrays = match traffic {
            Traffic::Read => 1,
            Traffic::Copy => 2,
            Traffic::Triad => 3,
        };
        (arrays * ELEMENTS * size_of::<f32>()) as f64
    }

    pub fn run(&mut self, traffic: Traffic) {
        let part = ELEMENTS.div_ceil(self.threads);
        let [a, b, c] = &mut self.arrays;
        let parts = a.chunks_mut(part).zip(b.chunks(part).zip(c.chunks(part)));
        std::thread::scope(|scope| {
            for (a, (b, c)) in parts {
                scope.spawn(move || match traffic {
                    Traffic::Read => drop(black_box(sum(b))),
                    Traffic::Copy => a.copy_from_slice(b),
                    Traffic::Triad => {
                        a.iter_mut().zip(b.iter().zip(c)).for_each(|(a, (b, c))| *a = b + 3.0 * c)
                    }
                });
            }
        });
    }
}

/// Uses 64 sums at a time, so that only reading takes time.
fn sum(values: &[f32]) -> f32 {
    let mut sums = [0.0; 64];
    for chunk in values.as_chunks::<64>().0 {
        sums.iter_mut().zip(chunk).for_each(|(sum, value)| *sum += value);
    }
    sums.iter().sum()
}
