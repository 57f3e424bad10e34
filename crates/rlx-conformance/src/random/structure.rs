//! Random nodes that move, combine or order elements.

use super::elementwise::predicate;
use super::state::{Facts, RandomValue, State};
use rlx_ir::{
    ArgOp, BinaryOp, Builder, Class, Combiner, DType, Dim, DotDims, GatherDims, Op, ReduceOp, Shape,
    SortOrder, SubGraph, UnaryOp, WindowSpec,
};

/// Adds one structural node.
pub(super) fn add(s: &mut State) -> Option<()> {
    match s.stream.below(24) {
        0 | 1 => reshape(s),
        2 | 3 => transpose(s),
        4 | 5 => broadcast(s),
        6 | 7 => slice(s),
        8 => pad(s),
        9 => concatenate(s),
        10 => reverse(s),
        11 => dynamic(s),
        12..15 => dot(s),
        15..18 => reduce(s),
        18 => cumulative(s),
        19 => indexing(s),
        20 => order(s),
        21 => window(s),
        22 => control(s),
        _ => iota(s),
    }
}

fn statics(dims: &[usize]) -> Vec<Dim> {
    dims.iter().map(|&n| Dim::Static(n)).collect()
}

/// Moves `x`; the result has its interval and grid.
fn moved(s: &mut State, op: Op, x: &RandomValue, others: &[&RandomValue]) -> Option<()> {
    let operands: Vec<&RandomValue> = std::iter::once(x).chain(others.iter().copied()).collect();
    s.apply(op, &operands, x.facts.range, x.facts.grid).map(|_| ())
}

fn reshape(s: &mut State) -> Option<()> {
    let x = s.choose(|_| true)?;
    let mut dims = x.dims.clone();
    match s.stream.below(3) {
        0 if dims.len() < 5 => {
            let at = s.stream.below(dims.len() + 1);
            dims.insert(at, 1);
        }
        1 if dims.len() >= 2 => {
            let at = s.stream.below(dims.len() - 1);
            let merged = dims[at] * dims.remove(at + 1);
            dims[at] = merged;
        }
        _ => {
            // Splits an axis by a divisor.
            let at = s.stream.below(dims.len().max(1));
            let n = *dims.get(at)?;
            let divisors: Vec<usize> = (1..=n.max(1)).filter(|d| n % d == 0).collect();
            let d = *s.stream.pick(&divisors);
            dims.splice(at..=at, [d, n / d]);
        }
    }
    moved(s, Op::Reshape { dims: statics(&dims) }, &x, &[])
}

fn transpose(s: &mut State) -> Option<()> {
    let x = s.choose(|v| v.rank() >= 2)?;
    let perm = s.stream.permutation(x.rank());
    moved(s, Op::Transpose { perm }, &x, &[])
}

fn broadcast(s: &mut State) -> Option<()> {
    let x = s.choose(|v| v.rank() <= 3)?;
    let mut dims = x.dims.clone();
    let mut axes: Vec<usize> = (0..dims.len()).collect();
    let at = s.stream.below(dims.len() + 1);
    let size = 1 + s.stream.below(5);
    dims.insert(at, size);
    axes.iter_mut().for_each(|a| *a += usize::from(*a >= at));
    for (i, &axis) in axes.iter().enumerate() {
        if x.dims[i] == 1 && s.stream.one_in(2) {
            dims[axis] = 1 + s.stream.below(5);
        }
    }
    moved(s, Op::BroadcastInDim { dims: statics(&dims), axes }, &x, &[])
}

fn slice(s: &mut State) -> Option<()> {
    let x = s.choose(|v| v.rank() >= 1)?;
    let (mut starts, mut limits, mut strides) = (Vec::new(), Vec::new(), Vec::new());
    for &n in &x.dims {
        let start = if s.stream.one_in(2) { 0 } else { s.stream.below(n + 1) };
        let limit = if s.stream.one_in(2) { n } else { start + s.stream.below(n - start + 1) };
        starts.push(start);
        limits.push(limit);
        strides.push(if s.stream.one_in(4) { 1 + s.stream.below(3) } else { 1 });
    }
    moved(s, Op::Slice { starts: statics(&starts), limits: statics(&limits), strides }, &x, &[])
}

