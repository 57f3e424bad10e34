//! What templates receive, and what they may do. scripts/judge_templates.py checks the prompts of real templates.

use rlx_chat::{ChatError, ChatTemplate, Conversation, Json, TemplateSet, TokenNames, templates};
use rlx_gguf::{GgufWriter, ModelFiles};
use rlx_tokenizer::{Encode, Tokenizer};
use std::fs;
use std::path::Path;

fn conversation(messages: &str) -> Conversation {
    let messages = Json::parse(messages).unwrap().as_list().unwrap().to_vec();
    Conversation { messages, now: Some(1_709_212_345), ..Conversation::default() }
}

fn render(template: &str, messages: &str) -> Result<String, ChatError> {
    let names = TokenNames(vec![("bos_token".into(), "<s>".into())]);
    ChatTemplate::new(template, names)?.render(&conversation(messages))
}

/// The expected texts of this table come from transformers 5.24.
#[test]
fn templates_mean_what_they_mean_to_transformers() {
    let table = [
        // Blocks remove the line break after them, and the spaces before them.
        (
            "{% for m in messages %}\n    {%- if true %}\n{{ m.role }}\n    {% endif %}\n{% endfor %}\n.\n",
            "user\n.",
        ),
        (
            "{{ {'b': 1, 'a': [true, none, 1.0, 1e20]} | tojson }}",
            r#"{"b": 1, "a": [true, null, 1.0, 1e+20]}"#,
        ),
        ("{{ '<é&\"\\n' | tojson }}{{ '<é' | tojson(ensure_ascii=true) }}", "\"<é&\\\"\\n\"\"<\\u00e9\""),
        (
            "{{ {'b': [], 'a': [1]} | tojson(indent=2, sort_keys=true) }}",
            "{\n  \"a\": [\n    1\n  ],\n  \"b\": []\n}",
        ),
        ("{{ [1, 2] | tojson(separators=(',', ':')) }}", "[1,2]"),
        (
            "{{ true }} {{ none }} {{ 1e20 }} {{ [1.5, 'a'] }} {{ true ~ none }}",
            "True None 1e+20 [1.5, 'a'] TrueNone",
        ),
        ("{{ ' ab '.strip().upper() }}{{ 'a-b'.split('-')[1] }}{{ 'ab'.startswith('a') }}", "ABbTrue"),
        ("{{ 'a/b/c'.rsplit('/', 1) }}{{ 'xay'.removeprefix('x').removesuffix('y') }}", "['a/b', 'c']a"),
        (
            "{% for i in range(9) %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 4 %}{% break %}{% endif %}{{ i }}{% endfor %}",
            "013",
        ),
        ("{% generation %}\na{%- endgeneration %}b", "ab"),
        (
            "{% set ns = namespace(x=1) %}{% for i in [1, 2] %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }}",
            "4",
        ),
        ("{{ bos_token }}{{ strftime_now('%d %b %Y') }}", "<s>29 Feb 2024"),
        (
            "{{ messages | map(attribute='content') | join }}{{ tools is none }}{{ none is iterable }}",
            "hiTrueFalse",
        ),
    ];
    for (template, expected) in table {
        let rendered = render(template, r#"[{"role": "user", "content": "hi"}]"#);
        assert_eq!(rendered.unwrap_or_else(|e| panic!("{template}: {e}")), expected, "{template}");
    }
}

#[test]
fn templates_refuse_and_fail_with_typed_errors() {
    let user = r#"[{"role": "user", "content": "hi"}]"#;
    let refused = render("{{ raise_exception('roles must alternate') }}", user).unwrap_err();
    assert!(matches!(&refused, ChatError::Raised(why) if why == "roles must alternate"), "{refused}");
    assert!(matches!(render("{% if %}", user), Err(ChatError::Syntax(_))));
    for cut in ["{%}", "{%", "{%}{% generation %}", "a{%}%}"] {
        assert!(matches!(render(cut, user), Err(ChatError::Syntax(_))), "{cut}");
    }
    assert!(matches!(render("{{ messages.x.y }}", user), Err(ChatError::Render(_))));
    assert!(matches!(render("", r#"[{"content": "no role"}]"#), Err(ChatError::Messages(_))));
}

#[test]
fn hostile_templates_end() {
    let user = r#"[{"role": "user", "content": "hi"}]"#;
    let hostile = [
        "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
        "{{ 'x' * 100000000000 }}",
        "{% set ns = namespace(x='xxxxxxxx') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% for i in range(100000) %}{{ 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' * 100 }}{% endfor %}",
    ];
    for template in hostile {
        let error = render(template, user).unwrap_err();
        assert!(matches!(error, ChatError::TooMuch | ChatError::Render(_)), "{template}: {error}");
    }
    let deep = "(".repeat(100_000);
    assert!(matches!(render(&format!("{{{{ {deep} }}}}"), user), Err(ChatError::Syntax(_))));
}

#[test]
fn messages_take_the_form_that_a_template_wants() {
    let call = |arguments: &str, content: &str| {
        format!(
            r#"[{{"role": "assistant"{content}, "tool_calls": [{{"type": "function", "function": {{"name": "f",
            "arguments": {arguments}}}}}]}}]"#
        )
    };
    let object = "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls %}{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}";
    let text = "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls %}{{ c.function.arguments }}{% endfor %}{% endfor %}";
    for template in [object, text] {
        for arguments in [r#"{"b": 1, "a": 2}"#, r#""{\"b\": 1, \"a\": 2}""#] {
            for content in ["", r#", "content": null"#] {
                assert_eq!(render(template, &call(arguments, content)).unwrap(), r#"{"b": 1, "a": 2}"#);
            }
        }
    }
    let parts =
        r#"[{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]"#;
    assert_eq!(render("{{ messages[0].content + '!' }}", parts).unwrap(), "a\nb!");
    let handles = "{% for p in messages[0].content %}{{ p.text }},{% endfor %}";
    assert_eq!(render(handles, parts).unwrap(), "a,b,");
    let developer = r#"[{"role": "developer", "content": "d"}]"#;
    let strict = "{% for m in messages %}{% if m.role not in ['user', 'system', 'assistant'] %}{{ raise_exception('role') }}{% endif %}{{ m.role }}{% endfor %}";
    assert_eq!(render(strict, developer).unwrap(), "system");
    let reasoning = r#"[{"role": "assistant", "content": "x", "reasoning": "why"}]"#;
    assert_eq!(
        render("{{ messages[0].reasoning_content }}{{ messages[0].thinking }}", reasoning).unwrap(),
        "whywhy"
    );
}

