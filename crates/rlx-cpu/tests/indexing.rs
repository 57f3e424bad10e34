//! Compares gather and scatter with the evaluator.

mod harness;

use harness::{SplitMix64, Tolerance, check, literal, ordinary, wild};
use rlx_ir::eval::Scalar;
use rlx_ir::{Combiner, DType, Dim, GatherDims, Graph, Literal, Named, Op, ReduceOp};

fn check_node(op: Op, operands: &[Literal], tolerance: Tolerance) {
    let mut graph = Graph::new("windows");
    let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
    let shapes = operands.iter().zip(&names).map(|(x, name)| (name, x.shape().clone()));
    let inputs = shapes.map(|(name, shape)| graph.input(name, shape)).collect();
    let node = graph.try_add(op, inputs).unwrap();
    graph.set_outputs(vec![node]);
    let values: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(operands).collect();
    check(&graph, &values, tolerance);
}

/// Returns indices between −2 and one past `below`, and some at the ends of their type.
fn indices(dims: &[usize], dtype: DType, below: usize, random: &mut SplitMix64) -> Literal {
    let (low, high) = dtype.int_range().unwrap();
    literal(dims, dtype, |_| {
        let at = match random.below(20) {
            0 => low,
            1 => high,
            _ => random.below(below + 4) as i128 - 2,
        };
        Scalar::Int(at.clamp(low, high))
    })
}

