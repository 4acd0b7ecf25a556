//! Effect of mirroring, moving and turning a subassembly or an item of a frame on the values of its keys.
//!
//! A use places its file, and a frame its items, by r ↦ S r + t with an orthogonal matrix S. One mirror changes one
//! sign, two mirrors of different axes are half a turn, two of one axis cancel; a frame is a rotation. Vectors that are
//! differences of places (*polar* ones: normals, forces, travel) become S v; vectors that define a sense of rotation
//! (*axial* ones: axes of revolute joints, torques, angular velocities) become det(S) S v; an inertia J becomes S J Sᵀ.
//! So a motion of the mechanism becomes the mirrored and turned motion with equal joint coordinates: a rotation R of a
//! body becomes S R Sᵀ, about an axial axis by the same angle. Two kinds of joints have coordinates that change. A
//! cylindrical joint has one axis for a travel and an angle: its axis is polar, its travel is unchanged, its angle is
//! multiplied by det(S). A floating joint has no local axes: its x, y and z are world coordinates and are multiplied by
//! S. Items that act on one of them can follow if that is a change of sign.

use super::defaults::{remove_defaults, write_defaults};
use crate::document::from_value;
use crate::document::nearest::list;
use crate::elements;
use crate::schema::{JointKind, JointKindName, MirrorNormal};
use ballesta_solver::joint::coordinates::{Reflection, SecondAxis};
use ballesta_solver::math::Vec3;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Effect of a mirror on a key.
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
    /// A value for the coordinate that `joint` and `coordinate` name: changes its sign with the coordinate.
    Coordinate,
    /// As [`Rule::Coordinate`], for the factor of a signal.
    Gain,
    /// Rows of a coordinate and an effort that both change their sign.
    OddRows,
    /// Rows of time and coordinate.
    TimeRows,
    /// The lower and the upper end of a range of the coordinate.
    Ends,
    /// Ratio, radius or offset between two coordinates.
    Coupling,
    /// For a driver: the angle of the steering wheel that turns the vehicle to the left.
    Steering,
    /// Factors of the coordinates that `joint` and `coordinate` next to them name: shares of a torque, ratios.
    Shares,
    /// `left` and `right` are exchanged.
    Side,
    /// Unchanged.
    Unchanged,
}

impl Rule {
    /// Short description.
    pub fn meaning(self) -> &'static str {
        match self {
            Rule::Polar => "the component along the mirror normal changes sign",
            Rule::Axial => "the other two components change sign",
            Rule::Inertia => "the two products with the mirror normal change sign",
            Rule::JointAxis => {
                "revolute, universal, pin_on_curve, constant_velocity: the components across the normal change sign; \
                 prismatic, cylindrical: the component along the normal changes sign; planar: `axis` as revolute, \
                 `second_axis` as prismatic"
            }
            Rule::JointPosition => {
                "translations along the normal and the two quaternion components across it change sign; so does the \
                 angle of a cylindrical joint"
            }
            Rule::JointSpeed => {
                "velocities along the normal and angular velocities across it change sign; so does the angular speed \
                 of a cylindrical joint"
            }
            Rule::Bushing => {
                "both axes as polar vectors; the third axis reverses; `preload` refers to these axes, so its third \
                 force and first two torques change sign"
            }
            Rule::Frame => "not mirrored; rotated by an even number of mirrors",
            Rule::ShapeFrame => "both axes as polar vectors; a mesh is mirrored: `mirrored` is inverted",
            Rule::Coordinate => {
                "changes sign with the coordinate: for the angle of a cylindrical joint in a mirror, and for the `x`, \
                 `y` or `z` of a floating joint along the normal"
            }
            Rule::Gain => "changes sign with the coordinate; the signal is unchanged",
            Rule::OddRows => "both columns change sign with the coordinate",
            Rule::TimeRows => "the second column changes sign with the coordinate",
            Rule::Ends => "changes sign with the coordinate, and the ends are exchanged",
            Rule::Coupling => "changes sign with the coordinates",
            Rule::Steering => "a mirror with the normal x or y turns a left turn into a right turn: changes sign",
            Rule::Shares => "changes sign with the coordinate next to it",
            Rule::Side => "`left` and `right` are exchanged",
            Rule::Unchanged => "nothing",
        }
    }
}

