//! Compares every form of product on every instruction set with a plain loop in `f64`.

mod long;

use super::*;
use rlx_ir::math::random::SplitMix64;
use rlx_simd::isa::Isa;
use rlx_simd::vector::Function;

/// Pseudo-random numbers in −1..1 that f32 represents exactly.
pub(super) struct Numbers(SplitMix64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Self {
        Numbers(SplitMix64::new(seed))
    }

    fn next(&mut self) -> f64 {
        (self.0.bits() >> 40) as f64 / (1u64 << 23) as f64 - 1.0
    }

    pub(super) fn fill<E: Element>(&mut self, len: usize) -> Vec<E> {
        (0..len).map(|_| E::from_f64(self.next())).collect()
    }
}

fn cpus() -> Vec<Cpu> {
    Isa::available().map(|isa| Cpu::with_isa(isa).unwrap()).collect()
}

fn run<E: Element>(
    cpu: Cpu,
    threads: usize,
    shape: &GemmShape,
    a: &[E],
    b: Rhs<'_, E>,
    c: &mut [E],
    epilogue: &Epilogue<'_, E>,
) {
    let gemm = Gemm::new(cpu, shape.clone(), threads).unwrap();
    let mut scratch = vec![0xffu8; gemm.scratch_bytes()];
    gemm.run(&Pool::new(threads).unwrap(), a, b, c, epilogue, &mut scratch).unwrap();
}

/// The operands of a product.
pub(super) struct Given<'a, E> {
    pub(super) shape: &'a GemmShape,
    pub(super) a: &'a [E],
    pub(super) b: &'a [E],
    /// Steps of B.
    pub(super) steps: Steps,
}

impl<E: Element> Given<'_, E> {
    /// Returns an element by the definition, and the sum of the magnitudes of its terms.
    fn element(&self, at: shape::Offsets, row: usize, column: usize) -> (f64, f64) {
        (0..self.shape.k).fold((0.0, 0.0), |(sum, magnitude), k| {
            let a = self.a[at.a + row * self.shape.a.row + k * self.shape.a.col].to_f64();
            let b = self.b[at.b + k * self.steps.row + column * self.steps.col].to_f64();
            (sum + a * b, magnitude + (a * b).abs())
        })
    }

    /// Compares C with the definition, element by element, after `finish` (called with sum, batch, row and column), and checks that nothing
    /// between its rows was written.
    pub(super) fn check(
        &self,
        name: &str,
        c: &[E],
        epsilon: f64,
        finish: impl Fn(f64, usize, usize, usize) -> f64,
    ) {
        let shape = self.shape;
        let mut touched = vec![false; c.len()];
        for batch in 0..shape.batches().unwrap() {
            let at = shape.offsets(batch);
            for row in 0..shape.m {
                for column in 0..shape.n {
                    let (sum, magnitude) = self.element(at, row, column);
                    let expected = finish(sum, batch, row, column);
                    let place = at.c + row * shape.c_row + column;
                    let got = c[place].to_f64();
                    let tolerance = epsilon * (shape.k as f64 * magnitude + expected.abs() + 1e-30);
                    assert!(
                        (got - expected).abs() <= tolerance,
                        "{name} {shape:?}: C[{batch}][{row}][{column}] = {got}, expected {expected}"
                    );
                    touched[place] = true;
                }
            }
        }
        for (place, _) in touched.iter().enumerate().filter(|(_, touched)| !**touched) {
            assert_eq!(c[place].to_f64(), 77.0, "{name} {shape:?}: wrote between rows, at {place}");
        }
    }
}

const SIZES: [(usize, usize, usize); 25] = [
    (1, 1, 1),
    (1, 1, 0),
    (3, 5, 0),
    (0, 4, 3),
    (4, 0, 3),
    (1, 7, 5),
    (2, 33, 17),
    (5, 3, 300),
    (7, 31, 64),
    (8, 32, 255),
    (9, 65, 257),
    (13, 16, 31),
    (14, 64, 256),
    (15, 47, 40),
    (29, 100, 19),
    (31, 1, 33),
    (64, 64, 64),
    (100, 3, 77),
    (128, 48, 32),
    (201, 95, 63),
    (33, 40, 700),
    (6, 70, 4500),
    (300, 40, 1500),
    (34, 70, 4500),
    (49, 33, 129),
];

