//! Everything that a session needs to continue elsewhere: values and counters.

use super::SessionOn;
use super::programs::Programs;
use crate::error::TrainError;
use crate::scale::LossScale;
use crate::state::Home;
use rlx_ir::Shape;
use std::borrow::Cow;

/// One value of a session.
#[derive(Clone, PartialEq, Debug)]
pub struct Saved<'a> {
    /// Its name: a parameter, or `PARAMETER.SLOT`.
    pub name: &'a str,
    /// Its shape and type.
    pub shape: &'a Shape,
    /// Its little-endian bytes.
    pub bytes: Cow<'a, [u8]>,
    /// Whether it is a parameter, and not part of the optimizer's state.
    pub is_param: bool,
}

/// The counters of a session.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Snapshot {
    /// The number of updates made.
    pub step: u64,
    /// The loss scale.
    pub scale: Option<LossScale>,
}

impl<D> SessionOn<D> {
    /// Returns the counters.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { step: self.step, scale: self.scale }
    }

    /// Returns every value, wherever it is: the trained parameters, the optimizer's state, and the parameters that are not trained.
    pub fn saved(&self) -> Result<Vec<Saved<'_>>, TrainError> {
        let mut all = Vec::with_capacity(self.state.values.len() + self.fixed.len());
        for (i, value) in self.state.values.iter().enumerate() {
            let is_param = i < self.model.params.len();
            all.push(Saved { name: &value.name, shape: &value.shape, bytes: self.value(i)?, is_param });
        }
        for (name, value) in &self.fixed {
            all.push(Saved {
                name,
                shape: value.shape(),
                bytes: Cow::Borrowed(value.bytes()),
                is_param: true,
            });
        }
        Ok(all)
    }

    /// Replaces every value and the counters, and drops accumulated gradients. `find` returns the bytes of a value by name.
    ///
    /// # Errors
    /// Returns [`TrainError::State`] if a value is missing or has another size. The session is then unchanged.
    pub fn restore<'a>(
        &mut self,
        snapshot: Snapshot,
        find: impl Fn(&str) -> Option<&'a [u8]>,
    ) -> Result<(), TrainError> {
        let mut outside = Vec::with_capacity(self.state.values.len());
        for value in &self.state.values {
            let Some(bytes) = find(&value.name) else {
                return Err(TrainError::State(format!("there is no value for `{}`", value.name)));
            };
            let expected = value.shape.num_bytes().unwrap_or(0);
            if bytes.len() != expected {
                let (name, shape, got) = (&value.name, &value.shape, bytes.len());
                let message = format!("`{name}` is {shape}, {expected} bytes; the value has {got}");
                return Err(TrainError::State(message));
            }
            outside.push(bytes.to_vec());
        }
        self.programs = Programs { eval: self.programs.eval.take(), ..Programs::default() };
        self.copies.clear();
        self.state.outside = outside;
        self.state.home = Home::Outside;
        self.step = snapshot.step;
        self.scale = snapshot.scale.or(self.scale);
        self.pending.clear();
        (self.skipped, self.estimates) = (0, 0);
        Ok(())
    }
}
