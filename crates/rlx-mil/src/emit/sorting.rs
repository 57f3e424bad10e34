//! Writes sorts, `top_k`, and positions of extremes. Programs do not specify the treatment of equal elements and NaN, so the operations
//! here only sort and select among distinct integers.

use super::shaping::dims_of;
use super::value::{Elem, Held, Var};
use super::writer::{Declined, Opset, ProgramWriter, Written};
use rlx_ir::{ArgOp, DType, Shape, SortOrder};

/// Maximum length of an axis whose elements are compared pairwise, and maximum number of comparisons.
const PAIRWISE: (usize, usize) = (128, 1 << 24);

/// Maximum length of an axis for which the square of twice its length fits in 32 bits.
const MOST_SORTED: usize = 23_170;

/// A value with an axis moved to be the last of two.
struct Rows {
    /// `[rows, elements of the axis]`.
    var: Var,
    /// The sizes with the axis moved last.
    turned: Vec<usize>,
    axis: usize,
}

impl Rows {
    fn of(w: &mut ProgramWriter, x: &Held, axis: usize) -> Rows {
        let full = w.full(x);
        let perm: Vec<usize> = (0..full.rank()).filter(|&i| i != axis).chain([axis]).collect();
        let turned = w.transpose(&full, &perm);
        let count = x.dims[axis];
        let rows = turned.dims.iter().product::<usize>() / count;
        Rows { var: w.reshape(&turned, &[rows, count]), turned: turned.dims, axis }
    }

    /// Moves rows that came from these back to their original axes.
    fn back(&self, w: &mut ProgramWriter, x: &Var) -> Held {
        let mut dims = self.turned.clone();
        dims.pop();
        dims.push(x.dims[1]);
        let turned = w.reshape(x, &dims);
        let mut perm: Vec<usize> = (0..dims.len() - 1).collect();
        perm.insert(self.axis, dims.len() - 1);
        Held::whole(w.transpose(&turned, &perm))
    }
}

impl ProgramWriter {
    /// Returns elements of each row, at positions that differ per row.
    fn pick(&mut self, x: &Var, places: &Var) -> Var {
        self.gather_along(x, places, 1)
    }

    /// Returns the positions of the elements of each row in ascending order.
    fn argsort(&mut self, x: &Var) -> Var {
        let inputs = [("x", x.into()), ("axis", 1.into()), ("ascending", true.into())];
        self.op("argsort", inputs, Elem::I32, x.dims.clone())
    }

    /// Returns 0, 1, 2, … in one row.
    pub(super) fn places(&mut self, count: usize) -> Result<Var, Declined> {
        let bytes: Vec<u8> = (0..count as i32).flat_map(i32::to_le_bytes).collect();
        let literal = rlx_ir::Literal::from_bytes(&Shape::new(&[1, count], DType::I32), &bytes);
        self.literal(literal.map_err(|e| Declined(e.to_string()))?)
    }

    /// Counts the true elements in each row.
    fn count(&mut self, x: &Var) -> Var {
        let numbers = self.cast(x, Elem::I32);
        self.reduce("reduce_sum", &numbers, &[1], true)
    }
}

/// Returns keys without NaN in the same order, with NaN after all numbers.
fn keys(w: &mut ProgramWriter, given: &[Var]) -> Vec<Var> {
    let mut keys = Vec::new();
    for key in given {
        match key.elem {
            Elem::Bool | Elem::I8 | Elem::U8 => keys.push(w.cast(key, Elem::I32)),
            Elem::I32 => keys.push(key.clone()),
            Elem::F16 | Elem::F32 => {
                let missing = w.compare("not_equal", key, key);
                let zero = w.scalar(0.0, key.elem);
                keys.push(w.cast(&missing, Elem::I32));
                keys.push(w.choose(&missing, &zero, key));
            }
        }
    }
    keys
}