/// The rules of tables without force elements ([`elements`] has the rules of these). Points change wherever they occur,
/// so they are not listed.
const RULES: &[(&str, Rule)] = &[
    ("body.inertia", Rule::Inertia),
    ("flexible_body.x_axis", Rule::Frame),
    ("flexible_body.y_axis", Rule::Frame),
    ("curve.normal", Rule::Axial),
    ("joint.axis", Rule::JointAxis),
    ("joint.second_axis", Rule::JointAxis),
    ("joint.second_shaft", Rule::Axial),
    ("joint.up", Rule::Polar),
    ("joint.position", Rule::JointPosition),
    ("joint.position_deg", Rule::JointPosition),
    ("joint.speed", Rule::JointSpeed),
    ("coupler.ratio", Rule::Coupling),
    ("coupler.offset", Rule::Coupling),
    ("coupler.coordinates.ratio", Rule::Shares),
    ("coupler.table", Rule::Unchanged),
    ("coupler.cam.rise", Rule::Unchanged),
    ("coupler.cam.over", Rule::Unchanged),
    ("coupler.cam.over_deg", Rule::Unchanged),
    ("coupler.geneva.slots", Rule::Unchanged),
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
    ("solid.axis", Rule::Polar),
    ("solid.x_axis", Rule::ShapeFrame),
    ("solid.y_axis", Rule::ShapeFrame),
    ("solid.size", Rule::Unchanged),
    ("solid.surface_velocity", Rule::Polar),
    ("output.low_pass.cutoff_hz", Rule::Unchanged),
    ("road.patch.x", Rule::Unchanged),
    ("road.patch.y", Rule::Unchanged),
    ("road.bump.y", Rule::Unchanged),
    ("road.map_start", Rule::Unchanged),
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

/// All rules with their keys; force elements are last.
pub fn rules() -> Vec<(String, Rule)> {
    let of_elements = elements::TABLES
        .iter()
        .flat_map(|table| table.mirror.iter().map(|(key, rule)| (format!("{}.{key}", table.name), *rule)));
    RULES.iter().map(|(key, rule)| (key.to_string(), *rule)).chain(of_elements).collect()
}

/// Rows of a matrix that acts on the numbers of a key.
type Rows = Vec<Vec<f64>>;

/// Rows of the unit matrix.
const UNIT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Entries of S that differ from 0, 1 or −1 by less are rounded to it, so that a direction along an axis remains along
/// one.
const ROUNDING: f64 = 4e-16;

/// r ↦ S r + t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placement {
    /// S by rows, orthogonal.
    pub matrix: [[f64; 3]; 3],
    /// t, m.
    pub shift: [f64; 3],
}

impl Placement {
    /// The identity: values are used unchanged.
    pub const IDENTITY: Placement = Placement { matrix: UNIT, shift: [0.0; 3] };

    /// From the keys of a use.
    pub fn of_use(mirror: Option<MirrorNormal>, translate: Option<[f64; 3]>) -> Placement {
        let mut matrix = UNIT;
        if let Some(normal) = mirror.map(|normal| normal as usize) {
            matrix[normal][normal] = -1.0;
        }
        Placement { matrix, shift: translate.unwrap_or_default() }
    }

    /// First `inner`, then `self`.
    pub fn after(&self, inner: &Placement) -> Placement {
        let entry = |i: usize, j: usize| (0..3).map(|k| self.matrix[i][k] * inner.matrix[k][j]).sum();
        let rounded = |x: f64| if (x - x.round()).abs() < ROUNDING { x.round() } else { x };
        let moved = |i: usize| (0..3).map(|k| self.matrix[i][k] * inner.shift[k]).sum::<f64>();
        Placement {
            matrix: [0, 1, 2].map(|i| [0, 1, 2].map(|j| rounded(entry(i, j)))),
            shift: [0, 1, 2].map(|i| moved(i) + self.shift[i]),
        }
    }

