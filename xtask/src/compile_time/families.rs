//! The graphs whose compile times are measured: families whose graphs grow with the number of nodes.

use rlx_autodiff::{VmapAxes, grad, jvp, linearize, vmap};
use rlx_ir::{Builder, DType, Dim, Graph, Op, ReduceOp, ScanOperands, Shape, Tensor};
use rlx_stablehlo::{ExportOptions, export, import};

/// A family of graphs.
pub(super) struct Family {
    pub name: &'static str,
    /// A description of its graphs, for the page.
    pub what: &'static str,
    /// The sizes of its graphs.
    pub sizes: &'static [usize],
    /// The family whose graph of the same size is transformed.
    pub of: Option<&'static str>,
    /// Makes a graph of about the given number of nodes.
    pub make: fn(usize) -> Result<Made, String>,
    /// Transforms a graph of the family `of`.
    pub transform: Option<fn(&Graph) -> Result<Graph, String>>,
}

/// A graph of a family.
pub(super) enum Made {
    Graph(Graph),
    /// `.rlx` text.
    Text(String),
    /// StableHLO text.
    StableHlo(String),
}

impl Made {
    /// The graph, parsed if it is text.
    pub fn graph(self) -> Result<Graph, String> {
        match self {
            Made::Graph(graph) => Ok(graph),
            Made::Text(text) => Graph::parse(&text).map_err(|e| e.to_string()),
            Made::StableHlo(text) => import(&text).map(|imported| imported.graph).map_err(|e| e.to_string()),
        }
    }
}

/// Sizes that most families have.
const SIZES: &[usize] = &[1_000, 10_000, 100_000];

/// All families, in the order of the page.
pub(super) const FAMILIES: &[Family] = &[
    family("chain", "functions and products of single elements, one after the other", |n| made(chain(n))),
    family("matmul", "products with one matrix, one after the other", |n| made(matmul(n))),
    family("blocks", "a product, a function and sums, one after the other: many small fused groups", |n| {
        made(blocks(n))
    }),
    family("wide", "parallel products, each with its own weights, summed in pairs: many parameters", |n| {
        made(wide(n))
    }),
    family("outputs", "a chain in which every node is an output", |n| made(outputs(n))),
    family("states", "inputs, each with the output that updates it in place", |n| made(states(n))),
    family("constants", "sums with constants that all differ", |n| made(constants(n))),
    family("folding", "functions of constants, one after the other", |n| made(folding(n))),
    family("movement", "reshapes and transposes, one after the other", |n| made(movement(n))),
    family("diamonds", "sums of a value with itself: 2ⁿ paths", |n| made(diamonds(n))),
    family("fan", "one value that all other nodes read, and one node that reads all of those", |n| {
        made(fan(n))
    }),
    family("branches", "conditionals, one after the other", |n| made(branches(n))),
    family("nesting", "loops nested as deep as allowed, with chains in them", |n| made(nesting(n))),
    family("carries", "a loop that carries many values", |n| made(carries(n))),
    family("symbols", "many symbols in the size of a concatenation, which is their sum", |n| {
        made(symbols(n))
    }),
    family("sums", "many symbols in one sum in a shape, as text", |n| Ok(Made::Text(sum_text(n)))),
    Family {
        sizes: &[10, 40, 100_000],
        ..family("products", "products of sums of two symbols in one shape, as text", |n| {
            Ok(Made::Text(product_text(n)))
        })
    },
    family("text", "the chain as text", |n| Ok(Made::Text(chain(n)?.to_string()))),
    family("stablehlo", "the chain as StableHLO", |n| {
        let text = export(&chain(n)?, &ExportOptions::default());
        text.map(Made::StableHlo).map_err(|e| e.to_string())
    }),
    transformed(
        "grad of chain",
        "its gradient",
        "chain",
        |n| made(chain(n)),
        |graph| grad(graph, "x").map_err(|e| e.to_string()),
    ),
    transformed(
        "grad of matmul",
        "its gradients",
        "matmul",
        |n| made(matmul(n)),
        |graph| grad(graph, ["x", "w"]).map_err(|e| e.to_string()),
    ),
    transformed(
        "grad of wide",
        "the gradients of all parameters",
        "wide",
        |n| made(wide(n)),
        |graph| grad(graph, rlx_autodiff::Wrt::params(graph)).map_err(|e| e.to_string()),
    ),
    transformed(
        "grad of carries",
        "the gradients of all values that a loop carries",
        "carries",
        |n| made(carried(n)),
        |graph| {
            let names: Vec<String> =
                graph.inputs().filter_map(|node| node.name().map(String::from)).collect();
            grad(graph, names).map_err(|e| e.to_string())
        },
    ),
    transformed(
        "linearize of chain",
        "its values and residuals",
        "chain",
        |n| made(chain(n)),
        |graph| linearize(graph, "x").map(|at| at.forward).map_err(|e| e.to_string()),
    ),
    transformed(
        "jvp of chain",
        "its forward derivative",
        "chain",
        |n| made(chain(n)),
        |graph| jvp(graph, "x").map_err(|e| e.to_string()),
    ),
    transformed(
        "vmap of chain",
        "mapped over a batch of 3",
        "chain",
        |n| made(chain(n)),
        |graph| vmap(graph, &VmapAxes::new().size(3)).map_err(|e| e.to_string()),
    ),
];

