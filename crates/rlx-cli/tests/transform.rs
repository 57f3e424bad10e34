//! Programs lowered by JAX and transformed by `rlx transform`, compared with JAX's own transforms of the functions.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rlx_ir::{BinaryOp, Builder, DType, Literal, ReduceOp, ScanOperands, Shape};
use support::{assert_agree, examples, plugin, tensors};

/// A line of examples/jax/transforms.txt.
struct Case {
    program: String,
    transform: String,
    arguments: Vec<String>,
    tolerance: f64,
}

impl Case {
    fn all() -> Vec<Case> {
        let text = fs::read_to_string(examples().join("transforms.txt")).unwrap();
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let case = |line: &str| {
            let (words, tolerance) = line.split_once(':').unwrap();
            let mut words = words.split_whitespace().map(String::from);
            let (program, transform) = (words.next().unwrap(), words.next().unwrap());
            Case {
                program,
                transform,
                arguments: words.collect(),
                tolerance: tolerance.trim().parse().unwrap(),
            }
        };
        lines.map(case).collect()
    }

    fn name(&self) -> String {
        format!("{}.{}", self.program, self.transform)
    }

    /// Writes the transformed program to this file.
    fn transform_to(&self, file: &Path) {
        let program = examples().join(format!("{}.mlir", self.program));
        let mut words = vec!["transform".into(), self.transform.clone(), program.display().to_string()];
        words.extend(self.arguments.clone());
        words.extend(["--output".into(), file.display().to_string()]);
        let output = rlx(&words);
        assert!(output.status.success(), "{}: {}", self.name(), stderr(&output));
    }

    /// The files with the inputs of the transformed program.
    fn inputs(&self) -> Vec<PathBuf> {
        let program = examples().join(format!("{}.inputs.safetensors", self.program));
        let further = self.file("inputs");
        match self.transform == "vmap" {
            true => vec![further],
            false => [program, further].into_iter().filter(|file| file.exists()).collect(),
        }
    }

    /// A file in examples/jax that belongs to the case.
    fn file(&self, kind: &str) -> PathBuf {
        examples().join(format!("{}.{kind}.safetensors", self.name()))
    }
}

fn rlx<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rlx")).env("RLX_PROGRAM_CACHE", "0").args(arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a graph on files of arrays. The results are in outputs.safetensors in the folder `out`.
fn run(graph: &Path, inputs: &[PathBuf], device: &str, out: &Path) -> PathBuf {
    let mut words = vec!["run".to_string(), graph.display().to_string()];
    inputs.iter().for_each(|file| words.extend(["-i".into(), file.display().to_string()]));
    words.extend(["--device", device, "--format", "safetensors", "-o"].map(String::from));
    words.push(out.display().to_string());
    let output = rlx(&words);
    assert!(output.status.success(), "{}: {}", graph.display(), stderr(&output));
    out.join("outputs.safetensors")
}

fn agree_with_jax(device: &str) {
    let dir = tempfile::tempdir().unwrap();
    for case in Case::all() {
        let graph = dir.path().join(case.name() + ".mlir");
        case.transform_to(&graph);
        let results = run(&graph, &case.inputs(), device, &dir.path().join(case.name()));
        assert_agree(&case.name(), &results, &case.file("outputs"), case.tolerance);
    }
}

/// The conversion of a value to an f8 type and back has the derivative of conversions, 1, although the value is rounded.
#[test]
fn rounding_to_a_narrow_type_has_a_derivative() {
    let text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.convert %x : (tensor<f32>) -> tensor<f8E4M3FNUZ>
  %1 = stablehlo.convert %0 : (tensor<f8E4M3FNUZ>) -> tensor<f32>
  %2 = stablehlo.multiply %1, %x : tensor<f32>
  return %2 : tensor<f32>
}";
    let graph = rlx_stablehlo::import(text).unwrap().graph;
    let slope = rlx_autodiff::grad(&graph, "x").unwrap();
    let at = |x: f32| {
        let outputs = rlx_ir::eval(&slope, &[("x", &Literal::scalar(x))]).unwrap();
        outputs[0].as_slice::<f32>().unwrap()[0]
    };
    // Rounded to 1.125; f16, in which the value is stored, represents the cotangent exactly.
    assert_eq!(at(1.093_75), 1.125 + 1.093_75);
    assert_eq!(at(-3.0), -6.0);
}