    /// det(S).
    fn handedness(&self) -> f64 {
        let [x, y, z] = self.matrix.map(Vec3::from);
        if x.cross(&y).dot(&z) < 0.0 { -1.0 } else { 1.0 }
    }

    /// The matrix for polar vectors, S.
    fn polar(&self) -> Rows {
        self.matrix.iter().map(|row| row.to_vec()).collect()
    }

    /// The matrix for axial vectors, det(S) S.
    fn axial(&self) -> Rows {
        self.matrix.iter().map(|row| row.map(|entry| self.handedness() * entry).to_vec()).collect()
    }

    /// The matrix for xx, yy, zz, xy, yz, xz of an inertia: its entry ab becomes Σ S_ac S_bd J_cd.
    fn of_inertia(&self) -> Rows {
        const ENTRIES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)];
        let s = &self.matrix;
        let factor = |(a, b): (usize, usize), (c, d): (usize, usize)| {
            s[a][c] * s[b][d] + if c == d { 0.0 } else { s[a][d] * s[b][c] }
        };
        ENTRIES.iter().map(|to| ENTRIES.iter().map(|from| factor(*to, *from)).collect()).collect()
    }

    /// Places the coordinates of a point.
    pub fn place(&self, key: &str, point: &mut Value, complain: &mut Complain) {
        mix(key, point, &self.polar(), complain);
        for (i, number) in point.as_array_mut().into_iter().flatten().enumerate().take(3) {
            match number.as_f64() {
                Some(value) if self.shift[i] != 0.0 => {
                    set(&format!("{key}[{i}]"), number, value + self.shift[i], complain)
                }
                None if self.shift[i] != 0.0 => {
                    let found = format!(
                        "a translation cannot be applied to the parameter \"{}\"",
                        number.as_str().unwrap_or_default()
                    );
                    complain(&format!("{key}[{i}]"), found, NUMBER);
                }
                _ => {}
            }
        }
    }

    /// Changes an item of a table whose points are already changed. `joints` are the joints that the item may name, by
    /// the names that its file uses.
    pub fn change(&self, table: &str, item: &mut Map<String, Value>, joints: &Joints, complain: &mut Complain) {
        if table == "flexible_body" {
            self.flexible_body(item, complain);
        }
        if table == "shape" || table == "solid" {
            self.shape(item, complain);
        }
        // A joint that an item names may be mirrored while the item is not, or may be mirrored once more.
        let stays = self.matrix == UNIT;
        if stays && joints.scopes.iter().all(|(_, placement)| placement.matrix == UNIT) {
            return;
        }
        match table {
            "bushing" if stays => return,
            "bushing" => return self.bushing(item, complain),
            _ => {}
        }
        let kind =
            item.get("type").and_then(|kind| from_value::<JointKindName>(kind.clone()).ok()).map(JointKind::from);
        if let Some(kind) = kind.filter(|_| table == "joint" && !stays) {
            self.second_axis_of_a_plane(item, kind, complain);
        }
        let before = item.clone();
        write_defaults(table, item);
        let signs = (joints.sign(item), joints.of_coupling(item));
        if table != "output" && [signs.0, signs.1[0], signs.1[1]].iter().any(|sign| sign.abs() != 1.0) {
            return complain("", TURNED.into(), STRAIGHT);
        }
        for (key, rule) in rules_of(table) {
            if rule == Rule::Shares {
                joints.shares(item, key, complain);
                continue;
            }
            let value = match key.split_once('.') {
                Some((first, rest)) => {
                    let pointer = format!("/{}", rest.replace('.', "/"));
                    item.get_mut(first).and_then(|inner| inner.pointer_mut(&pointer))
                }
                None => item.get_mut(key),
            };
            if let Some(value) = value.filter(|value| !value.is_null()) {
                self.apply(rule, (key, value), kind, signs, complain);
            }
        }
        // Unchanged keys need not be written.
        remove_defaults(table, item, &before);
        if table == "bump_stop" && signs.0 < 0.0 {
            let (lower, upper) = (item.remove("lower"), item.remove("upper"));
            item.extend(
                [("lower", upper), ("upper", lower)].into_iter().filter_map(|(k, v)| Some((k.to_string(), v?))),
            );
        }
    }

    /// Changes the value of a key. `kind`: the type of a joint; `signs`: the sign of the coordinate that the item
    /// names, and the signs of the two coordinates that it couples.
    fn apply(
        &self,
        rule: Rule,
        (key, value): (&str, &mut Value),
        kind: Option<JointKind>,
        (coordinate, coupling): (f64, [f64; 2]),
        complain: &mut Complain,
    ) {
        match rule {
            Rule::Polar => mix(key, value, &self.polar(), complain),
            Rule::Axial => mix(key, value, &self.axial(), complain),
            Rule::Inertia => mix(key, value, &self.of_inertia(), complain),
            Rule::JointAxis => mix(key, value, &self.joint_axis(kind, key == "second_axis"), complain),
            Rule::JointPosition => mix(key, value, &self.joint_rows(kind, 1), complain),
            Rule::JointSpeed => mix(key, value, &self.joint_rows(kind, 0), complain),
            Rule::Coordinate | Rule::Gain | Rule::Ends => signs(key, value, &[coordinate], complain),
            Rule::OddRows if coordinate < 0.0 => {
                signs(key, value, &[-1.0, -1.0], complain);
                value.as_array_mut().into_iter().for_each(|rows| rows.reverse());
            }
            Rule::TimeRows => signs(key, value, &[1.0, coordinate], complain),
            Rule::Coupling => {
                let sign = if key == "offset" { coupling[1] } else { coupling[0] * coupling[1] };
                signs(key, value, &[sign], complain);
            }
            // A driver steers in the horizontal plane: a frame, or a mirror with the normal z, does not exchange left
            // and right.
            Rule::Steering if self.handedness() * self.matrix[2][2] < 0.0 => signs(key, value, &[-1.0], complain),
            Rule::Side if self.handedness() < 0.0 => match value.as_str() {
                Some("left") => *value = "right".into(),
                Some("right") => *value = "left".into(),
                _ => {}
            },
            _ => {}
        }
    }

    fn of_reflection(&self, reflection: Reflection) -> f64 {
        match reflection {
            Reflection::Same => 1.0,
            Reflection::Handedness => self.handedness(),
            Reflection::World(axis) => self.matrix[axis][axis],
        }
    }

    fn joint_axis(&self, kind: Option<JointKind>, second: bool) -> Rows {
        let axial = kind.is_some_and(|kind| kind.row().axial[usize::from(second)]);
        if axial { self.axial() } else { self.polar() }
    }

    /// The matrix for the initial positions (`scalars` 1: a quaternion begins with its scalar part) or speeds (0).
    fn joint_rows(&self, kind: Option<JointKind>, scalars: usize) -> Rows {
        let coordinates = kind.map_or(&[][..], JointKind::coordinates);
        let first = coordinates.len();
        let ball = kind.and_then(JointKind::quaternion).is_some();
        let count = first + if ball { scalars + 3 } else { 0 };
        let mut rows = vec![vec![0.0; count]; count];
        for (index, coordinate) in coordinates.iter().enumerate() {
            match coordinate.reflection {
                Reflection::World(axis) => rows[index][..3].copy_from_slice(&self.matrix[axis]),
                other => rows[index][index] = self.of_reflection(other),
            }
        }
        if ball {
            (0..scalars).for_each(|index| rows[first + index][first + index] = 1.0);
            for (row, axial) in rows[first + scalars..].iter_mut().zip(self.axial()) {
                row[first + scalars..].copy_from_slice(&axial);
            }
        }
        rows
    }

    /// Writes out the direction of `x` of a planar joint, or the axis of the second angle of a constant-velocity joint,
    /// which may be omitted in the file.
    fn second_axis_of_a_plane(&self, item: &mut Map<String, Value>, kind: JointKind, complain: &mut Complain) {
        let given =
            ["second_axis", "second_shaft"].iter().any(|key| item.get(*key).is_some_and(|axis| !axis.is_null()));
        if kind.row().second_axis != SecondAxis::Optional || given || !item.contains_key("axis") {
            return;
        }
        let Some(axis) = item.get("axis").and_then(unit) else {
            return complain(
                "axis",
                format!("a mirrored or rotated {} joint has an axis with parameters", kind.row().name),
                "add `second_axis`",
            );
        };
        let helper = if axis[0].abs() < 0.9 { 0 } else { 1 };
        item.insert("second_axis".into(), json!(perpendicular(helper, &axis)));
    }

    /// The first two axes of a bushing change as polar vectors; so the third axis has the opposite sign of the mirrored
    /// axis, and with it preload along it, and about the other two.
    fn bushing(&self, item: &mut Map<String, Value>, complain: &mut Complain) {
        let present = |item: &Map<String, Value>, key: &str| item.get(key).is_some_and(|value| !value.is_null());
        if !present(item, "axis") {
            item.insert("axis".into(), json!([1.0, 0.0, 0.0]));
        }
        if !present(item, "second_axis") {
            let Some(axis) = unit(&item["axis"]) else {
                let found = "a mirrored or rotated bushing has an axis with parameters";
                return complain("axis", found.into(), "add `second_axis`");
            };
            // As in the force element: z if the axis is within one degree of y.
            let sine = (1.0 - axis[1] * axis[1]).max(0.0).sqrt();
            item.insert("second_axis".into(), json!(perpendicular(if sine > 0.0175 { 1 } else { 2 }, &axis)));
        }
        for key in ["axis", "second_axis"] {
            mix(key, &mut item[key], &self.polar(), complain);
        }
        let d = self.handedness();
        if let Some(preload) = item.get_mut("preload") {
            signs("preload", preload, &[1.0, 1.0, d, d, d, 1.0], complain);
        }
    }

    /// A mesh at the origin of W moves too, and is mirrored itself; boxes are their own mirror images.
    fn shape(&self, item: &mut Map<String, Value>, complain: &mut Complain) {
        let empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        let absent = |item: &Map<String, Value>, key: &str| item.get(key).is_none_or(empty);
        let is = |kind: &str| item.get("type").and_then(Value::as_str) == Some(kind);
        let (mesh, framed, round) =
            (is("mesh"), is("mesh") || is("box"), is("cylinder") || is("capsule") || is("plane"));
        // The body of a plane is on one side; the others are their own mirror images.
        let upright = if is("plane") { self.matrix[2][2] == 1.0 } else { self.matrix[2][2].abs() == 1.0 };
        if mesh && absent(item, "point") && self.shift != [0.0; 3] {
            item.insert("point".into(), json!(self.shift));
        }
        if framed {
            self.axes(item, complain);
        }
        if round && absent(item, "points") && absent(item, "axis") && !upright {
            item.insert("axis".into(), json!([0.0, 0.0, 1.0]));
        }
        if mesh && self.handedness() < 0.0 {
            let mirrored = item.get("mirrored").and_then(Value::as_bool).unwrap_or(false);
            item.insert("mirrored".into(), json!(!mirrored));
        }
    }

    /// A reduced-order model cannot be mirrored, only turned and moved.
    fn flexible_body(&self, item: &mut Map<String, Value>, complain: &mut Complain) {
        if self.handedness() < 0.0 {
            let found = "a mirror cannot be applied to a flexible body: its reduced-order model is not mirrored";
            return complain("", found.into(), "add it with `[[use]]` and a mirrored structure of its own");
        }
        let absent = |item: &Map<String, Value>, key: &str| item.get(key).is_none_or(Value::is_null);
        if absent(item, "position") && self.shift != [0.0; 3] {
            item.insert("position".into(), json!(self.shift));
        }
        self.axes(item, complain);
    }

    /// The x and y axes of a frame, written out if the file omits them.
    fn axes(&self, item: &mut Map<String, Value>, complain: &mut Complain) {
        let absent = |item: &Map<String, Value>, key: &str| item.get(key).is_none_or(Value::is_null);
        for (key, default) in [("x_axis", [1.0, 0.0, 0.0]), ("y_axis", [0.0, 1.0, 0.0])] {
            if absent(item, key) && self.matrix != UNIT {
                item.insert(key.into(), json!(default));
            }
            if let Some(axis) = item.get_mut(key) {
                mix(key, axis, &self.polar(), complain);
            }
        }
    }
}

