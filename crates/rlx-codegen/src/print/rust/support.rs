//! Assembles the support module that printed functions call from the parts that a program needs.

use super::elementary::elementary;

/// How functions of floats are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Math {
    /// With the standard library.
    Std,
    /// With the crate `libm`, which the program then depends on: for `no_std`, and for results that are the same on every machine.
    Libm,
}

/// Returns the module `rt` that functions with this text call. It contains only what the text needs.
///
/// Special functions of f64, those of several numbers, and complex functions are the evaluator's own.
pub fn support(text: &str, math: Math) -> String {
    let mut module = String::from("#[allow(dead_code, unused_imports, clippy::all)]\npub mod rt {\n");
    module.push_str(include_str!("rt.rs"));
    match math {
        Math::Std => inner(&mut module, "libm", include_str!("libm.rs")),
        Math::Libm => {
            module.push_str("pub use ::libm;\n");
            inner(&mut module, "methods", include_str!("methods.rs"));
        }
    }
    elementary(&mut module, text);
    let complex = text.contains("rt::complex::");
    if complex {
        inner(&mut module, "complex", include_str!("complex.rs"));
    }
    if complex || text.contains("rt::special::") {
        special(&mut module, math);
    }
    module.push_str("}\n");
    module
}

pub(super) fn inner(module: &mut String, name: &str, text: &str) {
    module.push_str(&format!("pub mod {name} {{\n{text}}}\n"));
}

/// Adds the evaluator's special functions.
fn special(module: &mut String, math: Math) {
    module.push_str("/// Special functions.\npub mod special {\n");
    module.push_str(match math {
        // The standard library has no gamma function.
        Math::Std => {
            "mod libm {
                pub use super::super::libm::*;
                pub fn lgamma(x: f64) -> f64 {
                    if x > 1e20 { return x * (x.ln() - 1.0); }
                    super::gamma::ln_gamma(super::dd::Dd::from(x)).to_f64()
                }
            }\n"
        }
        Math::Libm => "use super::{libm, methods};\n",
    });
    let uses = match math {
        Math::Std => "use super::libm;\n",
        Math::Libm => "use super::libm;\nuse super::methods::{self, Methods as _};\n",
    };
    for source in rlx_ir::math::SOURCES {
        let mut text = without_head(source.text);
        for (name, inside) in source.inside {
            let declared = format!("mod {name};");
            text = text.replace(&declared, &format!("mod {name} {{\n{uses}{}}}", without_head(inside)));
        }
        inner(module, source.name, &format!("{uses}{text}"));
        module.push_str(&format!("pub use {}::*;\n", source.name));
    }
    module.push_str("}\n");
}

/// Removes the module docs from a text, because they must come first.
pub(super) fn without_head(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("//!")).map(|line| format!("{line}\n")).collect()
}
