//! Rewrites complex numbers as pairs of real ones along a last axis. Ops on complex numbers become ops on their parts.

use rlx_ir::rewrite::rewrite;
use rlx_ir::{
    BinaryOp, Builder, CompareOp, DType, Dim, Graph, Literal, Op, OpClass, OpError, ReduceOp, Shape, Tensor,
    UnaryOp,
};

/// Returns the graph in real numbers, if it has complex numbers internally, or `None` if it has none.
///
/// # Errors
/// Returns a message for each op that cannot be expressed in real numbers, and for each input, output or parameter with complex numbers.
pub fn in_real_numbers(graph: &Graph) -> Result<Option<Graph>, Vec<String>> {
    let is_complex = |node: &rlx_ir::Node| has_complex(node.results()) || hides(node.op());
    if !graph.nodes().iter().any(is_complex) {
        return Ok(None);
    }
    let leaves = graph.nodes().iter().filter(|node| node.op().kind().class() == OpClass::Leaf);
    let given = leaves.filter(|node| node.shape().dtype().is_complex());
    let mut at_border: Vec<String> = given
        .map(|node| format!("`{}`: {}", node.name().unwrap_or_default(), border(node.shape())))
        .collect();
    let outputs = graph.output_shapes();
    let given = outputs.iter().enumerate().filter(|(_, shape)| shape.dtype().is_complex());
    at_border.extend(given.map(|(i, shape)| format!("output {i}: {}", border(shape))));
    if at_border.is_empty() { in_pairs(graph).map_err(|e| vec![e.to_string()]) } else { Err(at_border) }
}

fn border(shape: &Shape) -> String {
    format!("{shape} is complex, which arrays of programs cannot be: pass the real and the imaginary part")
}

fn has_complex(shapes: &[Shape]) -> bool {
    shapes.iter().any(|shape| shape.dtype().is_complex())
}

/// Whether graphs inside an op have complex numbers.
fn hides(op: &Op) -> bool {
    let mut found = false;
    op.for_each_graph(&mut |body| {
        found |= body.nodes().iter().any(|node| has_complex(node.results()) || hides(node.op()));
    });
    found
}

/// Returns the shape of pairs; real numbers keep their shape.
fn paired(shape: &Shape) -> Shape {
    if !shape.dtype().is_complex() {
        return shape.clone();
    }
    Shape::from_dims(&[shape.dims(), &[Dim::Static(2)]].concat(), shape.dtype().real())
}

/// Returns the graph with pairs in place of complex values, including inputs and outputs.
fn in_pairs(graph: &Graph) -> Result<Option<Graph>, OpError> {
    rewrite(graph, |rw, node, inputs| {
        let op = node.op();
        let operands: Vec<Shape> = node.inputs().iter().map(|&id| graph.shape(id).clone()).collect();
        let hides = hides(op);
        if matches!(op, Op::Output { .. })
            || !hides && !has_complex(&operands) && !has_complex(node.results())
        {
            return Ok(None);
        }
        if op.kind().class() == OpClass::Leaf {
            let shapes = node.results().iter().map(paired).collect();
            return Ok(Some(vec![rw.graph().push(op.clone(), Vec::new(), shapes)]));
        }
        let body = if op.kind().class() == OpClass::Composite {
            op.decompose(&operands)?
        } else if hides {
            let name = op.mnemonic();
            return Err(OpError::shape(format!("`{name}`: complex numbers inside branches and loops")));
        } else if let Some(body) = by_parts(op, &operands) {
            let body = body?;
            return Ok(Some(rw.graph().inline(&body, inputs)));
        } else {
            let body = rlx_expand::expand_graph(op, &operands);
            body.ok_or_else(|| OpError::shape(format!("`{}` of complex numbers", op.mnemonic())))??
        };
        let body = in_pairs(&body)?.unwrap_or(body);
        Ok(Some(rw.graph().inline(&body, inputs)))
    })
}

