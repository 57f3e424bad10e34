//! Writes programs with sizes that are known only when they run, by merging programs of several fixed sizes.
//!
//! A graph is written at several sizes. Where the programs differ, each number must be an affine function of the sizes, which the merged
//! program computes from the sizes of its inputs; otherwise the graph is refused. No other rule writes programs of open sizes.

use super::value::{Elem, Known, OPEN, Var};
use super::writer::{Arg, Const, Operation, Opset, WrittenBlock};
use rlx_ir::{DType, Literal, Shape};
use std::collections::HashSet;
use std::sync::Arc;

/// The sizes at which a graph was written: the size of each dimension, for each program. In the second program, the first dimension differs
/// from the first program, in the third the second dimension, and so on; in the next program, all differ. Functions found from these must
/// also hold for all programs that follow.
pub(super) struct Probes {
    pub(super) sizes: Vec<Vec<usize>>,
    /// The minimum and the maximum size of each dimension.
    pub(super) bounds: Vec<(usize, usize)>,
}

/// A number that depends on sizes: its value if all sizes are 0, and its increase per unit of each size.
#[derive(Clone, PartialEq, Debug)]
struct Affine {
    rest: i64,
    slopes: Vec<i64>,
}

impl Probes {
    /// Returns the function of the sizes with these values in the programs.
    fn affine(&self, numbers: &[i64]) -> Option<Affine> {
        let (base, count) = (&self.sizes[0], self.sizes[0].len());
        let slope = |i: usize| {
            let step = self.sizes[i + 1][i] as i64 - base[i] as i64;
            let rise = numbers[i + 1] - numbers[0];
            (rise % step == 0).then_some(rise / step)
        };
        let slopes: Vec<i64> = (0..count).map(slope).collect::<Option<_>>()?;
        let part =
            |sizes: &[usize]| slopes.iter().zip(sizes).map(|(slope, &n)| slope * n as i64).sum::<i64>();
        let rest = numbers[0] - part(base);
        let holds = self.sizes.iter().zip(numbers).all(|(sizes, &n)| rest + part(sizes) == n);
        holds.then_some(Affine { rest, slopes })
    }

    /// Returns the functions of the sizes with these lists of values, element by element.
    fn affines(&self, lists: &[Vec<i64>]) -> Option<Vec<Affine>> {
        let len = lists[0].len();
        if lists.iter().any(|list| list.len() != len) {
            return None;
        }
        (0..len).map(|i| self.affine(&lists.iter().map(|list| list[i]).collect::<Vec<i64>>())).collect()
    }
}

/// Arguments that can be computed at run time.
const AT_RUN_TIME: [(&str, &str); 6] = [
    ("reshape", "shape"),
    ("tile", "reps"),
    ("slice_by_index", "begin"),
    ("slice_by_index", "end"),
    ("slice_by_size", "size"),
    ("slice_by_size", "begin"),
];

/// Merges the programs of a graph at several sizes.
pub(super) struct Merging<'a> {
    pub(super) probes: &'a Probes,
    opset: Opset,
    taken: HashSet<Arc<str>>,
    /// The value of each size, as a vector of one element.
    symbols: Vec<Var>,
}

/// The destination of new operations.
struct Out<'m, 'a> {
    merging: &'m mut Merging<'a>,
    operations: Vec<Operation>,
    /// The prefix of new names.
    like: Arc<str>,
}

fn names_of(block: &WrittenBlock, names: &mut HashSet<Arc<str>>) {
    names.extend(block.inputs.iter().chain(&block.outputs).map(|var| var.name.clone()));
    for operation in &block.operations {
        names.insert(operation.name.clone());
        names.extend(operation.outputs.iter().map(|var| var.name.clone()));
        operation.blocks.iter().for_each(|block| names_of(block, names));
    }
}

