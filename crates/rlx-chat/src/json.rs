//! JSON values that keep the order of keys, because templates print it.

use crate::jinja::{Listing, Meter, Result as Rendered, TemplateValue, Text, dict};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::rc::Rc;

/// A JSON value. Objects keep the order of their keys.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // The names say it.
pub enum Json {
    Null,
    Bool(bool),
    Integer(i64),
    /// An integer that does not fit in [`Self::Integer`].
    Unsigned(u64),
    Float(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses a JSON text.
    ///
    /// # Errors
    /// Returns what is wrong with the text, and where.
    pub fn parse(text: &str) -> Result<Json, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns the value of a key of an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        let Json::Object(fields) = self else { return None };
        fields.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        let Json::Object(fields) = self else { return None };
        fields.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns the string.
    pub fn as_str(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    /// Returns the values of a list.
    pub fn as_list(&self) -> Option<&[Json]> {
        if let Json::List(values) = self { Some(values) } else { None }
    }

    /// Sets a key of an object, at its position if it exists and otherwise at the end.
    pub(crate) fn set(&mut self, key: &str, value: Json) {
        let Json::Object(fields) = self else { return };
        match fields.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => fields.push((key.to_string(), value)),
        }
    }

    /// Passes every string in it, except keys of objects, to `change`.
    pub(crate) fn each_text(&mut self, change: &mut dyn FnMut(&mut String)) {
        match self {
            Json::Text(text) => change(text),
            Json::List(values) => values.iter_mut().for_each(|value| value.each_text(change)),
            Json::Object(fields) => fields.iter_mut().for_each(|(_, value)| value.each_text(change)),
            _ => {}
        }
    }

    /// Returns the size of the value in bytes: its strings, plus a fixed size for each value.
    pub(crate) fn size(&self) -> usize {
        /// The size of a value as a part of another one.
        const VALUE: usize = 32;
        VALUE
            + match self {
                Json::Text(text) => text.len(),
                Json::List(values) => values.iter().map(Json::size).sum(),
                Json::Object(fields) => {
                    fields.iter().map(|(key, value)| VALUE + key.len() + value.size()).sum()
                }
                _ => 0,
            }
    }

    /// Converts the value to a value of templates.
    pub(crate) fn to_value(&self, meter: &Rc<Meter>) -> Rendered<TemplateValue> {
        Ok(match self {
            Json::Null => TemplateValue::None,
            Json::Bool(value) => TemplateValue::Bool(*value),
            Json::Integer(value) => TemplateValue::Int(i128::from(*value)),
            Json::Unsigned(value) => TemplateValue::Int(i128::from(*value)),
            Json::Float(value) => TemplateValue::Float(*value),
            Json::Text(text) => TemplateValue::text(meter, text)?,
            Json::List(values) => list(meter, values)?,
            Json::Object(fields) => {
                let pair = |(key, value): &(String, Json)| {
                    let mut name = Text::new(meter);
                    name.push(key)?;
                    Ok((name.finish()?, value.to_value(meter)?))
                };
                dict(meter, fields.iter().map(pair))?
            }
        })
    }
}

/// Converts a list of values to a value of templates.
pub(crate) fn list(meter: &Rc<Meter>, values: &[Json]) -> Rendered<TemplateValue> {
    let mut out = Listing::new(meter)?;
    for value in values {
        out.push(value.to_value(meter)?)?;
    }
    out.finish()
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::Text(text.into())
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(i64::try_from(value).map_or(Json::Unsigned(value), Json::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Float(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Json::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut object = Json::Object(Vec::new());
        while let Some((key, value)) = map.next_entry::<String, Json>()? {
            // If a key occurs twice, the last one counts.
            object.set(&key, value);
        }
        Ok(object)
    }
}
