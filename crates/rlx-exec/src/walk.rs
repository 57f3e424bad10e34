//! Walks the actions of a program: takes branches, counts iterations, and asks the device to call kernels, to copy and to read values.

use rlx_compile::program::{Action, Copied};
use rlx_compile::{Call, Place};

/// What runs the actions of a program.
pub trait Device {
    /// Why an action failed.
    type Error;

    /// Runs a kernel. Its operands and results may be at places that depend on the loop variables.
    ///
    /// # Errors
    /// Fails if the kernel does. The walk ends there.
    fn call(&mut self, call: &Call, variables: &[usize]) -> Result<(), Self::Error>;

    /// Copies a value to a place that does not overlap it.
    ///
    /// # Errors
    /// Fails if the device does.
    fn copy(&mut self, copied: &Copied, variables: &[usize]) -> Result<(), Self::Error>;

    /// Returns the boolean at a place.
    ///
    /// # Errors
    /// Fails if the device does.
    fn boolean(&mut self, place: &Place, variables: &[usize]) -> Result<bool, Self::Error>;

    /// Returns the i32 at a place.
    ///
    /// # Errors
    /// Fails if the device does.
    fn index(&mut self, place: &Place, variables: &[usize]) -> Result<i32, Self::Error>;
}

/// Runs actions in order. `variables` has [`Program::variables`](rlx_compile::Program::variables) elements, whatever their values.
///
/// # Errors
/// Returns the first error of the device.
///
/// # Panics
/// Panics if `variables` is too short, or the length of a loop is a symbol.
pub fn walk<D: Device>(actions: &[Action], variables: &mut [usize], device: &mut D) -> Result<(), D::Error> {
    for action in actions {
        match action {
            Action::Call(call) => device.call(call, variables)?,
            Action::Copy(copied) => {
                if copied.from.at(variables) != copied.to.at(variables) {
                    device.copy(copied, variables)?;
                }
            }
            Action::If { condition, then, otherwise } => {
                let chosen = if device.boolean(condition, variables)? { then } else { otherwise };
                walk(chosen, variables, device)?;
            }
            Action::Case { index, branches } => {
                let index = usize::try_from(device.index(index, variables)?).ok();
                let chosen = index.and_then(|index| branches.get(index)).or(branches.last());
                walk(chosen.map_or(&[], Vec::as_slice), variables, device)?;
            }
            Action::While { count, condition, again, body } => {
                variables[*count] = 0;
                loop {
                    walk(condition, variables, device)?;
                    if !device.boolean(again, variables)? {
                        break;
                    }
                    walk(body, variables, device)?;
                    variables[*count] += 1;
                }
            }
            Action::For { index, count, length, reverse, body } => {
                let length = length.as_static().expect("the lengths of loops are static in a bound program");
                for done in 0..length {
                    variables[*count] = done;
                    variables[*index] = if *reverse { length - 1 - done } else { done };
                    walk(body, variables, device)?;
                }
                variables[*count] = length;
            }
        }
    }
    Ok(())
}
