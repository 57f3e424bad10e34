//! Counts the files that name each op, to measure whether an op is defined in one place.

use super::Source;

/// Number of files that a primitive may touch: the op table, its definition, its rules, a lowering, a kernel, a form in StableHLO and in
/// CoreML, and its cases.
const PRIMITIVE: usize = 8;
/// Of a composite: the op table, its definition, and its cases.
const COMPOSITE: usize = 3;
/// Of an elementwise function of one tensor: its row, its meaning, its derivative, its instructions, its form in other languages, and its
/// cases.
const FUNCTION: usize = 6;

/// Ops that touch more files, with the number of files. It is an error if an op touches more files than its row says,
/// or if the number in its row is too high.
///
/// Why they cannot touch fewer, by class:
///
/// - Constants, `unary`, `binary`, `compare`, `select`, `convert`, broadcasts, reshapes, `dot_general`, `reduce`:
///   everything else is expressed in these. Code that builds graphs names them as vocabulary, not as cases: both front
///   ends, `rlx-expand`, the importer, and the passes that simplify and recognize.
/// - `output`, `dim_size`, `fusion`: these hold graphs together, so every traversal of a graph names them.
/// - Movement, gather, scatter: one rule each for derivatives, lowering, the CPU and both directions of StableHLO, and
///   the expansions and derivatives of other ops that consist of them.
/// - Ops with graphs over elements (`reduce_graph`, `sort_graph`, …): the same; in addition, the CPU, the importer and
///   the exporter recognize graphs that have a name.
/// - Control flow, `custom`, collectives: each executor of programs (the CPU, the interpreter, Rust crates) has its own
///   implementation, and so have the three transforms.
/// - Factorizations, `fft`, random bits, block formats: a derivative, an expansion, a kernel, and the name in LAPACK or
///   StableHLO.
/// - Softmax, norms, attention, activations: two front ends, their derivatives (AD-2), the pattern that recognizes
///   them, and the CPU's claim and kernel. Each of these exists because it is faster than the decomposition.
/// - Selection by index (`take`, `embedding`, `gather_axis`, …), losses, solves: the derivative or batching rule that
///   keeps them whole.
/// - `call`, `checkpoint`, `custom_fn`, `linear_call`: the wrappers of `rlx-autodiff`, which create and transpose them.
const AGREED: &[(&str, usize)] = &[
    ("binary", 66),
    ("constant", 61),
    ("convert", 53),
    ("unary", 53),
    ("broadcast_in_dim", 52),
    ("output", 41),
    ("compare", 40),
    ("concatenate", 40),
    ("dot_general", 39),
    ("reshape", 39),
    ("reduce", 36),
    ("select", 35),
    ("abs", 32),
    ("slice", 32),
    ("real", 31),
    ("neg", 29),
    ("not", 29),
    ("pad", 29),
    ("transpose", 29),
    ("conj", 28),
    ("iota", 28),
    ("clamp", 27),
    ("convolution", 27),
    ("dynamic_slice", 27),
    ("imag", 27),
    ("round_even", 26),
    ("cumulative", 25),
    ("exp", 25),
    ("gather", 25),
    ("reduce_window", 25),
    ("scatter", 25),
    ("argreduce", 24),
    ("dynamic_update_slice", 23),
    ("is_finite", 23),
    ("sign", 23),
    ("bitcast_convert", 22),
    ("custom", 22),
    ("log", 22),
    ("reduce_precision", 22),
    ("reverse", 22),
    ("scan", 22),
    ("cos", 21),
    ("fusion", 21),
    ("log1p", 21),
    ("optimization_barrier", 21),
    ("sin", 21),
    ("sort", 21),
    ("sqrt", 21),
    ("tanh", 21),
    ("activation", 20),
    ("logistic", 20),
    ("rsqrt", 20),
    ("while", 20),
    ("ceil", 19),
    ("dim_size", 19),
    ("erf", 19),
    ("floor", 19),
    ("ragged_dot", 19),
    ("expm1", 18),
    ("if", 18),
    ("scatter_graph", 18),
    ("sort_graph", 18),
    ("top_k", 18),
    ("round_away", 17),
    ("tan", 17),
    ("case", 16),
    ("cbrt", 16),
    ("cosh", 16),
    ("erfc", 16),
    ("lgamma", 16),
    ("reduce_window_graph", 16),
    ("sinh", 16),
    ("softmax", 16),
    ("acos", 15),
    ("asin", 15),
    ("atan", 15),
    ("bessel_i1e", 15),
    ("betainc", 15),
    ("clz", 15),
    ("erf_inv", 15),
    ("gather_axis", 15),
    ("popcnt", 15),
    ("reduce_graph", 15),
    ("select_and_scatter", 15),
    ("asinh", 14),
    ("atanh", 14),
    ("digamma", 14),
    ("acosh", 13),
    ("bessel_i0e", 13),
    ("layer_norm", 13),
    ("rms_norm", 12),
    ("triangular_solve", 12),
    ("cholesky", 11),
    ("dequant_grouped_matmul", 11),
    ("eigh", 11),
    ("matmul", 11),
    ("stop_gradient", 11),
    ("call", 10),
    ("dequant_matmul", 10),
    ("fft", 10),
    ("logsumexp", 10),
    ("svd", 10),
    ("take", 10),
    ("threefry2x32", 10),
    ("attention", 9),
    ("custom_fn", 9),
    ("dequantize_blocks", 9),
    ("log_softmax", 9),
    ("permute", 9),
    ("rng_bits", 9),
    ("rng_uniform", 9),
    ("all_gather", 8),
    ("all_reduce", 8),
    ("all_to_all", 8),
    ("embedding", 8),
    ("expand", 8),
    ("householder_product", 8),
    ("linear_call", 8),
    ("lu", 8),
    ("reduce_scatter", 8),
    ("rng_normal", 8),
    ("softmax_cross_entropy", 8),
    ("checkpoint", 7),
    ("eig", 7),
    ("geqrf", 7),
    ("rope", 7),
    ("tridiagonal_solve", 7),
    ("conv2d", 6),
    ("cumsum", 6),
    ("elu", 6),
    ("kv_append", 6),
    ("mean", 6),
    ("one_hot", 6),
    ("sample", 6),
    ("attention_backward", 5),
    ("batch_norm", 5),
    ("batched_dense_solve", 5),
    ("categorical", 5),
    ("clip", 5),
    ("conv_transpose2d", 5),
    ("leaky_relu", 5),
    ("mse", 5),
    ("pool", 5),
    ("scatter_add", 5),
    ("split", 5),
    ("tile", 5),
    ("axis_index", 4),
    ("batch_norm_training", 4),
    ("dense_solve", 4),
    ("dequantize", 4),
    ("fake_quantize", 4),
    ("group_norm", 4),
    ("gru", 4),
    ("lora_matmul", 4),
    ("lstm", 4),
    ("narrow", 4),
    ("ormqr", 4),
    ("quantize", 4),
    ("rnn", 4),
    ("roll", 4),
    ("swiglu", 4),
];