fn all_forms<E: Element>(cpu: Cpu, epsilon: f64) {
    let (mut numbers, pool) = (Numbers::new(7), Pool::eager(3).unwrap());
    for (m, n, k) in SIZES {
        let b_forms = [
            ("row-major", Steps { row: n, col: 1 }),
            ("column-major", Steps { row: 1, col: k }),
            ("wide", Steps { row: n + 3, col: 1 }),
            ("sparse", Steps { row: 2 * n, col: 2 }),
        ];
        let a_forms = [Steps { row: k, col: 1 }, Steps { row: 1, col: m }, Steps { row: 3 * k + 1, col: 3 }];
        for (index, (name, steps)) in b_forms.into_iter().enumerate() {
            let a_steps = a_forms[(index + m) % a_forms.len()];
            let shape = GemmShape {
                a: a_steps,
                b: RhsForm::Strided(steps),
                c_row: n + index,
                ..GemmShape::row_major(m, n, k)
            };
            let extents = shape.extents().unwrap();
            let (a, b) = (numbers.fill::<E>(extents.a), numbers.fill::<E>(extents.b));
            let mut c = vec![E::from_f64(77.0); extents.c];
            run(cpu, 1, &shape, &a, Rhs::Strided(&b), &mut c, &Epilogue::none());
            let given = Given { shape: &shape, a: &a, b: &b, steps };
            given.check(name, &c, epsilon, |sum, _, _, _| sum);

            let packed = PackedB::pack(&pool, cpu, k, n, steps, &b).unwrap();
            let shape = GemmShape { b: RhsForm::Packed, ..shape };
            let mut again = vec![E::from_f64(77.0); extents.c];
            run(cpu, 2, &shape, &a, Rhs::Packed(&packed), &mut again, &Epilogue::none());
            assert_eq!(c, again, "packed and strided differ: {name} {shape:?}");
        }
    }
}

#[test]
fn f32_of_every_size_and_form() {
    cpus().into_iter().for_each(|cpu| all_forms::<f32>(cpu, 1.2e-7));
}

#[test]
fn f64_of_every_size_and_form() {
    cpus().into_iter().for_each(|cpu| all_forms::<f64>(cpu, 2.3e-16));
}

#[test]
fn batches_with_steps_of_their_own() {
    // Attention's layout: heads are interleaved in rows of A and C, and two heads share one B.
    let (batch, heads, rows, inner, columns) = (2, 4, 5, 6, 7);
    let steps = Steps { row: columns, col: 1 };
    let shape = GemmShape {
        m: rows,
        n: columns,
        k: inner,
        a: Steps { row: heads * inner, col: 1 },
        b: RhsForm::Strided(steps),
        c_row: heads * columns,
        batch: vec![
            BatchDim {
                size: batch,
                a: rows * heads * inner,
                b: 2 * inner * columns,
                c: rows * heads * columns,
                residual: 3,
            },
            BatchDim { size: 2, a: 2 * inner, b: inner * columns, c: 2 * columns, residual: 0 },
            BatchDim { size: 2, a: inner, b: 0, c: columns, residual: 1 },
        ],
    };
    let extents = shape.extents().unwrap();
    let mut numbers = Numbers::new(9);
    let (a, b) = (numbers.fill::<f32>(extents.a), numbers.fill::<f32>(extents.b));
    let residual: Vec<f32> = numbers.fill(shape.residual_extent(10).unwrap());
    for cpu in cpus() {
        let mut c = vec![77f32; extents.c];
        let epilogue = Epilogue::none().residual(Join::AddAfter, &residual, 10);
        run(cpu, 2, &shape, &a, Rhs::Strided(&b), &mut c, &epilogue);
        let given = Given { shape: &shape, a: &a, b: &b, steps };
        given.check("batched", &c, 1.2e-7, |sum, batch, row, column| {
            sum + f64::from(residual[shape.offsets(batch).residual + row * 10 + column])
        });
    }
}

