//! The environment variables that this program reads, and the page of the documentation about them.

use rlx_driver::env::AnyVariable;

/// Every variable of the library that the program contains.
pub fn all() -> Vec<&'static dyn AnyVariable> {
    let mut all = rlx_runtime::variables::all();
    all.extend(rlx_models::variables::VARIABLES);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const FRONT: &str = "# Environment variables\n\nOptions that a program sets itself take precedence over these variables. An \
                         invalid value is an error. A program knows the variables of the devices that it was built with.\n\n\
                         | variable | values | what it does |\n|---|---|---|\n";

    /// Writes the page with `UPDATE_EXPECT=1`.
    #[test]
    fn the_page_in_the_docs_lists_what_crates_declare() {
        // MLX is a feature of this program, but is always documented.
        let every = all().into_iter().chain(rlx_mlx::variables::VARIABLES.iter().copied());
        let rows: BTreeMap<&str, &dyn AnyVariable> =
            every.map(|variable| (variable.name(), variable)).collect();
        let line = |variable: &&dyn AnyVariable| {
            let values = variable.values().replace('|', "or");
            format!("| `{}` | {values} | {} |\n", variable.name(), variable.doc())
        };
        let page = FRONT.to_string() + &rows.values().map(line).collect::<String>();
        expect_test::expect_file!["../../../docs/environment.md"].assert_eq(&page);
    }
}
