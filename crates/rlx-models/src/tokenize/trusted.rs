//! Checks what the `tokenizers` library assumes about a `tokenizer.json`.

use super::growth::base64;
use serde_json::Value;

/// A table of replacements that begins with its length, for which the library allocates memory.
const TABLE: &str = "precompiled_charsmap";
/// Merges, whose right side loses a prefix, by bytes.
const MERGES: &str = "merges";
const PREFIX: &str = "continuing_subword_prefix";

/// Fails if the text of a `tokenizer.json` makes false claims about itself.
pub(super) fn check_text(text: &str) -> Result<(), String> {
    // Names may be written with escapes of their letters, which all begin with `\u00`.
    let may_have = |name: &str| text.contains(name) || text.contains("\\u00");
    if !may_have(TABLE) && !may_have(MERGES) {
        return Ok(());
    }
    let json: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let mut values = vec![&json];
    while let Some(value) = values.pop() {
        if let Some(table) = value.get(TABLE).and_then(Value::as_str) {
            check_table(table)?;
        }
        if let (Some(merges), Some(prefix)) = (value.get(MERGES), value.get(PREFIX)) {
            check_merges(merges, prefix)?;
        }
        match value {
            Value::Array(items) => values.extend(items),
            Value::Object(fields) => values.extend(fields.values()),
            _ => {}
        }
    }
    Ok(())
}

fn check_table(table: &str) -> Result<(), String> {
    let (said, bytes) = (base64(table).take(4), table.len() / 4 * 3);
    let said = said.enumerate().fold(0u64, |sum, (i, byte)| sum | u64::from(byte) << (8 * i));
    if said > bytes as u64 {
        return Err(format!("{TABLE} claims that {said} bytes follow, but has {bytes}"));
    }
    Ok(())
}

/// Checks merges, which are pairs, or strings with a space between the two halves. A prefix that ends inside of a
/// character of the right half would leave invalid text.
fn check_merges(merges: &Value, prefix: &Value) -> Result<(), String> {
    let Some(prefix) = prefix.as_str().filter(|prefix| !prefix.is_empty()) else { return Ok(()) };
    for merge in merges.as_array().into_iter().flatten() {
        let right = match merge {
            Value::String(pair) => pair.split_once(' ').map(|(_, right)| right),
            pair => pair.get(1).and_then(Value::as_str),
        };
        if let Some(right) = right.filter(|right| !right.is_char_boundary(prefix.len())) {
            return Err(format!(
                "the right side of the merge {merge} is {right:?}, from which {PREFIX} {prefix:?} cannot be removed"
            ));
        }
    }
    Ok(())
}

/// Every special token that a template names must also be listed; the library relies on this.
pub(super) fn check_templates(processor: &Value) -> Result<(), String> {
    for inner in processor["processors"].as_array().into_iter().flatten() {
        check_templates(inner)?;
    }
    for piece in ["single", "pair"].iter().filter_map(|side| processor[side].as_array()).flatten() {
        let id = &piece["SpecialToken"]["id"];
        if id.as_str().is_some_and(|id| processor["special_tokens"].get(id).is_none()) {
            return Err(format!("the template names {id}, which is not listed in its special tokens"));
        }
    }
    Ok(())
}
