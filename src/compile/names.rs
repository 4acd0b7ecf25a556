//! Names of a validated model, resolved to numbers and indices.

use crate::force::road::Road;
use crate::force::{BodyIx, Coefficient, CoordinateIx, Lookup, WheelPlace};
use crate::joint::TreeJoint;
use crate::math::Vec3;
use crate::model::Document;
use crate::model::flexible::BodyRef;
use crate::model::schema::{self, Model, Number, Place, Vector};
use crate::system::JointPlace;
use crate::tyre::Properties;
use std::sync::Arc;

/// Resolves names. What it is asked for was validated: a name that is not there is an error of this program.
pub struct Names<'a> {
    /// The document.
    pub document: &'a Document,
    /// Its model.
    pub model: &'a Model,
    /// Values of all parameters.
    pub parameters: &'a [f64],
    /// World coordinates of the model's origin, m.
    pub origin: Vec3,
    /// Solver's number of every vertex of the graph (rigid bodies, then flexible ones with their links), less the ground.
    pub body_numbers: Vec<usize>,
    /// Vertices of the flexible bodies.
    pub vertices: Vec<Vertices>,
    /// Solver's number of the floating frame of every flexible body of the file.
    pub frame_numbers: Vec<usize>,
    /// Origin of every body's frame (solver's numbers; 0 is the model's origin) from the model's origin, m.
    pub centres: Vec<Vec3>,
    /// Tree joints.
    pub joints: Vec<TreeJoint>,
    /// What became of every joint of the file.
    pub joint_places: Vec<JointPlace>,
    /// Numbers of coordinates and columns.
    pub sizes: Sizes,
    /// All roads.
    pub roads: Vec<Arc<Road>>,
}

/// Numbers of coordinates and columns.
#[derive(Clone, Copy)]
pub struct Sizes {
    /// Positions.
    pub nq: usize,
    /// Velocities.
    pub nv: usize,
    /// Columns.
    pub slots: usize,
}

/// Vertices of the graph that belong to a flexible body.
pub struct Vertices {
    /// Its frame.
    pub frame: usize,
    /// Its interfaces, in the order of the reduced-order model; the frame where that is tangent or nothing is attached.
    pub interfaces: Vec<usize>,
}

/// Vertex of a body of the file: 0 for the ground, then rigid bodies, frames and interfaces.
pub fn vertex(document: &Document, vertices: &[Vertices], name: &str) -> usize {
    match document.body_ref(name).expect("validated") {
        BodyRef::Ground => 0,
        BodyRef::Rigid(index) => index + 1,
        BodyRef::Frame(index) => vertices[index].frame,
        BodyRef::Interface(index, interface) => vertices[index].interfaces[interface],
    }
}

impl Names<'_> {
    /// A vector of the file.
    pub fn vector(&self, vector: &Vector) -> Vec3 {
        self.model.resolve_vector(vector, self.parameters)
    }

    /// The vector scaled to unit length.
    pub fn direction(&self, vector: &Vector) -> Vec3 {
        self.vector(vector).normalize()
    }

    /// A place in world coordinates.
    pub fn world(&self, place: &Place) -> Vec3 {
        self.model.resolve_place(place, self.parameters)
    }

    /// Number of a joint of the file.
    pub fn joint(&self, name: &str) -> usize {
        self.model.joints.iter().position(|joint| joint.name == name).expect("validated")
    }
}

impl Lookup for Names<'_> {
    fn body(&self, name: &str) -> BodyIx {
        match vertex(self.document, &self.vertices, name) {
            0 => BodyIx(0),
            vertex => BodyIx(self.body_numbers[vertex - 1]),
        }
    }

    fn body_point(&self, body: BodyIx, place: &Place) -> Vec3 {
        self.place(place) - self.centres[body.0]
    }

    fn place(&self, place: &Place) -> Vec3 {
        self.world(place) - self.origin
    }

    fn coordinate(&self, joint: &str, coordinate: Option<&str>) -> CoordinateIx {
        let place = &self.joint_places[self.joint(joint)];
        // Joints whose coordinates are named anywhere are kept in the tree.
        let tree = &self.joints[place.tree.expect("kept in the tree")];
        let found = tree.kind.coordinate(coordinate).expect("validated");
        CoordinateIx { position: tree.q + found.position, velocity: tree.v + found.velocity }
    }

    fn origin(&self) -> Vec3 {
        self.origin
    }

    fn wheel(&self, joint: &str) -> WheelPlace {
        let joint = &self.model.joints[self.joint(joint)];
        let body = self.body(&joint.bodies[1]);
        let point = self.document.joint_design(joint, self.parameters);
        let centre = point.map_or(Vec3::zeros(), |point| point - self.origin - self.centres[body.0]);
        let axis = joint.axis.as_ref().map_or(Vec3::y(), |axis| self.direction(axis));
        WheelPlace { body, centre, axis }
    }

    fn tyre(&self, tyre: &schema::Tyre) -> (Arc<Properties>, Arc<Road>) {
        let index = self.model.tyres.iter().position(|other| other.name == tyre.name).expect("validated");
        let named = |road: &&Arc<Road>| tyre.road.as_ref().is_none_or(|name| road.name == *name);
        (self.document.tyres[index].clone(), self.roads.iter().find(named).expect("validated").clone())
    }

    fn number(&self, number: &Number) -> f64 {
        self.model.resolve(number, self.parameters)
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
