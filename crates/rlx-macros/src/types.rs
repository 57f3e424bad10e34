//! Converts Rust types to shapes and back: `[[f32; 4]; BATCH]` is f32[BATCH,4].

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use rlx_ir::{DType, Dim, Shape};
use syn::{Error, Expr, Lit, Result, Type};

/// The element types that Rust has.
const ELEMENTS: [DType; 11] = [
    DType::F32,
    DType::F64,
    DType::Bool,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
];

/// The shape of a type. `symbols` are the const parameters in scope.
pub(crate) fn shape(ty: &Type, symbols: &[String]) -> Result<Shape> {
    let mut dims = Vec::new();
    let dtype = element(ty, symbols, &mut dims)?;
    Ok(Shape::from_dims(&dims, dtype))
}

fn element(ty: &Type, symbols: &[String], dims: &mut Vec<Dim>) -> Result<DType> {
    match ty {
        Type::Array(array) => {
            dims.push(size(&array.len, symbols)?);
            element(&array.elem, symbols, dims)
        }
        Type::Reference(reference) => element(&reference.elem, symbols, dims),
        Type::Paren(inner) => element(&inner.elem, symbols, dims),
        Type::Group(inner) => element(&inner.elem, symbols, dims),
        Type::Path(path) => path
            .path
            .get_ident()
            .and_then(|name| ELEMENTS.into_iter().find(|d| name == d.name()))
            .ok_or_else(|| Error::new_spanned(ty, unknown_element())),
        _ => Err(Error::new_spanned(ty, unknown_element())),
    }
}

fn unknown_element() -> String {
    let names: Vec<&str> = ELEMENTS.iter().map(|d| d.name()).collect();
    format!("a tensor is an array, such as `[[f32; 4]; 2]`, of one of the types {}", names.join(", "))
}

fn size(len: &Expr, symbols: &[String]) -> Result<Dim> {
    match len {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(n) => Ok(Dim::Static(n.base10_parse()?)),
            _ => Err(Error::new_spanned(len, UNKNOWN_SIZE)),
        },
        Expr::Path(path) => match path.path.get_ident().map(Ident::to_string) {
            Some(name) if symbols.contains(&name) => Ok(Dim::dynamic(&name)),
            _ => Err(Error::new_spanned(len, UNKNOWN_SIZE)),
        },
        _ => Err(Error::new_spanned(len, UNKNOWN_SIZE)),
    }
}

const UNKNOWN_SIZE: &str = "a size must be an integer literal, or a const parameter of the function (`fn model<const BATCH: usize>(…)`)";

/// The type for a shape, or why there is none. `constant` returns the const parameter of a symbol.
pub(crate) fn tokens(
    shape: &Shape,
    constant: &dyn Fn(&str) -> Ident,
) -> std::result::Result<TokenStream, String> {
    if !ELEMENTS.contains(&shape.dtype()) {
        return Err(format!("Rust has no type for the elements of {shape}; convert it"));
    }
    let element = Ident::new(shape.dtype().name(), Span::call_site());
    let mut ty = quote!(#element);
    for dim in shape.dims().iter().rev() {
        ty = match dim {
            Dim::Static(n) => quote!([#ty; #n]),
            Dim::Dynamic(symbol) => {
                let name = constant(symbol.name());
                quote!([#ty; #name])
            }
            Dim::Expr(_) => {
                return Err(format!(
                    "the size {dim} of {shape} is computed, which array types cannot express"
                ));
            }
        };
    }
    Ok(ty)
}
