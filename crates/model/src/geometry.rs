//! The fields of the tables of a model file, with the kind of each: how subassemblies and frames change it.
//!
//! `#[derive(Geometry)]` implements [`Item`] for a table from the types of its fields, see
//! [`crate::schema`]. [`super::assembly`] renames and places all items through this trait.

use crate::schema::{Axes, CamMotion, JointKind, StiffeningModel};
use crate::schema::{
    BumpKind, CableSense, Component, Deformation, Number, PerCoordinate, Place, Quantity, RoughnessClass,
    SectionForces, ShapeKind, Side, SolidKind, SurfaceKind,
};
pub use ballesta_model_derive::{Geometry, New};
use std::any::Any;
use std::collections::BTreeMap;

/// Names that are looked up together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// Rigid and flexible bodies, and interfaces.
    Bodies,
    /// Hardpoints.
    Points,
    /// Curves.
    Curves,
    /// Joints, rods, couplers and other constraints.
    Constraints,
    /// Force elements of all kinds.
    Forces,
    /// Prescribed motions.
    Guided,
    /// Roads.
    Roads,
    /// Solids.
    Solids,
    /// Frames.
    Frames,
    /// Inputs and parameters.
    Variables,
    /// Outputs.
    Outputs,
}

/// Effect of a subassembly on the value of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Unchanged. Names of parameters and points are replaced, and points are placed, whatever the kind.
    Plain,
    /// A new name.
    Defines(Namespace),
    /// A name that is defined somewhere.
    Refers(Namespace),
    /// The joint on whose coordinate the table acts.
    Joint,
    /// The name of this coordinate.
    Coordinate,
    /// Difference of places.
    Polar,
    /// Sense of rotation.
    Axial,
    /// xx, yy, zz, xy, yz, xz.
    Inertia,
    /// Axis of the frame of a flexible body.
    FrameAxis,
    /// First or second axis of a joint, by its type.
    JointAxis(usize),
    /// Initial coordinates of a joint, by its type.
    JointPosition,
    /// Initial speeds of a joint, by its type.
    JointSpeed,
    /// Three forces and three torques in the axes of a bushing.
    BushingLoad,
    /// A value for the coordinate of the table.
    OnCoordinate,
    /// The factor of a signal on the coordinate.
    Gain,
    /// Factor of a coordinate in a list of coordinates: share of a torque, ratio.
    Factor,
    /// Rows of a coordinate and an effort that both change their signs.
    OddRows,
    /// Rows of time and coordinate.
    TimeRows,
    /// Lower end of a range of the coordinate.
    LowerEnd,
    /// Upper end of a range of the coordinate.
    UpperEnd,
    /// Ratio or radius between two coordinates.
    CouplingRatio,
    /// Offset of the second of two coordinates.
    CouplingOffset,
    /// For a driver: the angle of the steering wheel that turns the vehicle to the left.
    SteeringRatio,
    /// A word or flag with a mirror image.
    Reflected,
}