/// Returns the positions of the elements of each row in the order of keys without NaN. Equal elements keep their order.
fn order(w: &mut ProgramWriter, keys: &[Var], order: SortOrder) -> Result<Var, Declined> {
    let [first, ..] = keys else { return Err("nothing is sorted".into()) };
    let [rows, count] = [first.dims[0], first.dims[1]];
    if count <= PAIRWISE.0 && rows * count * count <= PAIRWISE.1 {
        return pairwise(w, keys, order);
    }
    if count > MOST_SORTED {
        return Err(format!("an axis has {count} elements, at most {MOST_SORTED} can be sorted").into());
    }
    // The ranks of all keys and the positions among equals, combined into one integer.
    let mut total: Option<Var> = None;
    for key in keys {
        let mut rank = rank(w, key);
        if order == SortOrder::Descending {
            let most = w.scalar((count - 1) as f64, Elem::I32);
            rank = w.join("sub", &most, &rank);
        }
        total = Some(match total {
            None => rank,
            Some(total) => {
                let major = w.with("mul", &total, count as f64);
                let both = w.join("add", &major, &rank);
                self::rank(w, &both)
            }
        });
    }
    let total = total.ok_or("nothing is sorted")?;
    let major = w.with("mul", &total, count as f64);
    let places = w.places(count)?;
    let unique = w.join("add", &major, &places);
    Ok(w.argsort(&unique))
}

/// Computes the order from the number of elements that come before each.
fn pairwise(w: &mut ProgramWriter, keys: &[Var], order: SortOrder) -> Result<Var, Declined> {
    let [rows, count] = [keys[0].dims[0], keys[0].dims[1]];
    let places = w.places(count)?;
    let (others, own) = (w.reshape(&places, &[1, 1, count]), w.reshape(&places, &[1, count, 1]));
    let mut before = w.compare("less", &others, &own);
    let comes_first = if order == SortOrder::Ascending { "less" } else { "greater" };
    for key in keys.iter().rev() {
        let (others, own) = (w.reshape(key, &[rows, 1, count]), w.reshape(key, &[rows, count, 1]));
        let equal = w.compare("equal", &others, &own);
        let among = w.compare("logical_and", &equal, &before);
        let first = w.compare(comes_first, &others, &own);
        before = w.compare("logical_or", &first, &among);
    }
    let numbers = w.cast(&before, Elem::I32);
    let rank = w.reduce("reduce_sum", &numbers, &[2], false);
    Ok(w.argsort(&rank))
}

/// For each element, counts the distinct smaller ones in its row.
fn rank(w: &mut ProgramWriter, key: &Var) -> Var {
    let [rows, count] = [key.dims[0], key.dims[1]];
    let order = w.argsort(key);
    let sorted = w.pick(key, &order);
    let ones = [1, 1];
    let (left, right) = (
        w.slice(&sorted, &[0, 0], &[rows, count - 1], &ones),
        w.slice(&sorted, &[0, 1], &[rows, count], &ones),
    );
    let steps = w.compare("not_equal", &left, &right);
    let steps = w.cast(&steps, Elem::I32);
    let zero = w.filled(0.0, Elem::I32, &[rows, 1]);
    let steps = w.concat(&[zero, steps], 1);
    let inputs =
        [("x", (&steps).into()), ("axis", 1.into()), ("exclusive", false.into()), ("reverse", false.into())];
    let ranks = w.op("cumsum", inputs, Elem::I32, steps.dims.clone());
    // Sorting an order gives its inverse.
    let inverse = w.argsort(&order);
    w.pick(&ranks, &inverse)
}

