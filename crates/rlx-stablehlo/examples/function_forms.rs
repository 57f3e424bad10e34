//! Prints the rows of `functions.txt` for programs on standard input. Each program starts with a line
//! `// name name… | 0,1 2`: a name for each result, and for each argument of the program the arguments of the function
//! that it is.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::Read;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    for program in text.split("// ").skip(1) {
        let (head, module) = program.split_once('\n').unwrap_or((program, ""));
        let (names, inputs) = head.split_once('|').unwrap_or((head, ""));
        let names: Vec<&str> = names.split_whitespace().collect();
        let inputs: Vec<String> = inputs.split_whitespace().map(String::from).collect();
        for (name, row) in names.iter().zip(rlx_stablehlo::function_forms(module, &names, &inputs)?) {
            match row {
                Some(row) => println!("{row}"),
                None => eprintln!("{name}: a result is not a function of the arguments"),
            }
        }
    }
    Ok(())
}
