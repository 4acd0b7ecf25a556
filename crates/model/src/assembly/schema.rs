//! Traversal of the values of a file along its schema.

use crate::document::shape::{Shape, definition, shape};
use serde_json::Value;

/// The value at the end of a path of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// A number or the name of a parameter or input.
    Number,
    /// A point: its name, or an array of numbers, which are not separate leaves.
    Place,
    /// A text.
    Text,
    /// A word, a flag, a number that no parameter can replace.
    Plain,
}

/// Calls `act` with every leaf of `value`: its kind, its path in the schema (`joint.bodies`), its path in the file
/// (`joint[2].bodies[0]`), and the value.
pub(super) fn visit(schema: &Value, value: &mut Value, act: &mut impl FnMut(Leaf, &str, &str, &mut Value)) {
    step(schema, schema, ["", ""], value, act);
}

fn step(
    root: &Value,
    schema: &Value,
    [pattern, path]: [&str; 2],
    value: &mut Value,
    act: &mut impl FnMut(Leaf, &str, &str, &mut Value),
) {
    match definition(schema) {
        Some("Number") => return act(Leaf::Number, pattern, path, value),
        Some("Place") => {
            for (index, number) in value.as_array_mut().into_iter().flatten().enumerate() {
                act(Leaf::Number, pattern, &format!("{path}[{index}]"), number);
            }
            return act(Leaf::Place, pattern, path, value);
        }
        _ => {}
    }
    let inside = |path: &str, key: &str| if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
    match shape(root, schema) {
        Shape::Table { properties, .. } => {
            for (key, value) in value.as_object_mut().into_iter().flatten() {
                if let Some(schema) = properties.get(key) {
                    step(root, schema, [&inside(pattern, key), &inside(path, key)], value, act);
                }
            }
        }
        Shape::Dictionary { values } => {
            for (key, value) in value.as_object_mut().into_iter().flatten() {
                step(root, values, [pattern, &inside(path, key)], value, act);
            }
        }
        Shape::Array { items, .. } => {
            for (index, value) in value.as_array_mut().into_iter().flatten().enumerate() {
                step(root, items, [pattern, &format!("{path}[{index}]")], value, act);
            }
        }
        Shape::Either(alternatives) => {
            let is_array = |schema: &&Value| matches!(shape(root, schema), Shape::Array { .. });
            let chosen = alternatives.iter().find(|schema| is_array(schema) == value.is_array());
            if let Some(schema) = chosen {
                step(root, schema, [pattern, path], value, act);
            }
        }
        Shape::Text => act(Leaf::Text, pattern, path, value),
        _ => act(Leaf::Plain, pattern, path, value),
    }
}

/// The schema of a subassembly with all descriptions.
#[cfg(test)]
pub(super) fn documented() -> Value {
    crate::document::embedded(include_str!("../../../../docs/assembly.schema.json"))
}

/// A key of a schema.
#[cfg(test)]
pub(super) struct Key {
    /// Path without indices, like `joint.axis`.
    pub pattern: String,
    pub leaf: Leaf,
    /// Whether it is a number, plain or named.
    pub numeric: bool,
    /// Whether it is in an array below the items of its table.
    pub in_array: bool,
    /// Its description in the schema.
    pub description: String,
}

/// All keys of a schema.
#[cfg(test)]
pub(super) fn keys(root: &Value) -> Vec<Key> {
    fn collect(root: &Value, schema: &Value, (pattern, said): (&str, &str), arrays: usize, found: &mut Vec<Key>) {
        let said = schema["description"].as_str().unwrap_or(said);
        let mut add = |leaf, numeric| {
            let (pattern, description) = (pattern.to_string(), said.to_string());
            found.push(Key { pattern, leaf, numeric, in_array: arrays > 1, description });
        };
        match (definition(schema), shape(root, schema)) {
            (Some("Number"), _) => add(Leaf::Number, true),
            (Some("Place"), _) => add(Leaf::Place, false),
            (_, Shape::Table { properties, .. }) => {
                for (key, schema) in properties {
                    let pattern = if pattern.is_empty() { key.clone() } else { format!("{pattern}.{key}") };
                    collect(root, schema, (&pattern, ""), arrays, found);
                }
            }
            (_, Shape::Dictionary { values }) => collect(root, values, (pattern, said), arrays, found),
            (_, Shape::Array { items, .. }) => collect(root, items, (pattern, said), arrays + 1, found),
            (_, Shape::Either(alternatives)) => {
                alternatives.iter().for_each(|schema| collect(root, schema, (pattern, said), arrays, found));
            }
            (_, Shape::Text) => add(Leaf::Text, false),
            (_, Shape::Number) => add(Leaf::Plain, true),
            _ => add(Leaf::Plain, false),
        }
    }
    let mut found = Vec::new();
    collect(root, root, ("", ""), 0, &mut found);
    found
}