impl Probes {
    /// Returns the sizes of a value, with those that differ between programs as open. Returns `None` if one could be less than 1.
    fn dims(&self, dims: &[&[usize]]) -> Option<Vec<usize>> {
        let first = dims[0];
        let size = |axis: usize| {
            let sizes: Vec<i64> = dims.iter().map(|dims| dims[axis] as i64).collect();
            if sizes.iter().all(|&n| n == sizes[0]) {
                return Some(first[axis]);
            }
            // A size that is not an affine function is a product of sizes, which is never less than its factors.
            let least = self.affine(&sizes).map_or(1, |of| of.least(&self.bounds));
            (least > 0).then_some(OPEN)
        };
        let are_ranks_equal = dims.iter().all(|dims| dims.len() == first.len());
        if are_ranks_equal { (0..first.len()).map(size).collect() } else { None }
    }

    /// Merges the value of all programs.
    fn merged(&self, vars: &[&Var]) -> Result<Var, String> {
        let first = vars[0];
        if !vars.iter().all(|var| var.elem == first.elem && var.name == first.name) {
            return Err(format!("{}: its type or name depends on the sizes", first.name));
        }
        let dims: Vec<&[usize]> = vars.iter().map(|var| &var.dims[..]).collect();
        let dims = self.dims(&dims);
        let dims = dims.ok_or_else(|| {
            format!("{}: it would have no elements at the smallest sizes; exclude these", first.name)
        })?;
        Ok(Var { dims, ..first.clone() })
    }
}

impl Affine {
    /// Returns its minimum.
    fn least(&self, bounds: &[(usize, usize)]) -> i64 {
        let part = |(slope, &(least, most)): (&i64, &(usize, usize))| {
            slope.saturating_mul(if *slope < 0 { most } else { least } as i64)
        };
        self.slopes.iter().zip(bounds).map(part).fold(self.rest, i64::saturating_add)
    }
}

/// Merges the programs of a graph at several sizes. `vars` are their inputs, and `taken` the names that are in use.
pub(super) fn merge(
    probes: &Probes,
    opset: Opset,
    blocks: &[&WrittenBlock],
    vars: &[&[Var]],
    mut taken: HashSet<Arc<str>>,
) -> Result<(WrittenBlock, Vec<Var>), String> {
    let inputs: Vec<Var> = (0..vars[0].len())
        .map(|i| probes.merged(&vars.iter().map(|vars| &vars[i]).collect::<Vec<_>>()))
        .collect::<Result<_, _>>()?;
    names_of(blocks[0], &mut taken);
    taken.extend(inputs.iter().map(|var| var.name.clone()));
    let mut merging = Merging { probes, opset, taken, symbols: Vec::new() };
    let mut start = Out { merging: &mut merging, operations: Vec::new(), like: "size".into() };
    for symbol in 0..probes.sizes[0].len() {
        let is_it = |i: usize, axis: usize| {
            vars.iter().zip(&probes.sizes).all(|(vars, sizes)| vars[i].dims[axis] == sizes[symbol])
        };
        let place = (0..inputs.len())
            .flat_map(|i| (0..inputs[i].rank()).map(move |axis| (i, axis)))
            .find(|&(i, axis)| inputs[i].dims[axis] == OPEN && is_it(i, axis));
        let (i, axis) = place.ok_or("no input has an axis with just the open size")?;
        let shape = start.op("shape", vec![("x", (&inputs[i]).into())], vec![inputs[i].rank()]);
        let inputs =
            vec![("x", (&shape).into()), ("begin", (&[axis][..]).into()), ("end", (&[axis + 1][..]).into())];
        let size = start.op("slice_by_index", inputs, vec![1]);
        start.merging.symbols.push(size);
    }
    let before = start.operations;
    let mut block = merging.block(blocks)?;
    block.operations.splice(0..0, before);
    Ok((block, inputs))
}

