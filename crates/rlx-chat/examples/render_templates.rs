//! Renders templates and prints what they return.
//!
//! `render_templates` reads lines of JSON. Each is a list of a template and of variables, including `messages`. For
//! each of them, it prints a line of JSON: the text, or an object with `error`. `scripts/judge_template_language.py`
//! compares the lines with those of other implementations.

use rlx_chat::{ChatTemplate, Conversation, Json, TokenNames};
use std::error::Error;
use std::io::{self, BufRead, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let case = Json::parse(&line?)?;
        let [Json::Text(template), Json::Object(variables)] = case.as_list().ok_or("not a list")? else {
            return Err("expected a template and variables".into());
        };
        let mut conversation = Conversation { now: Some(1_709_212_345), ..Conversation::default() };
        for (name, value) in variables {
            match (name.as_str(), value) {
                ("messages", Json::List(messages)) => conversation.messages = messages.clone(),
                _ => conversation.variables.push((name.clone(), value.clone())),
            }
        }
        let rendered =
            ChatTemplate::new(template, TokenNames::default()).and_then(|t| t.render(&conversation));
        let line = match rendered {
            Ok(text) => serde_json::to_string(&text)?,
            Err(error) => serde_json::json!({ "error": error.to_string() }).to_string(),
        };
        writeln!(out, "{line}")?;
    }
    Ok(())
}
