//! What mirroring and moving a subassembly does to the values of its keys.
//!
//! A use places its file by r ↦ S r + t with a diagonal matrix S of signs: one mirror changes one sign, two of
//! different axes make half a turn, two of one axis nothing. Vectors that are differences of places (*polar* ones:
//! normals, forces, travel) become S v; vectors that stand for a sense of rotation (*axial* ones: axes of revolute
//! joints, torques, angular velocities) become det(S) S v. A motion of the mechanism so becomes the mirrored motion
//! with equal joint coordinates: a rotation R of a body becomes S R S, about an axial axis by the same angle. Two kinds
//! of joints have coordinates that change their signs. A cylindrical joint has one axis for a travel and an angle: its
//! axis is polar, its travel stays, its angle becomes det(S) times itself. A floating joint has no axes of its own: its
//! x, y and z are those of the world, and become S times themselves.

use crate::document::nearest::list;
use crate::model::coordinates::{Reflection, SecondAxis};
use crate::model::elements;
use crate::model::schema::{JointKind, MirrorNormal};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// How a key changes with a mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Difference of places.
    Polar,
    /// Sense of rotation.
    Axial,
    /// xx, yy, zz, xy, yz, xz.
    Inertia,
    /// First or second axis of a joint, by its type.
    JointAxis,
    /// Initial coordinates of a joint, by its type.
    JointPosition,
    /// Initial speeds of a joint, by its type.
    JointSpeed,
    /// Axes of a bushing, and its preload in them.
    Bushing,
    /// Axes of the frame of a flexible body.
    Frame,
    /// Axes of a box or mesh.
    ShapeFrame,
    /// A value on the coordinate that `joint` and `coordinate` name: changes its sign with it.
    Coordinate,
    /// As [`Rule::Coordinate`], for the factor on a signal.
    Gain,
    /// Rows of a coordinate and an effort that both change their sign.
    OddRows,
    /// Rows of time and coordinate.
    TimeRows,
    /// The lower and the upper end of a range of the coordinate.
    Ends,
    /// Ratio, radius or offset between two coordinates.
    Coupling,
    /// Factors of the coordinates that `joint` and `coordinate` beside them name: shares in a torque, ratios.
    Shares,
    /// `left` and `right` change places.
    Side,
    /// Stays as it is.
    Unchanged,
}

impl Rule {
    /// What it does, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Rule::Polar => "the component along the normal of the mirror changes its sign",
            Rule::Axial => "the other two components change their signs",
            Rule::Inertia => "the two products with the normal of the mirror change their signs",
            Rule::JointAxis => {
                "revolute, universal, pin_on_curve: the components across the normal change their signs; prismatic, \
                 cylindrical: the one along \
                 it; planar: `axis` as revolute, `second_axis` as prismatic"
            }
            Rule::JointPosition => {
                "translations along the normal and the two components of a quaternion across it change their signs; \
                 so does \
                 the angle of a cylindrical joint"
            }
            Rule::JointSpeed => {
                "velocities along the normal and angular velocities across it change their signs; so does the angular \
                 speed \
                 of a cylindrical joint"
            }
            Rule::Bushing => {
                "both axes as polar vectors; the third so turns round, and preload is given for it: the third force \
                 and the \
                 first two torques change their signs"
            }
            Rule::Frame => "not mirrored; half a turn (two mirrors) turns it",
            Rule::ShapeFrame => {
                "both axes as polar vectors; a mesh is mirrored too: `mirrored` changes to its opposite"
            }
            Rule::Coordinate => {
                "changes its sign with the coordinate: at the angle of a cylindrical joint in a mirror, at the `x`, \
                 `y` or `z` of a \
                 floating joint along the normal"
            }
            Rule::Gain => "the same; the signal stays",
            Rule::OddRows => "the same for both columns",
            Rule::TimeRows => "the same for the second column",
            Rule::Ends => "the same, and the ends change places",
            Rule::Coupling => "changes its sign with the coordinates",
            Rule::Shares => "changes its sign with the coordinate beside it",
            Rule::Side => "`left` and `right` change places",
            Rule::Unchanged => "nothing",
        }
    }
}

