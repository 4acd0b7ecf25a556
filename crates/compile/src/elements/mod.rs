//! Force elements from the tables of a validated model. The law of each kind is in [`ballesta_solver::force`].

mod contacts;
#[cfg(test)]
mod element_tests;
mod laws;
mod loads;
mod powertrain;
mod roads;
mod springs;
mod suspension;
mod tyres;

pub use roads::road;

/// The functions that build an element, by the names of their tables.
mod build {
    pub(super) use super::{contacts::*, laws::*, loads::*, powertrain::*, springs::*, suspension::*, tyres::*};
}

use ballesta_model::elements::{ForceTable, force_elements};
use ballesta_model::outputs::Target;
use ballesta_model::schema::{self, Model, Place};
use ballesta_solver::force::expression::Instruction;
use ballesta_solver::force::{BodyIx, Coefficient, CoordinateIx, Element, Marker, road::Road};
use ballesta_solver::math::Vec3;
use ballesta_solver::math::curve::Curve;
use ballesta_solver::tyre::Properties;
use std::sync::Arc;

/// Rotation axis of a wheel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WheelPlace {
    /// The second body of its joint.
    pub body: BodyIx,
    /// The joint's point in the body's frame, m.
    pub centre: Vec3,
    /// The joint's axis in the body's frame, unit length.
    pub axis: Vec3,
}

/// Names of a model, resolved to indices, for the builders of force elements.
pub trait Lookup {
    /// Index of a body by name (`ground` is 0). The name was validated.
    fn body(&self, name: &str) -> BodyIx;
    /// A point of the design position in coordinates of the body's frame B (relative to its centre of mass), m.
    fn body_point(&self, body: BodyIx, place: &schema::Place) -> Vec3;
    /// A point of the design position relative to the model's origin, m.
    fn place(&self, place: &schema::Place) -> Vec3;
    /// A joint coordinate; the names were validated. `None` as the name means the only coordinate.
    fn coordinate(&self, joint: &str, coordinate: Option<&str>) -> CoordinateIx;
    /// Index of a joint of the file, and whether its coordinate is an angle; the names were validated.
    fn joint_coordinate(&self, joint: &str, coordinate: Option<&str>) -> (usize, bool);
    /// World coordinates of the model's origin, m.
    fn origin(&self) -> Vec3;
    /// The wheel that rotates in a revolute joint of the file.
    fn wheel(&self, joint: &str) -> WheelPlace;
    /// Properties and road of a tyre of the file.
    fn tyre(&self, tyre: &schema::Tyre) -> (Arc<Properties>, Arc<Road>);
    /// A solid by its name.
    fn solid(&self, name: &str) -> &schema::Solid;
    /// A road by its name, or the only one.
    fn road(&self, name: Option<&str>) -> Arc<Road>;
    /// A curve of the file that is fixed to the ground, relative to the model's origin.
    fn path(&self, name: &str) -> Curve;
    /// A number with fixed parameters substituted.
    fn number(&self, number: &schema::Number) -> f64;
    /// A coefficient: a value, a fixed parameter's value, a tunable parameter, or an input.
    fn coefficient(&self, number: &schema::Number) -> Coefficient;
    /// Step of the model, s.
    fn step(&self) -> f64;
    /// The instructions of a formula of the file.
    fn formula(&self, law: &schema::Expression) -> Vec<Instruction>;
    /// Index of the input of this name.
    fn input(&self, name: &str) -> Option<usize> {
        match self.coefficient(&schema::Number::Parameter(name.into())) {
            Coefficient::Input(index) => Some(index),
            _ => None,
        }
    }
}

/// The point of the named body that is at `place` in the design position.
fn marker(lookup: &dyn Lookup, body: &str, place: &Place) -> Marker {
    let body = lookup.body(body);
    Marker { body, point: lookup.body_point(body, place) }
}

macro_rules! elements {
    ($($table:ident $field:ident $variant:ident;)*) => {
        /// All force elements of a validated model, kind by kind, each in the order of the file.
        pub fn build(model: &Model, lookup: &dyn Lookup) -> Vec<Element> {
            let mut elements = Vec::new();
            $(for table in &model.$field {
                elements.push(Element::$variant(build::$table(table, lookup).into()));
            })*
            elements
        }

        /// Key of `[[output]]` that reads the element.
        fn read_by(element: &Element) -> Option<Target> {
            match element {
                $(Element::$variant(_) => schema::$variant::READ_BY,)*
            }
        }
    };
}
force_elements!(elements);

/// Whether outputs read the element by this key.
pub fn is_read_by(element: &Element, key: Target) -> bool {
    read_by(element) == Some(key)
}
