//! Adds the functions of f32 to the support module: the sources of `rlx-math`, and a function on plain numbers for each.

use super::support::{inner, without_head};

/// Adds the functions of f32 that the text calls, with each multiply-add that it calls them with.
pub(super) fn elementary(module: &mut String, text: &str) {
    let all = [("fused", "Fused", rlx_math::FUSED), ("separate", "Separate", rlx_math::SEPARATE)];
    let called = all.into_iter().filter(|(name, ..)| text.contains(&format!("rt::{name}::")));
    let called: Vec<(&str, &str, rlx_math::SourceText)> = called.collect();
    if called.is_empty() {
        return;
    }
    module.push_str("/// Elementary functions of f32.\npub mod elementary {\nuse super::libm;\n");
    for source in rlx_math::SOURCES.iter().chain(called.iter().map(|(.., source)| source)) {
        inner(module, source.name, &format!("use super::libm;\n{}", without_head(source.text)));
    }
    module.push_str("}\n");
    for (name, sum, source) in &called {
        let uses = format!(
            "use super::libm;\nuse super::elementary::{{self, scalar::Single, {}::{sum} as Sum}};\n",
            source.name
        );
        inner(module, name, &(uses + &without_head(include_str!("single.rs"))));
    }
}
