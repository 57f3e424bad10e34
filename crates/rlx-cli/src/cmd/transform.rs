//! `rlx transform`: writes derivatives and vectorized forms of a graph to files.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use rlx_autodiff::{self as autodiff, Error, Options, VmapAxes, WhileMemory, Wrt};
use rlx_ir::Graph;
use rlx_stablehlo::ExportOptions;

use crate::failure::Failure;
use crate::output;
use crate::program::{self, Language};
use crate::settings::Settings;

/// Differentiate or vectorize a graph
///
/// Reads a graph (.rlx, or StableHLO as JAX writes it in .mlir) and writes another one that takes the same inputs and
/// parameters. Tangents and cotangents are additional inputs after those, named `x.tangent` for an input x and
/// `out0.cotangent` for output 0. The resulting graphs can be run with `rlx run` or in XLA, or transformed again.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    transform: Transform,
}

#[derive(Subcommand)]
enum Transform {
    /// The gradient of a scalar output: one output for each of --wrt
    Grad(OfLoss),
    /// The outputs, then the gradient of a scalar output
    ValueAndGrad(OfLoss),
    /// The second derivative of a scalar output times tangents: one output for each of --wrt
    Hvp(OfLoss),
    /// The second derivative of a scalar output: one output for each pair of --wrt
    Hessian(OfLoss),
    /// The outputs, then their tangents: the Jacobian times tangents
    Jvp(OfOutputs),
    /// The outputs, then one cotangent for each of --wrt: cotangents times the Jacobian
    Vjp(OfOutputs),
    /// The derivative of each output with respect to each of --wrt, in forward mode
    Jacfwd(OfOutputs),
    /// The derivative of each output with respect to each of --wrt, in reverse mode
    Jacrev(OfOutputs),
    /// The outputs and residuals, and a second graph that maps residuals and tangents to tangents of the outputs
    Linearize(Parted),
    /// The outputs and residuals, and a second graph that maps residuals and cotangents to cotangents of --wrt
    Pullback(Parted),
    /// The graph applied to each slice of its inputs
    Vmap(Vmap),
}

#[derive(clap::Args)]
struct Files {
    /// The graph to read: a .rlx or .mlir file, or `-` for standard input
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,

    /// The file to write, .rlx or .mlir; `-` is standard output, in the format of GRAPH
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

#[derive(clap::Args)]
struct OfOutputs {
    #[command(flatten)]
    files: Files,

    /// The inputs and parameters to differentiate with respect to: names, or positions from 0 (parameters count after
    /// the inputs)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', required = true)]
    wrt: Vec<String>,

    /// Return zeros for inputs that the outputs do not depend on, instead of an error
    #[arg(long)]
    allow_unused: bool,

    /// Reverse mode through `while`: loops take at most N steps, and the values of all steps are stored
    #[arg(long, value_name = "N", conflicts_with = "while_checkpoints", value_parser = positive)]
    while_bound: Option<usize>,

    /// Reverse mode through `while`: store values at about N points, and rerun the steps between them
    #[arg(long, value_name = "N", value_parser = positive)]
    while_checkpoints: Option<usize>,
}

#[derive(clap::Args)]
struct OfLoss {
    #[command(flatten)]
    of: OfOutputs,

    /// The scalar output to differentiate, counted from 0
    #[arg(long, value_name = "OUTPUT", default_value_t = 0)]
    loss: usize,
}

#[derive(clap::Args)]
struct Parted {
    #[command(flatten)]
    of: OfOutputs,

    /// The file for the second graph [default: `NAME.linear.EXT` next to --output]
    #[arg(long, value_name = "FILE")]
    linear: Option<PathBuf>,
}

#[derive(clap::Args)]
struct Vmap {
    #[command(flatten)]
    files: Files,

    /// The mapped axis of each input, in order, or `none` for an input that is shared by all slices; or NAME=AXIS for
    /// some inputs and parameters [default: 0 for inputs, none for parameters]
    #[arg(long, value_name = "AXES", value_delimiter = ',', allow_hyphen_values = true, value_parser = in_axis)]
    in_axes: Vec<InAxis>,

    /// The axis along which each output is stacked [default: 0]
    #[arg(long, value_name = "AXES", value_delimiter = ',', allow_hyphen_values = true)]
    out_axes: Vec<i64>,

