//! Emitters: targets that write programs as files, to run elsewhere.
//!
//! ```text
//! Graph ──lower_for(claims)──▶ Lowered ──emit(params)──▶ files: pieces of bytes, and parameters written from where they are
//! ```
//!
//! An [`Emitter`] consists of claims and an `emit` function. The function [`emit()`] calls it and checks everything that does not
//! depend on the target: every parameter has a value of its length, and no file is outside the folder. [`TextEmitter`]
//! is the simplest emitter, and is used to test the rest.

use crate::dispatch::format_dispatch_report;
use crate::lowered::Lowered;
use crate::param::Param;
use rlx_fusion::{Claims, ClaimsNone};
use rlx_ir::{Graph, OpError};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Values of parameters by name, row-major and little-endian in the type that the graph declares.
pub type ParamValues = BTreeMap<String, Param>;

/// A target that programs are written for, to run elsewhere: a package, a crate, a circuit.
pub trait Emitter: Send + Sync {
    /// Returns the target's name for dispatch reports and messages.
    fn target(&self) -> &str;

    /// Returns the ops that the target expresses natively. The legalizer writes all others in simpler ops.
    fn claims(&self) -> &dyn Claims;

    /// Returns the files for a lowered graph. Every parameter of the graph has a value of its shape's length.
    ///
    /// # Errors
    /// Reports everything that the target cannot express at once.
    fn emit(&self, lowered: &Lowered, params: &ParamValues) -> Result<Vec<EmittedFile>, EmitError>;
}

/// One file of an emitted program.
#[derive(Clone, Debug)]
pub struct EmittedFile {
    /// Its path in the emitted folder: names separated by `/`.
    pub path: String,
    /// Its contents, one piece after another.
    pub pieces: Vec<Piece>,
}

/// Part of a file.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Bytes that the emitter made.
    Bytes(Vec<u8>),
    /// The bytes of a parameter, which are written without a copy.
    Param(Param),
}

impl Piece {
    /// Returns the bytes of the piece.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Piece::Bytes(bytes) => bytes,
            Piece::Param(param) => param.bytes(),
        }
    }
}

/// Why a program was not emitted.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum EmitError {
    /// Some parameters have no value.
    #[error("parameters without a value: {}", .0.join(", "))]
    MissingParams(Vec<String>),
    /// There are values for parameters that the graph does not have.
    #[error("the graph has no parameters {}", .0.join(", "))]
    UnknownParams(Vec<String>),
    /// A value does not have the length of its parameter.
    #[error("parameter `{name}` needs {expected} bytes, got {got}")]
    ParamLength {
        /// The parameter.
        name: String,
        /// The number of bytes of its shape.
        expected: usize,
        /// The number of bytes of the value.
        got: usize,
    },
    /// The target cannot express some ops, with one message for each.
    #[error("the target `{target}` cannot express:{}", .problems.iter().map(|p| format!("\n  {p}")).collect::<String>())]
    Unsupported {
        /// The target.
        target: String,
        /// What it cannot express: op, model path and reason.
        problems: Vec<String>,
    },
    /// Some sizes that the target must know are symbols.
    #[error("the target `{target}` needs static sizes: bind {} before the program is emitted", .symbols.join(", "))]
    StaticSizes {
        /// The target.
        target: String,
        /// The symbols.
        symbols: Vec<String>,
    },
    /// Some symbols have no maximum size, which the target needs.
    #[error("the target `{target}` plans memory before sizes are known: give {} a maximum size", .symbols.join(", "))]
    Unbounded {
        /// The target.
        target: String,
        /// The symbols.
        symbols: Vec<String>,
    },
    /// A size that the target must know is a symbol, or an op does not fit its operands.
    #[error(transparent)]
    Op(#[from] OpError),
    /// The path of a file is not inside the emitted folder, or occurs twice.
    #[error("`{0}` is not a path inside the emitted folder")]
    Path(String),
}

/// Returns the files of a lowered graph for a target, after checking everything that does not depend on the target.
pub fn emit(
    emitter: &dyn Emitter,
    lowered: &Lowered,
    params: &ParamValues,
) -> Result<Vec<EmittedFile>, EmitError> {
    check_params(lowered.graph(), params)?;
    if lowered.needs_static_sizes(emitter.claims()) {
        let symbols = lowered.graph().symbols().iter().map(|s| format!("`{s}`")).collect();
        return Err(EmitError::StaticSizes { target: emitter.target().into(), symbols });
    }
    let files = emitter.emit(lowered, params)?;
    let mut seen = BTreeSet::new();
    for file in &files {
        let is_name = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains('\\');
        if !file.path.split('/').all(is_name) || !seen.insert(&file.path) {
            return Err(EmitError::Path(file.path.clone()));
        }
    }
    Ok(files)
}

fn check_params(graph: &Graph, params: &ParamValues) -> Result<(), EmitError> {
    let declared: BTreeSet<&str> = graph.named_params().map(|(name, _)| name).collect();
    let unknown: Vec<String> = params.keys().filter(|k| !declared.contains(k.as_str())).cloned().collect();
    if !unknown.is_empty() {
        return Err(EmitError::UnknownParams(unknown));
    }
    let missing: Vec<String> =
        declared.iter().filter(|name| !params.contains_key(**name)).map(|name| name.to_string()).collect();
    if !missing.is_empty() {
        return Err(EmitError::MissingParams(missing));
    }
    for (name, shape) in graph.named_params() {
        let got = params[name].bytes().len();
        if let Some(expected) = shape.num_bytes().filter(|&expected| expected != got) {
            return Err(EmitError::ParamLength { name: name.into(), expected, got });
        }
    }
    Ok(())
}

/// The text target: the lowered graph in the text form, its dispatch report, and the parameters, for people and for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextEmitter;

