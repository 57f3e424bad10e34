//! The state of an optimizer as values by parameter and slot, with the number of updates, saved to and loaded from files.
//!
//! The file is in safetensors format. A slot is the tensor `PARAMETER.SLOT`, so slots have no dot in their names. The metadata has the kind
//! of the file, its version, the optimizer and the step.

use crate::error::Error;
use crate::optimizer::Optimizer;
use crate::param::Param;
use rlx_files::display::quoted;
use rlx_files::weights::{self, StoredType, TensorView, Weights, WeightsError};
use rlx_ir::{DType, Literal, Shape};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The kind of the file in the metadata.
const FORMAT: &str = "rlx-optim.state";
/// The version that is written, and the newest that can be read.
const VERSION: u32 = 1;

/// Everything that an optimizer keeps between updates.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    optimizer: Optimizer,
    step: u64,
    slots: BTreeMap<String, BTreeMap<String, Literal>>,
}

/// Why a state cannot be saved, restored or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file cannot be read or written, or is not a valid safetensors file.
    #[error(transparent)]
    File(#[from] WeightsError),
    /// The file is valid, but not the state of an optimizer.
    #[error("{}: not the state of an optimizer: {problem}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is missing or wrong.
        problem: String,
    },
    /// The file has a version that this program does not support.
    #[error("{}: version {found} of the format; this program reads versions up to {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A slot that cannot be stored.
    #[error("the slot {slot} of parameter {parameter}: {problem}")]
    Slot {
        /// The parameter, quoted.
        parameter: String,
        /// The slot, quoted.
        slot: String,
        /// What is wrong.
        problem: String,
    },
    /// The optimizer rejects its settings or a parameter.
    #[error(transparent)]
    Optimizer(#[from] Error),
}

impl State {
    /// Returns the state before the first update of parameters with these values.
    pub fn new(optimizer: Optimizer, params: &[(Param, &Literal)]) -> Result<State, Error> {
        let mut state = State { optimizer, step: 0, slots: BTreeMap::new() };
        for (param, value) in params {
            let mut slots = BTreeMap::new();
            for slot in optimizer.slots(param)? {
                slots.insert(slot.name.to_string(), slot.initial_value(value)?);
            }
            state.slots.insert(param.name().into(), slots);
        }
        Ok(state)
    }

    /// Returns the optimizer.
    pub fn optimizer(&self) -> &Optimizer {
        &self.optimizer
    }

    /// Returns the number of updates made.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Sets the number of updates made.
    pub fn set_step(&mut self, step: u64) {
        self.step = step;
    }

    /// Returns a slot of a parameter.
    pub fn get(&self, parameter: &str, slot: &str) -> Option<&Literal> {
        self.slots.get(parameter)?.get(slot)
    }

    /// Sets a slot of a parameter. Slots that the optimizer does not have are kept and saved too.
    ///
    /// # Errors
    /// Returns [`StateError::Slot`] for a slot name that is empty or contains a dot, and for a type that files cannot store (c128).
    pub fn set(&mut self, parameter: &str, slot: &str, value: Literal) -> Result<(), StateError> {
        let problem = if slot.is_empty() || slot.contains('.') {
            "names of slots must not be empty or contain a dot"
        } else if StoredType::of(value.dtype()).is_none() {
            "a file cannot store its element type"
        } else {
            self.slots.entry(parameter.into()).or_default().insert(slot.into(), value);
            return Ok(());
        };
        Err(wrong(parameter, slot, problem.into()))
    }

    /// Returns every slot in order of names: the parameter, the slot's name and its value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &Literal)> {
        self.slots.iter().flat_map(|(parameter, slots)| {
            slots.iter().map(move |(slot, value)| (parameter.as_str(), slot.as_str(), value))
        })
    }

    /// Fails unless every slot of the optimizer for these parameters is present, with its shape and type.
    pub fn check(&self, params: &[Param]) -> Result<(), StateError> {
        for param in params {
            for slot in self.optimizer.slots(param)? {
                match self.get(param.name(), slot.name) {
                    Some(value) if *value.shape() == slot.shape => {}
                    Some(value) => {
                        let problem = format!("is {}, expected {}", value.shape(), slot.shape);
                        return Err(wrong(param.name(), slot.name, problem));
                    }
                    None => return Err(wrong(param.name(), slot.name, "is missing".into())),
                }
            }
        }
        Ok(())
    }

    /// Writes the state to a file, which appears complete or not at all. Equal states give equal files.
    pub fn save(&self, path: &Path) -> Result<(), StateError> {
        let mut entries: Vec<(String, StoredType, Vec<usize>, &[u8])> = Vec::new();
        for (parameter, slot, value) in self.iter() {
            let stored = StoredType::of(value.dtype())
                .ok_or_else(|| wrong(parameter, slot, "a file cannot store its element type".into()))?;
            entries.push((format!("{parameter}.{slot}"), stored, value.dims(), value.bytes()));
        }
        let tensors: Vec<weights::Tensor<'_>> = entries
            .iter()
            .map(|(name, stored, shape, bytes)| weights::Tensor { name, stored: *stored, shape, bytes })
            .collect();
        let metadata = BTreeMap::from([
            ("format".to_string(), FORMAT.to_string()),
            ("version".to_string(), VERSION.to_string()),
            ("optimizer".to_string(), self.optimizer.to_string()),
            ("step".to_string(), self.step.to_string()),
        ]);
        Ok(weights::save(path, &tensors, &metadata)?)
    }

    /// Reads a state written by [`State::save`]: the same values, bit for bit.
    ///
    /// # Errors
    /// Returns [`StateError::File`] if the file is missing, truncated or damaged, [`StateError::Foreign`] if it is something else, and
    /// [`StateError::Version`] if a newer program wrote it.
    pub fn load(path: &Path) -> Result<State, StateError> {
        let file = Weights::read(path)?;
        let foreign = |problem: String| StateError::Foreign { path: path.into(), problem };
        let about = |key: &str| {
            let text = file.metadata().get(key).map(String::as_str);
            text.ok_or_else(|| foreign(format!("its metadata has no `{key}`")))
        };
        if about("format")? != FORMAT {
            return Err(foreign(format!("its format is {}", quoted(about("format")?))));
        }
        let number = |key: &str| {
            let text = about(key)?;
            text.parse::<u64>().map_err(|_| foreign(format!("its {key} is {}", quoted(text))))
        };
        let version = u32::try_from(number("version")?).unwrap_or(u32::MAX);
        if version > VERSION {
            return Err(StateError::Version { path: path.into(), found: version });
        }
        let optimizer = about("optimizer")?.parse().map_err(|e: Error| foreign(e.to_string()))?;
        let mut state = State { optimizer, step: number("step")?, slots: BTreeMap::new() };
        for tensor in file.iter() {
            let Some((parameter, slot)) = tensor.name().rsplit_once('.') else {
                return Err(foreign(format!(
                    "the tensor {} is not a slot of a parameter",
                    quoted(tensor.name())
                )));
            };
            state.set(parameter, slot, value(&tensor)?)?;
        }
        Ok(state)
    }
}

fn value(tensor: &TensorView<'_>) -> Result<Literal, StateError> {
    let dtype: DType = tensor.dtype()?;
    let shape = Shape::new(tensor.shape(), dtype);
    Literal::from_bytes(&shape, tensor.bytes()).map_err(|e| wrong(tensor.name(), "", e.to_string()))
}

fn wrong(parameter: &str, slot: &str, problem: String) -> StateError {
    StateError::Slot { parameter: quoted(parameter), slot: quoted(slot), problem }
}
