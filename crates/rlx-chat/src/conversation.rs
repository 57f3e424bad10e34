//! Conversations: the messages, tools and settings that a prompt is made from.

use crate::error::ChatError;
use crate::json::Json;

/// Messages, and everything else that a template may receive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// Objects with `role` and `content`, as in chat APIs.
    pub messages: Vec<Json>,
    /// Tools that the model may call, as JSON schemas.
    pub tools: Option<Vec<Json>>,
    /// Documents that the model may quote.
    pub documents: Option<Vec<Json>>,
    /// Whether the prompt ends where the model's answer begins.
    pub add_generation_prompt: bool,
    /// Whether the prompt ends inside the last message, so that the model continues it.
    pub continue_final_message: bool,
    /// Additional variables for the template, such as `enable_thinking`.
    pub variables: Vec<(String, Json)>,
    /// The time for `strftime_now`, in seconds since 1970; by default the current time.
    pub now: Option<u64>,
}

/// Names for the reasoning of a message. Templates read the first one.
const REASONING: [&str; 3] = ["reasoning_content", "thinking", "reasoning"];

impl Conversation {
    /// Creates a conversation with one message from the user, for the model to answer.
    pub fn ask(text: &str) -> Self {
        let message = Json::Object(vec![("role".into(), "user".into()), ("content".into(), text.into())]);
        Conversation { messages: vec![message], add_generation_prompt: true, ..Conversation::default() }
    }

    /// Fails unless all messages are objects with a role.
    pub(crate) fn check(&self) -> Result<(), ChatError> {
        for (i, message) in self.messages.iter().enumerate() {
            if message.get("role").and_then(Json::as_str).is_none() {
                return Err(ChatError::Messages(format!("message {i} has no role")));
            }
        }
        Ok(())
    }

    /// Passes every text that was written by a person or tool, which excludes roles, to `change`.
    pub(crate) fn each_text(&mut self, change: &mut dyn FnMut(&mut String)) {
        for message in &mut self.messages {
            let Json::Object(fields) = message else { continue };
            let written = fields.iter_mut().filter(|(key, _)| key != "role");
            written.for_each(|(_, value)| value.each_text(change));
        }
        for list in [&mut self.tools, &mut self.documents] {
            list.iter_mut().flatten().for_each(|value| value.each_text(change));
        }
    }
}

/// Returns a message as templates expect it: without null fields, and with its reasoning under the names that
/// templates read.
pub(crate) fn normalized(message: &Json) -> Json {
    let Json::Object(fields) = message else { return message.clone() };
    let mut fields: Vec<_> = fields.iter().filter(|(_, value)| *value != Json::Null).cloned().collect();
    let reasoning = REASONING.iter().find_map(|name| fields.iter().find(|(key, _)| key == name)).cloned();
    let Some((_, reasoning)) = reasoning else { return Json::Object(fields) };
    if !fields.iter().any(|(key, _)| key == "thinking") {
        fields.insert(0, ("thinking".into(), reasoning.clone()));
    }
    let mut message = Json::Object(fields);
    message.set(REASONING[0], reasoning);
    message
}