#[test]
fn transforms_of_programs_lowered_by_jax_give_what_jax_gives() {
    agree_with_jax("cpu");
}

/// The transformed program, exported, and run by XLA through the plugin that `RLX_PJRT_PLUGIN` names.
#[test]
fn and_so_does_xla_when_it_runs_them() {
    if plugin("and_so_does_xla_when_it_runs_them") {
        agree_with_jax("tpu");
    }
}

#[test]
fn transformed_graphs_go_to_stablehlo_and_back() {
    let dir = tempfile::tempdir().unwrap();
    for case in Case::all() {
        let file = |extension: &str| dir.path().join(format!("{}.{extension}", case.name()));
        let [own, mlir, back, again] = ["rlx", "mlir", "back.rlx", "again.mlir"].map(file);
        case.transform_to(&own);
        for [from, to] in [[&own, &mlir], [&mlir, &back], [&back, &again]] {
            let output = rlx(&["convert".as_ref(), from.as_os_str(), to.as_os_str()]);
            assert!(output.status.success(), "{}: {}", case.name(), stderr(&output));
        }
        // Not the graphs, since StableHLO has no names for the graphs inside ops.
        let text = |file: &Path| fs::read_to_string(file).unwrap();
        assert!(text(&mlir) == text(&again), "{}", case.name());
    }
}

#[test]
fn a_mapped_program_of_no_stated_size_runs_at_several() {
    let dir = tempfile::tempdir().unwrap();
    let case = Case::all().into_iter().find(|c| c.name() == "pendulum.vmap").unwrap();
    let graph = dir.path().join("batched.rlx");
    case.transform_to(&graph);
    let text = fs::read_to_string(&graph).unwrap();
    assert!(text.contains("f32[batch]"), "{text}");
    let (inputs, want) = (tensors(&case.file("inputs")), tensors(&case.file("outputs")));
    for batch in [1, 2, 3] {
        let angles: Vec<u8> = inputs[0].3[..batch].iter().flat_map(|x| (*x as f32).to_le_bytes()).collect();
        let file = dir.path().join(format!("arg0.{batch}.npy"));
        rlx_models::npy::write(&file, rlx_ir::DType::F32, &[batch], &angles).unwrap();
        let out = dir.path().join(format!("out{batch}"));
        let (angles, friction) =
            (format!("arg0={}", file.display()), format!("arg1={}", case.file("inputs").display()));
        let words =
            ["run", graph.to_str().unwrap(), "-i", &angles, "-i", &friction, "-o", out.to_str().unwrap()];
        let output = rlx(&words);
        assert!(output.status.success(), "{}", stderr(&output));
        let got = rlx_models::npy::read(&out.join("out0.npy")).unwrap();
        let got = got.bytes.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap())));
        for (got, want) in got.zip(&want[0].3[..batch]) {
            assert!((got - want).abs() <= 1e-6 * want.abs(), "{got} {want}");
        }
    }
}

