//! Random arguments for each safe function.

use crate::draw::{Draw, Given};
use rlx_mlx_sys::{
    Attention, Binary, Combine, CompiledFunction, Convolution, ElementType, Factorization, Fourier, Kind,
    Mlx, MlxArray, MlxError, PackedWeights, Rope, Slices, Unary,
};

pub(crate) type Case = fn(&mut Draw<'_>) -> Given;

fn one(made: Result<MlxArray, MlxError>) -> Given {
    Ok(vec![made?])
}

fn pair(d: &mut Draw<'_>) -> Result<(MlxArray, MlxArray), MlxError> {
    let (dims, element) = (d.dims(), d.element());
    Ok((d.array_in(&dims, element)?, d.near_in(&dims, element)?))
}

fn slices(d: &mut Draw<'_>, dims: &[usize]) -> Slices {
    let mut slices = Slices::default();
    for &size in dims {
        let start = if d.one_in(8) { d.number() } else { d.below(size + 1) };
        let stop = if d.one_in(8) { d.number() } else { start.saturating_add(d.below(size + 1)) };
        let stride = if d.one_in(8) { d.number() } else { 1 + d.below(2) };
        slices.push(start, stop, stride);
    }
    if d.one_in(10) {
        slices.starts = d.smalls(dims.len());
        slices.stops = d.smalls(dims.len());
        slices.strides = d.smalls(dims.len());
    }
    d.say(format_args!("{slices:?}"));
    slices
}

fn combine(d: &mut Draw<'_>) -> Combine {
    let how = d.pick(Combine::ALL);
    d.say(format_args!("{how:?}"));
    how
}

fn matrices(d: &mut Draw<'_>) -> Result<(MlxArray, MlxArray), MlxError> {
    let [m, k, n, batch] = [(); 4].map(|()| d.below(5));
    let element = if d.one_in(4) { d.element() } else { ElementType::F32 };
    Ok((d.near_in(&[batch, m, k], element)?, d.near_in(&[batch, k, n], element)?))
}

const MODES: &[&std::ffi::CStr] = &[c"affine", c"mxfp4", c"mxfp8", c"nvfp4", c"", c"no mode"];

struct Packed {
    words: MlxArray,
    scales: MlxArray,
    biases: Option<MlxArray>,
    group: usize,
    bits: usize,
    mode: &'static std::ffi::CStr,
}

impl Packed {
    fn draw(d: &mut Draw<'_>, lead: &[usize], rows: usize, inner: usize) -> Result<Packed, MlxError> {
        let affine = d.one_in(2);
        let (group, bits, mode) = match d.below(4) {
            _ if affine => (d.pick(&[32, 64]), d.pick(&[2, 3, 4, 5, 6, 8]), c"affine"),
            0 => (32, 4, c"mxfp4"),
            1 => (32, 8, c"mxfp8"),
            _ => (16, 4, c"nvfp4"),
        };
        let around = |sizes: [usize; 2]| lead.iter().copied().chain(sizes).collect::<Vec<_>>();
        let words = d.near_in(&around([rows, inner * bits / 32]), ElementType::U32)?;
        let kind = if affine { ElementType::F32 } else { ElementType::U8 };
        let scales = d.near_in(&around([rows, inner / group]), kind)?;
        let biases = if affine != d.one_in(10) {
            Some(d.near_in(&around([rows, inner / group]), kind)?)
        } else {
            None
        };
        let group = if d.one_in(8) { d.number() } else { group };
        let bits = if d.one_in(8) { d.number() } else { bits };
        let mode = if d.one_in(10) { d.pick(MODES) } else { mode };
        d.say(format_args!("group {group}, bits {bits}, {mode:?}, biases {}", biases.is_some()));
        Ok(Packed { words, scales, biases, group, bits, mode })
    }

    fn weights(&self) -> PackedWeights<'_> {
        let Packed { words, scales, biases, group, bits, mode } = self;
        PackedWeights { words, scales, biases: biases.as_ref(), group: *group, bits: *bits, mode }
    }
}

