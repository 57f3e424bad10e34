//! Recipes, which decide the format of each tensor of a model, under llama.cpp's names such as `q4_k_m`. The mixtures
//! themselves are the rows of `rules`.

mod name;
mod place;
mod rules;

use crate::error::GgufError;
use crate::tensor::TensorType;
use crate::value::MetaValue;
use rlx_files::display::quoted;
use rlx_ir::{DType, QuantScheme};

pub use name::{Recipe, UnknownRecipe};
pub use place::is_matrix;
use place::{Counts, Role};

/// The facts about a model that rules depend on.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct ModelFacts {
    architecture: String,
    layers: usize,
    /// Query heads for each key head.
    heads_per_kv: usize,
    experts: usize,
}

impl ModelFacts {
    /// Reads the facts from metadata. Missing metadata stay unknown.
    pub(crate) fn of<'v>(get: impl Fn(&str) -> Option<MetaValue<'v>>) -> ModelFacts {
        let architecture = get("general.architecture").and_then(|v| v.as_str().map(str::to_string));
        let architecture = architecture.unwrap_or_default();
        // If there is one number per layer, that of the first layer is used.
        let number = |key: &str| {
            let value = get(&format!("{architecture}.{key}"))?;
            let first = value.as_array().and_then(|array| array.iter().next().and_then(|v| v.as_u64()));
            Some(value.as_u64().or(first)? as usize)
        };
        let heads = number("attention.head_count").unwrap_or(0);
        let kv_heads = number("attention.head_count_kv").unwrap_or(heads);
        let (layers, experts) = (number("block_count").unwrap_or(0), number("expert_count").unwrap_or(0));
        ModelFacts { layers, heads_per_kv: heads.checked_div(kv_heads).unwrap_or(0), experts, architecture }
    }

    /// Whether llama.cpp treats it as a model with 70 billion parameters.
    fn is_70b(&self) -> bool {
        match self.architecture.as_str() {
            "llama" => self.layers == 80 && self.heads_per_kv != 1,
            "qwen2" | "deci" | "olmo" => self.layers == 80,
            "jais2" => self.layers == 68,
            _ => false,
        }
    }
}

/// Options for quantizing a model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QuantizeOptions {
    /// The mixture.
    pub recipe: Recipe,
    /// Whether all matrices get the recipe's usual format.
    pub pure: bool,
    /// Whether the output projection is left unchanged.
    pub keep_output: bool,
    /// Whether tensors that are already quantized are quantized again, from their unpacked values.
    pub requantize: bool,
}

impl QuantizeOptions {
    /// Returns options for the mixture as llama.cpp makes it.
    pub fn new(recipe: Recipe) -> QuantizeOptions {
        QuantizeOptions { recipe, pure: false, keep_output: false, requantize: false }
    }

    /// Returns the type of each tensor, in order. `tensors` has names, types and shapes.
    ///
    /// # Errors
    /// Returns [`GgufError::NoImportance`] for a format with so few bits that it is unusable without an importance
    /// matrix.
    pub(crate) fn types(
        &self,
        facts: &ModelFacts,
        tensors: &[(&str, TensorType, &[usize])],
        importance: bool,
    ) -> Result<Vec<TensorType>, GgufError> {
        let mut types: Vec<TensorType> = tensors.iter().map(|tensor| tensor.1).collect();
        let tied = !tensors.iter().any(|tensor| tensor.0 == "output.weight");
        let mut counts = Counts::new(tensors.iter().map(|tensor| tensor.0), facts);
        // Rules count layers in the order of their numbers.
        let mut order: Vec<usize> = (0..tensors.len()).collect();
        order.sort_by_key(|&i| (place::layer(tensors[i].0), tensors[i].0));
        for i in order {
            let (name, stored, shape) = tensors[i];
            if !is_float(stored) || !is_matrix(name, shape) || (self.keep_output && name == "output.weight") {
                continue;
            }
            types[i] = match self.recipe.usual() {
                plain @ TensorType::Plain(_) => plain,
                TensorType::Blocks(usual) => {
                    let role = Role::of(name, tied);
                    let place = counts.place(role, name, shape, importance);
                    let chosen = if self.pure { usual } else { rules::choose(self.recipe, facts, &place) };
                    fitting(chosen, shape.last().copied().unwrap_or(1))
                }
            };
            if !importance && name != "token_embd.weight" && name != "output.weight" {
                self.check_importance(name, types[i])?;
            }
        }
        Ok(types)
    }

    /// Whether a format has so few bits that it is unusable without an importance matrix.
    pub(crate) fn needs_importance(scheme: QuantScheme) -> bool {
        rules::NEED_IMPORTANCE.contains(&scheme)
    }

    fn check_importance(&self, name: &str, stored: TensorType) -> Result<(), GgufError> {
        let TensorType::Blocks(scheme) = stored else { return Ok(()) };
        let needed =
            Self::needs_importance(scheme) || (scheme == QuantScheme::Q2_K && self.recipe == Recipe::Q2_K_S);
        if needed {
            return Err(GgufError::NoImportance { tensor: quoted(name), scheme: scheme.name() });
        }
        Ok(())
    }
}

fn is_float(stored: TensorType) -> bool {
    match stored {
        TensorType::Plain(dtype) => dtype.is_float(),
        TensorType::Blocks(_) => true,
    }
}

/// Returns the format or, if its blocks do not divide rows, its replacement, or f16 as a last resort.
fn fitting(scheme: QuantScheme, row: usize) -> TensorType {
    let fits = |scheme: &QuantScheme| row.is_multiple_of(scheme.block_len());
    let shorter = rules::SHORTER.iter().find(|(long, _)| *long == scheme).map(|(_, short)| *short);
    let found = [Some(scheme), shorter].into_iter().flatten().find(fits);
    found.map_or(TensorType::Plain(DType::F16), TensorType::Blocks)
}
