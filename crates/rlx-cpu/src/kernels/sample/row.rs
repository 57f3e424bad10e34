//! The candidates for the next token of one text, and what each filter leaves of them.
//!
//! They correspond to `rlx_ir::Candidates`, without most of those that are ruled out: until a filter sorts them, they are all tokens in
//! order, and after that a list of the leading ones.

use super::largest::{Search, largest, maximum, place};
use super::nucleus::{kept, nucleus};
use crate::isa::Cpu;
use crate::norm::{RowKind, Rows};
use crate::vector::Function;
use rlx_ir::LogitFilter;

/// Memory for one number per token, and for shares and surprises if a filter needs them.
pub(super) struct Memory<'m> {
    pub(super) logits: &'m mut [f32],
    pub(super) ids: &'m mut [u32],
    pub(super) shares: &'m mut [f32],
    pub(super) ranks: &'m mut [f32],
    pub(super) search: Search<'m>,
}

/// What filters read.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    /// The logits of all tokens.
    pub(super) logits: &'a [f32],
    pub(super) counts: &'a [f32],
    pub(super) bias: &'a [f32],
}

/// The candidates.
pub(super) struct RowCandidates<'a, 'm> {
    cpu: Cpu,
    given: Given<'a>,
    memory: Memory<'m>,
    /// Whether the logits are still the given ones.
    as_given: bool,
    /// Whether the tokens are listed. Otherwise the index of a candidate is its token.
    listed: bool,
    /// Whether the largest logit comes first.
    sorted: bool,
    /// Number of candidates, including those that are ruled out.
    count: usize,
    /// Number of leading candidates; all after them are ruled out.
    len: usize,
    /// The first token.
    first: u32,
}

impl<'a, 'm> RowCandidates<'a, 'm> {
    /// Starts with all tokens.
    pub(super) fn new(cpu: Cpu, given: Given<'a>, memory: Memory<'m>) -> Self {
        let len = given.logits.len();
        RowCandidates {
            cpu,
            given,
            memory,
            as_given: true,
            listed: false,
            sorted: false,
            count: len,
            len,
            first: 0,
        }
    }

    /// Returns the logits of the leading candidates.
    pub(super) fn logits(&self) -> &[f32] {
        let logits = current(self.as_given, self.given, self.memory.logits);
        &logits[..self.len]
    }

    /// Returns the token at an index.
    pub(super) fn token(&self, place: usize) -> u32 {
        match self.listed {
            _ if self.len == 0 => self.first,
            true => self.memory.ids[place],
            false => place as u32,
        }
    }

    /// Applies a filter to the candidates.
    pub(super) fn filter(&mut self, filter: LogitFilter) {
        let Given { counts, bias, .. } = self.given;
        match filter {
            LogitFilter::Bias => self.each(bias, |x, bias| x + bias),
            LogitFilter::Repetition(penalty) => {
                let penalty = penalty as f32;
                let repeated = |x: f32| if x > 0.0 { x / penalty } else { x * penalty };
                self.each(counts, |x, count| if count > 0.0 { repeated(x) } else { x });
            }
            LogitFilter::Frequency(penalty) => {
                let penalty = penalty as f32;
                self.each(counts, |x, count| x - count * penalty);
            }
            LogitFilter::Presence(penalty) => {
                let penalty = penalty as f32;
                self.each(counts, |x, count| if count > 0.0 { x - penalty } else { x });
            }
            LogitFilter::TopK(k) => self.top_k(k),
            LogitFilter::Typical(p) => self.typical(p),
            LogitFilter::TopP(p) => self.top_p(p),
            LogitFilter::MinP(share) => self.min_p(share),
            LogitFilter::Temperature(temperature) => {
                let temperature = temperature as f32;
                self.changed().iter_mut().for_each(|x| *x /= temperature);
            }
        }
    }

    /// Returns the logits of the leading candidates for modification.
    fn changed(&mut self) -> &mut [f32] {
        let logits = &mut self.memory.logits[..self.len];
        if self.as_given {
            logits.copy_from_slice(&self.given.logits[..self.len]);
            self.as_given = false;
        }
        logits
    }

