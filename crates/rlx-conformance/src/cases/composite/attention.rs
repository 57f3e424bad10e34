//! Cases of attention with every mask and layout, and of rotary embeddings.

use super::{EIGHT_BITS, PRIMARY};
use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{AttentionOptions, DType, DTypeSet, MaskKind, Op, QuantScheme, RopeStyle};

const DATA: Gen = Gen::Uniform(-2.0, 2.0);

/// The sizes of an attention case.
#[derive(Clone, Copy)]
struct Sizes {
    batch: usize,
    heads: usize,
    kv_heads: usize,
    queries: usize,
    keys: usize,
    d: usize,
}

#[derive(Clone, Copy)]
struct Options {
    mask: MaskKind,
    window: Option<usize>,
    scale: Option<f64>,
    softcap: Option<f64>,
}

const PLAIN: Options = Options { mask: MaskKind::None, window: None, scale: None, softcap: None };
const SMALL: Sizes = Sizes { batch: 2, heads: 2, kv_heads: 2, queries: 5, keys: 5, d: 4 };

/// Returns the attributes for operands of rank 4, or of rank 3 with the heads in the last axis.
fn of_rank(rank3: bool, s: Sizes, o: Options) -> AttentionOptions {
    AttentionOptions {
        num_heads: rank3.then_some(s.heads),
        num_kv_heads: rank3.then_some(s.kv_heads),
        scale: o.scale,
        mask: o.mask,
        window: o.window,
        softcap: o.softcap,
        kv_scheme: None,
    }
}

/// Returns operands of rank 4, or of rank 3 with the heads in the last axis.
fn attention(rank3: bool, s: Sizes, o: Options) -> Row {
    let op = of_rank(rank3, s, o).op();
    let Options { mask, window, scale, softcap } = o;
    let note = format!("{mask} {window:?} {scale:?} {softcap:?} rank {}", 3 + usize::from(!rank3));
    let dims = |heads: usize, seq: usize| {
        if rank3 { vec![s.batch, seq, heads * s.d] } else { vec![s.batch, heads, seq, s.d] }
    };
    let row = Row::new(op).note(note).only(PRIMARY).x(&dims(s.heads, s.queries), DATA);
    row.x(&dims(s.kv_heads, s.keys), DATA).x(&dims(s.kv_heads, s.keys), DATA)
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let grouped = Sizes { heads: 4, kv_heads: 2, queries: 3, keys: 7, ..SMALL };
    for s in [SMALL, grouped, Sizes { queries: 1, keys: 6, ..SMALL }] {
        for rank3 in [false, true] {
            rows.push(attention(rank3, s, PLAIN));
            rows.push(attention(rank3, s, Options { mask: MaskKind::Causal, ..PLAIN }));
            rows.push(attention(
                rank3,
                s,
                Options { mask: MaskKind::SlidingWindow, window: Some(3), ..PLAIN },
            ));
            let custom = |o: Options| attention(rank3, s, o);
            let mask = Options { mask: MaskKind::Custom, ..PLAIN };
            rows.push(custom(mask).is(DType::Bool, &[s.queries, s.keys][..0], Gen::Ints(1, 1)));
            rows.push(custom(mask).is(DType::Bool, &[s.batch, 1, s.queries, s.keys], Gen::Ints(0, 1)));
            rows.push(custom(mask).is(DType::F32, &[s.batch, s.keys], Gen::Ints(0, 1)));
            let bias = Options { mask: MaskKind::Bias, ..PLAIN };
            rows.push(custom(bias).x(&[s.batch, s.heads, s.queries, s.keys], DATA));
            rows.push(custom(bias).x(&[1, 1, s.queries, s.keys], DATA));
        }
    }
    rows.push(attention(false, SMALL, Options { scale: Some(0.25), softcap: Some(5.0), ..PLAIN }));
    // A mask that hides everything gives zeros.
    let mask = Options { mask: MaskKind::Custom, ..PLAIN };
    rows.push(attention(false, SMALL, mask).note("nothing").is(DType::Bool, &[2, 5], Gen::Values(&[0.0])));
    rows.push(attention(false, Sizes { batch: 0, ..SMALL }, PLAIN));
    rows.push(attention(false, Sizes { queries: 0, ..SMALL }, PLAIN));
    let large = Sizes { batch: 1, heads: 2, kv_heads: 1, queries: 67, keys: 131, d: 33 };
    rows.push(attention(false, large, Options { mask: MaskKind::Causal, ..PLAIN }));
    rows.extend(eight_bits());
    rows.extend(backwards());
    rows.extend(caches());
    rows.extend(ropes());
    rows
}

