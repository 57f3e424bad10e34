//! The environment variables that the device `tpu` reads.

use rlx_driver::env::{path, switch};
use std::path::PathBuf;

rlx_driver::variables! {
    /// The PJRT plugin for the device `tpu`: any shared library with a function `GetPjrtApi`.
    pub PJRT_PLUGIN: PathBuf = "RLX_PJRT_PLUGIN" {
        values: "a file",
        parse: path,
        default: "`libtpu.so`, in the system's library search path, which does not include the folder into which pip installs it",
    }
    /// Options for starting the PJRT plugin, such as `preallocate=false memory_fraction=0.5` for XLA's plugin for NVIDIA GPUs. A value is
    /// `true` or `false`, an integer, a number with a decimal point, integers in brackets such as `[0,1]`, or otherwise text.
    pub PJRT_OPTIONS: Vec<(String, String)> = "RLX_PJRT_OPTIONS" {
        values: "name=value, separated by spaces",
        parse: named_values,
    }
    /// A variable of libtpu: with 1, libtpu does not query the metadata server of a cloud machine, which takes minutes if there is none.
    /// RLX does not set this variable, and compiles for absent TPUs only if it is set.
    pub SKIP_MDS_QUERY: bool = "TPU_SKIP_MDS_QUERY" {
        values: "0 | 1",
        // This is another program's variable, so every value is valid.
        parse: |value| Some(switch(value).unwrap_or(true)),
    }
}

/// Splits pairs `name=value`, separated by whitespace.
fn named_values(text: &str) -> Option<Vec<(String, String)>> {
    let pair = |word: &str| {
        let (name, value) = word.split_once('=')?;
        (!name.is_empty()).then(|| (name.to_string(), value.to_string()))
    };
    text.split_whitespace().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_driver::Env;

    #[test]
    fn options_of_a_plugin_are_pairs() {
        let options = |text| Env::from_iter([("RLX_PJRT_OPTIONS", text)]).get(&PJRT_OPTIONS);
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert_eq!(
            options(" a=1  b=[0,1] c="),
            Ok(Some(vec![pair("a", "1"), pair("b", "[0,1]"), pair("c", "")]))
        );
        assert_eq!(options(""), Ok(None));
        for bad in ["a", "=1", "a=1 b"] {
            let said = options(bad).expect_err("no pairs").to_string();
            assert_eq!(
                said,
                format!("RLX_PJRT_OPTIONS is {bad:?}; it takes name=value, separated by spaces")
            );
        }
    }

    #[test]
    fn a_variable_of_another_program_is_on_unless_it_says_no() {
        let skips = |value| Env::from_iter([("TPU_SKIP_MDS_QUERY", value)]).is_on(&SKIP_MDS_QUERY);
        assert_eq!(["1", "yes", "0", "off", ""].map(skips), [true, true, false, false, false].map(Ok));
    }
}