    /// The number of slices [default: any number, a symbolic dimension]
    #[arg(long, value_name = "N")]
    axis_size: Option<usize>,

    /// The name of the axis, for collectives in the graph, and of its symbolic dimension
    #[arg(long, value_name = "NAME")]
    axis_name: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  rlx transform grad loss.mlir --wrt 0,1 -o gradient.mlir
  rlx transform value-and-grad loss.rlx --wrt w,b -o step.rlx
  rlx transform vjp model.mlir --wrt arg0 -o pulled.mlir
  rlx transform vmap model.rlx --in-axes 0,none -o batched.rlx
  rlx transform linearize model.rlx --wrt x -o forward.rlx --linear tangents.rlx";

/// The mapped axis of an input.
#[derive(Clone, Debug, PartialEq)]
struct InAxis {
    name: Option<String>,
    axis: Option<i64>,
}

fn in_axis(text: &str) -> Result<InAxis, String> {
    let (name, axis) = match text.split_once('=') {
        Some((name, axis)) => (Some(name.to_string()), axis),
        None => (None, text),
    };
    let axis = match axis.trim() {
        "none" => None,
        number => Some(number.parse().map_err(|_| format!("{number:?} is neither an axis nor `none`"))?),
    };
    Ok(InAxis { name, axis })
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a number, at least 1".into()),
        Ok(n) => Ok(n),
    }
}

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    match args.transform {
        Transform::Grad(a) => derivative(&a.of, Some(a.loss), settings, autodiff::grad_with),
        Transform::ValueAndGrad(a) => {
            derivative(&a.of, Some(a.loss), settings, autodiff::value_and_grad_with)
        }
        Transform::Hvp(a) => derivative(&a.of, Some(a.loss), settings, autodiff::hvp_with),
        Transform::Hessian(a) => derivative(&a.of, Some(a.loss), settings, autodiff::hessian_with),
        Transform::Jvp(a) => derivative(&a, None, settings, autodiff::jvp_with),
        Transform::Vjp(a) => derivative(&a, None, settings, autodiff::vjp_with),
        Transform::Jacfwd(a) => derivative(&a, None, settings, autodiff::jacfwd_with),
        Transform::Jacrev(a) => derivative(&a, None, settings, autodiff::jacrev_with),
        Transform::Linearize(a) => parted(&a, settings, autodiff::linearize_with),
        Transform::Pullback(a) => parted(&a, settings, autodiff::pullback_with),
        Transform::Vmap(a) => vmap(a, settings),
    }
}

fn derivative(
    args: &OfOutputs,
    loss: Option<usize>,
    settings: &Settings,
    transform: impl Fn(&Graph, Wrt, &Options) -> Result<Graph, Error>,
) -> Result<(), Failure> {
    let (graph, language) = read(&args.files, settings)?;
    let made = transform(&graph, wrt(&graph, &args.wrt), &options(args, loss)).map_err(refused)?;
    write(language, &args.files.output, &made, settings)
}

fn parted(
    args: &Parted,
    settings: &Settings,
    transform: impl Fn(&Graph, Wrt, &Options) -> Result<autodiff::Linearized, Error>,
) -> Result<(), Failure> {
    let files = &args.of.files;
    let second = args.linear.clone().unwrap_or_else(|| beside(&files.output));
    Language::of(&second)?;
    if second == files.output {
        return Err(Failure::usage("--output and --linear name the same file"));
    }
    let (graph, language) = read(files, settings)?;
    let made = transform(&graph, wrt(&graph, &args.of.wrt), &options(&args.of, None)).map_err(refused)?;
    settings.say(|| format!("the last {} outputs are residuals", made.residuals));
    write(language, &second, &made.linear, settings)?;
    write(language, &files.output, &made.forward, settings)
}

fn vmap(args: Vmap, settings: &Settings) -> Result<(), Failure> {
    let (graph, language) = read(&args.files, settings)?;
    let mut axes = VmapAxes::new();
    let (named, counted): (Vec<InAxis>, Vec<InAxis>) =
        args.in_axes.into_iter().partition(|a| a.name.is_some());
    if !counted.is_empty() {
        axes = axes.in_axes(counted.into_iter().map(|a| a.axis).collect::<Vec<_>>());
    }
    for InAxis { name, axis } in named {
        axes = axes.in_axis(name.unwrap_or_default(), axis);
    }
    if !args.out_axes.is_empty() {
        axes = axes.out_axes(args.out_axes);
    }
    if let Some(size) = args.axis_size {
        axes = axes.size(size);
    }
    if let Some(name) = args.axis_name {
        axes = axes.name(name);
    }
    let made = autodiff::vmap(&graph, &axes).map_err(refused)?;
    write(language, &args.files.output, &made, settings)
}