fn windows(d: &mut Draw<'_>) -> Result<(MlxArray, Vec<MlxArray>, Vec<usize>, Vec<usize>), MlxError> {
    let rank = 1 + d.below(3);
    let dims = d.dims_of(rank);
    let a = d.array_of(&dims)?;
    let axes = d.axes(rank);
    let shape = d.dims_of(1);
    let element = if d.one_in(3) { d.element() } else { ElementType::I32 };
    let count = if d.one_in(8) { d.below(4) } else { axes.len() };
    let indices = (0..count).map(|_| d.near_in(&shape, element)).collect::<Result<Vec<_>, _>>()?;
    let part = dims.iter().map(|&size| if d.one_in(10) { d.number() } else { d.below(size + 1) });
    let mut part: Vec<usize> = part.collect();
    if d.one_in(10) {
        part = d.smalls(rank);
    }
    d.say(format_args!("part {part:?}"));
    Ok((a, indices, axes, part))
}

fn convolution(d: &mut Draw<'_>) -> Given {
    let spatial = if d.one_in(10) { d.below(5) } else { 1 + d.below(3) };
    let groups = if d.one_in(2) { 1 } else { 2 };
    let (batch, inner, outer) = (d.below(3), groups * d.below(4), groups * d.below(4));
    let (mut dims, mut taps) = (vec![batch], vec![outer]);
    for _ in 0..spatial {
        dims.push(d.below(7));
        taps.push(d.below(4));
    }
    dims.push(inner);
    taps.push(inner / groups);
    let element = if d.one_in(4) { d.element() } else { ElementType::F32 };
    let (x, kernel) = (d.near_in(&dims, element)?, d.near_in(&taps, element)?);
    let ones = |d: &mut Draw<'_>| if d.one_in(2) { vec![1; spatial] } else { d.smalls(spatial) };
    let how = Convolution {
        strides: ones(d),
        low: d.smalls(spatial),
        high: d.smalls(spatial),
        kernel_dilation: ones(d),
        input_dilation: ones(d),
        groups: if d.one_in(8) { d.number() } else { groups },
        flip: d.one_in(2),
    };
    d.say(format_args!("{how:?}"));
    one(d.ops.convolution(&x, &kernel, &how))
}

fn rope(d: &mut Draw<'_>) -> Given {
    let (batch, heads, rows, width) = (d.below(3), d.below(3), d.below(4), 2 * d.below(4));
    let x = d.near_in(&[batch, heads, rows, width], ElementType::F32)?;
    let places = if d.one_in(2) { vec![batch] } else { vec![] };
    let start = d.near_in(&places, ElementType::I32)?;
    let inverse_frequencies = d.near_in(&[width / 2], ElementType::F32)?;
    let width = if d.one_in(6) { d.number() } else { width };
    let traditional = d.one_in(2);
    let how = Rope { width, traditional, start: &start, inverse_frequencies: &inverse_frequencies };
    one(d.ops.rope(&x, how))
}

fn attention(d: &mut Draw<'_>) -> Given {
    let element = d.pick(&[ElementType::F32, ElementType::F16, ElementType::BF16]);
    let (batch, shared, queries, keys) = (d.below(3), d.below(3), d.below(4), d.below(4));
    let width = d.pick(&[0, 1, 4, 64, 80]);
    let heads = shared * (1 + d.below(2));
    let q = d.near_in(&[batch, heads, queries, width], element)?;
    let k = d.near_in(&[batch, shared, keys, width], element)?;
    let v = d.near_in(&[batch, shared, keys, width], element)?;
    let masked = d.one_in(2);
    let kind = if d.one_in(2) { ElementType::Bool } else { element };
    let sizes: &[usize] = if d.one_in(2) { &[queries, keys] } else { &[batch, heads, queries, keys] };
    let mask = d.near_in(sizes, kind)?;
    let scale = d.pick(&[1.0, 0.0, f32::NAN, f32::INFINITY]);
    let causal = d.one_in(3);
    let how = Attention { scale, causal, mask: masked.then_some(&mask) };
    one(d.ops.attention(&q, &k, &v, how))
}

