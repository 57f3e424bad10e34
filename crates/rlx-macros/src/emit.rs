//! Writes the struct that represents a model in the program, with a typed `run`.

use std::path::Path;

use crate::files::Weights;
use crate::types;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use rlx_ir::{Graph, Op, Shape};
use syn::{Attribute, Error, Result, Visibility};

/// The struct and its methods. `tracked` makes the compiler watch files for changes.
pub(crate) fn model(
    attributes: &[Attribute],
    visibility: &Visibility,
    name: &Ident,
    graph: &Graph,
    weights: Option<&Weights>,
    tracked: &TokenStream,
) -> Result<TokenStream> {
    let program = graph.to_string();
    let (bytes, table) = weights_tokens(graph, weights).map_err(|e| Error::new(name.span(), e))?;
    let run = run(graph).map_err(|e| Error::new(name.span(), e))?;
    Ok(quote! {
        #tracked

        #(#attributes)*
        #visibility struct #name {
            compiled: ::rlx::macros::CompiledGraph,
        }

        impl #name {
            /// The graph, in the text form of `.rlx` files.
            pub const PROGRAM: &'static str = #program;

            /// The graph and the weights that are embedded with it.
            pub const EMBEDDED: ::rlx::macros::Embedded = ::rlx::macros::Embedded {
                program: Self::PROGRAM,
                weights: #bytes,
                params: &[#(#table),*],
            };

            /// The model compiled for a device, with its weights.
            pub fn new(device: ::rlx::macros::Device) -> ::rlx::macros::Result<Self> {
                Self::with_session(&::rlx::macros::Session::new(device))
            }

            /// The model compiled by a session, with its weights.
            pub fn with_session(session: &::rlx::macros::Session) -> ::rlx::macros::Result<Self> {
                let compiled = Self::EMBEDDED.load(session)?;
                Ok(Self { compiled })
            }

            /// The compiled graph, to set parameters that are not embedded, and to run on slices.
            pub fn compiled(&mut self) -> &mut ::rlx::macros::CompiledGraph {
                &mut self.compiled
            }

            #run
        }
    })
}

/// The bytes of the file, and the name and byte range of each parameter.
fn weights_tokens(
    graph: &Graph,
    weights: Option<&Weights>,
) -> std::result::Result<(TokenStream, Vec<TokenStream>), String> {
    let Some(weights) = weights else { return Ok((quote!(&[]), Vec::new())) };
    let file = path_literal(&weights.path);
    let mut table = Vec::new();
    for (name, _) in graph.named_params() {
        let stored = weights.tensor(name)?;
        let (start, end) = (stored.start, stored.start + stored.bytes);
        table.push(quote!((#name, #start, #end)));
    }
    Ok((quote!(include_bytes!(#file)), table))
}

/// Code that makes the compiler watch a file for changes.
pub(crate) fn tracked(file: &Path) -> TokenStream {
    let file = path_literal(file);
    quote!(
        const _: &[u8] = include_bytes!(#file);
    )
}

fn path_literal(path: &Path) -> Literal {
    Literal::string(&path.to_string_lossy())
}

/// The method `run`, which takes and returns arrays.
fn run(graph: &Graph) -> std::result::Result<TokenStream, String> {
    let symbols: Vec<String> = graph.symbols().iter().map(|s| s.name().to_string()).collect();
    let constants = constants(graph)?;
    let arguments = arguments(graph, &constant)?;
    let results = results(graph, &constant)?;
    let (names, idents): (Vec<&String>, Vec<&Ident>) = arguments.iter().map(|(n, i, _)| (n, i)).unzip();
    let types = arguments.iter().map(|(_, _, ty)| ty);
    let result = match &results[..] {
        [one] => quote!(#one),
        all => quote!((#(#all),*)),
    };
    let values: Vec<TokenStream> =
        results.iter().map(|ty| quote!(::rlx::macros::array::<#ty>(outputs.next()))).collect();
    let value = match &values[..] {
        [one] => quote!(#one),
        all => quote!(Ok((#(#all?),*))),
    };
    let bind = (!symbols.is_empty()).then(|| {
        quote! { self.compiled.bind_dims(&[#((#symbols, #constants)),*])?; }
    });
    let generics = (!symbols.is_empty()).then(|| quote!(<#(const #constants: usize),*>));
    let doc = document(graph);
    Ok(quote! {
        #[doc = #doc]
        #[allow(clippy::too_many_arguments, clippy::type_complexity, reason = "the model's signature")]
        pub fn run #generics (&mut self, #(#idents: &#types),*) -> ::rlx::macros::Result<#result> {
            #bind
            let outputs = self.compiled.run_typed(&[#(::rlx::macros::value(#names, #idents)),*])?;
            let mut outputs = outputs.into_iter();
            #value
        }
    })
}

/// The const parameter for a symbol.
pub(crate) fn constant(symbol: &str) -> Ident {
    identifier(&symbol.to_ascii_uppercase())
}

/// The const parameters for all symbols of a graph, in order.
pub(crate) fn constants(graph: &Graph) -> std::result::Result<Vec<Ident>, String> {
    let constants: Vec<Ident> = graph.symbols().iter().map(|symbol| constant(symbol.name())).collect();
    match (1..constants.len()).find(|&i| constants[..i].contains(&constants[i])) {
        Some(twice) => Err(format!("two sizes would have the name `{}`; rename one", constants[twice])),
        None => Ok(constants),
    }
}

/// The inputs: the name, the name in Rust, and the type. `constant` returns the const parameter of a symbol.
pub(crate) fn arguments(
    graph: &Graph,
    constant: &dyn Fn(&str) -> Ident,
) -> std::result::Result<Vec<(String, Ident, TokenStream)>, String> {
    let mut arguments: Vec<(String, Ident, TokenStream)> = Vec::new();
    for node in graph.inputs() {
        let Op::Input { name } = node.op() else { continue };
        let mut argument = identifier(name);
        if arguments.iter().any(|(_, taken, _)| *taken == argument) {
            argument = format_ident!("{argument}_{}", arguments.len());
        }
        arguments.push((name.clone(), argument, types::tokens(node.shape(), constant)?));
    }
    Ok(arguments)
}

/// The result types.
pub(crate) fn results(
    graph: &Graph,
    constant: &dyn Fn(&str) -> Ident,
) -> std::result::Result<Vec<TokenStream>, String> {
    graph.output_shapes().iter().map(|shape| types::tokens(shape, constant)).collect()
}

pub(crate) fn document(graph: &Graph) -> String {
    let list = |shapes: Vec<Shape>| shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(", ");
    format!("Runs the model: from {} to {}.", list(graph.input_shapes()), list(graph.output_shapes()))
}

/// The name as a Rust identifier.
fn identifier(name: &str) -> Ident {
    let text = rlx_escape::identifier(name, 'x');
    match syn::parse_str::<Ident>(&text) {
        Ok(identifier) => identifier,
        Err(_) => Ident::new(&format!("{text}_"), Span::call_site()),
    }
}

/// `MlpHead` for `mlp_head`.
pub(crate) fn camel_case(name: &Ident) -> Ident {
    let word = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|c| c.to_ascii_uppercase().to_string() + chars.as_str()).unwrap_or_default()
    };
    let text: String = name.to_string().trim_start_matches("r#").split('_').map(word).collect();
    Ident::new(if text.is_empty() { "Model" } else { &text }, name.span())
}
