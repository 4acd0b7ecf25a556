//! Conversion of the clean JSON of a reading to plain types.
//!
//! `serde_json::from_value` does the same and also reads tables that are written as arrays. No file uses this form, and
//! for the types of the model file that code takes 150 kB in the library of an FMU.

use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Map, Value};

/// Converts a value that was checked against the schema of `T` to a `T`.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    T::deserialize(Checked(&value))
}

/// A value of valid shape: where a type expects one kind of value, no other kind is tried.
///
/// It is borrowed, and its iterators have one type for all visitors. The compiler then makes each function once per
/// type that it reads, without code that drops unread values.
#[derive(Clone, Copy)]
struct Checked<'v>(&'v Value);

impl<'de> IntoDeserializer<'de, Error> for Checked<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

fn entry<'v>((key, value): (&'v String, &'v Value)) -> (&'v str, Checked<'v>) {
    (key, Checked(value))
}

fn array<'de, V: Visitor<'de>>(items: &[Value], visitor: V) -> Result<V::Value, Error> {
    let mut items = SeqDeserializer::new(items.iter().map(Checked));
    let value = visitor.visit_seq(&mut items)?;
    items.end()?;
    Ok(value)
}

fn table<'de, V: Visitor<'de>>(entries: &Map<String, Value>, visitor: V) -> Result<V::Value, Error> {
    let mut entries = MapDeserializer::new(entries.iter().map(entry));
    let value = visitor.visit_map(&mut entries)?;
    entries.end()?;
    Ok(value)
}

/// The kind of the value differs from the kind of the type.
fn other(value: &Value, expected: &dyn Expected) -> Error {
    let found = match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(flag) => Unexpected::Bool(*flag),
        Value::Number(_) => Unexpected::Other("number"),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    };
    Error::invalid_type(found, expected)
}

/// Methods that take one kind of value: name, further arguments, pattern, result.
macro_rules! of_one_kind {
    ($($method:ident ($($argument:ty),*) $kind:pat => |$visitor:ident| $made:expr;)*) => {
        $(fn $method<V: Visitor<'de>>(self, $(_: $argument,)* $visitor: V) -> Result<V::Value, Error> {
            match self.0 {
                $kind => $made,
                found => Err(other(found, &$visitor)),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Checked<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => number.deserialize_any(visitor),
            Value::String(text) => visitor.visit_str(text),
            Value::Array(items) => array(items, visitor),
            Value::Object(entries) => table(entries, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    of_one_kind! {
        deserialize_bool() Value::Bool(flag) => |visitor| visitor.visit_bool(*flag);
        deserialize_i8() Value::Number(number) => |visitor| number.deserialize_any(visitor);
        deserialize_i16() Value::Number(number) => |visitor| number.deserialize_any(visitor);
        deserialize_i32() Value::Number(number) => |visitor| number.deserialize_any(visitor);
        deserialize_i64() Value::Number(number) => |visitor| number.deserialize_any(visitor);
        deserialize_u8() Value::Number(number) => |visitor| number.deserialize_any(visitor);
        deserialize_u16() Value::Number(number) => |visitor| number.deserialize_any(visitor);
        deserialize_u32() Value::Number(number) => |visitor| number.deserialize_any(visitor);
        deserialize_u64() Value::Number(number) => |visitor| number.deserialize_any(visitor);
        deserialize_f32() Value::Number(number) => |visitor| number.deserialize_any(visitor);
        deserialize_f64() Value::Number(number) => |visitor| number.deserialize_any(visitor);
        deserialize_char() Value::String(text) => |visitor| visitor.visit_str(text);
        deserialize_str() Value::String(text) => |visitor| visitor.visit_str(text);
        deserialize_string() Value::String(text) => |visitor| visitor.visit_str(text);
        deserialize_identifier() Value::String(text) => |visitor| visitor.visit_str(text);
        deserialize_seq() Value::Array(items) => |visitor| array(items, visitor);
        deserialize_tuple(usize) Value::Array(items) => |visitor| array(items, visitor);
        deserialize_tuple_struct(&'static str, usize) Value::Array(items) => |visitor| array(items, visitor);
        deserialize_map() Value::Object(entries) => |visitor| table(entries, visitor);
        deserialize_struct(&'static str, &'static [&'static str]) Value::Object(entries)
            => |visitor| table(entries, visitor);
        deserialize_enum(&'static str, &'static [&'static str]) Value::String(word) => |visitor| {
            visitor.visit_enum(StrDeserializer::new(word))
        };
    }

    forward_to_deserialize_any! { bytes byte_buf unit unit_struct ignored_any }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Word {
        FirstWord,
        Second,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Place {
        Named(String),
        At([f64; 3]),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(transparent)]
    struct Whole(Map<String, Value>);

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Table {
        number: f64,
        whole: f64,
        count: u32,
        flag: bool,
        text: Option<String>,
        #[serde(default)]
        absent: Option<f64>,
        words: Vec<Word>,
        places: Vec<Place>,
        points: BTreeMap<String, [f64; 2]>,
        inner: Vec<Inner>,
        rest: Whole,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        #[serde(rename = "type", default)]
        kind: Option<Word>,
    }

    fn example() -> Value {
        json!({
            "number": 0.1, "whole": 3, "count": 7, "flag": true, "text": "a", "words": ["first_word", "second"],
            "places": ["top", [1.0, 2, -3e-5]], "points": { "p": [1e308, -0.0] }, "inner": [{ "type": "second" }, {}],
            "rest": { "any": [1, 2.5, { "thing": false }], "null": null },
        })
    }

    #[test]
    fn types_are_read_as_serde_json_reads_them() {
        let expected: Table = serde_json::from_value(example()).expect("right");
        assert_eq!(from_value::<Table>(example()).expect("right"), expected);
        assert_eq!(expected.inner[0].kind, Some(Word::Second));
    }

    #[test]
    fn what_does_not_fit_is_refused_and_a_table_is_no_array() {
        for (key, value) in [
            ("number", json!("1")),
            ("number", json!(null)),
            ("count", json!(-1)),
            ("count", json!(1.5)),
            ("flag", json!(1)),
            ("text", json!([])),
            ("words", json!(["third"])),
            ("words", json!([{ "second": null }])),
            ("places", json!([[1.0, 2.0]])),
            ("points", json!({ "p": [1.0, 2.0, 3.0] })),
            ("inner", json!([["second"]])),
            ("rest", json!([])),
            ("unknown", json!(1)),
        ] {
            let mut wrong = example();
            wrong[key] = value;
            assert!(from_value::<Table>(wrong).is_err(), "{key}");
        }
        assert!(serde_json::from_value::<Inner>(json!(["second"])).is_ok(), "serde_json takes the fields in order");
        assert!(from_value::<Inner>(json!(["second"])).is_err());
    }
}
