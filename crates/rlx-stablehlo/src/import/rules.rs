//! Finds the rule that imports an operation, by asking each family in turn.

use super::context::Rule;
use super::{
    batch_norm, checks, chlo, collective, constants, contraction, control, convolution, custom_call, dynamic,
    elementwise, indexing, linalg, random, reduction, shape, sort, window,
};

/// Returns the rule for an operation, by its full name.
pub(super) fn find(name: &str) -> Option<Rule> {
    let families = [
        elementwise::find,
        constants::find,
        shape::find,
        dynamic::find,
        indexing::find,
        contraction::find,
        convolution::find,
        reduction::find,
        window::find,
        sort::find,
        control::find,
        linalg::find,
        batch_norm::find,
        random::find,
        collective::find,
        chlo::find,
        custom_call::find,
        checks::find,
    ];
    families.iter().find_map(|family| family(name))
}