/// The rules of tables that hold no force elements (those: [`elements`]). Places change wherever they stand, so they
/// are not listed.
const RULES: &[(&str, Rule)] = &[
    ("body.inertia", Rule::Inertia),
    ("flexible_body.x_axis", Rule::Frame),
    ("flexible_body.y_axis", Rule::Frame),
    ("curve.normal", Rule::Axial),
    ("joint.axis", Rule::JointAxis),
    ("joint.second_axis", Rule::JointAxis),
    ("joint.position", Rule::JointPosition),
    ("joint.position_deg", Rule::JointPosition),
    ("joint.speed", Rule::JointSpeed),
    ("coupler.ratio", Rule::Coupling),
    ("coupler.offset", Rule::Coupling),
    ("coupler.coordinates.ratio", Rule::Shares),
    ("coupler.table", Rule::Coupling),
    ("coupler.cam.rise", Rule::Coupling),
    ("coupler.cam.over", Rule::Unchanged),
    ("coupler.cam.over_deg", Rule::Unchanged),
    ("rack_and_pinion.radius", Rule::Coupling),
    ("point_on_line.axis", Rule::Polar),
    ("point_in_plane.normal", Rule::Polar),
    ("guided.motion.offset", Rule::Coordinate),
    ("guided.motion.speed", Rule::Coordinate),
    ("guided.motion.amplitude", Rule::Coordinate),
    ("guided.motion.frequency", Rule::Unchanged),
    ("guided.motion.phase", Rule::Unchanged),
    ("guided.spin_up.speed", Rule::Coordinate),
    ("guided.spin_up.time", Rule::Unchanged),
    ("guided.table", Rule::TimeRows),
    ("guided.filter_frequency", Rule::Unchanged),
    ("guided.gain", Rule::Gain),
    ("shape.axis", Rule::Polar),
    ("shape.x_axis", Rule::ShapeFrame),
    ("shape.y_axis", Rule::ShapeFrame),
    ("shape.size", Rule::Unchanged),
    ("output.low_pass.cutoff_hz", Rule::Unchanged),
    ("road.patch.x", Rule::Unchanged),
    ("road.patch.y", Rule::Unchanged),
    ("road.bump.y", Rule::Unchanged),
    ("road.random.band", Rule::Unchanged),
    ("road.patch.friction", Rule::Unchanged),
    ("road.patch.blend", Rule::Unchanged),
    ("road.bump.start", Rule::Unchanged),
    ("road.bump.length", Rule::Unchanged),
    ("road.bump.height", Rule::Unchanged),
    ("road.bump.ramp", Rule::Unchanged),
    ("road.bump.blend", Rule::Unchanged),
    ("road.bump.side_blend", Rule::Unchanged),
    ("road.bump.angle_deg", Rule::Unchanged),
    ("road.bump.spacing", Rule::Unchanged),
];

/// The rules of the keys of a table.
fn rules_of(table: &str) -> Vec<(&'static str, Rule)> {
    let own = elements::table(table).map_or(&[][..], |row| row.mirror);
    let key = |(pattern, rule): &(&'static str, Rule)| Some((pattern.strip_prefix(table)?.strip_prefix('.')?, *rule));
    own.iter().copied().chain(RULES.iter().filter_map(key)).collect()
}

/// All rules with their keys, those of force elements behind the others.
pub fn rules() -> Vec<(String, Rule)> {
    let of_elements = elements::TABLES
        .iter()
        .flat_map(|table| table.mirror.iter().map(|(key, rule)| (format!("{}.{key}", table.name), *rule)));
    RULES.iter().map(|(key, rule)| (key.to_string(), *rule)).chain(of_elements).collect()
}

/// Whether a gain makes sense in the item: a guided coordinate may be given by the file.
fn has_signal(table: &str, item: &Map<String, Value>) -> bool {
    let given = |key: &str| item.get(key).is_some_and(|value| !value.is_null());
    table != "guided" || given("input") || given("inputs")
}

/// r ↦ S r + t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placement {
    /// The diagonal of S, each 1 or −1.
    pub sign: [f64; 3],
    /// t, m.
    pub shift: [f64; 3],
}

impl Placement {
    /// As the file says.
    pub(crate) const IDENTITY: Placement = Placement { sign: [1.0; 3], shift: [0.0; 3] };

    /// First as `use` says, then `self`.
    pub(crate) fn after(&self, mirror: Option<MirrorNormal>, translate: Option<[f64; 3]>) -> Placement {
        let normal = mirror.map(|normal| normal as usize);
        let (own, shift) =
            ([0, 1, 2].map(|i| if normal == Some(i) { -1.0 } else { 1.0 }), translate.unwrap_or_default());
        Placement {
            sign: [0, 1, 2].map(|i| self.sign[i] * own[i]),
            shift: [0, 1, 2].map(|i| self.sign[i] * shift[i] + self.shift[i]),
        }
    }

