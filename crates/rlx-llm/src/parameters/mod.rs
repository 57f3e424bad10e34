//! Finds the tensors of a checkpoint for the parameters that a graph asks for ([`TensorsFound`]), and passes them to
//! the program ([`set`]).

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
    /// Tensors that the misfit already names.
    named: BTreeSet<String>,
    /// How many rows were asked for of each tensor that holds several parameters.
    taken: BTreeMap<String, usize>,
}

/// Where a parameter is stored, and how it is converted.
#[derive(Clone)]
pub(crate) struct TensorSource {
    pub(crate) param: String,
    /// The name of the tensor; `#` is replaced by the number of an expert.
    pub(crate) tensor: String,
    change: Change,
    /// The type of the parameter.
    pub(crate) storage: TensorType,
    /// Bytes of memory or of mapped pages that it needs.
    pub(crate) bytes: usize,
}

/// Where a matrix is stored in a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TensorPlace {
    /// In the rows from this one on.
    Rows(usize),
    /// Transposed, in the columns from `from` on, out of `all` columns.
    Columns { from: usize, all: usize },
    /// The whole tensor is the matrix of this expert.
    Expert(usize),
}

/// How tensors of a checkpoint become a parameter.
#[derive(Clone, PartialEq, Debug)]
enum Change {
    /// A range of the rows, unchanged; also the total number of rows.
    Rows(Range<usize>, usize),
    /// A range of the rows after transposing a matrix with these dimensions.
    TransposedRows(Range<usize>, [usize; 2]),
    /// A range of the rows as f32, with a function applied to each number; also the total number of rows.
    Numbers(Range<usize>, usize, NumberChange),
    /// The concatenated tensors of this many experts.
    Stack(usize),
    /// Weights of experts with these dimensions, in alternating rows.
    Turns(Turn, [usize; 3]),
    /// Biases of experts, alternating.
    BiasTurns(Turn),
    /// Weights of experts in alternating rows of blocks; also the number of blocks in a row.
    BlockTurns(Turn, usize),
}

/// The function applied to each number.
#[derive(Clone, Copy, PartialEq, Debug)]
enum NumberChange {
    None,
    /// x + 1, for weights of norms that are stored as w − 1.
    PlusOne,
    /// −exp(x), for decay rates that are stored as logarithms.
    MinusExp,
}

/// Why a tensor cannot be the parameter.
enum Problem {
    Missing,
    WrongType(&'static str),
    WrongShape(Vec<usize>, Vec<usize>),
}

impl<'a> TensorsFound<'a> {
    pub(crate) fn new(checkpoint: &'a Checkpoint, names: &'a TensorNames) -> TensorsFound<'a> {
        TensorsFound { checkpoint, names, found: RefCell::default() }
    }

    /// Returns the tensors that were found.
    ///
    /// # Errors
    /// Returns a [`Misfit`] with every tensor that is missing, has the wrong shape or does not hold numbers. If there
    /// is no such tensor, the misfit lists every tensor of the model that the graph did not ask for.
    pub(crate) fn finish(self) -> Result<Vec<TensorSource>, Misfit> {
        let Found { sources, mut misfit, .. } = self.found.into_inner();
        if misfit.is_empty() {
            misfit.unused = unused(self.checkpoint, self.names, &sources);
        }
        if misfit.is_empty() { Ok(sources) } else { Err(misfit) }
    }

    /// Returns the tensor of a parameter, and whether it may also hold others.
    fn tensor_of(&self, param: &Param<'_>) -> (String, bool) {
        let alone = self.names.alone(param);
        match self.names.joined(param) {
            Some(joined) if alone.is_none() || self.checkpoint.has(&joined) => (joined, true),
            _ => (alone.unwrap_or_default(), false),
        }
    }

    /// Returns the type of a tensor whose shape must be `needed`, up to dimensions of 1, or a vector of the same
    /// length.
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

    /// Describes a parameter that is alone in its tensor.
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

    /// Describes a parameter that shares a tensor. Its rows start at `taken`, which is then advanced.
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

    /// Describes the tensors of all experts, which must have the same type.
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

    /// Describes experts whose rows alternate.
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

/// Returns the tensors of the model that none of the sources uses. For GGUF, these are all unused tensors.
/// Safetensors files may contain other models, so only tensors in layers and in the parts around them count.
fn unused(checkpoint: &Checkpoint, names: &TensorNames, sources: &[TensorSource]) -> Vec<String> {
    let used: BTreeSet<String> = sources.iter().flat_map(TensorSource::tensors).collect();
    let layers = used.iter().filter_map(|tensor| names.layer_of(tensor)).max().map_or(0, |last| last + 1);
    let further = layers..layers.saturating_add(checkpoint.further_layers());
    let is_needed = |tensor: &str| match names.layer_of(tensor) {
        Some(layer) => {
            !further.contains(&layer) && !names.buffers.iter().any(|buffer| tensor.ends_with(buffer))
        }
        None if checkpoint.is_gguf() => !names.settings.contains(&tensor),
        // A token table that is also the output projection may be stored twice.
        None => names.is_of_whole(tensor) && !tensor.ends_with(".weight"),
    };
    let all = checkpoint.names().into_iter();
    all.filter(|tensor| !used.contains(&**tensor) && is_needed(tensor)).map(Cow::into_owned).collect()
}

/// The type of parameters that do not keep their stored type.
const F32: TensorType = TensorType::Plain(DType::F32);

impl TensorSource {
    /// Returns the tensors that the parameter comes from.
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

    /// Returns the tensors that the parameter comes from, and where it is in them; `None` if its numbers are changed
    /// or its rows alternate.
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

/// Returns the name of one expert's tensor.
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