fn pad(s: &mut State) -> Option<()> {
    let x = s.choose(|v| v.rank() >= 1)?;
    let value = partner_scalar(s, x.dtype)?;
    let mut attribute =
        |low: i64, high: i64| -> Vec<i64> { x.dims.iter().map(|_| s.stream.integer(low, high)).collect() };
    let (low, high, interior) = (attribute(-1, 2), attribute(-1, 2), attribute(-3, 2));
    let interior = interior.into_iter().map(|i| i.max(0) as usize).collect();
    let (a, b) = (x.facts, value.facts);
    let range = (a.range.0.min(b.range.0), a.range.1.max(b.range.1));
    let grid = a.grid.zip(b.grid).map(|(x, y)| x.max(y));
    s.apply(Op::Pad { low, high, interior }, &[&x, &value], range, grid).map(|_| ())
}

fn partner_scalar(s: &mut State, dtype: DType) -> Option<RandomValue> {
    if let Some(v) = s.choose(|v| v.dtype == dtype && v.rank() == 0) {
        return Some(v);
    }
    let place = s.add_input(dtype, &[]);
    Some(s.values[place].clone())
}

fn concatenate(s: &mut State) -> Option<()> {
    let a = s.choose(|v| v.rank() >= 1)?;
    let axis = s.stream.below(a.rank());
    let fits = |v: &RandomValue| {
        v.dtype == a.dtype
            && v.rank() == a.rank()
            && (0..a.rank()).all(|d| d == axis || v.dims[d] == a.dims[d])
    };
    let b = s.choose(fits)?;
    let range = (a.facts.range.0.min(b.facts.range.0), a.facts.range.1.max(b.facts.range.1));
    let grid = a.facts.grid.zip(b.facts.grid).map(|(x, y)| x.max(y));
    s.apply(Op::Concatenate { axis }, &[&a, &b], range, grid).map(|_| ())
}

fn reverse(s: &mut State) -> Option<()> {
    let x = s.choose(|v| v.rank() >= 1)?;
    let axes = (0..x.rank()).filter(|_| s.stream.one_in(2)).collect();
    moved(s, Op::Reverse { axes }, &x, &[])
}

/// A slice at an offset that may be out of range.
fn dynamic(s: &mut State) -> Option<()> {
    let x = s.choose(|v| (1..=3).contains(&v.rank()))?;
    let starts: Vec<RandomValue> = (0..x.rank())
        .map(|_| {
            let at = s.stream.integer(-2, 9);
            s.index(at)
        })
        .collect();
    let starts: Vec<&RandomValue> = starts.iter().collect();
    if s.stream.one_in(2) {
        let sizes: Vec<usize> = x.dims.iter().map(|&n| s.stream.below(n + 1)).collect();
        return moved(s, Op::DynamicSlice { sizes: statics(&sizes) }, &x, &starts);
    }
    let fits = |v: &RandomValue| {
        v.dtype == x.dtype && v.rank() == x.rank() && v.dims.iter().zip(&x.dims).all(|(a, b)| a <= b)
    };
    let update = s.choose(fits)?;
    let range = (x.facts.range.0.min(update.facts.range.0), x.facts.range.1.max(update.facts.range.1));
    let grid = x.facts.grid.zip(update.facts.grid).map(|(a, b)| a.max(b));
    let operands: Vec<&RandomValue> = [&x, &update].into_iter().chain(starts).collect();
    s.apply(Op::DynamicUpdateSlice {}, &operands, range, grid).map(|_| ())
}

/// Returns the interval and the grid of Σ xy over `n` terms.
fn sum_of_products(a: &RandomValue, b: &RandomValue, n: usize) -> ((f64, f64), Option<i32>) {
    let most = |v: &RandomValue| v.facts.range.0.abs().max(v.facts.range.1.abs());
    let bound = most(a) * most(b) * n as f64;
    let range = if a.dtype.is_complex() { (0.0, bound) } else { (-bound, bound) };
    (range, a.facts.grid.zip(b.facts.grid).map(|(x, y)| x + y))
}

