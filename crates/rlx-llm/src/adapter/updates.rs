//! Finds the updates that adapters add to the parameters of a graph as the graph asks for them.

use super::{Adapter, AdapterError, AdapterFormat, AdapterMisfit, AdapterSource, Factor, Pair};
use crate::checkpoint::Checkpoint;
use crate::error::LlmError;
use crate::families::{Family, Param, TensorNames};
use crate::graph::{Parameters, Role, low_rank_names};
use crate::parameters::numbered;
use crate::row_order::RowOrder;
use crate::spec::DecoderSpec;
use rlx_gguf::TensorType;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The adapters of a model, and how each one fits it.
pub(crate) struct ModelUpdates {
    adapters: Vec<Fitted>,
}

/// An adapter, and how its names and rows correspond to those of the model.
struct Fitted {
    adapter: Adapter,
    names: &'static TensorNames,
    rows: AdapterRows,
}

/// How the order of an adapter's rows differs from that of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AdapterRows {
    Same,
    /// The model is a GGUF file and the adapter is not.
    ToGguf(RowOrder),
    /// The adapter is a GGUF file and the model is not.
    FromGguf(RowOrder),
}

/// The update of a parameter: B·A of all adapters together.
#[derive(Clone, Debug)]
pub(crate) struct Update {
    /// The parameter.
    pub(crate) param: String,
    /// The parameter's dimensions: rows and columns, after the number of experts if it holds all of them.
    pub(crate) dims: Vec<usize>,
    pub(crate) rank: usize,
    /// `[rank, columns]` for each expert.
    pub(crate) a: Vec<f32>,
    /// `[rows, rank]` for each expert.
    pub(crate) b: Vec<f32>,
}

/// Parameters from `stored`, with the updates of adapters.
pub(crate) struct Adapted<'a, P> {
    pub(crate) stored: P,
    model: &'a ModelUpdates,
    spec: &'a DecoderSpec,
    found: RefCell<FoundUpdates>,
}

/// A tensor of an adapter with the wrong shape: name, needed, found.
type WrongShape = (String, Vec<usize>, Vec<usize>);

#[derive(Default)]
struct FoundUpdates {
    updates: Vec<Update>,
    /// For each adapter, the tensors of the model whose updates were asked for.
    asked: Vec<BTreeSet<String>>,
    wrong_shape: Vec<Vec<WrongShape>>,
    /// For each adapter, how many rows were asked for of tensors that hold several parameters.
    taken: Vec<BTreeMap<String, usize>>,
}

impl ModelUpdates {
    /// Opens the adapters for the model at `path`.
    ///
    /// # Errors
    /// Returns [`LlmError::Adapter`] if an adapter cannot be used or belongs to another architecture.
    pub(crate) fn open(
        sources: &[AdapterSource],
        path: &Path,
        checkpoint: &Checkpoint,
    ) -> Result<ModelUpdates, LlmError> {
        if sources.is_empty() {
            return Ok(ModelUpdates { adapters: Vec::new() });
        }
        let (family, _) = Family::of(path, checkpoint)?;
        let fitted = |source| Fitted::new(Adapter::open(source)?, family, checkpoint);
        Ok(ModelUpdates { adapters: sources.iter().map(fitted).collect::<Result<_, LlmError>>()? })
    }

    /// Returns a sentence for each setting of an adapter that is not recognized.
    pub(crate) fn unknown_settings(&self) -> impl Iterator<Item = &String> {
        self.adapters.iter().flat_map(|fitted| &fitted.adapter.unknown_settings)
    }

    /// Returns the parameters of `stored` with the updates of the adapters.
    pub(crate) fn with<'a, P: Parameters>(&'a self, stored: P, spec: &'a DecoderSpec) -> Adapted<'a, P> {
        let count = self.adapters.len();
        let found = FoundUpdates {
            updates: Vec::new(),
            asked: vec![BTreeSet::new(); count],
            wrong_shape: vec![Vec::new(); count],
            taken: vec![BTreeMap::new(); count],
        };
        Adapted { stored, model: self, spec, found: RefCell::new(found) }
    }
}

