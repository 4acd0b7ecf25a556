//! Effect of mirroring, moving and turning a subassembly or an item of a frame on the values of its keys.
//!
//! A use places its file, and a frame its items, by r ↦ S r + t with an orthogonal matrix S. One mirror changes one
//! sign, two mirrors of different axes are half a turn, two of one axis cancel; a frame is a rotation. *Polar* vectors
//! are differences of places (normals, forces, travel) and become S v. *Axial* vectors define a sense of rotation (axes
//! of revolute joints, torques, angular velocities) and become det(S) S v. An inertia J becomes S J Sᵀ. So a motion
//! becomes the mirrored and turned motion with equal joint coordinates. A rotation R of a body becomes S R Sᵀ, with an
//! equal angle about an axial axis. Two kinds of joints have coordinates that change. A
//! cylindrical joint has one axis for a travel and an angle: its axis is polar, its travel is unchanged, its angle is
//! multiplied by det(S). A floating joint has no local axes: its x, y and z are world coordinates and are multiplied by
//! S. Items that act on one of them can follow if that is a change of sign.

use crate::document::Transform;
use crate::document::nearest::list;
use crate::geometry::{Field, Implied, Item, Kind, Valued, View, numbers};
use crate::schema::{JointKind, MirrorNormal, Model, Number, Place};
use ballesta_solver::joint::coordinates::Reflection;
use ballesta_solver::math::Vec3;
use std::collections::HashMap;

/// All keys that a mirror changes, with the effect in words.
pub fn mirrored_keys() -> Vec<(String, &'static str)> {
    let mut keys = Vec::new();
    Model::kinds("", Kind::Plain, &mut keys);
    keys.into_iter().filter_map(|(key, kind)| Some((key, kind.meaning()?))).collect()
}

/// Rows of a matrix that acts on the numbers of a key.
type Rows = Vec<Vec<f64>>;

/// Rows of the unit matrix.
const UNIT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Entries of S that differ from 0, 1 or −1 by less are rounded to it, so that a direction along an axis remains along
/// one.
const ENTRY_TOLERANCE: f64 = 4e-16;

/// r ↦ S r + t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placement {
    /// S by rows, orthogonal.
    pub matrix: [[f64; 3]; 3],
    /// t, m.
    pub shift: [f64; 3],
}

impl From<Placement> for Transform {
    fn from(Placement { matrix, shift }: Placement) -> Transform {
        Transform { matrix, shift }
    }
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
        let rounded = |x: f64| if (x - x.round()).abs() < ENTRY_TOLERANCE { x.round() } else { x };
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

    /// Places a point.
    pub fn place_point(&self, key: &str, point: &mut [Number; 3], complain: &mut Complain) {
        mix(key, point, &self.polar(), complain);
        for (i, number) in point.iter_mut().enumerate().filter(|(i, _)| self.shift[*i] != 0.0) {
            let key = format!("{key}[{i}]");
            match number {
                Number::Value(value) => *value = sum(&key, *value + self.shift[i], complain).unwrap_or(*value),
                Number::Parameter(name) => {
                    let found = format!("a translation cannot be applied to the parameter \"{name}\"");
                    complain(&key, found, NUMBER);
                }
            }
        }
    }