/// The joints that an item may name: first the joints of its file, then the joints of the files around it, each with
/// its mirrors and frames.
#[derive(Default)]
pub(super) struct Joints<'k> {
    pub scopes: Vec<(&'k HashMap<String, JointKind>, Placement)>,
}

impl Joints<'_> {
    /// The sign of the coordinate that an item names; 1 if it names none. The sign is a number between −1 and 1 if a
    /// frame turns the world axis along which the coordinate is measured.
    fn sign(&self, item: &Map<String, Value>) -> f64 {
        let found = item
            .get("joint")
            .and_then(Value::as_str)
            .and_then(|name| self.scopes.iter().find_map(|(kinds, placement)| Some((kinds.get(name)?, placement))));
        let coordinate = |kind: &JointKind| kind.coordinate(item.get("coordinate").and_then(Value::as_str));
        let reflected = found.and_then(|(kind, placement)| Some(placement.of_reflection(coordinate(kind)?.reflection)));
        reflected.unwrap_or(1.0)
    }

    /// The factors of coordinates in a list change their signs with the coordinates, for example the shares of a speed
    /// control in the torque. `key` is list and factor.
    fn shares(&self, item: &mut Map<String, Value>, key: &str, complain: &mut Complain) {
        let Some((list, factor)) = key.split_once('.') else { return };
        for (index, on) in item.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().enumerate() {
            let Some(on) = on.as_object_mut() else { continue };
            let sign = self.sign(on);
            let Some(share) = on.get_mut(factor).filter(|share| !share.is_null()) else { continue };
            turn(&format!("{list}[{index}].{factor}"), share, sign, complain);
        }
    }

    /// The signs of the two coordinates that an item couples; 1 if each has a ratio, which carries its sign.
    fn of_coupling(&self, item: &Map<String, Value>) -> [f64; 2] {
        let pair = item.get("coordinates").and_then(Value::as_array);
        let own = |on: &Value| on.get("ratio").is_some_and(|ratio| !ratio.is_null());
        let pair = pair.filter(|pair| !pair.iter().any(own));
        [("pinion", 0), ("rack", 1)].map(|(key, index)| {
            let side = item.get(key).or_else(|| pair?.get(index)).and_then(Value::as_object);
            side.map_or(1.0, |side| self.sign(side))
        })
    }
}