/// Divides `0..len` into pieces of at least `size`, or returns it as one.
fn pieces(len: usize, size: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let count = (len / size).max(1);
    (0..count).map(move |index| plan::part(len, count, index))
}

#[test]
fn threads_and_cuts_do_not_change_a_bit() {
    let mut numbers = Numbers::new(11);
    for cpu in cpus() {
        for (m, n, k) in [(1, 700, 300), (100, 300, 200), (333, 129, 600), (40, 50, 5000)] {
            let (a, b) = (numbers.fill::<f32>(m * k), numbers.fill::<f32>(k * n));
            let bias: Vec<f32> = numbers.fill(n);
            let epilogue = Epilogue::none().column_bias(&bias).activation(Activation::Gelu);
            let whole = |threads: usize| {
                let mut c = vec![0f32; m * n];
                let shape = GemmShape::row_major(m, n, k);
                run(cpu, threads, &shape, &a, Rhs::Strided(&b), &mut c, &epilogue);
                c
            };
            let one = whole(1);
            assert_eq!(one, whole(2));
            assert_eq!(one, whole(5));
            // Our own products have the same bits however they are divided; a library's sums need not equal those of smaller products.
            if Gemm::<f32>::new(cpu, GemmShape::row_major(m, n, k), 1).unwrap().is_for_library() {
                continue;
            }
            // The same product in pieces of rows and of columns, of an odd size, or with a matrix unit of a size that it takes.
            let unit = Gemm::<f32>::new(cpu, GemmShape::row_major(m, n, k), 1).unwrap().is_for_unit();
            let mut by_rows = vec![0f32; m * n];
            for part in pieces(m, if unit { 33 } else { 9 }) {
                let (start, rows) = (part.start, part.len());
                let shape = GemmShape::row_major(rows, n, k);
                let c = &mut by_rows[start * n..];
                run(cpu, 1, &shape, &a[start * k..], Rhs::Strided(&b), c, &epilogue);
            }
            assert_eq!(one, by_rows);
            let mut by_columns = vec![0f32; m * n];
            for part in pieces(n, if unit { 33 } else { 23 }) {
                let (start, columns) = (part.start, part.len());
                let steps = Steps { row: n, col: 1 };
                let shape = GemmShape {
                    n: columns,
                    b: RhsForm::Strided(steps),
                    c_row: n,
                    ..GemmShape::row_major(m, n, k)
                };
                let epilogue = Epilogue::none().column_bias(&bias[start..]).activation(Activation::Gelu);
                run(cpu, 2, &shape, &a, Rhs::Strided(&b[start..]), &mut by_columns[start..], &epilogue);
            }
            assert_eq!(one, by_columns);
        }
    }
}