    /// det(S).
    fn handedness(&self) -> f64 {
        self.sign.iter().product()
    }

    /// Signs of the components of an axial vector.
    fn axial(&self) -> [f64; 3] {
        self.sign.map(|sign| self.handedness() * sign)
    }

    /// Places the coordinates of a point.
    pub(crate) fn place(&self, key: &str, point: &mut Value, complain: &mut Complain) {
        signs(key, point, &self.sign, complain);
        for (i, number) in point.as_array_mut().into_iter().flatten().enumerate().take(3) {
            match number.as_f64() {
                Some(value) if self.shift[i] != 0.0 => *number = json!(value + self.shift[i]),
                None if self.shift[i] != 0.0 => {
                    let found =
                        format!("a translation moves the parameter \"{}\"", number.as_str().unwrap_or_default());
                    complain(&format!("{key}[{i}]"), found, "write a number, or a parameter whose use gives a number");
                }
                _ => {}
            }
        }
    }

    /// Changes an item of a table, whose places have been changed before. `kinds`: joints by the names that the file
    /// uses.
    pub(crate) fn change(
        &self,
        table: &str,
        item: &mut Map<String, Value>,
        kinds: &HashMap<String, JointKind>,
        complain: &mut Complain,
    ) {
        if table == "flexible_body" {
            self.flexible_body(item, complain);
        }
        if table == "shape" {
            self.shape(item, complain);
        }
        if self.sign == [1.0; 3] {
            return;
        }
        let default_axes = elements::table(table).map_or(&[][..], |row| row.default_axes);
        if table == "bushing" {
            return self.bushing(item, complain);
        }
        let kind = item.get("type").and_then(|kind| crate::document::from_value(kind.clone()).ok());
        if let Some(kind) = kind.filter(|_| table == "joint") {
            self.second_axis_of_a_plane(item, kind, complain);
        }
        let coordinate = self.of_coordinate(item, kinds);
        let coupling = self.of_coupling(item, kinds);
        for (key, rule) in rules_of(table) {
            let pointer = format!("/{}", key.replace('.', "/"));
            let absent = item.get(key).is_none_or(Value::is_null);
            if rule == Rule::Gain && coordinate < 0.0 && absent && has_signal(table, item) {
                item.insert(key.to_string(), json!(1.0));
            }
            let written = match default_axes.iter().find(|(axis, _)| *axis == key) {
                Some((_, default)) if absent => Some(default),
                _ => None,
            };
            if let Some(default) = written {
                item.insert(key.to_string(), json!(default));
            }
            let value = match key.split_once('.') {
                Some((first, _)) => {
                    item.get_mut(first).and_then(|inner| inner.pointer_mut(&pointer[first.len() + 1..]))
                }
                None => item.get_mut(key),
            };
            let Some(value) = value.filter(|value| !value.is_null()) else { continue };
            match rule {
                Rule::Polar => signs(key, value, &self.sign, complain),
                Rule::Axial => signs(key, value, &self.axial(), complain),
                Rule::Inertia => {
                    let [x, y, z] = self.sign;
                    signs(key, value, &[1.0, 1.0, 1.0, x * y, y * z, x * z], complain);
                }
                Rule::JointAxis => signs(key, value, &self.joint_axis(kind, key == "second_axis"), complain),
                Rule::JointPosition => signs(key, value, &self.joint_signs(kind, 1), complain),
                Rule::JointSpeed => signs(key, value, &self.joint_signs(kind, 0), complain),
                Rule::Coordinate | Rule::Gain => signs(key, value, &[coordinate], complain),
                Rule::OddRows if coordinate < 0.0 => {
                    signs(key, value, &[-1.0, -1.0], complain);
                    value.as_array_mut().into_iter().for_each(|rows| rows.reverse());
                }
                Rule::TimeRows => signs(key, value, &[1.0, coordinate], complain),
                Rule::Ends => signs(key, value, &[coordinate], complain),
                Rule::Coupling if key == "table" => {
                    signs(key, value, &coupling, complain);
                    if coupling[0] < 0.0 {
                        value.as_array_mut().into_iter().for_each(|rows| rows.reverse());
                    }
                }
                Rule::Coupling => {
                    let sign = if key == "offset" { coupling[1] } else { coupling[0] * coupling[1] };
                    signs(key, value, &[sign], complain);
                }
                Rule::Side if self.handedness() < 0.0 => {
                    *value = match value.as_str() {
                        Some("left") => "right".into(),
                        Some("right") => "left".into(),
                        _ => continue,
                    }
                }
                _ => {}
            }
            // What stays as it is need not be written.
            if written.is_some_and(|default| item[key] == json!(default)) {
                item.remove(key);
            }
        }
        if table == "speed_control" {
            self.shares(item, ("drives", "share"), true, kinds, complain);
        }
        if table == "coupler" {
            self.shares(item, ("coordinates", "ratio"), false, kinds, complain);
            let cam = item.get_mut("cam").and_then(Value::as_array_mut);
            if cam.is_some() && coupling[0] < 0.0 {
                let found = "a mirror turns the sense of the driving coordinate, along which the segments stand".into();
                return complain("cam", found, "write the law as `table`");
            }
            for (index, segment) in cam.into_iter().flatten().enumerate() {
                let Some(rise) = segment.get_mut("rise").filter(|rise| !rise.is_null()) else { continue };
                turn(&format!("cam[{index}].rise"), rise, coupling[1], complain);
            }
        }
        if table == "bump_stop" && coordinate < 0.0 {
            let (lower, upper) = (item.remove("lower"), item.remove("upper"));
            item.extend(
                [("lower", upper), ("upper", lower)].into_iter().filter_map(|(k, v)| Some((k.to_string(), v?))),
            );
        }
    }