fn dot(s: &mut State) -> Option<()> {
    let a = s.choose(|v| (1..=3).contains(&v.rank()))?;
    let contract = s.stream.below(a.rank());
    let size = a.dims[contract];
    let found = s.choose(|v| v.dtype == a.dtype && (1..=3).contains(&v.rank()) && v.dims.contains(&size));
    let b = match found {
        Some(b) => b,
        None => {
            let other = 1 + s.stream.below(6);
            let place = s.add_input(a.dtype, &[size, other]);
            s.values[place].clone()
        }
    };
    let axes: Vec<usize> = (0..b.rank()).filter(|&d| b.dims[d] == size).collect();
    let into = *s.stream.pick(&axes);
    // A batch axis, if another pair of axes fits.
    let pairs: Vec<(usize, usize)> = (0..a.rank())
        .flat_map(|i| (0..b.rank()).map(move |j| (i, j)))
        .filter(|&(i, j)| i != contract && j != into && a.dims[i] == b.dims[j])
        .collect();
    let batch =
        if !pairs.is_empty() && s.stream.one_in(2) { vec![*s.stream.pick(&pairs)] } else { Vec::new() };
    let dims = DotDims {
        lhs_batch: batch.iter().map(|p| p.0).collect(),
        rhs_batch: batch.iter().map(|p| p.1).collect(),
        lhs_contract: vec![contract],
        rhs_contract: vec![into],
    };
    let op = Op::DotGeneral { dims, dtype: None };
    let (range, grid) = sum_of_products(&a, &b, size.max(1));
    s.apply(op, &[&a, &b], range, grid).map(|_| ())
}

fn reduce(s: &mut State) -> Option<()> {
    let x = s.choose(|_| true)?;
    let axes: Vec<usize> = (0..x.rank()).filter(|_| s.stream.one_in(2)).collect();
    let n = axes.iter().map(|&a| x.dims[a]).product::<usize>();
    let kinds: &[ReduceOp] = match x.dtype.class() {
        Class::Bool => &[ReduceOp::And, ReduceOp::Or, ReduceOp::Max],
        Class::Complex => &[ReduceOp::Sum],
        Class::Float => &[ReduceOp::Sum, ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min, ReduceOp::Prod],
        _ => &[ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::And, ReduceOp::Or],
    };
    let kind = *s.stream.pick(kinds);
    let (range, grid) = reduced(&x, kind, n)?;
    s.apply(Op::Reduce { kind, axes }, &[&x], range, grid).map(|_| ())
}

/// Returns the interval and the grid of a reduction of `n` elements.
fn reduced(x: &RandomValue, kind: ReduceOp, n: usize) -> Option<((f64, f64), Option<i32>)> {
    let (a, b) = x.facts.range;
    let most = a.abs().max(b.abs());
    let float = x.dtype.is_float() || x.dtype.is_complex();
    match kind {
        ReduceOp::Sum if x.dtype.is_complex() => Some(((0.0, most * n as f64), x.facts.grid)),
        ReduceOp::Sum => Some(((a.min(0.0) * n as f64, b.max(0.0) * n as f64), x.facts.grid)),
        ReduceOp::Prod if float => {
            let bound = most.max(1.0).powi(n as i32);
            (n <= 8 && bound < 1e4).then_some(((-bound, bound), None))
        }
        // Without elements, the result is the identity, which is infinite.
        ReduceOp::Max | ReduceOp::Min => (!float || n > 0)
            .then_some((if float { (a, b) } else { Facts::of_integers(x.dtype).range }, x.facts.grid)),
        _ => Some((Facts::of_integers(x.dtype).range, Some(0))),
    }
}

fn cumulative(s: &mut State) -> Option<()> {
    let x = s.choose(|v| v.rank() >= 1 && v.dtype != DType::Bool && !v.dtype.is_complex())?;
    let axis = s.stream.below(x.rank());
    let n = x.dims[axis];
    let op =
        *s.stream.pick(&[ReduceOp::Sum, ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min, ReduceOp::LogSumExp]);
    let exclusive = s.stream.one_in(4) && op == ReduceOp::Sum;
    let (range, grid) = match op {
        ReduceOp::Sum => reduced(&x, ReduceOp::Sum, n)?,
        ReduceOp::LogSumExp => ((x.facts.range.0, x.facts.range.1 + 8.0), None),
        _ => (x.facts.range, x.facts.grid),
    };
    let reverse = s.stream.one_in(2);
    s.apply(Op::Cumulative { op, axis, exclusive, reverse }, &[&x], range, grid).map(|_| ())
}