#[test]
fn weights_in_sixteen_bits_equal_the_same_weights_widened() {
    let (mut numbers, pool) = (Numbers::new(13), Pool::eager(3).unwrap());
    for cpu in cpus() {
        for (m, n, k) in [(1, 40, 50), (20, 67, 301), (3, 10, 2500), (47, 67, 301), (20, 96, 128)] {
            let a: Vec<f32> = numbers.fill(m * k);
            for form in [Narrow::Bf16, Narrow::F16] {
                let values: Vec<f32> = numbers.fill(k * n);
                let bits: Vec<u16> = values
                    .iter()
                    .map(|&value| match form {
                        Narrow::Bf16 => half::bf16::from_f32(value).to_bits(),
                        Narrow::F16 => half::f16::from_f32(value).to_bits(),
                    })
                    .collect();
                let wide: Vec<f32> = bits
                    .iter()
                    .map(|&bits| match form {
                        Narrow::Bf16 => half::bf16::from_bits(bits).to_f32(),
                        Narrow::F16 => half::f16::from_bits(bits).to_f32(),
                    })
                    .collect();
                let steps = Steps { row: 1, col: k };
                let narrow = PackedB::pack_narrow(&pool, cpu, k, n, steps, form, &bits).unwrap();
                let full = PackedB::pack(&pool, cpu, k, n, steps, &wide).unwrap();
                assert_eq!(2 * narrow.bytes(), full.bytes());
                let shape = GemmShape::with_packed(m, n, k);
                let (mut c, mut expected) = (vec![0f32; m * n], vec![0f32; m * n]);
                run(cpu, 1, &shape, &a, Rhs::Packed(&narrow), &mut c, &Epilogue::none());
                // The matrix unit takes few rows only with weights in bf16; for f32 it gets as many rows as it needs, and the extra ones
                // are zeros.
                let on_unit = cpu.isa() == Isa::Amx && form == Narrow::Bf16 && m >= 9;
                let rows = if on_unit { m.max(33) } else { m };
                let mut a = a.clone();
                a.resize(rows * k, 0.0);
                expected.resize(rows * n, 0.0);
                let shape = GemmShape::with_packed(rows, n, k);
                run(cpu, 1, &shape, &a, Rhs::Packed(&full), &mut expected, &Epilogue::none());
                assert_eq!(c, expected[..m * n]);
                // The same for weights in memory that are not packed, by columns and by rows.
                if on_unit {
                    continue;
                }
                let shape = |steps| GemmShape { b: RhsForm::Narrow(steps), ..GemmShape::row_major(m, n, k) };
                let mut found = vec![f32::NAN; m * n];
                run(
                    cpu,
                    3,
                    &shape(steps),
                    &a[..m * k],
                    Rhs::Narrow(form, &bits),
                    &mut found,
                    &Epilogue::none(),
                );
                assert_eq!(found, c, "{m}×{n}×{k} on {}", cpu.isa());
                let by_rows: Vec<u16> = (0..k * n).map(|i| bits[i % n * k + i / n]).collect();
                let row_major = shape(Steps::row_major(n));
                run(
                    cpu,
                    2,
                    &row_major,
                    &a[..m * k],
                    Rhs::Narrow(form, &by_rows),
                    &mut found,
                    &Epilogue::none(),
                );
                assert_eq!(found, c, "{m}×{n}×{k} by rows on {}", cpu.isa());
                // Numbers widened to 64 bits give the same.
                let doubles: Vec<f64> = a[..m * k].iter().map(|&x| x.into()).collect();
                let wide: Vec<f64> = wide.iter().map(|&x| x.into()).collect();
                let (mut c, mut expected) = (vec![0f64; m * n], vec![0f64; m * n]);
                run(cpu, 2, &shape(steps), &doubles, Rhs::Narrow(form, &bits), &mut c, &Epilogue::none());
                let strided = GemmShape { b: RhsForm::Strided(steps), ..GemmShape::row_major(m, n, k) };
                run(cpu, 2, &strided, &doubles, Rhs::Strided(&wide), &mut expected, &Epilogue::none());
                assert_eq!(c, expected, "{m}×{n}×{k} of f64 on {}", cpu.isa());
            }
        }
    }
}

#[test]
fn epilogues_do_what_they_say() {
    let (m, n, k) = (17, 39, 20);
    let mut numbers = Numbers::new(17);
    let (a, b) = (numbers.fill::<f32>(m * k), numbers.fill::<f32>(k * n));
    let (columns, rows) = (numbers.fill::<f32>(n), numbers.fill::<f32>(m));
    let residual: Vec<f32> = numbers.fill(m * n);
    let d = |row: usize, column: usize| f64::from(residual[row * n + column]);
    let relu = |x: f64| x.max(0.0);
    let shape = GemmShape::row_major(m, n, k);
    let steps = Steps::row_major(n);
    let twice = |piece: Piece<'_, f32>| {
        assert!(piece.row < m && piece.column + piece.elements.len() <= n && piece.batch == 0);
        piece.elements.iter_mut().for_each(|x| *x *= 2.0);
    };
    type Finish<'a> = &'a dyn Fn(f64, usize, usize) -> f64;
    let cases: [(&str, Epilogue<'_, f32>, Finish<'_>); 7] = [
        ("scale", Epilogue::none().scale(0.5), &|x, _, _| 0.5 * x),
        ("column bias", Epilogue::none().column_bias(&columns), &|x, _, c| x + f64::from(columns[c])),
        ("row bias", Epilogue::none().scale(2.0).row_bias(&rows), &|x, r, _| 2.0 * x + f64::from(rows[r])),
        (
            "add before",
            Epilogue::none().residual(Join::AddBefore, &residual, n).activation(Activation::Relu),
            &|x, r, c| relu(x + d(r, c)),
        ),
        (
            "add after",
            Epilogue::none().activation(Activation::Relu).residual(Join::AddAfter, &residual, n),
            &|x, r, c| relu(x) + d(r, c),
        ),
        (
            "multiply after",
            Epilogue::none().activation(Activation::Relu).residual(Join::MultiplyAfter, &residual, n),
            &|x, r, c| relu(x) * d(r, c),
        ),
        ("then", Epilogue::none().then(&twice), &|x, _, _| 2.0 * x),
    ];
    for cpu in cpus() {
        for (name, epilogue, finish) in &cases {
            let mut c = vec![77f32; m * n];
            run(cpu, 2, &shape, &a, Rhs::Strided(&b), &mut c, epilogue);
            let given = Given { shape: &shape, a: &a, b: &b, steps };
            given.check(name, &c, 2.4e-7, |x, _, row, column| finish(x, row, column));
        }
    }
}

