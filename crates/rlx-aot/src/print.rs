//! Writes the files of an emitted crate.

use crate::calls::Body;
use crate::kernels::identifier;
use crate::planning::stored;
use crate::run::{errors, run};
use crate::sizes::{RunSizes, Size};
use crate::steps::{Planned, Routine};
use crate::targets::{Target, attribute, condition};
use crate::{RustEmitter, Weights};
use rlx_codegen::print::rust::support;
use rlx_compile::{EmittedFile, Piece};
use rlx_escape::markdown_code;
use rlx_ir::{DType, Graph, Node, Shape, Symbol};
use std::collections::{BTreeSet, HashMap};

/// The oldest Rust version with functions for AVX-512.
const RUST_VERSION: &str = "1.89";

/// Returns all files of the crate.
pub(crate) fn files(emitter: &RustEmitter, graph: &Graph, planned: Planned) -> Vec<EmittedFile> {
    let text = |path: &str, content: String| EmittedFile {
        path: path.into(),
        pieces: vec![Piece::Bytes(content.into_bytes())],
    };
    let (symbols, arguments) = arguments(graph);
    let sizes = match emitter.passes_sizes {
        true => RunSizes::passed(symbols, &planned.bounds),
        false => RunSizes::of(symbols, &arguments, &planned.bounds),
    };
    let has_weights = planned.data.bytes > 0;
    let signature = Signature::new(&arguments, &sizes, has_weights, emitter.has_threads());
    let routines: Vec<(&Target, String)> = planned
        .routines
        .iter()
        .map(|routine| (routine.target, self::routine(routine, &planned, (&sizes, &arguments), &signature)))
        .collect();
    let all: String = routines.iter().map(|(_, text)| text.as_str()).collect();
    let support = format!("//! Numbers as kernels need them.\n\n{}", support(&all, emitter.math())) + WORDS;
    let mut files = vec![
        text("Cargo.toml", manifest(emitter, graph)),
        text("src/lib.rs", library(emitter, graph, &planned, (&sizes, &arguments), &signature)),
        text("src/support.rs", support),
        text("src/machine.rs", machine(&planned, &signature)),
    ];
    if emitter.has_threads() {
        files.push(text("src/threads.rs", include_str!("emitted/threads.rs").into()));
    }
    for (target, content) in routines {
        files.push(text(&format!("src/{}.rs", target.name), content));
    }
    if has_weights {
        let path = match emitter.weights {
            Weights::Embedded => "src/weights.bin",
            Weights::Passed => "weights.bin",
        };
        files.push(EmittedFile { path: path.into(), pieces: planned.data.pieces });
    }
    files
}

/// The parameters of the functions that run the program.
pub(crate) struct Signature {
    /// The parameters with their types.
    parameters: String,
    /// Their names.
    pub(crate) names: String,
    /// The types and functions that they need.
    uses: &'static str,
}

impl Signature {
    fn new(
        [inputs, outputs]: &[Vec<Argument>; 2],
        sizes: &RunSizes,
        has_weights: bool,
        has_threads: bool,
    ) -> Signature {
        let (mut parameters, mut names) = (String::from("memory: &mut Memory"), String::from("memory"));
        let mut uses = "use super::Memory;\n";
        if has_threads {
            parameters.push_str(", team: &mut Team");
            names.push_str(", team");
            uses = "use super::Memory;\n#[allow(unused_imports)]\nuse super::threads::{Pieces, Team};\n";
        }
        if has_weights {
            parameters.push_str(", weights: &[u8]");
            names.push_str(", weights");
        }
        for Size { name, .. } in &sizes.list {
            parameters.push_str(&format!(", {name}: isize"));
            names.push_str(&format!(", {name}"));
        }
        for (list, mutable) in [(inputs, ""), (outputs, "mut ")] {
            for Argument { name, shape } in list {
                parameters.push_str(&format!(", {name}: &{mutable}[{}]", stored(shape.dtype()).0));
                names.push_str(&format!(", {name}"));
            }
        }
        Signature { parameters, names, uses }
    }
}

