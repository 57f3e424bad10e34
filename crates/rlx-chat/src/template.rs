//! A chat template that is ready to render.

use crate::content::hide;
use crate::conversation::{Conversation, normalized};
use crate::error::ChatError;
use crate::jinja::{Error, Failure, Limits, Meter, Template, TemplateValue, Usage, now};
use crate::json::{Json, list};
use crate::probe::Forms;
use rlx_tokenizer::{Prompt, Tokenizer};
use std::rc::Rc;

/// The number of steps that a template may take: for any conversation, plus for each message and each byte of it.
const WORK: u64 = 2 << 20;
const WORK_PER_MESSAGE: u64 = 10_000;
/// The number of bytes that a template may use: for any conversation, plus for each byte of it.
const MEMORY: usize = 32 << 20;
const MEMORY_PER_BYTE: usize = 16;
/// The maximum size of a template in bytes.
const LONGEST: usize = 1 << 20;
/// Marks the end of a message that is to be continued.
const END_MARK: &str = "CONTINUE_FINAL_MESSAGE_TAG ";

/// Pairs of the variable for a special token in templates, such as `bos_token`, and the token's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenNames(pub Vec<(String, String)>);

impl TokenNames {
    /// Returns the special tokens of a tokenizer.
    pub fn of(tokenizer: &Tokenizer) -> Self {
        let special = tokenizer.special();
        let all = [
            ("bos_token", special.bos),
            ("eos_token", special.eos),
            ("unk_token", special.unknown),
            ("pad_token", special.padding),
            ("sep_token", special.separator),
        ];
        let name = |(key, id): (&str, Option<u32>)| {
            let name = tokenizer.decode(&[id?], true).ok()?;
            Some((key.to_string(), String::from_utf8_lossy(&name).into_owned()))
        };
        TokenNames(all.into_iter().filter_map(name).collect())
    }
}

/// A template that turns conversations into prompts.
#[derive(Debug)]
pub struct ChatTemplate {
    template: Template,
    names: TokenNames,
    forms: Forms,
}

impl ChatTemplate {
    /// Parses a template.
    ///
    /// # Errors
    /// Returns [`ChatError::Syntax`].
    pub fn new(source: &str, names: TokenNames) -> Result<Self, ChatError> {
        if source.len() > LONGEST {
            return Err(ChatError::Syntax(format!("it is longer than the maximum of {LONGEST} bytes")));
        }
        let parsed = Template::new(source).map_err(|e| render_error(*e))?;
        let mut template = ChatTemplate { template: parsed, names, forms: Forms::default() };
        template.forms = Forms::of(&template);
        Ok(template)
    }

    /// Renders the prompt as one text.
    ///
    /// # Errors
    /// Returns [`ChatError::Raised`] if the template itself rejects the messages, and [`ChatError::TooMuch`],
    /// [`ChatError::Render`] or [`ChatError::Messages`].
    pub fn render(&self, conversation: &Conversation) -> Result<String, ChatError> {
        self.measure(conversation).0
    }

    /// Returns how much rendering a conversation may use. Longer conversations may use more.
    pub fn limits(conversation: &Conversation) -> Limits {
        limits(conversation)
    }

    /// Like [`Self::render`], and also returns how much was used, even if rendering fails. A few additional kilobytes
    /// may be in use, and a text that grows exists twice for a moment, so the process may use up to 1.5 times the
    /// bytes of [`Usage::memory`].
    pub fn measure(&self, conversation: &Conversation) -> (Result<String, ChatError>, Usage) {
        let meter = Meter::new(limits(conversation));
        let rendered = self.render_with(conversation, &meter);
        (rendered, meter.usage())
    }

    fn render_with(&self, conversation: &Conversation, meter: &Rc<Meter>) -> Result<String, ChatError> {
        conversation.check()?;
        let mut conversation = conversation.clone();
        conversation.messages = conversation.messages.iter().map(normalized).collect();
        self.forms.apply(&mut conversation.messages);
        if !conversation.continue_final_message {
            return self.run(&conversation, meter);
        }
        mark_end(&mut conversation.messages)?;
        cut_at_mark(&self.run(&conversation, meter)?)
    }

