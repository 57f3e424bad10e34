//! Graphs with sizes that the run decides.

use super::floats;
use rlx_coreml::{OpenDim, OpenSizes};
use rlx_ir::{
    Activation, AttentionOptions, Builder, DType, Dim, Graph, Literal, MaskKind, Op, ReduceOp, Shape,
    SortOrder, Symbol, Tensor,
};

/// A graph of an input x with open dimensions.
pub struct OpenExample {
    /// Its name.
    pub name: &'static str,
    /// The graph.
    pub graph: Graph,
    /// The values of its parameters.
    pub params: Vec<(String, Literal)>,
    /// Its dimensions.
    pub open: Vec<OpenDim>,
    /// Sizes of the dimensions at which the program is compared with the graph.
    pub sizes: &'static [&'static [usize]],
    /// Returns a value of x for given sizes.
    pub x: fn(&[usize]) -> Literal,
}

/// Returns all examples.
pub fn open() -> Vec<OpenExample> {
    vec![encoder(), products(), columns(), sorted(), running()]
}

fn symbol(name: &str) -> Dim {
    Dim::Dynamic(Symbol::new(name))
}

/// Returns a dimension from 1 to 512.
fn dimension(name: &str) -> OpenDim {
    OpenDim { symbol: Symbol::new(name), sizes: OpenSizes::Range(1, 512) }
}

/// Builds a graph of x and parameters.
fn given(
    name: &'static str,
    x: Shape,
    params: &[&[usize]],
    f: impl FnOnce(&Tensor, &[Tensor]) -> Tensor,
) -> OpenExample {
    let builder = Builder::new("main");
    let x = builder.input("x", x);
    let params: Vec<(String, Literal)> =
        params.iter().enumerate().map(|(i, dims)| (format!("p{i}"), floats(i + 1, dims))).collect();
    let tensors: Vec<Tensor> =
        params.iter().map(|(name, value)| builder.param(name, value.shape().clone())).collect();
    let graph = builder.finish(&[&f(&x, &tensors)]).unwrap();
    let open = graph.symbols().iter().map(|symbol| dimension(symbol.to_string().as_str())).collect();
    OpenExample {
        name,
        graph,
        params,
        open,
        sizes: &[&[1], &[2], &[7], &[64], &[200]],
        x: |dims| floats(0, dims),
    }
}

fn linear(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Tensor {
    let (y, bias) = x.matmul(&weight.transpose_last()).broadcast_with(bias);
    y + bias
}

/// Returns word and position embeddings, and a layer of causal attention.
fn encoder() -> OpenExample {
    let ids = Shape::from_dims(&[Dim::Static(2), symbol("seq")], DType::I32);
    let sizes: [&[usize]; 12] = [
        &[20, 12],
        &[512, 12],
        &[12],
        &[12],
        &[36, 12],
        &[36],
        &[12, 12],
        &[12],
        &[24, 12],
        &[24],
        &[12, 24],
        &[12],
    ];
    let ids_of = |dims: &[usize]| {
        let count: usize = dims.iter().product();
        Literal::new(dims, &(0..count).map(|i| (i * 7 % 20) as i32).collect::<Vec<i32>>()).unwrap()
    };
    let made = given("encoder", ids, &sizes, |ids, p| {
        let places = p[1].slice_axis(0, 0, ids.dim(1));
        let words = p[0].apply(Op::Embedding {}, &[ids]);
        let (words, places) = words.broadcast_with(&places);
        let x = (words + places).apply(Op::LayerNorm { axis: 2, eps: 1e-5 }, &[&p[2], &p[3]]);
        let all = linear(&x, &p[4], &p[5]);
        let part = |n: usize| all.slice_axis(2, 12 * n, 12 * (n + 1));
        let options =
            AttentionOptions { num_heads: Some(3), mask: MaskKind::Causal, ..AttentionOptions::default() };
        let op = options.op();
        let x = x + linear(&part(0).apply(op, &[&part(1), &part(2)]), &p[6], &p[7]);
        let x = &x + linear(&linear(&x, &p[8], &p[9]).activation(Activation::Gelu), &p[10], &p[11]);
        x.mean(&[1], false)
    });
    OpenExample { x: ids_of, ..made }
}

/// Returns products of sequences with themselves, in batches.
fn products() -> OpenExample {
    let x = Shape::from_dims(&[symbol("batch"), symbol("seq"), Dim::Static(6)], DType::F32);
    let made = given("products", x, &[&[6, 6]], |x, p| {
        let scores = x.matmul(&p[0]).matmul(&x.transpose_last()) * 0.125;
        scores.softmax(2).matmul(x).activation(Activation::Gelu)
    });
    OpenExample { sizes: &[&[1, 1], &[3, 5], &[2, 40]], ..made }
}

/// Returns sorted columns.
fn sorted() -> OpenExample {
    let x = Shape::from_dims(&[symbol("rows"), Dim::Static(3)], DType::F32);
    let mut made = given("sorted", x, &[], |x, _| {
        x.apply(Op::Sort { axis: 0, order: SortOrder::Ascending, num_keys: 1, stable: true }, &[])
    });
    // Neighbors are compared, and a single row has none.
    made.open[0].sizes = OpenSizes::Range(2, 512);
    OpenExample { sizes: &[&[2], &[7], &[64]], ..made }
}

/// Returns rows with two more columns, transposed and sliced.
fn columns() -> OpenExample {
    let x = Shape::from_dims(&[symbol("rows"), Dim::Static(4)], DType::F32);
    given("columns", x, &[], |x, _| {
        let ones = x.scalar_like(1.0).broadcast_in_dim(&[symbol("rows"), Dim::Static(2)], &[]);
        let wide = x.apply(Op::Concatenate { axis: 1 }, &[&ones]);
        wide.transpose(&[1, 0]).slice_axis(1, 0, symbol("rows"))
    })
}

/// Returns running reductions, with a number of steps that grows with the size: the range ends shortly after a power of two.
fn running() -> OpenExample {
    let x = Shape::from_dims(&[Dim::Static(2), symbol("n")], DType::F32);
    let example = given("running", x, &[], |x, _| {
        x.apply(Op::Cumulative { op: ReduceOp::LogSumExp, axis: 1, exclusive: false, reverse: false }, &[])
    });
    let open = vec![OpenDim { symbol: Symbol::new("n"), sizes: OpenSizes::Range(257, 1028) }];
    OpenExample { open, sizes: &[&[257], &[512], &[1024], &[1025], &[1028]], ..example }
}
