//! Names in subassemblies: the keys that define names, the keys that refer to them, and the scope of a name.

use super::schema::{Leaf, visit};
use crate::document::{FileSchema, from_value};
use crate::elements;
use crate::schema::{Assembly, JointKind, JointKindName};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// Names that are looked up together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Namespace {
    Bodies,
    Points,
    Curves,
    Constraints,
    Forces,
    Guided,
    Roads,
    Solids,
    Frames,
    /// Inputs and parameters.
    Variables,
    Outputs,
}

/// The namespace of the items of a table; the items of [`elements`] are among the forces.
const TABLES: &[(&str, Namespace)] = &[
    ("body", Namespace::Bodies),
    ("flexible_body", Namespace::Bodies),
    ("curve", Namespace::Curves),
    ("joint", Namespace::Constraints),
    ("rod", Namespace::Constraints),
    ("coupler", Namespace::Constraints),
    ("rack_and_pinion", Namespace::Constraints),
    ("point_on_line", Namespace::Constraints),
    ("point_in_plane", Namespace::Constraints),
    ("curve_on_curve", Namespace::Constraints),
    ("guided", Namespace::Guided),
    ("road", Namespace::Roads),
    ("solid", Namespace::Solids),
    ("frame", Namespace::Frames),
    ("input", Namespace::Variables),
    ("parameter", Namespace::Variables),
    ("output", Namespace::Outputs),
];

/// Keys with a name that is defined elsewhere, in any table.
const REFERENCES: &[(&str, Namespace)] = &[
    ("bodies", Namespace::Bodies),
    ("body", Namespace::Bodies),
    ("flexible_body", Namespace::Bodies),
    ("curve", Namespace::Curves),
    ("curves", Namespace::Curves),
    ("joint", Namespace::Constraints),
    ("constraint", Namespace::Constraints),
    ("spring", Namespace::Forces),
    ("bushing", Namespace::Forces),
    ("drive", Namespace::Forces),
    ("tyre", Namespace::Forces),
    ("aerodynamic_drag", Namespace::Forces),
    ("contact", Namespace::Forces),
    ("road", Namespace::Roads),
    ("solids", Namespace::Solids),
    ("others", Namespace::Solids),
    ("in", Namespace::Frames),
    ("outputs", Namespace::Outputs),
    ("against", Namespace::Outputs),
    ("guided", Namespace::Guided),
    ("driver", Namespace::Forces),
    ("steer", Namespace::Variables),
    ("target", Namespace::Variables),
    ("input", Namespace::Variables),
    ("inputs", Namespace::Variables),
];

/// Keys with texts that are unchanged: words, units, file names, names inside other files.
const PLAIN: &[&str] = &[
    "surface",
    "coordinate",
    "unit",
    "description",
    "rom",
    "file",
    "frame",
    "section",
    "stress_point",
    "node",
    "height_map",
    "friction_map",
    "group",
    "colour",
    "title",
    "labels",
    "against_label",
    "against_unit",
];

/// The meaning of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A new name.
    Defines(Namespace),
    /// A name that is defined somewhere.
    Refers(Namespace),
    /// Not a name.
    Plain,
}

/// The meaning of the text at a key of the schema, like `joint.bodies`; `None` if these tables do not contain it.
pub(super) fn role(pattern: &str) -> Option<Role> {
    let (table, _) = pattern.split_once('.')?;
    let key = pattern.rsplit('.').next()?;
    if PLAIN.contains(&key) {
        return Some(Role::Plain);
    }
    let namespace = |list: &[(&str, Namespace)], name: &str| list.iter().find(|(known, _)| *known == name).map(|e| e.1);
    match key {
        "name" if elements::table(table).is_some() => Some(Role::Defines(Namespace::Forces)),
        "name" => namespace(TABLES, table).map(Role::Defines),
        _ => namespace(REFERENCES, key).map(Role::Refers),
    }
}

/// The names that a file defines, including names of its subassemblies, as written in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Definitions {
    names: HashMap<(Namespace, String), ()>,
    /// Flexible bodies, whose interfaces `body.interface` have names too.
    flexible: Vec<String>,
    /// Kinds of the joints.
    pub kinds: HashMap<String, JointKind>,
}