    /// The sign of the coordinate that an item names; 1 for joints of other files.
    fn of_coordinate(&self, item: &Map<String, Value>, kinds: &HashMap<String, JointKind>) -> f64 {
        let joint = item.get("joint").and_then(Value::as_str).and_then(|name| kinds.get(name));
        let coordinate = joint.and_then(|kind| kind.coordinate(item.get("coordinate").and_then(Value::as_str)));
        coordinate.map_or(1.0, |coordinate| self.of_reflection(coordinate.reflection))
    }

    fn of_reflection(&self, reflection: Reflection) -> f64 {
        match reflection {
            Reflection::Same => 1.0,
            Reflection::Handedness => self.handedness(),
            Reflection::World(axis) => self.sign[axis],
        }
    }

    /// Factors of coordinates, such as shares of a speed control in the torque, change their signs with these; where
    /// they are `equal` without being given, they are written out.
    fn shares(
        &self,
        item: &mut Map<String, Value>,
        (list, factor): (&str, &str),
        equal: bool,
        kinds: &HashMap<String, JointKind>,
        complain: &mut Complain,
    ) {
        let Some(drives) = item.get_mut(list).and_then(Value::as_array_mut) else { return };
        let sign = |drive: &Value| drive.as_object().map_or(1.0, |drive| self.of_coordinate(drive, kinds));
        let found: Vec<f64> = drives.iter().map(sign).collect();
        if found.iter().all(|sign| *sign > 0.0) {
            return;
        }
        let default = 1.0 / drives.len() as f64;
        for (index, (drive, sign)) in drives.iter_mut().zip(found).enumerate() {
            let Some(drive) = drive.as_object_mut() else { continue };
            if equal && drive.get(factor).is_none_or(Value::is_null) {
                drive.insert(factor.into(), json!(default));
            }
            let Some(share) = drive.get_mut(factor).filter(|share| !share.is_null()) else { continue };
            turn(&format!("{list}[{index}].{factor}"), share, sign, complain);
        }
    }

    /// The signs of the two coordinates that an item couples; 1 where each has a ratio, which takes its sign.
    fn of_coupling(&self, item: &Map<String, Value>, kinds: &HashMap<String, JointKind>) -> [f64; 2] {
        let pair = item.get("coordinates").and_then(Value::as_array);
        let own = |on: &Value| on.get("ratio").is_some_and(|ratio| !ratio.is_null());
        let pair = pair.filter(|pair| !pair.iter().any(own));
        let sides = [("pinion", 0), ("rack", 1)];
        sides.map(|(key, index)| {
            let side = item.get(key).or_else(|| pair?.get(index)).and_then(Value::as_object);
            side.map_or(1.0, |side| self.of_coordinate(side, kinds))
        })
    }

    fn joint_axis(&self, kind: Option<JointKind>, second: bool) -> [f64; 3] {
        let axial = kind.is_some_and(|kind| kind.row().axial[usize::from(second)]);
        if axial { self.axial() } else { self.sign }
    }

