//! The prepack stage: makes every packed form that the kernels of a program want, each once, on all threads.
//!
//! A kernel lists its [`Packing`](super::packing::Packing)s. Each takes operands that keep their values, and
//! has a key that identifies the form. Kernels in the bodies of loops are treated like all others; what a branch wants packed of parameters is
//! not, because a run may never take it. The stage runs at load (`Executable::prepack`), and a run does what is left. Each thread
//! makes one packing at a time. A packing that exceeds a thread's share is split by its kernel. Packed blocks are
//! stored together in huge pages (`SharedPages`), which are faster to allocate, and faster to read for a decoder of small
//! matrices.
//!
//! If a packing `replaces` its operands, runs read only the packing. If no prepared program of any size reads
//! a parameter otherwise, its owner is notified (`ParamBytes::release`). A kernel that looks up a
//! few places of an operand (`looks_up`: rows of a table) does not count as a reader. It fetches those places again, and every few
//! places it releases the memory that came with them (`LaunchContext::release`), because a system may bring in a 2 MiB page
//! for each. The bytes always stay readable. Only the pages of mapped files leave memory, since they can be read
//! again from the file. Parameters in the process's own memory stay, because there is no other copy.
//!
//! A packing that `can_wait` is made by the second run with its values, not the first. In the first run, its
//! kernel packs a few panels at a time into scratch memory, multiplies them while they are in the cache, and
//! computes the same bits. So no packing is written before the first token (fresh memory costs as much as packing),
//! and operands of a program that runs once are never packed. Weights in blocks wait, and so do 16-bit weights, unless the matrix unit
//! only takes the product in one of the two forms. `cargo run --release -p rlx-llm --example start -- MODEL`
//! demonstrates this.

use super::packing::{Packed, Packer};
use super::params::{Form, Params};
use super::program::CpuProgram;
use rlx_compile::{Param, Storage};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

/// The result of the prepack stage for a program.
pub(crate) struct Prepacked {
    /// For each call, its packed operands, by the index of the packing.
    pub(super) calls: Vec<Vec<Option<Packed>>>,
    /// The parameters that are read in a packed form, except for a few places.
    pub(super) replaced: HashSet<usize>,
    /// Whether everything is packed.
    pub(super) is_whole: bool,
}

/// A form to be made.
struct Job<'a> {
    call: usize,
    index: usize,
    form: Form,
    operands: Vec<&'a [u8]>,
    /// The parameters among the operands that nothing reads after they are packed.
    replaced: Vec<&'a Param>,
}

impl Job<'_> {
    fn bytes(&self) -> usize {
        self.operands.iter().map(|bytes| bytes.len()).sum()
    }

    fn make(&self, program: &CpuProgram, packer: &Packer<'_>) {
        self.form.get_or_init(|| {
            let packed = program.pack(self.call, self.index, &self.operands, packer)?;
            // Released immediately, so that only the part of a mapped file that is being packed is in memory.
            self.replaced.iter().for_each(|param| param.release());
            Some(packed)
        });
    }
}

impl Params {
    /// Makes the packings that the kernels of the program want of constants and of the parameters that are set. Forms that another program
    /// or instance has packed are reused. With `is_first`, packings that can wait are left for later.
    pub(super) fn prepack(&self, program: &CpuProgram, packer: &Packer<'_>, is_first: bool) -> Prepacked {
        let (mut jobs, mut seen, mut is_whole) = (Vec::new(), HashSet::new(), true);
        let mut forms = self.forms();
        let packings = program.packings();
        let in_place = program.read_in_place(&packings);
        forms.read_in_place.extend(in_place.into_iter().filter(|&s| self.param(s).is_some()));
        let found = packings.iter().enumerate().map(|(call, packings)| {
            let list = packings.iter().enumerate().map(|(index, packing)| {
                let sources = program.sources(call, packing)?;
                let operands = sources.iter().map(|&source| self.bytes(program, source));
                let operands: Vec<&[u8]> = operands.collect::<Option<_>>()?;
                let form = forms.form(&sources, packing.key);
                if form.get().is_none() && is_first && program.can_wait(call, index) {
                    is_whole = false;
                } else if form.get().is_none() && seen.insert(Arc::as_ptr(&form)) {
                    let replaced = sources.iter().filter(|source| !forms.read_in_place.contains(source));
                    let replaced = replaced.filter_map(|&source| self.param(source)).collect();
                    jobs.push(Job { call, index, form: form.clone(), operands, replaced });
                }
                Some(form)
            });
            list.collect::<Vec<Option<Form>>>()
        });
        let found: Vec<_> = found.collect();
        drop(forms);
        // Packings that would exceed the limit are left out: kernels run without them.
        let mut left = program.left;
        jobs.retain(|job| {
            let rest = left.checked_sub(job.bytes() as u64);
            left = rest.unwrap_or(left);
            rest.is_some()
        });
        // Bytes that an earlier run has read in place leave memory, and come back one form at a time. Otherwise all of them would be in
        // memory together with their packed forms.
        if !is_first && self.has_run() {
            jobs.iter().flat_map(|job| &job.replaced).for_each(|param| param.release());
        }
        // A packing that exceeds one thread's share is split by its kernel. Each of the others is made by one thread.
        let share = jobs.iter().map(Job::bytes).sum::<usize>() / packer.pool.threads();
        // The largest come first, so that threads finish at about the same time.
        jobs.sort_by_key(|job| Reverse(job.bytes()));
        let (large, small): (Vec<Job<'_>>, Vec<Job<'_>>) =
            jobs.into_iter().partition(|job| packer.pool.threads() > 1 && job.bytes() > share);
        large.iter().for_each(|job| job.make(program, packer));
        packer.pool.run(small.len(), |task| small[task.index].make(program, packer));
        let made = |form: Option<Form>| form.and_then(|form| form.get().cloned().flatten());
        let calls = found.into_iter().map(|list| list.into_iter().map(made).collect()).collect();
        Prepacked { calls, replaced: self.forms().replaced(), is_whole }
    }

    fn param(&self, source: Storage) -> Option<&Param> {
        let Storage::Param(index) = source else { return None };
        self.get(index)
    }

    /// Returns the bytes of a value that is the same in each run.
    fn bytes<'a>(&'a self, program: &'a CpuProgram, source: Storage) -> Option<&'a [u8]> {
        self.param(source).map(Param::bytes).or_else(|| program.constant(source))
    }
}
