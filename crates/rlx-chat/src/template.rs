//! A chat template that is ready to render.

use crate::content::hide;
use crate::conversation::{Conversation, normalized};
use crate::error::ChatError;
use crate::jinja::{Error, Failure, Limits, Meter, Template, TemplateValue, Usage, now};
use crate::json::{Json, list};
use crate::probe::Forms;
use rlx_tokenizer::{Prompt, Tokenizer};
use std::rc::Rc;

/// Steps that a template may take: for any conversation, for each of its messages, and for each byte of it.
const WORK: u64 = 2 << 20;
const WORK_PER_MESSAGE: u64 = 10_000;
/// Bytes that a template may hold: for any conversation, and for each byte of it.
const MEMORY: usize = 32 << 20;
const MEMORY_PER_BYTE: usize = 16;
/// Longest template in bytes.
const LONGEST: usize = 1 << 20;
/// What marks the end of a message that is to be continued.
const END_MARK: &str = "CONTINUE_FINAL_MESSAGE_TAG ";

/// What templates call special tokens, such as `bos_token`, with their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenNames(pub Vec<(String, String)>);

impl TokenNames {
    /// Those of a tokenizer.
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
    /// Reads a template.
    ///
    /// # Errors
    /// [`ChatError::Syntax`].
    pub fn new(source: &str, names: TokenNames) -> Result<Self, ChatError> {
        if source.len() > LONGEST {
            return Err(ChatError::Syntax(format!("it is longer than {LONGEST} bytes")));
        }
        let parsed = Template::new(source).map_err(|e| render_error(*e))?;
        let mut template = ChatTemplate { template: parsed, names, forms: Forms::default() };
        template.forms = Forms::of(&template);
        Ok(template)
    }

    /// The prompt as one text.
    ///
    /// # Errors
    /// [`ChatError::Raised`] for what the template says against the messages, [`ChatError::TooMuch`], [`ChatError::Render`],
    /// [`ChatError::Messages`].
    pub fn render(&self, conversation: &Conversation) -> Result<String, ChatError> {
        self.measure(conversation).0
    }

    /// What rendering a conversation may use: more for long ones.
    pub fn limits(conversation: &Conversation) -> Limits {
        limits(conversation)
    }

    /// As [`Self::render`], with what it used, whether it succeeds or not. Some kilobytes may be in use besides, and a text that grows is there
    /// twice for a moment: the process holds at most 1.5 times the bytes of [`Usage::memory`] for it.
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

    /// The prompt, in which what the template wrote is told apart from names of special tokens in what others wrote.
    ///
    /// # Errors
    /// As [`Self::render`].
    pub fn prompt(&self, conversation: &Conversation, tokenizer: &Tokenizer) -> Result<Prompt, ChatError> {
        let mut conversation = conversation.clone();
        let hidden = hide(&mut conversation, &tokenizer.special_names())?;
        Ok(hidden.reveal(&self.render(&conversation)?))
    }

    /// Renders messages as they are.
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

/// What a template may take for a conversation.
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
        text.ok_or_else(|| ChatError::Messages("there is no last message with text to continue".into()))?;
    text.push_str(END_MARK);
    Ok(())
}

fn cut_at_mark(rendered: &str) -> Result<String, ChatError> {
    let at = rendered.rfind(END_MARK.trim_end()).ok_or_else(|| {
        ChatError::Messages(
            "the template leaves out the end of the last message, which is to be continued".into(),
        )
    })?;
    let before = &rendered[..at];
    // A template that trims messages would have trimmed this one.
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