impl Kind {
    /// Effect of a mirror in words; `None` if there is none.
    pub fn meaning(self) -> Option<&'static str> {
        // Polar and axial vectors have opposite signs under reflection.
        Some(match self {
            Kind::Plain | Kind::Defines(_) | Kind::Refers(_) | Kind::Joint | Kind::Coordinate => return None,
            Kind::Polar => "the component along the mirror normal changes sign",
            Kind::Axial => "the other two components change sign",
            Kind::Inertia => "the two products with the mirror normal change sign",
            Kind::FrameAxis => "not mirrored; rotated by an even number of mirrors",
            Kind::JointAxis(_) => {
                "revolute, universal, pin_on_curve, constant_velocity: the components across the normal change sign; \
                 prismatic, cylindrical: the component along the normal changes sign; planar: `axis` as revolute, \
                 `second_axis` as prismatic"
            }
            Kind::JointPosition => {
                "translations along the normal and the two quaternion components across it change sign; so does the \
                 angle of a cylindrical joint"
            }
            Kind::JointSpeed => {
                "velocities along the normal and angular velocities across it change sign; so does the angular speed \
                 of a cylindrical joint"
            }
            Kind::BushingLoad => {
                "the first two axes are polar vectors and the third axis reverses: the third force and the first two \
                 torques change sign"
            }
            Kind::OnCoordinate => {
                "changes sign with the coordinate: for the angle of a cylindrical joint in a mirror, and for the `x`, \
                 `y` or `z` of a floating joint along the normal"
            }
            Kind::Gain => "changes sign with the coordinate; the signal is unchanged",
            Kind::Factor => "changes sign with the coordinate next to it",
            Kind::OddRows => "both columns change sign with the coordinate",
            Kind::TimeRows => "the second column changes sign with the coordinate",
            Kind::LowerEnd | Kind::UpperEnd => "changes sign with the coordinate, and the ends are exchanged",
            Kind::CouplingRatio | Kind::CouplingOffset => "changes sign with the coordinates",
            Kind::SteeringRatio => "a mirror with the normal x or y turns a left turn into a right turn: changes sign",
            Kind::Reflected => "`left` and `right` are exchanged, and a mesh is the mirror image",
        })
    }
}

/// The x axis as a default.
pub const X: [f64; 3] = [1.0, 0.0, 0.0];
/// The y axis as a default.
pub const Y: [f64; 3] = [0.0, 1.0, 0.0];
/// The z axis as a default.
pub const Z: [f64; 3] = [0.0, 0.0, 1.0];

/// Meaning of an omitted key.
#[derive(Clone, Debug, PartialEq)]
pub enum Implied {
    /// The key has no meaning, or a meaning that no placement changes.
    Nothing,
    /// These numbers, written if a placement changes them.
    Value(Vec<f64>),
    /// A direction whose sign has no effect.
    Line([f64; 3]),
    /// These numbers, written in every rotated or mirrored frame.
    Written(Vec<f64>),
    /// A key must be written, because its default depends on parameters: key, error and correction.
    Unknown(&'static str, String, &'static str),
}

impl Implied {
    /// These numbers, written in every rotated or mirrored frame.
    pub(crate) fn written(self) -> Implied {
        match self {
            Implied::Value(numbers) => Implied::Written(numbers),
            other => other,
        }
    }

    /// The numbers.
    pub(crate) fn numbers(&self) -> &[f64] {
        match self {
            Implied::Value(numbers) | Implied::Written(numbers) => numbers,
            Implied::Line(direction) => direction,
            Implied::Nothing | Implied::Unknown(..) => &[],
        }
    }
}

impl From<[f64; 3]> for Implied {
    fn from(numbers: [f64; 3]) -> Implied {
        Implied::Value(numbers.to_vec())
    }
}

impl From<f64> for Implied {
    fn from(number: f64) -> Implied {
        Implied::Value(vec![number])
    }
}

impl<T: Into<Implied>> From<Option<T>> for Implied {
    fn from(value: Option<T>) -> Implied {
        value.map_or(Implied::Nothing, Into::into)
    }
}

/// A table of the model file.
pub trait Item {
    /// Its fields, in their order.
    fn fields(&mut self) -> Vec<Field<'_>>;
}

/// A field of a table.
pub struct Field<'v> {
    /// Key in the file.
    pub key: &'static str,
    /// How it changes.
    pub kind: Kind,
    /// Meaning if it is omitted.
    pub implied: Implied,
    /// Its value.
    pub value: &'v mut dyn Valued,
}

