//! Finds the tensors of a checkpoint for the parameters that a graph asks for ([`TensorsFound`]), and passes
//! them to the program ([`set`]).

mod alternating;
mod set;

use crate::checkpoint::Checkpoint;
use crate::error::Misfit;
use crate::families::{Param, TensorNames};
use crate::graph::{Parameters, Role};
use alternating::{MXFP4, Turn};
use rlx_gguf::TensorType;
use rlx_ir::DType;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub(crate) use set::{parameter_bytes, set, value};

/// The tensors that a graph needs, found as it asks for them.
pub(crate) struct TensorsFound<'a> {
    checkpoint: &'a Checkpoint,
    names: &'a TensorNames,
    found: RefCell<Found>,
}

#[derive(Default)]
struct Found {
    sources: Vec<TensorSource>,
    misfit: Misfit,
    /// Tensors that the misfit names.
    named: BTreeSet<String>,
    /// Of tensors that hold several parameters, how many rows were asked for.
    taken: BTreeMap<String, usize>,
}

/// Where a parameter lies, and what is done to it.
#[derive(Clone)]
pub(crate) struct TensorSource {
    pub(crate) param: String,
    /// The tensor; `#` stands for the number of an expert.
    pub(crate) tensor: String,
    change: Change,
    /// How the parameter is stored.
    pub(crate) storage: TensorType,
    /// Bytes of memory or of mapped pages that it needs.
    pub(crate) bytes: usize,
}

/// Where a matrix lies in a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TensorPlace {
    /// From this row on.
    Rows(usize),
    /// From this of so many columns on, rows as columns.
    Columns { from: usize, all: usize },
    /// The tensor is the matrix of this expert.
    Expert(usize),
}

/// How a tensor of a checkpoint becomes a parameter.
#[derive(Clone, PartialEq, Debug)]
enum Change {
    /// These of so many rows, as they are.
    Rows(Range<usize>, usize),
    /// These rows once rows and columns of these dimensions have changed places.
    TransposedRows(Range<usize>, [usize; 2]),
    /// These of so many rows as f32, each number changed.
    Numbers(Range<usize>, usize, NumberChange),
    /// Tensors of so many experts one behind the other.
    Stack(usize),
    /// Weights of experts, of these dimensions.
    Turns(Turn, [usize; 3]),
    /// Biases of experts.
    BiasTurns(Turn),
    /// Weights of experts in blocks, so many in a row.
    BlockTurns(Turn, usize),
}

/// What is done to numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
enum NumberChange {
    None,
    /// Weights of norms may be kept as w − 1.
    PlusOne,
    /// Rates of decay may be kept as logarithms.
    MinusExp,
}

/// Why a tensor is not a parameter.
enum Problem {
    Missing,
    WrongType(&'static str),
    WrongShape(Vec<usize>, Vec<usize>),
}

impl<'a> TensorsFound<'a> {
    pub(crate) fn new(checkpoint: &'a Checkpoint, names: &'a TensorNames) -> TensorsFound<'a> {
        TensorsFound { checkpoint, names, found: RefCell::default() }
    }

    /// What was found.
    ///
    /// # Errors
    /// A [`Misfit`] with every tensor that is missing, of another shape, or not of numbers; where there is none, with every tensor of the model
    /// that the graph did not ask for.
    pub(crate) fn finish(self) -> Result<Vec<TensorSource>, Misfit> {
        let Found { sources, mut misfit, .. } = self.found.into_inner();
        if misfit.is_empty() {
            misfit.unused = unused(self.checkpoint, self.names, &sources);
        }
        if misfit.is_empty() { Ok(sources) } else { Err(misfit) }
    }

    /// The tensor of a parameter, and whether it may hold others as well.
    fn tensor_of(&self, param: &Param<'_>) -> (String, bool) {
        let alone = self.names.alone(param);
        match self.names.joined(param) {
            Some(joined) if alone.is_none() || self.checkpoint.has(&joined) => (joined, true),
            _ => (alone.unwrap_or_default(), false),
        }
    }

    /// How a tensor is stored whose shape must be `needed` but for dimensions of 1, or the same numbers one behind the other.
    fn whole(&self, tensor: &str, needed: &[usize]) -> Result<TensorType, Problem> {
        let (shape, storage) = self.stored(tensor)?;
        let long = |dims: &[usize]| dims.iter().copied().filter(|&n| n != 1).collect::<Vec<_>>();
        if long(&shape) == long(needed)
            || shape[..] == [needed.iter().fold(1, |n: usize, d| n.saturating_mul(*d))]
        {
            Ok(storage)
        } else {
            Err(Problem::WrongShape(needed.to_vec(), shape))
        }
    }