#[test]
fn activations_are_the_functions_of_their_names() {
    let (m, n, k) = (9, 45, 8);
    let mut numbers = Numbers::new(23);
    let (a, b) = (numbers.fill::<f32>(m * k), numbers.fill::<f32>(k * n));
    let widen = |x: &[f32]| x.iter().copied().map(f64::from).collect::<Vec<f64>>();
    let (wide_a, wide_b) = (widen(&a), widen(&b));
    let bias: Vec<f64> = numbers.fill(n);
    let shape = GemmShape::row_major(m, n, k);
    let steps = Steps::row_major(n);
    let cases = [
        (Activation::Gelu, Function::Gelu),
        (Activation::GeluTanh, Function::GeluTanh),
        (Activation::Silu, Function::Silu),
        (Activation::Tanh, Function::Tanh),
        (Activation::Sigmoid, Function::Sigmoid),
    ];
    for cpu in cpus() {
        for (activation, function) in cases {
            let mut c = vec![77f32; m * n];
            let epilogue = Epilogue::none().scale(2.0).activation(activation);
            run(cpu, 2, &shape, &a, Rhs::Strided(&b), &mut c, &epilogue);
            let given = Given { shape: &shape, a: &a, b: &b, steps };
            given.check("f32", &c, 6e-7, |sum, _, _, _| function.of_f64(2.0 * sum));

            let mut c = vec![77f64; m * n];
            let epilogue = Epilogue::none().column_bias(&bias).activation(activation);
            run(cpu, 2, &shape, &wide_a, Rhs::Strided(&wide_b), &mut c, &epilogue);
            let given = Given { shape: &shape, a: &wide_a, b: &wide_b, steps };
            given.check("f64", &c, 1e-15, |sum, _, _, column| function.of_f64(sum + bias[column]));
        }
    }
}

#[test]
fn a_residual_may_be_the_output_itself() {
    let mut numbers = Numbers::new(19);
    for cpu in cpus() {
        for (m, n, k) in [(20, 50, 30), (20, 50, 5000)] {
            let (a, b) = (numbers.fill::<f32>(m * k), numbers.fill::<f32>(k * n));
            let residual: Vec<f32> = numbers.fill(m * n);
            let shape = GemmShape::row_major(m, n, k);
            let mut expected = vec![0f32; m * n];
            let apart = Epilogue::none().residual(Join::AddAfter, &residual, n);
            run(cpu, 2, &shape, &a, Rhs::Strided(&b), &mut expected, &apart);

            let mut c = residual.clone();
            let gemm = Gemm::new(cpu, shape, 2).unwrap();
            let mut scratch = vec![0u8; gemm.scratch_bytes()];
            let place = c.as_mut_ptr();
            // SAFETY: the vectors hold the matrices; the residual is C itself.
            unsafe {
                let epilogue = Epilogue::none().residual_at(Join::AddAfter, place, n);
                let pool = Pool::new(2).unwrap();
                let b = RhsAt::Strided(b.as_ptr());
                gemm.run_at(&pool, LhsAt::Strided(a.as_ptr()), b, place, &epilogue, &mut scratch).unwrap();
            }
            assert_eq!(c, expected);
        }
    }
}

