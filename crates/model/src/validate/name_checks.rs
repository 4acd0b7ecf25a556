//! Names: well formed, and unique within their namespace.
//!
//! Namespaces: bodies (rigid and flexible, with `ground` and the interfaces of flexible bodies); points; curves; joints
//! and constraints; force elements of every kind; driven coordinates; roads; solids; and variables of the FMU, that is
//! inputs, parameters and the variables of outputs.

use super::check::Check;
use super::general::is_identifier;
use crate::elements;
use std::collections::HashMap;

pub(super) fn check(check: &mut Check) {
    let model = check.model;
    // Rigid and flexible bodies share a namespace, because joints refer to both.
    let mut bodies = named("body", model.bodies.iter().map(|item| &item.name));
    bodies.extend(named("flexible_body", model.flexible_bodies.iter().map(|item| &item.name)));
    for (item, name) in &bodies {
        if *name == "ground" {
            let expected = "choose another name; the world needs no table";
            check.report(format!("{item}.name"), "the name \"ground\" is reserved for the world", expected);
        }
    }
    interfaces(check, &bodies);
    // Joints and constraints share a namespace, because outputs refer to both.
    let mut constraints = named("joint", model.joints.iter().map(|item| &item.name));
    constraints.extend(named("rod", model.rods.iter().map(|item| &item.name)));
    constraints.extend(named("coupler", model.couplers.iter().map(|item| &item.name)));
    constraints.extend(named("rack_and_pinion", model.racks.iter().map(|item| &item.name)));
    constraints.extend(named("point_on_line", model.points_on_line.iter().map(|item| &item.name)));
    constraints.extend(named("point_in_plane", model.points_in_plane.iter().map(|item| &item.name)));
    constraints.extend(named("curve_on_curve", model.curves_on_curves.iter().map(|item| &item.name)));
    // Curves, force elements, prescribed motions, roads and solids have their own namespaces.
    let curves = named("curve", model.curves.iter().map(|item| &item.name));
    let of_table = |table: &elements::Table| named(table.name, (table.names)(model).into_iter());
    let forces = elements::TABLES.iter().flat_map(of_table).collect();
    let guided = named("guided", model.guided.iter().map(|item| &item.name));
    let roads = named("road", model.roads.iter().map(|item| &item.name));
    let solids = named("solid", model.solids.iter().map(|item| &item.name));

    // Names are well formed and unique in their namespace.
    for namespace in [bodies, curves, constraints, forces, guided, roads, solids] {
        for (item, name) in &namespace {
            well_formed(check, &format!("{item}.name"), name);
        }
        unique(check, namespace.iter().map(|(item, name)| (item.as_str(), name.to_string())).collect());
    }
    for name in model.points.keys() {
        well_formed(check, &format!("points.{name}"), name);
    }
    boundary(check);
}

/// Reports bodies with the name of an interface of a flexible body.
fn interfaces(check: &mut Check, bodies: &[(String, &str)]) {
    let mut owners: HashMap<String, usize> = HashMap::new();
    for (index, flexible) in check.model.flexible_bodies.iter().enumerate() {
        for name in check.interface_names(index) {
            let found = match owners.get(&name) {
                // Two bodies with one name are reported separately.
                Some(owner) if check.model.flexible_bodies[*owner].name != flexible.name => {
                    format!("its interface \"{name}\" has the same name as an interface of flexible_body[{owner}]")
                }
                _ => {
                    owners.insert(name, index);
                    continue;
                }
            };
            check.report(format!("flexible_body[{index}].name"), found, "choose another name");
        }
    }
    for (item, name) in bodies {
        if let Some(owner) = owners.get(*name) {
            let owner = format!("flexible_body[{owner}]");
            let owner = check.item_with_line(&owner, &owner);
            let found = format!("the name \"{name}\" is already used by an interface of {owner}");
            check.report(format!("{item}.name"), found, "choose another name");
        }
    }
}

