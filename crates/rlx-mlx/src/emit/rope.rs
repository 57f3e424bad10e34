//! Rotary position embeddings: with tables of cosines and sines, or on a GPU with MLX's own operation. The latter
//! requires a graph that shows that the angles belong to consecutive positions.

use super::prepared::{Preparation, Prepared};
use super::{ArrayType, Declined, Site, Step, step, types};
use crate::launch::Launch;
use rlx_ir::{DType, Graph, Node, NodeId, Op, RopeStyle, UnaryOp};
use rlx_mlx_sys::{Binary, ElementType, MlxArray, MlxError, Rope, Slices, Unary};

/// A table in the layout for multiplying x: each number twice, in the order in which elements are paired, with x's axes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TurnTable {
    style: RopeStyle,
    /// Whether the table contains sines, so that the first element of each pair is multiplied by the negated number.
    alternates: bool,
    /// The sizes of the rotated tensor.
    dims: Vec<usize>,
    seq_axis: usize,
}

impl TurnTable {
    pub(super) fn result(&self) -> ArrayType {
        ArrayType { dims: self.dims.clone(), element: ElementType::F32 }
    }

    /// Makes the table from one of shape `[seq, pairs]` or `[batch, seq, pairs]`.
    pub(super) fn made(&self, cx: &Launch<'_>, table: &MlxArray) -> Result<MlxArray, MlxError> {
        let second = types::converted(cx, table, ElementType::F32)?;
        let first = if self.alternates { cx.unary(Unary::Negative, &second)? } else { second.clone() };
        let from = second.dims();
        let last = self.dims.len() - 1;
        let mut dims = vec![1; self.dims.len()];
        (dims[self.seq_axis], dims[last]) = (self.dims[self.seq_axis], self.dims[last]);
        if from.len() == 3 {
            dims[0] = self.dims[0];
        }
        let twice = paired(cx, self.style, &first, &second)?;
        cx.broadcast_to(&cx.reshape(&twice, &dims)?, &self.dims)
    }
}

/// Returns the first and the second elements of pairs along the last axis.
fn paired(
    cx: &Launch<'_>,
    style: RopeStyle,
    first: &MlxArray,
    second: &MlxArray,
) -> Result<MlxArray, MlxError> {
    let dims = first.dims();
    let last = dims.len() - 1;
    match style {
        RopeStyle::Halves => cx.concatenate(&[first, second], last),
        RopeStyle::Interleaved => {
            let single = [&dims[..], &[1]].concat();
            let both =
                cx.concatenate(&[&cx.reshape(first, &single)?, &cx.reshape(second, &single)?], last + 1)?;
            cx.reshape(&both, &[&dims[..last], &[2 * dims[last]]].concat())
        }
    }
}

/// Returns the elements of x from `start` up to, but not including, `stop` along the last axis.
fn columns(cx: &Launch<'_>, x: &MlxArray, start: usize, stop: usize) -> Result<MlxArray, MlxError> {
    let dims = x.dims();
    let mut slices = Slices { starts: vec![0; dims.len()], stops: dims, strides: Vec::new() };
    slices.strides = vec![1; slices.stops.len()];
    if let (Some(first), Some(last)) = (slices.starts.last_mut(), slices.stops.last_mut()) {
        (*first, *last) = (start, stop);
    }
    cx.slice(x, &slices)
}

/// Consecutive positions from a start on, and the frequencies that turn them into angles.
#[derive(Clone, Debug)]
pub(crate) struct Angles {
    /// The first position of each sequence, i32 `[batch]`; `None` means 0.
    pub(crate) start: Option<NodeId>,
    frequencies: Vec<f32>,
}

impl Angles {
    /// Finds the angles of the cosines and sines that a node reads: positions · frequencies.
    pub(crate) fn of(graph: &Graph, node: &Node) -> Option<Angles> {
        let Op::Rope { seq_axis: 2, .. } = node.op() else { return None };
        let &[x, cos, sin] = node.inputs() else { return None };
        let angle = |id: NodeId, function: UnaryOp| match graph.node(id).op() {
            Op::Unary { op } if *op == function => graph.node(id).inputs().first().copied(),
            _ => None,
        };
        let product = angle(cos, UnaryOp::Cos).filter(|cos| angle(sin, UnaryOp::Sin) == Some(*cos))?;
        let [batch, _, seq, _] = graph.shape(x).static_dims()?[..] else { return None };
        let factors = operands(graph, product, &Op::Binary { op: rlx_ir::BinaryOp::Mul })?;
        let frequencies = factors.iter().find_map(|&id| frequencies(graph, id))?;
        let places = factors.iter().find_map(|&id| broadcast(graph, id, &[0, 1]))?;
        let places = operands(graph, places, &Op::Convert { dtype: DType::F32 })?[0];
        let fits =
            graph.shape(places).static_dims()? == [batch, seq] && graph.shape(places).dtype() == DType::I32;
        let is_count = |id: NodeId| matches!(graph.node(id).op(), Op::Iota { axis: 1, .. });
        let start = if is_count(places) {
            None
        } else {
            let sum = operands(graph, places, &Op::Binary { op: rlx_ir::BinaryOp::Add })?;
            sum.iter().find(|&&id| is_count(id))?;
            Some(sum.iter().find_map(|&id| broadcast(graph, id, &[0]))?)
        };
        fits.then_some(Angles { start, frequencies })
    }
}

