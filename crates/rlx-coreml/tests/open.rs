//! Graphs with sizes that the run decides: one program, which gives the graph's results at each size.

#[path = "../examples/round_trip.rs"]
#[allow(dead_code)]
mod example;

use example::RoundTrip;
use example::graphs::open;
use rlx_compile::{CompileOptions, ParamValues};
use rlx_coreml::{Conversion, OpenDim, OpenSizes, Opset};
use rlx_ir::{Builder, DType, Dim, Graph, Op, ReduceOp, Shape, Symbol};

#[test]
fn one_program_gives_what_the_graph_gives_at_every_size() {
    for opset in Opset::ALL {
        let target = RoundTrip::new(opset);
        for example in open() {
            target
                .open_example(&example)
                .unwrap_or_else(|e| panic!("{} for {}: {e}", example.name, opset.name()));
        }
        let kinds = target.kinds();
        assert!(["shape", "range_1d", "fill"].iter().all(|kind| kinds.contains(*kind)), "{kinds:?}");
    }
}

fn refused(graph: &Graph, sizes: OpenSizes) -> String {
    let conversion = Conversion::new(Opset::Ios17.into(), CompileOptions::new());
    let open = [OpenDim { symbol: Symbol::new("seq"), sizes }];
    conversion.prepare_open(graph, &open, &ParamValues::new()).err().unwrap().to_string()
}

#[test]
fn what_depends_on_sizes_in_other_ways_is_refused_by_name() {
    let builder = Builder::new("places");
    let shape = Shape::from_dims(&[Dim::Dynamic(Symbol::new("seq")), Dim::Static(4)], DType::F32);
    let x = builder.input("x", shape.clone());
    let moved = &x + builder.iota(shape, 0);
    let graph = builder.finish(&[&moved]).unwrap();
    let problem = refused(&graph, OpenSizes::Range(1, 512));
    assert!(problem.contains("a constant depends on the sizes"), "{problem}");
    let problem = refused(&graph, OpenSizes::List(vec![1, 2]));
    assert!(problem.contains("dimension seq"), "{problem}");
}

/// Primes, at which graphs are written, are odd: half of a size, rounded down, is an affine function of them.
#[test]
fn half_of_a_size_is_no_affine_function() {
    let builder = Builder::new("half");
    let seq = Dim::Dynamic(Symbol::new("seq"));
    let x = builder.input("x", Shape::from_dims(&[seq.clone(), Dim::Static(4)], DType::F32));
    let half = x.slice_axis(0, seq.floor_div(&Dim::Static(2)), seq);
    let graph = builder.finish(&[&half]).unwrap();
    for sizes in [OpenSizes::Range(1, usize::MAX), OpenSizes::Range(1, 512), OpenSizes::Range(4, 64)] {
        let problem = refused(&graph, sizes);
        assert!(problem.contains("at run time"), "{problem}");
    }
}

#[test]
fn what_takes_more_steps_at_larger_sizes_is_refused_where_a_range_has_no_end() {
    let builder = Builder::new("running");
    let shape = Shape::from_dims(&[Dim::Dynamic(Symbol::new("seq")), Dim::Static(4)], DType::F32);
    let x = builder.input("x", shape);
    let op = Op::Cumulative { op: ReduceOp::LogSumExp, axis: 0, exclusive: false, reverse: false };
    let graph = builder.finish(&[&x.apply(op, &[])]).unwrap();
    for sizes in [OpenSizes::Range(1, usize::MAX), OpenSizes::Range(3000, 100_000)] {
        let problem = refused(&graph, sizes);
        assert!(problem.contains("depend"), "{problem}");
    }
}
