//! The argument `ahead`: writes a model as Rust code instead of the text of a graph.

use crate::emit::{arguments, constant, constants, document, results};
use crate::files::Weights;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use rlx_compile::{Param, ParamValues};
use rlx_ir::{Bindings, Dim, Graph, Symbol};
use std::sync::Arc;
use syn::{Attribute, Error, Result, Visibility};

/// The struct, with `run` as the program, and the module that contains the program.
pub(crate) fn model(
    (attributes, visibility, name): (&[Attribute], &Visibility, &Ident),
    graph: &Graph,
    weights: Option<&Weights>,
    largest: &[(Ident, usize)],
    tracked: &TokenStream,
) -> Result<TokenStream> {
    let refused = |problem: String| Error::new(name.span(), problem);
    let largest = bounds(graph, largest, name)?;
    let params = values(graph, weights).map_err(refused)?;
    let module = rlx_aot::module(graph, &params, &largest).map_err(|e| refused(e.to_string()))?;
    let text: TokenStream =
        module.text.parse().map_err(|e| refused(format!("the program is not valid Rust: {e}")))?;
    let inside = format_ident!("__rlx_{name}");
    let (program, made) = match &module.weights[..] {
        [] => (quote!(#inside::Model), quote!(#inside::Model::new())),
        bytes => {
            let bytes = Literal::byte_string(bytes);
            let made = quote! {
                match #inside::Model::new(#bytes) {
                    Ok(program) => program,
                    Err(_) => unreachable!("the weights were written with the program"),
                }
            };
            (quote!(#inside::Model<'static>), made)
        }
    };
    let run = run(graph, &inside).map_err(refused)?;
    Ok(quote! {
        #tracked

        #[doc(hidden)]
        #[allow(warnings, clippy::all)]
        mod #inside { #text }

        #(#attributes)*
        #visibility struct #name {
            program: #program,
        }

        impl #name {
            /// The model with its weights and memory. Nothing is allocated later.
            #[allow(clippy::new_without_default, reason = "as models that need a device have none")]
            pub fn new() -> Self {
                Self { program: #made }
            }

            #run
        }
    })
}

/// The maximum sizes, one per symbol of the graph.
fn bounds(graph: &Graph, largest: &[(Ident, usize)], name: &Ident) -> Result<Bindings> {
    let mut bounds = Bindings::new();
    for (symbol, size) in largest {
        let of = Symbol::new(&symbol.to_string());
        if !graph.symbols().contains(&of) {
            return Err(Error::new(symbol.span(), format!("the model has no size `{symbol}`")));
        }
        if bounds.insert(of, *size).is_some() {
            return Err(Error::new(symbol.span(), format!("`{symbol}` has two maximum sizes")));
        }
    }
    let open = graph.symbols().into_iter().filter(|symbol| !bounds.contains_key(symbol));
    let open: Vec<String> = open.map(|symbol| symbol.to_string()).collect();
    match &open[..] {
        [] => Ok(bounds),
        [first, ..] => Err(Error::new(
            name.span(),
            format!(
                "with `ahead`, sizes must be numbers or have a maximum, such as `max({first} = 128)`; these have none: {}",
                open.iter().map(|symbol| format!("`{symbol}`")).collect::<Vec<_>>().join(", ")
            ),
        )),
    }
}

/// The values of the parameters.
fn values(graph: &Graph, weights: Option<&Weights>) -> std::result::Result<ParamValues, String> {
    let Some(weights) = weights else { return Ok(ParamValues::new()) };
    let value = |(name, shape): (&str, &rlx_ir::Shape)| {
        let literal = rlx_ir::Literal::from_bytes(shape, weights.bytes(name)?).map_err(|e| e.to_string())?;
        Ok((name.to_string(), Param::new(Arc::new(literal))))
    };
    graph.named_params().map(value).collect()
}

/// The method `run`, which takes and returns arrays.
fn run(graph: &Graph, inside: &Ident) -> std::result::Result<TokenStream, String> {
    let constants = constants(graph)?;
    let arguments = arguments(graph, &constant)?;
    let types = results(graph, &constant)?;
    let shapes = graph.output_shapes();
    let outputs: Vec<Ident> = (0..shapes.len()).map(|i| format_ident!("__out{i}")).collect();
    let zeros = graph.output_shapes().iter().map(zeros).collect::<Vec<_>>();
    let idents: Vec<&Ident> = arguments.iter().map(|(_, ident, _)| ident).collect();
    let argument_types = arguments.iter().map(|(_, _, ty)| ty);
    let taken = idents.iter().zip(graph.input_shapes()).map(|(ident, shape)| match shape.dims().len() {
        0 => quote!(::core::slice::from_ref(#ident)),
        rank => {
            let flat = (1..rank).map(|_| quote!(.as_flattened()));
            quote!(&#ident #(#flat)*[..])
        }
    });
    let given = outputs.iter().zip(&shapes).map(|(ident, shape)| match shape.dims().len() {
        0 => quote!(::core::slice::from_mut(&mut #ident)),
        rank => {
            let flat = (1..rank).map(|_| quote!(.as_flattened_mut()));
            quote!(&mut #ident #(#flat)*[..])
        }
    });
    let (result, value) = match (&types[..], &outputs[..]) {
        ([ty], [one]) => (quote!(#ty), quote!(#one)),
        (types, all) => (quote!((#(#types),*)), quote!((#(#all),*))),
    };
    let generics = (!constants.is_empty()).then(|| quote!(<#(const #constants: usize),*>));
    let fits = constants.iter().enumerate().map(|(number, constant)| {
        let problem = format!("the program was not compiled for this `{constant}`");
        quote!(const { assert!(
            #inside::SIZES[#number][0] <= #constant && #constant <= #inside::SIZES[#number][1], #problem
        ) };)
    });
    let doc = document(graph);
    Ok(quote! {
        #[doc = #doc]
        #[allow(clippy::too_many_arguments, clippy::type_complexity, reason = "the model's signature")]
        pub fn run #generics (&mut self, #(#idents: &#argument_types),*) -> #result {
            #(#fits)*
            #(let mut #outputs: #types = #zeros;)*
            let Ok(()) = self.program.run(#(#constants,)* #(#taken,)* #(#given),*) else {
                unreachable!("arrays have the lengths of their types")
            };
            #value
        }
    })
}

/// An array of zeros.
fn zeros(shape: &rlx_ir::Shape) -> TokenStream {
    let zero = if shape.dtype() == rlx_ir::DType::Bool { quote!(false) } else { quote!(0 as _) };
    let sizes = shape.dims().iter().rev().map(|dim| match dim {
        Dim::Dynamic(symbol) => {
            let constant = constant(symbol.name());
            quote!(#constant)
        }
        // The result types consist only of numbers and const parameters.
        dim => {
            let size = dim.as_static().unwrap_or(0);
            quote!(#size)
        }
    });
    sizes.fold(zero, |array, size| quote!([#array; #size]))
}
