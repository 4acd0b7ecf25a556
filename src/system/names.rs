//! Names of a validated model, resolved to numbers and indices.

use super::JointPlace;
use crate::force::{BodyIx, Coefficient, CoordinateIx, Lookup};
use crate::joint::TreeJoint;
use crate::math::Vec3;
use crate::model::schema::{Model, Number, Place, Vector};

/// Resolves names; what it is asked for was validated, so unknown names resolve to index 0 or zero.
pub struct Names<'a> {
    /// The model.
    pub model: &'a Model,
    /// Values of all parameters.
    pub parameters: &'a [f64],
    /// World coordinates of the model's origin, m.
    pub origin: Vec3,
    /// Solver's number of every vertex of the graph (rigid bodies, then flexible ones with their links), less the ground.
    pub body_numbers: Vec<usize>,
    /// Vertices of the flexible bodies.
    pub vertices: Vec<Vertices>,
    /// Origin of every body's frame (solver's numbers; 0 is the model's origin) from the model's origin, m.
    pub centres: Vec<Vec3>,
    /// Tree joints.
    pub joints: Vec<TreeJoint>,
    /// What became of every joint of the file.
    pub joint_places: Vec<JointPlace>,
    /// Numbers of coordinates and columns.
    pub sizes: Sizes,
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
    /// Name of the body.
    pub name: String,
    /// Its frame.
    pub frame: usize,
    /// Name of the interface to which the frame is tangent.
    pub tangent: Option<String>,
    /// Names of the other interfaces and their vertices, one after the other.
    pub links: Vec<(String, usize)>,
}

/// Vertex of a body named in the file: 0 for the ground, then rigid bodies, frames and interfaces.
pub fn vertex(model: &Model, vertices: &[Vertices], name: &str) -> Option<usize> {
    if name == "ground" {
        return Some(0);
    }
    if let Some(index) = model.bodies.iter().position(|body| body.name == name) {
        return Some(index + 1);
    }
    vertices.iter().find_map(|body| match name.strip_prefix(&body.name)? {
        "" => Some(body.frame),
        rest => {
            let interface = rest.strip_prefix('.')?;
            if body.tangent.as_deref() == Some(interface) {
                return Some(body.frame);
            }
            body.links.iter().find(|link| link.0 == interface).map(|link| link.1)
        }
    })
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
        self.model.joints.iter().position(|joint| joint.name == name).unwrap_or(0)
    }
}

impl Lookup for Names<'_> {
    fn body(&self, name: &str) -> BodyIx {
        match vertex(self.model, &self.vertices, name) {
            None | Some(0) => BodyIx(0),
            Some(vertex) => BodyIx(self.body_numbers[vertex - 1]),
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
        let tree = &self.joints[place.tree.unwrap_or(0)];
        let (q, v) = tree.kind.coordinate(coordinate).map_or((0, 0), |found| (found.position, found.velocity));
        CoordinateIx { position: tree.q + q, velocity: tree.v + v }
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
