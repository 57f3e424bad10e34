//! Writes attention, either as the operation that programs have since iOS 18, or as products and a softmax.

use super::contraction::batched;
use super::value::{Elem, Held, Var};
use super::writer::{Declined, Opset, ProgramWriter, Written};
use rlx_ir::{AttentionOptions, Literal, MaskKind};

/// Writes attention of `[batch, heads, seq, d]`, or of `[batch, seq, heads·d]` with numbers of heads. If `rows` is given, it is attention to the
/// first `rows` keys.
pub(super) fn attention(
    w: &mut ProgramWriter,
    options: &AttentionOptions,
    [q, k, v]: [&Held; 3],
    mask: Option<&Held>,
    rows: Option<&Held>,
) -> Written {
    let Some(heads) = options.num_heads.filter(|_| q.rank() == 3) else {
        return of_heads(w, options, [q, k, v], mask, rows);
    };
    let kv_heads = options.num_kv_heads.unwrap_or(heads);
    let (query, key, value) = (split(w, q, heads)?, split(w, k, kv_heads)?, split(w, v, kv_heads)?);
    let written = of_heads(w, options, [&query, &key, &value], mask, rows)?;
    let [result] = &written[..] else { return Ok(written) };
    let rows = w.transpose(&result.var, &[0, 2, 1, 3]);
    let width = rows.dims[2] * rows.dims[3];
    let dims = [rows.dims[0], rows.dims[1], width];
    Ok(vec![Held::whole(w.reshape(&rows, &dims))])
}

/// Returns rows `[batch, seq, heads·d]` as `[batch, heads, seq, d]`.
fn split(w: &mut ProgramWriter, x: &Held, heads: usize) -> Result<Held, Declined> {
    let &[batch, seq, width] = &x.dims[..] else {
        return Err("attention needs rows with three axes".into());
    };
    let full = w.full(x);
    let split = w.reshape(&full, &[batch, seq, heads, width / heads.max(1)]);
    Ok(Held::whole(w.transpose(&split, &[0, 2, 1, 3])))
}

fn of_heads(
    w: &mut ProgramWriter,
    options: &AttentionOptions,
    [q, k, v]: [&Held; 3],
    mask: Option<&Held>,
    rows: Option<&Held>,
) -> Written {
    let alike = [k, v].iter().all(|x| x.elem() == q.elem() && x.rank() == 4) && q.rank() == 4;
    if !alike || !q.elem().is_float() {
        return Err("attention needs operands with four axes and one type".into());
    }
    if let Some(rows) = rows {
        return of_cache(w, options, [q, k, v], mask, rows);
    }
    if options.window.is_some() {
        return Err("programs have no attention with a window".into());
    }
    match as_operation(w, options, [q, k, v], mask) {
        Some(written) => Ok(vec![Held::whole(written)]),
        None => in_steps(w, options, [q, k, v], mask),
    }
}

/// Writes the operation of iOS 18: each query attends to all keys, optionally with a bias.
fn as_operation(
    w: &mut ProgramWriter,
    options: &AttentionOptions,
    [q, k, v]: [&Held; 3],
    bias: Option<&Held>,
) -> Option<Var> {
    let has_form = match (options.mask, bias) {
        (MaskKind::None, None) => true,
        (MaskKind::Bias, Some(bias)) => bias.rank() == 4 && bias.elem() == q.elem(),
        _ => false,
    };
    if w.opset < Opset::Ios18 || options.softcap.is_some() || !has_form || q.dims[1] != k.dims[1] {
        return None;
    }
    let (mut query, key, value) = (w.full(q), w.full(k), w.full(v));
    // The operation divides by the square root of the head size.
    let root = (q.dims[3] as f64).sqrt();
    if let Some(scale) = options.scale.map(|scale| scale * root).filter(|&scale| (scale - 1.0).abs() > 1e-12)
    {
        query = w.with("mul", &query, scale);
    }
    let mut inputs = vec![("query", (&query).into()), ("key", (&key).into()), ("value", (&value).into())];
    if let Some(bias) = bias {
        let bias = w.full(bias);
        inputs.push(("attn_mask", (&bias).into()));
    }
    let mut dims = q.dims.clone();
    dims[3] = v.dims[3];
    Some(w.op_of("scaled_dot_product_attention", inputs, q.elem(), dims))
}

