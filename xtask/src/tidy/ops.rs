//! How many files three sample ops touch: the measure of "an op is defined once".

use super::Source;

/// An op, the words that name it in code, and the number of files that may.
struct Sample {
    what: &'static str,
    words: &'static [&'static str],
    most: usize,
}

const SAMPLES: [Sample; 3] = [
    Sample { what: "composite layer_norm_2d", words: &["LayerNorm2d"], most: 2 },
    Sample {
        what: "unary primitive erf",
        words: &["UnaryOp::Erf ", "UnaryOp::Erf)", "Erf =>", "Erf |", "Erf ="],
        most: 6,
    },
    Sample { what: "composite attention", words: &["Op::Attention", "Attention {", "Attention,"], most: 6 },
];

/// The files, tests aside, in which an op is named.
fn touched<'a>(sources: &'a [Source], sample: &Sample) -> Vec<&'a str> {
    let names = |s: &&Source| {
        s.path.starts_with("crates/")
            && !s.is_test()
            && !s.path.starts_with("crates/rlx-conformance")
            && sample.words.iter().any(|w| s.code().contains(w))
    };
    sources.iter().filter(names).map(|s| s.path.as_str()).collect()
}

#[allow(clippy::print_stdout)]
pub(crate) fn report(sources: &[Source]) {
    println!("Files that name an op (tests and cases aside):");
    for sample in &SAMPLES {
        let files = touched(sources, sample);
        println!("{:>7}  {} (goal ≤ {}): {}", files.len(), sample.what, sample.most, files.join(", "));
    }
    println!();
}
