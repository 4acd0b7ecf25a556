//! Defaults of keys that a mirror or a frame changes. They are written out before the change, so that an omitted key
//! behaves like its default value.

use crate::elements;
use serde_json::{Map, Value, json};

/// Default of a key that a mirror or a frame changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Implied {
    /// A direction.
    Axis([f64; 3]),
    /// A factor.
    Factor(f64),
    /// Equal shares of the entries of a list.
    Share,
}

pub const ONE: Implied = Implied::Factor(1.0);
pub const X: Implied = Implied::Axis([1.0, 0.0, 0.0]);
pub const Y: Implied = Implied::Axis([0.0, 1.0, 0.0]);
pub const Z: Implied = Implied::Axis([0.0, 0.0, 1.0]);

/// Defaults of tables without force elements; [`elements`] has the defaults of force elements. Defaults that depend on
/// other defaults or keys are in [`super::mirror`]: shapes, solids, flexible bodies, bushings and second axes of
/// joints.
const DEFAULTS: &[(&str, Implied)] = &[("guided.gain", ONE), ("coupler.coordinates.ratio", ONE)];

/// The defaults of the keys of a table.
pub(super) fn defaults_of(table: &str) -> impl Iterator<Item = (&'static str, Implied)> {
    let own = elements::table(table).map_or(&[][..], |row| row.defaults);
    let others = DEFAULTS.iter().filter(move |(key, _)| key.split('.').next() == Some(table));
    own.iter().copied().chain(others.map(|(key, implied)| (&key[key.find('.').map_or(0, |dot| dot + 1)..], *implied)))
}

/// Whether a key is used in an item, so that its default applies.
fn has_meaning(table: &str, key: &str, item: &Map<String, Value>) -> bool {
    let given = |key: &str| item.get(key).is_some_and(|value| !value.is_null());
    let is = |kinds: &[&str]| item.get("surface").and_then(Value::as_str).is_some_and(|kind| kinds.contains(&kind));
    match (table, key) {
        ("contact", "axis") => is(&["plane", "capsule", "cylinder"]),
        ("contact", "x_axis" | "y_axis") => is(&["box"]),
        ("guided", "gain") => given("input") || given("inputs"),
        ("coupler", "coordinates.ratio") => given("table") || given("cam") || given("geneva"),
        // With several coordinates each needs a ratio.
        ("clutch", "coordinates.ratio") => item.get("coordinates").and_then(Value::as_array).map_or(0, Vec::len) == 1,
        _ => true,
    }
}

/// Writes out the defaults that an item omits.
pub(super) fn write_defaults(table: &str, item: &mut Map<String, Value>) {
    for (key, implied) in defaults_of(table) {
        if !has_meaning(table, key, item) {
            continue;
        }
        each_holder(item, key, |holder, last, count| {
            if holder.get(last).is_none_or(Value::is_null) {
                holder.insert(last.into(), implied.value(count));
            }
        });
    }
}

/// Removes a key again that [`write_defaults`] wrote, if all of its values are the defaults.
pub(super) fn remove_defaults(table: &str, item: &mut Map<String, Value>, before: &Map<String, Value>) {
    for (key, implied) in defaults_of(table) {
        let (mut written, mut same) = (false, true);
        let mut old = before.clone();
        each_holder(&mut old, key, |holder, last, _| written |= holder.get(last).is_none_or(Value::is_null));
        each_holder(item, key, |holder, last, count| same &= holder.get(last) == Some(&implied.value(count)));
        if written && same {
            each_holder(item, key, |holder, last, _| drop(holder.remove(last)));
        }
    }
}

/// Calls `act` with every table that contains a key such as `gain` or `drives.share`, with the last part of the key and
/// the number of such tables.
fn each_holder(item: &mut Map<String, Value>, key: &str, mut act: impl FnMut(&mut Map<String, Value>, &str, usize)) {
    let Some((list, last)) = key.split_once('.') else { return act(item, key, 1) };
    let Some(entries) = item.get_mut(list).and_then(Value::as_array_mut) else { return };
    let count = entries.len();
    entries.iter_mut().filter_map(Value::as_object_mut).for_each(|entry| act(entry, last, count));
}

impl Implied {
    /// One of `count` entries.
    fn value(self, count: usize) -> Value {
        match self {
            Implied::Axis(axis) => json!(axis),
            Implied::Factor(factor) => json!(factor),
            Implied::Share => json!(1.0 / count as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::mirror::{Rule, rules};
    use super::super::schema::{documented, keys};
    use super::*;

    /// Keys whose defaults other code writes out, or whose defaults have no direction or sign.
    const OTHERWISE: &[&str] = &[
        "body.inertia",
        "bushing.axis",
        "bushing.second_axis",
        "flexible_body.x_axis",
        "flexible_body.y_axis",
        "joint.second_axis",
        "joint.up",
        "joint.position",
        "shape.axis",
        "shape.x_axis",
        "shape.y_axis",
        "solid.axis",
        "solid.x_axis",
        "solid.y_axis",
        "solid.surface_velocity",
        "aerodynamic_drag.wind",
        "bump_stop.lower",
        "bump_stop.upper",
    ];

    #[test]
    fn every_default_of_a_key_that_a_mirror_changes_is_known() {
        let changed: Vec<String> =
            rules().into_iter().filter(|(_, rule)| *rule != Rule::Unchanged).map(|(key, _)| key).collect();
        let mut asked = 0;
        for key in keys(&documented()).iter().filter(|key| changed.contains(&key.pattern)) {
            let Some((_, default)) = key.description.split_once("Default") else { continue };
            let zero = default.trim_start_matches(|c: char| c == ':' || c.is_whitespace()).starts_with('0');
            let (table, rest) = key.pattern.split_once('.').expect("a key of a table");
            asked += 1;
            assert!(
                zero || OTHERWISE.contains(&key.pattern.as_str()) || defaults_of(table).any(|(known, _)| known == rest),
                "{}: give its default in the row of the force element, or in DEFAULTS:{default}",
                key.pattern
            );
        }
        assert!(asked > 20, "{asked}");
    }

    #[test]
    fn what_a_change_leaves_as_it_was_is_not_written() {
        let mut item = json!({ "drives": [{ "joint": "a" }, { "joint": "b" }] });
        let item = item.as_object_mut().unwrap();
        let before = item.clone();
        write_defaults("speed_control", item);
        assert_eq!((&item["axis"], &item["drives"][1]["share"]), (&json!([1.0, 0.0, 0.0]), &json!(0.5)));
        remove_defaults("speed_control", item, &before);
        assert_eq!(*item, before);
        write_defaults("speed_control", item);
        item["drives"][0]["share"] = json!(-0.5);
        remove_defaults("speed_control", item, &before);
        assert_eq!(item["drives"], json!([{ "joint": "a", "share": -0.5 }, { "joint": "b", "share": 0.5 }]));
    }
}
