//! The graph that a single operation is read as.

use super::args::{Args, Item, Room};
use super::blocks::FAMILIES;
use crate::recognize::{Form, Setting};
use rlx_ir::{Builder, DType, Graph, Literal, Shape};
use std::collections::BTreeMap;

/// Returns the graph of an operation, from its operands in the order of the form.
///
/// # Errors
/// Fails if the operation does not accept these operands and settings.
pub(crate) fn meaning(kind: &str, form: &Form, operands: &[Shape]) -> Result<Graph, String> {
    let builder = Builder::new(kind);
    let mut items: BTreeMap<&str, Vec<Item>> = BTreeMap::new();
    if operands.len() != form.operands.len() {
        return Err(format!("`{kind}` takes {} operands, got {}", form.operands.len(), operands.len()));
    }
    for (i, (place, shape)) in form.operands.iter().zip(operands).enumerate() {
        let input = builder.input(format!("x{i}"), shape.clone());
        items.entry(place).or_default().push(Item::Tensor(input, None));
    }
    for (name, setting) in &form.settings {
        let item = match literal(setting).map_err(|e| e.to_string())? {
            Some(literal) => Item::Tensor(builder.constant(literal.clone()), Some(literal)),
            None => {
                Item::Text(if let Setting::Text(text) = setting { text.to_string() } else { String::new() })
            }
        };
        items.insert(name, vec![item]);
    }
    let room = Room::of_function();
    let args = Args { builder: &builder, room: &room, items };
    let read = FAMILIES.iter().find_map(|read| read(kind, &args));
    let results = read.ok_or("programs have no such operation")?.map_err(|unread| unread.0)?;
    drop(args);
    builder.finish(&results.iter().collect::<Vec<_>>()).map_err(|violations| violations.to_string())
}

/// Returns the value of a setting, or `None` for a text.
fn literal(setting: &Setting) -> Result<Option<Literal>, rlx_ir::LiteralError> {
    Ok(Some(match setting {
        Setting::Bool(value) => Literal::from_bytes(&Shape::scalar(DType::Bool), &[u8::from(*value)])?,
        Setting::Int(value) => Literal::scalar(*value),
        Setting::Count(value) => Literal::scalar(*value),
        Setting::Pairs(rows) => Literal::new(&[rows.len(), 2], rows.as_flattened())?,
        Setting::Ints(values) => Literal::new(&[values.len()], values)?,
        Setting::Float(value, DType::F16) => Literal::scalar(half::f16::from_f32(*value)),
        Setting::Float(value, _) => Literal::scalar(*value),
        Setting::Text(_) => return Ok(None),
    }))
}