/// Scratch memory is computed for all threads that a run may have, however many were requested.
#[test]
fn any_number_of_threads_can_be_planned_for() {
    for cpu in cpus() {
        let plan = |threads| Gemm::<f32>::new(cpu, GemmShape::row_major(300, 200, 100), threads).unwrap();
        let each = plan(2).scratch_bytes() - plan(1).scratch_bytes();
        assert!(plan(usize::MAX).scratch_bytes() / (1 << 16) >= each.min(64), "{each}");
        let needed = plan(usize::MAX).scratch_bytes();
        let (a, b, mut c) = (vec![0f32; 30_000], vec![0f32; 20_000], vec![0f32; 60_000]);
        let (pool, none) = (Pool::new(1).unwrap(), Epilogue::none());
        let run = plan(usize::MAX).run(&pool, &a, Rhs::Strided(&b), &mut c, &none, &mut [0; 64]);
        assert_eq!(run, Err(GemmError::ScratchTooSmall { needed, got: 64 }));
    }
}

/// Products without columns have no tasks, however many products there are.
#[test]
fn empty_products_have_no_tasks() {
    let dim = BatchDim { size: usize::MAX, ..BatchDim::default() };
    let shape = GemmShape { batch: vec![dim], ..GemmShape::row_major(1 << 20, 0, 4) };
    let gemm = Gemm::<f32>::new(Cpu::detect(), shape, 2).unwrap();
    let (a, mut scratch) = (vec![0f32; 4 << 20], vec![0; gemm.scratch_bytes()]);
    let pool = Pool::new(2).unwrap();
    gemm.run(&pool, &a, Rhs::Strided(&[]), &mut [], &Epilogue::none(), &mut scratch).unwrap();
}

/// Row-major matrices that are read element by element.
struct Read<'a, E> {
    elements: &'a [E],
    height: usize,
    width: usize,
}

impl<E: Element> Rows<E> for Read<'_, E> {
    unsafe fn read(
        &self,
        batch: usize,
        rows: std::ops::Range<usize>,
        columns: std::ops::Range<usize>,
        target: *mut E,
        step: usize,
    ) {
        for (i, row) in rows.enumerate() {
            for (j, column) in columns.clone().enumerate() {
                let x = self.elements[(batch * self.height + row) * self.width + column];
                // SAFETY: the product has room for the part.
                unsafe { *target.add(i * step + j) = x };
            }
        }
    }
}

fn read_and_given<E: Element>(cpu: Cpu) {
    let mut numbers = Numbers::new(29);
    for (m, n, k) in SIZES.into_iter().filter(|&(m, n, _)| m * n > 0) {
        for batch in [1, 3] {
            let (a, b) = (numbers.fill::<E>(batch * m * k), numbers.fill::<E>(batch * k * n));
            let dim = BatchDim { size: batch, a: m * k, b: k * n, c: m * n, residual: 0 };
            let shape = GemmShape { batch: vec![dim], ..GemmShape::row_major(m, n, k) };
            let mut expected = vec![E::ZERO; batch * m * n];
            run(cpu, 1, &shape, &a, Rhs::Strided(&b), &mut expected, &Epilogue::none());

            let shape = GemmShape { b: RhsForm::Rows, ..shape };
            let gemm = Gemm::new(cpu, shape, 2).unwrap();
            let mut scratch = vec![0xffu8; gemm.scratch_bytes()];
            let got = std::sync::Mutex::new(vec![E::from_f64(77.0); batch * m * n]);
            let take = |piece: Piece<'_, E>| {
                let at = (piece.batch * m + piece.row) * n + piece.column;
                got.lock().unwrap()[at..at + piece.elements.len()].copy_from_slice(piece.elements);
            };
            let lhs = Read { elements: &a, height: m, width: k };
            let rhs = Read { elements: &b, height: k, width: n };
            // SAFETY: the operands are read as they were planned; C is not written.
            unsafe {
                let epilogue = Epilogue::none().instead_of_store(&take);
                let (lhs, rhs) = (LhsAt::Rows(&lhs), RhsAt::Rows(&rhs));
                let pool = Pool::new(2).unwrap();
                gemm.run_at(&pool, lhs, rhs, std::ptr::null_mut(), &epilogue, &mut scratch).unwrap();
            }
            assert_eq!(got.into_inner().unwrap(), expected, "{m} {n} {k}, batch {batch}");
        }
    }
}

