//! Lists the contents of a safetensors or GGUF file, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rlx_gguf::{Array, Gguf, MetaType, MetaValue};
use rlx_models::weights::Weights;
use serde_json::{Map, Value as Json, json};

use crate::units;

/// Maximum number of list elements to show.
const SHOWN_ELEMENTS: usize = 6;
const SHOWN_CHARACTERS: usize = 200;

/// A file of tensors.
#[derive(Clone, Copy)]
pub enum TensorFile<'a> {
    Safetensors(&'a Weights),
    Gguf(&'a Gguf),
}

/// One tensor.
struct Listed<'a> {
    name: &'a str,
    stored: &'static str,
    shape: &'a [usize],
    bytes: usize,
}

/// The number of tensors of one type, with their total numbers and bytes.
#[derive(Clone, Copy, Default)]
struct Total {
    tensors: usize,
    numbers: usize,
    bytes: usize,
}

impl<'a> TensorFile<'a> {
    fn rows(self) -> Vec<Listed<'a>> {
        match self {
            TensorFile::Safetensors(weights) => weights
                .iter()
                .map(|t| Listed {
                    name: t.name(),
                    stored: t.stored_type().tag(),
                    shape: t.shape(),
                    bytes: t.bytes().len(),
                })
                .collect(),
            TensorFile::Gguf(file) => file
                .tensors()
                .map(|t| Listed {
                    name: t.name(),
                    stored: t.stored_type().name(),
                    shape: t.shape(),
                    bytes: t.stored_bytes().len(),
                })
                .collect(),
        }
    }

    /// Tensors, totals per type, and metadata.
    pub fn text(self) -> String {
        let mut text = String::new();
        let rows = self.rows();
        for row in &rows {
            let (name, bytes) = (row.name.escape_debug(), units::bytes(row.bytes));
            let _ = writeln!(text, "{} {:?} {name}, {bytes}", row.stored, row.shape);
        }
        for (stored, total) in totals(&rows) {
            let Total { tensors, numbers, bytes } = total;
            let s = if tensors == 1 { "" } else { "s" };
            let (numbers, bytes) = (units::count(numbers), units::bytes(bytes));
            let _ = writeln!(text, "{tensors} tensor{s} of {stored}: {numbers} numbers, {bytes}");
        }
        match self {
            TensorFile::Safetensors(weights) => {
                for (key, value) in weights.metadata() {
                    let _ = writeln!(text, "{}: {}", key.escape_debug(), value.escape_debug());
                }
            }
            TensorFile::Gguf(file) => {
                let order = if file.is_big_endian() { "big-endian, " } else { "" };
                let parts = if file.paths().len() > 1 {
                    format!(", in {} parts", file.paths().len())
                } else {
                    String::new()
                };
                let _ = writeln!(
                    text,
                    "GGUF version {}, {order}data aligned to {} bytes{parts}",
                    file.version(),
                    file.alignment()
                );
                for (key, value) in file.metadata() {
                    let _ = writeln!(text, "{}: {}", key.escape_debug(), shown(&value));
                }
            }
        }
        text
    }

    /// Everything, with all elements of all lists.
    pub fn json(self) -> Json {
        let rows = self.rows();
        let totals: Map<String, Json> = totals(&rows)
            .into_iter()
            .map(|(stored, Total { tensors, numbers, bytes })| {
                (stored.to_string(), json!({"tensors": tensors, "numbers": numbers, "bytes": bytes}))
            })
            .collect();
        let tensors: Vec<Json> = rows
            .iter()
            .map(|row| json!({"name": row.name, "type": row.stored, "shape": row.shape, "bytes": row.bytes}))
            .collect();
        let mut file = json!({"tensors": tensors, "totals": totals});
        match self {
            TensorFile::Safetensors(weights) => file["metadata"] = json!(weights.metadata()),
            TensorFile::Gguf(gguf) => {
                let metadata: Map<String, Json> =
                    gguf.metadata().map(|(key, value)| (key.to_string(), as_json(&value))).collect();
                file["metadata"] = Json::Object(metadata);
                file["version"] = json!(gguf.version());
                file["alignment"] = json!(gguf.alignment());
                file["parts"] = json!(gguf.paths().len());
                file["big_endian"] = json!(gguf.is_big_endian());
            }
        }
        file
    }
}

fn totals(rows: &[Listed<'_>]) -> BTreeMap<&'static str, Total> {
    let mut totals: BTreeMap<&str, Total> = BTreeMap::new();
    for row in rows {
        let total = totals.entry(row.stored).or_default();
        total.tensors += 1;
        total.numbers += row.shape.iter().product::<usize>();
        total.bytes += row.bytes;
    }
    totals
}

/// A value as one line.
fn shown(value: &MetaValue<'_>) -> String {
    match value {
        MetaValue::Text(text) => {
            let text = String::from_utf8_lossy(text);
            let head: String = text.chars().take(SHOWN_CHARACTERS).collect();
            let rest = text.chars().count().saturating_sub(SHOWN_CHARACTERS);
            let more = if rest > 0 { format!(" … {rest} more characters") } else { String::new() };
            format!("{}{more}", head.escape_debug())
        }
        MetaValue::Array(array) => shown_array(array),
        MetaValue::F32(number) => format!("{number:?}"),
        MetaValue::F64(number) => format!("{number:?}"),
        MetaValue::Bool(truth) => truth.to_string(),
        number => number.as_int().map(|n| n.to_string()).unwrap_or_default(),
    }
}

/// The first elements of a list, and the total number if there are more.
fn shown_array(array: &Array<'_>) -> String {
    let one = |element: MetaValue<'_>| match element.value_type() {
        MetaType::Text => format!("\"{}\"", shown(&element)),
        _ => shown(&element),
    };
    let head: Vec<String> = array.iter().take(SHOWN_ELEMENTS).map(one).collect();
    let more =
        if array.len() > SHOWN_ELEMENTS { format!(", … {} in all", array.len()) } else { String::new() };
    format!("[{}{more}]", head.join(", "))
}

fn as_json(value: &MetaValue<'_>) -> Json {
    match value {
        MetaValue::Text(text) => json!(String::from_utf8_lossy(text)),
        MetaValue::Array(array) => array.iter().map(|element| as_json(&element)).collect(),
        MetaValue::F32(number) => json!(number),
        MetaValue::F64(number) => json!(number),
        MetaValue::Bool(truth) => json!(truth),
        MetaValue::I64(number) => json!(number),
        // Every other whole number fits into an i64, except for large u64 values.
        number => number.as_u64().map_or_else(|| json!(number.as_int().map(|n| n as i64)), Json::from),
    }
}
