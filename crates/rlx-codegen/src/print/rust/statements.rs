//! Spells statements in Rust. Index expressions are computed in `isize`, and sizes are passed as `usize`.

use super::Rust;
use crate::print::is_word;
use crate::print::language::{
    Array, BufferPart, Head, Language, LoopHead, MemoryParam, Scalars, Statements, Variable,
};
use rlx_ir::Class;

impl Language for Rust {
    const NAME: &'static str = "Rust";
    const WORDS: &'static str = "abstract as async await become box break const continue crate do dyn else enum \
        extern false final fn for gen if impl in let loop macro match mod move mut override priv pub ref return \
        self Self static struct super trait true try type typeof unsafe unsized use virtual where while yield";
    const ARRAY_BYTES: usize = 4096;
}

impl Statements for Rust {
    fn head(&self, Head { name, memory, sizes }: &Head<'_>) -> String {
        let slice = |MemoryParam { name, buffer, dtype, is_written }: &MemoryParam| {
            let element = match self.packed.contains(buffer) {
                true => format!("[u8; {}]", dtype.size()),
                false => self.stored(*dtype).into(),
            };
            format!("{name}: &{}[{element}]", if *is_written { "mut " } else { "" })
        };
        let sizes_passed = sizes.iter().map(|size| format!("{size}: usize"));
        let arguments: Vec<String> = memory.iter().map(slice).chain(sizes_passed).collect();
        let signed = sizes.iter().map(|size| format!("\n    let {size} = {size} as isize;"));
        // Invalid accesses are behind guards that never hold.
        format!(
            "#[allow(unused, unconditional_panic, arithmetic_overflow, clippy::all)]\npub fn {name}({}) {{{}",
            arguments.join(", "),
            signed.collect::<String>()
        )
    }

    fn define(&self, Variable { name, dtype }: &Variable, value: &str, changes: bool) -> String {
        let mutable = if changes { "mut " } else { "" };
        format!("let {mutable}{name}: {} = {value};", self.scalar(*dtype))
    }

    fn assign(&self, variables: &[Variable], values: &[String]) -> String {
        format!("{} = {};", tuple(names(variables)), tuple(values.iter().map(String::as_str)))
    }

    fn name(&self, symbol: &str, scalar: &str) -> String {
        format!("let {symbol} = {scalar} as isize;")
    }

    fn array(&self, Array { name, dtype, extents, .. }: &Array) -> String {
        let zero = match dtype.class() {
            Class::Bool => "false",
            Class::Complex => "[0.0; 2]",
            Class::Float if self.stored(*dtype) == self.scalar(*dtype) => "0.0",
            Class::Float | Class::Signed | Class::Unsigned => "0",
        };
        let extents = if extents.is_empty() { &[1][..] } else { extents };
        let of = |inner: &str| extents.iter().rfold(inner.to_string(), |of, n| format!("[{of}; {n}]"));
        format!("let mut {name}: {} = {};", of(self.stored(*dtype)), of(zero))
    }

    fn put(&self, place: &str, element: &str, guard: Option<&str>) -> String {
        match guard {
            None => format!("{place} = {element};"),
            Some(guard) => format!("if {guard} {{ {place} = {element}; }}"),
        }
    }

    fn part(&self, BufferPart { name, of, first, length, is_written }: &BufferPart<'_>) -> Option<String> {
        let function = if *is_written { "part_mut" } else { "part" };
        Some(format!("let {name} = rt::{function}({of}, {first}, {length});"))
    }

    fn count(&self, LoopHead { variable, extent, reverse, .. }: &LoopHead<'_>) -> String {
        match reverse {
            false => format!("for {variable} in 0..{extent} {{"),
            true => format!("for {variable} in (0..{extent}).rev() {{"),
        }
    }

    fn at_most(&self, bound: &str) -> String {
        format!("for _ in 0..{bound} {{")
    }

    fn leave_unless(&self, condition: &str) -> String {
        format!("if !{condition} {{ break; }}")
    }

    fn branch(&self, condition: &str, results: &[Variable]) -> String {
        match results {
            [] => format!("if {condition} {{"),
            _ => format!("let {} = if {condition} {{", tuple(names(results))),
        }
    }

    fn give(&self, _: &[Variable], values: &[String]) -> String {
        tuple(values.iter().map(String::as_str))
    }

    fn end_branch(&self, results: &[Variable]) -> String {
        if results.is_empty() { "}" } else { "};" }.into()
    }

    fn number(&self, number: &str) -> String {
        format!("{number}isize")
    }

    fn at(&self, index: &str) -> String {
        if is_word(index) { format!("{index} as usize") } else { format!("({index}) as usize") }
    }

    fn floor_divide(&self, a: &str, b: &str, positive: bool) -> String {
        let operand = |x: &str| if is_word(x) { x.to_string() } else { format!("({x})") };
        match positive {
            true => format!("({} / {})", operand(a), operand(b)),
            false => format!("isize::div_euclid({a}, {b})"),
        }
    }

    fn larger(&self, a: &str, b: &str) -> String {
        format!("isize::max({a}, {b})")
    }
}

fn names(variables: &[Variable]) -> impl Iterator<Item = &str> {
    variables.iter().map(|variable| &variable.name[..])
}

fn tuple<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if let [one] = names[..] { one.into() } else { format!("({})", names.join(", ")) }
}
