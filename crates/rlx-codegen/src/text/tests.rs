//! The text form is lossless, and no text causes a panic.

use crate::kernel::{
    Axis, Block, BufferId, Carried, Cell, Combiner, Definition, Fact, Function, Guard, Joined, Kernel, Level,
    Place, ScalarId, Space, Stmt,
};
use crate::lower::{Launches, lower, single};
use crate::samples::{adder, groups};
use crate::swizzle::Swizzle;
use crate::tile::Tile;
use rlx_ir::math::Complex64;
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, Op, Scalar, Shape, Symbol, UnaryOp};
use std::sync::Arc;

/// Generates random kernels, valid or not. Only their buffers and scalars are sure to exist.
struct Generator {
    state: u64,
    kernel: Kernel,
    buffers: Vec<BufferId>,
}

impl Generator {
    fn kernel(seed: u64) -> Kernel {
        let mut g = Generator { state: seed, kernel: Kernel::default(), buffers: Vec::new() };
        g.kernel.name = g.pick(&["add", "two words", "max", ""]).into();
        for i in 0..g.below(4) {
            let place = g.pick(&[Place::In, Place::Out, Place::InOut]);
            g.add_buffer(format!("x{i}"), place);
        }
        for _ in 0..g.below(3) {
            let (dim, by) = (g.dim(1), g.below(9) as u32);
            g.kernel.facts.extend([Fact::Multiple { of: dim.clone(), by }, Fact::NotNegative(dim)]);
        }
        let locals = g.below(3);
        for i in 0..locals {
            let space = g.pick(&Space::ALL);
            g.add_buffer(format!("t {i}"), Place::Local(space));
            if g.below(3) == 0 {
                let [bits, from, to] = [(); 3].map(|()| g.below(9) as u32);
                g.kernel.buffers.last_mut().unwrap().swizzle = Some(Swizzle { bits, from, to });
            }
        }
        for _ in 0..g.below(12) {
            let dtype = g.pick(&DType::ALL);
            g.kernel.scalar(dtype);
        }
        g.kernel.body = g.block(3);
        // Sometimes arrays are made in the order in which the kernel lists them.
        if g.below(2) == 0 {
            let made = g.buffers.iter().filter(|b| !g.kernel.buffers[b.index()].place.is_param());
            let made: Vec<Stmt> = made.map(|&b| Stmt::Array(b)).collect();
            g.kernel.body.splice(0..0, made);
        }
        g.kernel
    }

    fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 33) as usize % limit
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn add_buffer(&mut self, name: String, place: Place) {
        let (dtype, extents) = (self.pick(&DType::ALL), self.dims(4));
        self.buffers.push(self.kernel.buffer(name, dtype, extents, place));
    }

    fn symbol(&mut self) -> Symbol {
        Symbol::new(self.pick(&["n", "_0", "_1", "floordiv", "a.b", "Größe", "give"]))
    }

    fn dim(&mut self, depth: usize) -> Dim {
        let leaf = depth == 0;
        match self.below(if leaf { 3 } else { 8 }) {
            0 => Dim::Static(self.below(9)),
            1 => Dim::Dynamic(self.symbol()),
            2 => Dim::Static(0).offset(self.below(9) as i64 - 4),
            3 => &self.dim(depth - 1) + &self.dim(depth - 1),
            4 => &self.dim(depth - 1) - &self.dim(depth - 1),
            5 => &self.dim(depth - 1) * &self.dim(depth - 1),
            6 => self.dim(depth - 1).larger(&self.dim(depth - 1)),
            _ => self.dim(depth - 1).floor_div(&Dim::Static(1 + self.below(5))),
        }
    }

    fn dims(&mut self, below: usize) -> Vec<Dim> {
        (0..self.below(below)).map(|_| self.dim(2)).collect()
    }

    fn scalar(&mut self) -> Option<ScalarId> {
        let count = self.kernel.scalars.len();
        (count > 0).then(|| ScalarId::new(self.below(count) as u32))
    }

    fn scalars(&mut self, below: usize) -> Vec<ScalarId> {
        (0..self.below(below)).filter_map(|_| self.scalar()).collect()
    }

    fn axes(&mut self, below: usize) -> Vec<Axis> {
        (0..self.below(below)).map(|_| self.axis()).collect()
    }

    fn axis(&mut self) -> Axis {
        let level = [Level::None, Level::MARKS[self.below(6)]][self.below(2)];
        Axis { symbol: self.symbol(), extent: self.dim(1), level }
    }

    fn cell(&mut self) -> Option<Cell> {
        let made = self.buffers.clone();
        (!made.is_empty()).then(|| Cell { buffer: self.pick(&made), at: self.dims(4) })
    }

    fn guard(&mut self) -> Guard {
        Guard(self.dims(3))
    }

    fn constant(&mut self) -> Scalar {
        let float =
            self.pick(&[0.5, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1e300, -2e-310, 0.1f32.into(), 3.0]);
        match self.below(3) {
            0 => Scalar::Float(float),
            1 => Scalar::Int(i128::from(self.below(1000) as i64 - 500)),
            _ => Scalar::Complex(Complex64 { re: float, im: -float }),
        }
    }

    fn value(&mut self) -> Option<Definition> {
        let ops = [
            Op::Binary { op: BinaryOp::Add },
            Op::Unary { op: UnaryOp::Exp },
            Op::Convert { dtype: DType::BF16 },
            Op::Compare { op: CompareOp::Le, total_order: true },
            Op::Select {},
            Op::Iota { shape: Shape::from_dims(&[Dim::dynamic("n")], DType::I32), axis: 0 },
            Op::If { then_branch: adder(), else_branch: adder() },
        ];
        Some(match self.below(7) {
            0 => Definition::Constant(self.constant()),
            1 => Definition::Index(self.dim(2)),
            2 => {
                let fill = if self.below(2) == 0 { self.scalar() } else { None };
                Definition::Load { cell: self.cell()?, guard: self.guard(), fill }
            }
            3 => Definition::Apply { op: Arc::new(self.pick(&ops)), args: self.scalars(4) },
            4 => Definition::Fma([self.scalar()?, self.scalar()?, self.scalar()?]),
            5 => Definition::Bitcast(self.scalar()?),
            _ => Definition::Holds(self.guard()),
        })
    }

    fn function(&mut self) -> Function {
        Function { params: self.scalars(3), body: self.block(0), results: self.scalars(3) }
    }

    fn carried(&mut self) -> Option<Vec<Carried>> {
        let mut carried = || {
            Some(Carried {
                first: self.scalar()?,
                inside: self.scalar()?,
                next: self.scalar()?,
                last: self.scalar()?,
            })
        };
        let all = [carried()?, carried()?];
        Some(all[..self.below(3)].to_vec())
    }

    fn tile(&mut self) -> Option<Tile> {
        Some(match self.below(4) {
            0 => {
                let fill = if self.below(2) == 0 { self.scalar() } else { None };
                let slot = [None, Some(self.dim(1))][self.below(2)].clone();
                let (axes, to, from) = (self.axes(3), self.cell()?, self.cell()?);
                Tile::Copy { axes, within: self.guard(), to, from, guard: self.guard(), fill, slot }
            }
            1 => Tile::Wait { slot: self.dim(2) },
            2 => {
                let (axes, over, sum) = (self.axes(3), self.axis(), self.cell()?);
                Tile::Dot { axes, over, sum, factors: [self.cell()?, self.cell()?] }
            }
            _ => {
                let row = self.pick(&["mma_m16n8k16_f16", "two words", ""]).into();
                Tile::Instr { row, operands: (0..self.below(4)).filter_map(|_| self.cell()).collect() }
            }
        })
    }

    fn block(&mut self, depth: usize) -> Block {
        (0..self.below(4)).filter_map(|_| self.stmt(depth)).collect()
    }

    fn stmt(&mut self, depth: usize) -> Option<Stmt> {
        let locals: Vec<BufferId> = self.buffers.clone();
        let locals: Vec<BufferId> =
            locals.into_iter().filter(|b| !self.kernel.buffers[b.index()].place.is_param()).collect();
        Some(match self.below(if depth == 0 { 6 } else { 11 }) {
            0 => Stmt::Let { scalar: self.scalar()?, value: self.value()? },
            1 => Stmt::Name { symbol: self.symbol(), scalar: self.scalar()?, extent: self.dim(1) },
            2 if locals.is_empty() => return None,
            2 => Stmt::Array(self.pick(&locals)),
            3 => Stmt::Store { cell: self.cell()?, guard: self.guard(), scalar: self.scalar()? },
            4 => Stmt::Barrier,
            5 => Stmt::Tile(Box::new(self.tile()?)),
            6 => Stmt::Par { axes: self.axes(3), body: self.block(depth - 1) },
            7 => Stmt::For {
                axis: self.axis(),
                reverse: self.below(2) == 0,
                carried: self.carried()?,
                body: self.block(depth - 1),
            },
            8 => Stmt::While {
                carried: self.carried()?,
                condition: self.block(depth - 1),
                again: self.scalar()?,
                body: self.block(depth - 1),
                bound: self.dim(1),
            },
            9 => {
                let joined =
                    Joined { then: self.scalar()?, otherwise: self.scalar()?, result: self.scalar()? };
                let joined = vec![joined; self.below(2)];
                Stmt::If {
                    condition: self.scalar()?,
                    then: self.block(depth - 1),
                    otherwise: self.block(depth - 1),
                    joined,
                }
            }
            _ => {
                let identity = self.scalars(3);
                let once = self.below(2) == 0;
                let combiner = Combiner { identity, once, step: self.function(), merge: self.function() };
                let (axes, body) = (self.axes(3), self.block(depth - 1));
                Stmt::Reduce { axes, combiner, body, elements: self.scalars(3), results: self.scalars(3) }
            }
        })
    }
}

