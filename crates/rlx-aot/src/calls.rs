//! Writes the body of the emitted function: calls on slices of memory, and the control flow around them.
//!
//! The slices of one array that a call reads and writes are borrowed together, so that the Rust compiler checks that
//! they do not overlap and need not trust the plan.

use crate::kernels::Kernels;
use crate::places::{ArrayPlace, Memory, Root};
use crate::planning::stored;
use crate::print::{Argument, array, own_array};
use crate::shares::shared;
use crate::sizes::RunSizes;
use crate::steps::{Action, Emitted, Passed, Routine, Typed};
use rlx_codegen::print::rust::element_of_bytes;
use rlx_compile::program::Copied;
use rlx_ir::{DType, Dim};
use std::collections::BTreeMap;
use std::fmt::{Display, Write};

/// Where a place begins: its array, and the loops that move it. Two places with the same start are the same place,
/// however their sizes are written.
type Start<'a> = (usize, &'a [(usize, Dim)]);

fn start(Typed { place, .. }: &Typed) -> Start<'_> {
    (place.at, &place.moves)
}

fn key(value: &Typed) -> (Root, DType, Start<'_>) {
    (value.place.root, value.dtype, start(value))
}

/// The text written so far.
pub(crate) struct Body<'p> {
    memory: &'p Memory,
    own: &'p Memory,
    kernels: &'p Kernels,
    sizes: &'p RunSizes,
    inputs: &'p [Argument],
    outputs: &'p [Argument],
    out: String,
    indent: usize,
}

impl<'p> Body<'p> {
    /// Returns the actions of a program as Rust text.
    pub(crate) fn text(
        routine: &'p Routine,
        [memory, own]: [&'p Memory; 2],
        sizes: &'p RunSizes,
        [inputs, outputs]: &'p [Vec<Argument>; 2],
    ) -> String {
        let (kernels, out) = (&routine.kernels, String::new());
        let mut body = Body { memory, own, kernels, sizes, inputs, outputs, out, indent: 1 };
        body.actions(&routine.actions);
        body.out
    }

    fn line(&mut self, text: impl Display) {
        // INVARIANT: writing to a String does not fail.
        let _ = writeln!(self.out, "{:1$}{text}", "", 4 * self.indent);
    }

    fn actions(&mut self, actions: &[Action]) {
        actions.iter().for_each(|action| self.action(action));
    }

    /// Writes actions inside the braces that the last line opened.
    fn inside(&mut self, actions: &[Action]) {
        self.indent += 1;
        self.actions(actions);
        self.indent -= 1;
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Call(Emitted::Whole { function, arguments }) => {
                let (function, known) = (&self.kernels.functions[*function], self.sizes);
                let passed = function.sizes.iter().map(|size| known.text(&Dim::Dynamic(size.clone())));
                let sizes: Vec<String> = passed.collect();
                self.on_slices(arguments, |slices| {
                    format!("self::{}({});", function.name, [slices, &sizes].concat().join(", "))
                });
            }
            Action::Call(Emitted::Shared { function, arguments, pieces }) => {
                let (function, sizes) = (&self.kernels.functions[*function], self.sizes);
                self.on_slices(arguments, |slices| shared(function, (arguments, slices), pieces, sizes));
            }
            Action::Copy(Copied { from, to, .. }) => self.copy(from, to),
            Action::If { condition, then, otherwise } => {
                let condition = self.scalar(condition);
                self.line(format_args!("if {condition} {{"));
                self.inside(then);
                self.line("} else {");
                self.inside(otherwise);
                self.line("}");
            }
            Action::Case { index, branches } => {
                let index = self.scalar(index);
                self.line(format_args!("match {index} {{"));
                self.indent += 1;
                for (number, branch) in branches.iter().enumerate() {
                    match number + 1 == branches.len() {
                        true => self.line("_ => {"),
                        false => self.line(format_args!("{number} => {{")),
                    }
                    self.inside(branch);
                    self.line("}");
                }
                self.indent -= 1;
                self.line("}");
            }
            Action::While { condition, again, body, .. } => {
                self.line("loop {");
                self.inside(condition);
                let again = self.scalar(again);
                self.line(format_args!("    if !{again} {{ break; }}"));
                self.inside(body);
                self.line("}");
            }
            Action::For { index, length, reverse, body, .. } => {
                let length = match length.as_static() {
                    Some(length) => format!("{length}usize"),
                    None => self.sizes.text(length),
                };
                match reverse {
                    false => self.line(format_args!("for t{index} in 0..{length} {{")),
                    true => self.line(format_args!("for t{index} in (0..{length}).rev() {{")),
                }
                self.inside(body);
                self.line("}");
            }
        }
    }

    fn copy(&mut self, from: &Typed, to: &Typed) {
        let packed = from.place.root == Root::Weights;
        let element = element_of_bytes(to.dtype, "(*from)");
        let arguments = [
            Passed { value: from.clone(), is_written: false },
            Passed { value: to.clone(), is_written: true },
        ];
        self.on_slices(&arguments, |slices| match packed {
            true => format!(
                "for (to, from) in {}.iter_mut().zip({}) {{ *to = {element}; }}",
                slices[1], slices[0]
            ),
            false => format!("{}.copy_from_slice({});", slices[1], slices[0]),
        });
    }

