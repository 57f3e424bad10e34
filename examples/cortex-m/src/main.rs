//! Classifies digits with a network compiled by `rlx compile --no-std`, and prints the bits of every result.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod board;

use core::fmt::{self, Write};

const PIXELS: usize = 64;
const CLASSES: usize = 10;

/// Gray values from 0 to 16, and the digit.
type Image = [u8; PIXELS + 1];

static IMAGES: &[u8] = include_bytes!("../images.bin");

/// The networks. They contain their memory, so they are in static memory instead of on a stack.
struct Networks {
    digits: digits::Model,
    softmax: softmax::Model,
}

impl Networks {
    const fn new() -> Self {
        Networks { digits: digits::Model::new(), softmax: softmax::Model::new() }
    }

    /// Prints the logits and probabilities of all images, and how many are classified correctly. Returns the time that
    /// the networks took, in ticks of `clock`, which has 24 bits.
    fn judge(&mut self, out: &mut dyn Write, clock: fn() -> u32) -> Result<u64, fmt::Error> {
        let (images, _) = IMAGES.as_chunks::<{ size_of::<Image>() }>();
        let (mut right, mut time) = (0, 0);
        for image in images {
            let [grey @ .., digit] = image;
            let pixels = grey.map(|grey| f32::from(grey) / 16.0);
            let [mut logits, mut probabilities] = [[0.0; CLASSES]; 2];
            let begin = clock();
            self.digits.run(&pixels, &mut logits).map_err(|_| fmt::Error)?;
            self.softmax.run(&logits, &[0.0; CLASSES], &mut probabilities).map_err(|_| fmt::Error)?;
            time += u64::from(clock().wrapping_sub(begin) & 0xff_ffff);
            let best = (0..CLASSES).fold(0, |best, i| if logits[i] > logits[best] { i } else { best });
            right += usize::from(best == usize::from(*digit));
            write!(out, "{digit}:")?;
            for number in logits.iter().chain(&probabilities) {
                write!(out, " {:08x}", number.to_bits())?;
            }
            writeln!(out)?;
        }
        writeln!(out, "{right} of {} images are classified correctly", images.len())?;
        Ok(time)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    let mut text = String::new();
    if Networks::new().judge(&mut text, || 0).is_err() {
        std::process::exit(1);
    }
    print!("{text}");
}