/// Receives a key of the item, the error and the correction.
pub(super) type Complain<'c> = dyn FnMut(&str, String, &str) + 'c;

/// Hint if the name of an input or parameter is not allowed.
pub(super) const NUMBER: &str = "write a number, or a parameter that the `[[use]]` sets to a number";
/// A coordinate that cannot be turned.
const TURNED: &str = "the value belongs to the `x`, `y` or `z` of a floating joint, an axis of the world, and a frame \
                      would rotate this axis";
const STRAIGHT: &str = "replace the floating joint by joints of type \"prismatic\"";

/// Multiplies the numbers of an array by a matrix, and the only number of a key by its only entry. A name that would
/// become part of a sum, or change its sign, is an error.
fn mix(key: &str, value: &mut Value, rows: &Rows, complain: &mut Complain) {
    let Some(entries) = value.as_array_mut() else {
        if let [row] = rows.as_slice() {
            turn(key, value, row[0], complain);
        }
        return;
    };
    if entries.len() != rows.len() {
        return;
    }
    let old = entries.clone();
    // Another name in its place, or a changed sign.
    let only = |row: &[f64]| {
        let mut others = (0..row.len()).filter(|j| row[*j] != 0.0);
        others.next().filter(|j| row[*j].abs() == 1.0 && others.next().is_none())
    };
    for (j, name) in old.iter().enumerate().filter_map(|(j, entry)| Some((j, entry.as_str()?))) {
        if rows.iter().any(|row| row[j] != 0.0 && only(row).is_none()) {
            let found = format!("a frame rotates this vector, which contains the parameter or input {}", list(&[name]));
            return complain(&format!("{key}[{j}]"), found, NUMBER);
        }
    }
    for (i, (entry, row)) in entries.iter_mut().zip(rows).enumerate() {
        if let Some(j) = only(row) {
            *entry = old[j].clone();
            turn(&format!("{key}[{i}]"), entry, row[j], complain);
        } else {
            let terms = row.iter().zip(&old).map(|(factor, number)| factor * number.as_f64().unwrap_or_default());
            set(&format!("{key}[{i}]"), entry, terms.fold(0.0, |sum, term| sum + term), complain);
        }
    }
}