/// Returns the module of a target: its kernels, and the function that calls them.
fn routine(
    routine: &Routine,
    planned: &Planned,
    (sizes, arguments): (&RunSizes, &[Vec<Argument>; 2]),
    signature: &Signature,
) -> String {
    let functions = routine.kernels.functions.iter().map(|function| format!("\n{}", function.text));
    let functions: String = functions.collect();
    let mut body = String::new();
    let mut fields: Vec<String> = fields(planned).into_iter().map(|field| field.name).collect();
    if planned.has_own() {
        fields.push("threads".into());
    }
    if !fields.is_empty() {
        body.push_str(&format!("    let Memory {{ {} }} = memory;\n", fields.join(", ")));
    }
    if planned.has_own() {
        body.push_str("    let threads = *threads;\n");
    }
    body.push_str(&Body::text(routine, [&planned.memory, &planned.own], sizes, arguments));
    let (module, attribute) = (routine.target.name, attribute(routine.target));
    format!(
        "//! The program for {module}: kernels that each compute one step on slices, and the function that calls them.\n\n\
         #[allow(unused_imports)]\nuse super::support::{{rt, words}};\n{}\n\
         #[allow(unused, clippy::all)]\n{attribute}pub fn run({}) {{\n{body}}}\n{functions}",
        signature.uses, signature.parameters
    )
}

/// Returns the module that selects the target for the machine that the program runs on.
fn machine(planned: &Planned, Signature { parameters, names, uses }: &Signature) -> String {
    let (mut kinds, mut found, mut arms) = (String::new(), String::new(), String::new());
    for Routine { target, .. } in &planned.routines {
        let only = |indent: &str| match condition(target) {
            condition if condition.is_empty() => condition,
            condition => format!("{indent}{condition}"),
        };
        let kind = target.name[..1].to_uppercase() + &target.name[1..];
        kinds.push_str(&format!("{}    {kind},\n", only("    ")));
        found.push_str(&only("        "));
        found.push_str(&match (target.architecture, target.features) {
            (None, _) => format!("        #[allow(unreachable_code)]\n        Machine::{kind}\n"),
            (Some(_), []) => format!("        return Machine::{kind};\n"),
            (Some(_), features) => {
                let detected =
                    features.iter().map(|f| format!("std::arch::is_x86_feature_detected!(\"{f}\")"));
                let detected = detected.collect::<Vec<_>>().join("\n            && ");
                format!(
                    "        if {detected}\n        {{\n            return Machine::{kind};\n        }}\n"
                )
            }
        });
        let call = format!("super::{}::run({names})", target.name);
        arms.push_str(&only("            "));
        arms.push_str(&match target.features {
            [] => format!("            Machine::{kind} => {call},\n"),
            _ => format!(
                "            // SAFETY: only `here` makes a machine of this kind, after detecting the features that the function needs.\n            \
                 #[allow(unsafe_code)]\n            Machine::{kind} => unsafe {{ {call} }},\n"
            ),
        });
    }
    let constant = if planned.routines.len() == 1 { "const " } else { "" };
    format!(
        "//! Selects the program for the machine that it runs on.\n\n{uses}\n\
         /// The program for this machine.\n#[derive(Clone, Copy, Debug)]\npub struct Chosen(Machine);\n\n\
         #[derive(Clone, Copy, Debug)]\nenum Machine {{\n{kinds}}}\n\n\
         impl Chosen {{\n    /// Selects the best program that this machine can run.\n    pub {constant}fn here() -> Chosen {{\n        \
         Chosen(Machine::here())\n    }}\n\n    \
         /// Runs the program.\n    #[allow(clippy::too_many_arguments)]\n    pub fn run(self, {parameters}) {{\n        \
         match self.0 {{\n{arms}        }}\n    }}\n}}\n\n\
         impl Machine {{\n    {constant}fn here() -> Machine {{\n{found}    }}\n}}\n"
    )
}

fn manifest(emitter: &RustEmitter, graph: &Graph) -> String {
    let dependencies = match emitter.has_threads() {
        true => "\n[features]\n# Launches are shared between threads: `Model::with_threads`.\nthreads = []\n",
        false if emitter.no_std => "libm = \"0.2\"\n",
        false => "",
    };
    format!(
        "[package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2024\"\nrust-version = \"{RUST_VERSION}\"\n\n\
         [dependencies]\n{dependencies}",
        crate::crate_name(graph)
    )
}

/// A value that the caller passes.
pub(crate) struct Argument {
    pub(crate) name: String,
    pub(crate) shape: Shape,
}

/// Symbols with their unique names.
type Symbols = Vec<(Symbol, String)>;

