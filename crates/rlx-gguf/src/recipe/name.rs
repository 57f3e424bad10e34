//! The names of recipes, and their numbers in files.

use crate::tensor::TensorType;
use rlx_ir::{DType, QuantScheme};
use std::fmt;
use std::str::FromStr;

macro_rules! recipes {
    ($($(#[doc = $doc:literal])* $Variant:ident = $name:literal, $number:literal: $usual:expr;)*) => {
        /// A mixture of formats, named as in llama.cpp.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(non_camel_case_types)] // The names of the mixtures.
        pub enum Recipe { $($(#[doc = $doc])* $Variant,)* }

        impl Recipe {
            /// All recipes.
            pub const ALL: &'static [Self] = &[$(Recipe::$Variant),*];

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self { $(Recipe::$Variant => $name),* }
            }

            /// Returns the number of the recipe in files (`general.file_type`).
            pub const fn file_type(self) -> u32 {
                match self { $(Recipe::$Variant => $number),* }
            }

            /// Returns the type of tensors to which no rule applies.
            pub const fn usual(self) -> TensorType {
                match self { $(Recipe::$Variant => $usual),* }
            }
        }
    };
}

const fn blocks(scheme: QuantScheme) -> TensorType {
    TensorType::Blocks(scheme)
}

recipes! {
    /// 32-bit floats.
    F32 = "f32", 0: TensorType::Plain(DType::F32);
    /// 16-bit floats.
    F16 = "f16", 1: TensorType::Plain(DType::F16);
    /// 16-bit floats with the range of f32.
    BF16 = "bf16", 32: TensorType::Plain(DType::BF16);
    /// 8 bits.
    Q8_0 = "q8_0", 7: blocks(QuantScheme::Q8_0);
    /// 4 bits.
    Q4_0 = "q4_0", 2: blocks(QuantScheme::Q4_0);
    /// 4 bits, with a minimum per block.
    Q4_1 = "q4_1", 3: blocks(QuantScheme::Q4_1);
    /// 5 bits.
    Q5_0 = "q5_0", 8: blocks(QuantScheme::Q5_0);
    /// 5 bits, with a minimum per block.
    Q5_1 = "q5_1", 9: blocks(QuantScheme::Q5_1);
    /// 2 bits, with 3 and 4 where it matters most.
    Q2_K = "q2_k", 10: blocks(QuantScheme::Q2_K);
    /// 2 bits.
    Q2_K_S = "q2_k_s", 21: blocks(QuantScheme::Q2_K);
    /// 3 bits.
    Q3_K_S = "q3_k_s", 11: blocks(QuantScheme::Q3_K);
    /// 3 bits, with 4 and 5 where it matters most.
    Q3_K_M = "q3_k_m", 12: blocks(QuantScheme::Q3_K);
    /// 3 bits, with 5 where it matters most.
    Q3_K_L = "q3_k_l", 13: blocks(QuantScheme::Q3_K);
    /// 4 bits, with 5 in the first layers.
    Q4_K_S = "q4_k_s", 14: blocks(QuantScheme::Q4_K);
    /// 4 bits, with 6 where it matters most.
    Q4_K_M = "q4_k_m", 15: blocks(QuantScheme::Q4_K);
    /// 5 bits.
    Q5_K_S = "q5_k_s", 16: blocks(QuantScheme::Q5_K);
    /// 5 bits, with 6 where it matters most.
    Q5_K_M = "q5_k_m", 17: blocks(QuantScheme::Q5_K);
    /// 6 bits.
    Q6_K = "q6_k", 18: blocks(QuantScheme::Q6_K);
    /// 1.6 bits.
    IQ1_S = "iq1_s", 24: blocks(QuantScheme::IQ1_S);
    /// 1.8 bits.
    IQ1_M = "iq1_m", 31: blocks(QuantScheme::IQ1_M);
    /// 2.1 bits.
    IQ2_XXS = "iq2_xxs", 19: blocks(QuantScheme::IQ2_XXS);
    /// 2.3 bits.
    IQ2_XS = "iq2_xs", 20: blocks(QuantScheme::IQ2_XS);
    /// 2.3 bits, with 3 where it matters most.
    IQ2_S = "iq2_s", 28: blocks(QuantScheme::IQ2_XS);
    /// 2.6 bits, with 3 where it matters most.
    IQ2_M = "iq2_m", 29: blocks(QuantScheme::IQ2_S);
    /// 3.1 bits.
    IQ3_XXS = "iq3_xxs", 23: blocks(QuantScheme::IQ3_XXS);
    /// 3.3 bits.
    IQ3_XS = "iq3_xs", 22: blocks(QuantScheme::IQ3_S);
    /// 3.4 bits.
    IQ3_S = "iq3_s", 26: blocks(QuantScheme::IQ3_S);
    /// 3.4 bits, with 4 where it matters most.
    IQ3_M = "iq3_m", 27: blocks(QuantScheme::IQ3_S);
    /// 4.5 bits.
    IQ4_NL = "iq4_nl", 25: blocks(QuantScheme::IQ4_NL);
    /// 4.3 bits.
    IQ4_XS = "iq4_xs", 30: blocks(QuantScheme::IQ4_XS);
    /// 1.7 bits, for weights that are −1, 0 or 1.
    TQ1_0 = "tq1_0", 36: blocks(QuantScheme::TQ1_0);
    /// 2.1 bits, for weights that are −1, 0 or 1.
    TQ2_0 = "tq2_0", 37: blocks(QuantScheme::TQ2_0);
    /// Experts in 4-bit floats, everything else in 8 bits.
    MXFP4_MOE = "mxfp4_moe", 38: blocks(QuantScheme::MXFP4);
    /// 1 bit: only signs.
    Q1_0 = "q1_0", 40: blocks(QuantScheme::Q1_0);
    /// 2 bits.
    Q2_0 = "q2_0", 41: blocks(QuantScheme::Q2_0);
}

/// Short names.
const ALIASES: [(&str, Recipe); 3] =
    [("q3_k", Recipe::Q3_K_M), ("q4_k", Recipe::Q4_K_M), ("q5_k", Recipe::Q5_K_M)];

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Recipe {
    type Err = UnknownRecipe;

    /// Parses the name of a recipe, ignoring case.
    fn from_str(name: &str) -> Result<Self, UnknownRecipe> {
        let names = Self::ALL.iter().map(|&recipe| (recipe.name(), recipe)).chain(ALIASES);
        let found = names.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, recipe)| recipe).ok_or_else(|| UnknownRecipe(name.to_string()))
    }
}

/// The error for an unknown recipe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownRecipe(String);

impl fmt::Display for UnknownRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Recipe::ALL.iter().map(|recipe| recipe.name()).collect();
        write!(f, "unknown recipe {:?}; known recipes are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownRecipe {}