/// An op, or a function that an op applies.
struct OpRow<'a> {
    name: &'a str,
    variant: &'a str,
    /// The enums that it is a variant of.
    enums: &'static [&'static str],
    most: usize,
}

/// The rows of the op table.
fn rows(table: &str) -> impl Iterator<Item = OpRow<'_>> {
    table.lines().filter_map(|line| {
        let line = line.trim_start();
        let most = match line.split([' ', '[']).next()? {
            "primitive" => PRIMITIVE,
            "composite" => COMPOSITE,
            _ => return None,
        };
        let mut quoted = line.split('"').skip(1);
        let (name, rest) = (quoted.next()?, quoted.next()?);
        let variant = rest.split_whitespace().next().filter(|word| is_variant(word))?;
        Some(OpRow { name, variant, enums: &["Op", "OpKind"], most })
    })
}

/// The rows of the elementwise functions of one tensor.
fn functions(kinds: &str) -> impl Iterator<Item = OpRow<'_>> {
    let list =
        kinds.split("UnaryOp \"unary function\" {").nth(1).and_then(|rest| rest.split("\n    }").next());
    list.unwrap_or_default().lines().filter_map(|line| {
        let (variant, name) = line.trim().split_once(" = \"")?;
        let name = name.strip_suffix("\",").filter(|_| is_variant(variant))?;
        Some(OpRow { name, variant, enums: &["UnaryOp"], most: FUNCTION })
    })
}

fn is_variant(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphanumeric)
}

/// Whether code names a variant of one of the enums: with the enum before it, or by its name alone if variants are in scope.
fn names(code: &str, enums: &[&str], variant: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let behind = |path: &str| {
        code.match_indices(path).any(|(at, _)| {
            !code[..at].ends_with(in_word) && code[at + path.len()..].strip_prefix(variant).is_some_and(ends)
        })
    };
    let begins = |at: usize| !code[..at].ends_with(|c: char| in_word(c) || c == ':');
    let alone = || code.match_indices(variant).any(|(at, _)| begins(at) && ends(&code[at + variant.len()..]));
    let in_scope = |name: &str| ["*", "{"].iter().any(|end| code.contains(&format!("use {name}::{end}")));
    enums.iter().any(|name| behind(&format!("{name}::")))
        || (enums.iter().any(|name| in_scope(name)) && alone())
}

