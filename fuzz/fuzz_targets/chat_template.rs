//! Any text as a chat template is either refused, or renders a conversation within the limits of work and memory, and
//! never panics. `fuzz/chat_template.dict` has the words of the language.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rlx_chat::{ChatTemplate, Conversation, Json, TokenNames};

const MESSAGES: &str = r#"[{"role": "system", "content": "s"}, {"role": "user", "content": " hi "}, {"role": "assistant", "content": null,
    "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"x\": [1, 2.5, null]}"}}]},
    {"role": "tool", "content": "t"}]"#;

fuzz_target!(|template: &str| {
    let names = TokenNames(vec![("bos_token".into(), "<s>".into())]);
    let Ok(template) = ChatTemplate::new(template, names) else { return };
    let messages = Json::parse(MESSAGES).ok().and_then(|json| json.as_list().map(<[Json]>::to_vec)).unwrap_or_default();
    let mut conversation = Conversation { messages, add_generation_prompt: true, now: Some(0), ..Conversation::default() };
    for continued in [false, true] {
        conversation.continue_final_message = continued;
        let limits = ChatTemplate::limits(&conversation);
        let (_, usage) = template.measure(&conversation);
        assert!(usage.work <= limits.work && usage.memory <= limits.memory, "{usage:?} of {limits:?}");
    }
});
