//! Inputs and parameters that nothing in the model reads.
//!
//! The name of an input or parameter can replace a number, so a name counts as read if a text in any table equals it.
//! Bodies, joints, units and the like do not count, nor do tables that only give values to inputs or show them. A
//! parameter that has the name of an element counts as read where that element is named (`spring = "…"`).

use super::schema::Model;
use serde_json::Value;
use std::collections::BTreeSet;

/// Tables that read no input and no parameter.
const TABLES: [&str; 6] = ["input", "parameter", "vehicle", "page", "plot", "published"];
/// Keys whose texts are never numbers.
const KEYS: [&str; 8] = ["name", "description", "title", "unit", "body", "bodies", "joint", "coordinate"];
/// Keys of `[[driver]]` that give values to inputs.
const GIVEN: [&str; 3] = ["steer", "target", "brakes"];

/// Unused names, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unused {
    /// Names of inputs.
    pub inputs: Vec<String>,
    /// Names of parameters.
    pub parameters: Vec<String>,
}

impl Model {
    /// Inputs and parameters that nothing reads.
    pub fn unused(&self) -> Unused {
        let tree = serde_json::to_value(self).unwrap_or_default();
        let mut read = BTreeSet::new();
        for (table, items) in tree.as_object().into_iter().flatten() {
            match table.as_str() {
                table if TABLES.contains(&table) => {}
                // Its keys are names of points.
                "points" => items.as_object().into_iter().flatten().for_each(|(_, at)| collect(at, &[], &mut read)),
                "driver" => collect(items, &GIVEN, &mut read),
                _ => collect(items, &[], &mut read),
            }
        }
        let unread = |name: &&String| !read.contains(name.as_str());
        Unused {
            inputs: self.inputs.iter().map(|input| &input.name).filter(unread).cloned().collect(),
            parameters: self.parameters.iter().map(|parameter| &parameter.name).filter(unread).cloned().collect(),
        }
    }
}

/// Collects the texts below `value` that may be names of numbers; keys of `given` are left out.
fn collect<'v>(value: &'v Value, given: &[&str], read: &mut BTreeSet<&'v str>) {
    match value {
        Value::String(text) => drop(read.insert(text)),
        Value::Array(items) => items.iter().for_each(|item| collect(item, given, read)),
        Value::Object(table) => {
            let names =
                |item: &Value| item.is_string() || item.as_array().is_some_and(|all| all.iter().all(Value::is_string));
            let left_out = |key: &str, item: &Value| given.contains(&key) || (KEYS.contains(&key) && names(item));
            let read_items = table.iter().filter(|(key, item)| !left_out(key, item));
            read_items.for_each(|(_, item)| collect(item, given, read));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    const MODEL: &str = r#"
[model]
name = "m"

[points]
name = ["at", 0, 0]

[[body]]
name = "bob"
mass = "mass"
com = "name"

[[joint]]
name = "gain"
type = "prismatic"
bodies = ["ground", "bob"]
axis = [1, 0, 0]

[[force]]
name = "push"
body = "bob"
point = "name"
value = ["pull", 0, 0]

[[parameter]]
name = "at"
value = 1

[[parameter]]
name = "mass"
value = 1

[[parameter]]
name = "gain"
value = 1

[[input]]
name = "pull"

[[input]]
name = "bob"
"#;

    #[test]
    fn what_nothing_reads_is_found_also_where_something_else_has_its_name() {
        let document = crate::parse(MODEL, "m.toml").unwrap_or_else(|wrong| panic!("{wrong}"));
        let unused = document.model.unused();
        assert_eq!((unused.inputs, unused.parameters), (vec!["bob".to_string()], vec!["gain".to_string()]));
    }
}