impl Merging<'_> {
    fn block(&mut self, blocks: &[&WrittenBlock]) -> Result<WrittenBlock, String> {
        let first = blocks[0];
        if blocks.iter().any(|block| block.operations.len() != first.operations.len()) {
            return Err("the number of operations depends on the sizes".into());
        }
        let mut operations = Vec::new();
        for i in 0..first.operations.len() {
            let same: Vec<&Operation> = blocks.iter().map(|block| &block.operations[i]).collect();
            operations.extend(self.operation(&same)?);
        }
        let all = |of: fn(&WrittenBlock) -> &Vec<Var>| -> Result<Vec<Var>, String> {
            (0..of(first).len())
                .map(|i| self.probes.merged(&blocks.iter().map(|block| &of(block)[i]).collect::<Vec<_>>()))
                .collect()
        };
        Ok(WrittenBlock {
            inputs: all(|block| &block.inputs)?,
            operations,
            outputs: all(|block| &block.outputs)?,
        })
    }

    /// Merges an operation. Operations that compute its arguments go before it.
    fn operation(&mut self, same: &[&Operation]) -> Result<Vec<Operation>, String> {
        let first = same[0];
        let differs = || format!("`{}` at {}: the operation depends on the sizes", first.kind, first.name);
        let is_same = |other: &&Operation| {
            other.kind == first.kind
                && other.outputs.len() == first.outputs.len()
                && other.inputs.iter().map(|(place, _)| place).eq(first.inputs.iter().map(|(place, _)| place))
                && other.blocks.len() == first.blocks.len()
        };
        if !same.iter().all(is_same) {
            return Err(differs());
        }
        let mut out = Out { merging: self, operations: Vec::new(), like: first.name.clone() };
        if first.kind == "const" {
            let vars: Vec<&Var> = same.iter().map(|operation| &operation.outputs[0]).collect();
            out.constant(&vars)?;
            return Ok(out.operations);
        }
        let mut inputs = Vec::new();
        for (i, (place, arg)) in first.inputs.iter().enumerate() {
            let args: Vec<&Arg> = same.iter().map(|operation| &operation.inputs[i].1).collect();
            let merged = out.argument(first.kind, place, &args);
            inputs.push((
                *place,
                merged.ok_or_else(|| {
                    let _ = arg;
                    format!(
                        "`{}` at {}: programs cannot compute `{place}` at run time",
                        first.kind, first.name
                    )
                })?,
            ));
        }
        let mut operations = out.operations;
        let outputs: Vec<Var> = (0..first.outputs.len())
            .map(|i| {
                self.probes.merged(&same.iter().map(|operation| &operation.outputs[i]).collect::<Vec<_>>())
            })
            .collect::<Result<_, _>>()?;
        let blocks: Vec<WrittenBlock> = (0..first.blocks.len())
            .map(|i| self.block(&same.iter().map(|operation| &operation.blocks[i]).collect::<Vec<_>>()))
            .collect::<Result<_, _>>()?;
        operations.push(Operation { kind: first.kind, name: first.name.clone(), inputs, outputs, blocks });
        Ok(operations)
    }
}

impl Out<'_, '_> {
    fn name(&mut self) -> Arc<str> {
        let mut number = 0;
        loop {
            let name: Arc<str> = format!("{}_size_{number}", self.like).into();
            if self.merging.taken.insert(name.clone()) {
                return name;
            }
            number += 1;
        }
    }