/// Returns the operands of a node, if it has this op.
fn operands<'g>(graph: &'g Graph, id: NodeId, op: &Op) -> Option<&'g [NodeId]> {
    (graph.node(id).op() == op).then(|| graph.node(id).inputs())
}

/// Returns the operand of a broadcast that maps its axes to exactly these.
fn broadcast(graph: &Graph, id: NodeId, at: &[usize]) -> Option<NodeId> {
    match graph.node(id).op() {
        Op::BroadcastInDim { axes, .. } if axes[..] == *at => graph.node(id).inputs().first().copied(),
        _ => None,
    }
}

/// Returns the numbers of an f32 constant along the last of three axes, if all of them have an inverse.
fn frequencies(graph: &Graph, id: NodeId) -> Option<Vec<f32>> {
    match graph.node(broadcast(graph, id, &[2])?).op() {
        Op::Constant { value } if value.dtype() == DType::F32 => {
            let (numbers, _) = value.bytes().as_chunks();
            let numbers: Vec<f32> = numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
            numbers.iter().all(|f| f.is_normal() && (1.0 / f).is_normal()).then_some(numbers)
        }
        _ => None,
    }
}

/// A rotation.
struct Turn {
    style: RopeStyle,
    /// How many elements of the last axis are rotated, and how many there are.
    rotary: usize,
    width: usize,
    element: ElementType,
    /// If MLX can compute the angles, the inverse frequencies and whether positions have a start.
    own: Option<(MlxArray, bool)>,
}

/// Returns the element type, and how many elements are rotated.
fn turned(site: &Site<'_>) -> Option<(RopeStyle, usize, usize)> {
    let &Op::Rope { style, rotary_dims, seq_axis } = site.op else { return None };
    Some((style, rotary_dims.unwrap_or(*site.x().dims.last()?), seq_axis))
}

pub(super) fn rope(site: &Site<'_>) -> Result<Step, Declined> {
    let Some((style, rotary, _)) = turned(site) else { return site.decline("here") };
    let element = site.x().element;
    let floats = [ElementType::F32, ElementType::F16, ElementType::BF16];
    if site.operands.iter().any(|operand| !floats.contains(&operand.element) || operand.is_empty()) {
        return site.decline(&format!("of {element:?}"));
    }
    let width = site.x().dims[site.x().rank() - 1];
    let own = match (&site.angles, site.mlx) {
        (Some(angles), Some(mlx)) => {
            let inverse: Vec<u8> = angles.frequencies.iter().flat_map(|f| (1.0 / f).to_le_bytes()).collect();
            let dims = [angles.frequencies.len()];
            let inverse = MlxArray::from_bytes(mlx, &inverse, &dims, ElementType::F32);
            Some((inverse.map_err(|e| e.to_string())?, angles.start.is_some()))
        }
        _ => None,
    };
    let turn = Turn { style, rotary, width, element, own };
    step(move |cx, x| turn.apply(cx, x))
}

/// Returns the tables that x is multiplied by.
pub(super) fn prepared(site: &Site<'_>) -> Vec<Prepared> {
    let Some((style, rotary, seq_axis)) = turned(site) else { return Vec::new() };
    let mut dims = site.x().dims.clone();
    dims.last_mut().into_iter().for_each(|last| *last = rotary);
    let table = |operand: usize, alternates: bool| Prepared {
        operand: Some(operand),
        preparation: Preparation::TurnTable(TurnTable { style, alternates, dims: dims.clone(), seq_axis }),
    };
    vec![table(1, false), table(2, true)]
}

impl Turn {
    /// Rotates x with two tables. After them follows the start of the positions, if the graph has one.
    fn apply(&self, cx: &Launch<'_>, x: &[&MlxArray]) -> Result<MlxArray, MlxError> {
        if let (Some((inverse, starts)), false) = (&self.own, cx.is_cpu()) {
            return self.by_mlx(cx, x[0], inverse, if *starts { x.get(5).copied() } else { None });
        }
        let (cos, sin) = (x[3], x[4]);
        let wide = types::converted(cx, x[0], ElementType::F32)?;
        let whole = self.rotary == self.width;
        let part = if whole { wide.clone() } else { columns(cx, &wide, 0, self.rotary)? };
        let swapped = match self.style {
            RopeStyle::Halves => {
                let half = self.rotary / 2;
                let (first, second) = (columns(cx, &wide, 0, half)?, columns(cx, &wide, half, self.rotary)?);
                cx.concatenate(&[&second, &first], part.dims().len() - 1)?
            }
            RopeStyle::Interleaved => {
                let dims = part.dims();
                let last = dims.len() - 1;
                let pairs = cx.reshape(&part, &[&dims[..last], &[self.rotary / 2, 2]].concat())?;
                cx.reshape(&cx.reverse(&pairs, &[last + 1])?, &dims)?
            }
        };
        let product = |a: &MlxArray, b: &MlxArray| cx.binary(Binary::Multiply, a, b);
        let mut out = cx.binary(Binary::Add, &product(&part, cos)?, &product(&swapped, sin)?)?;
        if !whole {
            let axis = out.dims().len() - 1;
            out = cx.concatenate(&[&out, &columns(cx, &wide, self.rotary, self.width)?], axis)?;
        }
        types::converted(cx, &out, self.element)
    }