fn norms(d: &mut Draw<'_>) -> Result<(MlxArray, Option<MlxArray>, Option<MlxArray>, f32), MlxError> {
    let x = d.array()?;
    let size = [x.dims().last().copied().unwrap_or(1)];
    let weight = if d.one_in(3) { None } else { Some(d.near_in(&size, x.element_type())?) };
    let bias = if d.one_in(3) { None } else { Some(d.near_in(&size, x.element_type())?) };
    Ok((x, weight, bias, d.pick(&[1e-5, 0.0, -1.0, f32::NAN, f32::INFINITY])))
}

/// Compiled functions: graphs of any case, any number of results, and calls with other inputs than before.
fn compiled(d: &mut Draw<'_>) -> Given {
    let (a, b) = pair(d)?;
    let results = if d.one_in(3) { d.number() } else { 1 };
    let (op, gives) = (d.pick(Binary::ALL), if d.one_in(3) { d.below(4) } else { 1 });
    d.say(format_args!("{op:?}, {results} results, {gives} given"));
    // Streams live as long as the function.
    let stream = d.ops.mlx().stream(Kind::Cpu, 0)?;
    let body = move |x: &[&MlxArray]| {
        let ops = rlx_mlx_sys::Ops::new(&stream, &stream);
        let [first, second] = x else { return Err(MlxError::Argument("two inputs".into())) };
        let made = ops.binary(op, first, second)?;
        let index = ops.take(first, second, 0).or_else(|_| ops.take(second, first, 0));
        let _ = ops.bytes(&made);
        let _ = made.read_if_ready(&mut [0; 4]);
        let _ = made.read(ops.stream(), &mut vec![0; made.len() * made.element_type().size()]);
        let mut all = vec![made; gives];
        all.extend(index);
        all.truncate(gives);
        Ok(all)
    };
    // With fusing, MLX runs the system's compiler, which takes a second each time.
    let fusing = d.one_in(100);
    d.ops.mlx().set_fusing(fusing)?;
    let f = CompiledFunction::new(d.ops.mlx(), results, Box::new(body))?;
    let mut all = Vec::new();
    for (a, b) in [(&a, &b), (&b, &a), (&a, &a)] {
        all.extend(f.call(&[a, b]).unwrap_or_default());
    }
    all.extend(f.call(&[]).unwrap_or_default());
    all.extend(f.call(&[&a, &b])?);
    Ok(all)
}

/// Memory with another owner.
struct Bytes(Vec<u8>, bool);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        assert!(!self.1, "an owner whose drop panics");
    }
}

fn over(d: &mut Draw<'_>) -> Given {
    let (element, dims) = (d.element(), d.smalls(2));
    let size = dims.iter().try_fold(element.size(), |n, &size| n.checked_mul(size)).unwrap_or(8).min(4096);
    let size = if d.one_in(4) { d.below(16) } else { size };
    let panics = d.one_in(8);
    let owner = Bytes(vec![1; size], false);
    let made = MlxArray::over(d.ops.mlx(), owner, &dims, element)?;
    let sum = d.ops.binary(Binary::Add, &made, &made)?;
    if panics {
        // Dropped by the library, which a panic must not reach.
        let owner = Bytes(vec![1; 64], true);
        drop(MlxArray::over(d.ops.mlx(), owner, &[64], ElementType::U8)?);
    }
    Ok(vec![made, sum])
}

fn reads(d: &mut Draw<'_>) -> Given {
    let a = d.array()?;
    let stream = d.ops.stream();
    let bytes = d.below(40);
    let _ = a.read(stream, &mut vec![0; bytes]);
    let _ = a.read_if_ready(&mut vec![0; bytes]);
    a.read(stream, &mut vec![0; a.len() * a.element_type().size()])?;
    assert_eq!(a.is_empty(), a.dims().contains(&0));
    assert_eq!(a.mlx(), d.ops.mlx());
    Ok(vec![a.clone()])
}