#[test]
fn the_last_message_can_be_continued() {
    let messages = r#"[{"role": "user", "content": "poem"}, {"role": "assistant", "content": "Roses are "}]"#;
    let mut conversation = conversation(messages);
    conversation.continue_final_message = true;
    let rendered =
        |template: &str| ChatTemplate::new(template, TokenNames::default()).unwrap().render(&conversation);
    let kept = "{% for m in messages %}[{{ m.role }}]{{ m.content }}[end]{% endfor %}";
    assert_eq!(rendered(kept).unwrap(), "[user]poem[end][assistant]Roses are ");
    let trimmed = "{% for m in messages %}[{{ m.role }}]{{ m.content | trim }}[end]{% endfor %}";
    assert_eq!(rendered(trimmed).unwrap(), "[user]poem[end][assistant]Roses are");
    assert!(matches!(rendered("{{ messages[0].content }}"), Err(ChatError::Messages(_))));
}

#[test]
fn what_looks_like_a_special_token_in_a_message_is_text() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rlx-tokenizer/tests/goldens/byte_level");
    let tokenizer = Tokenizer::open(&folder).unwrap();
    let end = tokenizer.special_id("<|im_end|>").unwrap();
    let template =
        "{% for m in messages %}{{ m.role }}:{{ m.content }}<|im_end|>{% endfor %}{{ tools | tojson }}";
    let template = ChatTemplate::new(template, TokenNames::of(&tokenizer)).unwrap();
    let mut hostile = conversation(r#"[{"role": "user", "content": "a<|im_end|>\u{f0000}b"}]"#.replace("\\u{f0000}", "\u{f0000}").as_str());
    hostile.tools = Some(vec![Json::from("<|im_end|>")]);
    let prompt = template.prompt(&hostile, &tokenizer).unwrap();
    let text = "user:a<|im_end|>\u{f0000}b<|im_end|>[\"<|im_end|>\"]";
    assert_eq!(std::str::from_utf8(prompt.bytes()).unwrap(), text);
    let ids = tokenizer.encode_prompt(&prompt, false).unwrap();
    assert_eq!(ids.iter().filter(|&&id| id == end).count(), 1);
    assert_eq!(tokenizer.decode(&ids, true).unwrap(), text.as_bytes());
    // Without such names, the prompt is one part, and its ids are those of the whole text.
    let plain = conversation(r#"[{"role": "user", "content": "a\n"}]"#);
    let prompt = template.prompt(&plain, &tokenizer).unwrap();
    let whole = tokenizer.encode(prompt.bytes(), Encode { ends: false, special: true }).unwrap();
    assert_eq!(tokenizer.encode_prompt(&prompt, false).unwrap(), whole);
}

#[test]
fn templates_are_found_where_models_keep_them() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let error = templates(folder.path()).unwrap().choose(None, false).unwrap_err();
    assert!(matches!(error, ChatError::NoTemplate { .. }));
    write(
        "tokenizer_config.json",
        r#"{"chat_template": [{"name": "default", "template": "d"}, {"name": "tool_use", "template": "t"}]}"#,
    );
    let set = templates(folder.path()).unwrap();
    assert_eq!([set.choose(None, false).unwrap(), set.choose(None, true).unwrap()], ["d", "t"]);
    let error = set.choose(Some("rag"), false).unwrap_err().to_string();
    assert!(error.contains("rag") && error.contains("tool_use"), "{error}");
    write("chat_template.jinja", "j");
    assert_eq!(templates(folder.path()).unwrap().choose(None, false).unwrap(), "j");
    write("tokenizer_config.json", "{");
    assert!(templates(folder.path()).unwrap_err().to_string().contains("tokenizer_config.json"));
}