    /// Adds an operation that returns integers.
    fn op(&mut self, kind: &'static str, inputs: Vec<(&'static str, Arg)>, dims: Vec<usize>) -> Var {
        self.typed(kind, inputs, Elem::I32, dims)
    }

    fn typed(
        &mut self,
        kind: &'static str,
        inputs: Vec<(&'static str, Arg)>,
        elem: Elem,
        dims: Vec<usize>,
    ) -> Var {
        let name = self.name();
        let var = Var { name: name.clone(), elem, dims, known: None };
        self.operations.push(Operation {
            kind,
            name,
            inputs,
            outputs: vec![var.clone()],
            blocks: Vec::new(),
        });
        var
    }

    /// Adds a vector of integers.
    fn ints(&mut self, values: &[i64]) -> Option<Var> {
        let values: Vec<i32> = values.iter().map(|&n| i32::try_from(n).ok()).collect::<Option<_>>()?;
        let literal = Literal::new(&[values.len()], &values).ok()?;
        let var = self.op("const", Vec::new(), vec![values.len()]);
        let known = Var { known: Some(Known::Literal(literal)), ..var };
        self.operations.last_mut()?.outputs = vec![known.clone()];
        Some(known)
    }

    fn join(&mut self, kind: &'static str, x: &Var, y: &Var) -> Var {
        self.op(kind, vec![("x", x.into()), ("y", y.into())], vec![1])
    }

    /// Adds a number as a vector of one element.
    fn number(&mut self, of: &Affine) -> Option<Var> {
        let mut sum: Option<Var> = None;
        for (i, &slope) in of.slopes.iter().enumerate().filter(|(_, slope)| **slope != 0) {
            let mut part = self.merging.symbols.get(i)?.clone();
            if slope != 1 {
                let slope = self.ints(&[slope])?;
                part = self.join("mul", &part, &slope);
            }
            sum = Some(match sum {
                Some(sum) => self.join("add", &sum, &part),
                None => part,
            });
        }
        match sum {
            Some(sum) if of.rest != 0 => {
                let rest = self.ints(&[of.rest])?;
                Some(self.join("add", &sum, &rest))
            }
            Some(sum) => Some(sum),
            None => self.ints(&[of.rest]),
        }
    }

    /// Adds numbers as a vector.
    fn vector(&mut self, of: &[Affine]) -> Option<Var> {
        let parts: Vec<Var> = of.iter().map(|number| self.number(number)).collect::<Option<_>>()?;
        if let [only] = &parts[..] {
            return Some(only.clone());
        }
        let inputs = vec![("values", parts[..].into()), ("axis", 0.into()), ("interleave", false.into())];
        Some(self.op("concat", inputs, vec![of.len()]))
    }

    /// Merges an argument of an operation.
    fn argument(&mut self, kind: &str, place: &'static str, args: &[&Arg]) -> Option<Arg> {
        let first = args[0];
        match first {
            Arg::Vars(names) => {
                let is_same = |arg: &&Arg| matches!(arg, Arg::Vars(others) if others == names);
                args.iter().all(is_same).then(|| first.clone())
            }
            Arg::Constant(constant) => {
                if args.iter().all(|arg| matches!(arg, Arg::Constant(other) if other == constant)) {
                    return Some(first.clone());
                }
                let list = |arg: &&Arg| match arg {
                    Arg::Constant(Const::Ints(values)) => Some(values.iter().map(|&n| n.into()).collect()),
                    _ => None,
                };
                let lists: Vec<Vec<i64>> = args.iter().map(list).collect::<Option<_>>()?;
                // In a reshape, a single differing size need not be known, because it can be inferred.
                if kind == "reshape"
                    && let Some(shape) = left_over(&lists)
                {
                    return Some(Arg::from(shape));
                }
                let numbers = self.merging.probes.affines(&lists)?;
                AT_RUN_TIME.contains(&(kind, place)).then_some(())?;
                Some((&self.vector(&numbers)?).into())
            }
        }
    }

    /// Adds a constant, or operations that compute it.
    fn constant(&mut self, vars: &[&Var]) -> Result<(), String> {
        let first = vars[0];
        let keep = |operations: &mut Vec<Operation>| {
            let (name, outputs) = (first.name.clone(), vec![first.clone()]);
            operations.push(Operation {
                kind: "const",
                name,
                inputs: Vec::new(),
                outputs,
                blocks: Vec::new(),
            });
        };
        if vars.iter().all(|var| *var == first) {
            keep(&mut self.operations);
            return Ok(());
        }
        let made =
            self.merging.probes.merged(vars).ok().filter(|_| vars.iter().all(|var| var.name == first.name));
        let made = made.and_then(|var| self.computed(vars, Var { known: None, ..var }));
        made.ok_or_else(|| format!("{}: a constant depends on the sizes", first.name))
    }

    /// Computes a constant that depends on sizes, under the constant's name.
    fn computed(&mut self, vars: &[&Var], result: Var) -> Option<()> {
        let literals: Vec<&Literal> = vars
            .iter()
            .map(|var| if let Some(Known::Literal(literal)) = &var.known { Some(literal) } else { None })
            .collect::<Option<_>>()?;
        let probes = self.merging.probes;
        let sizes: Vec<Vec<i64>> =
            vars.iter().map(|var| var.dims.iter().map(|&n| n as i64).collect()).collect();
        let dims = probes.affines(&sizes);
        let give = |out: &mut Self, kind, inputs| {
            let (name, outputs) = (result.name.clone(), vec![result.clone()]);
            out.operations.push(Operation { kind, name, inputs, outputs, blocks: Vec::new() });
        };
        if result.elem == Elem::I32 {
            let lists: Vec<Vec<i64>> =
                literals.iter().map(|literal| integers(literal)).collect::<Option<_>>()?;
            if !result.dims.contains(&OPEN) {
                let vector = self.vector(&probes.affines(&lists)?)?;
                let shape: Vec<i32> = result.dims.iter().map(|&n| n as i32).collect();
                let (kind, inputs) = match result.rank() {
                    0 => ("squeeze", vec![("x", (&vector).into()), ("axes", (&[0usize][..]).into())]),
                    _ => ("reshape", vec![("x", (&vector).into()), ("shape", shape.into())]),
                };
                give(self, kind, inputs);
                return Some(());
            }
            if let Some(starts) = lists.iter().map(|list| counts_from(list)).collect::<Option<Vec<i64>>>() {
                // Consecutive numbers along the open axis.
                let axis = result.dims.iter().position(|&n| n == OPEN)?;
                let counted = self.counted(&dims?[axis])?;
                let shape: Vec<i32> = (0..result.rank()).map(|i| if i == axis { -1 } else { 1 }).collect();
                if starts.iter().all(|&start| start == 0) {
                    give(self, "reshape", vec![("x", (&counted).into()), ("shape", shape.into())]);
                } else {
                    let start = self.number(&probes.affine(&starts)?)?;
                    let counted = self.reshaped(&counted, &shape);
                    give(self, "add", vec![("x", (&counted).into()), ("y", (&start).into())]);
                }
                return Some(());
            }
        }
        let element = first_of(literals[0])?;
        let are_equal = literals
            .iter()
            .all(|literal| literal.bytes().chunks_exact(element.len()).all(|bytes| bytes == element));
        if are_equal {
            let inputs = self.filling(&dims?, result.elem, element)?;
            give(self, "fill", inputs);
            return Some(());
        }
        // One value on and below the diagonal of a square, another one above it.
        let above = above_diagonal(literals[0])?;
        if !literals.iter().all(|literal| is_triangular(literal, element, above)) {
            return None;
        }
        let dims = dims?;
        let places = self.counted(&dims[0])?;
        let rows = self.reshaped(&places, &[-1, 1]);
        let columns = self.reshaped(&places, &[1, -1]);
        let inputs = vec![("x", (&columns).into()), ("y", (&rows).into())];
        let behind = self.typed("greater", inputs, Elem::Bool, vec![OPEN, OPEN]);
        let mut filled = |element: &[u8]| {
            if self.merging.opset >= Opset::Ios16 {
                let value = self.element(result.elem, element)?;
                let inputs = vec![("ref_tensor", (&behind).into()), ("value", (&value).into())];
                return Some(self.typed("fill_like", inputs, result.elem, vec![OPEN, OPEN]));
            }
            let inputs = self.filling(&dims, result.elem, element)?;
            Some(self.typed("fill", inputs, result.elem, vec![OPEN, OPEN]))
        };
        let (low, high) = (filled(element)?, filled(above)?);
        give(self, "select", vec![("cond", (&behind).into()), ("a", (&high).into()), ("b", (&low).into())]);
        Some(())
    }

    /// Adds 0, 1, 2, … up to but excluding a number.
    fn counted(&mut self, end: &Affine) -> Option<Var> {
        let end = self.number(end)?;
        let inputs = vec![("x", (&end).into()), ("axes", (&[0usize][..]).into())];
        let end = self.op("squeeze", inputs, Vec::new());
        let inputs = vec![("end", (&end).into()), ("start", 0.into()), ("step", 1.into())];
        Some(self.op("range_1d", inputs, vec![OPEN]))
    }

    fn reshaped(&mut self, x: &Var, shape: &[i32]) -> Var {
        let dims = shape.iter().map(|&n| usize::try_from(n).unwrap_or(OPEN)).collect();
        self.op("reshape", vec![("x", x.into()), ("shape", shape.to_vec().into())], dims)
    }

    /// Adds a known number.
    fn element(&mut self, elem: Elem, element: &[u8]) -> Option<Var> {
        let literal = Literal::from_bytes(&Shape::scalar(elem.dtype()), element).ok()?;
        let value = self.typed("const", Vec::new(), elem, Vec::new());
        let value = Var { known: Some(Known::Literal(literal)), ..value };
        self.operations.last_mut()?.outputs = vec![value.clone()];
        Some(value)
    }

    /// Returns the inputs of a fill with an element.
    fn filling(&mut self, dims: &[Affine], elem: Elem, element: &[u8]) -> Option<Vec<(&'static str, Arg)>> {
        let shape = self.vector(dims)?;
        let value = self.element(elem, element)?;
        Some(vec![("shape", (&shape).into()), ("value", (&value).into())])
    }
}