/// Reads the graph, without the values that the checks of its program compare, and the language it is in.
fn read(files: &Files, settings: &Settings) -> Result<(Graph, Language), Failure> {
    // Refuse a name that cannot be written to before reading anything.
    if !is_standard_output(&files.output) {
        Language::of(&files.output)?;
    }
    let program = program::read(&files.graph)?;
    let mut graph = program.graph;
    settings.say(|| format!("{} nodes read", graph.nodes().len()));
    if program.results < graph.outputs().len() {
        settings.say(|| format!("{} checks of the program are left out", program.checks.len()));
        graph.set_outputs(graph.outputs()[..program.results].to_vec());
    }
    Ok((graph, program.language))
}

fn write(language: Language, to: &Path, graph: &Graph, settings: &Settings) -> Result<(), Failure> {
    let export = ExportOptions::default();
    if is_standard_output(to) {
        let text = program::text(language, graph, &export)?;
        return output::payload(text.as_bytes());
    }
    program::write(to, graph, &export)?;
    settings.say(|| format!("{} written: {} nodes", to.display(), graph.nodes().len()));
    Ok(())
}

fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// `DIR/NAME.linear.EXT` for `DIR/NAME.EXT`.
fn beside(path: &Path) -> PathBuf {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_extension(format!("linear.{extension}"))
}

fn options(args: &OfOutputs, loss: Option<usize>) -> Options {
    let mut options = Options::new().loss(loss.unwrap_or(0));
    if args.allow_unused {
        options = options.allow_unused();
    }
    let bounded = args.while_bound.map(WhileMemory::Bounded);
    match bounded.or(args.while_checkpoints.map(WhileMemory::Checkpoints)) {
        Some(memory) => options.while_memory(memory),
        None => options,
    }
}

/// Converts positions to names. Words that are neither a name nor a position are left for the transform to refuse.
fn wrt(graph: &Graph, given: &[String]) -> Wrt {
    let leaves = graph.inputs().chain(graph.params());
    let names: Vec<String> = leaves.filter_map(|node| node.name().map(String::from)).collect();
    let named = |text: &String| {
        let position = || names.get(text.parse::<usize>().ok()?).cloned();
        if names.contains(text) { text.clone() } else { position().unwrap_or_else(|| text.clone()) }
    };
    Wrt::from(given.iter().map(named).collect::<Vec<String>>())
}

/// A refusal, with the option that helps. If the command line names something that the graph does not have, it is an
/// error of usage.
fn refused(error: Error) -> Failure {
    let hint = match &error {
        Error::Unused { .. } => "\n  --allow-unused gives zeros for it",
        Error::Axis(_) => "\n  --in-axes, --out-axes and --axis-size choose what is mapped",
        Error::NotScalar { .. } | Error::NoOutput { .. } => "\n  --loss chooses the output that is the loss",
        _ => "",
    };
    let text = format!("{error}{hint}");
    match error {
        Error::NotScalar { .. }
        | Error::NoOutput { .. }
        | Error::UnknownInput { .. }
        | Error::Integer { .. }
        | Error::Unused { .. }
        | Error::Axis(_)
        | Error::Arguments(_) => Failure::usage(text),
        _ => Failure::Failed(text.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_read() {
        let named = |name: &str, axis| InAxis { name: Some(name.into()), axis };
        assert_eq!(in_axis("none"), Ok(InAxis { name: None, axis: None }));
        assert_eq!(in_axis("-1"), Ok(InAxis { name: None, axis: Some(-1) }));
        assert_eq!(in_axis("w=1"), Ok(named("w", Some(1))));
        assert_eq!(in_axis("w=none"), Ok(named("w", None)));
        assert!(in_axis("w=first").unwrap_err().contains("\"first\""));
    }

    #[test]
    fn the_second_graph_lies_beside_the_first() {
        assert_eq!(beside(Path::new("a/b.mlir")), Path::new("a/b.linear.mlir"));
    }
}