/// How windows, x and indices correspond; one row of the tests.
struct Case {
    x: &'static [usize],
    indices: &'static [usize],
    /// Window widths, one per axis of x.
    widths: &'static [usize],
    /// Axes of the windows' tensor inside a window; axes of x that are left out; batch axes of x and of the indices; map; vector axis.
    window: &'static [usize],
    dropped: &'static [usize],
    batch: [&'static [usize]; 2],
    map: &'static [usize],
    vector_dim: usize,
}

const CASES: [Case; 9] = [
    // Rows of a table.
    Case {
        x: &[13, 6],
        indices: &[4, 5],
        widths: &[1, 6],
        window: &[2],
        dropped: &[0],
        batch: [&[], &[]],
        map: &[0],
        vector_dim: 2,
    },
    // Parts of rows.
    Case {
        x: &[13, 6],
        indices: &[7, 2],
        widths: &[1, 3],
        window: &[1],
        dropped: &[0],
        batch: [&[], &[]],
        map: &[1, 0],
        vector_dim: 1,
    },
    // Single elements.
    Case {
        x: &[5, 7],
        indices: &[2, 9],
        widths: &[1, 1],
        window: &[],
        dropped: &[0, 1],
        batch: [&[], &[]],
        map: &[0, 1],
        vector_dim: 0,
    },
    // Windows with every axis, and the window's axes first.
    Case {
        x: &[6, 7, 4],
        indices: &[3, 2],
        widths: &[2, 3, 4],
        window: &[0, 1, 2],
        dropped: &[],
        batch: [&[], &[]],
        map: &[0, 1],
        vector_dim: 1,
    },
    // The window's axes around the counting axis.
    Case {
        x: &[6, 7],
        indices: &[5],
        widths: &[4, 1],
        window: &[0],
        dropped: &[1],
        batch: [&[], &[]],
        map: &[1],
        vector_dim: 1,
    },
    // Along the last axis, for each row.
    Case {
        x: &[3, 8],
        indices: &[3, 5],
        widths: &[1, 1],
        window: &[],
        dropped: &[1],
        batch: [&[0], &[0]],
        map: &[1],
        vector_dim: 2,
    },
    // A batch axis that is not the first of the indices.
    Case {
        x: &[3, 8, 4],
        indices: &[5, 3, 1],
        widths: &[1, 2, 4],
        window: &[2, 3],
        dropped: &[],
        batch: [&[0], &[1]],
        map: &[1],
        vector_dim: 2,
    },
    // No index vectors.
    Case {
        x: &[3, 8],
        indices: &[0],
        widths: &[1, 8],
        window: &[1],
        dropped: &[0],
        batch: [&[], &[]],
        map: &[0],
        vector_dim: 1,
    },
    // No elements.
    Case {
        x: &[0, 8],
        indices: &[2],
        widths: &[0, 3],
        window: &[0, 1],
        dropped: &[],
        batch: [&[], &[]],
        map: &[1],
        vector_dim: 1,
    },
];

fn gather_dims(case: &Case) -> GatherDims {
    GatherDims {
        offset_dims: case.window.to_vec(),
        collapsed_slice_dims: case.dropped.to_vec(),
        operand_batching_dims: case.batch[0].to_vec(),
        start_indices_batching_dims: case.batch[1].to_vec(),
        start_index_map: case.map.to_vec(),
        index_vector_dim: case.vector_dim,
    }
}

fn gather(case: &Case) -> Op {
    let slice_sizes = case.widths.iter().map(|&n| Dim::Static(n)).collect();
    Op::Gather { dims: gather_dims(case), slice_sizes }
}

#[test]
fn gathers_of_every_type() {
    let mut random = SplitMix64::new(1);
    for case in &CASES {
        for dtype in DType::ALL {
            let x = wild(case.x, dtype, &mut random);
            let at = indices(case.indices, DType::I32, 8, &mut random);
            check_node(gather(case), &[x, at], Tolerance::Exact);
        }
        for index in [DType::I8, DType::U8, DType::I16, DType::U16, DType::U32, DType::I64, DType::U64] {
            let x = wild(case.x, DType::F32, &mut random);
            let at = indices(case.indices, index, 8, &mut random);
            check_node(gather(case), &[x, at], Tolerance::Exact);
        }
    }
}

#[test]
fn large_gathers_split_between_threads() {
    let mut random = SplitMix64::new(2);
    let rows = Case {
        x: &[200, 96],
        indices: &[300],
        widths: &[1, 96],
        window: &[1],
        dropped: &[0],
        batch: [&[], &[]],
        map: &[0],
        vector_dim: 1,
    };
    let windows = Case {
        x: &[80, 90],
        indices: &[5, 2],
        widths: &[60, 70],
        window: &[1, 2],
        dropped: &[],
        batch: [&[], &[]],
        map: &[0, 1],
        vector_dim: 1,
    };
    let across = Case {
        x: &[80, 90],
        indices: &[200],
        widths: &[80, 1],
        window: &[0],
        dropped: &[1],
        batch: [&[], &[]],
        map: &[1],
        vector_dim: 1,
    };
    for case in [rows, windows, across] {
        for dtype in [DType::F16, DType::F32, DType::C128] {
            let x = wild(case.x, dtype, &mut random);
            let at = indices(case.indices, DType::I64, case.x[0], &mut random);
            check_node(gather(&case), &[x, at], Tolerance::Exact);
        }
    }
}

fn scatter(case: &Case, combiner: Combiner) -> Op {
    Op::Scatter { dims: gather_dims(case).to_scatter(), combiner }
}

/// Returns the sizes of the windows' tensor.
fn windows(case: &Case) -> Vec<usize> {
    let own = (0..case.x.len()).filter(|a| !case.dropped.contains(a) && !case.batch[0].contains(a));
    let mut inside = own.map(|a| case.widths[a]);
    let mut counted = (0..case.indices.len()).filter(|&a| a != case.vector_dim).map(|a| case.indices[a]);
    let rank = case.window.len() + case.indices.len() - usize::from(case.vector_dim < case.indices.len());
    (0..rank)
        .map(|a| if case.window.contains(&a) { inside.next() } else { counted.next() }.unwrap())
        .collect()
}

#[test]
fn scatters_of_every_type_with_every_combiner() {
    let mut random = SplitMix64::new(3);
    for case in &CASES {
        for &combiner in Combiner::VARIANTS {
            for dtype in combiner.accepts().iter() {
                let at = indices(case.indices, DType::I32, 6, &mut random);
                let x = wild(case.x, dtype, &mut random);
                let updates = wild(&windows(case), dtype, &mut random);
                check_node(scatter(case, combiner), &[x, at.clone(), updates], Tolerance::Exact);
                let x = ordinary(case.x, dtype, &mut random);
                let updates = ordinary(&windows(case), dtype, &mut random);
                check_node(scatter(case, combiner), &[x, at, updates], Tolerance::Exact);
            }
        }
    }
}

#[test]
fn large_scatters_do_not_depend_on_threads() {
    let mut random = SplitMix64::new(4);
    let rows = Case {
        x: &[20, 600],
        indices: &[150],
        widths: &[1, 600],
        window: &[1],
        dropped: &[0],
        batch: [&[], &[]],
        map: &[0],
        vector_dim: 1,
    };
    // Windows that overlap in different columns.
    let parts = Case {
        x: &[3, 900],
        indices: &[100, 2],
        widths: &[1, 500],
        window: &[1],
        dropped: &[0],
        batch: [&[], &[]],
        map: &[0, 1],
        vector_dim: 1,
    };
    let across = Case {
        x: &[300, 9],
        indices: &[100],
        widths: &[300, 1],
        window: &[0],
        dropped: &[1],
        batch: [&[], &[]],
        map: &[1],
        vector_dim: 1,
    };
    for case in [rows, parts, across] {
        for combiner in [Combiner::Set, Combiner::Reduce(ReduceOp::Sum), Combiner::Reduce(ReduceOp::Max)] {
            for dtype in [DType::F32, DType::F64, DType::BF16, DType::I32] {
                let at = indices(case.indices, DType::I64, 20, &mut random);
                let (x, updates) =
                    (ordinary(case.x, dtype, &mut random), ordinary(&windows(&case), dtype, &mut random));
                check_node(scatter(&case, combiner), &[x, at, updates], Tolerance::Exact);
            }
        }
    }
}