/// Whole slices along the leading axis that integer indices read or write.
fn indexing(s: &mut State) -> Option<()> {
    let x = s.choose(|v| (1..=3).contains(&v.rank()) && !v.dims.contains(&0))?;
    let index = match s.choose(|v| v.dtype.is_int() && v.rank() == 1 && v.len() <= 16) {
        Some(index) => index,
        None => {
            let place = s.add_input(DType::I32, &[3]);
            s.values[place].clone()
        }
    };
    if s.stream.one_in(2) {
        let sizes: Vec<usize> = std::iter::once(1).chain(x.dims[1..].iter().copied()).collect();
        let op = Op::Gather { dims: GatherDims::slices(0, 0, x.rank(), 1), slice_sizes: statics(&sizes) };
        return moved(s, op, &x, &[&index]);
    }
    let dims: Vec<usize> = index.dims.iter().chain(&x.dims[1..]).copied().collect();
    let fits = |v: &RandomValue| v.dtype == x.dtype && v.dims == dims;
    let updates = match s.choose(fits) {
        Some(u) => u,
        None => {
            let place = s.add_input(x.dtype, &dims);
            s.values[place].clone()
        }
    };
    let combiner = if x.dtype == DType::Bool || s.stream.one_in(3) {
        Combiner::Set
    } else {
        Combiner::Reduce(ReduceOp::Sum)
    };
    let terms = if combiner == Combiner::Reduce(ReduceOp::Sum) { index.len() as f64 } else { 1.0 };
    let (a, b) = (x.facts.range, updates.facts.range);
    let range = if combiner == Combiner::Reduce(ReduceOp::Sum) && !x.dtype.is_complex() {
        (a.0 + (b.0 * terms).min(0.0), a.1 + (b.1 * terms).max(0.0))
    } else {
        (a.0.min(b.0), a.1.max(b.1) + b.1.max(0.0) * (terms - 1.0))
    };
    let op = Op::Scatter { dims: GatherDims::slices(0, 0, x.rank(), 1).to_scatter(), combiner };
    let grid = x.facts.grid.zip(updates.facts.grid).map(|(x, y)| x.max(y));
    let (lo, hi) = range;
    s.apply(op, &[&x, &index, &updates], (lo.min(a.0), hi.max(a.1)), grid).map(|_| ())
}

fn order(s: &mut State) -> Option<()> {
    let x = s.choose(|v| v.rank() >= 1 && !v.dtype.is_complex())?;
    let axis = s.stream.below(x.rank());
    let order = *s.stream.pick(&[SortOrder::Ascending, SortOrder::Descending]);
    match s.stream.below(3) {
        0 => {
            // Keys move their companion, so that the keys and the order of equal keys must be certain.
            let companion = s.choose(|v| x.certain() && v.dims == x.dims);
            let sort = |keys: usize| Op::Sort { axis, order, num_keys: keys, stable: true };
            match companion {
                Some(c) if s.stream.one_in(2) => {
                    let known = [(x.facts.range, x.facts.grid), (c.facts.range, c.facts.grid)];
                    if !c.certain() {
                        return None;
                    }
                    s.apply_many(sort(1), &[&x, &c], &known).map(|_| ())
                }
                _ => s.apply(sort(1), &[&x], x.facts.range, x.facts.grid).map(|_| ()),
            }
        }
        1 => {
            let last = *x.dims.last()?;
            // Here zeros of both signs have an order.
            if !x.facts.raw && x.dtype.is_float() {
                return None;
            }
            let k = s.stream.below(last + 1);
            let indices = ((0.0, last as f64), Some(0));
            s.apply_many(Op::TopK { k }, &[&x], &[(x.facts.range, x.facts.grid), indices]).map(|_| ())
        }
        _ => {
            if !x.certain() || x.dims[axis] == 0 {
                return None;
            }
            let op = *s.stream.pick(&[ArgOp::Max, ArgOp::Min]);
            let op = Op::ArgReduce { op, axis, dtype: DType::I32 };
            s.apply(op, &[&x], (0.0, x.dims[axis] as f64), Some(0)).map(|_| ())
        }
    }
}

