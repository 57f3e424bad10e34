//! The choice of an instruction set by option and by environment variable, and that the chosen one is the one that runs. The results of
//! each are compared by every test that uses `harness::check`, which compiles for all that the machine has.

mod harness;

use harness::{SplitMix64, isa_of, ordinary, run, ways};
use rlx_compile::CompileOptions;
use rlx_cpu::isa::{Cpu, Isa};
use rlx_cpu::{CpuBackend, CpuOptions};
use rlx_driver::Env;
use rlx_exec::{Backend, compile};
#[cfg(target_arch = "x86_64")]
use rlx_ir::{Activation, AttentionOptions, Op};
use rlx_ir::{Bindings, Builder, DType, Graph, Literal, Shape};

fn product() -> Graph {
    let builder = Builder::new("product");
    let x = builder.input("x", Shape::new(&[7, 129], DType::F32));
    let w = builder.input("w", Shape::new(&[129, 5], DType::F32));
    builder.finish(&[&x.matmul(&w)]).unwrap()
}

fn result(options: &CompileOptions) -> Literal {
    let mut random = SplitMix64::new(1);
    let x = ordinary(&[7, 129], DType::F32, &mut random);
    let w = ordinary(&[129, 5], DType::F32, &mut random);
    run(&product(), &[("x", &x), ("w", &w)], options).swap_remove(0)
}

fn forced(isa: Isa) -> CompileOptions {
    CompileOptions::new().with_backend(CpuOptions::new().isa(isa))
}

/// Returns a graph of one op on f32 operands of these sizes.
#[cfg(target_arch = "x86_64")]
fn one_op(op: Op, sizes: &[&[usize]]) -> Graph {
    let builder = Builder::new(op.mnemonic());
    let inputs: Vec<_> =
        (0..sizes.len()).map(|i| builder.input(format!("x{i}"), Shape::new(sizes[i], DType::F32))).collect();
    let results = builder.apply_many(op, &inputs.iter().collect::<Vec<_>>());
    builder.finish(&results.iter().collect::<Vec<_>>()).unwrap()
}

/// A multiply-add rounds twice in the baseline of x86-64 and once elsewhere, which is visible with many numbers. (Sums that are rounded
/// once, and copies, such as reductions and scatters, have the same bits everywhere.)
#[test]
#[cfg(target_arch = "x86_64")]
fn the_forced_instruction_set_is_the_one_that_runs() {
    let options = AttentionOptions { num_heads: Some(4), ..AttentionOptions::default() };
    let derivative = Op::AttentionBackward { options: options.unpacked() };
    let (tokens, matrix): (&[usize], &[usize]) = (&[2, 33, 64], &[33, 130]);
    let graphs = [
        product(),
        one_op(options.op(), &[tokens; 3]),
        one_op(derivative, &[tokens; 4]),
        one_op(Op::Activation { kind: Activation::Gelu }, &[matrix]),
        one_op(Op::LayerNorm { axis: 1, eps: 1e-5 }, &[matrix, &[130]]),
        one_op(Op::Softmax { axis: 1 }, &[matrix]),
    ];
    for graph in graphs {
        let mut random = SplitMix64::new(2);
        let values: Vec<(&str, Literal)> = graph
            .inputs()
            .map(|x| {
                (x.name().unwrap(), ordinary(&x.shape().static_dims().unwrap(), DType::F32, &mut random))
            })
            .collect();
        let values: Vec<(&str, &Literal)> = values.iter().map(|(name, x)| (*name, x)).collect();
        let baseline = run(&graph, &values, &forced(Isa::Baseline));
        for isa in Isa::available().filter(|&isa| isa != Isa::Baseline) {
            for (i, (got, plain)) in run(&graph, &values, &forced(isa)).iter().zip(&baseline).enumerate() {
                assert!(got != plain, "output {i} with {} has the bits of the baseline\n{graph}", isa.name());
            }
        }
    }
}

#[test]
fn the_environment_variable_chooses_where_the_options_do_not() {
    for isa in Isa::available() {
        let env = Env::from_iter([("RLX_CPU_ISA", isa.name())]);
        let with_env = |mut options: CompileOptions| {
            CpuBackend.apply_env(&mut options, &env).unwrap();
            options
        };
        let by_env = with_env(CompileOptions::new());
        assert_eq!(result(&by_env).bytes(), result(&forced(isa)).bytes(), "{}", isa.name());
        assert_eq!(isa_of(&with_env(forced(Isa::Baseline))), Some(Isa::Baseline));
    }
    let unknown = Env::from_iter([("RLX_CPU_ISA", "sse9")]);
    let error = CpuBackend.apply_env(&mut CompileOptions::new(), &unknown).unwrap_err();
    assert_eq!(error.to_string(), "RLX_CPU_ISA is \"sse9\"; it takes baseline | avx2 | avx512 | amx | neon");
}

#[test]
fn what_the_machine_lacks_is_refused_and_what_it_has_is_compared() {
    let compiled = |isa| compile(&product(), &Bindings::new(), &CpuBackend, &forced(isa)).map(|_| ());
    for isa in Isa::ALL {
        assert_eq!(compiled(isa).is_ok(), isa.is_available(), "{}", isa.name());
        assert_eq!(Cpu::with_isa(isa).is_ok(), isa.is_available(), "{}", isa.name());
        let compared = isa == Isa::detect() || ways().iter().any(|w| isa_of(w) == Some(isa));
        assert_eq!(compared, isa.is_available(), "{}", isa.name());
    }
}