impl Fitted {
    fn new(adapter: Adapter, family: &'static Family, checkpoint: &Checkpoint) -> Result<Fitted, LlmError> {
        let unusable = |problem: String| Err(AdapterError::unusable(&adapter.path, problem).into());
        let model = if checkpoint.is_gguf() { AdapterFormat::Gguf } else { AdapterFormat::Peft };
        let form = family.gguf.as_ref();
        if let Some(theirs) = &adapter.architecture
            && form.is_none_or(|form| form.architecture != theirs.as_str())
        {
            let ours = form.map_or(family.name, |form| form.architecture);
            return unusable(format!("this is an adapter for {theirs:?}, but the model is {ours:?}"));
        }
        let names = match (adapter.format, form) {
            (AdapterFormat::Peft, _) | (AdapterFormat::Gguf, None) => family.names(),
            (AdapterFormat::Gguf, Some(form)) => form.names,
        };
        let rows = match (form, model) {
            _ if adapter.format == model => AdapterRows::Same,
            (None, _) => {
                let name = family.name;
                return unusable(format!(
                    "the row order of {name} in GGUF files is not known; use an adapter in the same format as the model"
                ));
            }
            (Some(form), AdapterFormat::Gguf) => AdapterRows::ToGguf(form.written.order),
            (Some(form), AdapterFormat::Peft) => AdapterRows::FromGguf(form.written.order),
        };
        check_copies(&adapter, family, checkpoint)?;
        Ok(Fitted { adapter, names, rows })
    }
}

/// Fails if weights stored with an adapter differ from those of the model.
fn check_copies(adapter: &Adapter, family: &Family, checkpoint: &Checkpoint) -> Result<(), LlmError> {
    let ours = match (checkpoint.is_gguf(), family.gguf.as_ref()) {
        (true, Some(form)) => form.names,
        _ => family.names(),
    };
    // Without an output projection, the token table takes its place.
    let [table, output] = ["tokens.weight", "output.weight"].map(Param::new);
    let mut misfit = AdapterMisfit { path: adapter.path.clone(), ..AdapterMisfit::default() };
    for (target, Factor { tensor, shape, values }) in &adapter.copies {
        let is = |param: &Param<'_>| family.names().alone(param).as_ref() == Some(target);
        let places =
            [Some(&output).filter(|param| is(param)), Some(&table).filter(|_| is(&table) || is(&output))];
        let stored = places.into_iter().flatten().filter_map(|param| ours.alone(param));
        let stored = stored.into_iter().find(|name| checkpoint.has(name)).unwrap_or_default();
        let same = checkpoint.tensor(&stored).is_some_and(|stored| stored.shape == shape);
        if !same || checkpoint.values(&stored)? != *values {
            misfit.replaced.push(tensor.clone());
        }
    }
    if misfit.is_empty() { Ok(()) } else { Err(AdapterError::Misfit(misfit).into()) }
}

impl<P: Parameters> Parameters for Adapted<'_, P> {
    fn storage(&self, name: &str, dims: &[usize], role: Role) -> TensorType {
        self.stored.storage(name, dims, role)
    }

    fn rank(&self, name: &str, dims: &[usize]) -> usize {
        let found = &mut *self.found.borrow_mut();
        let parts: Vec<Update> =
            (0..self.model.adapters.len()).flat_map(|i| self.parts(i, name, dims, found)).collect();
        let Some(update) = Update::joined(parts) else { return 0 };
        let rank = update.rank;
        found.updates.push(update);
        rank
    }
}