/// Multiplies numbers, or every row of numbers, by signs; a name whose sign would change is an error.
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
    if sign == 1.0 {
        return;
    }
    if sign != -1.0 {
        return complain(key, TURNED.into(), STRAIGHT);
    }
    match number.as_f64() {
        // No negative zeros: a file written by hand has none either.
        Some(value) if value != 0.0 => *number = json!(-value),
        Some(_) => {}
        None => {
            let name = number.as_str().unwrap_or_default().to_string();
            let found = format!(
                "a mirror or a frame changes the sign of this value, which is the parameter or input \
                                 {}",
                list(&[&name])
            );
            complain(key, found, NUMBER);
        }
    }
}

/// Inserts a number; a number that is not finite is an error.
fn set(key: &str, number: &mut Value, value: f64, complain: &mut Complain) {
    if !value.is_finite() {
        return complain(
            key,
            "after rotation and translation this number is too large".into(),
            "write a smaller number",
        );
    }
    *number = json!(value);
}

/// Unit vector of three plain numbers; `None` for names and zero.
fn unit(vector: &Value) -> Option<[f64; 3]> {
    let entry = |i: usize| vector.get(i).and_then(Value::as_f64);
    let vector = [entry(0)?, entry(1)?, entry(2)?];
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    (length > 1e-100).then(|| vector.map(|x| x / length))
}

