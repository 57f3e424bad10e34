//! The arguments of the attribute: `"model.rlx", weights = "model.safetensors"`, both optional.

use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitStr, Result, Token};

/// What the attribute says.
pub(crate) struct Settings {
    /// The file of the graph.
    pub(crate) graph: Option<LitStr>,
    /// The file of the weights.
    pub(crate) weights: Option<LitStr>,
}

impl Parse for Settings {
    fn parse(input: ParseStream<'_>) -> Result<Settings> {
        let mut settings = Settings { graph: None, weights: None };
        while !input.is_empty() {
            if input.peek(LitStr) && settings.graph.is_none() {
                settings.graph = Some(input.parse()?);
            } else {
                let name: Ident = input.parse().map_err(|e| input.error(format!("{e}; {SUPPORTED}")))?;
                input.parse::<Token![=]>()?;
                if name != "weights" || settings.weights.is_some() {
                    return Err(syn::Error::new(name.span(), SUPPORTED));
                }
                settings.weights = Some(input.parse()?);
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(settings)
    }
}

const SUPPORTED: &str = "the attribute takes a graph's file and `weights = \"FILE.safetensors\"`, once each";