/// A value as its parts.
pub enum View<'v> {
    /// Omitted.
    Absent,
    /// A number, or the name of a parameter or input.
    Number(&'v mut Number),
    /// A number that no parameter can replace.
    Constant(&'v mut f64),
    /// A text.
    Text(&'v mut String),
    /// A point.
    Place(&'v mut Place),
    /// Several values.
    List(&'v mut dyn List),
    /// A table.
    Table(&'v mut dyn Item),
    /// The type of a joint.
    Joint(JointKind),
    /// A word or flag with a mirror image.
    Reflected(&'v mut dyn Reflected),
    /// A word, a flag, a whole number.
    Plain,
}

/// An array or a map.
pub trait List {
    /// Number of values.
    fn count(&self) -> usize;
    /// One of them.
    fn get(&mut self, index: usize) -> Option<View<'_>>;
    /// Reverses the order.
    fn reverse(&mut self);
}

impl dyn List + '_ {
    /// Calls `act` with every value and its index.
    pub(crate) fn each(&mut self, mut act: impl FnMut(usize, View<'_>)) {
        for index in 0..self.count() {
            self.get(index).into_iter().for_each(|view| act(index, view));
        }
    }
}

/// A word or flag with a mirror image.
pub trait Reflected {
    /// Replaces it by its mirror image.
    fn reflect(&mut self);
}

/// A value of a key.
pub trait Valued: Any {
    /// Its parts.
    fn view(&mut self) -> View<'_>;
    /// Adds the paths below `path` to a list, with their kinds.
    fn kinds(path: &str, kind: Kind, list: &mut Vec<(String, Kind)>)
    where
        Self: Sized,
    {
        list.push((path.to_string(), kind));
    }
    /// The value with these numbers, if it has as many.
    fn of(_numbers: &[f64]) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
    /// Sets an optional value.
    fn fill(&mut self, _numbers: &[f64]) {}
    /// Omits an optional value.
    fn clear(&mut self) {}
    /// Exchanges two optional values of one type.
    fn exchange(&mut self, _other: &mut dyn Valued) {}
    /// Moves the items of another array of the same type to the end of this one.
    fn append(&mut self, _other: &mut dyn Valued) {}
}

/// A type that defines how its values change.
pub trait Unambiguous {}

/// Compiles if the type is unambiguous.
pub(crate) fn unambiguous<T: Unambiguous>() {}

macro_rules! words {
    ($($type:ty),*) => {$(
        impl Unambiguous for $type {}
        impl Valued for $type {
            fn view(&mut self) -> View<'_> {
                View::Plain
            }
        }
    )*};
}
words!(
    usize,
    u32,
    u64,
    Axes,
    BumpKind,
    CableSense,
    CamMotion,
    Component,
    Deformation,
    Quantity,
    RoughnessClass,
    SectionForces,
    ShapeKind,
    SolidKind,
    StiffeningModel,
    SurfaceKind
);

impl Unambiguous for JointKind {}
impl Valued for JointKind {
    fn view(&mut self) -> View<'_> {
        View::Joint(*self)
    }
}

impl Unambiguous for bool {}
impl Valued for bool {
    fn view(&mut self) -> View<'_> {
        View::Reflected(self)
    }
}

impl Valued for Side {
    fn view(&mut self) -> View<'_> {
        View::Reflected(self)
    }
}

impl Reflected for Side {
    fn reflect(&mut self) {
        *self = if *self == Side::Left { Side::Right } else { Side::Left };
    }
}

/// Whether a mesh is its mirror image: `true` or `false` in the file.
impl Reflected for bool {
    fn reflect(&mut self) {
        *self = !*self;
    }
}

impl Valued for Number {
    fn view(&mut self) -> View<'_> {
        View::Number(self)
    }
    fn of(numbers: &[f64]) -> Option<Number> {
        numbers.first().map(|number| Number::Value(*number)).filter(|_| numbers.len() == 1)
    }
}

impl Valued for f64 {
    fn view(&mut self) -> View<'_> {
        View::Constant(self)
    }
}

impl Valued for String {
    fn view(&mut self) -> View<'_> {
        View::Text(self)
    }
}

impl Unambiguous for Place {}
impl Valued for Place {
    fn view(&mut self) -> View<'_> {
        View::Place(self)
    }
    fn of(numbers: &[f64]) -> Option<Place> {
        Valued::of(numbers).map(Place::At)
    }
}