impl<P: Parameters> Adapted<'_, P> {
    /// Returns the parameters that were asked for, and their updates.
    ///
    /// # Errors
    /// Returns an [`AdapterMisfit`] for the first adapter that does not fit the model.
    pub(crate) fn finish(self) -> Result<(P, Vec<Update>), AdapterError> {
        let found = self.found.into_inner();
        for (i, Fitted { adapter, .. }) in self.model.adapters.iter().enumerate() {
            let mut misfit = AdapterMisfit { path: adapter.path.clone(), ..AdapterMisfit::default() };
            misfit.unknown =
                adapter.pairs.keys().filter(|name| !found.asked[i].contains(*name)).cloned().collect();
            misfit.wrong_shape.clone_from(&found.wrong_shape[i]);
            for (tensor, &rows) in &found.taken[i] {
                if let Some(Pair { b, .. }) = adapter.pairs.get(tensor)
                    && let [all, rank] = b.shape[..]
                    && all != rows
                    && misfit.wrong_shape.iter().all(|(tensor, ..)| *tensor != b.tensor)
                {
                    misfit.wrong_shape.push((b.tensor.clone(), vec![rows, rank], b.shape.clone()));
                }
            }
            if !misfit.is_empty() {
                return Err(misfit.into());
            }
        }
        Ok((self.stored, found.updates))
    }

    /// Returns what one adapter adds to a parameter: the update of its own tensor, and its rows of the update of a
    /// shared one.
    fn parts(&self, number: usize, name: &str, dims: &[usize], found: &mut FoundUpdates) -> Vec<Update> {
        let Fitted { adapter, names, rows } = &self.model.adapters[number];
        let param = Param::new(name);
        let wrong = &mut found.wrong_shape[number];
        let has = |tensor: &String| adapter.pairs.contains_key(tensor);
        let joined = names.joined(&param).filter(has);
        let alone = names.alone(&param).filter(|tensor| joined.as_ref() != Some(tensor));
        let mut parts = Vec::new();
        for tensor in alone.iter().filter(|tensor| tensor.contains('#')) {
            let experts = (0..dims[0]).map(|expert| numbered(tensor, expert));
            let pairs: Vec<Option<&Pair>> =
                experts.clone().map(|tensor| adapter.pairs.get(&tensor)).collect();
            found.asked[number].extend(experts.filter(has));
            parts.extend(of_experts(&pairs, name, dims, wrong));
        }
        let taken = joined.map(|tensor| {
            let taken = found.taken[number].entry(tensor.clone()).or_insert(0);
            *taken += dims[0];
            (tensor, *taken - dims[0])
        });
        let alone = alone.filter(has).map(|tensor| (tensor, None));
        let joined = taken.map(|(tensor, from)| (tensor, Some(from)));
        for (tensor, from) in alone.into_iter().chain(joined) {
            parts.extend(adapter.pairs.get(&tensor).and_then(|pair| of_rows(pair, name, dims, from, wrong)));
            found.asked[number].insert(tensor);
        }
        let order = match rows {
            AdapterRows::Same => None,
            AdapterRows::ToGguf(order) => order.of(self.spec, &param),
            AdapterRows::FromGguf(order) => order.of(self.spec, &param).map(|order| order.inverse()),
        };
        if let Some(order) = order {
            for part in &mut parts {
                let (factor, of_row) = match order.is_of_columns() {
                    true => (&mut part.a, dims.last().copied().unwrap_or(1)),
                    false => (&mut part.b, part.rank),
                };
                *factor = order.apply(factor, of_row, 1);
            }
        }
        parts
    }
}

