//! The attribute `rlx_model`: a model that is built and checked when a program is compiled, and embedded in it.
//!
//! The macro builds the graph with the front end of `rlx-ir`. It leaves the text of the graph, the bytes of the
//! weights, and a struct with a typed `run` in the program, and nothing of the model's function: at run time
//! the embedded text is parsed, and no code builds a graph. With the argument `ahead` there is no graph either,
//! but the program as Rust code that `rlx-aot` prints.
//!
//! `settings` are the attribute's arguments. `evaluate` and `value` run the function's body, `methods` and
//! `functions` are what it may call, `files` reads graphs and weights, `emit` writes the struct.

#[cfg(feature = "ahead")]
mod ahead;
mod emit;
mod evaluate;
mod files;
mod functions;
mod methods;
mod settings;
#[cfg(test)]
mod tests;
mod types;
mod value;

use std::path::{Path, PathBuf};

use files::Weights;
use proc_macro2::{Ident, Span, TokenStream};
use rlx_ir::Graph;
use settings::Settings;
use syn::{Attribute, Error, Item, Result, Visibility};

/// A model that is part of the program: shapes are checked when it is compiled, and nothing builds a graph when it runs.
///
/// # On a function
///
/// The function is the model, in Rust: tensors have the methods and operators of `rlx::prelude::Tensor`. Inputs and results are arrays,
/// parameters of the model are what `param` gives. The attribute replaces the function by a struct of its name, in camel case, with
///
/// - `new(device)` and `with_session(&session)`: the model, compiled for a device, with its weights;
/// - `run(&x, …)`: the results, as arrays whose sizes the compiler checks;
/// - `compiled()`: the `CompiledGraph` beneath, to set parameters that no file gives, and to run on slices;
/// - `PROGRAM`: the graph in the text form of `.rlx` files, and `EMBEDDED`: that and the weights.
///
/// ```text
/// #[rlx_model(weights = "mlp.safetensors")]
/// fn mlp<const BATCH: usize>(x: [[f32; 4]; BATCH]) -> [[f32; 2]; BATCH] {
///     let h = (x.matmul(&param("up.weight")) + param("up.bias")).gelu();
///     h.matmul(&param("down.weight")).softmax(1)
/// }
///
/// let mut model = Mlp::new(Device::Cpu)?;
/// let [row] = model.run(&[[1.0, 2.0, 3.0, 4.0]])?;
/// ```
///
/// Shapes: arrays of `f32`, `f64`, `bool` and the integers up to 64 bits, whose sizes are integer literals or const parameters
/// of the function; the latter are symbolic dimensions, and the model runs at any size.
///
/// The body may have `let`, assignment to `let mut` variables, `for` over ranges of integers, blocks, numbers, arrays, tuples, indices,
/// operators, `Some`, `None`, `vec!`, `format!` with names in braces, the methods of tensors, and these functions:
///
/// | function | gives |
/// |---|---|
/// | `param("w")`, `param::<[[f32; 2]; 4]>("w")` | a parameter; its type is the file's, or is checked against it |
/// | `scalar(0.5, DType::F32)`, `constant([1.0, 2.0])` | constants; those of `constant` are f32 or, of integers, i32 |
/// | `iota([3, 4], 1, DType::F32)` | 0, 1, 2, … along an axis |
/// | `op("cumulative {op = max, axis = 0, exclusive = false, reverse = false}", &[&x])` | any op, as the text form has it |
///
/// # On a struct
///
/// `#[rlx_model("model.rlx")]` on a struct without fields embeds the graph of a file, in the text form (`.rlx`) or, with the feature
/// `stablehlo`, in StableHLO (`.mlir`).
///
/// # Weights
///
/// `weights = "FILE.safetensors"` embeds a file. Every parameter of the model must be in it, with its name, shape and element type.
/// Without it the parameters are set at run time.
///
/// # Ahead of time
///
/// `ahead` leaves the program in Rust in place of the graph, with the feature `ahead` of rlx: nothing of RLX is needed to run it. `new()` takes no
/// device, and `run(&x, …)` gives the results themselves, as nothing can fail. Sizes that are const parameters have a largest,
/// `ahead, max(N = 128)`, for which memory is planned; a larger one in the type of an argument does not compile.
///
/// # Errors
///
/// At the expression that is wrong: what the op says with the shapes that it was given, what the file lacks, or what this
/// language has instead. Paths are relative to the file that the attribute stands in, as for `include_bytes!`.
#[proc_macro_attribute]
pub fn rlx_model(
    settings: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let source = proc_macro::Span::call_site().local_file();
    let folder = source.map(|file| file.parent().map(Path::to_path_buf).unwrap_or_default());
    let expanded = expand(folder.as_deref(), settings.into(), item.into());
    expanded.unwrap_or_else(Error::into_compile_error).into()
}