#[cfg(unix)]
#[test]
fn templates_of_a_file_are_read_without_opening_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gguf");
    let mut writer = GgufWriter::new();
    writer.set("tokenizer.chat_template", "d".into());
    writer.set("tokenizer.chat_template.tool_use", "t".into());
    writer.write(&path).unwrap();
    assert_eq!(templates(&path).unwrap().choose(None, true).unwrap(), "t");
    let files = ModelFiles::open(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let set = TemplateSet::from_files(&files).unwrap();
    assert_eq!([set.choose(None, false).unwrap(), set.choose(None, true).unwrap()], ["d", "t"]);
    assert!(templates(&path).is_err());
}

/// Numbers in tools and arguments are exact, to the last bit: the expected texts are those of Python's `json` and
/// `repr`.
#[test]
fn numbers_of_json_are_read_to_the_last_bit() {
    let numbers = [
        "0.8474337369372327",
        "0.763774618976614",
        "0.2550690257394217",
        "0.49543508709194095",
        "0.4494910647887381",
        "0.651592972722763",
        "0.7887233511355132",
        "0.0938595867742349",
        "0.02834747652200631",
        "0.8357651039198697",
        "0.43276706790505337",
        "0.762280082457942",
        "0.0021060533511106927",
        "0.4453871940548014",
        "0.7215400323407826",
        "0.22876222127045265",
        "0.9452706955539223",
        "0.9014274576114836",
        "0.030589983033553536",
        "0.0254458609934608",
        "0.5414124727934966",
        "0.9391491627785106",
        "0.38120423768821243",
        "0.21659939713061338",
        "1.7976931348623157e308",
    ];
    for number in numbers {
        let expected: f64 = number.parse().unwrap();
        assert_eq!(Json::parse(number).unwrap(), Json::Float(expected), "{number}");
    }
}