    /// Renders a prompt that distinguishes special tokens written by the template from their names in other people's
    /// text.
    ///
    /// # Errors
    /// The same as [`Self::render`].
    pub fn prompt(&self, conversation: &Conversation, tokenizer: &Tokenizer) -> Result<Prompt, ChatError> {
        let mut conversation = conversation.clone();
        let hidden = hide(&mut conversation, &tokenizer.special_names())?;
        Ok(hidden.reveal(&self.render(&conversation)?))
    }

    /// Renders messages in the form that they have.
    pub(crate) fn run(&self, conversation: &Conversation, meter: &Rc<Meter>) -> Result<String, ChatError> {
        let optional = |values: &Option<Vec<Json>>| match values {
            Some(values) => list(meter, values),
            None => Ok(TemplateValue::None),
        };
        let variable = |name: &str| match name {
            "messages" => Some(list(meter, &conversation.messages)),
            "tools" => Some(optional(&conversation.tools)),
            "documents" => Some(optional(&conversation.documents)),
            "add_generation_prompt" => Some(Ok(TemplateValue::Bool(conversation.add_generation_prompt))),
            name => {
                let given = conversation.variables.iter().rev().find(|(known, _)| known == name);
                let token = || self.names.0.iter().find(|(known, _)| known == name);
                match given {
                    Some((_, value)) => Some(value.to_value(meter)),
                    None => token().map(|(_, text)| TemplateValue::text(meter, text)),
                }
            }
        };
        let now = conversation.now.unwrap_or_else(now);
        self.template.render(meter, now, variable).map_err(|e| render_error(*e))
    }
}

/// Returns the limits of a template for a conversation.
fn limits(conversation: &Conversation) -> Limits {
    let size = |values: &[Json]| values.iter().map(Json::size).sum::<usize>();
    let lists = [Some(&conversation.messages), conversation.tools.as_ref(), conversation.documents.as_ref()];
    let bytes: usize = lists.into_iter().flatten().map(|values| size(values)).sum();
    let bytes = bytes + conversation.variables.iter().map(|(_, value)| value.size()).sum::<usize>();
    Limits {
        work: WORK + WORK_PER_MESSAGE * conversation.messages.len() as u64 + bytes as u64,
        memory: MEMORY.saturating_add(bytes.saturating_mul(MEMORY_PER_BYTE)),
    }
}

fn mark_end(messages: &mut [Json]) -> Result<(), ChatError> {
    let text = messages.last_mut().and_then(|message| match message.get_mut("content")? {
        Json::Text(text) => Some(text),
        Json::List(parts) => parts.iter_mut().rev().find_map(|part| match part.get_mut("text")? {
            Json::Text(text) => Some(text),
            _ => None,
        }),
        _ => None,
    });
    let text =
        text.ok_or_else(|| ChatError::Messages("cannot continue the last message: it has no text".into()))?;
    text.push_str(END_MARK);
    Ok(())
}

fn cut_at_mark(rendered: &str) -> Result<String, ChatError> {
    let at = rendered.rfind(END_MARK.trim_end()).ok_or_else(|| {
        ChatError::Messages("cannot continue the last message: the template omits its end".into())
    })?;
    let before = &rendered[..at];
    // If the template trims messages, it must have trimmed this one as well.
    Ok(if rendered[at..].starts_with(END_MARK) { before } else { before.trim_end() }.to_string())
}

fn render_error(error: Error) -> ChatError {
    let message = error.to_string();
    match error.kind {
        Failure::Syntax(_) => ChatError::Syntax(message),
        Failure::Raised(raised) => ChatError::Raised(raised),
        Failure::TooMuch => ChatError::TooMuch,
        Failure::Failed(_) => ChatError::Render(message),
    }
}