/// Files that are not counted: models, which are programs in terms of ops, like those of users, and the importer of CoreML programs,
/// which writes such programs.
const APART: &[&str] = &["crates/rlx-models/", "crates/rlx-llm/", "crates/rlx-mil/src/import/"];

/// Whether the file is counted: all other product code is.
fn counts(source: &Source) -> bool {
    let apart = APART.iter().any(|folder| source.path.starts_with(folder));
    source.path.starts_with("crates/") && !source.is_test() && !apart
}

/// The files that name each op, ops with the most files first.
fn touched(sources: &[Source]) -> Vec<(OpRow<'_>, Vec<&str>)> {
    let table = sources.iter().find(|s| s.path.ends_with("rlx-ir/src/op/table.rs"));
    let code: Vec<(&str, String)> = sources
        .iter()
        .filter(|s| counts(s) && !s.path.ends_with("op/table.rs"))
        .map(|s| (s.path.as_str(), without_comments(s.code())))
        .collect();
    let kinds = sources.iter().find(|s| s.path.ends_with("rlx-ir/src/op/kinds.rs"));
    let mut all = Vec::new();
    let ops = table.iter().flat_map(|s| rows(&s.text).map(|row| (s.path.as_str(), row)));
    for (own, row) in
        ops.chain(kinds.iter().flat_map(|s| functions(&s.text).map(|row| (s.path.as_str(), row))))
    {
        let own = std::iter::once(own);
        let names = |(path, code): &&(&str, String)| {
            !path.ends_with("op/kinds.rs") && names(code, row.enums, row.variant)
        };
        let others = code.iter().filter(names).map(|(path, _)| *path);
        let files: Vec<&str> = own.chain(others).collect();
        all.push((row, files));
    }
    all.sort_by_key(|(row, files)| (std::cmp::Reverse(files.len()), row.name));
    all
}

fn without_comments(code: &str) -> String {
    let line = |line: &str| line.split("//").next().unwrap_or_default().to_string();
    code.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Prints the ops that touch the most files.
#[allow(clippy::print_stdout)]
pub(crate) fn report(sources: &[Source]) {
    let all = touched(sources);
    let within = all.iter().filter(|(row, files)| files.len() <= row.most).count();
    println!("Files that name an op (tests and cases aside; {within} of {} ops within the goal):", all.len());
    for (row, files) in all.iter().take(super::SHOWN) {
        println!("{:>7}  {} (goal ≤ {})", files.len(), row.name, row.most);
    }
    println!();
}

/// A message for each op that touches more files than agreed, and for each row that is out of date.
pub(crate) fn broken(sources: &[Source]) -> Vec<String> {
    let agreed = |name: &str| AGREED.iter().find(|(op, _)| *op == name).map(|(_, files)| *files);
    let of = |(row, files): &(OpRow<'_>, Vec<&str>)| {
        let most = agreed(row.name).unwrap_or(row.most);
        let told = match () {
            () if files.len() > most => {
                format!("touches {} files, {most} are agreed: {}", files.len(), files.join(", "))
            }
            () if agreed(row.name).is_some_and(|most| files.len() < most) => {
                format!("touches {} files: lower its row in xtask/src/tidy/ops.rs", files.len())
            }
            () => return None,
        };
        Some(format!("`{}` {told}", row.name))
    };
    touched(sources).iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ops_are_found_where_they_are_named() {
        let names = |code: &str, variant: &str| super::names(code, &["Op", "OpKind"], variant);
        assert!(names("match op { Op::Sort { .. } => 1 }", "Sort"));
        assert!(!names("match op { Op::SortGraph { .. } => 1 }", "Sort"));
        assert!(!names("struct Sort;", "Sort"));
        assert!(!names("ReduceOp::Mean", "Mean"));
        assert!(names("use OpKind::*;\nmatches!(kind, Sort | Scan)", "Sort"));
        assert!(!names("use OpKind::*;\nOther::Sort", "Sort"));
        assert!(super::names("use UnaryOp::{Erf, Exp};\nmatches!(op, Erf)", &["UnaryOp"], "Erf"));
    }

    #[test]
    fn rows_have_a_class_a_name_and_a_variant() {
        let table = "    primitive[movement] \"slice\" Slice {\n    composite \"elu\" Elu { /// Minus the limit.\n    composite one per line";
        let rows: Vec<_> = rows(table).map(|row| (row.name, row.variant, row.most)).collect();
        assert_eq!(rows, [("slice", "Slice", 8), ("elu", "Elu", 3)]);
        let kinds = "    UnaryOp \"unary function\" {\n        /// Negation.\n        Neg = \"neg\",\n    }\n    Other \"other\" {\n        X = \"x\",";
        let functions: Vec<_> = functions(kinds).map(|row| (row.name, row.variant)).collect();
        assert_eq!(functions, [("neg", "Neg")]);
    }
}