fn runtime(d: &mut Draw<'_>) -> Given {
    let mlx = d.ops.mlx();
    let (kind, ordinal) = (d.pick(Kind::ALL), d.number());
    let _ = mlx.device(kind, ordinal);
    let _ = mlx.check_kind(kind);
    assert!(mlx.device_count(mlx.default_kind()) > 0);
    assert!(!mlx.version().is_empty() && mlx.memory().is_ok());
    assert_eq!(Mlx::load(None), Ok(mlx));
    for stream in [mlx.stream(kind, ordinal), mlx.stream(Kind::Cpu, 0)].into_iter().flatten() {
        stream.wait()?;
        let ops = rlx_mlx_sys::Ops::new(&stream, &stream);
        assert!(!ops.is_tracing() && ops.stream().kind() == stream.kind() && ops.mlx() == stream.mlx());
        ops.eval(&[&ops.int(1)?])?;
    }
    let bytes = d.number() as u64;
    let before = mlx.limit_memory(bytes)?;
    let cache = mlx.limit_cache(bytes)?;
    let _ = mlx.limit_wired(bytes);
    mlx.clear_cache()?;
    mlx.set_fusing(false)?;
    let sum = d.ops.int(1).and_then(|a| d.ops.binary(Binary::Add, &a, &a)).and_then(|a| d.ops.bytes(&a));
    mlx.limit_memory(before)?;
    mlx.limit_cache(cache)?;
    sum.map(|_| Vec::new())
}

