//! `rlx bench update`: time of an AdamW update of the GPT of `rlx bench train`, without the loss and its gradients.

use std::time::Instant;

use rlx_ir::{Builder, DType, Graph, Shape, Tensor};
use rlx_models::gpt;
use rlx_optim::{Operands, Param};
use rlx_runtime::{CompileOptions, CompiledGraph, CpuOptions, Session};
use serde_json::json;

use super::bench::Times;
use super::bench_train::{BATCH, MODEL, OPTIMIZER, Options, RATE, WARM_UP, starts};
use crate::failure::Failure;
use crate::output;

const STEPS: usize = 30;

/// Times updates. In every step, the gradient of a parameter is its initial value.
pub fn run(options: &Options) -> Result<(), Failure> {
    let model = gpt::loss_graph(&MODEL, BATCH, MODEL.context)?;
    let starts = starts(&model, options)?;
    let params: Vec<Param> =
        model.named_params().map(|(name, shape)| Param::new(name, shape.clone())).collect();
    let mut compile = CompileOptions::new().donate_handles(true);
    if let Some(threads) = options.threads {
        compile = compile.with_backend(CpuOptions::new().num_threads(threads));
    }
    let mut program = Session::new(options.device).with_options(compile).try_compile(graph(&params)?)?;
    let mut elements = 0;
    for (i, param) in params.iter().enumerate() {
        let start = &starts[param.name()];
        elements += start.len();
        program.set_handle(&kept(i, Kept::Parameter), start)?;
        program.set_handle(&kept(i, Kept::Gradient), start)?;
        for moment in [Kept::First, Kept::Second] {
            program.set_handle(&kept(i, moment), &vec![0.0; start.len()])?;
        }
    }
    let mut times = Vec::new();
    for step in 0..options.steps.unwrap_or(STEPS) + WARM_UP {
        let at = Instant::now();
        program.run_kept(&[
            ("step", &(step as i32).to_le_bytes(), DType::I32),
            ("lr", &RATE.to_le_bytes(), DType::F32),
        ])?;
        if step >= WARM_UP {
            times.push(at.elapsed().as_secs_f64() * 1e3);
        }
    }
    let sum = magnitude(&program, params.len())?;
    let times = Times::new(times);
    let (median, best) = (times.quantile(0.5), times.quantile(0.0));
    let text = if options.json {
        let report = json!({
            "model": "update", "threads": options.threads, "parameters": elements, "median_ms": median, "best_ms": best,
            "magnitude": sum,
        });
        format!("{report}\n")
    } else {
        format!("AdamW, {elements} parameters\n  median {median:.1} ms, best {best:.1} ms\n")
    };
    output::report(options.json, &text)
}

/// The values that the program keeps for each parameter, in the order of its outputs.
#[derive(Clone, Copy)]
enum Kept {
    Parameter,
    First,
    Second,
    Gradient,
}

/// The name of the output, which is also the input that it replaces in the next step.
fn kept(param: usize, what: Kept) -> String {
    format!("out{}", 4 * param + what as usize)
}

/// The update of all parameters. Gradients are stored in the program's memory, as in a training step, where they are
/// intermediate values.
fn graph(params: &[Param]) -> Result<Graph, Failure> {
    let b = Builder::new("update");
    let step = b.input("step", Shape::scalar(DType::I32));
    let rate = b.input("lr", Shape::scalar(DType::F32));
    let mut outputs: Vec<Tensor> = Vec::new();
    for (i, param) in params.iter().enumerate() {
        let input = |what| b.input(kept(i, what), param.shape().clone());
        let [parameter, first, second, gradient] =
            [Kept::Parameter, Kept::First, Kept::Second, Kept::Gradient].map(input);
        let state = [first, second];
        let operands = Operands {
            parameter: &parameter,
            gradient: &gradient,
            state: &state,
            step: &step,
            learning_rate: &rate,
            hessian: None,
        };
        let updated = b.scoped(param.name(), || OPTIMIZER.update(param, &operands))?;
        outputs.push(updated.parameter);
        outputs.extend(updated.state);
        outputs.push(gradient);
    }
    Ok(b.finish(&outputs.iter().collect::<Vec<_>>())?)
}

/// The sum of the magnitudes of all parameters, for comparison with other implementations.
fn magnitude(program: &CompiledGraph, params: usize) -> Result<f64, Failure> {
    let mut sum = 0.0;
    for i in 0..params {
        let bytes = program.handle(&kept(i, Kept::Parameter))?;
        sum += bytes.as_chunks::<4>().0.iter().map(|b| f64::from(f32::from_le_bytes(*b)).abs()).sum::<f64>();
    }
    Ok(sum)
}