/// Reverse mode: the operands are those of attention and the cotangent of its result.
fn derivative(rank3: bool, s: Sizes, o: Options) -> Row {
    let op = Op::AttentionBackward { options: of_rank(rank3, s, o).unpacked() };
    let note = format!("{} rank {}", o.mask, 3 + usize::from(!rank3));
    let dims = |heads: usize, seq: usize| {
        if rank3 { vec![s.batch, seq, heads * s.d] } else { vec![s.batch, heads, seq, s.d] }
    };
    let (queries, keys) = (dims(s.heads, s.queries), dims(s.kv_heads, s.keys));
    let row = Row::new(op).note(note).only(PRIMARY).x(&queries, DATA).x(&keys, DATA);
    row.x(&keys, DATA).x(&queries, DATA)
}

/// Each mask in the narrowest types.
fn eight_bits() -> Vec<Row> {
    let of = |mask| attention(false, SMALL, Options { mask, ..PLAIN }).only(EIGHT_BITS);
    let window = Options { mask: MaskKind::SlidingWindow, window: Some(3), ..PLAIN };
    vec![
        of(MaskKind::None),
        of(MaskKind::Causal),
        attention(false, SMALL, window).only(EIGHT_BITS),
        of(MaskKind::Custom).is(DType::Bool, &[SMALL.batch, SMALL.keys], Gen::Values(&[1.0, 0.0, 1.0])),
        of(MaskKind::Bias).x(&[1, 1, SMALL.queries, SMALL.keys], DATA),
    ]
}

/// The cotangents of q, k and v. Operands and attributes are those of attention, plus the cotangent of its result.
fn backwards() -> Vec<Row> {
    let grouped = Sizes { heads: 4, kv_heads: 2, queries: 3, keys: 7, ..SMALL };
    let large = Sizes { batch: 1, heads: 2, kv_heads: 1, queries: 67, keys: 131, d: 33 };
    let causal = Options { mask: MaskKind::Causal, ..PLAIN };
    let window = Options { mask: MaskKind::SlidingWindow, window: Some(3), softcap: Some(5.0), ..PLAIN };
    let custom = Options { mask: MaskKind::Custom, scale: Some(0.25), ..PLAIN };
    let row = derivative;
    let mut rows = vec![row(false, large, causal), row(false, Sizes { batch: 0, ..SMALL }, PLAIN)];
    rows.extend(
        [PLAIN, causal, window]
            .map(|o| row(false, SMALL, o).note(format!("{} of 8 bits", o.mask)).only(EIGHT_BITS)),
    );
    let narrow = row(false, SMALL, custom).note("custom of 8 bits").only(EIGHT_BITS);
    rows.push(narrow.is(DType::Bool, &[SMALL.batch, SMALL.keys], Gen::Values(&[1.0, 0.0, 1.0])));
    let bias = Options { mask: MaskKind::Bias, ..PLAIN };
    for sizes in [[SMALL.batch, SMALL.heads, SMALL.queries, SMALL.keys], [1, 1, SMALL.queries, SMALL.keys]] {
        rows.push(row(false, SMALL, bias).only(DTypeSet::FLOAT).x(&sizes, DATA));
    }
    for rank3 in [false, true] {
        rows.extend([row(rank3, SMALL, PLAIN), row(rank3, grouped, causal), row(rank3, SMALL, window)]);
        rows.push(row(rank3, grouped, custom).is(
            DType::Bool,
            &[grouped.batch, grouped.keys],
            Gen::Ints(0, 1),
        ));
    }
    rows
}

/// Lengths: no row, some rows, all rows, and more rows than there are.
const LENGTHS: &[f64] = &[0.0, 3.0, 7.0, 9.0];