    fn stored(&self, tensor: &str) -> Result<(Vec<usize>, TensorType), Problem> {
        let stored = self.checkpoint.tensor(tensor).ok_or(Problem::Missing)?;
        let storage = stored.storage.ok_or(Problem::WrongType(stored.type_name))?;
        Ok((stored.shape.to_vec(), storage))
    }

    /// The parameter alone in its tensor.
    fn alone(
        &self,
        tensor: &str,
        dims: &[usize],
        role: Role,
        turned: bool,
    ) -> Result<(Change, TensorType), Problem> {
        if let (true, &[outputs, inputs]) = (turned, dims) {
            let storage = self.whole(tensor, &[inputs, outputs])?;
            return self.turned(storage, 0..outputs, [inputs, outputs]);
        }
        let storage = self.whole(tensor, dims)?;
        let rows = dims.first().copied().unwrap_or(1);
        Ok(self.as_stored(storage, 0..rows, rows, role))
    }

    /// The parameter among others in a tensor, whose rows `taken` ends in front of.
    fn joined(
        &self,
        tensor: &str,
        dims: &[usize],
        role: Role,
        turned: bool,
        taken: &mut usize,
    ) -> Result<(Change, TensorType), Problem> {
        let (shape, storage) = self.stored(tensor)?;
        let (rows, of_row) = dims.split_first().unwrap_or((&1, &[]));
        let range = *taken..*taken + rows;
        *taken = range.end;
        let (all, stored_row) = match shape[..] {
            [inputs, outputs] if turned => (outputs, vec![inputs]),
            [all, ref rest @ ..] => (all, rest.to_vec()),
            [] => (0, Vec::new()),
        };
        if range.end > all || stored_row != of_row {
            return Err(Problem::WrongShape(dims.to_vec(), shape));
        }
        match shape[..] {
            [inputs, outputs] if turned => self.turned(storage, range, [inputs, outputs]),
            _ => Ok(self.as_stored(storage, range, all, role)),
        }
    }

    fn turned(
        &self,
        storage: TensorType,
        rows: Range<usize>,
        dims: [usize; 2],
    ) -> Result<(Change, TensorType), Problem> {
        match storage {
            TensorType::Plain(_) => Ok((Change::TransposedRows(rows, dims), storage)),
            TensorType::Blocks(scheme) => Err(Problem::WrongType(scheme.name())),
        }
    }

    fn as_stored(
        &self,
        storage: TensorType,
        rows: Range<usize>,
        all: usize,
        role: Role,
    ) -> (Change, TensorType) {
        let change = match role {
            Role::Matrix => return (Change::Rows(rows, all), storage),
            Role::Norm if self.names.norms_less_one => NumberChange::PlusOne,
            Role::Decay if self.names.log_decay => NumberChange::MinusExp,
            _ if storage == F32 => return (Change::Rows(rows, all), F32),
            _ => NumberChange::None,
        };
        (Change::Numbers(rows, all, change), F32)
    }

    /// The tensors of all experts, which must be stored alike.
    fn stack(&self, tensor: &str, dims: &[usize]) -> Result<(Change, TensorType), (String, Problem)> {
        let (&count, of_each) = dims.split_first().unwrap_or((&0, &[]));
        let mut storage = F32;
        for expert in 0..count {
            let name = numbered(tensor, expert);
            match self.whole(&name, of_each) {
                Ok(found) if expert == 0 || found == storage => storage = found,
                Ok(found) => return Err((name, Problem::WrongType(found.name()))),
                Err(problem) => return Err((name, problem)),
            }
        }
        Ok((Change::Stack(count), storage))
    }

    /// Experts whose rows lie in turns.
    fn turns(&self, tensor: &str, turn: Turn, dims: &[usize]) -> Result<(Change, TensorType), Problem> {
        let Ok(dims) = <[usize; 3]>::try_from(dims) else {
            self.whole(tensor, &turn.stored_dims(dims))?;
            return Ok((Change::BiasTurns(turn), F32));
        };
        if let Some(blocks) = self.checkpoint.tensor(&format!("{tensor}_blocks")) {
            let [experts, rows, columns] = dims;
            let needed = [experts, rows * turn.every, columns / 32, 16];
            let name = format!("{tensor}_scales");
            let scales = self.checkpoint.tensor(&name).ok_or(Problem::Missing)?;
            if blocks.shape != needed || scales.shape != &needed[..3] || columns % 32 != 0 {
                return Err(Problem::WrongShape(needed.to_vec(), blocks.shape.to_vec()));
            }
            return Ok((Change::BlockTurns(turn, columns / 32), MXFP4));
        }
        match self.whole(tensor, &turn.stored_dims(&dims))? {
            storage @ TensorType::Plain(_) => Ok((Change::Turns(turn, dims), storage)),
            TensorType::Blocks(scheme) => Err(Problem::WrongType(scheme.name())),
        }
    }
}

