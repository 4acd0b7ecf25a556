//! Names in subassemblies: the keys that define names, the keys that refer to them, and the scope of a name.

use crate::geometry::{Item, Kind, Namespace, View};
use crate::schema::{JointKind, Model, Number, Place};
use std::collections::{BTreeMap, HashMap};

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
    pub fn of(tables: &mut Model) -> Definitions {
        let mut found = Definitions::default();
        for table in tables.fields() {
            let View::List(items) = table.value.view() else { continue };
            items.each(|_, view| {
                let View::Table(item) = view else { return };
                for field in item.fields() {
                    if let (Kind::Defines(namespace), View::Text(name)) = (field.kind, field.value.view()) {
                        found.names.insert((namespace, name.clone()), ());
                    }
                }
            });
        }
        for name in tables.points.keys().chain(tables.frames.iter().flat_map(|frame| frame.points.keys())) {
            found.names.insert((Namespace::Points, name.clone()), ());
        }
        found.flexible = tables.flexible_bodies.iter().map(|body| body.name.clone()).collect();
        found.kinds = tables.joints.iter().map(|joint| (joint.name.clone(), joint.kind)).collect();
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
    pub parameters: HashMap<String, Number>,
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
    pub fn resolve_number(&self, name: &str) -> Number {
        if let Some(value) = self.parameters.get(name) {
            return value.clone();
        }
        if self.defined.holds(Namespace::Variables, name) {
            return Number::Parameter(format!("{}{name}", self.prefix));
        }
        self.outer.map_or_else(|| Number::Parameter(name.to_string()), |outer| outer.resolve_number(name))
    }

    /// Replaces all names in a table by their meanings in the whole model.
    pub fn rename(&self, item: &mut dyn Item) {
        item.fields().into_iter().for_each(|field| self.rename_value(field.kind, field.value.view()));
    }

    fn rename_value(&self, kind: Kind, value: View) {
        match (value, kind) {
            (View::Number(number), _) => {
                if let Number::Parameter(name) = number {
                    *number = self.resolve_number(name);
                }
            }
            (View::Place(Place::Point(name)), _) => *name = self.resolve(Namespace::Points, name),
            (View::Place(Place::At(point)), _) => {
                point.iter_mut().for_each(|number| self.rename_value(kind, View::Number(number)));
            }
            (View::Text(name), Kind::Defines(_)) => *name = format!("{}{name}", self.prefix),
            (View::Text(name), Kind::Refers(namespace)) => *name = self.resolve(namespace, name),
            (View::Text(name), Kind::Joint) => *name = self.resolve(Namespace::Constraints, name),
            (View::List(list), _) => list.each(|_, view| self.rename_value(kind, view)),
            (View::Table(item), _) => self.rename(item),
            _ => {}
        }
    }
}
