//! The JSON schema of a file, derived from its types, and the queries of the reader.

use serde_json::{Map, Value};

/// JSON schema (draft 7, which most editors support) of the files that hold a `T`.
///
/// TOML has no null, so the alternatives that `schemars` writes for optional keys are removed.
#[cfg(feature = "schema")]
pub fn json_schema<T: schemars::JsonSchema>() -> Value {
    let mut schema =
        schemars::generate::SchemaSettings::draft07().into_generator().into_root_schema_for::<T>().to_value();
    remove_null(&mut schema);
    schema
}

#[cfg(feature = "schema")]
fn remove_null(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(alternatives)) = object.get_mut("anyOf") {
                alternatives.retain(|alternative| alternative.get("type").is_none_or(|kind| kind != "null"));
                if let [only] = alternatives.as_slice() {
                    let only = only.clone();
                    object.remove("anyOf");
                    // Draft 7 ignores keys next to a `$ref`, so the `$ref` is put into a separate `allOf`.
                    object.insert("allOf".into(), Value::Array(vec![only]));
                }
            }
            object.values_mut().for_each(remove_null);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_null),
        _ => {}
    }
}

/// Requirements of the schema on a value.
pub enum Shape<'s> {
    /// A table with known keys.
    Table { properties: &'s Map<String, Value>, required: Vec<&'s str> },
    /// A table whose keys the user chooses.
    Dictionary { values: &'s Value },
    /// An array, with its length if it is fixed.
    Array { items: &'s Value, length: Option<usize> },
    /// A finite number.
    Number,
    /// A non-negative integer.
    Integer,
    /// Any text.
    Text,
    /// `true` or `false`.
    Boolean,
    /// One of these words.
    Word(Vec<&'s str>),
    /// One of these schemas.
    Either(&'s [Value]),
}

/// The shape that `schema` describes, references followed.
pub fn shape<'s>(root: &'s Value, schema: &'s Value) -> Shape<'s> {
    let schema = follow(root, schema);
    if let Some(words) = words(schema) {
        return Shape::Word(words);
    }
    if let Some(Value::Array(alternatives)) = schema.get("anyOf") {
        return Shape::Either(alternatives);
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => match schema.get("properties").and_then(Value::as_object) {
            Some(properties) => {
                let required = schema.get("required").and_then(Value::as_array);
                let required = required.into_iter().flatten().filter_map(Value::as_str).collect();
                Shape::Table { properties, required }
            }
            None => Shape::Dictionary { values: &schema["additionalProperties"] },
        },
        Some("array") => {
            let length = schema.get("maxItems").and_then(Value::as_u64).map(|length| length as usize);
            Shape::Array { items: &schema["items"], length }
        }
        Some("number") => Shape::Number,
        Some("integer") => Shape::Integer,
        Some("boolean") => Shape::Boolean,
        _ => Shape::Text,
    }
}

/// The description nearest to the use: of the key itself, otherwise of the type to which it refers.
pub(super) fn description<'s>(root: &'s Value, schema: &'s Value) -> Option<&'s str> {
    let own = schema.get("description").and_then(Value::as_str);
    own.or_else(|| follow(root, schema).get("description").and_then(Value::as_str))
}

/// The name of the definition that a schema refers to.
pub fn definition(schema: &Value) -> Option<&str> {
    match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([only]) => definition(only),
        _ => schema.get("$ref")?.as_str()?.rsplit('/').next(),
    }
}

fn follow<'s>(root: &'s Value, mut schema: &'s Value) -> &'s Value {
    loop {
        if let Some([only]) = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
            schema = only;
        } else if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            schema = root.pointer(reference.trim_start_matches('#')).unwrap_or(&Value::Null);
        } else {
            return schema;
        }
    }
}

/// The words of an enumeration; `schemars` writes `enum` without and `oneOf` with descriptions.
pub(super) fn words(schema: &Value) -> Option<Vec<&str>> {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return words.iter().map(Value::as_str).collect();
    }
    let variants = schema.get("oneOf")?.as_array()?;
    variants.iter().map(|variant| variant.get("const").and_then(Value::as_str)).collect()
}