/// Returns the number that is added to scores that do not count: finite, and so small that they have no weight compared with others.
fn far_below(elem: Elem) -> f64 {
    if elem == Elem::F16 { -30_000.0 } else { -1e30 }
}

/// Writes products and a softmax. Scores of f16 operands are computed in f16 if the program may do so.
fn in_steps(
    w: &mut ProgramWriter,
    options: &AttentionOptions,
    [q, k, v]: [&Held; 3],
    mask: Option<&Held>,
) -> Written {
    let counts = counting(w, options.mask, mask, [&q.dims, &k.dims], q.elem())?;
    weighed(w, options, [q, k, v], &counts)
}

/// Writes the values weighted by the softmax of the scores of keys that count.
fn weighed(
    w: &mut ProgramWriter,
    options: &AttentionOptions,
    [q, k, v]: [&Held; 3],
    counts: &Counting,
) -> Written {
    if q.elem() == Elem::F16 && !w.half_scores {
        return Err("scores of attention are computed in f32".into());
    }
    let [queries, keys] = [q.dims[2], k.dims[2]];
    let scale = options.scale.unwrap_or(1.0 / (q.dims[3] as f64).sqrt());
    let (query, key, value) = (w.full(q), w.full(k), w.full(v));
    let query = w.with("mul", &query, scale);
    // Queries of heads that share keys are stacked.
    let shared = [q.dims[0], k.dims[1], q.dims[1] / k.dims[1] * queries, q.dims[3]];
    let query = w.reshape(&query, &shared);
    let scores = batched(w, &query, &key, true)?;
    let mut scores = w.reshape(&scores, &[q.dims[0], q.dims[1], queries, keys]);
    if let Some(cap) = options.softcap {
        let part = w.with("real_div", &scores, cap);
        let bent = w.map("tanh", &part);
        scores = w.with("mul", &bent, cap);
    }
    let weights = counts.weights(w, &scores);
    let weights = w.reshape(&weights, &[shared[0], shared[1], shared[2], keys]);
    let result = batched(w, &weights, &value, false)?;
    let mut dims = q.dims.clone();
    dims[3] = v.dims[3];
    Ok(vec![Held::whole(w.reshape(&result, &dims))])
}

/// Writes attention to the first rows of a cache, the last of which are those of the queries. The remaining rows do not count.
fn of_cache(
    w: &mut ProgramWriter,
    options: &AttentionOptions,
    [q, k, v]: [&Held; 3],
    mask: Option<&Held>,
    rows: &Held,
) -> Written {
    let (elem, [queries, keys]) = (q.elem(), [q.dims[2], k.dims[2]]);
    let is_causal = matches!(options.mask, MaskKind::Causal | MaskKind::SlidingWindow);
    let window = options.window.filter(|_| options.mask == MaskKind::SlidingWindow);
    let is_plain = mask.is_none() && (is_causal || options.mask == MaskKind::None);
    if !is_plain || rows.elem() != Elem::I32 || rows.rank() > 1 || window != options.window {
        return Err(format!("attention to a cache with the mask {}", options.mask).into());
    }
    // All layers have the same rows.
    let of = format!("{} of {keys}", rows.var.name);
    let rows = w.full(rows);
    let rows = w.once(format!("rows {of}"), |w| {
        let inside = w.inside(&rows, keys);
        w.reshape(&inside, &[rows.dims.first().copied().unwrap_or(1), 1, 1, 1])
    });
    let along = |w: &mut ProgramWriter, axis: usize, first: i32| {
        let mut dims = [1; 4];
        dims[axis] = if axis == 2 { queries } else { keys };
        let numbers: Vec<i32> = (first..).take(dims[axis]).collect();
        w.literal(Literal::new(&dims, &numbers).map_err(|e| Declined(e.to_string()))?)
    };
    let is_row = {
        let numbers = along(w, 3, 0)?;
        let numbers = w.reshape(&numbers, &[1, 1, keys, 1]);
        w.once(format!("is a row {of}"), |w| w.compare("less", &numbers, &rows))
    };
    let counts = match is_causal {
        false => {
            let numbers = along(w, 3, 0)?;
            w.once(format!("counts {of}"), |w| w.compare("less", &numbers, &rows))
        }
        true => {
            let (numbers, behind) = (along(w, 3, 0)?, along(w, 2, 1 - queries as i32)?);
            w.once(format!("counts {of} for {queries} in {window:?}"), |w| {
                let end = w.join("add", &rows, &behind);
                let counts = w.compare("less", &numbers, &end);
                let Some(window) = window else { return counts };
                let first = w.with("sub", &end, window as f64);
                let seen = w.compare("greater_equal", &numbers, &first);
                w.compare("logical_and", &counts, &seen)
            })
        }
    };
    let factor = w.once(format!("factor {} {}", counts.name, elem.name()), |w| w.cast(&counts, elem));
    let zero = w.scalar(0.0, elem);
    let value = w.full(v);
    let value = Held::whole(w.choose(&is_row, &value, &zero));
    weighed(w, options, [q, k, &value], &Counting::Where(counts, factor))
}