    /// Places an item. `joints` are the joints that it may name.
    pub fn place(&self, item: &mut dyn Item, joints: &Joints, complain: &mut Complain) {
        let mut fields = item.fields();
        self.points("", &mut fields, complain);
        // A joint that an item names may be mirrored while the item is not, or may be mirrored once more.
        let stays = self.matrix == UNIT;
        if stays && joints.scopes.iter().all(|(.., placement)| placement.matrix == UNIT) {
            return;
        }
        if self.handedness() < 0.0 && fields.iter().any(|field| field.kind == Kind::FrameAxis) {
            let found = "a mirror cannot be applied to a flexible body: its reduced-order model is not mirrored";
            return complain("", found.into(), "add it with `[[use]]` and a mirrored structure of its own");
        }
        let omitted = self.write_defaults(&mut fields, complain);
        let coordinate = joints.sign(&mut fields).unwrap_or(1.0);
        let coupling = joints.of_coupling(&mut fields);
        if [coordinate, coupling[0], coupling[1]].iter().any(|sign| sign.abs() != 1.0) {
            return complain("", TURNED.into(), STRAIGHT);
        }
        let kind = fields.iter_mut().find_map(|field| match field.value.view() {
            View::Joint(kind) if !stays => Some(kind),
            _ => None,
        });
        let placing = Placing { placement: self, joints, kind, coupling };
        placing.fields("", &mut fields, coordinate, complain);
        omitted.into_iter().for_each(|index| remove_default(&mut fields[index]));
        if coordinate < 0.0 {
            let mut ends = fields.iter_mut().filter(|field| matches!(field.kind, Kind::LowerEnd | Kind::UpperEnd));
            if let (Some(lower), Some(upper)) = (ends.next(), ends.next()) {
                lower.value.exchange(upper.value);
            }
        }
    }

    /// Places the points of an item, also omitted ones with a default.
    fn points(&self, path: &str, fields: &mut [Field], complain: &mut Complain) {
        for field in fields {
            let key = join(path, field.key);
            if let (View::Absent, [_, _, _]) = (field.value.view(), field.implied.numbers()) {
                field.value.fill(field.implied.numbers());
                match field.value.view() {
                    View::Place(_) => self.points_in(&key, field.value.view(), complain),
                    _ => field.value.clear(),
                }
                remove_default(field);
                continue;
            }
            self.points_in(&key, field.value.view(), complain);
        }
    }

    fn points_in(&self, key: &str, value: View, complain: &mut Complain) {
        match value {
            View::Place(Place::At(point)) => self.place_point(key, point, complain),
            View::List(list) => list.each(|index, view| self.points_in(&format!("{key}[{index}]"), view, complain)),
            View::Table(item) => self.points(key, &mut item.fields(), complain),
            _ => {}
        }
    }

    /// Writes out the defaults that an item omits; returns the fields whose unchanged defaults are removed again.
    fn write_defaults(&self, fields: &mut [Field], complain: &mut Complain) -> Vec<usize> {
        let mut omitted = Vec::new();
        // A default that a mirror changes must be written out before the values are mirrored.
        for (index, field) in fields.iter_mut().enumerate() {
            let absent = matches!(field.value.view(), View::Absent);
            // Some defaults are unknown here and must be given in the file.
            match &field.implied {
                Implied::Written(numbers) if absent && self.matrix != UNIT => field.value.fill(numbers),
                Implied::Unknown(key, found, expected) if absent && self.matrix != UNIT => {
                    complain(key, found.clone(), expected);
                }
                // Other defaults are removed again if the mirror does not change them.
                Implied::Value(numbers) if absent => {
                    field.value.fill(numbers);
                    omitted.push(index);
                }
                Implied::Line(direction) if absent => {
                    field.value.fill(direction);
                    omitted.push(index);
                }
                // Lists of factors can have single entries without a value.
                Implied::Value(numbers) => {
                    let mut any = false;
                    each_factor(field.value, |factor| {
                        if matches!(factor.view(), View::Absent) {
                            factor.fill(numbers);
                            any = true;
                        }
                    });
                    if any {
                        omitted.push(index);
                    }
                }
                _ => {}
            }
        }
        omitted
    }

    fn of_reflection(&self, reflection: Reflection) -> f64 {
        match reflection {
            Reflection::Same => 1.0,
            Reflection::Handedness => self.handedness(),
            Reflection::World(axis) => self.matrix[axis][axis],
        }
    }

    /// The matrix for the initial positions (`scalars` 1: a quaternion begins with its scalar part) or speeds (0).
    fn joint_rows(&self, kind: Option<JointKind>, scalars: usize) -> Rows {
        let coordinates = kind.map_or(&[][..], JointKind::coordinates);
        let first = coordinates.len();
        let ball = kind.and_then(JointKind::quaternion).is_some();
        // The displacements of a body that rolls follow the quaternion.
        let rolls = scalars == 1 && kind.is_some_and(JointKind::is_rolling);
        let count = first + if ball { scalars + 3 } else { 0 } + if rolls { 2 } else { 0 };
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
                row[first + scalars..first + scalars + 3].copy_from_slice(&axial);
            }
        }
        if rolls {
            // y is along the normal times the direction of x.
            (rows[4][4], rows[5][5]) = (1.0, self.handedness());
        }
        rows
    }
}