fn check(kernel: &Kernel) {
    // The verifier accepts any kernel as input.
    let _ = crate::verify(kernel);
    let text = kernel.to_string();
    let read = Kernel::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(read == *kernel, "read as\n{read}\nfrom\n{text}\n{kernel:?}");
}

#[test]
fn any_kernel_is_read_as_it_was_written() {
    (0..4000).for_each(|seed| check(&Generator::kernel(seed)));
}

#[test]
fn bits_of_constants_that_are_not_numbers_are_kept() {
    let text = "kernel k() {\n  %0: f32 = constant 0xfff8000020000000\n}\n";
    let kernel = Kernel::parse(text).unwrap();
    assert_eq!(kernel.to_string(), text);
    let Stmt::Let { value: Definition::Constant(Scalar::Float(x)), .. } = &kernel.body[0] else { panic!() };
    assert_eq!(x.to_bits(), 0xfff8_0000_2000_0000);
}

#[test]
fn lowered_ops_are_read_as_they_were_written() {
    let groups = groups();
    assert!(groups.len() > 40);
    for group in groups {
        let launches = lower(&group).unwrap();
        let text = launches.to_string();
        let read = Launches::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert!(read == launches, "{text}");
        launches.launches.iter().for_each(|launch| check(&launch.kernel));
    }
}

