//! Names of a validated model, resolved to numbers and indices.

use super::JointPlace;
use crate::force::{BodyIx, Coefficient, CoordinateIx, Lookup};
use crate::joint::TreeJoint;
use crate::math::Vec3;
use crate::model::schema::{JointKind, Model, Number, Place, Vector};

/// Resolves names; what it is asked for was validated, so unknown names resolve to index 0 or zero.
pub struct Names<'a> {
    /// The model.
    pub model: &'a Model,
    /// Values of all parameters.
    pub parameters: &'a [f64],
    /// World coordinates of the model's origin, m.
    pub origin: Vec3,
    /// Solver's number of every body of the file.
    pub body_numbers: Vec<usize>,
    /// Centre of mass of every body (solver's numbers; 0 is the model's origin) from the model's origin, m.
    pub centres: Vec<Vec3>,
    /// Tree joints.
    pub joints: Vec<TreeJoint>,
    /// What became of every joint of the file.
    pub joint_places: Vec<JointPlace>,
}

impl Names<'_> {
    /// A vector of the file.
    pub fn vector(&self, vector: &Vector) -> Vec3 {
        Vec3::new(self.number(&vector[0]), self.number(&vector[1]), self.number(&vector[2]))
    }

    /// The vector scaled to unit length.
    pub fn direction(&self, vector: &Vector) -> Vec3 {
        self.vector(vector).normalize()
    }

    /// A place in world coordinates.
    pub fn world(&self, place: &Place) -> Vec3 {
        match place {
            Place::At(vector) => self.vector(vector),
            Place::Point(name) => self.model.points.get(name).map_or(Vec3::zeros(), |vector| self.vector(vector)),
        }
    }

    /// Number of a joint of the file.
    pub fn joint(&self, name: &str) -> usize {
        self.model.joints.iter().position(|joint| joint.name == name).unwrap_or(0)
    }

    /// Which coordinate of a joint a name means: (position, velocity) within the joint.
    pub fn coordinate_of(kind: JointKind, name: Option<&str>) -> (usize, usize) {
        match (kind, name) {
            (JointKind::Cylindrical, Some("angle")) => (1, 1),
            (JointKind::Universal, Some("second_angle")) => (1, 1),
            (JointKind::Planar | JointKind::Floating, Some("y")) => (1, 1),
            (JointKind::Planar, Some("angle")) => (2, 2),
            (JointKind::Floating, Some("z")) => (2, 2),
            _ => (0, 0),
        }
    }

    /// Whether a scalar coordinate of a joint is an angle.
    pub fn is_angle(kind: JointKind, name: Option<&str>) -> bool {
        TreeJoint::is_rotation(kind, Self::coordinate_of(kind, name).1)
    }
}

impl Lookup for Names<'_> {
    fn body(&self, name: &str) -> BodyIx {
        let file = self.model.bodies.iter().position(|body| body.name == name);
        BodyIx(file.map_or(0, |index| self.body_numbers[index]))
    }

    fn body_point(&self, body: BodyIx, place: &Place) -> Vec3 {
        self.place(place) - self.centres[body.0]
    }

    fn place(&self, place: &Place) -> Vec3 {
        self.world(place) - self.origin
    }

    fn coordinate(&self, joint: &str, coordinate: Option<&str>) -> CoordinateIx {
        let place = &self.joint_places[self.joint(joint)];
        let tree = &self.joints[place.tree.unwrap_or(0)];
        let (q, v) = Self::coordinate_of(tree.kind, coordinate);
        CoordinateIx { position: tree.q + q, velocity: tree.v + v }
    }

    fn number(&self, number: &Number) -> f64 {
        match number {
            Number::Value(value) => *value,
            Number::Parameter(name) => {
                let index = self.model.parameters.iter().position(|parameter| &parameter.name == name);
                index.map_or(0.0, |index| self.parameters[index])
            }
        }
    }

    fn coefficient(&self, number: &Number) -> Coefficient {
        let Number::Parameter(name) = number else { return Coefficient::Value(self.number(number)) };
        if let Some(index) = self.model.inputs.iter().position(|input| &input.name == name) {
            return Coefficient::Input(index);
        }
        match self.model.parameters.iter().position(|parameter| &parameter.name == name) {
            Some(index) if self.model.parameters[index].tunable => Coefficient::Parameter(index),
            _ => Coefficient::Value(self.number(number)),
        }
    }
}