    fn by_mlx(
        &self,
        cx: &Launch<'_>,
        x: &MlxArray,
        inverse: &MlxArray,
        start: Option<&MlxArray>,
    ) -> Result<MlxArray, MlxError> {
        let zero;
        let start = match start {
            Some(start) => start,
            None => {
                zero = cx.int(0)?;
                &zero
            }
        };
        let traditional = self.style == RopeStyle::Interleaved;
        cx.rope(x, Rope { width: self.rotary, traditional, start, inverse_frequencies: inverse })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::mlx_for;
    use crate::launch::{Functions, MlxMode, Streams};
    use rlx_ir::{Builder, Dim, Shape, Tensor};
    use rlx_mlx_sys::Kind;
    use std::sync::Arc;

    /// Rotated keys of two sequences of five tokens that begin at different positions.
    fn graph(style: RopeStyle) -> (Graph, NodeId) {
        let builder = Builder::new("turned");
        let input = |name: &str, dims: &[usize], dtype: DType| builder.input(name, Shape::new(dims, dtype));
        let (x, start) = (input("x", &[2, 3, 5, 10], DType::F32), input("start", &[2], DType::I32));
        let dims: Vec<Dim> = [2, 5, 4].into_iter().map(Dim::Static).collect();
        let count = builder.iota(Shape::new(&[2, 5], DType::I32), 1);
        let places: Tensor = start.broadcast_in_dim(&dims[..2], &[0]) + count;
        let f = rlx_ir::Literal::new(&[4], &[1.0f32, 0.3, 0.07, 0.011]).expect("four numbers");
        let f = builder.constant(f).broadcast_in_dim(&dims, &[2]);
        let angles = places.convert(DType::F32).broadcast_in_dim(&dims, &[0, 1]) * f;
        let op = Op::Rope { style, rotary_dims: Some(8), seq_axis: 2 };
        let out = x.apply(op, &[&angles.cos(), &angles.sin()]);
        let graph = builder.finish(&[&out]).expect("a valid graph");
        let id = graph.outputs()[0];
        (graph, id)
    }

    #[test]
    fn mlx_turns_as_the_tables_do() {
        let Some(mlx) = mlx_for("mlx_turns_as_the_tables_do") else { return };
        for style in [RopeStyle::Halves, RopeStyle::Interleaved] {
            let (graph, id) = graph(style);
            let angles = Angles::of(&graph, graph.node(id)).expect("angles");
            assert_eq!(angles.start, graph.inputs().nth(1).map(Node::id));
            let streams = Arc::new(Streams::new(mlx, Kind::Cpu, 0).expect("streams"));
            let functions = Functions::default();
            let cx = Launch::new(&streams, MlxMode::Lazy, &functions);
            let numbers: Vec<f32> = (0..300).map(|i| (i as f32 * 0.71).sin()).collect();
            let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            let x = MlxArray::from_bytes(mlx, &bytes, &[2, 3, 5, 10], ElementType::F32).expect("x");
            let start: Vec<u8> = [7i32, 120].iter().flat_map(|x| x.to_le_bytes()).collect();
            let start = MlxArray::from_bytes(mlx, &start, &[2], ElementType::I32).expect("start");
            let plan = crate::plan::Plan::new(&graph, mlx).expect("a plan");
            let by_tables = plan.run(&cx, vec![x.clone(), start.clone()]).expect("a run");
            let mut site = crate::plan::site_of(&graph, graph.node(id)).expect("a site");
            (site.mlx, site.angles) = (Some(mlx), Some(angles));
            let (style, rotary, _) = turned(&site).expect("a rotation");
            let turn = Turn { style, rotary, width: 10, element: ElementType::F32, own: None };
            let f: Vec<u8> =
                [1.0f32, 0.3, 0.07, 0.011].iter().flat_map(|f| (1.0 / f).to_le_bytes()).collect();
            let inverse = MlxArray::from_bytes(mlx, &f, &[4], ElementType::F32).expect("frequencies");
            let by_mlx = turn.by_mlx(&cx, &x, &inverse, Some(&start)).expect("a rotation");
            let read = |x: &MlxArray| {
                let bytes = cx.bytes(x).expect("values");
                bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect::<Vec<f32>>()
            };
            // An angle of 120 has 7.6e-6 between two numbers of f32, and the frequencies are rounded twice.
            let (a, b) = (read(&by_tables[0]), read(&by_mlx));
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 3e-5), "{style:?}: {a:?} {b:?}");
            assert!(a.iter().zip(&numbers).any(|(a, x)| (a - x).abs() > 0.1));
        }
    }
}