/// Returns the last element of the first row of a square.
fn above_diagonal(literal: &Literal) -> Option<&[u8]> {
    let (size, [rows, columns]) = (literal.dtype().size(), literal.dims()[..].try_into().ok()?);
    let last = (rows == columns && rows > 1).then(|| (columns - 1) * size..columns * size)?;
    literal.bytes().get(last)
}

fn is_triangular(literal: &Literal, low: &[u8], high: &[u8]) -> bool {
    let columns = literal.dims().last().copied().unwrap_or(1);
    let mut elements = literal.bytes().chunks_exact(low.len()).enumerate();
    elements.all(|(i, element)| element == if i % columns > i / columns { high } else { low })
}

/// Returns sizes of which exactly one differs, with that one inferred (−1).
fn left_over(lists: &[Vec<i64>]) -> Option<Vec<i32>> {
    let first = &lists[0];
    if lists.iter().any(|list| list.len() != first.len()) {
        return None;
    }
    let differs = |i: usize| lists.iter().any(|list| list[i] != first[i]);
    let open: Vec<usize> = (0..first.len()).filter(|&i| differs(i)).collect();
    let shape = |i: usize| if open == [i] { Some(-1) } else { i32::try_from(first[i]).ok() };
    (open.len() == 1).then(|| (0..first.len()).map(shape).collect())?
}

/// Returns the first of consecutive numbers.
fn counts_from(list: &[i64]) -> Option<i64> {
    let first = *list.first()?;
    list.iter().copied().eq(first..first + list.len() as i64).then_some(first)
}

fn integers(literal: &Literal) -> Option<Vec<i64>> {
    (literal.dtype() == DType::I32)
        .then(|| literal.bytes().as_chunks().0.iter().map(|x| i32::from_le_bytes(*x).into()).collect())
}

fn first_of(literal: &Literal) -> Option<&[u8]> {
    literal.bytes().get(..literal.dtype().size())
}