pub(super) fn sort(
    w: &mut ProgramWriter,
    axis: usize,
    direction: SortOrder,
    num_keys: usize,
    xs: &[Held],
) -> Written {
    let Some(first) = xs.first() else { return Err("nothing is sorted".into()) };
    if first.dims[axis] == 1 {
        return Ok(xs.to_vec());
    }
    let rows: Vec<Rows> = xs.iter().map(|x| Rows::of(w, x, axis)).collect();
    let given: Vec<Var> = rows.iter().take(num_keys).map(|rows| rows.var.clone()).collect();
    let keys = keys(w, &given);
    let places = order(w, &keys, direction)?;
    let sorted = rows.iter().map(|rows| {
        let picked = w.pick(&rows.var, &places);
        rows.back(w, &picked)
    });
    Ok(sorted.collect())
}

/// Writes the largest elements along the last axis in descending order, and their indices; of equal elements, the first are taken. Rows
/// with NaN give whatever programs compute for them.
pub(super) fn top_k(w: &mut ProgramWriter, k: usize, x: &Held, results: &[Shape]) -> Written {
    if x.elem() == Elem::Bool {
        return Err("programs have no `top_k` of booleans".into());
    }
    let dims = dims_of(&results[0])?;
    let rows = Rows::of(w, x, x.rank() - 1);
    let x = &rows.var;
    let [count, least_at] = [x.dims[1], k - 1];
    let (values, indices) = largest(w, x, k);
    let least = w.slice(&values, &[0, least_at], &[x.dims[0], k], &[1, 1]);
    let mut above = w.compare("greater", x, &least);
    let mut equal = w.compare("equal", x, &least);
    let plus = x.elem.is_float().then(|| plus(w, x));
    if let Some(plus) = &plus {
        (above, equal) = split_zeros(w, plus, k, above, equal);
    }
    // Elements above the smallest selected one come first, then those equal to it, each in their order.
    let places = w.places(count)?;
    let minus = w.with("mul", &places, -1.0);
    let middle = w.with("add", &minus, count as f64);
    let front = w.with("add", &minus, 2.0 * count as f64);
    let behind = w.choose(&equal, &middle, &minus);
    let unique = w.choose(&above, &front, &behind);
    let (_, chosen) = largest(w, &unique, k);
    let mut keys = vec![w.pick(x, &chosen)];
    if let Some(plus) = &plus {
        keys.push(w.pick(plus, &chosen));
    }
    let order = order(w, &keys, SortOrder::Descending)?;
    let mut places = w.pick(&chosen, &order);
    let mut found = w.pick(x, &places);
    if plus.is_some() {
        let missing = w.compare("not_equal", x, x);
        let missing = w.count(&missing);
        let any = w.compare_with("greater", &missing, 0.0);
        places = w.choose(&any, &indices, &places);
        found = w.choose(&any, &values, &found);
    }
    Ok([found, places].iter().map(|var| Held::whole(w.reshape(var, &dims))).collect())
}

/// Returns 1 where an element is +0, and 0 elsewhere.
fn plus(w: &mut ProgramWriter, x: &Var) -> Var {
    let zero = w.compare_with("equal", x, 0.0);
    let one = w.scalar(1.0, x.elem);
    let divisor = w.choose(&zero, x, &one);
    let inverse = w.join("real_div", &one, &divisor);
    let positive = w.compare_with("greater", &inverse, 0.0);
    let plus = w.compare("logical_and", &zero, &positive);
    w.cast(&plus, Elem::I32)
}

/// Splits elements into those above the last of the k largest and those equal to it, where +0 is above −0.
fn split_zeros(w: &mut ProgramWriter, plus: &Var, k: usize, above: Var, equal: Var) -> (Var, Var) {
    let is_plus = w.compare_with("equal", plus, 1.0);
    let plus_zeros = w.compare("logical_and", &equal, &is_plus);
    let minus = w.map("logical_not", &is_plus);
    let others = w.compare("logical_and", &equal, &minus);
    let wide = w.compare("logical_or", &above, &plus_zeros);
    let enough = w.count(&wide);
    let enough = w.compare_with("greater_equal", &enough, k as f64);
    // If there are enough elements above or equal to +0, the last one is +0, and −0 is not selected.
    let any = w.count(&plus_zeros);
    let any = w.compare_with("greater", &any, 0.0);
    let last = w.compare("logical_and", &enough, &any);
    let not_last = w.map("logical_not", &last);
    let raised = w.compare("logical_and", &plus_zeros, &not_last);
    let above = w.compare("logical_or", &above, &raised);
    let first = w.compare("logical_and", &plus_zeros, &last);
    let second = w.compare("logical_and", &others, &not_last);
    (above, w.compare("logical_or", &first, &second))
}