/// Calls `act` with the factors in a list of coordinates.
fn each_factor(list: &mut dyn Valued, mut act: impl FnMut(&mut dyn Valued)) {
    let View::List(list) = list.view() else { return };
    list.each(|_, view| {
        let View::Table(item) = view else { return };
        item.fields().into_iter().filter(|field| field.kind == Kind::Factor).for_each(|field| act(field.value));
    });
}

/// Omits a value that is its default again; in a list of coordinates all factors, if each is the default.
fn remove_default(field: &mut Field) {
    let default = field.implied.numbers();
    let same = |value: &mut dyn Valued, sign: f64| {
        let numbers = numbers(value.view());
        numbers.len() == default.len() && numbers.iter().zip(default).all(|(one, other)| *one == Some(sign * other))
    };
    let opposite = matches!(field.implied, Implied::Line(_)) && same(field.value, -1.0);
    if same(field.value, 1.0) || opposite {
        field.value.clear();
    }
    let mut unchanged = true;
    each_factor(field.value, |factor| unchanged &= same(factor, 1.0));
    if unchanged {
        each_factor(field.value, |factor| factor.clear());
    }
}

/// A placement with the data of an item.
struct Placing<'p> {
    placement: &'p Placement,
    joints: &'p Joints<'p>,
    /// Type of a joint.
    kind: Option<JointKind>,
    /// Signs of the two coordinates that the item couples.
    coupling: [f64; 2],
}

impl Placing<'_> {
    /// Changes the values of a table. `coordinate`: sign of the coordinate on which it acts.
    fn fields(&self, path: &str, fields: &mut [Field], coordinate: f64, complain: &mut Complain) {
        for field in fields {
            self.value(&join(path, field.key), field.kind, field.value.view(), coordinate, complain);
        }
    }

    fn value(&self, key: &str, kind: Kind, mut value: View, coordinate: f64, complain: &mut Complain) {
        let placement = self.placement;
        let handedness = placement.handedness();
        match kind {
            Kind::Plain => match value {
                View::Table(item) => {
                    let mut fields = item.fields();
                    let own = self.joints.sign(&mut fields).unwrap_or(coordinate);
                    self.fields(key, &mut fields, own, complain);
                }
                View::List(list) => {
                    list.each(|i, view| self.value(&format!("{key}[{i}]"), kind, view, coordinate, complain));
                }
                _ => {}
            },
            Kind::Defines(_) | Kind::Refers(_) | Kind::Joint | Kind::Coordinate => {}
            Kind::Polar | Kind::FrameAxis => mix_view(key, value, &placement.polar(), complain),
            Kind::Axial => mix_view(key, value, &placement.axial(), complain),
            Kind::Inertia => mix_view(key, value, &placement.of_inertia(), complain),
            Kind::JointAxis(place) => {
                let axial = self.kind.is_some_and(|kind| kind.row().axial[place]);
                let rows = if axial { placement.axial() } else { placement.polar() };
                mix_view(key, value, &rows, complain);
            }
            Kind::JointPosition => mix_view(key, value, &placement.joint_rows(self.kind, 1), complain),
            Kind::JointSpeed => mix_view(key, value, &placement.joint_rows(self.kind, 0), complain),
            Kind::BushingLoad => {
                signs(key, &mut value, &[1.0, 1.0, handedness, handedness, handedness, 1.0], complain);
            }
            Kind::OnCoordinate | Kind::Gain | Kind::Factor | Kind::LowerEnd | Kind::UpperEnd => {
                signs(key, &mut value, &[coordinate], complain);
            }
            Kind::OddRows if coordinate < 0.0 => {
                signs(key, &mut value, &[-1.0, -1.0], complain);
                if let View::List(rows) = value {
                    rows.reverse();
                }
            }
            Kind::TimeRows => signs(key, &mut value, &[1.0, coordinate], complain),
            Kind::CouplingRatio => signs(key, &mut value, &[self.coupling[0] * self.coupling[1]], complain),
            Kind::CouplingOffset => signs(key, &mut value, &[self.coupling[1]], complain),
            // A driver steers in the horizontal plane: a frame, or a mirror with the normal z, does not exchange left
            // and right.
            Kind::SteeringRatio if handedness * placement.matrix[2][2] < 0.0 => {
                signs(key, &mut value, &[-1.0], complain);
            }
            Kind::Reflected if handedness < 0.0 => {
                if let View::Reflected(word) = value {
                    word.reflect();
                }
            }
            Kind::OddRows | Kind::SteeringRatio | Kind::Reflected => {}
        }
    }
}