const fn family(name: &'static str, what: &'static str, make: fn(usize) -> Result<Made, String>) -> Family {
    Family { name, what, sizes: SIZES, of: None, make, transform: None }
}

const fn transformed(
    name: &'static str,
    what: &'static str,
    of: &'static str,
    make: fn(usize) -> Result<Made, String>,
    transform: fn(&Graph) -> Result<Graph, String>,
) -> Family {
    Family { name, what, sizes: SIZES, of: Some(of), make, transform: Some(transform) }
}

fn made(graph: Result<Graph, String>) -> Result<Made, String> {
    graph.map(Made::Graph)
}

fn finish(b: Builder, outputs: &[&Tensor]) -> Result<Graph, String> {
    b.finish(outputs).map_err(|e| e.to_string())
}

fn vector(len: usize) -> Shape {
    Shape::new(&[len], DType::F32)
}

/// The sum of all elements, a scalar that can be differentiated.
fn total(x: &Tensor) -> Tensor {
    x.reduce(ReduceOp::Sum, &(0..x.rank()).collect::<Vec<_>>(), false)
}

fn chain(nodes: usize) -> Result<Graph, String> {
    let b = Builder::new("chain");
    let x = b.input("x", vector(4));
    let mut y = x.clone();
    for _ in 0..nodes / 2 {
        y = &y.tanh() * &x;
    }
    finish(b, &[&total(&y)])
}

fn matmul(nodes: usize) -> Result<Graph, String> {
    let b = Builder::new("matmul");
    let mut x = b.input("x", Shape::new(&[2, 4], DType::F32));
    let w = b.param("w", Shape::new(&[4, 4], DType::F32));
    for _ in 0..nodes {
        x = x.matmul(&w);
    }
    finish(b, &[&total(&x)])
}

fn blocks(nodes: usize) -> Result<Graph, String> {
    let b = Builder::new("blocks");
    let w = b.param("w", Shape::new(&[8, 8], DType::F32));
    let mut x = b.input("x", Shape::from_dims(&[Dim::dynamic("n"), Dim::Static(8)], DType::F32));
    for _ in 0..nodes / 4 {
        let y = x.matmul(&w).tanh();
        x = &y * &x + &y;
    }
    finish(b, &[&x])
}

fn wide(nodes: usize) -> Result<Graph, String> {
    let b = Builder::new("wide");
    let x = b.input("x", Shape::new(&[2, 4], DType::F32));
    let weights = (0..nodes / 4).map(|i| b.param(format!("w{i}"), Shape::new(&[4, 4], DType::F32)));
    let mut row: Vec<Tensor> = weights.map(|w| x.matmul(&w).tanh()).collect();
    while row.len() > 1 {
        row = row.chunks(2).map(|pair| if let [a, b] = pair { a + b } else { pair[0].clone() }).collect();
    }
    match row.first() {
        Some(sum) => finish(b, &[&total(sum)]),
        None => finish(b, &[&total(&x)]),
    }
}

fn outputs(nodes: usize) -> Result<Graph, String> {
    let b = Builder::new("outputs");
    let x = b.input("x", vector(4));
    let mut all = vec![x.tanh()];
    for i in 1..nodes {
        let next = if i % 2 == 0 { all[i - 1].tanh() } else { &all[i - 1] * &x };
        all.push(next);
    }
    finish(b, &all.iter().collect::<Vec<_>>())
}

fn states(nodes: usize) -> Result<Graph, String> {
    let b = Builder::new("states");
    let step = b.input("step", vector(4));
    let values: Vec<Tensor> =
        (0..nodes / 2).map(|i| &b.input(format!("out{i}"), vector(4)) + &step).collect();
    finish(b, &values.iter().collect::<Vec<_>>())
}

fn constants(nodes: usize) -> Result<Graph, String> {
    let b = Builder::new("constants");
    let mut x = b.input("x", vector(4));
    for i in 0..nodes / 3 {
        x = &x + &x.scalar_like(i as f64);
    }
    finish(b, &[&x])
}

fn folding(nodes: usize) -> Result<Graph, String> {
    let b = Builder::new("folding");
    let x = b.input("x", vector(4));
    let mut c = b.scalar(0.5, DType::F32);
    for _ in 0..nodes {
        c = c.tanh();
    }
    finish(b, &[&(&x + &c)])
}

