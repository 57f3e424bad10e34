//! The arguments of the attribute: `"model.rlx", weights = "model.safetensors", ahead, max(N = 128)`, all
//! optional.

use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitInt, LitStr, Result, Token, parenthesized};

/// The arguments of the attribute.
pub(crate) struct Settings {
    /// The file of the graph.
    pub(crate) graph: Option<LitStr>,
    /// The file of the weights.
    pub(crate) weights: Option<LitStr>,
    /// The word `ahead`, if the program is to be written in Rust.
    pub(crate) ahead: Option<Ident>,
    /// The maximum sizes of a program in Rust, by symbol.
    pub(crate) largest: Vec<(Ident, usize)>,
}

impl Parse for Settings {
    fn parse(input: ParseStream<'_>) -> Result<Settings> {
        let mut settings = Settings { graph: None, weights: None, ahead: None, largest: Vec::new() };
        while !input.is_empty() {
            if input.peek(LitStr) && settings.graph.is_none() {
                settings.graph = Some(input.parse()?);
            } else {
                let name: Ident = input.parse().map_err(|e| input.error(format!("{e}; {SUPPORTED}")))?;
                if name == "ahead" && settings.ahead.is_none() {
                    settings.ahead = Some(name);
                } else if name == "max" && settings.largest.is_empty() {
                    settings.largest = largest(input)?;
                } else if name == "weights" && settings.weights.is_none() {
                    input.parse::<Token![=]>()?;
                    settings.weights = Some(input.parse()?);
                } else {
                    return Err(syn::Error::new(name.span(), SUPPORTED));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(settings)
    }
}

/// `(N = 128, M = 64)`.
fn largest(input: ParseStream<'_>) -> Result<Vec<(Ident, usize)>> {
    let inside;
    parenthesized!(inside in input);
    let size = |input: ParseStream<'_>| {
        let name: Ident = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok((name, input.parse::<LitInt>()?.base10_parse()?))
    };
    let sizes = inside.parse_terminated(size, Token![,])?;
    Ok(sizes.into_iter().collect())
}

const SUPPORTED: &str = "the attribute takes a graph's file, `weights = \"FILE.safetensors\"`, `ahead` and `max(NAME = SIZE, …)`, once each";
