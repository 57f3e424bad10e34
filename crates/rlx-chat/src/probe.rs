//! Finds out in which form a template expects messages and tools, by rendering small conversations.

use crate::conversation::Conversation;
use crate::error::ChatError;
use crate::jinja::{Limits, Meter, dumps};
use crate::json::Json;
use crate::template::ChatTemplate;
use std::cell::Cell;

/// The forms that a template expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Forms {
    /// Whether arguments of calls are objects instead of JSON texts.
    object_arguments: bool,
    /// Whether content may be a list of parts.
    parts: bool,
    /// Whether a message without content needs an empty one.
    empty_content: bool,
    /// Whether the role `developer` is known. If not, `system` replaces it.
    developer: bool,
}

impl Default for Forms {
    fn default() -> Self {
        Forms { object_arguments: true, parts: true, empty_content: false, developer: true }
    }
}

/// The limits of a probe, whose conversation is small.
const PROBE_LIMITS: Limits = Limits { work: 200_000, memory: 8 << 20 };
const PROBE: &str = "a probe of rlx";
const KEY: &str = "probe_key";

impl Forms {
    /// Finds out the forms that a template expects.
    pub(crate) fn of(template: &ChatTemplate) -> Self {
        // A template that exhausts the limits of a probe is not probed again.
        let costly = Cell::new(false);
        let rendered = |messages: &str| -> Option<String> {
            if costly.get() {
                return None;
            }
            let messages = Json::parse(messages).ok()?.as_list()?.to_vec();
            let conversation = Conversation { messages, now: Some(0), ..Conversation::default() };
            let rendered = template.run(&conversation, &Meter::new(PROBE_LIMITS));
            costly.set(matches!(rendered, Err(ChatError::TooMuch)));
            rendered.ok()
        };
        let call = |arguments: &str, content: &str| {
            rendered(&format!(
                r#"[{{"role": "user", "content": "x"}}, {{"role": "assistant"{content}, "tool_calls": [{{"id": "call12345",
                "type": "function", "function": {{"name": "f", "arguments": {arguments}}}}}]}}]"#
            ))
        };
        let object = format!("{{\"{KEY}\": \"{PROBE}\"}}");
        let text = serde_json::Value::from(object.as_str()).to_string();
        // If an object was not written as JSON, it has Python's quotes. If a text was written as JSON, its quotes are
        // escaped.
        let shows = |out: Option<String>, wrong: &str| {
            out.is_some_and(|out| out.contains(KEY) && !out.contains(wrong))
        };
        let [as_object, as_text] = ["", r#", "content": """#]
            .map(|content| {
                let python = format!("'{KEY}'");
                let escaped = format!("\\\"{KEY}");
                [shows(call(&object, content), &python), shows(call(&text, content), &escaped)]
            })
            .into_iter()
            .fold([false; 2], |[a, b], [c, d]| [a || c, b || d]);
        let without = call(&object, "").or_else(|| call(&text, ""));
        let empty_content = without.is_none_or(|out| out.contains("None"));
        let part =
            rendered(&format!(r#"[{{"role": "user", "content": [{{"type": "text", "text": "{PROBE}"}}]}}]"#));
        let developer = rendered(&format!(
            r#"[{{"role": "developer", "content": "{PROBE}"}}, {{"role": "user", "content": "x"}}]"#
        ));
        let whole =
            |out: Option<String>| out.is_some_and(|out| out.contains(PROBE) && !out.contains("'text'"));
        Forms {
            object_arguments: as_object || !as_text,
            parts: whole(part),
            empty_content,
            developer: whole(developer),
        }
    }

    /// Converts messages to these forms.
    pub(crate) fn apply(self, messages: &mut [Json]) {
        for message in messages {
            if !self.developer && message.get("role").and_then(Json::as_str) == Some("developer") {
                message.set("role", "system".into());
            }
            let calls = message.get("tool_calls").is_some();
            match message.get_mut("content") {
                Some(content @ Json::List(_)) if !self.parts => {
                    if let Some(text) = joined(content) {
                        *content = Json::Text(text);
                    }
                }
                None if calls && self.empty_content => message.set("content", "".into()),
                _ => {}
            }
            let Some(Json::List(calls)) = message.get_mut("tool_calls") else { continue };
            calls.iter_mut().for_each(|call| self.apply_to_call(call));
        }
    }

    fn apply_to_call(self, call: &mut Json) {
        let function = if call.get("function").is_some() { call.get_mut("function") } else { Some(call) };
        let Some(arguments) = function.and_then(|function| function.get_mut("arguments")) else { return };
        let changed = match arguments {
            Json::Text(text) if self.object_arguments => {
                Json::parse(text).ok().filter(|v| matches!(v, Json::Object(_)))
            }
            Json::Object(_) if !self.object_arguments => written(arguments).map(Json::Text),
            _ => None,
        };
        if let Some(changed) = changed {
            *arguments = changed;
        }
    }
}

/// Joins the texts of parts, one line for each; `None` if a part is not a text.
fn joined(content: &Json) -> Option<String> {
    let texts = content.as_list()?.iter().map(|part| part.get("text")?.as_str());
    Some(texts.collect::<Option<Vec<_>>>()?.join("\n"))
}

/// Formats a value as JSON text.
fn written(value: &Json) -> Option<String> {
    let meter = Meter::new(Limits { work: u64::MAX, memory: usize::MAX });
    dumps(&meter, &value.to_value(&meter).ok()?).ok()
}
