//! Renders a template with conversations: `render_conversations TEMPLATE CONVERSATIONS`.
//!
//! The second file is a JSON list of objects with `messages` and anything else that a conversation has. For each of
//! them, the program prints a line of JSON: the prompt, or an object with `error`. `scripts/judge_templates.py`
//! compares the lines with those of other implementations.

use rlx_chat::{ChatTemplate, Conversation, Json, TokenNames};
use std::error::Error;
use std::io::{self, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [template, conversations] = &arguments[..] else {
        return Err("usage: render_conversations TEMPLATE CONVERSATIONS".into());
    };
    let names = [("bos_token", "<s>"), ("eos_token", "</s>"), ("unk_token", "<unk>"), ("pad_token", "<pad>")];
    let names = TokenNames(names.map(|(key, name)| (key.to_string(), name.to_string())).to_vec());
    let template = ChatTemplate::new(&std::fs::read_to_string(template)?, names);
    let list = Json::parse(&std::fs::read_to_string(conversations)?)?;
    let mut out = io::stdout().lock();
    for json in list.as_list().ok_or("not a list")? {
        let values = |key: &str| json.get(key).and_then(Json::as_list).map(<[Json]>::to_vec);
        let flag = |key: &str| json.get(key) == Some(&Json::Bool(true));
        let variables = match json.get("variables") {
            Some(Json::Object(fields)) => fields.clone(),
            _ => Vec::new(),
        };
        let conversation = Conversation {
            messages: values("messages").ok_or("no messages")?,
            tools: values("tools"),
            documents: values("documents"),
            add_generation_prompt: flag("add_generation_prompt"),
            continue_final_message: flag("continue_final_message"),
            variables,
            now: Some(1_709_212_345),
        };
        let rendered = template.as_ref().map_err(ToString::to_string);
        let rendered =
            rendered.and_then(|template| template.render(&conversation).map_err(|e| e.to_string()));
        let line = match rendered {
            Ok(text) => serde_json::to_string(&text)?,
            Err(error) => serde_json::json!({ "error": error }).to_string(),
        };
        writeln!(out, "{line}")?;
    }
    Ok(())
}