/// The tensors of the model that none of these parameters comes from: all of a GGUF file, and in safetensors, which may have other models
/// beside it, those in layers and of the parts around them.
fn unused(checkpoint: &Checkpoint, names: &TensorNames, sources: &[TensorSource]) -> Vec<String> {
    let used: BTreeSet<String> = sources.iter().flat_map(TensorSource::tensors).collect();
    let layers = used.iter().filter_map(|tensor| names.layer_of(tensor)).max().map_or(0, |last| last + 1);
    let further = layers..layers.saturating_add(checkpoint.further_layers());
    let is_needed = |tensor: &str| match names.layer_of(tensor) {
        Some(layer) => {
            !further.contains(&layer) && !names.buffers.iter().any(|buffer| tensor.ends_with(buffer))
        }
        None if checkpoint.is_gguf() => !names.settings.contains(&tensor),
        // A table that is also the last layer may be there twice.
        None => names.is_of_whole(tensor) && !tensor.ends_with(".weight"),
    };
    let all = checkpoint.names().into_iter();
    all.filter(|tensor| !used.contains(&**tensor) && is_needed(tensor)).map(Cow::into_owned).collect()
}

/// The type of what is not kept as it is stored.
const F32: TensorType = TensorType::Plain(DType::F32);

impl TensorSource {
    /// The tensors that it comes from.
    pub(crate) fn tensors(&self) -> Vec<String> {
        match &self.change {
            Change::Stack(count) => (0..*count).map(|expert| numbered(&self.tensor, expert)).collect(),
            Change::BlockTurns(..) => {
                ["blocks", "scales"].map(|kind| format!("{}_{kind}", self.tensor)).into()
            }
            Change::Rows(..)
            | Change::TransposedRows(..)
            | Change::Numbers(..)
            | Change::Turns(..)
            | Change::BiasTurns(_) => vec![self.tensor.clone()],
        }
    }

    /// The tensors that it comes from, and where; none where experts lie in turns.
    pub(crate) fn places(&self) -> Option<Vec<(String, TensorPlace)>> {
        let alone = |place| vec![(self.tensor.clone(), place)];
        match &self.change {
            Change::Rows(rows, _) => Some(alone(TensorPlace::Rows(rows.start))),
            Change::TransposedRows(rows, [_, all]) => {
                Some(alone(TensorPlace::Columns { from: rows.start, all: *all }))
            }
            Change::Stack(count) => {
                let of_expert = |expert| (numbered(&self.tensor, expert), TensorPlace::Expert(expert));
                Some((0..*count).map(of_expert).collect())
            }
            Change::Numbers(..) | Change::Turns(..) | Change::BiasTurns(_) | Change::BlockTurns(..) => None,
        }
    }
}

/// The tensor of one expert.
pub(crate) fn numbered(tensor: &str, expert: usize) -> String {
    tensor.replacen('#', &expert.to_string(), 1)
}

impl Parameters for TensorsFound<'_> {
    fn storage(&self, name: &str, dims: &[usize], role: Role) -> TensorType {
        let param = Param::new(name);
        let (tensor, shared) = self.tensor_of(&param);
        let mut found = self.found.borrow_mut();
        let turned = self.names.transposed && role == Role::Matrix && param.layer.is_some();
        let result = if self.names.alternating && param.part.starts_with("feed.experts.") {
            self.turns(&tensor, Turn::of(param.part), dims).map_err(|problem| (tensor.clone(), problem))
        } else if tensor.contains('#') {
            self.stack(&tensor, dims)
        } else {
            let taken = found.taken.entry(tensor.clone()).or_insert(0);
            let change = if shared {
                self.joined(&tensor, dims, role, turned, taken)
            } else {
                self.alone(&tensor, dims, role, turned)
            };
            change.map_err(|problem| (tensor.clone(), problem))
        };
        match result {
            Ok((change, storage)) => {
                let (len, bytes) = storage.block();
                let bytes = dims.iter().product::<usize>() / len * bytes;
                found.sources.push(TensorSource { param: name.into(), tensor, change, storage, bytes });
                storage
            }
            Err((tensor, problem)) => {
                if found.named.insert(tensor.clone()) {
                    let misfit = &mut found.misfit;
                    match problem {
                        Problem::Missing => misfit.missing.push(tensor),
                        Problem::WrongType(kind) => misfit.wrong_type.push((tensor, kind)),
                        Problem::WrongShape(needed, there) => {
                            misfit.wrong_shape.push((tensor, needed, there))
                        }
                    }
                }
                F32
            }
        }
    }
}