fn window(s: &mut State) -> Option<()> {
    let x = s.choose(|v| (1..=3).contains(&v.rank()) && v.dtype != DType::Bool && !v.dtype.is_complex())?;
    let kind = *s.stream.pick(&[ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min]);
    let rank = x.rank();
    let window: Vec<usize> = (0..rank).map(|_| 1 + s.stream.below(3)).collect();
    let strides = (0..rank).map(|_| 1 + s.stream.below(2)).collect();
    // The padding is smaller than the window, because an empty window has an infinite extreme.
    let mut padding = || -> Vec<i64> { window.iter().map(|&w| s.stream.below(w) as i64).collect() };
    let (low, high) = (padding(), padding());
    let nothing = x.len() == 0 || low.iter().chain(&high).any(|&p| p > 0);
    if nothing && kind != ReduceOp::Sum && x.dtype.is_float() && x.dims.iter().any(|&n| n < 3) {
        return None;
    }
    let (range, grid) = reduced(&x, kind, window.iter().product())?;
    let spec = WindowSpec { strides, low, high, ..WindowSpec::plain(&window) };
    let op = Op::ReduceWindow { kind, spec };
    s.apply(op, &[&x], range, grid).map(|_| ())
}

/// A branch by a scalar predicate, or a loop over the leading axis, of functions that keep intervals.
fn control(s: &mut State) -> Option<()> {
    let x = s.choose(|v| v.dtype.is_float() && v.rank() >= 1)?;
    if s.stream.one_in(2) {
        let pred = predicate(s, &[])?;
        if !x.certain() {
            // Error bounds are not derived through a branch.
            return None;
        }
        let body = |op: UnaryOp| unary_body(op, &x.dims, x.dtype);
        let op = Op::If { then_branch: body(UnaryOp::Neg)?, else_branch: body(UnaryOp::Abs)? };
        let most = x.facts.range.0.abs().max(x.facts.range.1.abs());
        return s.apply(op, &[&pred, &x], (-most, most), x.facts.grid).map(|_| ());
    }
    let (length, rest) = x.dims.split_first()?;
    if *length == 0 || *length > 9 {
        return None;
    }
    let start = partner_of(s, x.dtype, rest)?;
    let body = running_mean(rest, x.dtype)?;
    let reverse = s.stream.one_in(2);
    let op = Op::Scan { body, length: Dim::Static(*length), num_consts: 0, num_carry: 1, reverse };
    let (a, b) = (x.facts.range, start.facts.range);
    let range = (a.0.min(b.0) - 0.1, a.1.max(b.1) + 0.1);
    s.apply_many(op, &[&start, &x], &[(range, None), (range, None)]).map(|_| ())
}

fn partner_of(s: &mut State, dtype: DType, dims: &[usize]) -> Option<RandomValue> {
    if let Some(v) = s.choose(|v| v.dtype == dtype && v.dims == dims) {
        return Some(v);
    }
    let place = s.add_input(dtype, dims);
    Some(s.values[place].clone())
}

fn unary_body(op: UnaryOp, dims: &[usize], dtype: DType) -> Option<SubGraph> {
    let b = Builder::new("branch");
    let x = b.input("x", Shape::new(dims, dtype));
    let y = x.unary(op);
    b.finish(&[&y]).ok().map(SubGraph::new)
}

/// carry ← (carry + x) / 2, and y = carry before the step. Both stay within the interval of the operands.
fn running_mean(dims: &[usize], dtype: DType) -> Option<SubGraph> {
    let b = Builder::new("step");
    let carry = b.input("carry", Shape::new(dims, dtype));
    let x = b.input("x", Shape::new(dims, dtype));
    let next = carry.binary(BinaryOp::Add, &x) * 0.5;
    b.finish(&[&next, &carry]).ok().map(SubGraph::new)
}

fn iota(s: &mut State) -> Option<()> {
    let (dtype, dims) = (s.dtype(), s.dims());
    let axis = s.stream.below(dims.len().max(1));
    let most = *dims.get(axis)? as f64;
    let shape = Shape::new(&dims, dtype);
    s.apply(Op::Iota { shape, axis }, &[], (0.0, most), Some(0)).map(|_| ())
}