/// Gives symbols, inputs and outputs unique names.
fn arguments(graph: &Graph) -> (Symbols, [Vec<Argument>; 2]) {
    // Names that the function itself uses.
    let mut taken: BTreeSet<String> =
        ["weights", "out", "words", "memory", "rt", "team", "threads", "share", "pieces", "tasks"]
            .map(String::from)
            .into();
    let mut asked: HashMap<String, usize> = HashMap::new();
    let mut unique = |name: &str| {
        let stem = identifier(name);
        let count = asked.entry(stem.clone()).or_insert(0);
        loop {
            let unique = if *count == 0 { stem.clone() } else { format!("{stem}_{count}") };
            *count += 1;
            if !is_internal(&unique) && taken.insert(unique.clone()) {
                return unique;
            }
        }
    };
    let symbols = graph.symbols().into_iter().map(|symbol| (symbol.clone(), unique(symbol.name()))).collect();
    let mut named = |name: &str, shape: &Shape| Argument { name: unique(name), shape: shape.clone() };
    let inputs = graph.inputs().map(|node: &Node| named(node.name().unwrap_or("x"), node.shape())).collect();
    let outputs = graph.output_shapes();
    let outputs = outputs.iter().enumerate().map(|(i, shape)| named(&format!("out{i}"), shape)).collect();
    (symbols, [inputs, outputs])
}

/// Returns whether the text uses names of this form: `a0` and `p0` for slices, `t0` for loop steps, `f32s` for memory.
fn is_internal(name: &str) -> bool {
    let numbered = |first| {
        name.strip_prefix(first)
            .is_some_and(|rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let arrays = |dtype| [array(stored(dtype).0), own_array(stored(dtype).0)];
    ['a', 'p', 't'].into_iter().any(numbered)
        || DType::ALL.iter().any(|&dtype| arrays(dtype).iter().any(|array| array == name))
}

/// Returns the name of the array that holds elements of a type.
pub(crate) fn array(element: &str) -> String {
    match element {
        "[f32; 2]" => "c64s".into(),
        "[f64; 2]" => "c128s".into(),
        element => format!("{element}s"),
    }
}

/// Returns the name of the array that holds elements of a type for the threads, one part after another.
pub(crate) fn own_array(element: &str) -> String {
    format!("own_{}", array(element))
}

/// A field of the memory.
struct Field {
    name: String,
    element: &'static str,
    /// The number of elements, as an expression.
    count: String,
}

/// Returns the fields of the memory: first those of values, then those of the threads.
fn fields(planned: &Planned) -> Vec<Field> {
    let values = planned.memory.arrays();
    let values =
        values.map(|(element, count)| Field { name: array(element), element, count: count.to_string() });
    let own = planned.own.arrays().map(|(element, count)| Field {
        name: own_array(element),
        element,
        count: format!("{count} * threads"),
    });
    values.chain(own).collect()
}

fn zero(element: &str) -> &'static str {
    match element {
        "bool" => "false",
        "f32" | "f64" => "0.0",
        element if element.starts_with('[') => "[0.0; 2]",
        _ => "0",
    }
}

/// Returns the library: the model with its memory and its `run` function.
fn library(
    emitter: &RustEmitter,
    graph: &Graph,
    planned: &Planned,
    (sizes, arguments): (&RunSizes, &[Vec<Argument>; 2]),
    signature: &Signature,
) -> String {
    let has_weights = planned.data.bytes > 0;
    let passed = has_weights && emitter.weights == Weights::Passed;
    let mut out = format!("//! {}, compiled ahead of time.\n\n", markdown_code(graph.name()));
    if emitter.no_std {
        out.push_str("#![no_std]\n");
    }
    // The call that selects a target is the one exception.
    let level = if planned.routines.len() == 1 { "forbid" } else { "deny" };
    out.push_str(&format!("#![{level}(unsafe_code)]\n\nmod machine;\nmod support;\n"));
    if emitter.has_threads() {
        // The module is unused if no launch is large enough to be shared.
        out.push_str("#[allow(dead_code)]\nmod threads;\n");
    }
    for Routine { target, .. } in &planned.routines {
        out.push_str(&format!("{}mod {};\n", condition(target), target.name));
    }
    out.push('\n');
    out.push_str(&errors(sizes));
    let bytes = planned.data.bytes;
    if has_weights {
        out.push_str(&format!("/// The size of the weights.\npub const WEIGHTS_BYTES: usize = {bytes};\n\n"));
    }
    if has_weights && !passed {
        out.push_str(
            "/// The weights and constants, little-endian.\n\
             static WEIGHTS: &[u8; WEIGHTS_BYTES] = include_bytes!(\"weights.bin\");\n\n",
        );
    }
    out.push_str(&memory_type(emitter, planned));
    let lifetime = if passed { "<'w>" } else { "" };
    let team = if emitter.has_threads() { "    team: threads::Team,\n" } else { "" };
    out.push_str(&format!(
        "/// The program with its memory.\npub struct Model{lifetime} {{\n    memory: Memory,\n{team}    machine: machine::Chosen,\n"
    ));
    out.push_str(if passed { "    weights: &'w [u8],\n}\n\n" } else { "}\n\n" });
    if !passed {
        out.push_str(DEFAULT);
    }
    out.push_str(&format!("impl{lifetime} Model{lifetime} {{\n"));
    out.push_str(&constructor(emitter, passed));
    out.push_str(&run(
        sizes,
        arguments,
        &signature.names,
        (has_weights.then_some(passed), emitter.has_threads()),
    ));
    out.push_str("}\n");
    out
}

const WORDS: &str = "
/// Returns the `count` elements of `N` bytes that start at byte `at`.
#[allow(dead_code)]
pub fn words<const N: usize>(weights: &[u8], at: usize, count: usize) -> &[[u8; N]] {
    weights[at..at + N * count].as_chunks().0
}
";

/// Returns the struct of the memory with its constructor.
fn memory_type(emitter: &RustEmitter, planned: &Planned) -> String {
    let (mut declared, mut values) = (String::new(), String::new());
    for Field { name, element, count } in fields(planned) {
        let zero = zero(element);
        let (of, value) = match emitter.no_std {
            true => (format!("[{element}; {count}]"), format!("[{zero}; {count}]")),
            false => (format!("Vec<{element}>"), format!("vec![{zero}; {count}]")),
        };
        declared.push_str(&format!("    {name}: {of},\n"));
        values.push_str(&format!("            {name}: {value},\n"));
    }
    let mut argument = "";
    if emitter.has_threads() {
        argument = if planned.has_own() { "threads: usize" } else { "_: usize" };
    }
    if planned.has_own() {
        declared.push_str("    threads: usize,\n");
        values.push_str("            threads,\n");
    }
    let constant = if emitter.no_std { "const " } else { "" };
    format!(
        "/// Memory for values between steps. Values that are not needed at the same time share places.\nstruct Memory {{\n{declared}}}\n\n\
         impl Memory {{\n    {constant}fn new({argument}) -> Self {{\n        Memory {{\n{values}        }}\n    }}\n}}\n\n"
    )
}

const DEFAULT: &str = "\
impl Default for Model {
    fn default() -> Self {
        Self::new()
    }
}