#[test]
fn operands_may_be_read_and_results_given_away() {
    for cpu in cpus() {
        read_and_given::<f32>(cpu);
        read_and_given::<f64>(cpu);
    }
}

#[test]
fn not_a_number_and_infinity_pass_through() {
    for cpu in cpus() {
        for (m, k) in [(5, 3), (70, 300)] {
            let n = 40;
            let mut a = vec![1f32; m * k];
            let mut b = vec![1f32; k * n];
            a[k + 1] = f32::NAN;
            a[2 * k] = f32::INFINITY;
            a[3 * k] = f32::MAX;
            a[4 * k] = f32::from_bits(0x7f80_0001); // a NaN that differs from infinity in its last bit alone
            b[n + 39] = f32::NEG_INFINITY;
            b[7] = 0.0; // meets the infinity of row 2
            for steps in [Steps { row: n, col: 1 }, Steps { row: 1, col: k }] {
                let b: Vec<f32> = match steps.col {
                    1 => b.clone(),
                    _ => (0..n).flat_map(|column| b.iter().skip(column).step_by(n)).copied().collect(),
                };
                let mut c = vec![0f32; m * n];
                let shape = GemmShape { b: RhsForm::Strided(steps), ..GemmShape::row_major(m, n, k) };
                run(cpu, 1, &shape, &a, Rhs::Strided(&b), &mut c, &Epilogue::none());
                for (row, c) in c.chunks_exact(n).enumerate() {
                    for (column, &x) in c.iter().enumerate() {
                        let expected = match (row, column) {
                            (1 | 4, _) | (2, 7 | 39) => f32::NAN,
                            (2, _) => f32::INFINITY,
                            (3, 0..7 | 8..39) => f32::MAX,
                            (_, 39) => f32::NEG_INFINITY,
                            (_, 7) => k as f32 - 1.0,
                            _ => k as f32,
                        };
                        let same = x == expected || x.is_nan() && expected.is_nan();
                        assert!(
                            same,
                            "{} {m}×{n}×{k} [{row}][{column}]: {x}, expected {expected}",
                            cpu.isa()
                        );
                    }
                }
            }
        }
    }
}

/// Returns numbers of many magnitudes, so that the test notices if small numbers are lost next to large ones.
fn of_many_magnitudes(numbers: &mut Numbers, len: usize) -> Vec<f32> {
    (0..len).map(|_| (numbers.next() * 2f64.powf(40.0 * numbers.next())) as f32).collect()
}

