//! Compiles the kernels of each element type in this crate. Otherwise every caller would compile the generic kernels again, for every
//! instruction set.

use super::Element;
use super::epilogue::Finish;
use super::execute::{PackPanels, RunTask};
use rlx_simd::isa::Cpu;

/// The kernels of products of `Self` elements.
pub trait Compiled: Sized {
    /// Runs a task of a planned product.
    fn run_task(cpu: Cpu, task: RunTask<'_, Self>)
    where
        Self: Element;

    /// Packs panels of B.
    fn pack_panels(cpu: Cpu, panels: PackPanels<'_, Self>)
    where
        Self: Element;

    /// Converts sums to results.
    fn finish(cpu: Cpu, sums: Finish<'_, Self>)
    where
        Self: Element;
}

macro_rules! compiled {
    ($($element:ty)*) => {
        $(impl Compiled for $element {
            fn run_task(cpu: Cpu, task: RunTask<'_, $element>) {
                cpu.dispatch(task);
            }

            fn pack_panels(cpu: Cpu, panels: PackPanels<'_, $element>) {
                cpu.dispatch(panels);
            }

            fn finish(cpu: Cpu, sums: Finish<'_, $element>) {
                cpu.dispatch(sums);
            }
        })*
    };
}
compiled!(f32 f64);