";

fn constructor(emitter: &RustEmitter, passed: bool) -> String {
    let constant = if emitter.no_std { "const " } else { "" };
    let fields = match emitter.has_threads() {
        true => "memory: Memory::new(1), team: threads::Team::alone(), machine: machine::Chosen::here()",
        false => "memory: Memory::new(), machine: machine::Chosen::here()",
    };
    let new = match passed {
        false => format!(
            "    /// Allocates the memory. Nothing is allocated afterwards.\n    pub {constant}fn new() -> Self {{\n        \
             Model {{ {fields} }}\n    }}\n\n"
        ),
        true => format!(
            "    /// Allocates the memory. Nothing is allocated afterwards. `weights` are the bytes of `weights.bin`, which was written \
             with the crate.\n    ///\n    /// # Errors\n    /// Fails if their length is not `WEIGHTS_BYTES`.\n    \
             pub fn new(weights: &'w [u8]) -> Result<Self, WrongLength> {{\n        \
             check(\"weights\", WEIGHTS_BYTES, weights.len())?;\n        \
             Ok(Model {{ {fields}, weights }})\n    }}\n\n"
        ),
    };
    new + if emitter.has_threads() { WITH_THREADS } else { "" }
}

const WITH_THREADS: &str = "    \
    /// Runs on `threads` threads, including the caller of `run`. The others are started here and sleep between runs.
    /// Results are identical, to the bit, on any number of threads.
    ///
    /// # Errors
    /// Fails if `threads` is 0, or if the system cannot start the threads.
    #[cfg(feature = \"threads\")]
    pub fn with_threads(mut self, threads: usize) -> std::io::Result<Self> {
        self.team = threads::Team::of(threads)?;
        self.memory = Memory::new(threads);
        Ok(self)
    }

";