/// Returns what a pair adds to a parameter that takes all rows of B, or the rows from `from` on.
fn of_rows(
    pair: &Pair,
    name: &str,
    dims: &[usize],
    from: Option<usize>,
    wrong: &mut Vec<WrongShape>,
) -> Option<Update> {
    let Pair { a, b } = pair;
    let (&[ref lead @ .., rows, columns], &[.., rank]) = (dims, &b.shape[..]) else { return None };
    let needed_a = [lead, &[rank, columns]].concat();
    // The total number of rows of a shared tensor is known once all of its parameters have been asked for.
    let all = match from {
        Some(_) => b.shape.first().copied().unwrap_or(rows),
        None => rows,
    };
    let needed_b = [lead, &[all, rank]].concat();
    let count = wrong.len();
    for (factor, needed) in [(a, needed_a), (b, needed_b)] {
        if factor.shape != needed && wrong.iter().all(|(tensor, ..)| *tensor != factor.tensor) {
            wrong.push((factor.tensor.clone(), needed, factor.shape.clone()));
        }
    }
    if wrong.len() > count || a.shape.last() != Some(&columns) {
        return None;
    }
    let from = from.unwrap_or(0) * rank;
    let length = dims.iter().rev().skip(1).product::<usize>() * rank;
    let b = b.values.get(from..from + length)?.to_vec();
    Some(Update { param: name.into(), dims: dims.to_vec(), rank, a: a.values.clone(), b })
}

/// Returns what the pairs of single experts add to the parameter of all experts. Smaller ranks are padded with zeros.
fn of_experts(
    pairs: &[Option<&Pair>],
    name: &str,
    dims: &[usize],
    wrong: &mut Vec<WrongShape>,
) -> Option<Update> {
    let &[_, rows, columns] = dims else { return None };
    let each: Vec<Option<Update>> =
        pairs.iter().map(|pair| of_rows((*pair)?, name, &[rows, columns], None, wrong)).collect();
    let rank = each.iter().flatten().map(|update| update.rank).max()?;
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for update in each {
        let update = update.unwrap_or_else(|| Update {
            param: name.into(),
            dims: vec![rows, columns],
            rank: 0,
            a: Vec::new(),
            b: Vec::new(),
        });
        let missing = rank - update.rank;
        a.extend(update.a.iter().copied().chain(std::iter::repeat_n(0.0, missing * columns)));
        for row in 0..rows {
            b.extend_from_slice(&update.b[row * update.rank..][..update.rank]);
            b.extend(std::iter::repeat_n(0.0, missing));
        }
    }
    Some(Update { param: name.into(), dims: dims.to_vec(), rank, a, b })
}

impl Update {
    /// Adds up updates of one parameter by concatenating their ranks.
    fn joined(mut parts: Vec<Update>) -> Option<Update> {
        if parts.len() < 2 {
            return parts.pop();
        }
        let first = parts.first()?;
        let (&[ref lead @ .., rows, columns], rank) =
            (&first.dims[..], parts.iter().map(|part| part.rank).sum())
        else {
            return None;
        };
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for expert in 0..lead.iter().product() {
            for part in &parts {
                let length = part.rank * columns;
                a.extend_from_slice(&part.a[expert * length..][..length]);
            }
            for row in 0..rows {
                for part in &parts {
                    b.extend_from_slice(&part.b[(expert * rows + row) * part.rank..][..part.rank]);
                }
            }
        }
        Some(Update { param: first.param.clone(), dims: first.dims.clone(), rank, a, b })
    }

    /// Returns the names and values of the graph's parameters for A and B.
    pub(crate) fn parameters(&self) -> [(String, &[f32]); 2] {
        let [a, b] = low_rank_names(&self.param);
        [(a, &self.a), (b, &self.b)]
    }

    /// Returns a checksum of all updates, or an empty string if there are none.
    pub(crate) fn checksum(updates: &[Update]) -> String {
        let mut crc = crc32fast::Hasher::new();
        for (name, values) in updates.iter().flat_map(Update::parameters) {
            crc.update(name.as_bytes());
            crc.update(bytemuck::cast_slice(values));
        }
        if updates.is_empty() { String::new() } else { format!("{:08x}", crc.finalize()) }
    }

    /// Returns how many bytes the update takes.
    pub(crate) fn bytes(&self) -> u64 {
        4 * (self.a.len() + self.b.len()) as u64
    }
}
