//! The attribute `rlx_model`: a model that is built and checked when a program is compiled, and embedded in it.
//!
//! The macro builds the graph with the front end of `rlx-ir`. The program then contains the text of the graph, the
//! bytes of the weights, and a struct with a typed `run`, but not the model's function: at run time, the embedded text
//! is parsed, and no code builds a graph. With the argument `ahead`, the program contains Rust code printed by
//! `rlx-aot` instead of a graph.
//!
//! `settings` parses the attribute's arguments. `evaluate` and `value` run the function's body, `methods` and
//! `functions` implement what it can call, `files` reads graphs and weights, and `emit` writes the struct.

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

/// Embeds a model in the program. Shapes are checked when the program is compiled, and no graph is built when it runs.
///
/// # On a function
///
/// The function is the model, written in Rust: tensors have the methods and operators of `rlx::prelude::Tensor`. Inputs
/// and results are arrays; parameters of the model come from `param`. The attribute replaces the function with a struct
/// of the same name in camel case, which has
///
/// - `new(device)` and `with_session(&session)`: the model, compiled for a device, with its weights;
/// - `run(&x, …)`: the results, as arrays whose sizes the compiler checks;
/// - `compiled()`: the underlying `CompiledGraph`, to set parameters that are not in a file, and to run on slices;
/// - `PROGRAM`: the graph in the text form of `.rlx` files; `EMBEDDED`: the graph and the weights.
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
/// Shapes are arrays of `f32`, `f64`, `bool` and the integers up to 64 bits. Their sizes are integer literals or const
/// parameters of the function; const parameters are symbolic dimensions, and the model runs at any size.
///
/// The body can contain `let`, assignments to `let mut` variables, `for` over ranges of integers, blocks, numbers,
/// arrays, tuples, indices, operators, `Some`, `None`, `vec!`, `format!` with names in braces, the methods of tensors,
/// and these functions:
///
/// | function | returns |
/// |---|---|
/// | `param("w")`, `param::<[[f32; 2]; 4]>("w")` | a parameter; its type comes from the file, or is checked against it |
/// | `scalar(0.5, DType::F32)`, `constant([1.0, 2.0])` | constants; `constant` gives f32 or, for integers, i32 |
/// | `iota([3, 4], 1, DType::F32)` | 0, 1, 2, … along an axis |
/// | `op("cumulative {op = max, axis = 0, exclusive = false, reverse = false}", &[&x])` | any op, in text form |
///
/// # On a struct
///
/// `#[rlx_model("model.rlx")]` on a struct without fields embeds the graph in a file, in the text form (`.rlx`) or,
/// with the feature `stablehlo`, in StableHLO (`.mlir`).
///
/// # Weights
///
/// `weights = "FILE.safetensors"` embeds a file, which must contain every parameter of the model with its name, shape
/// and element type. Without this argument, parameters are set at run time.
///
/// # Ahead of time
///
/// `ahead` embeds the program as Rust code instead of a graph. It needs the feature `ahead` of rlx, and the program
/// needs nothing of RLX to run. `new()` does not take a device, and `run(&x, …)` returns the results directly, since
/// nothing can fail. Sizes that are const parameters need a maximum, `ahead, max(N = 128)`, for which memory is
/// planned; a larger size in the type of an argument does not compile.
///
/// # Errors
///
/// Errors point at the expression that is wrong. They show the op's error with the shapes of its operands, what the
/// file lacks, or what to write instead. Paths are relative to the file that contains the attribute, as for
/// `include_bytes!`.
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

/// Expands the attribute for an item in a file of this folder.
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
                    "a graph's file needs a struct; a function is itself the model",
                ));
            }
            let graph = evaluate::graph(&function, weights.as_ref())?;
            let name = emit::camel_case(&function.sig.ident);
            let item = (&function.attrs[..], &function.vis, &name);
            written(&settings, item, &graph, weights.as_ref(), None)
        }
        Item::Struct(item) if item.fields.is_empty() && item.generics.params.is_empty() => {
            let Some(path) = &settings.graph else {
                let message = "name the file of the graph: `#[rlx_model(\"model.rlx\")]`";
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
            let message = "`#[rlx_model]` goes on a function, which is the model, or, with a graph's file, on a struct without fields";
            Err(Error::new(Span::call_site(), message))
        }
    }
}

/// The code that replaces a model in the program, with the attributes, visibility and name of its struct. `file` is the
/// file that the graph was read from.
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
                "`max` is for models with `ahead`; others run at any size",
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

/// The path of a file that the attribute names.
fn located(folder: Option<&Path>, path: &syn::LitStr) -> Result<PathBuf> {
    let Some(folder) = folder else {
        return Err(Error::new(
            path.span(),
            "the compiler does not provide the path of the file with this attribute",
        ));
    };
    let file = folder.join(path.value());
    file.canonicalize().map_err(|e| Error::new(path.span(), format!("{}: {e}", file.display())))
}
