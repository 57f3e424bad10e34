//! Templates compared with Jinja as transformers configures it. `scripts/judge_template_language.py --write` wrote
//! the expected results.

use rlx_chat::{ChatError, ChatTemplate, Conversation, Json, TokenNames};

fn render(template: &str, variables: &Json) -> Result<String, ChatError> {
    let Json::Object(fields) = variables else { panic!("variables are an object") };
    let mut conversation = Conversation { now: Some(1_709_212_345), ..Conversation::default() };
    for (name, value) in fields {
        match value {
            Json::List(messages) if name == "messages" => conversation.messages = messages.clone(),
            _ => conversation.variables.push((name.clone(), value.clone())),
        }
    }
    ChatTemplate::new(template, TokenNames::default())?.render(&conversation)
}

/// Parts of the messages about what is refused although Jinja renders it; docs/language-models.md has the list.
const REFUSED: [&str; 7] = [
    "is not supported",
    "is supported for",
    "larger than 127 bits",
    "a number is too large",
    "complex number",
    "has no text",
    "entity that is not supported",
];

#[test]
fn templates_render_as_in_transformers() {
    let goldens = include_str!("goldens/templates.jsonl");
    let mut lines = goldens.lines();
    let variables = Json::parse(lines.next().unwrap()).unwrap();
    let (mut same, mut refused, mut wrong) = (0, 0, Vec::new());
    for line in lines {
        let case = Json::parse(line).unwrap();
        let [Json::Text(template), expected] = case.as_list().unwrap() else { panic!("{line}") };
        match (render(template, &variables), expected) {
            (Ok(text), Json::Text(expected)) if text == *expected => same += 1,
            (Err(_), Json::Null) => refused += 1,
            (Err(error), Json::Text(_)) if REFUSED.iter().any(|part| error.to_string().contains(part)) => {}
            (found, expected) => wrong.push(format!("{template:?}: {found:?}, not {expected:?}")),
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(same > 1000 && refused > 200, "{same} texts, {refused} refusals");
}