    /// Signs of the initial positions (`scalars` 1: a quaternion begins with its scalar part) or speeds (0).
    fn joint_signs(&self, kind: Option<JointKind>, scalars: usize) -> Vec<f64> {
        let Some(kind) = kind else { return vec![1.0; 3] };
        let signs = kind.coordinates().iter().map(|coordinate| self.of_reflection(coordinate.reflection));
        let ball = kind.quaternion().map(|_| std::iter::repeat_n(1.0, scalars).chain(self.axial()));
        signs.chain(ball.into_iter().flatten()).collect()
    }

    /// The direction of `x` of a planar joint, which the file may leave to the program, is written out.
    fn second_axis_of_a_plane(&self, item: &mut Map<String, Value>, kind: JointKind, complain: &mut Complain) {
        let given = item.get("second_axis").is_some_and(|axis| !axis.is_null());
        if kind.row().second_axis != SecondAxis::Optional || given || !item.contains_key("axis") {
            return;
        }
        let Some(axis) = item.get("axis").and_then(unit) else {
            return complain(
                "axis",
                format!("a mirrored {} joint has an axis with parameters", kind.row().name),
                "add `second_axis`",
            );
        };
        let helper = if axis[0].abs() < 0.9 { 0 } else { 1 };
        item.insert("second_axis".into(), json!(perpendicular(helper, &axis)));
    }

    /// The first two axes of a bushing change as polar vectors; so the third changes its sign against the mirrored one,
    /// and with it preload along it, and about the other two.
    fn bushing(&self, item: &mut Map<String, Value>, complain: &mut Complain) {
        let present = |item: &Map<String, Value>, key: &str| item.get(key).is_some_and(|value| !value.is_null());
        if !present(item, "axis") {
            item.insert("axis".into(), json!([1.0, 0.0, 0.0]));
        }
        if !present(item, "second_axis") {
            let Some(axis) = unit(&item["axis"]) else {
                return complain("axis", "a mirrored bushing has an axis with parameters".into(), "add `second_axis`");
            };
            // As the force element chooses it: z where the axis is within one degree of y.
            let sine = (1.0 - axis[1] * axis[1]).max(0.0).sqrt();
            item.insert("second_axis".into(), json!(perpendicular(if sine > 0.0175 { 1 } else { 2 }, &axis)));
        }
        for key in ["axis", "second_axis"] {
            signs(key, &mut item[key], &self.sign, complain);
        }
        let d = self.handedness();
        if let Some(preload) = item.get_mut("preload") {
            signs("preload", preload, &[1.0, 1.0, d, d, d, 1.0], complain);
        }
    }

    /// A mesh that stands at the origin of W moves too, and is mirrored itself; boxes are their own mirror images.
    fn shape(&self, item: &mut Map<String, Value>, complain: &mut Complain) {
        let absent = |item: &Map<String, Value>, key: &str| item.get(key).is_none_or(Value::is_null);
        let is = |kind: &str| item.get("type").and_then(Value::as_str) == Some(kind);
        let (mesh, framed) = (is("mesh"), is("mesh") || is("box"));
        if mesh && absent(item, "point") && self.shift != [0.0; 3] {
            item.insert("point".into(), json!(self.shift));
        }
        if framed {
            self.axes(item, complain);
        }
        if mesh && self.handedness() < 0.0 {
            let mirrored = item.get("mirrored").and_then(Value::as_bool).unwrap_or(false);
            item.insert("mirrored".into(), json!(!mirrored));
        }
    }

    /// A reduced-order model cannot be mirrored, but turned and moved.
    fn flexible_body(&self, item: &mut Map<String, Value>, complain: &mut Complain) {
        if self.handedness() < 0.0 {
            let found =
                "a mirror would mirror a flexible body, and its reduced-order model says how it is as it stands";
            return complain(
                "",
                found.into(),
                "put it into the file with `[[use]]`, with a mirrored structure of its own",
            );
        }
        let absent = |item: &Map<String, Value>, key: &str| item.get(key).is_none_or(Value::is_null);
        if absent(item, "position") && self.shift != [0.0; 3] {
            item.insert("position".into(), json!(self.shift));
        }
        self.axes(item, complain);
    }