#[test]
fn launches_read_as_they_print() {
    let x = Shape::from_dims(&[Dim::dynamic("n")], DType::F32);
    let group = single(&Op::Unary { op: UnaryOp::Exp }, std::slice::from_ref(&x), std::slice::from_ref(&x));
    let mut launches = lower(&group).unwrap();
    launches.temporaries.push(crate::lower::Temporary { dtype: DType::F32, extents: x.dims().to_vec() });
    launches.constants.push(rlx_ir::Literal::new(&[2], &[0.5f32, -1.0]).unwrap());
    expect_test::expect![[r#"
        launches {
          temporary f32[n]
          constant {value = f32[2] [0.5, -1.0]}
          launch (input 0, output 0) kernel exp(x0: in f32[n], y0: out f32[n]) {
            par _0<n {
              %0 = load x0[_0]
              %1 = exp %0
              store y0[_0] = %1
            }
          }
        }
    "#]]
    .assert_eq(&launches.to_string());
    assert_eq!(Launches::parse(&launches.to_string()), Ok(launches));
}

#[test]
fn errors_say_where_and_what_was_expected() {
    let error = |text: &str| Kernel::parse(text).unwrap_err().to_string();
    let cases = [
        ("kernel k(x: f32[2]) {}", "line 1, column 13: expected `in`, `out` or `inout`, found `f32`"),
        ("kernel k() { par i<4 }", "line 1, column 22: expected `{`, found `}`"),
        (
            "kernel k() {\n  %0 = constant 1\n}",
            "line 2, column 3: the type of `%0` does not follow; write `%0: f32 = …`",
        ),
        (
            "kernel k() {\n  %0: f32 = add %1, %1\n}",
            "line 2, column 17: no statement defines `%1`, and `undefined` does not list it",
        ),
        ("kernel k() { store y[0] = %0 }", "line 1, column 20: no buffer has the name `y` here"),
        (
            "kernel k() { %0: i32 = constant 1 %0: f32 = constant 1.0 }",
            "line 1, column 35: `%0` is i32 elsewhere and f32 here",
        ),
        (
            "kernel k() { %1: i32 = constant 1 }",
            "line 1, column 36: scalars are numbered without gaps: there is `%1` but no `%0`",
        ),
        (
            "kernel k() { %0: f32 = if %0 { } }",
            "line 1, column 30: expected a block that gives 1 scalars, found one that gives 0",
        ),
        (
            "kernel k(x: in f32[2], x: in f32[2]) {}",
            "line 1, column 24: there are two buffers with the name `x`",
        ),
        ("kernel k() { twist }", "line 1, column 14: expected a statement or `}`, found `twist`"),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected, "{text}");
    }
    let deep = format!("kernel k() {}{}", "{ par ".repeat(10_000), "}".repeat(10_000));
    assert!(error(&deep).contains("more than 64 deep"));
    let scalar = "kernel k() { %4294967295: f32 = constant 1.0 }";
    assert!(error(scalar).contains("without gaps"));
}

#[test]
fn no_text_panics() {
    let mut g = Generator { state: 7, kernel: Kernel::default(), buffers: Vec::new() };
    let pieces = [
        "%",
        "<",
        "{",
        "}",
        "give",
        "%99999999999",
        "-",
        "floordiv(",
        "\"",
        "for",
        "0x",
        "é",
        " ",
        "1e999",
        "next %0",
    ];
    let mut read = 0;
    for seed in 0..4000 {
        let mut text = Generator::kernel(seed).to_string();
        for _ in 0..1 + g.below(3) {
            let boundary = |at: usize| (0..=at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
            let (a, b) = (boundary(g.below(text.len() + 1)), boundary(g.below(text.len() + 1)));
            match g.below(3) {
                0 => text.replace_range(a.min(b)..a.max(b).min(boundary(a.min(b) + 8)), ""),
                1 => text.insert_str(a, g.pick(&pieces)),
                _ => text.insert_str(a, &text.clone()[b..boundary(text.len().min(b + 12))]),
            }
        }
        match Kernel::parse(&text) {
            Ok(kernel) => {
                read += 1;
                check(&kernel);
            }
            Err(error) => assert!(error.line <= text.lines().count() + 1, "{error}"),
        }
    }
    // Some are still kernels, and others are not.
    assert!((100..3900).contains(&read), "{read}");
}