/// The component of the coordinate axis `helper` perpendicular to a unit vector, normalised.
fn perpendicular(helper: usize, axis: &[f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| f64::from(u8::from(i == helper)) - axis[i] * axis[helper])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::schema::{Leaf, documented, keys};

    #[test]
    fn it_is_known_how_every_vector_and_every_value_on_a_coordinate_is_mirrored() {
        let keys = keys(&documented());
        let table = |pattern: &str| pattern.split('.').next().unwrap_or_default().to_string();
        let on_coordinate = |name: &str| {
            let mut joints = keys.iter().filter(|key| table(&key.pattern) == name && name != "output");
            joints.any(|key| key.leaf == Leaf::Text && key.pattern.ends_with(".joint"))
        };
        let matters = keys.iter().filter(|key| {
            key.numeric && key.pattern.contains('.') && (key.in_array || on_coordinate(&table(&key.pattern)))
        });
        let rules = rules();
        let known = |pattern: &str| {
            rules.iter().any(|(known, _)| *known == pattern)
                || pattern.starts_with("use.")
                || pattern.starts_with("frame.")
        };
        let unknown: Vec<&String> = matters.map(|key| &key.pattern).filter(|pattern| !known(pattern)).collect();
        assert!(
            unknown.is_empty(),
            "say in RULES, or in the rows of force elements, how these keys are mirrored: {unknown:?}"
        );
    }

    #[test]
    fn a_mirror_twice_is_none_and_two_mirrors_are_half_a_turn() {
        let y = |shift| Placement::of_use(Some(MirrorNormal::Y), Some(shift));
        let once = y([1.0, 2.0, 3.0]);
        assert_eq!((once.matrix[1], once.handedness()), ([0.0, -1.0, 0.0], -1.0));
        assert_eq!(once.after(&y([0.0, 2.0, 0.0])), Placement { shift: [1.0, 0.0, 3.0], ..Placement::IDENTITY });
        let turned = once.after(&Placement::of_use(Some(MirrorNormal::X), None));
        assert_eq!((turned.axial(), turned.handedness()), (turned.polar(), 1.0));
    }
}
