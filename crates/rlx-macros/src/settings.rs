//! The arguments of the attribute: `"model.rlx", weights = "model.safetensors", ahead`, all optional.

use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitStr, Result, Token};

/// What the attribute says.
pub(crate) struct Settings {
    /// The file of the graph.
    pub(crate) graph: Option<LitStr>,
    /// The file of the weights.
    pub(crate) weights: Option<LitStr>,
    /// Where it says that the program is written in Rust.
    pub(crate) ahead: Option<Ident>,
}

impl Parse for Settings {
    fn parse(input: ParseStream<'_>) -> Result<Settings> {
        let mut settings = Settings { graph: None, weights: None, ahead: None };
        while !input.is_empty() {
            if input.peek(LitStr) && settings.graph.is_none() {
                settings.graph = Some(input.parse()?);
            } else {
                let name: Ident = input.parse().map_err(|e| input.error(format!("{e}; {SUPPORTED}")))?;
                if name == "ahead" && settings.ahead.is_none() {
                    settings.ahead = Some(name);
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

const SUPPORTED: &str =
    "the attribute takes a graph's file, `weights = \"FILE.safetensors\"` and `ahead`, once each";