    /// Writes a statement that works on slices. `statement` receives the text of each slice. All slices of one array are borrowed at once.
    fn on_slices(&mut self, arguments: &[Passed], statement: impl FnOnce(&[String]) -> String) {
        let mut arrays: BTreeMap<String, BTreeMap<Start<'_>, (&Typed, bool)>> = BTreeMap::new();
        for Passed { value, is_written } in arguments {
            if let (Root::Memory | Root::Own | Root::Output(_), 1..) = (value.place.root, value.place.bytes) {
                let of_array = arrays.entry(self.array(value)).or_default();
                of_array.entry(start(value)).or_insert((value, false)).1 |= is_written;
            }
        }
        let mut borrowed: BTreeMap<(Root, DType, Start<'_>), String> = BTreeMap::new();
        let mut lines = Vec::new();
        for (array, places) in &arrays {
            let first = borrowed.len();
            let names: Vec<String> = (first..first + places.len()).map(|n| format!("a{n}")).collect();
            let ranges: Vec<String> = places.values().map(|(place, _)| self.range(place)).collect();
            if places.len() == 1 || places.values().all(|(_, written)| !written) {
                for ((name, range), (_, written)) in names.iter().zip(&ranges).zip(places.values()) {
                    let mutable = if *written { "mut " } else { "" };
                    lines.push(format!("let {name} = &{mutable}{array}[{range}];"));
                }
            } else {
                let (names, ranges) = (names.join(", "), ranges.join(", "));
                lines.push(format!(
                    "let Ok([{names}]) = {array}.get_disjoint_mut([{ranges}]) else {{ unreachable!() }};"
                ));
            }
            borrowed.extend(places.values().map(|(value, _)| key(value)).zip(names));
        }
        let slices: Vec<String> = arguments
            .iter()
            .map(|Passed { value, is_written }| {
                // An empty value shares its place with whatever begins there, so it is not borrowed from the array.
                let name = borrowed.get(&key(value)).filter(|_| value.place.bytes > 0);
                name.cloned().unwrap_or_else(|| self.slice(value, *is_written))
            })
            .collect();
        self.line("{");
        self.indent += 1;
        lines.iter().for_each(|line| self.line(line));
        statement(&slices).lines().for_each(|line| self.line(line));
        self.indent -= 1;
        self.line("}");
    }

    /// Returns the array that a place is part of.
    fn array(&self, value: &Typed) -> String {
        match value.place.root {
            Root::Input(i) => self.inputs[i].name.clone(),
            Root::Output(i) => self.outputs[i].name.clone(),
            Root::Memory => array(stored(value.dtype).0),
            Root::Own => own_array(stored(value.dtype).0),
            Root::Weights => "weights".into(),
        }
    }

    /// Returns a slice that does not have to be borrowed together with others.
    fn slice(&self, value: &Typed, is_written: bool) -> String {
        let ArrayPlace { root, bytes, .. } = &value.place;
        match root {
            // An empty slice is written as a literal: the crate may have no memory or weights to take it from.
            _ if *bytes == 0 => format!("&{}[]", if is_written { "mut " } else { "" }),
            Root::Weights => {
                let size = value.dtype.size();
                format!("words::<{size}>(weights, {}, {})", self.start(value, size, 1), bytes / size)
            }
            _ => format!("&{}[{}]", self.array(value), self.range(value)),
        }
    }

    /// Returns where a place begins, in units of `unit` bytes; an element takes `of_element` bytes.
    fn start(&self, Typed { place, dtype }: &Typed, of_element: usize, unit: usize) -> String {
        let at = match place.root {
            Root::Memory => self.memory.element(stored(*dtype).0, place.at),
            Root::Own => self.own.element(stored(*dtype).0, place.at),
            _ => place.at / unit,
        };
        let moves = place.moves.iter().map(|(variable, elements)| {
            let units = elements * &Dim::Static(of_element / unit);
            format!(" + t{variable} * {}", self.sizes.text(&units))
        });
        format!("{at}{}", moves.collect::<String>())
    }

    fn range(&self, value: &Typed) -> String {
        let size = value.dtype.size();
        let (start, elements) = (self.start(value, size, size), &value.place.elements);
        if value.place.root == Root::Own {
            // The parts of all threads follow one another. Each has the maximum number of elements, so that there is one for every thread.
            let most = value.place.bytes / size;
            return format!("{start} * threads..({start} + {most}) * threads");
        }
        match (start.parse::<usize>(), elements.as_static()) {
            (Ok(start), Some(count)) => format!("{start}..{}", start + count),
            _ => format!("{start}..{start} + {}", self.sizes.text(elements)),
        }
    }

    /// Returns the only element of a place.
    fn scalar(&self, value: &Typed) -> String {
        match value.place.root {
            Root::Weights => element_of_bytes(value.dtype, &format!("{}[0]", self.slice(value, false))),
            _ => format!(
                "{}[{}]",
                self.array(value),
                self.start(value, value.dtype.size(), value.dtype.size())
            ),
        }
    }
}