/// Returns a primitive on pairs.
fn by_parts(op: &Op, operands: &[Shape]) -> Option<Result<Graph, OpError>> {
    let builder = Builder::new(op.mnemonic());
    let named = operands.iter().enumerate().map(|(i, shape)| builder.input(format!("x{i}"), paired(shape)));
    let xs: Vec<Tensor> = named.collect();
    let complex: Vec<bool> = operands.iter().map(|shape| shape.dtype().is_complex()).collect();
    let result = written(&builder, op, &xs, &complex)?;
    Some(builder.finish(&[&result]).map_err(|violations| OpError::shape(violations.to_string())))
}

/// A real and an imaginary part.
#[derive(Clone)]
struct ComplexParts {
    re: Tensor,
    im: Tensor,
}

impl ComplexParts {
    /// Splits pairs into parts.
    fn of(x: &Tensor) -> ComplexParts {
        let last = x.rank() - 1;
        let part = |i: usize| x.slice_axis(last, i, i + 1).squeeze(last);
        ComplexParts { re: part(0), im: part(1) }
    }

    fn pairs(&self) -> Tensor {
        let (re, im) = self.re.broadcast_with(&self.im);
        let axis = re.rank();
        re.unsqueeze(axis).apply(Op::Concatenate { axis }, &[&im.unsqueeze(axis)])
    }

    fn each(&self, f: impl Fn(&Tensor) -> Tensor) -> ComplexParts {
        ComplexParts { re: f(&self.re), im: f(&self.im) }
    }

    fn size(&self) -> Tensor {
        // Squares of parts divided by the larger one neither overflow nor underflow.
        let (a, b) = (self.re.abs(), self.im.abs());
        let most = a.maximum(&b);
        let least = a.minimum(&b);
        let zero = most.scalar_like(0.0);
        let is_plain = most.greater(&zero).and(&most.less(&most.scalar_like(f64::INFINITY)));
        let divisor = is_plain.select(&most, &most.scalar_like(1.0).broadcast_to(&most.dims()));
        let ratio = least / &divisor;
        let size = &divisor * (&ratio * &ratio + 1.0).sqrt();
        is_plain.select(&size, &most)
    }

    fn times(&self, other: &ComplexParts) -> ComplexParts {
        let (a, b) = (self, other);
        ComplexParts { re: &a.re * &b.re - &a.im * &b.im, im: &a.re * &b.im + &a.im * &b.re }
    }
}