impl Emitter for TextEmitter {
    fn target(&self) -> &str {
        "text"
    }

    fn claims(&self) -> &dyn Claims {
        &ClaimsNone
    }

    fn emit(&self, lowered: &Lowered, params: &ParamValues) -> Result<Vec<EmittedFile>, EmitError> {
        let text = |path: &str, content: String| EmittedFile {
            path: path.into(),
            pieces: vec![Piece::Bytes(content.into_bytes())],
        };
        let mut files = vec![text("program.rlx", lowered.graph().to_string())];
        files.extend(lowered.report().map(|report| text("dispatch.txt", format_dispatch_report(report))));
        // One line per parameter: the offset and length of its bytes in the data file.
        let (mut table, mut at) = (String::new(), 0usize);
        let mut data = Vec::new();
        for (name, shape) in lowered.graph().named_params() {
            let value = &params[name];
            // INVARIANT: writing to a String does not fail.
            let _ = writeln!(table, "{at} {} {shape} {name:?}", value.bytes().len());
            at += value.bytes().len();
            data.push(Piece::Param(value.clone()));
        }
        if !data.is_empty() {
            files.push(text("params.txt", table));
            files.push(EmittedFile { path: "params.bin".into(), pieces: data });
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::lower_for;
    use crate::{Alias, CompileOptions};
    use rlx_ir::{Bindings, Builder, DType, Literal, Op, Shape};
    use std::sync::Arc;

    fn lowered() -> Lowered {
        let b = Builder::new("layer");
        let (x, w) =
            (b.input("x", Shape::new(&[2, 3], DType::F32)), b.param("w", Shape::new(&[3, 4], DType::F32)));
        let graph = b.finish(&[&x.matmul(&w).softmax(1)]).unwrap();
        let options = CompileOptions::new();
        lower_for(&graph, &[] as &[Alias], "text", TextEmitter.claims(), &options).unwrap()
    }

    fn values(name: &str, len: usize) -> ParamValues {
        let value = Literal::new(&[len], &vec![1.5f32; len]).unwrap();
        BTreeMap::from([(name.to_string(), Param::new(Arc::new(value)))])
    }

    #[test]
    fn the_text_target_writes_what_can_be_read_back() {
        let files = emit(&TextEmitter, &lowered(), &values("w", 12)).unwrap();
        let names: Vec<&str> = files.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(names, ["program.rlx", "dispatch.txt", "params.txt", "params.bin"]);
        let content = |i: usize| files[i].pieces.iter().flat_map(|p| p.bytes().to_vec()).collect::<Vec<u8>>();
        let graph = Graph::parse(std::str::from_utf8(&content(0)).unwrap()).unwrap();
        assert_eq!(&graph, lowered().graph());
        assert!(
            !graph.nodes().iter().any(|n| n.op().mnemonic() == "softmax"),
            "nothing is native but primitives"
        );
        assert_eq!(content(2), b"0 48 f32[3,4] \"w\"\n");
        assert_eq!(content(3), to_bytes(&[1.5f32; 12]));
    }

    fn to_bytes(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn parameters_that_do_not_fit_are_named() {
        let refused = |params: &ParamValues| emit(&TextEmitter, &lowered(), params).unwrap_err();
        assert_eq!(refused(&BTreeMap::new()), EmitError::MissingParams(vec!["w".into()]));
        assert_eq!(refused(&values("v", 12)), EmitError::UnknownParams(vec!["v".into()]));
        let length = EmitError::ParamLength { name: "w".into(), expected: 48, got: 44 };
        assert_eq!(refused(&values("w", 11)), length);
    }

    /// Claims that need static sizes everywhere.
    struct Static;

    impl Claims for Static {
        fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> rlx_fusion::Claim {
            ClaimsNone.claim(op, operands, results)
        }

        fn static_sizes(&self, _: &Op, _: &[Shape], _: &[Shape]) -> bool {
            true
        }
    }

    impl Emitter for Static {
        fn target(&self) -> &str {
            "static"
        }

        fn claims(&self) -> &dyn Claims {
            self
        }

        fn emit(&self, lowered: &Lowered, params: &ParamValues) -> Result<Vec<EmittedFile>, EmitError> {
            TextEmitter.emit(lowered, params)
        }
    }

    #[test]
    fn symbols_are_an_error_where_the_target_needs_static_sizes() {
        let b = Builder::new("g");
        let x = b.input("x", Shape::from_dims(&["n".into()], DType::F32));
        let graph = b.finish(&[&(&x + &x)]).unwrap();
        let lowered = lower_for(&graph, &[], "static", &Static, &CompileOptions::new()).unwrap();
        let error = emit(&Static, &lowered, &BTreeMap::new()).unwrap_err().to_string();
        assert_eq!(error, "the target `static` needs static sizes: bind `n` before the program is emitted");
        let bound = lowered.at(&Bindings::from([("n".into(), 3)])).unwrap();
        assert!(emit(&Static, &bound, &BTreeMap::new()).is_ok());
    }

    /// An emitter that writes outside of its folder.
    struct Outside;

    impl Emitter for Outside {
        fn target(&self) -> &str {
            "outside"
        }

        fn claims(&self) -> &dyn Claims {
            &ClaimsNone
        }

        fn emit(&self, _: &Lowered, _: &ParamValues) -> Result<Vec<EmittedFile>, EmitError> {
            Ok(vec![EmittedFile { path: "a/../../b".into(), pieces: Vec::new() }])
        }
    }

    #[test]
    fn files_stay_inside_the_folder() {
        let error = emit(&Outside, &lowered(), &values("w", 12)).unwrap_err();
        assert_eq!(error, EmitError::Path("a/../../b".into()));
    }
}
