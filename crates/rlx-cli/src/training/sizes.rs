//! Checks the sizes of a model and its batches against the machine before anything is allocated.

use super::config::{Base, ConfigError, Convnet, Gpt, Llm, Model, Run};
use super::digits;
use super::setting::Places;
use crate::units;

/// Minimum memory per parameter, in bytes: its value, its initial value and its gradient take four bytes each.
const PARAMETER: u128 = 12;
/// Minimum memory per token or pixel of a batch, in bytes.
const ELEMENT: u128 = 4;
/// Maximum number of layers: each one is a part of the graph.
const MAX_LAYERS: usize = 1000;
/// A limit in bytes above any machine's memory, for machines that do not report theirs.
const NO_MACHINE: u64 = 1 << 48;

/// A product of settings: a factor, and the settings with their values.
struct Product(u128, Vec<(&'static str, usize)>);

impl Product {
    /// Its value, saturated at the maximum.
    fn value(&self) -> u128 {
        self.1.iter().fold(self.0, |product, (_, size)| product.saturating_mul(*size as u128))
    }
}

/// Fails if the parameters, or a batch, do not fit into `memory` bytes. The error names the largest setting involved.
pub fn check(model: &Model, run: &Run, memory: Option<u64>, places: &Places) -> Result<(), ConfigError> {
    if let Model::Gpt(Gpt { layers, .. }) = model
        && *layers > MAX_LAYERS
    {
        return Err(places.refuse("model.layers", format!("is {layers}; at most {MAX_LAYERS} are allowed")));
    }
    let (parameters, batch) = products(model, run.batch);
    let memory = memory.unwrap_or(NO_MACHINE);
    for (what, products, each) in
        [("the parameters take", parameters, PARAMETER), ("a batch takes", batch, ELEMENT)]
    {
        let total = products.iter().fold(0u128, |total, product| total.saturating_add(product.value()));
        let bytes = total.saturating_mul(each);
        let Some(product) = products.iter().max_by_key(|product| product.value()) else { continue };
        if bytes <= u128::from(memory) {
            continue;
        }
        let Some((key, size)) = product.1.iter().max_by_key(|(_, size)| *size) else { continue };
        let taken = match usize::try_from(bytes) {
            Ok(bytes) => format!("at least {}", units::bytes(bytes)),
            Err(_) => "more than can be represented".into(),
        };
        let has = units::bytes(usize::try_from(memory).unwrap_or(usize::MAX));
        let problem = format!("is {size}; with it {what} {taken}, but there are {has} of memory");
        return Err(places.refuse(key, problem));
    }
    Ok(())
}

/// The products that sum to the number of parameters, and those that sum to the size of a batch.
fn products(model: &Model, batch: usize) -> (Vec<Product>, Vec<Product>) {
    let batch = ("run.batch", batch);
    match model {
        Model::Convnet(Convnet { channels, hidden }) => {
            let (channels, hidden) = (("model.channels", *channels), ("model.hidden", *hidden));
            let pixels = (digits::SIZE * digits::SIZE) as u128;
            // Two 3 × 3 convolutions, the second with twice the channels; a linear map from a quarter of the pixels;
            // and one to the digits.
            let parameters = vec![
                Product(9, vec![channels]),
                Product(18, vec![channels, channels]),
                Product(pixels / 2, vec![channels, hidden]),
                Product(10, vec![hidden]),
            ];
            (
                parameters,
                vec![
                    Product(pixels, vec![batch]),
                    Product(pixels, vec![batch, channels]),
                    Product(1, vec![batch, hidden]),
                ],
            )
        }
        Model::Gpt(Gpt { layers, width, context, intermediate, .. }) => {
            let [layers, width, context] =
                [("model.layers", *layers), ("model.width", *width), ("model.context", *context)];
            let inner = match intermediate {
                Some(size) => Product(2, vec![layers, width, ("model.intermediate", *size)]),
                None => Product(8, vec![layers, width, width]),
            };
            let parameters = vec![
                Product(256, vec![width]),
                Product(1, vec![context, width]),
                Product(4, vec![layers, width, width]),
                inner,
            ];
            // Tokens and targets, the residual stream, and the logits at every position.
            let stream =
                vec![Product(2 + 256, vec![batch, context]), Product(1, vec![batch, context, width])];
            (parameters, stream)
        }
        // The other sizes come from existing files.
        Model::Llm(Llm { context, .. }) => {
            (Vec::new(), vec![Product(2, vec![batch, ("model.context", *context)])])
        }
        Model::Embedding(Base { .. }) => (Vec::new(), vec![Product(1, vec![batch])]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::Config;
    use std::path::Path;

    const TEXT: &str = include_str!("../../../../examples/training/text.toml");
    const DIGITS: &str = include_str!("../../../../examples/training/digits.toml");

    #[test]
    fn sizes_that_no_machine_has_room_for_are_named() {
        let rows = [
            (
                DIGITS,
                "hidden = 64",
                "hidden = 100000000000",
                "c.toml:5: `model.hidden` is 100000000000; with it the parameters take ",
            ),
            (
                DIGITS,
                "channels = 32",
                "channels = 9223372036854775807",
                "`model.channels` is 9223372036854775807; with it the parameters take more than",
            ),
            (
                DIGITS,
                "batch = 32",
                "batch = 100000000000000",
                "`run.batch` is 100000000000000; with it a batch takes ",
            ),
            (
                TEXT,
                "width = 128",
                "width = 9223372036854775804",
                "`model.width` is 9223372036854775804; with it the parameters",
            ),
            (
                TEXT,
                "layers = 4",
                "layers = 100000000000",
                "`model.layers` is 100000000000; at most 1000 are allowed",
            ),
            (
                TEXT,
                "context = 128",
                "context = 100000000000",
                "`model.context` is 100000000000; with it the parameters",
            ),
            (
                TEXT,
                "heads = 4",
                "heads = 4\nintermediate = 10000000000000",
                "`model.intermediate` is 10000000000000; with it the parameters",
            ),
            (
                TEXT,
                "batch = 16",
                "batch = 100000000000",
                "`run.batch` is 100000000000; with it a batch takes ",
            ),
        ];
        for (text, from, to, expected) in rows {
            assert!(text.contains(from), "{from}");
            let error = Config::parse(Path::new("c.toml"), &text.replace(from, to), None)
                .expect_err("refused")
                .to_string();
            assert!(error.contains(expected) && error.starts_with("c.toml:"), "{error}\n{expected}");
        }
        for text in [TEXT, DIGITS] {
            assert!(Config::parse(Path::new("c.toml"), text, None).is_ok());
        }
    }
}