fn written(b: &Builder, op: &Op, xs: &[Tensor], complex: &[bool]) -> Option<Tensor> {
    let last = |x: &Tensor| x.rank() - 1;
    let with = |list: &[usize], more: usize| [list, &[more]].concat();
    let dims_with = |dims: &[Dim]| [dims, &[Dim::Static(2)]].concat();
    Some(match (op, xs) {
        (Op::Constant { value }, _) => {
            let shape = paired(value.shape());
            b.constant(Literal::from_bytes(&shape, value.bytes()).ok()?)
        }
        (Op::Iota { shape, axis }, _) => {
            let re = b.iota(shape.with_dtype(shape.dtype().real()), *axis);
            ComplexParts { im: re.scalar_like(0.0), re }.pairs()
        }
        (Op::Convert { dtype }, [x]) => match (complex[0], dtype.is_complex()) {
            (true, true) => x.convert(dtype.real()),
            (true, false) if *dtype != DType::Bool => ComplexParts::of(x).re.convert(*dtype),
            (false, true) => {
                ComplexParts { im: x.convert(dtype.real()).scalar_like(0.0), re: x.convert(dtype.real()) }
                    .pairs()
            }
            _ => return None,
        },
        (Op::Unary { op }, [x]) => match op {
            UnaryOp::Real => ComplexParts::of(x).re,
            UnaryOp::Imag => ComplexParts::of(x).im,
            UnaryOp::Neg => -x,
            UnaryOp::Conj => {
                let ComplexParts { re, im } = ComplexParts::of(x);
                ComplexParts { im: -&im, re }.pairs()
            }
            UnaryOp::Abs => ComplexParts::of(x).size(),
            UnaryOp::Exp => {
                let ComplexParts { re, im } = ComplexParts::of(x);
                let size = re.exp();
                ComplexParts { re: &size * im.cos(), im: &size * im.sin() }.pairs()
            }
            _ => return None,
        },
        (Op::Binary { op: BinaryOp::Complex }, [re, im]) => {
            ComplexParts { re: re.clone(), im: im.clone() }.pairs()
        }
        (Op::Binary { op: BinaryOp::Add | BinaryOp::Sub }, [x, y]) => x.apply(op.clone(), &[y]),
        (Op::Binary { op: BinaryOp::Mul }, [x, y]) => ComplexParts::of(x).times(&ComplexParts::of(y)).pairs(),
        (Op::Binary { op: BinaryOp::Div }, [x, y]) => {
            let (x, y) = (ComplexParts::of(x), ComplexParts::of(y));
            // Both are divided by the magnitude of the divisor, because its square may overflow or underflow.
            let size = y.size();
            let unit = y.each(|part| part / &size);
            let against = ComplexParts { im: -&unit.im, re: unit.re };
            x.each(|part| part / &size).times(&against).pairs()
        }
        (Op::Compare { op: kind @ (CompareOp::Eq | CompareOp::Ne), total_order: false }, [x, y]) => {
            let (x, y) = (ComplexParts::of(x), ComplexParts::of(y));
            let (re, im) = (x.re.compare(*kind, &y.re), x.im.compare(*kind, &y.im));
            if *kind == CompareOp::Eq { re.and(&im) } else { re.or(&im) }
        }
        (Op::Select {}, [pred, x, y]) => {
            let pred = match pred.rank() {
                0 => pred.clone(),
                rank => pred.broadcast_in_dim(&x.dims(), &(0..rank).collect::<Vec<_>>()),
            };
            pred.select(x, y)
        }
        (Op::Reshape { dims }, [x]) => x.reshape(&dims_with(dims)),
        (Op::Transpose { perm }, [x]) => x.transpose(&with(perm, last(x))),
        (Op::BroadcastInDim { dims, axes }, [x]) => {
            x.broadcast_in_dim(&dims_with(dims), &with(axes, dims.len()))
        }
        (Op::Slice { starts, limits, strides }, [x]) => {
            let starts = [&starts[..], &[Dim::Static(0)]].concat();
            x.apply(Op::Slice { starts, limits: dims_with(limits), strides: with(strides, 1) }, &[])
        }
        (Op::Pad { .. }, [x, value]) => {
            let value = ComplexParts::of(value);
            let ComplexParts { re, im } = ComplexParts::of(x);
            ComplexParts { re: re.apply(op.clone(), &[&value.re]), im: im.apply(op.clone(), &[&value.im]) }
                .pairs()
        }
        (Op::Concatenate { .. } | Op::Reverse { .. }, [x, others @ ..]) => {
            x.apply(op.clone(), &others.iter().collect::<Vec<_>>())
        }
        (Op::Reduce { kind: kind @ (ReduceOp::Sum | ReduceOp::Mean), axes }, [x]) => {
            x.reduce(*kind, axes, false)
        }
        (Op::Cumulative { op: ReduceOp::Sum, .. }, [x]) => x.apply(op.clone(), &[]),
        (Op::DynamicSlice { sizes }, [x, starts @ ..]) => {
            let zero = starts.first().map(|start| b.int(0, start.dtype()));
            let starts: Vec<&Tensor> = starts.iter().chain(zero.as_ref()).collect();
            if starts.is_empty() {
                x.clone()
            } else {
                x.apply(Op::DynamicSlice { sizes: dims_with(sizes) }, &starts)
            }
        }
        (Op::DotGeneral { dtype, .. }, [x, y]) => {
            let mut op = op.clone();
            if let (Op::DotGeneral { dtype: real, .. }, Some(of)) = (&mut op, dtype) {
                *real = Some(of.real());
            }
            if complex != [true, true] {
                return None;
            }
            let (x, y) = (ComplexParts::of(x), ComplexParts::of(y));
            let product = |x: &Tensor, y: &Tensor| x.apply(op.clone(), &[y]);
            let re = product(&x.re, &y.re) - product(&x.im, &y.im);
            let im = product(&x.re, &y.im) + product(&x.im, &y.re);
            ComplexParts { re, im }.pairs()
        }
        (Op::OptimizationBarrier {}, [x]) => x.clone(),
        _ => return None,
    })
}