/// A program in two parts: the second one runs on the residuals of the first and on the inputs of JAX's transform, and
/// returns its last results.
fn parted_gives_what_jax_gives(kind: &str, wrt: &str, judge: &str) {
    let dir = tempfile::tempdir().unwrap();
    let (forward, linear) = (dir.path().join("f.mlir"), dir.path().join("f.linear.mlir"));
    let program = examples().join("pendulum.mlir");
    let words = ["transform", kind, program.to_str().unwrap(), "--wrt", wrt, "-o", forward.to_str().unwrap()];
    let output = rlx(&words);
    assert!(output.status.success(), "{}", stderr(&output));
    let out = dir.path().join("forward");
    let given = examples().join("pendulum.inputs.safetensors");
    let output =
        rlx(&["run", forward.to_str().unwrap(), "-i", given.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let residuals = fs::read_dir(&out).unwrap().count() - 1;
    let further = examples().join(format!("pendulum.{judge}.inputs.safetensors"));
    let mut words = vec!["run".into(), linear.display().to_string()];
    for i in 0..residuals {
        words.extend(["-i".into(), format!("r{i}={}/out{}.npy", out.display(), i + 1)]);
    }
    for (name, ..) in tensors(&further) {
        words.extend(["-i".into(), format!("{name}={}", further.display())]);
    }
    let pulled = dir.path().join("pulled");
    words.extend(["-o".into(), pulled.display().to_string()]);
    let output = rlx(&words);
    assert!(output.status.success(), "{}", stderr(&output));
    let want = tensors(&examples().join(format!("pendulum.{judge}.outputs.safetensors")));
    let want = &want[1..];
    assert_eq!(fs::read_dir(&pulled).unwrap().count(), want.len());
    for (i, want) in want.iter().enumerate() {
        let got = rlx_models::npy::read(&pulled.join(format!("out{i}.npy"))).unwrap().bytes;
        let got = f64::from(f32::from_le_bytes(got.try_into().unwrap()));
        assert!((got - want.3[0]).abs() <= 1e-6 * want.3[0].abs(), "{kind} {i}: {got} {want:?}");
    }
}

#[test]
fn a_linearized_program_is_two() {
    parted_gives_what_jax_gives("linearize", "0,1", "jvp");
}

#[test]
fn a_pulled_back_program_is_two() {
    parted_gives_what_jax_gives("pullback", "0", "vjp");
}

#[test]
fn standard_output_has_the_language_of_the_input() {
    let program = examples().join("pendulum.mlir");
    let output = rlx(&["transform", "grad", program.to_str().unwrap(), "--wrt", "0", "-o", "-"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let module = String::from_utf8(output.stdout).unwrap();
    assert_eq!(rlx_stablehlo::import(&module).unwrap().results, 1);
}

#[test]
fn what_cannot_be_transformed_is_said_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.rlx");
    let file = |name: &str| examples().join(name).display().to_string();
    // Arguments, exit code, and the expected parts of the message.
    let cases: [(&str, &str, &str, i32, &[&str]); 20] = [
        ("grad", "pendulum.mlir", "--wrt y", 2, &["`y` is not an input or parameter", "`arg0`, `arg1`"]),
        ("grad", "pendulum.mlir", "--wrt 2", 2, &["`2` is not an input or parameter"]),
        ("grad", "pendulum.mlir", "--wrt 0 --loss 1", 2, &["1 output(s)", "--loss"]),
        ("grad", "conv_net.mlir", "--wrt 0", 2, &["output 0", "f32[4,10]", "vjp"]),
        ("value-and-grad", "conv_net.mlir", "--wrt 0", 2, &["output 0", "f32[4,10]"]),
        ("hvp", "conv_net.mlir", "--wrt 0", 2, &["output 0", "f32[4,10]"]),
        ("hessian", "conv_net.mlir", "--wrt 0", 2, &["output 0", "f32[4,10]", "--loss"]),
        ("grad", "sort_top_k.mlir", "--wrt 0 --loss 1", 2, &["output 1", "i32["]),
        ("grad", "mlp_step.mlir", "--wrt 0,13", 2, &["`arg13` has element type i32", "convert it"]),
        ("hessian", "mlp_step.mlir", "--wrt arg13", 2, &["`arg13` has element type i32"]),
        ("jacfwd", "mlp_step.mlir", "--wrt 13", 2, &["`arg13` has element type i32"]),
        ("jacrev", "mlp_step.mlir", "--wrt 13", 2, &["`arg13` has element type i32"]),
        ("linearize", "mlp_step.mlir", "--wrt 13", 2, &["`arg13` has element type i32"]),
        ("pullback", "mlp_step.mlir", "--wrt 13", 2, &["`arg13` has element type i32"]),
        ("vmap", "pendulum.mlir", "--in-axes 0,none --out-axes 0,0", 2, &["2 out axes", "1 output(s)"]),
        ("vmap", "pendulum.mlir", "--in-axes arg7=0", 2, &["`arg7`", "`arg0`, `arg1`"]),
        ("vjp", "mlp_step.mlir", "--wrt 13", 2, &["`arg13` has element type i32"]),
        ("vmap", "pendulum.mlir", "--in-axes 0", 2, &["1 in axes", "2 input(s)"]),
        ("vmap", "pendulum.mlir", "--in-axes none,none", 2, &["is mapped", "--axis-size"]),
        ("vmap", "pendulum.mlir", "--in-axes 1,none", 2, &["axis 1 of `arg0` is out of range"]),
    ];
    for (transform, program, arguments, code, parts) in cases {
        let mut words = vec!["transform".to_string(), transform.into(), file(program)];
        words.extend(arguments.split(' ').map(String::from));
        words.extend(["-o".into(), out.display().to_string()]);
        let output = rlx(&words);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {message}");
        for part in parts {
            assert!(message.contains(part), "{words:?} needs {part}: {message}");
        }
        assert!(!out.exists());
    }
}

#[test]
fn an_op_without_a_rule_is_named_with_the_path_of_its_block() {
    let dir = tempfile::tempdir().unwrap();
    let shape = Shape::new(&[3], DType::F32);
    let b = Builder::new("stepper");
    let x = b.input("x", shape.clone());
    let over = ScanOperands { consts: &[], carry: std::slice::from_ref(&x), xs: &[] };
    let layers = b.scan(over, 2, false, &|b, carry| {
        vec![b.scoped("decoder.round", || {
            carry[0].binary(BinaryOp::NextAfter, &carry[0].scalar_like(9.0).broadcast_to(&[3usize.into()]))
        })]
    });
    let graph = b.finish(&[&layers[0].reduce(ReduceOp::Sum, &[0], false)]).unwrap();
    let (file, out) = (dir.path().join("stepper.rlx"), dir.path().join("out.rlx"));
    fs::write(&file, graph.to_string()).unwrap();
    for transform in [
        "grad",
        "value-and-grad",
        "jvp",
        "vjp",
        "hvp",
        "hessian",
        "jacfwd",
        "jacrev",
        "linearize",
        "pullback",
    ] {
        let words =
            ["transform", transform, file.to_str().unwrap(), "--wrt", "x", "-o", out.to_str().unwrap()];
        let output = rlx(&words);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{transform}: {message}");
        for part in ["`nextafter` at scan/decoder.round has no derivative", "stop the gradient"] {
            assert!(message.contains(part), "{transform} needs {part}: {message}");
        }
        assert!(!out.exists());
    }
    // It has a batching rule.
    let output = rlx(&["transform", "vmap", file.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn batches_of_different_sizes_are_refused_when_the_mapped_program_runs() {
    let dir = tempfile::tempdir().unwrap();
    let graph = dir.path().join("batched.mlir");
    let program = examples().join("pendulum.mlir");
    let transformed = |more: &[&str]| {
        let mut words = vec!["transform", "vmap", program.to_str().unwrap(), "--in-axes", "0,0"];
        words.extend(more);
        words.extend(["-o", graph.to_str().unwrap()]);
        let output = rlx(&words);
        assert!(output.status.success(), "{}", stderr(&output));
    };
    let array = |name: &str, count: usize| {
        let bytes: Vec<u8> = (0..count).flat_map(|i| (0.1 * i as f32).to_le_bytes()).collect();
        let file = dir.path().join(format!("{name}.{count}.npy"));
        rlx_models::npy::write(&file, DType::F32, &[count], &bytes).unwrap();
        format!("{name}={}", file.display())
    };
    let run = |first: usize, second: usize| {
        let (first, second) = (array("arg0", first), array("arg1", second));
        rlx(&["run", graph.to_str().unwrap(), "-i", &first, "-i", &second])
    };
    transformed(&[]);
    assert!(run(3, 3).status.success());
    let message = stderr(&run(3, 2));
    assert!(message.contains("arg1") && message.contains("batch"), "{message}");
    transformed(&["--axis-size", "3"]);
    assert!(run(3, 3).status.success());
    let message = stderr(&run(3, 2));
    assert!(message.contains("arg1") && message.contains("f32[3]"), "{message}");
}

/// Parameters, which JAX programs do not have. The Hessian of ½·xᵀ·A·x + b·x is A + Aᵀ over two, its gradient is A·x + b.
#[test]
fn second_derivatives_by_parameters_are_those_of_the_quadratic() {
    let dir = tempfile::tempdir().unwrap();
    let b = Builder::new("quadratic");
    let a = [[2.0f32, 1.0, 0.0], [-3.0, 4.0, 0.5], [1.0, 0.25, -1.0]];
    let x = b.param("x", Shape::new(&[3], DType::F32));
    let slope = b.input("b", Shape::new(&[3], DType::F32));
    let matrix = b.constant(Literal::new(&[3, 3], &a.concat()).unwrap());
    let product = matrix.matmul(&x.unsqueeze(1)).squeeze(1) * 0.5 + &slope;
    let graph = b.finish(&[&(&x * product).reduce(ReduceOp::Sum, &[0], false)]).unwrap();
    let file = dir.path().join("quadratic.rlx");
    fs::write(&file, graph.to_string()).unwrap();
    let npy = |name: &str, values: [f32; 3]| {
        let path = dir.path().join(format!("{name}.npy"));
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        rlx_models::npy::write(&path, DType::F32, &[3], &bytes).unwrap();
        format!("{name}={}", path.display())
    };
    let point = [0.5f32, -1.0, 2.0];
    let (given, weights) = (npy("b", [1.0, 2.0, 3.0]), npy("x", point));
    let results = |kind: &str, more: &[String]| -> Vec<Vec<f32>> {
        let made = dir.path().join(format!("{kind}.rlx"));
        let output =
            rlx(&["transform", kind, file.to_str().unwrap(), "--wrt", "x", "-o", made.to_str().unwrap()]);
        assert!(output.status.success(), "{}", stderr(&output));
        let out = dir.path().join(kind);
        let mut words = vec!["run".into(), made.display().to_string(), "-i".into(), given.clone()];
        words.extend(["-i".into(), weights.clone(), "-o".into(), out.display().to_string()]);
        more.iter().for_each(|m| words.extend(["-i".into(), m.clone()]));
        let output = rlx(&words);
        assert!(output.status.success(), "{kind}: {}", stderr(&output));
        let count = fs::read_dir(&out).unwrap().count();
        let read = |i: usize| rlx_models::npy::read(&out.join(format!("out{i}.npy"))).unwrap().bytes;
        let numbers = |bytes: Vec<u8>| {
            bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
        };
        (0..count).map(|i| numbers(read(i))).collect()
    };
    let symmetric: Vec<f32> = (0..9).map(|i| 0.5 * (a[i / 3][i % 3] + a[i % 3][i / 3])).collect();
    let row =
        |v: [f32; 3]| (0..3).map(|i| (0..3).map(|j| symmetric[3 * i + j] * v[j]).sum()).collect::<Vec<f32>>();
    let gradient: Vec<f32> = row(point).iter().zip([1.0, 2.0, 3.0]).map(|(h, b)| h + b).collect();
    assert_eq!(results("hessian", &[]), std::slice::from_ref(&symmetric));
    assert_eq!(results("jacfwd", &[]), std::slice::from_ref(&gradient));
    assert_eq!(results("jacrev", &[]), std::slice::from_ref(&gradient));
    assert_eq!(results("grad", &[]), [gradient]);
    assert_eq!(results("hvp", &[npy("x.tangent", [1.0, -2.0, 4.0])]), [row([1.0, -2.0, 4.0])]);
}