/// Returns the k largest of each row and their positions, as programs compute them.
fn largest(w: &mut ProgramWriter, x: &Var, k: usize) -> (Var, Var) {
    let mut inputs =
        vec![("x", x.into()), ("k", (k as i32).into()), ("axis", 1.into()), ("ascending", false.into())];
    if w.opset >= Opset::Ios16 {
        inputs.push(("sort", true.into()));
        inputs.push(("return_indices", true.into()));
    }
    if w.opset >= Opset::Ios17 {
        inputs.push(("output_indices_dtype", "int32".into()));
    }
    let dims = vec![x.dims[0], k];
    let mut results = w.results("topk", inputs, vec![(x.elem, dims.clone()), (Elem::I32, dims)], Vec::new());
    // INVARIANT: there are as many results as types.
    let indices = results.pop().unwrap_or_else(|| x.clone());
    (results.pop().unwrap_or_else(|| x.clone()), indices)
}

/// Writes the index of the first extreme along an axis, or of the first NaN.
pub(super) fn argreduce(w: &mut ProgramWriter, op: ArgOp, axis: usize, dtype: DType, x: &Held) -> Written {
    let has_room = dtype.int_range().is_some_and(|(_, most)| x.dims[axis] as i128 <= most + 1);
    if !has_room || Elem::holding(dtype) != Some(Elem::I32) || x.elem() == Elem::Bool {
        return Err(format!(
            "programs have indices of up to 32 bits of the extremes of numbers, not {dtype} of {}",
            x.elem().name()
        )
        .into());
    }
    let (extreme, index) = match op {
        ArgOp::Max => ("reduce_max", "reduce_argmax"),
        ArgOp::Min => ("reduce_min", "reduce_argmin"),
    };
    let rows = Rows::of(w, x, axis);
    let x = &rows.var;
    let best = w.reduce(extreme, x, &[1], true);
    let mut hits = w.compare("equal", x, &best);
    if x.elem.is_float() {
        let missing = w.compare("not_equal", x, x);
        let any = w.count(&missing);
        let any = w.compare_with("greater", &any, 0.0);
        hits = flags(w, &any, &missing, &hits);
    }
    // Among distinct integers.
    let places = w.places(x.dims[1])?;
    let beyond = w.with("add", &places, x.dims[1] as f64);
    let mut unique = w.choose(&hits, &places, &beyond);
    if op == ArgOp::Max {
        unique = w.with("mul", &unique, -1.0);
    }
    let mut inputs = vec![("x", (&unique).into()), ("axis", 1.into()), ("keep_dims", true.into())];
    if w.opset >= Opset::Ios17 {
        inputs.push(("output_dtype", "int32".into()));
    }
    let at = w.op_of(index, inputs, Elem::I32, vec![x.dims[0], 1]);
    let held = rows.back(w, &at);
    let mut dims = held.dims.clone();
    dims.remove(axis);
    Ok(vec![Held::whole(w.reshape(&held.var, &dims))])
}

/// Selects the booleans `a` where `cond` is true, and `b` elsewhere.
fn flags(w: &mut ProgramWriter, cond: &Var, a: &Var, b: &Var) -> Var {
    let first = w.compare("logical_and", cond, a);
    let not = w.map("logical_not", cond);
    let second = w.compare("logical_and", &not, b);
    w.compare("logical_or", &first, &second)
}