/// Which keys count for which queries.
enum Counting {
    All,
    /// This is added to the scores.
    Bias(Var),
    /// 1 if a key counts, otherwise 0.
    Factor(Var),
    /// Whether a key counts, and the same as 1 or 0. The other scores may be NaN.
    Where(Var, Var),
}

impl Counting {
    /// Computes weights from scores.
    fn weights(&self, w: &mut ProgramWriter, scores: &Var) -> Var {
        let last = scores.rank() - 1;
        match self {
            Counting::All => w.softmax(scores, last),
            Counting::Bias(bias) => {
                let biased = w.join("add", scores, bias);
                w.softmax(&biased, last)
            }
            Counting::Factor(factor) => {
                let missing = w.with("sub", factor, 1.0);
                let bias = w.with("mul", &missing, -far_below(scores.elem));
                let biased = w.join("add", scores, &bias);
                let weights = w.softmax(&biased, last);
                // The result of a query that may not attend to any key is 0.
                w.join("mul", &weights, factor)
            }
            Counting::Where(counts, factor) => {
                let below = w.scalar(far_below(scores.elem), scores.elem);
                let kept = w.choose(counts, scores, &below);
                let weights = w.softmax(&kept, last);
                w.join("mul", &weights, factor)
            }
        }
    }
}

fn counting(
    w: &mut ProgramWriter,
    kind: MaskKind,
    mask: Option<&Held>,
    [q, k]: [&[usize]; 2],
    elem: Elem,
) -> Result<Counting, Declined> {
    let placed = |w: &mut ProgramWriter, mask: &Held| match mask.rank() {
        4 => Ok(w.aligned(mask)),
        2 => {
            let aligned = w.aligned(mask);
            let dims = [aligned.dims[0], 1, 1, aligned.dims[1]];
            Ok(w.reshape(&aligned, &dims))
        }
        rank => Err(Declined(format!("a mask has {rank} axes"))),
    };
    Ok(match (kind, mask) {
        (MaskKind::None, None) => Counting::All,
        (MaskKind::Bias, Some(bias)) if bias.elem() == elem => Counting::Bias(placed(w, bias)?),
        (MaskKind::Custom, Some(mask)) => {
            let mask = placed(w, mask)?;
            let counts = if mask.elem == Elem::Bool { mask } else { w.compare_with("not_equal", &mask, 0.0) };
            Counting::Factor(w.cast(&counts, elem))
        }
        (MaskKind::Causal, None) if k[2] >= q[2] => Counting::Bias(causal(w, q[2], k[2], elem)?),
        _ => return Err(format!("attention with the mask {kind}").into()),
    })
}

/// Returns 0 for keys up to a query's own position, with the last query at the last key, and −∞ for later keys.
fn causal(w: &mut ProgramWriter, queries: usize, keys: usize, elem: Elem) -> Result<Var, Declined> {
    let number =
        |(query, key): (usize, usize)| if key <= query + keys - queries { 0.0 } else { f32::NEG_INFINITY };
    let places = (0..queries).flat_map(|query| (0..keys).map(move |key| (query, key)));
    let numbers: Vec<f32> = places.map(number).collect();
    let literal = Literal::new(&[queries, keys], &numbers).map_err(|e| Declined(e.to_string()))?;
    let bias = w.literal(literal)?;
    Ok(w.cast(&bias, elem))
}