/// Caches in which only the first rows count, in the type of q, narrower, or packed.
fn caches() -> Vec<Row> {
    let few = Sizes { batch: 4, heads: 4, kv_heads: 2, queries: 1, keys: 7, d: 32 };
    let many = Sizes { queries: 5, d: 4, ..few };
    let window = Options { mask: MaskKind::SlidingWindow, window: Some(3), softcap: Some(5.0), ..PLAIN };
    let of_mask = |mask| Options { mask, ..PLAIN };
    let (causal, custom) = (of_mask(MaskKind::Causal), of_mask(MaskKind::Custom));
    let lengths = |row: Row, s: Sizes| row.is(DType::I32, &[s.batch], Gen::Values(LENGTHS));
    let mut rows = Vec::new();
    for s in [few, many] {
        for rank3 in [false, true] {
            let row = |o: Options| attention(rank3, s, o);
            rows.push(row(PLAIN).is(DType::I64, &[], Gen::Values(&[4.0])));
            rows.extend([PLAIN, causal, window].map(|o| lengths(row(o), s)));
            rows.push(lengths(row(custom).is(DType::Bool, &[s.batch, s.keys], Gen::Ints(0, 1)), s));
            rows.push(lengths(row(of_mask(MaskKind::Bias)).x(&[1, 1, s.queries, s.keys], DATA), s));
            for o in [causal, custom] {
                let row = derivative(rank3, s, o);
                let masked = match o.mask {
                    MaskKind::Custom => row.is(DType::Bool, &[s.batch, s.keys], Gen::Ints(0, 1)),
                    _ => row,
                };
                rows.push(lengths(masked, s));
            }
            rows.extend(stored(rank3, s).into_iter().map(|row| lengths(row, s)));
        }
    }
    rows
}

/// q in f32 with narrower keys and values, or with packed ones if a head is a whole number of blocks.
fn stored(rank3: bool, s: Sizes) -> Vec<Row> {
    let dims = |heads: usize, seq: usize, row: usize| {
        if rank3 { vec![s.batch, seq, heads * row] } else { vec![s.batch, heads, seq, row] }
    };
    let row = |kv_scheme: Option<QuantScheme>| {
        let options = AttentionOptions {
            num_heads: rank3.then_some(s.heads),
            num_kv_heads: rank3.then_some(s.kv_heads),
            mask: MaskKind::Causal,
            kv_scheme,
            ..AttentionOptions::default()
        };
        let row = Row::new(options.op()).only(DTypeSet::of(&[DType::F32]));
        row.x(&dims(s.heads, s.queries, s.d), DATA)
    };
    let keys = dims(s.kv_heads, s.keys, s.d);
    let mut rows = Vec::new();
    for (k, v) in [(DType::F16, DType::F16), (DType::BF16, DType::BF16), (DType::F16, DType::F32)] {
        rows.push(row(None).note(format!("k {k}, v {v}")).is(k, &keys, DATA).is(v, &keys, DATA));
    }
    for scheme in [QuantScheme::Q8_0, QuantScheme::Q4_0] {
        if s.d.is_multiple_of(scheme.block_len()) {
            let keys = dims(s.kv_heads, s.keys, s.d / scheme.block_len() * scheme.block_bytes());
            let bytes = Gen::Ints(40, 50);
            let row = row(Some(scheme)).note(format!("{scheme} rank {}", 3 + usize::from(!rank3)));
            rows.push(row.is(DType::U8, &keys, bytes).is(DType::U8, &keys, bytes));
        }
    }
    rows
}

fn ropes() -> Vec<Row> {
    let mut rows = Vec::new();
    for style in [RopeStyle::Halves, RopeStyle::Interleaved] {
        let cases: [(&[usize], &[usize], Option<usize>, usize); 6] = [
            (&[2, 3, 5, 8], &[5, 4], None, 2),
            (&[2, 3, 5, 8], &[5, 2], Some(4), 2),
            (&[2, 5, 3, 6], &[2, 5, 3], None, 1),
            (&[5, 4], &[5, 2], None, 0),
            (&[0, 3, 5, 8], &[5, 4], None, 2),
            (&[2, 3, 0, 8], &[0, 4], None, 2),
        ];
        for (x, table, rotary_dims, seq_axis) in cases {
            let op = Op::Rope { style, rotary_dims, seq_axis };
            let row =
                Row::new(op).note(format!("{style} {rotary_dims:?} axis {seq_axis}")).only(DTypeSet::FLOAT);
            rows.push(row.x(x, DATA).x(table, Gen::Uniform(-1.0, 1.0)).x(table, Gen::Uniform(-1.0, 1.0)));
        }
    }
    rows
}