/// Path and name of every item of a table.
fn named<'m>(table: &str, names: impl Iterator<Item = &'m (impl AsRef<str> + ?Sized + 'm)>) -> Vec<(String, &'m str)> {
    names.enumerate().map(|(index, name)| (format!("{table}[{index}]"), name.as_ref())).collect()
}

/// Longest name, bytes: a name is used in file names, headings and table lines.
pub(super) const MAX_NAME_BYTES: usize = 200;

/// Reports a name that is too long, without repeating it.
pub(super) fn short(check: &mut Check, key: &str, name: &str) -> bool {
    if name.len() > MAX_NAME_BYTES {
        let found = format!("the name has {} bytes", name.len());
        check.report(key, found, format!("names have at most {MAX_NAME_BYTES}"));
    }
    name.len() <= MAX_NAME_BYTES
}

fn well_formed(check: &mut Check, key: &str, name: &str) {
    if !short(check, key, name) {
        return;
    }
    if name.is_empty() || name.trim() != name || name.chars().any(char::is_control) {
        let found = format!("\"{}\" is not a valid name", name.escape_debug());
        check.report(
            key,
            found,
            "use at least one character, no leading or trailing spaces, and no control characters",
        );
    }
}

/// Reports every later item of a namespace that repeats a name.
fn unique(check: &mut Check, namespace: Vec<(&str, String)>) {
    let mut first: HashMap<String, &str> = HashMap::new();
    for (item, name) in namespace {
        match first.get(&name) {
            Some(earlier) => {
                let earlier = check.item_with_line(earlier, &format!("{earlier}.name"));
                let found = format!("the name \"{name}\" is already used by {earlier}");
                check.report(format!("{item}.name"), found, "choose another name");
            }
            None => {
                first.insert(name, item);
            }
        }
    }
}

/// Names of the variables of the FMU.
fn boundary(check: &mut Check) {
    let model = check.model;
    let mut items = named("input", model.inputs.iter().map(|item| &item.name));
    items.extend(named("parameter", model.parameters.iter().map(|item| &item.name)));
    items.extend(named("output", model.outputs.iter().map(|item| &item.name)));
    let mut variables: Vec<(&str, String)> = Vec::new();
    let outputs = items.len() - model.outputs.len();
    for (index, (item, name)) in items.iter().enumerate() {
        structured(check, item, name);
        if *name == "time" {
            check.report(format!("{item}.name"), "the name \"time\" is reserved for the time", "choose another name");
        }
        match index.checked_sub(outputs) {
            Some(output) => {
                variables.extend(model.outputs[output].variable_names().into_iter().map(|v| (item.as_str(), v)))
            }
            None => variables.push((item, name.to_string())),
        }
    }
    unique(check, variables);
}

/// Reports a name that is not a structured name.
pub(super) fn structured(check: &mut Check, item: &str, name: &str) {
    if short(check, &format!("{item}.name"), name) && !is_structured(name) {
        let found = format!("\"{}\" is not a structured name", name.escape_debug());
        let expected = "use letters, digits and `_`, separated by dots, with optional indices, like axle.left[1].force";
        check.report(format!("{item}.name"), found, expected);
    }
}

/// The structured names of FMI 2.0: `a.b[1,2].c`.
pub(crate) fn is_structured(name: &str) -> bool {
    name.split('.').all(|part| match part.split_once('[') {
        None => is_identifier(part),
        Some((stem, indices)) => {
            let digits = |index: &str| !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
            is_identifier(stem) && indices.strip_suffix(']').is_some_and(|indices| indices.split(',').all(digits))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::is_structured;

    #[test]
    fn structured_names_follow_the_grammar_of_fmi_2() {
        for good in ["a", "_a1", "a.b", "a[1]", "a.b[1,2].c", "axle1.left.tyre.Fz"] {
            assert!(is_structured(good), "{good}");
        }
        for bad in ["", "1a", "a.", ".a", "a[]", "a[1", "a[x]", "a[1]b", "a b", "a[1,]", "ä", "a-b", "der(a)"] {
            assert!(!is_structured(bad), "{bad}");
        }
    }
}