    /// The x and y axes of a frame, written out where the file leaves them to their defaults.
    fn axes(&self, item: &mut Map<String, Value>, complain: &mut Complain) {
        let absent = |item: &Map<String, Value>, key: &str| item.get(key).is_none_or(Value::is_null);
        for (key, default) in [("x_axis", [1.0, 0.0, 0.0]), ("y_axis", [0.0, 1.0, 0.0])] {
            if absent(item, key) && self.sign != [1.0; 3] {
                item.insert(key.into(), json!(default));
            }
            if let Some(axis) = item.get_mut(key) {
                signs(key, axis, &self.sign, complain);
            }
        }
    }
}

/// Receives a key of the item, what was found and what would be right.
pub(super) type Complain<'c> = dyn FnMut(&str, String, &str) + 'c;

/// Multiplies numbers, or every row of numbers, by signs; a name whose sign would change is a complaint.
fn signs(key: &str, value: &mut Value, signs: &[f64], complain: &mut Complain) {
    let rows = value.as_array().is_some_and(|entries| entries.first().is_some_and(Value::is_array));
    match value {
        Value::Array(entries) if rows => entries.iter_mut().for_each(|row| self::signs(key, row, signs, complain)),
        Value::Array(entries) => {
            for (i, (entry, sign)) in entries.iter_mut().zip(signs).enumerate() {
                turn(&format!("{key}[{i}]"), entry, *sign, complain);
            }
        }
        number => turn(key, number, signs.first().copied().unwrap_or(1.0), complain),
    }
}

fn turn(key: &str, number: &mut Value, sign: f64, complain: &mut Complain) {
    if sign > 0.0 {
        return;
    }
    match number.as_f64() {
        // No negative zeros: a file written by hand has none either.
        Some(value) if value != 0.0 => *number = json!(-value),
        Some(_) => {}
        None => {
            let name = number.as_str().unwrap_or_default().to_string();
            let found = format!("a mirror changes the sign of this, and {} stands for it", list(&[&name]));
            complain(key, found, "write a number, or a parameter whose use gives a number");
        }
    }
}

/// Unit vector of three plain numbers; none for names and zero.
fn unit(vector: &Value) -> Option<[f64; 3]> {
    let entry = |i: usize| vector.get(i).and_then(Value::as_f64);
    let vector = [entry(0)?, entry(1)?, entry(2)?];
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    (length > 1e-100).then(|| vector.map(|x| x / length))
}

/// The direction of the coordinate axis `helper`, as far as it is perpendicular to a unit vector.
fn perpendicular(helper: usize, axis: &[f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| f64::from(u8::from(i == helper)) - axis[i] * axis[helper])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::json_schema;
    use crate::model::assembly::schema::{Leaf, keys};
    use crate::model::schema::Assembly;

    #[test]
    fn it_is_known_how_every_vector_and_every_value_on_a_coordinate_is_mirrored() {
        let keys = keys(&json_schema::<Assembly>());
        let table = |pattern: &str| pattern.split('.').next().unwrap_or_default().to_string();
        let on_coordinate = |name: &str| {
            let mut joints = keys.iter().filter(|key| table(&key.pattern) == name && name != "output");
            joints.any(|key| key.leaf == Leaf::Text && key.pattern.ends_with(".joint"))
        };
        let matters = keys.iter().filter(|key| {
            key.numeric && key.pattern.contains('.') && (key.in_array || on_coordinate(&table(&key.pattern)))
        });
        let rules = rules();
        let known = |pattern: &str| rules.iter().any(|(known, _)| *known == pattern) || pattern.starts_with("use.");
        let unknown: Vec<&String> = matters.map(|key| &key.pattern).filter(|pattern| !known(pattern)).collect();
        assert!(
            unknown.is_empty(),
            "say in RULES, or in the rows of force elements, how these keys are mirrored: {unknown:?}"
        );
    }

    #[test]
    fn a_mirror_twice_is_none_and_two_mirrors_are_half_a_turn() {
        let once = Placement::IDENTITY.after(Some(MirrorNormal::Y), Some([1.0, 2.0, 3.0]));
        assert_eq!((once.sign, once.handedness()), ([1.0, -1.0, 1.0], -1.0));
        let twice = once.after(Some(MirrorNormal::Y), Some([0.0, 2.0, 0.0]));
        assert_eq!(twice, Placement { sign: [1.0; 3], shift: [1.0, 0.0, 3.0] });
        let turned = once.after(Some(MirrorNormal::X), None);
        assert_eq!((turned.axial(), turned.handedness()), (turned.sign, 1.0));
    }
}
