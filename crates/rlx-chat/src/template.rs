//! A template that is ready to render.

use crate::content::hide;
use crate::conversation::{Conversation, normalized};
use crate::error::ChatError;
use crate::json::Json;
use crate::probe::Forms;
use crate::python::{NOW, Raised, environment};
use minijinja::{Environment, Error, ErrorKind, Value};
use rlx_tokenizer::{Prompt, Tokenizer};
use std::error::Error as _;

/// Steps of a template and pieces of 64 bytes that it may make: for any conversation, for each of its messages, and for each byte of it. Memory is
/// bounded by 64 bytes per step.
const FUEL: u64 = 4 << 20;
const FUEL_PER_MESSAGE: u64 = 10_000;
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
    env: Environment<'static>,
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
        let mut env = environment();
        let failed = |e: Error| ChatError::Syntax(message(&e));
        env.add_template_owned("chat", without_generation(source)).map_err(failed)?;
        let mut template = ChatTemplate { env, names, forms: Forms::default() };
        template.forms = Forms::of(&template);
        Ok(template)
    }

    /// The prompt as one text.
    ///
    /// # Errors
    /// [`ChatError::Raised`] for what the template says against the messages, [`ChatError::TooMuch`], [`ChatError::Render`],
    /// [`ChatError::Messages`].
    pub fn render(&self, conversation: &Conversation) -> Result<String, ChatError> {
        conversation.check()?;
        let mut conversation = conversation.clone();
        conversation.messages = conversation.messages.iter().map(normalized).collect();
        self.forms.apply(&mut conversation.messages);
        if !conversation.continue_final_message {
            return self.run(&conversation);
        }
        mark_end(&mut conversation.messages)?;
        cut_at_mark(&self.run(&conversation)?)
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
    pub(crate) fn run(&self, conversation: &Conversation) -> Result<String, ChatError> {
        let list = |values: &[Json]| values.iter().map(Json::to_value).collect::<Value>();
        let optional = |values: &Option<Vec<Json>>| values.as_deref().map_or(Value::from(()), list);
        let text = |(key, name): &(String, String)| (key.clone(), Value::from(name.as_str()));
        let mut variables: Vec<(String, Value)> = self.names.0.iter().map(text).collect();
        variables.extend(conversation.variables.iter().map(|(key, value)| (key.clone(), value.to_value())));
        variables.extend([
            ("messages".into(), list(&conversation.messages)),
            ("tools".into(), optional(&conversation.tools)),
            ("documents".into(), optional(&conversation.documents)),
            ("add_generation_prompt".into(), Value::from(conversation.add_generation_prompt)),
        ]);
        variables.extend(conversation.now.map(|now| (NOW.to_string(), Value::from(now))));
        let mut bytes = 0;
        conversation.clone().each_text(&mut |text| bytes += text.len() as u64);
        let mut env = self.env.clone();
        env.set_fuel(Some(FUEL + FUEL_PER_MESSAGE * conversation.messages.len() as u64 + bytes));
        let template = env.get_template("chat").map_err(|e| render_error(&e))?;
        template.render(Value::from_pairs(variables)).map_err(|e| render_error(&e))
    }
}

/// The template without the tags that mark what the model wrote, which matter to training alone.
fn without_generation(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((before, inside)) = rest.split_once("{%") {
        // The `%` of `{%}` does not end what it begins.
        let Some((tag, _)) = inside.split_once("%}") else { break };
        let signs = |c: char| matches!(c, '-' | '+');
        let word = tag.trim_matches(signs).trim();
        let marked = match word {
            "generation" => tag.replace(word, "if true"),
            "endgeneration" => tag.replace(word, "endif"),
            _ => tag.to_string(),
        };
        out.push_str(before);
        out.push_str("{%");
        out.push_str(&marked);
        rest = &inside[tag.len()..];
    }
    out + rest
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

fn render_error(error: &Error) -> ChatError {
    let mut source = error.source();
    while let Some(inner) = source {
        if let Some(raised) = inner.downcast_ref::<Raised>() {
            return ChatError::Raised(raised.0.clone());
        }
        source = inner.source();
    }
    match error.kind() {
        ErrorKind::OutOfFuel => ChatError::TooMuch,
        _ => ChatError::Render(message(error)),
    }
}

/// What the library says, in one line.
fn message(error: &Error) -> String {
    let line = error.line().map_or(String::new(), |line| format!(" (line {line})"));
    format!("{}{line}", error.detail().map_or_else(|| error.kind().to_string(), str::to_string))
}
