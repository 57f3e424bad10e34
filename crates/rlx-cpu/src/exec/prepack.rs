//! The prepack stage: makes every packed form that the kernels of a program want, each once, on all threads.
//!
//! A kernel names its [`Packing`](super::packing::Packing)s. Each takes operands that keep their values, and
//! has a key that says which form of them it is. The bodies of loops pass the packings of their kernels on as
//! the node's own. The stage runs at load (`Executable::prepack`), and a run does what is left. Each thread
//! makes a packing at a time; one that is more than a thread's share is split by its kernel. Packed blocks are
//! stored together in huge pages (`SharedPages`), which a decoder of small matrices reads faster and gets
//! sooner.
//!
//! A packing that `replaces` its operands is all that runs read of them. If no program of any size that was
//! prepared reads a parameter otherwise, its owner is told (`ParamBytes::release`). A kernel that looks up a
//! few places of an operand (`looks_up`: rows of a table) does not count, because it fetches them again, and
//! releases what came with them every few places (`LaunchContext::release`): a system may bring in a 2 MiB page
//! for each. Bytes stay readable whatever happens. What leaves memory is the pages of mapped files, which come
//! back from the file; parameters in memory of our own stay, as there is nowhere else to read them from.
//!
//! A packing that `can_wait` is made by the second run on its values, not the first. In the first run its
//! kernel packs a few panels at a time into scratch memory, multiplies them while they are in the cache, and
//! gives the same bits. So nothing is written before the first token (fresh memory costs as much as packing),
//! and what runs once is never packed. Weights in blocks wait, and those in 16 bits, unless the matrix unit
//! takes the product in one of the two forms only. `cargo run --release -p rlx-llm --example start -- MODEL`
//! shows it.

use super::packing::{Packed, Packer};
use super::params::{Form, Params};
use super::program::CpuProgram;
use rlx_compile::{Param, Storage};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

/// What the prepack stage leaves to a program.
pub(super) struct Prepacked {
    /// For each step what was packed for it, by the index of the packing.
    pub(super) steps: Vec<Vec<Option<Packed>>>,
    /// The parameters that are read in a packed form, but for a few places.
    pub(super) replaced: HashSet<usize>,
    /// Whether nothing waits to be packed.
    pub(super) is_whole: bool,
}

/// A form that is to be made.
struct Job<'a> {
    step: usize,
    index: usize,
    form: Form,
    operands: Vec<&'a [u8]>,
    /// The parameters among the operands that nothing reads once they are packed.
    replaced: Vec<&'a Param>,
}

impl Job<'_> {
    fn bytes(&self) -> usize {
        self.operands.iter().map(|bytes| bytes.len()).sum()
    }

    fn make(&self, program: &CpuProgram, packer: &Packer<'_>) {
        self.form.get_or_init(|| {
            let packed = program.pack(self.step, self.index, &self.operands, packer)?;
            // At once, so that no more of a mapped file is in memory than what is being packed.
            self.replaced.iter().for_each(|param| param.release());
            Some(packed)
        });
    }
}

impl Params {
    /// What the kernels of the program want packed of parameters that are set and of constants. What another program or instance has
    /// packed is taken from there. With `is_first` what can wait waits.
    pub(super) fn prepack(&self, program: &CpuProgram, packer: &Packer<'_>, is_first: bool) -> Prepacked {
        let (mut jobs, mut seen, mut is_whole) = (Vec::new(), HashSet::new(), true);
        let mut forms = self.forms();
        let packings = program.packings();
        let in_place = program.read_in_place(&packings);
        forms.read_in_place.extend(in_place.into_iter().filter(|&s| self.param(s).is_some()));
        let found = packings.iter().enumerate().map(|(step, packings)| {
            let list = packings.iter().enumerate().map(|(index, packing)| {
                let sources = program.sources(step, packing);
                let operands = sources.iter().map(|&source| self.bytes(program, source));
                let operands: Vec<&[u8]> = operands.collect::<Option<_>>()?;
                let form = forms.form(&sources, packing.key);
                if form.get().is_none() && is_first && program.can_wait(step, index) {
                    is_whole = false;
                } else if form.get().is_none() && seen.insert(Arc::as_ptr(&form)) {
                    let replaced = sources.iter().filter(|source| !forms.read_in_place.contains(source));
                    let replaced = replaced.filter_map(|&source| self.param(source)).collect();
                    jobs.push(Job { step, index, form: form.clone(), operands, replaced });
                }
                Some(form)
            });
            list.collect::<Vec<Option<Form>>>()
        });
        let found: Vec<_> = found.collect();
        drop(forms);
        // Kernels run without what would not be within the limit.
        let mut left = program.left;
        jobs.retain(|job| {
            let rest = left.checked_sub(job.bytes() as u64);
            left = rest.unwrap_or(left);
            rest.is_some()
        });
        // What an earlier run has read where it lies leaves memory, to come back form by form: else both would be there.
        if !is_first && self.has_run() {
            jobs.iter().flat_map(|job| &job.replaced).for_each(|param| param.release());
        }
        // What is more than one thread's share is cut by its kernel, the others go to a thread each.
        let share = jobs.iter().map(Job::bytes).sum::<usize>() / packer.pool.threads();
        // The largest come first, so that threads are done at about the same time.
        jobs.sort_by_key(|job| Reverse(job.bytes()));
        let (large, small): (Vec<Job<'_>>, Vec<Job<'_>>) =
            jobs.into_iter().partition(|job| packer.pool.threads() > 1 && job.bytes() > share);
        large.iter().for_each(|job| job.make(program, packer));
        packer.pool.run(small.len(), |task| small[task.index].make(program, packer));
        let made = |form: Option<Form>| form.and_then(|form| form.get().cloned().flatten());
        let steps = found.into_iter().map(|list| list.into_iter().map(made).collect()).collect();
        Prepacked { steps, replaced: self.forms().replaced(), is_whole }
    }

    fn param(&self, source: Storage) -> Option<&Param> {
        let Storage::Param(index) = source else { return None };
        self.get(index)
    }

    /// The bytes of a value that is the same in each run.
    fn bytes<'a>(&'a self, program: &'a CpuProgram, source: Storage) -> Option<&'a [u8]> {
        self.param(source).map(Param::bytes).or_else(|| program.constant(source))
    }
}