fn movement(nodes: usize) -> Result<Graph, String> {
    let b = Builder::new("movement");
    let mut x = b.input("x", Shape::new(&[2, 4], DType::F32));
    for _ in 0..nodes / 2 {
        x = x.transpose(&[1, 0]).reshape(&[2.into(), 4.into()]);
    }
    finish(b, &[&x])
}

fn diamonds(nodes: usize) -> Result<Graph, String> {
    let b = Builder::new("diamonds");
    let mut x = b.input("x", vector(4));
    for _ in 0..nodes / 2 {
        let y = x.tanh();
        x = &y + &y;
    }
    finish(b, &[&x])
}

fn fan(nodes: usize) -> Result<Graph, String> {
    let b = Builder::new("fan");
    let x = b.input("x", vector(1));
    let parts: Vec<Tensor> = (0..nodes / 3).map(|i| &x * &x.scalar_like(i as f64)).collect();
    let all: Vec<&Tensor> = parts.iter().collect();
    finish(b.clone(), &[&b.apply(Op::Concatenate { axis: 0 }, &all)])
}

fn branches(nodes: usize) -> Result<Graph, String> {
    let b = Builder::new("branches");
    let flag = b.input("flag", Shape::scalar(DType::Bool));
    let mut x = b.input("x", vector(4));
    for _ in 0..nodes / 5 {
        let taken = |_: &Builder, x: &[Tensor]| vec![x[0].tanh()];
        let other = |_: &Builder, x: &[Tensor]| vec![x[0].exp()];
        x = b.cond(&flag, &[x], &taken, &other).remove(0);
    }
    finish(b, &[&x])
}

/// The depth of nested loops: the maximum for graphs, including the outermost.
const DEPTH: usize = rlx_ir::graph::MAX_NESTING;

fn nesting(nodes: usize) -> Result<Graph, String> {
    fn level(b: &Builder, x: &Tensor, depth: usize, nodes: usize) -> Tensor {
        let mut y = x.clone();
        for _ in 0..nodes / 2 {
            y = &y.tanh() * x;
        }
        if depth == 0 {
            return y;
        }
        let body = |b: &Builder, x: &[Tensor]| vec![level(b, &x[0], depth - 1, nodes)];
        b.scan(ScanOperands { carry: &[y], ..ScanOperands::default() }, 1usize, false, &body).remove(0)
    }
    let b = Builder::new("nesting");
    let x = b.input("x", vector(4));
    finish(b.clone(), &[&level(&b, &x, DEPTH, nodes / (DEPTH + 1))])
}

/// A loop that carries many values, and its results.
fn carry(nodes: usize) -> (Builder, Vec<Tensor>) {
    let b = Builder::new("carries");
    let init: Vec<Tensor> = (0..nodes / 4).map(|i| b.input(format!("x{i}"), vector(2))).collect();
    let body = |_: &Builder, x: &[Tensor]| x.iter().map(Tensor::tanh).collect();
    let last = b.scan(ScanOperands { carry: &init, ..ScanOperands::default() }, 2usize, false, &body);
    (b, last)
}

fn carries(nodes: usize) -> Result<Graph, String> {
    let (b, last) = carry(nodes);
    finish(b, &last.iter().collect::<Vec<_>>())
}

/// The sum of all values that the loop carries, as one node.
fn carried(nodes: usize) -> Result<Graph, String> {
    let (b, last) = carry(nodes);
    finish(b.clone(), &[&total(&b.apply(Op::Concatenate { axis: 0 }, &last.iter().collect::<Vec<_>>()))])
}

fn symbols(nodes: usize) -> Result<Graph, String> {
    let b = Builder::new("symbols");
    let shape = |i: usize| Shape::from_dims(&[Dim::dynamic(&format!("s{i}"))], DType::F32);
    let parts: Vec<Tensor> = (0..nodes).map(|i| b.input(format!("x{i}"), shape(i))).collect();
    let all: Vec<&Tensor> = parts.iter().collect();
    finish(b.clone(), &[&b.apply(Op::Concatenate { axis: 0 }, &all).tanh()])
}

/// A graph with one input of this size.
fn text_of(dim: &str) -> String {
    format!(
        "graph \"dims\" {{\n  %0 = input {{name = \"x\"}} : f32[{dim}]\n  %1 = tanh %0 : f32[{dim}]\n  return %1\n}}\n"
    )
}

fn sum_text(symbols: usize) -> String {
    text_of(&(0..symbols).map(|i| format!("s{i}")).collect::<Vec<_>>().join("+"))
}

/// The syntax of `dim` has no parentheses, so a function with the same argument twice replaces them.
fn product_text(sums: usize) -> String {
    text_of(&(0..sums).map(|i| format!("max(a{i}+b{i},a{i}+b{i})")).collect::<Vec<_>>().join("*"))
}
