//! The rows of `functions.txt` for programs on standard input: each starts with a line `// name name…`, a name for each result.

#![allow(clippy::print_stdout)]

use std::io::Read;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    for program in text.split("// ").skip(1) {
        let (names, module) = program.split_once('\n').unwrap_or((program, ""));
        let names: Vec<&str> = names.split_whitespace().collect();
        for (name, row) in names.iter().zip(rlx_stablehlo::function_forms(module, &names)?) {
            println!(
                "{}",
                row.ok_or_else(|| format!("{name}: a result is not a function of the arguments"))?
            );
        }
    }
    Ok(())
}
