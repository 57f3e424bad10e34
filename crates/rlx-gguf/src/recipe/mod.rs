//! Recipes: which tensor of a model is stored in which format, by llama.cpp's names such as `q4_k_m`. The
//! mixtures themselves are the rows of `rules`.

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

/// What rules ask about a model.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct ModelFacts {
    architecture: String,
    layers: usize,
    /// Heads of queries for each head of keys.
    heads_per_kv: usize,
    experts: usize,
}

impl ModelFacts {
    /// The facts that metadata say; of what they do not say, nothing is assumed.
    pub(crate) fn of<'v>(get: impl Fn(&str) -> Option<MetaValue<'v>>) -> ModelFacts {
        let architecture = get("general.architecture").and_then(|v| v.as_str().map(str::to_string));
        let architecture = architecture.unwrap_or_default();
        // Of lists with a number per layer, the first layer's.
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

    /// Whether llama.cpp calls it a model of 70 billion parameters.
    fn is_70b(&self) -> bool {
        match self.architecture.as_str() {
            "llama" => self.layers == 80 && self.heads_per_kv != 1,
            "qwen2" | "deci" | "olmo" => self.layers == 80,
            "jais2" => self.layers == 68,
            _ => false,
        }
    }
}

/// How a model is quantized.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QuantizeOptions {
    /// The mixture.
    pub recipe: Recipe,
    /// Whether all matrices get the format that most have.
    pub pure: bool,
    /// Whether the output projection stays as it is.
    pub keep_output: bool,
    /// Whether what is quantized already is quantized again, from what is left of it.
    pub requantize: bool,
}

impl QuantizeOptions {
    /// The mixture as llama.cpp makes it.
    pub fn new(recipe: Recipe) -> QuantizeOptions {
        QuantizeOptions { recipe, pure: false, keep_output: false, requantize: false }
    }

    /// The type of each tensor, in their order. `tensors` are names, types and shapes.
    ///
    /// # Errors
    /// [`GgufError::NoImportance`] for a format of so few bits that it is nothing without an importance.
    pub(crate) fn types(
        &self,
        facts: &ModelFacts,
        tensors: &[(&str, TensorType, &[usize])],
        importance: bool,
    ) -> Result<Vec<TensorType>, GgufError> {
        let mut types: Vec<TensorType> = tensors.iter().map(|tensor| tensor.1).collect();
        let tied = !tensors.iter().any(|tensor| tensor.0 == "output.weight");
        let mut counts = Counts::new(tensors.iter().map(|tensor| tensor.0), facts);
        // Rules count layers as they come, those of the lowest number first.
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

    /// Whether a format has so few bits that it is nothing without an importance.
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

/// The format, or where it does not divide rows, the one that stands in for it, or f16.
fn fitting(scheme: QuantScheme, row: usize) -> TensorType {
    let fits = |scheme: &QuantScheme| row.is_multiple_of(scheme.block_len());
    let shorter = rules::SHORTER.iter().find(|(long, _)| *long == scheme).map(|(_, short)| *short);
    let found = [Some(scheme), shorter].into_iter().flatten().find(fits);
    found.map_or(TensorType::Plain(DType::F16), TensorType::Blocks)
}