/// The cases with the functions that they call, which must be all functions.
pub(crate) const CASES: &[(&[&str], Case)] = &[
    (&["unary"], |d| {
        let (a, op) = (d.array()?, d.pick(Unary::ALL));
        d.say(format_args!("{op:?}"));
        one(d.ops.unary(op, &a))
    }),
    (&["binary"], |d| {
        let op = d.pick(Binary::ALL);
        d.say(format_args!("{op:?}"));
        let (a, b) = if op == Binary::Matmul { matrices(d)? } else { pair(d)? };
        one(d.ops.binary(op, &a, &b))
    }),
    (&["divide_integers", "remainder_integers"], |d| {
        let (a, b) = pair(d)?;
        Ok(vec![d.ops.divide_integers(&a, &b)?, d.ops.remainder_integers(&a, &b)?])
    }),
    (&["power_integers"], |d| {
        let (a, b) = pair(d)?;
        one(d.ops.power_integers(&a, &b))
    }),
    (&["shift"], |d| {
        let (a, b) = pair(d)?;
        Ok(vec![d.ops.shift(true, &a, &b)?, d.ops.shift(false, &a, &b)?])
    }),
    (&["select"], |d| {
        let (a, b) = pair(d)?;
        let condition = d.near_in(&a.dims(), ElementType::Bool)?;
        one(d.ops.select(&condition, &a, &b))
    }),
    (&["astype", "view"], |d| {
        let (a, element) = (d.array()?, d.pick(ElementType::ALL));
        d.say(format_args!("{element:?}"));
        Ok([d.ops.astype(&a, element), d.ops.view(&a, element)].into_iter().flatten().collect())
    }),
    (&["arange"], |d| {
        let ends = [0, 5, -5, 1 << 40, i64::MAX, i64::MIN, i64::from(i32::MAX)];
        let (start, stop, element) = (d.pick(&ends), d.pick(&ends), d.pick(ElementType::ALL));
        d.say(format_args!("{start} {stop} {element:?}"));
        one(d.ops.arange(start, stop, element))
    }),
    (&["full"], |d| {
        let (rank, value) = (d.below(4), if d.one_in(2) { d.array_of(&[])? } else { d.array()? });
        let dims = d.smalls(rank);
        one(d.ops.full(&dims, &value))
    }),
    (&["reshape"], |d| {
        let a = d.array()?;
        let dims = if d.one_in(2) { vec![a.len()] } else { d.smalls(a.dims().len()) };
        one(d.ops.reshape(&a, &dims))
    }),
    (&["transpose", "reverse"], |d| {
        let a = d.array()?;
        let axes = d.axes(a.dims().len());
        Ok([d.ops.transpose(&a, &axes), d.ops.reverse(&a, &axes)].into_iter().flatten().collect())
    }),
    (&["broadcast_to"], |d| {
        let a = d.array()?;
        let mut dims = d.smalls(1);
        dims.extend(if d.one_in(4) { d.smalls(a.dims().len()) } else { a.dims() });
        one(d.ops.broadcast_to(&a, &dims))
    }),
    (&["as_strided"], |d| {
        let a = d.array()?;
        let dims = d.smalls(2);
        let strides = [0, 1, 2, -1, i64::MAX, i64::MIN];
        let count = if d.one_in(8) { d.below(4) } else { dims.len() };
        let strides: Vec<i64> = (0..count).map(|_| d.pick(&strides)).collect();
        let offset = d.small();
        d.say(format_args!("{strides:?} at {offset}"));
        one(d.ops.as_strided(&a, &dims, &strides, offset))
    }),
    (&["slice", "push"], |d| {
        let a = d.array()?;
        let slices = slices(d, &a.dims());
        one(d.ops.slice(&a, &slices))
    }),
    (&["slice_update"], |d| {
        let a = d.array()?;
        let slices = slices(d, &a.dims());
        let dims = d.ops.slice(&a, &slices).map_or(vec![1], |part| part.dims());
        let update = d.near_in(&dims, a.element_type())?;
        one(d.ops.slice_update(&a, &update, &slices))
    }),
    (&["slice_at", "slice_update_at"], |d| {
        let a = d.array()?;
        let axes = d.axes(a.dims().len());
        let element = if d.one_in(3) { d.element() } else { ElementType::I32 };
        let starts = d.near_in(&[axes.len()], element)?;
        let part: Vec<usize> = a.dims().iter().map(|&size| d.below(size + 1)).collect();
        let sizes = if d.one_in(8) { d.smalls(part.len()) } else { part.clone() };
        let update = d.near_in(&part, a.element_type())?;
        let made =
            [d.ops.slice_at(&a, &starts, &axes, &sizes), d.ops.slice_update_at(&a, &update, &starts, &axes)];
        Ok(made.into_iter().flatten().collect())
    }),
    (&["pad"], |d| {
        let a = d.array()?;
        let (low, high) = (d.smalls(a.dims().len()), d.smalls(a.dims().len()));
        let value = d.near_in(&[], a.element_type())?;
        one(d.ops.pad(&a, &low, &high, &value))
    }),
    (&["concatenate"], |d| {
        let count = d.below(4);
        let (dims, element) = (d.dims(), d.element());
        let list = (0..count).map(|_| d.near_in(&dims, element)).collect::<Result<Vec<_>, _>>()?;
        let axis = d.axis(dims.len());
        one(d.ops.concatenate(&list.iter().collect::<Vec<_>>(), axis))
    }),
    (&["inside"], |d| {
        let indices = d.indices()?;
        let size = d.number();
        one(d.ops.inside(&indices, size))
    }),
    (&["take", "take_along_axis"], |d| {
        let a = d.array()?;
        let indices = if d.one_in(2) { d.indices()? } else { d.near(&a.dims())? };
        let axis = d.axis(a.dims().len());
        let made = [d.ops.take(&a, &indices, axis), d.ops.take_along_axis(&a, &indices, axis)];
        Ok(made.into_iter().flatten().collect())
    }),
    (&["gather"], |d| {
        let (a, indices, axes, part) = windows(d)?;
        one(d.ops.gather(&a, &indices.iter().collect::<Vec<_>>(), &axes, &part))
    }),
    (&["scatter"], |d| {
        let (a, indices, axes, part) = windows(d)?;
        let mut dims = indices.first().map_or(vec![], MlxArray::dims);
        dims.extend(part.iter().map(|&p| p.min(8)));
        let updates = d.near_in(&dims, a.element_type())?;
        let how = combine(d);
        one(d.ops.scatter(how, &a, &indices.iter().collect::<Vec<_>>(), &updates, &axes))
    }),
    (&["reduce", "reduce_keeping"], |d| {
        let (a, how) = (d.array()?, combine(d));
        let axes = d.axes(a.dims().len());
        Ok([d.ops.reduce(how, &a, &axes), d.ops.reduce_keeping(how, &a, &axes)]
            .into_iter()
            .flatten()
            .collect())
    }),
    (&["cumulative"], |d| {
        let (a, how) = (d.array()?, combine(d));
        let (axis, reverse, inclusive) = (d.axis(a.dims().len()), d.one_in(2), d.one_in(2));
        one(d.ops.cumulative(how, &a, axis, reverse, inclusive))
    }),
    (&["softmax"], |d| {
        let a = d.array()?;
        let (axis, precise) = (d.axis(a.dims().len()), d.one_in(2));
        one(d.ops.softmax(&a, axis, precise))
    }),
    (&["sort", "argsort"], |d| {
        let a = d.array()?;
        let axis = d.axis(a.dims().len());
        Ok([d.ops.sort(&a, axis), d.ops.argsort(&a, axis)].into_iter().flatten().collect())
    }),
    (&["convolution"], convolution),
    (&["gather_mm"], |d| {
        let (a, b) = matrices(d)?;
        let (rhs, sorted) = (
            if d.one_in(2) {
                d.indices()?
            } else {
                d.near_in(&[a.dims().first().copied().unwrap_or(1)], ElementType::I32)?
            },
            d.one_in(2),
        );
        one(d.ops.gather_mm(&a, &b, &rhs, sorted))
    }),
    (&["quantized_matmul"], |d| {
        let (rows, inner) = (d.pick(&[0, 1, 2, 8]), d.pick(&[0, 64, 64, 512]));
        let packed = Packed::draw(d, &[], rows, inner)?;
        let x = d.near_in(&[2, inner], ElementType::F32)?;
        one(d.ops.quantized_matmul(&x, packed.weights()))
    }),
    (&["gather_qmm"], |d| {
        let (count, rows, inner) = (d.below(3), d.pick(&[0, 1, 2, 8]), d.pick(&[0, 64, 64, 512]));
        let packed = Packed::draw(d, &[count], rows, inner)?;
        let x = d.near_in(&[2, 1, inner], ElementType::F32)?;
        let (rhs, sorted) = (d.near_in(&[2], ElementType::I32)?, d.one_in(2));
        one(d.ops.gather_qmm(&x, packed.weights(), &rhs, sorted))
    }),
    (&["fourier"], |d| {
        let (a, kind) = (d.array()?, d.pick(Fourier::ALL));
        let axes = d.axes(a.dims().len());
        let lengths = d.smalls(axes.len());
        d.say(format_args!("{kind:?}"));
        one(d.ops.fourier(kind, &a, &lengths, &axes))
    }),
    (&["factorize"], |d| {
        let kind = d.pick(Factorization::ALL);
        d.say(format_args!("{kind:?}"));
        let size = if d.one_in(8) { 40 } else { d.below(5) };
        let element = if d.one_in(3) { d.element() } else { ElementType::F32 };
        let batch = d.below(3);
        let a = d.near_in(&[batch, size, size], element)?;
        d.ops.factorize(kind, &a)
    }),
    (&["rms_norm", "layer_norm"], |d| {
        let (x, weight, bias, eps) = norms(d)?;
        let made = [
            d.ops.rms_norm(&x, weight.as_ref(), eps),
            d.ops.layer_norm(&x, weight.as_ref(), bias.as_ref(), eps),
        ];
        Ok(made.into_iter().flatten().collect())
    }),
    (&["rope"], rope),
    (&["attention"], attention),
    (&["scalar", "int", "number_like", "from_bytes"], |d| {
        let (element, bytes) = (d.element(), vec![0; d.below(20)]);
        let dims = d.smalls(2);
        let (like, int) = (d.array()?, d.number() as i32);
        let made = [
            d.ops.scalar(&bytes, element),
            d.ops.int(int),
            d.ops.number_like(int, &like),
            MlxArray::from_bytes(d.ops.mlx(), &bytes, &dims, element),
        ];
        Ok(made.into_iter().flatten().collect())
    }),
    (&["eval", "async_eval", "bytes"], |d| {
        let (a, b) = pair(d)?;
        let sum = d.ops.binary(Binary::Add, &a, &b)?;
        d.ops.eval(&[])?;
        d.ops.async_eval(&[&a, &sum, &a])?;
        d.ops.eval(&[&sum, &b])?;
        Ok(vec![sum])
    }),
    (&["over"], over),
    (&["read", "read_if_ready", "element_type", "dims", "len", "is_empty", "clone"], reads),
    (&["new", "call"], compiled),
    (
        &[
            "load",
            "version",
            "device_count",
            "default_kind",
            "check_kind",
            "device",
            "stream",
            "memory",
            "limit_memory",
            "limit_cache",
            "limit_wired",
            "set_fusing",
            "clear_cache",
            "kind",
            "wait",
            "mlx",
            "is_tracing",
        ],
        runtime,
    ),
];