    /// Replaces each logit by a function of it and of its token's value.
    fn each(&mut self, values: &[f32], f: impl Fn(f32, f32) -> f32) {
        self.sorted = false;
        let logits = &mut self.memory.logits[..self.len];
        if self.listed {
            let values = self.memory.ids.iter().map(|&id| values[id as usize]);
            logits.iter_mut().zip(values).for_each(|(x, value)| *x = f(*x, value));
        } else if self.as_given {
            let given = self.given.logits.iter().zip(values);
            logits.iter_mut().zip(given).for_each(|(to, (x, value))| *to = f(*x, *value));
            self.as_given = false;
        } else {
            logits.iter_mut().zip(values).for_each(|(x, value)| *x = f(*x, *value));
        }
    }

    /// Lists the first `len` candidates that the search found, in its order.
    fn list(&mut self, len: usize) {
        let logits = current(self.as_given, self.given, self.memory.logits);
        let (ids, words) = (&mut *self.memory.ids, &mut self.memory.search.words[..len]);
        for word in words.iter_mut() {
            let place = place(*word);
            let id = if self.listed { ids[place] } else { place as u32 };
            *word = u64::from(logits[place].to_bits()) << 32 | u64::from(id);
        }
        for ((word, logit), id) in words.iter().zip(&mut *self.memory.logits).zip(ids) {
            (*logit, *id) = (f32::from_bits((word >> 32) as u32), *word as u32);
        }
        (self.len, self.listed, self.as_given) = (len, true, false);
    }

    fn top_k(&mut self, k: usize) {
        let k = k.min(self.count);
        if self.sorted {
            self.len = self.len.min(k);
        } else {
            let logits = current(self.as_given, self.given, self.memory.logits);
            let found = largest(self.cpu, &logits[..self.len], k, &mut self.memory.search);
            let (first, found) = (found.first().map(|&word| place(word)), found.len());
            self.first = first.map_or(self.first, |place| self.token(place));
            self.list(found);
        }
        (self.count, self.sorted) = (k, true);
    }

    fn top_p(&mut self, p: f64) {
        let (cpu, len) = (self.cpu, self.len);
        let logits = current(self.as_given, self.given, self.memory.logits);
        let shares = &mut self.memory.shares[..len];
        normalized(cpu, RowKind::Softmax, &logits[..len], shares);
        if self.sorted {
            self.len = kept(shares.iter().copied(), p);
            return;
        }
        let [found, kept] = nucleus(cpu, &logits[..len], shares, p, &mut self.memory.search);
        self.list_nucleus(found, kept);
        self.sorted = true;
    }

    fn typical(&mut self, p: f64) {
        let (cpu, len) = (self.cpu, self.len);
        let logits = current(self.as_given, self.given, self.memory.logits);
        let (shares, ranks) = (&mut self.memory.shares[..len], &mut self.memory.ranks[..len]);
        normalized(cpu, RowKind::LogSoftmax, &logits[..len], ranks);
        shares.copy_from_slice(ranks);
        Function::Exp.apply_f32_in_place(cpu, shares);
        let of_one = |(share, log): (&f32, &f32)| if *share > 0.0 { share * log } else { 0.0 };
        let entropy = -shares.iter().zip(&*ranks).map(|pair| f64::from(of_one(pair))).sum::<f64>() as f32;
        for (share, rank) in shares.iter().zip(&mut *ranks) {
            *rank = if *share > 0.0 { -(-*rank - entropy).abs() } else { f32::NEG_INFINITY };
        }
        let [found, kept] = nucleus(cpu, ranks, shares, p, &mut self.memory.search);
        self.list_nucleus(found, kept);
        self.sorted = false;
    }

    /// Lists those of the found candidates that are kept.
    fn list_nucleus(&mut self, found: usize, kept: usize) {
        if found > 0 {
            self.first = self.token(place(self.memory.search.words[0]));
        }
        self.list(kept);
    }

    fn min_p(&mut self, share: f64) {
        let least = maximum(self.cpu, self.logits()) + share.ln() as f32;
        self.changed().iter_mut().for_each(|x| *x = if *x >= least { *x } else { f32::NEG_INFINITY });
    }
}

/// Returns the current logits at all indices.
fn current<'l>(as_given: bool, given: Given<'l>, changed: &'l [f32]) -> &'l [f32] {
    if as_given { given.logits } else { changed }
}

/// Computes the softmax of a row, or its logarithm.
fn normalized(cpu: Cpu, kind: RowKind, x: &[f32], y: &mut [f32]) {
    let none = std::ptr::null();
    let (x, y, len) = (x.as_ptr(), y.as_mut_ptr(), x.len());
    // SAFETY: one row of that many elements, which overlaps nothing.
    unsafe { Rows { kind, len, rows: 1, x, residual: none, gamma: none, beta: none, y }.run(cpu) };
}
