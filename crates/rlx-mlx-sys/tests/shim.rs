//! The shim with MLX, if available: results compared with arithmetic in the tests.

use rlx_mlx_sys::{
    Binary, Combine, CompiledFunction, ElementType, Kind, LoadError, Mlx, MlxArray, MlxError, Ops, Slices,
    Stream, Unary,
};

/// Returns MLX on the CPU, or `None` if this crate was built without it.
fn mlx() -> Option<Mlx> {
    match Mlx::load(None) {
        Ok(mlx) => Some(mlx),
        Err(e) => {
            assert_eq!(e, LoadError::Missing);
            None
        }
    }
}

/// Memory with several owners.
struct Shared(std::sync::Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn stream(mlx: Mlx) -> Stream {
    mlx.stream(Kind::Cpu, 0).expect("a stream")
}

fn of<const N: usize>(mlx: Mlx, values: [f32; N]) -> MlxArray {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    MlxArray::from_bytes(mlx, &bytes, &[N], ElementType::F32).expect("an array")
}

fn ints<const N: usize>(mlx: Mlx, values: [i32; N]) -> MlxArray {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    MlxArray::from_bytes(mlx, &bytes, &[N], ElementType::I32).expect("an array")
}

fn floats(ops: Ops<'_>, array: &MlxArray) -> Vec<f32> {
    let bytes = ops.bytes(array).expect("values");
    bytes.chunks(4).map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

fn whole(ops: Ops<'_>, array: &MlxArray) -> Vec<i32> {
    let bytes = ops.bytes(array).expect("values");
    bytes.chunks(4).map(|c| i32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

#[test]
fn graphs_are_computed() {
    let Some(mlx) = mlx() else { return };
    let s = stream(mlx);
    let ops = Ops::new(&s, &s);
    let x = of(mlx, [1.0, 2.0, 3.0]);
    let y = ops.binary(Binary::Multiply, &x, &x).and_then(|y| ops.unary(Unary::Sqrt, &y)).expect("a graph");
    assert_eq!(floats(ops, &y), [1.0, 2.0, 3.0]);
    let sum = ops.reduce(Combine::Sum, &y, &[0]).expect("a sum");
    assert_eq!((floats(ops, &sum), sum.dims()), (vec![6.0], vec![]));
}

#[test]
fn what_mlx_refuses_is_an_error() {
    let Some(mlx) = mlx() else { return };
    let s = stream(mlx);
    let ops = Ops::new(&s, &s);
    let (a, b) = (of(mlx, [1.0, 2.0]), of(mlx, [1.0, 2.0, 3.0]));
    let error = ops.binary(Binary::Add, &a, &b).expect_err("shapes differ").to_string();
    assert!(error.starts_with("MLX: ") && error.contains("(2)") && error.contains("(3)"), "{error}");
    let error = ops.reshape(&a, &[usize::MAX]).expect_err("no such size");
    assert_eq!(error, MlxError::TooLarge(usize::MAX));
    let large = ops.broadcast_to(&of(mlx, [1.0]), &[1 << 30, 1 << 20]).expect_err("4 PiB");
    assert!(matches!(large, MlxError::OutOfMemory { bytes: 4503599627370496, .. }), "{large}");
    assert_eq!(floats(ops, &a), [1.0, 2.0], "and goes on");
}

#[test]
fn nothing_is_read_outside_and_nothing_traps() {
    let Some(mlx) = mlx() else { return };
    let s = stream(mlx);
    let ops = Ops::new(&s, &s);
    let x = of(mlx, [1.0, 2.0, 3.0]);
    let taken = ops.take(&x, &ints(mlx, [-5, 0, 2, 1 << 30]), 0).expect("taken");
    assert_eq!(floats(ops, &taken), [1.0, 1.0, 3.0, 3.0]);
    let updates = ops.reshape(&of(mlx, [10.0, 20.0]), &[2, 1]).expect("updates");
    let at = ints(mlx, [-1, 99]);
    let added = ops.scatter(Combine::Sum, &x, &[&at], &updates, &[0]).expect("added");
    assert_eq!(floats(ops, &added), [11.0, 2.0, 23.0]);
    assert!(matches!(ops.as_strided(&x, &[2, 2], &[2, 1], 0), Err(MlxError::Argument(_))));
    let view = ops.as_strided(&x, &[2, 2], &[1, 1], 0).expect("a view");
    assert_eq!(floats(ops, &view), [1.0, 2.0, 2.0, 3.0]);
    let wide = MlxArray::from_bytes(mlx, &3u64.to_le_bytes(), &[1], ElementType::U64).expect("an array");
    let wide = ops.inside(&wide, 3).expect("an index");
    assert_eq!((wide.element_type(), whole(ops, &wide)), (ElementType::I32, vec![2]));
    let rows = ops.reshape(&of(mlx, [1.0, 2.0, 3.0]), &[3, 1, 1]).expect("rows");
    let matrices = ops.reshape(&of(mlx, [10.0, 20.0]), &[2, 1, 1]).expect("matrices");
    let products = ops.gather_mm(&rows, &matrices, &ints(mlx, [-1, 1, 99]), true).expect("products");
    assert_eq!((floats(ops, &products), products.dims()), (vec![10.0, 40.0, 60.0], vec![3, 1, 1]));
    let none = ops.full(&[0, 1, 1], &of(mlx, [0.0])).expect("no matrices");
    assert!(matches!(ops.gather_mm(&rows, &none, &ints(mlx, [0]), true), Err(MlxError::Argument(_))));
    let part = ops.slice_at(&x, &ints(mlx, [7]), &[0], &[2]).expect("a part");
    assert_eq!(floats(ops, &part), [2.0, 3.0]);
    let (a, b) = (ints(mlx, [7, -7, i32::MIN, 5]), ints(mlx, [2, 2, -1, 0]));
    assert_eq!(whole(ops, &ops.divide_integers(&a, &b).expect("quotients")), [3, -3, i32::MIN, 5]);
    assert_eq!(whole(ops, &ops.remainder_integers(&a, &b).expect("remainders")), [1, -1, 0, 0]);
    assert_eq!(
        whole(ops, &ops.shift(true, &a, &ints(mlx, [1, 1, 33, -1])).expect("shifted"))[..2],
        [14, -14]
    );
    assert!(ops.binary(Binary::Remainder, &a, &b).is_err());
}

#[test]
fn functions_are_compiled_once_and_called_from_any_thread() {
    let Some(mlx) = mlx() else { return };
    let s = std::sync::Arc::new(stream(mlx));
    let traces = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let (inner, counted) = (s.clone(), traces.clone());
    let body = move |x: &[&MlxArray]| {
        counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let ops = Ops::new(&inner, &inner);
        if ops.eval(&[x[0]]).is_ok() {
            return Err(MlxError::Failed("computed inside".into()));
        }
        Ok(vec![ops.binary(Binary::Add, x[0], x[0])?, ops.unary(Unary::Negative, x[0])?])
    };
    let f = CompiledFunction::new(mlx, 2, Box::new(body)).expect("a function");
    let ops = Ops::new(&s, &s);
    for round in 0..3 {
        let results = f.call(&[&of(mlx, [round as f32])]).expect("results");
        assert_eq!(floats(ops, &results[0]), [2.0 * round as f32]);
    }
    assert_eq!(traces.load(std::sync::atomic::Ordering::Relaxed), 1);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let own = stream(mlx);
                let results = f.call(&[&of(mlx, [3.0])]).expect("results");
                assert_eq!(floats(Ops::new(&own, &own), &results[1]), [-3.0]);
            });
        }
    });
    let wrong = CompiledFunction::new(mlx, 1, Box::new(|_| Err(MlxError::Argument("no graph".into()))));
    let wrong = wrong.expect("a function").call(&[&of(mlx, [1.0])]).expect_err("no graph");
    assert_eq!(wrong, MlxError::Argument("no graph".into()));
    drop(f);
}

#[test]
fn borrowed_memory_is_let_go_of_and_updated_never() {
    let Some(mlx) = mlx() else { return };
    let s = stream(mlx);
    let ops = Ops::new(&s, &s);
    let owner = std::sync::Arc::new(vec![1.0f32, 2.0]);
    let bytes: Vec<u8> = owner.iter().flat_map(|v| v.to_le_bytes()).collect();
    let memory = std::sync::Arc::new(bytes);
    let array = MlxArray::over(mlx, Shared(memory.clone()), &[2], ElementType::F32).expect("an array");
    let one = Slices { starts: vec![0], stops: vec![1], strides: vec![1] };
    let updated = ops.slice_update(&array, &of(mlx, [9.0]), &one).expect("updated");
    drop(array);
    assert_eq!(floats(ops, &updated), [9.0, 2.0]);
    assert_eq!(memory[..4], 1.0f32.to_le_bytes());
    drop(updated);
    assert_eq!(std::sync::Arc::strong_count(&memory), 1);
}