impl Valued for PerCoordinate {
    fn view(&mut self) -> View<'_> {
        match self {
            PerCoordinate::One(number) => View::Number(number),
            PerCoordinate::Each(numbers) => View::List(numbers),
        }
    }
}

impl<T: Valued> Valued for Option<T> {
    fn view(&mut self) -> View<'_> {
        self.as_mut().map_or(View::Absent, Valued::view)
    }
    fn kinds(path: &str, kind: Kind, list: &mut Vec<(String, Kind)>) {
        T::kinds(path, kind, list);
    }
    fn fill(&mut self, numbers: &[f64]) {
        *self = T::of(numbers);
    }
    fn clear(&mut self) {
        *self = None;
    }
    fn exchange(&mut self, other: &mut dyn Valued) {
        if let Some(other) = (other as &mut dyn Any).downcast_mut::<Self>() {
            std::mem::swap(self, other);
        }
    }
}

impl<T: Valued, const N: usize> Valued for [T; N] {
    fn view(&mut self) -> View<'_> {
        View::List(self)
    }
    fn kinds(path: &str, kind: Kind, list: &mut Vec<(String, Kind)>) {
        T::kinds(path, kind, list);
    }
    fn of(numbers: &[f64]) -> Option<Self> {
        let values: Option<Vec<T>> = numbers.iter().map(|number| T::of(&[*number])).collect();
        values?.try_into().ok()
    }
}

impl<T: Valued> Valued for Vec<T> {
    fn view(&mut self) -> View<'_> {
        View::List(self)
    }
    fn kinds(path: &str, kind: Kind, list: &mut Vec<(String, Kind)>) {
        T::kinds(path, kind, list);
    }
    fn append(&mut self, other: &mut dyn Valued) {
        if let Some(other) = (other as &mut dyn Any).downcast_mut::<Self>() {
            Vec::append(self, other);
        }
    }
}

impl<T: Valued> Valued for BTreeMap<String, T> {
    fn view(&mut self) -> View<'_> {
        View::List(self)
    }
}

impl<T: Valued, const N: usize> List for [T; N] {
    fn count(&self) -> usize {
        N
    }
    fn get(&mut self, index: usize) -> Option<View<'_>> {
        self.get_mut(index).map(Valued::view)
    }
    fn reverse(&mut self) {
        <[T]>::reverse(self);
    }
}

impl<T: Valued> List for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }
    fn get(&mut self, index: usize) -> Option<View<'_>> {
        self.get_mut(index).map(Valued::view)
    }
    fn reverse(&mut self) {
        <[T]>::reverse(self);
    }
}

/// Its values, in the order of their keys.
impl<T: Valued> List for BTreeMap<String, T> {
    fn count(&self) -> usize {
        self.len()
    }
    fn get(&mut self, index: usize) -> Option<View<'_>> {
        self.values_mut().nth(index).map(Valued::view)
    }
    fn reverse(&mut self) {}
}

/// The numbers below a value, in their order; `None` for a name.
pub(crate) fn numbers(view: View<'_>) -> Vec<Option<f64>> {
    match view {
        View::Number(Number::Value(number)) => vec![Some(*number)],
        View::Number(Number::Parameter(_)) => vec![None],
        View::Place(Place::At(point)) => numbers(point.view()),
        View::List(list) => {
            let mut all = Vec::new();
            list.each(|_, view| all.extend(numbers(view)));
            all
        }
        _ => Vec::new(),
    }
}

/// Unit vector of three plain numbers; `None` for names and zero.
pub(crate) fn unit(vector: &[Number; 3]) -> Option<[f64; 3]> {
    let entry = |number: &Number| if let Number::Value(number) = number { Some(*number) } else { None };
    let [x, y, z] = vector;
    let vector = [entry(x)?, entry(y)?, entry(z)?];
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    (length > 1e-100).then(|| vector.map(|x| x / length))
}

/// The component of the coordinate axis `helper` perpendicular to a unit vector, normalised.
pub(crate) fn perpendicular(helper: usize, axis: &[f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| f64::from(u8::from(i == helper)) - axis[i] * axis[helper])
}