/// The joints that an item may name: the joints of its file, then the joints of the files around it. Each file has its
/// prefix, and its mirrors and frames.
#[derive(Default)]
pub(super) struct Joints<'k> {
    pub scopes: Vec<(&'k str, &'k HashMap<String, JointKind>, Placement)>,
}

impl Joints<'_> {
    /// The sign of the coordinate that a table names; `None` if it names none. The sign is a number between −1 and 1 if
    /// a frame turns the world axis along which the coordinate is measured.
    fn sign(&self, fields: &mut [Field]) -> Option<f64> {
        let mut text = |kind: Kind| {
            let field = fields.iter_mut().find(|field| field.kind == kind)?;
            if let View::Text(text) = field.value.view() { Some(text.clone()) } else { None }
        };
        let (joint, coordinate) = (text(Kind::Joint)?, text(Kind::Coordinate));
        let known = self
            .scopes
            .iter()
            .find_map(|(prefix, kinds, placement)| Some((kinds.get(joint.strip_prefix(prefix)?)?, placement)));
        let reflected = known.and_then(|(kind, placement)| {
            Some(placement.of_reflection(kind.coordinate(coordinate.as_deref())?.reflection))
        });
        Some(reflected.unwrap_or(1.0))
    }

    /// The signs of the two coordinates that an item couples; 1 if one has a factor, which carries its sign.
    fn of_coupling(&self, fields: &mut [Field]) -> [f64; 2] {
        let mut coupled = Vec::new();
        let mut add = |item: &mut dyn Item| {
            let mut fields = item.fields();
            let factor = fields.iter_mut().find(|field| field.kind == Kind::Factor);
            let own = factor.is_some_and(|field| !matches!(field.value.view(), View::Absent));
            coupled.extend(self.sign(&mut fields).map(|sign| (sign, own)));
        };
        for field in fields {
            match field.value.view() {
                View::Table(item) => add(item),
                View::List(list) => list.each(|_, view| {
                    if let View::Table(item) = view {
                        add(item);
                    }
                }),
                _ => {}
            }
        }
        let sign = |index: usize| coupled.get(index).map_or(1.0, |(sign, _)| *sign);
        if coupled.iter().any(|(_, own)| *own) { [1.0; 2] } else { [sign(0), sign(1)] }
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

/// Multiplies the numbers of a value by a matrix.
fn mix_view(key: &str, value: View, rows: &Rows, complain: &mut Complain) {
    match value {
        View::List(list) => {
            let mut mixed: Vec<Number> = Vec::new();
            list.each(|_, view| {
                if let View::Number(number) = view {
                    mixed.push(number.clone());
                }
            });
            mix(key, &mut mixed, rows, complain);
            list.each(|index, view| {
                if let View::Number(number) = view {
                    *number = mixed[index].clone();
                }
            });
        }
        View::Number(number) if rows.len() == 1 => turn(key, number, rows[0][0], complain),
        _ => {}
    }
}

/// Multiplies numbers by a matrix. A name that would become part of a sum, or change its sign, is an error.
fn mix(key: &str, entries: &mut [Number], rows: &Rows, complain: &mut Complain) {
    if entries.len() != rows.len() {
        return;
    }
    let old = entries.to_vec();
    // Another name in its place, or a changed sign.
    let only = |row: &[f64]| {
        let mut others = (0..row.len()).filter(|j| row[*j] != 0.0);
        others.next().filter(|j| row[*j].abs() == 1.0 && others.next().is_none())
    };
    for (j, entry) in old.iter().enumerate() {
        let Number::Parameter(name) = entry else { continue };
        if rows.iter().any(|row| row[j] != 0.0 && only(row).is_none()) {
            let found = format!("a frame rotates this vector, which contains the parameter or input {}", list(&[name]));
            return complain(&format!("{key}[{j}]"), found, NUMBER);
        }
    }
    let value = |number: &Number| if let Number::Value(number) = number { *number } else { 0.0 };
    for (i, (entry, row)) in entries.iter_mut().zip(rows).enumerate() {
        let key = format!("{key}[{i}]");
        if let Some(j) = only(row) {
            *entry = old[j].clone();
            turn(&key, entry, row[j], complain);
        } else {
            let terms = row.iter().zip(&old).map(|(factor, number)| factor * value(number));
            if let Some(mixed) = sum(&key, terms.fold(0.0, |sum, term| sum + term), complain) {
                *entry = mixed.into();
            }
        }
    }
}

/// Multiplies numbers, or every row of numbers, by signs; a name whose sign would change is an error.
fn signs(key: &str, value: &mut View, signs: &[f64], complain: &mut Complain) {
    match value {
        View::List(list) => list.each(|i, mut view| match &mut view {
            View::List(_) => self::signs(key, &mut view, signs, complain),
            _ => self::signs(&format!("{key}[{i}]"), &mut view, &signs[i..], complain),
        }),
        View::Number(number) => turn(key, number, signs[0], complain),
        View::Constant(number) if signs[0] < 0.0 && **number != 0.0 => **number = -**number,
        _ => {}
    }
}

fn turn(key: &str, number: &mut Number, sign: f64, complain: &mut Complain) {
    if sign == 1.0 {
        return;
    }
    if sign != -1.0 {
        return complain(key, TURNED.into(), STRAIGHT);
    }
    match number {
        // No negative zeros: a file written by hand has none either.
        Number::Value(value) if *value != 0.0 => *value = -*value,
        Number::Value(_) => {}
        Number::Parameter(name) => {
            let found = format!(
                "a mirror or a frame changes the sign of this value, which is the parameter or input \
                                 {}",
                list(&[name])
            );
            complain(key, found, NUMBER);
        }
    }
}

/// A computed number; a number that is not finite is an error.
fn sum(key: &str, value: f64, complain: &mut Complain) -> Option<f64> {
    if !value.is_finite() {
        complain(key, "after rotation and translation this number is too large".into(), "write a smaller number");
        return None;
    }
    Some(value)
}

/// A key below a table.
fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_string() } else { format!("{path}.{key}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::from_value;
    use crate::schema::SpeedControl;
    use serde_json::json;

    #[test]
    fn what_a_change_leaves_as_it_was_is_not_written() {
        let table = json!({ "name": "c", "body": "b", "point": [0, 0, 0], "target": 1, "proportional": 1,
            "drives": [{ "joint": "a", "coordinate": "angle" }, { "joint": "b", "coordinate": "travel" }] });
        let control: SpeedControl = from_value(table).unwrap();
        let kinds = HashMap::from(["a", "b"].map(|name| (name.to_string(), JointKind::Cylindrical)));
        let mirrored = |normal| {
            let placement = Placement::of_use(Some(normal), None);
            let joints = Joints { scopes: vec![("", &kinds, placement)] };
            let mut control = control.clone();
            placement.place(&mut control, &joints, &mut |key, found, _| panic!("{key}: {found}"));
            control
        };
        let y = mirrored(MirrorNormal::Y);
        assert_eq!((&y.axis, &y.drives[0].share, &y.drives[1].share), (&None, &Some((-0.5).into()), &Some(0.5.into())));
        assert_eq!(mirrored(MirrorNormal::X).axis, Some([(-1.0).into(), 0.0.into(), 0.0.into()]));
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
