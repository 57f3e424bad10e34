//! The rules of the recipes, one row per rule. The format of a tensor is that of the first row that names the recipe
//! and the role and whose conditions hold; a tensor without such a row gets the recipe's usual format.

use super::place::{Role, TensorPlace};
use super::{ModelFacts, Recipe};
use crate::tensor::TensorType;
use rlx_ir::QuantScheme;

use QuantScheme as Q;
use Recipe as R;
use When::*;

/// For these recipes, a matrix with one of these roles gets this format if all of these conditions hold.
type Rule = (&'static [Recipe], &'static [Role], &'static [When], QuantScheme);

/// A condition.
#[derive(Clone, Copy, PartialEq, Debug)]
enum When {
    /// Each key head is shared by four or more query heads.
    Grouped,
    /// There are exactly eight experts, as in Mixtral.
    EightExperts,
    /// There are four or more experts.
    FourExperts,
    Falcon,
    NotFalcon,
    /// Rows are not a whole number of blocks of the recipe's usual format.
    OddRows,
    /// The tensor holds the matrices of several experts.
    Stacked,
    Importance,
    NoImportance,
    /// The layer is in the first n-th of the layers.
    First(usize),
    /// The matrix is in the first n-th of those with its role.
    FirstSeen(usize),
    /// Fewer than n matrices of its role precede it.
    Earliest(usize),
    /// The layer is in the first or last eighth of the layers, or it is every third layer in between.
    Emphasised,
    /// The same, counted by the preceding matrices of its role.
    EmphasisedSeen,
    /// The layer is outside of the first and last eighth of the layers.
    Middle,
}

impl When {
    fn holds(self, recipe: Recipe, facts: &ModelFacts, place: &TensorPlace) -> bool {
        let emphasised = |i: usize, n: usize| i < n / 8 || i >= 7 * n / 8 || i.wrapping_sub(n / 8) % 3 == 2;
        match self {
            Grouped => facts.heads_per_kv >= 4,
            EightExperts => facts.experts == 8,
            FourExperts => facts.experts >= 4,
            Falcon => facts.architecture == "falcon",
            NotFalcon => facts.architecture != "falcon",
            OddRows => !place.row.is_multiple_of(recipe.usual().block().0),
            Stacked => place.stacked,
            Importance => place.importance,
            NoImportance => !place.importance,
            First(part) => place.layer < place.layers / part,
            FirstSeen(part) => place.seen < place.of / part,
            Earliest(count) => place.seen < count,
            Emphasised => emphasised(place.layer, place.layers),
            EmphasisedSeen => emphasised(place.seen, place.of),
            Middle => (place.layers / 8..7 * place.layers / 8).contains(&place.layer),
        }
    }
}

const ALL: &[Recipe] = Recipe::ALL;
/// Recipes with one and two bits, which have separate rules for all of attention.
const TINY: &[Recipe] = &[R::IQ2_XXS, R::IQ2_XS, R::IQ2_S, R::IQ2_M, R::IQ1_S, R::IQ1_M];
const VALUE: &[Role] = &[Role::Value, Role::Joined];
const MOE: &[Recipe] = &[R::MXFP4_MOE];
const BESIDE_OUTPUT: &[Role] = &[
    Role::Tokens,
    Role::Query,
    Role::Key,
    Role::Value,
    Role::Joined,
    Role::AttentionOutput,
    Role::Up,
    Role::Gate,
    Role::Down,
    Role::Other,
];

#[rustfmt::skip] // A row per rule.
const RULES: &[Rule] = &[
    // The output projection.
    (MOE, &[Role::Output], &[], Q::Q8_0),
    (ALL, &[Role::Output], &[Falcon], Q::Q8_0),
    (ALL, &[Role::Output], &[OddRows], Q::Q8_0),
    (TINY, &[Role::Output], &[], Q::Q5_K),
    (&[R::IQ3_XXS], &[Role::Output], &[], Q::Q5_K),
    (&[R::Q8_0], &[Role::Output], &[], Q::Q8_0),
    (ALL, &[Role::Output], &[], Q::Q6_K),
    // Experts, and everything else next to them.
    (MOE, BESIDE_OUTPUT, &[Stacked], Q::MXFP4),
    (MOE, BESIDE_OUTPUT, &[], Q::Q8_0),
    // The token table.
    (&[R::IQ2_XXS, R::IQ2_XS, R::IQ1_S, R::IQ1_M], &[Role::Tokens], &[], Q::Q2_K),
    (&[R::IQ2_S, R::IQ2_M, R::IQ3_XXS], &[Role::Tokens], &[], Q::IQ3_S),
    (&[R::TQ1_0, R::TQ2_0, R::Q2_0], &[Role::Tokens], &[], Q::Q4_K),
    // One and two bits.
    (TINY, VALUE, &[Grouped], Q::Q4_K),
    (TINY, VALUE, &[FourExperts], Q::Q4_K),
    (&[R::IQ2_S, R::IQ2_M], VALUE, &[], Q::IQ3_S),
    (TINY, VALUE, &[], Q::Q2_K),
    (TINY, &[Role::Key], &[EightExperts], Q::Q4_K),
    (&[R::IQ2_S, R::IQ2_M], &[Role::Down], &[FirstSeen(8)], Q::IQ3_S),
    (TINY, &[Role::Down], &[FirstSeen(8)], Q::Q2_K),
    (TINY, &[Role::AttentionOutput], &[EightExperts], Q::Q5_K),
    (&[R::IQ1_S, R::IQ1_M], &[Role::AttentionOutput], &[], Q::IQ2_XXS),
    (&[R::IQ2_S, R::IQ2_M], &[Role::AttentionOutput], &[], Q::IQ3_S),
    // Values.
    (ALL, VALUE, &[EightExperts], Q::Q8_0),
    (&[R::Q2_K, R::Q2_K_S, R::IQ3_XXS, R::IQ3_XS, R::IQ3_S], VALUE, &[Grouped], Q::Q4_K),
    (&[R::Q2_K], VALUE, &[], Q::Q3_K),
    (&[R::IQ3_XXS], VALUE, &[NoImportance], Q::IQ3_S),
    (&[R::IQ3_M], VALUE, &[], Q::Q4_K),
    (&[R::Q3_K_M], VALUE, &[Earliest(2)], Q::Q5_K),
    (&[R::Q3_K_M], VALUE, &[], Q::Q4_K),
    (&[R::Q3_K_L], VALUE, &[], Q::Q5_K),
    (&[R::IQ4_NL, R::IQ4_XS], VALUE, &[Grouped], Q::Q5_K),
    (&[R::Q4_K_M, R::Q5_K_M], VALUE, &[EmphasisedSeen], Q::Q6_K),
    (&[R::Q4_K_S], VALUE, &[Earliest(4)], Q::Q5_K),
    // Queries and keys.
    (ALL, &[Role::Key], &[EightExperts], Q::Q8_0),
    (&[R::IQ3_XS], &[Role::Query, Role::Key], &[], Q::IQ3_XXS),
    (&[R::IQ3_XXS], &[Role::Query, Role::Key], &[], Q::IQ2_S),
    // The down projection of the feed-forward part.
    (&[R::Q2_K], &[Role::Down], &[], Q::Q3_K),
    (&[R::Q2_K_S], &[Role::Down], &[First(8)], Q::Q4_K),
    (&[R::IQ3_XXS], &[Role::Down], &[NoImportance, First(8)], Q::Q4_K),
    (&[R::IQ3_XXS], &[Role::Down], &[NoImportance], Q::Q3_K),
    (&[R::Q3_K_M], &[Role::Down], &[First(16)], Q::Q5_K),
    (&[R::Q3_K_M], &[Role::Down], &[NotFalcon], Q::Q4_K),
    (&[R::Q3_K_M], &[Role::Down], &[Emphasised], Q::Q4_K),
    (&[R::IQ3_M], &[Role::Down], &[First(8)], Q::Q4_K),
    (&[R::IQ3_M], &[Role::Down], &[EightExperts, Emphasised], Q::Q4_K),
    (&[R::Q3_K_L], &[Role::Down], &[Falcon], Q::Q4_K),
    (&[R::Q3_K_L], &[Role::Down], &[], Q::Q5_K),
    (&[R::Q4_K_M], &[Role::Down], &[Falcon, First(16)], Q::Q6_K),
    (&[R::Q4_K_M], &[Role::Down], &[Falcon, Emphasised], Q::Q5_K),
    (&[R::Q4_K_M], &[Role::Down], &[NotFalcon, Emphasised], Q::Q6_K),
    (&[R::Q5_K_M], &[Role::Down], &[Emphasised], Q::Q6_K),
    (&[R::IQ4_NL, R::IQ4_XS], &[Role::Down], &[NoImportance, First(8)], Q::Q5_K),
    (&[R::Q4_K_S], &[Role::Down], &[NotFalcon, First(8)], Q::Q5_K),
    (&[R::Q4_0], &[Role::Down], &[Importance, First(8)], Q::Q4_1),
    (&[R::Q5_0], &[Role::Down], &[Importance, First(8)], Q::Q5_1),
    // The output projection of attention.
    (&[R::Q2_K, R::IQ3_XS, R::IQ3_XXS, R::Q3_K_S, R::Q3_K_M, R::IQ4_NL, R::Q4_K_S, R::Q4_K_M, R::IQ3_S, R::IQ3_M, R::IQ4_XS],
        &[Role::AttentionOutput], &[NotFalcon, EightExperts], Q::Q5_K),
    (&[R::Q3_K_L], &[Role::AttentionOutput], &[NotFalcon, EightExperts], Q::Q3_K),
    (&[R::Q2_K], &[Role::AttentionOutput], &[NotFalcon], Q::Q3_K),
    (&[R::IQ3_XXS], &[Role::AttentionOutput], &[NotFalcon], Q::IQ3_S),
    (&[R::Q3_K_M, R::IQ3_M], &[Role::AttentionOutput], &[NotFalcon], Q::Q4_K),
    (&[R::Q3_K_L], &[Role::AttentionOutput], &[Falcon], Q::Q4_K),
    (&[R::Q3_K_L], &[Role::AttentionOutput], &[], Q::Q5_K),
    // The up and gate projections.
    (&[R::IQ3_XS], &[Role::Up, Role::Gate], &[Middle], Q::IQ3_XXS),
];

/// Formats with few bits that make a model unusable without an importance matrix.
pub(super) const NEED_IMPORTANCE: [QuantScheme; 6] =
    [Q::IQ3_XXS, Q::IQ2_XXS, Q::IQ2_XS, Q::IQ2_S, Q::IQ1_M, Q::IQ1_S];

/// The replacement of a format whose blocks do not divide rows.
pub(super) const SHORTER: [(QuantScheme, QuantScheme); 16] = [
    (Q::IQ1_S, Q::IQ4_NL),
    (Q::IQ1_M, Q::IQ4_NL),
    (Q::IQ2_XXS, Q::IQ4_NL),
    (Q::IQ2_XS, Q::IQ4_NL),
    (Q::IQ2_S, Q::IQ4_NL),
    (Q::IQ3_XXS, Q::IQ4_NL),
    (Q::IQ3_S, Q::IQ4_NL),
    (Q::IQ4_XS, Q::IQ4_NL),
    (Q::Q2_0, Q::Q4_0),
    (Q::Q2_K, Q::Q4_0),
    (Q::Q3_K, Q::Q4_0),
    (Q::TQ1_0, Q::Q4_0),
    (Q::TQ2_0, Q::Q4_0),
    (Q::Q4_K, Q::Q5_0),
    (Q::Q5_K, Q::Q5_1),
    (Q::Q6_K, Q::Q8_0),
];

/// Returns the format of a matrix.
pub(super) fn choose(recipe: Recipe, facts: &ModelFacts, place: &TensorPlace) -> QuantScheme {
    let applies = |(recipes, roles, when, _): &&Rule| {
        recipes.contains(&recipe)
            && roles.contains(&place.role)
            && when.iter().all(|when| when.holds(recipe, facts, place))
    };
    let usual = match recipe.usual() {
        TensorType::Blocks(scheme) => scheme,
        TensorType::Plain(_) => QuantScheme::Q8_0,
    };
    let chosen = RULES.iter().find(applies).map_or(usual, |rule| rule.3);
    // In the 70B models, eight heads share the values, so more bits for the values cost next to nothing.
    let few = [QuantScheme::Q3_K, QuantScheme::Q4_K].contains(&chosen);
    if facts.is_70b() && place.role.is_value() && few && !TINY.contains(&recipe) {
        return QuantScheme::Q5_K;
    }
    chosen
}