impl Definitions {
    /// The names in the tables of a file.
    pub fn of(tables: &Map<String, Value>) -> Definitions {
        let mut found = Definitions::default();
        let schema = Assembly::reading_schema();
        let mut tables = Value::Object(tables.clone());
        visit(&schema, &mut tables, &mut |leaf, pattern, _, value| {
            if let (Leaf::Text, Some(Role::Defines(namespace)), Some(name)) = (leaf, role(pattern), value.as_str()) {
                found.names.insert((namespace, name.to_string()), ());
            }
        });
        let items = |table: &str| tables[table].as_array().into_iter().flatten();
        let of_frames = items("frame").filter_map(|frame| frame["points"].as_object());
        for name in tables["points"].as_object().into_iter().chain(of_frames).flat_map(Map::keys) {
            found.names.insert((Namespace::Points, name.clone()), ());
        }
        found.flexible = items("flexible_body").filter_map(|body| Some(body["name"].as_str()?.to_string())).collect();
        let kind = |joint: &Value| {
            let kind = JointKind::from(from_value::<JointKindName>(joint["type"].clone()).ok()?);
            Some((joint["name"].as_str()?.to_string(), kind))
        };
        found.kinds = items("joint").filter_map(kind).collect();
        found
    }

    /// Adds the names of a subassembly with its prefix.
    pub fn add(&mut self, other: &Definitions, prefix: &str) {
        let with_prefix = |name: &String| format!("{prefix}{name}");
        self.names.extend(other.names.keys().map(|(namespace, name)| ((*namespace, with_prefix(name)), ())));
        self.flexible.extend(other.flexible.iter().map(with_prefix));
        self.kinds.extend(other.kinds.iter().map(|(name, kind)| (with_prefix(name), *kind)));
    }

    fn holds(&self, namespace: Namespace, name: &str) -> bool {
        let interface = |body: &String| name.strip_prefix(body.as_str()).is_some_and(|rest| rest.starts_with('.'));
        self.names.contains_key(&(namespace, name.to_string()))
            || (namespace == Namespace::Bodies && self.flexible.iter().any(interface))
    }
}

/// Meanings of names in one use of a file: first the names of the file, then the names of the file that uses it, and so
/// on.
pub(super) struct Scope<'p> {
    /// Scope of the file that uses this one; `None` for the model file, in which names are unchanged.
    pub outer: Option<&'p Scope<'p>>,
    /// Names of the file.
    pub defined: &'p Definitions,
    /// Prefix of this use, preceded by the prefixes of the uses around it.
    pub prefix: String,
    /// Values of the parameters of the file: numbers, or names of parameters of the model.
    pub parameters: HashMap<String, Value>,
    /// Bodies that the file does not define: name in the file to name in the one that uses it.
    pub bodies: &'p BTreeMap<String, String>,
}

impl Scope<'_> {
    /// The name in the whole model for the name `name` in a file.
    pub fn resolve(&self, namespace: Namespace, name: &str) -> String {
        if self.defined.holds(namespace, name) {
            return format!("{}{name}", self.prefix);
        }
        let given = (namespace == Namespace::Bodies).then(|| self.bodies.get(name)).flatten();
        let name = given.map_or(name, String::as_str);
        self.outer.map_or_else(|| name.to_string(), |outer| outer.resolve(namespace, name))
    }

    /// The value of a name at the position of a number: a number, or a name in the whole model.
    pub fn resolve_number(&self, name: &str) -> Value {
        if let Some(value) = self.parameters.get(name) {
            return value.clone();
        }
        if self.defined.holds(Namespace::Variables, name) {
            return Value::String(format!("{}{name}", self.prefix));
        }
        self.outer.map_or_else(|| Value::from(name), |outer| outer.resolve_number(name))
    }

    /// Replaces a text at `pattern` by its meaning in the whole model.
    pub fn rename(&self, leaf: Leaf, pattern: &str, value: &mut Value) {
        let Some(text) = value.as_str() else { return };
        *value = match (leaf, role(pattern)) {
            (Leaf::Number, _) => self.resolve_number(text),
            (Leaf::Place, _) => self.resolve(Namespace::Points, text).into(),
            (Leaf::Text, Some(Role::Defines(_))) => format!("{}{text}", self.prefix).into(),
            (Leaf::Text, Some(Role::Refers(namespace))) => self.resolve(namespace, text).into(),
            _ => return,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::schema::keys;

    #[test]
    fn the_meaning_of_every_text_of_the_schema_is_known() {
        let unknown: Vec<String> = keys(&Assembly::reading_schema())
            .into_iter()
            .filter(|key| key.leaf == Leaf::Text && !key.pattern.starts_with("use.") && role(&key.pattern).is_none())
            .map(|key| key.pattern)
            .collect();
        assert!(unknown.is_empty(), "say in TABLES, REFERENCES or PLAIN what these texts mean: {unknown:?}");
    }
}