#[test]
fn sums_of_the_matrix_unit_are_as_exact_as_chains_of_f32() {
    let Ok(unit) = Cpu::with_isa(Isa::Amx) else { return };
    let mut numbers = Numbers::new(23);
    for k in [32, 100, 384, 1536, 4096] {
        let (m, n) = (64, 64);
        for many in [false, true] {
            let mut fill =
                |len| if many { of_many_magnitudes(&mut numbers, len) } else { numbers.fill::<f32>(len) };
            let (a, b) = (fill(m * k), fill(k * n));
            let shape = GemmShape::row_major(m, n, k);
            let given = Given { shape: &shape, a: &a, b: &b, steps: Steps::row_major(n) };
            // Root mean square of the errors, each relative to the sum of the magnitudes of its terms.
            let error = |c: &[f32]| {
                let squares = (0..m * n).map(|at| {
                    let (sum, magnitude) = given.element(shape.offsets(0), at / n, at % n);
                    ((f64::from(c[at]) - sum) / magnitude).powi(2)
                });
                (squares.sum::<f64>() / (m * n) as f64).sqrt()
            };
            let mut c = vec![0f32; m * n];
            run(unit, 1, &shape, &a, Rhs::Strided(&b), &mut c, &Epilogue::none());
            let chain = |at: usize| {
                let (row, column) = (at / n, at % n);
                (0..k).fold(0f32, |sum, i| a[row * k + i].mul_add(b[i * n + column], sum))
            };
            let chains: Vec<f32> = (0..m * n).map(chain).collect();
            let (unit, chains) = (error(&c), error(&chains));
            assert!(unit <= 1.25 * chains, "K {k}, many magnitudes {many}: {unit:e}, chains {chains:e}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let cpu = Cpu::detect();
    let plan = |shape: GemmShape| Gemm::<f32>::new(cpu, shape, 2);
    let huge = 1usize << 40;
    assert!(matches!(
        plan(GemmShape::row_major(huge, huge, 1)),
        Err(GemmError::Overflow { operand: "C", .. })
    ));
    let overlapping = GemmShape { c_row: 3, ..GemmShape::row_major(2, 4, 5) };
    assert_eq!(plan(overlapping).unwrap_err(), GemmError::OverlappingOutput);
    let same_place = BatchDim { size: 2, a: 10, b: 20, c: 0, residual: 0 };
    let shape = GemmShape { batch: vec![same_place], ..GemmShape::row_major(2, 4, 5) };
    assert_eq!(plan(shape).unwrap_err(), GemmError::OverlappingOutput);
    let shape = GemmShape { batch: vec![BatchDim { c: 8, ..same_place }], ..GemmShape::with_packed(2, 4, 5) };
    assert_eq!(plan(shape).unwrap_err(), GemmError::BatchedPacked);

    let gemm = plan(GemmShape::row_major(2, 4, 5)).unwrap();
    let (a, b, mut c) = (vec![0f32; 10], vec![0f32; 20], vec![0f32; 8]);
    let mut scratch = vec![0u8; gemm.scratch_bytes()];
    let one = Pool::new(1).unwrap();
    let none = Epilogue::none();
    let short = |operand, needed, got| Err(GemmError::TooShort { operand, needed, got });
    let got = gemm.run(&one, &a[1..], Rhs::Strided(&b), &mut c, &none, &mut scratch);
    assert_eq!(got, short("A", 10, 9));
    let got = gemm.run(&one, &a, Rhs::Strided(&b[1..]), &mut c, &none, &mut scratch);
    assert_eq!(got, short("B", 20, 19));
    let got = gemm.run(&one, &a, Rhs::Strided(&b), &mut c[1..], &none, &mut scratch);
    assert_eq!(got, short("C", 8, 7));
    let got = gemm.run(&one, &a, Rhs::Strided(&b), &mut c, &none.column_bias(&a[..3]), &mut scratch);
    assert_eq!(got, short("the column bias", 4, 3));
    let got = gemm.run(
        &one,
        &a,
        Rhs::Strided(&b),
        &mut c,
        &none.residual(Join::AddAfter, &a[..7], 4),
        &mut scratch,
    );
    assert_eq!(got, short("the residual", 8, 7));
    let needed = scratch.len();
    let got = gemm.run(&one, &a, Rhs::Strided(&b), &mut c, &none, &mut scratch[1..]);
    assert_eq!(got, Err(GemmError::ScratchTooSmall { needed, got: needed - 1 }));
    let three = Pool::new(3).unwrap();
    let got = gemm.run(&three, &a, Rhs::Strided(&b), &mut c, &none, &mut scratch);
    assert_eq!(got, Err(GemmError::TooManyThreads { planned: 2, got: 3 }));
    let packed = PackedB::pack(&one, cpu, 5, 4, Steps::row_major(4), &b).unwrap();
    let got = gemm.run(&one, &a, Rhs::Packed(&packed), &mut c, &none, &mut scratch);
    assert!(matches!(got, Err(GemmError::WrongForm { .. })));
    let other = plan(GemmShape::with_packed(2, 4, 6)).unwrap();
    let mut scratch = vec![0u8; other.scratch_bytes()];
    let got = other.run(&one, &[0f32; 12], Rhs::Packed(&packed), &mut c, &none, &mut scratch);
    assert!(matches!(got, Err(GemmError::PackedMismatch { k: 6, got_k: 5, .. })));
    assert!(PackedB::pack(&one, cpu, 5, 5, Steps::row_major(5), &b).is_err());
}
