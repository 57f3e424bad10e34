//! Writes grouped products (mixtures of experts): runs of rows, each multiplied by its own matrix.

use super::contraction::matmul;
use super::elementwise::elem_of;
use super::value::{Elem, Held, Var};
use super::writer::{Declined, ProgramWriter, Written};
use rlx_ir::DType;

/// Maximum number of elements of the products of rows with all matrices. More rows are computed in parts.
const AT_ONCE: usize = 1 << 25;

/// The matrices of a product: as they are, or the source of a transposition.
struct Factors {
    /// `[groups, k, n]`, or `[groups, n, k]` if `turned`.
    var: Var,
    turned: bool,
}

impl Factors {
    fn of(w: &mut ProgramWriter, matrices: &Held, elem: Elem) -> Factors {
        let var = w.full(matrices);
        let (var, turned) = match w.turned(&var) {
            Some(source) => (source, true),
            None => (var, false),
        };
        Factors { var: w.cast(&var, elem), turned }
    }
}

/// Returns where runs begin and end, `[groups]`. Sizes are clamped so that their sum fits in the integers of programs, which does not
/// change the result.
fn ends(w: &mut ProgramWriter, sizes: &Held, rows: usize) -> Result<(Var, Var), Declined> {
    let groups = sizes.dims[0];
    let most = i32::MAX as usize / groups;
    if most < rows {
        return Err(format!("{rows} rows in {groups} runs exceed the range of 32-bit integers").into());
    }
    let sizes = w.full(sizes);
    let sizes = w.with("minimum", &sizes, most as f64);
    let sizes = w.with("maximum", &sizes, -(most as f64));
    let inputs =
        [("x", (&sizes).into()), ("axis", 0.into()), ("exclusive", false.into()), ("reverse", false.into())];
    let ends = w.op("cumsum", inputs, Elem::I32, vec![groups]);
    Ok((w.join("sub", &ends, &sizes), ends))
}

/// Multiplies `rows` `[m, k]`, in runs of these sizes, by the matrices `[groups, k, n]`. `counted` says that no size is negative, so that
/// each row belongs to at most one run.
pub(super) fn ragged_dot(
    w: &mut ProgramWriter,
    dtype: Option<DType>,
    [rows, matrices, sizes]: [&Held; 3],
    counted: bool,
) -> Written {
    let elem = dtype.map_or(Ok(rows.elem()), elem_of)?;
    if elem == Elem::Bool || sizes.elem() != Elem::I32 {
        return Err("rows must not be booleans, and sizes must be i32".into());
    }
    let [m, n, groups] = [rows.dims[0], matrices.dims[2], matrices.dims[0]];
    let (starts, ends) = ends(w, sizes, m)?;
    let x = w.full(rows);
    let x = w.cast(&x, elem);
    let factors = Factors::of(w, matrices, elem);
    let numbers = w.places(m)?;
    let zero = w.scalar(0.0, elem);
    if counted && m <= groups {
        let runs = Runs { ends: &ends, numbers: &numbers, zero: &zero };
        return Ok(vec![Held::whole(by_row(w, &x, &factors, &runs, n))]);
    }
    let part = (AT_ONCE / (groups * n)).clamp(1, m);
    let mut parts = Vec::new();
    for first in (0..m).step_by(part) {
        let last = (first + part).min(m);
        let x = w.slice(&x, &[first, 0], &[last, x.dims[1]], &[1, 1]);
        let x = w.reshape(&x, &[1, last - first, x.dims[1]]);
        let products =
            matmul(w, &x, &factors.var, false, factors.turned, elem, vec![groups, last - first, n]);
        let numbers = w.slice(&numbers, &[0, first], &[1, last], &[1, 1]);
        let numbers = w.reshape(&numbers, &[1, last - first, 1]);
        let [starts, ends] = [&starts, &ends].map(|places| w.reshape(places, &[groups, 1, 1]));
        let behind = w.compare("greater_equal", &numbers, &starts);
        let before = w.compare("less", &numbers, &ends);
        let within = w.compare("logical_and", &behind, &before);
        let own = w.choose(&within, &products, &zero);
        parts.push(w.reduce("reduce_sum", &own, &[0], false));
    }
    Ok(vec![Held::whole(w.concat(&parts, 0))])
}

/// The ends of runs, the row numbers, and the value for rows in no run.
struct Runs<'a> {
    ends: &'a Var,
    numbers: &'a Var,
    zero: &'a Var,
}

/// Multiplies each row by the matrix gathered for it.
fn by_row(w: &mut ProgramWriter, x: &Var, factors: &Factors, runs: &Runs<'_>, n: usize) -> Var {
    let [m, k, groups] = [x.dims[0], x.dims[1], runs.ends.dims[0]];
    let (numbers, ends) = (w.reshape(runs.numbers, &[m, 1]), w.reshape(runs.ends, &[1, groups]));
    let done = w.compare("less_equal", &ends, &numbers);
    let done = w.cast(&done, Elem::I32);
    let run = w.reduce("reduce_sum", &done, &[1], false);
    let index = w.inside(&run, groups - 1);
    let own = w.gather(&factors.var, &index, 0);
    let x = w.reshape(x, &[m, 1, k]);
    let products = matmul(w, &x, &own, false, factors.turned, x.elem, vec![m, 1, n]);
    let products = w.reshape(&products, &[m, n]);
    let is_some = w.compare_with("less", &run, groups as f64);
    let is_some = w.reshape(&is_some, &[m, 1]);
    w.choose(&is_some, &products, runs.zero)
}