/// What the attribute makes of an item in a file of this folder.
fn expand(folder: Option<&Path>, settings: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let settings: Settings = syn::parse2(settings)?;
    let weights = match &settings.weights {
        Some(path) => Some(Weights::open(&located(folder, path)?).map_err(|e| Error::new(path.span(), e))?),
        None => None,
    };
    match syn::parse2(item)? {
        Item::Fn(function) => {
            if let Some(path) = &settings.graph {
                return Err(Error::new(
                    path.span(),
                    "a graph's file goes with a struct; a function is itself the model",
                ));
            }
            let graph = evaluate::graph(&function, weights.as_ref())?;
            let name = emit::camel_case(&function.sig.ident);
            let item = (&function.attrs[..], &function.vis, &name);
            written(&settings, item, &graph, weights.as_ref(), None)
        }
        Item::Struct(item) if item.fields.is_empty() && item.generics.params.is_empty() => {
            let Some(path) = &settings.graph else {
                let message = "say which file the graph is in: `#[rlx_model(\"model.rlx\")]`";
                return Err(Error::new(item.ident.span(), message));
            };
            let file = located(folder, path)?;
            let graph = files::graph(&file).map_err(|e| Error::new(path.span(), e))?;
            if let Some(weights) = &weights {
                weights.check(&graph).map_err(|e| Error::new(path.span(), e))?;
            }
            let item = (&item.attrs[..], &item.vis, &item.ident);
            written(&settings, item, &graph, weights.as_ref(), Some(&file))
        }
        _ => {
            let message = "`#[rlx_model]` stands on a function, which is the model, or with a graph's file on a struct without fields";
            Err(Error::new(Span::call_site(), message))
        }
    }
}

/// What stands for a model in the program, with the attributes, the visibility and the name of its struct. `file` is where the graph was
/// read from.
fn written(
    settings: &Settings,
    (attributes, visibility, name): (&[Attribute], &Visibility, &Ident),
    graph: &Graph,
    weights: Option<&Weights>,
    file: Option<&Path>,
) -> Result<TokenStream> {
    let Some(ahead) = &settings.ahead else {
        if let Some((symbol, _)) = settings.largest.first() {
            return Err(Error::new(
                symbol.span(),
                "`max` is for models that are written `ahead`; others run at any size",
            ));
        }
        let tracked = file.map(emit::tracked).unwrap_or_default();
        return emit::model(attributes, visibility, name, graph, weights, &tracked);
    };
    #[cfg(feature = "ahead")]
    {
        let _ = ahead;
        let files = file.into_iter().chain(weights.map(|weights| &*weights.path));
        let tracked = files.map(emit::tracked).collect();
        ahead::model((attributes, visibility, name), graph, weights, &settings.largest, &tracked)
    }
    #[cfg(not(feature = "ahead"))]
    Err(Error::new(ahead.span(), "`ahead` needs the feature `ahead` of rlx"))
}

/// Where a file is that the attribute names.
fn located(folder: Option<&Path>, path: &syn::LitStr) -> Result<PathBuf> {
    let Some(folder) = folder else {
        return Err(Error::new(path.span(), "the compiler does not say which file this attribute stands in"));
    };
    let file = folder.join(path.value());
    file.canonicalize().map_err(|e| Error::new(path.span(), format!("{}: {e}", file.display())))
}
