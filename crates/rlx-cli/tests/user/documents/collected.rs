//! Collects the commands that README, docs and `--help` show.

use std::fs;

use crate::support::{command, root};

/// A command, and the part of its output that is shown.
#[derive(Clone)]
pub struct Shown {
    /// The source: a file and line, or the help of a command.
    pub place: String,
    pub command: String,
    pub output: Option<String>,
}

/// README and the pages of docs, with their texts.
pub fn pages() -> Vec<(String, String)> {
    let mut docs: Vec<String> = fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| format!("docs/{}", entry.unwrap().file_name().to_str().unwrap()))
        .filter(|name| name.ends_with(".md"))
        .collect();
    docs.sort();
    docs.insert(0, "README.md".into());
    let text = |page: String| {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        (page, text)
    };
    docs.into_iter().map(text).collect()
}

/// All commands, in the order of the pages.
pub fn collected() -> Vec<Shown> {
    let mut all: Vec<Shown> = pages().iter().flat_map(|(page, text)| in_page(page, text)).collect();
    let mut commands = vec![String::new()];
    commands.extend(subcommands());
    for name in commands {
        all.extend(in_help(&name));
    }
    all
}

/// The commands in sentences of a page.
pub fn inline(text: &str) -> Vec<String> {
    let mut is_block = false;
    let mut sentences = String::new();
    for line in text.lines() {
        is_block ^= line.starts_with("```");
        if !is_block && !line.starts_with("```") {
            sentences.push_str(line);
            sentences.push('\n');
        }
    }
    let spans = sentences.split('`').skip(1).step_by(2);
    spans.filter(|span| span.starts_with("rlx ")).map(String::from).collect()
}

/// The commands in code blocks without a language: lines after `$`, each with its output; or, in blocks without any
/// `$`, lines that begin with a program.
fn in_page(page: &str, text: &str) -> Vec<Shown> {
    let (mut found, mut block): (Vec<Shown>, Option<Vec<(usize, &str)>>) = (Vec::new(), None);
    for (number, line) in text.lines().enumerate() {
        match (&mut block, line.strip_prefix("```")) {
            (None, Some(language)) => block = Some(vec![(0, language)]),
            (Some(_), Some(_)) => {
                let lines = block.take().unwrap_or_default();
                if ["", "console", "sh"].contains(&lines[0].1.trim()) {
                    found.extend(in_block(page, &lines[1..]));
                }
            }
            (Some(lines), None) => lines.push((number + 1, line)),
            (None, None) => {}
        }
    }
    found
}

fn in_block(page: &str, lines: &[(usize, &str)]) -> Vec<Shown> {
    let place = |number: usize| format!("{page}:{number}");
    if !lines.iter().any(|(_, line)| line.starts_with("$ ")) {
        let is_command = |line: &str| {
            let first = line.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default();
            ["rlx", "cargo", "python", "printf", "echo", "for", "cd", "apt-get"].contains(&first)
                || first.starts_with("scripts/")
                || first.ends_with("/rlx")
        };
        let commands = lines.iter().filter(|(_, line)| is_command(line));
        let shown = |(number, line): &(usize, &str)| Shown {
            place: place(*number),
            command: without_comment(line),
            output: None,
        };
        // `cd` sets the folder of the commands after it.
        return commands
            .map(shown)
            .filter(|shown| !shown.command.starts_with("cd ") || shown.command.contains("&&"))
            .collect();
    }
    let mut found: Vec<Shown> = Vec::new();
    for (number, line) in lines {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => {
                found.push(Shown { place: place(*number), command: without_comment(command), output: None });
            }
            (None, Some(Shown { output, .. })) => {
                let text = output.get_or_insert_default();
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

/// The examples of a command's help.
fn in_help(name: &str) -> Vec<Shown> {
    let args: Vec<&str> = name.split_whitespace().chain(["--help"]).collect();
    let help = command(&root(), &args).output().unwrap();
    let text = String::from_utf8(help.stdout).unwrap();
    let examples = text.lines().skip_while(|line| !line.starts_with("Examples:")).skip(1);
    let lines = examples.take_while(|line| !line.trim().is_empty());
    let shown = |line: &str| Shown {
        place: format!("rlx help {name}"),
        command: without_comment(line.trim()),
        output: None,
    };
    // Lines that are indented further describe the line above; lines that begin with an option continue it.
    let mut found: Vec<String> = Vec::new();
    for line in lines.filter(|line| !line.starts_with("   ")) {
        match found.last_mut() {
            Some(last) if line.trim().starts_with('-') => *last += &format!(" {}", line.trim()),
            _ => found.push(line.into()),
        }
    }
    found.iter().map(|line| shown(line)).collect()
}

/// The names of all commands.
pub fn subcommands() -> Vec<String> {
    let help = command(&root(), &["--help"]).output().unwrap();
    let text = String::from_utf8(help.stdout).unwrap();
    let lines = text.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let lines = lines.take_while(|line| !line.trim().is_empty());
    let name = |line: &str| line.split_whitespace().next().unwrap_or_default().to_string();
    lines
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(name)
        .filter(|name| name != "help")
        .collect()
}

/// The command without the description after it.
fn without_comment(line: &str) -> String {
    line.split("  ").next().unwrap_or_default().split(" # ").next().unwrap_or_default().trim().to_string()
}
