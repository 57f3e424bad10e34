//! The example program `embed` of an emitted sentence-encoder crate: it takes texts, and contains the tokenizer.

use super::SizeOf;
use rlx_aot::{RustEmitter, Weights};
use rlx_models::model::SentenceModel;
use rlx_models::tokenize::TokenizeError;
use rlx_runtime::{Claims, EmitError, EmittedFile, Emitter, Lowered, ParamValues, Piece};

const PROGRAM: &str = include_str!("example.rs");
/// A development dependency: only examples need it, so users of the library do not build it.
const MANIFEST: &str = "\n[dev-dependencies.tokenizers]\nversion = \"0.23\"\ndefault-features = false\nfeatures = [\"fancy-regex\"]\n";

/// Adds the example to the crate of an encoder.
pub struct WithExample {
    emitter: RustEmitter,
    files: Vec<EmittedFile>,
}

impl WithExample {
    /// The example for a model with these sizes. A crate without the standard library or with separate weights has
    /// none: it has nothing to print to, or no single file that contains everything.
    pub fn new(
        emitter: RustEmitter,
        model: &SentenceModel,
        [batch, tokens]: [SizeOf; 2],
        crate_name: &str,
    ) -> Result<Self, TokenizeError> {
        if emitter.no_std || emitter.weights == Weights::Passed {
            return Ok(WithExample { emitter, files: Vec::new() });
        }
        let most = |size| match size {
            SizeOf::One(size) | SizeOf::UpTo(size) => size,
        };
        // An expression for a size, in which `found` is the number at run time.
        let at = |size| match size {
            SizeOf::One(size) => size.to_string(),
            SizeOf::UpTo(_) => "found".into(),
        };
        let sizes = format!(
            "//! The model and its sizes.\n\npub use {crate_name}::Model;\n\n\
             /// Maximum number of texts to compute together.\npub const BATCH: usize = {};\n\
             /// Numbers in a vector.\npub const NUMBERS: usize = {};\n\
             /// Comes before every text.\npub const PROMPT: &str = {:?};\n\n\
             /// Rows of a batch of `found` texts.\n#[allow(unused_variables)]\npub fn rows(found: usize) -> usize {{\n    {}\n}}\n\n\
             /// Columns of a batch whose longest text has `found` tokens.\n#[allow(unused_variables)]\npub fn columns(found: usize) -> usize {{\n    {}\n}}\n",
            most(batch),
            model.output_size(),
            model.tokenizer.prompt(),
            at(batch),
            at(tokens)
        );
        let file = |name: &str, text: String| EmittedFile {
            path: format!("examples/embed/{name}"),
            pieces: vec![Piece::Bytes(text.into_bytes())],
        };
        let files = vec![
            file("main.rs", PROGRAM.into()),
            file("model.rs", sizes),
            file("tokenizer.json", model.tokenizer.to_json(most(tokens))?),
        ];
        Ok(WithExample { emitter, files })
    }
}

impl Emitter for WithExample {
    fn target(&self) -> &str {
        self.emitter.target()
    }

    fn claims(&self) -> &dyn Claims {
        self.emitter.claims()
    }

    fn emit(&self, lowered: &Lowered, params: &ParamValues) -> Result<Vec<EmittedFile>, EmitError> {
        let mut files = self.emitter.emit(lowered, params)?;
        if let (Some(manifest), false) =
            (files.iter_mut().find(|f| f.path == "Cargo.toml"), self.files.is_empty())
        {
            manifest.pieces.push(Piece::Bytes(MANIFEST.into()));
        }
        files.extend(self.files.iter().cloned());
        Ok(files)
    }
}
