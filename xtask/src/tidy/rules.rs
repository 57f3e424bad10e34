//! Patterns that code must not contain, and limits on the length of files and functions.

use super::Source;
use super::functions::functions;

/// Maximum lines of a file, including tests. The op table and its kinds are exempt, since they are lists.
const LONGEST_FILE: usize = 700;
const LISTS: &[&str] = &["crates/rlx-ir/src/op/table.rs", "crates/rlx-ir/src/op/kinds.rs"];
/// Maximum lines of a function outside tests.
const LONGEST_FUNCTION: usize = 120;

/// A pattern that is not allowed in code, the files in which it is allowed anyway, and the reason.
struct Banned {
    text: &'static str,
    except: &'static [&'static str],
    why: &'static str,
}

/// Files that read system files, whose reported size is wrong, or files of our own sources.
const SYSTEM_FILES: &[&str] = &[
    "crates/rlx-cli/src/cmd/bench.rs",
    "crates/rlx-driver/src/memory.rs",
    "crates/rlx-session/build.rs",
    "crates/rlx-tpu/src/locate.rs",
    "benches/",
    "xtask/",
];
const READERS: &[&str] = &[
    // Our own goldens.
    "crates/rlx-conformance/src/golden.rs",
    // A macro, which checks the file type first.
    "crates/rlx-macros/src/files.rs",
    "crates/rlx-session/build.rs",
    "benches/",
    "fuzz/",
    "xtask/",
];
const OPENERS: &[&str] = &[
    "crates/rlx-files/src/files.rs",
    // Both check the file type first.
    "crates/rlx-files/src/unfinished.rs",
    "crates/rlx-models/src/hub/partial.rs",
    "crates/rlx-session/src/calibration/conditions.rs",
    "benches/",
    "xtask/",
];

/// Everything that is not a library: commands, build scripts, and the place where reports go by default.
const PRINTERS: &[&str] = &[
    "crates/rlx-blas/build.rs",
    "crates/rlx-cli/",
    "crates/rlx-driver/src/report.rs",
    "crates/rlx-mlx-sys/build.rs",
    "crates/rlx-session/build.rs",
    "benches/",
    "fuzz/",
    "xtask/",
];
/// Libraries do not print; a program decides where text goes.
const PRINTS: &str = "return the text, or call rlx_driver::report, which a program can redirect";

const BANNED: &[Banned] = &[
    Banned { text: concat!("print", "!("), except: PRINTERS, why: PRINTS },
    Banned { text: concat!("println", "!("), except: PRINTERS, why: PRINTS },
    Banned { text: concat!("stderr", "()"), except: PRINTERS, why: PRINTS },
    Banned { text: concat!("stdout", "()"), except: PRINTERS, why: PRINTS },
    Banned {
        text: concat!("std::env::", "var"),
        except: &[
            "crates/rlx-driver/src/env.rs",
            // The system's cache folder.
            "crates/rlx-files/src/cache.rs",
            "xtask/",
            "crates/rlx-models/src/hub/",
            "crates/rlx-blas/build.rs",
        ],
        why: "declare the variable with rlx_driver::variables! and read it with rlx_driver::Env",
    },
    Banned {
        text: concat!(".unw", "rap()"),
        except: &["xtask/"],
        why: "state the invariant with `expect`, or return an error",
    },
    Banned {
        text: concat!("fs::", "read_to_string("),
        except: SYSTEM_FILES,
        why: "use rlx_files::files::read_text, which does not wait for pipes and limits the size",
    },
    Banned {
        text: concat!("fs::", "read("),
        except: READERS,
        why: "use rlx_files::files::read_bounded, which does not wait for pipes and limits the size",
    },
    Banned {
        text: concat!(" File", "::open("),
        except: OPENERS,
        why: "use rlx_files::files::open_regular, which does not wait for pipes",
    },
    Banned { text: concat!("to", "do!("), except: &[], why: "return an error for what is not implemented" },
    Banned {
        text: concat!("unimplem", "ented!("),
        except: &[],
        why: "return an error for what is not implemented",
    },
    Banned { text: concat!("#[ign", "ore"), except: &[], why: "make it a skipped case with a reason" },
    Banned { text: concat!("static ", "mut "), except: &[], why: "shared state is typed and synchronized" },
    Banned { text: concat!("/ro", "ot/"), except: &[], why: "do not name paths of a particular machine" },
    Banned {
        text: concat!("/ho", "me/"),
        except: &["crates/rlx-models/src/hub/"],
        why: "do not name paths of a particular machine",
    },
];

/// Every broken rule, with its location.
pub(crate) fn broken(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for source in sources {
        let lines = source.text.lines().count();
        if lines > LONGEST_FILE && !LISTS.contains(&source.path.as_str()) && !source.is_test() {
            problems.push(format!("{}: {lines} lines; what is its second subject?", source.path));
        }
        banned(source, &mut problems);
        unsafe_without_reason(source, &mut problems);
    }
    for f in functions(sources).iter().filter(|f| f.lines > LONGEST_FUNCTION && !f.in_tests) {
        problems.push(format!("{}:{} `{}` has {} lines", f.path, f.line, f.name, f.lines));
    }
    problems
}

fn banned(source: &Source, problems: &mut Vec<String>) {
    for rule in BANNED.iter().filter(|r| !r.except.iter().any(|e| source.path.starts_with(e))) {
        let text = if rule.text.starts_with("#[") { &source.text } else { source.code() };
        if source.is_test() && !rule.text.starts_with("#[") && !rule.text.starts_with('/') {
            continue;
        }
        for (at, line) in text.lines().enumerate() {
            let comment = line.trim_start().starts_with("//");
            if line.contains(rule.text) && !comment {
                problems.push(format!("{}:{}: `{}`: {}", source.path, at + 1, rule.text, rule.why));
            }
        }
    }
}

/// Checks that every `unsafe` block and `unsafe impl` has a `// SAFETY:` in the lines above it.
fn unsafe_without_reason(source: &Source, problems: &mut Vec<String>) {
    let lines: Vec<&str> = source.code().lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        let opens = trimmed.contains("unsafe {") || trimmed.starts_with("unsafe impl");
        if !opens || trimmed.starts_with("//") {
            continue;
        }
        let reasoned = lines[at.saturating_sub(6)..=at].iter().any(|l| l.contains("SAFETY:"));
        if !reasoned && !source.is_test() {
            problems.push(format!("{}:{}: `unsafe` without `// SAFETY:`", source.path, at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> Vec<String> {
        let mut problems = Vec::new();
        banned(&Source { path: path.into(), text: text.into() }, &mut problems);
        problems
    }

    #[test]
    fn libraries_do_not_print() {
        for line in [
            "println!(\"a\");",
            "eprintln!(\"a\");",
            "eprint!(\"a\");",
            "io::stderr().lock();",
            "let out = stdout();",
        ] {
            let found = problems("crates/rlx-ir/src/lib.rs", line);
            assert_eq!(found.len(), 1, "{line}: {found:?}");
            assert!(found[0].contains("rlx_driver::report"), "{found:?}");
            assert_eq!(problems("crates/rlx-cli/src/output.rs", line), [""; 0]);
            assert_eq!(problems("crates/rlx-ir/tests/it/main.rs", line), [""; 0]);
        }
        let others = "// println!(\"a\")\ncommand.stderr(Stdio::piped());\n#[cfg(test)]\nmod tests {\n    eprintln!()\n}\n";
        assert_eq!(problems("crates/rlx-ir/src/lib.rs", others), [""; 0]);
    }
}
