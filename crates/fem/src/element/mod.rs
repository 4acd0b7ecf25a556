//! Finite elements. Each uses the 12 directions of its two nodes (x, y, z, rx, ry, rz of the first, then of the
//! second). Axes: common frame C. Units: m, rad, N, N·m. For plane structures the assembly fixes the directions out of
//! the plane.
//!
//! Elements have no rigid arms: the ends of an element with offsets are nodes that follow other nodes.

mod line;
mod mass_point;
mod point;

pub use line::{BeamStiffness, GAUSS, Line, LineKind, Released, ShapeMatrix, UnsupportedRelease};
pub use mass_point::{MassPoint, offsets};
pub use point::{PointMass, Spring, SpringStiffness};

/// Square matrix over the directions of two nodes.
pub type Matrix12 = nalgebra::SMatrix<f64, 12, 12>;

/// An element.
#[derive(Clone, Debug)]
pub enum Element {
    /// A beam or a truss.
    Line(Line),
    /// A massless spring.
    Spring(Spring),
    /// A rigid mass at one node.
    Mass(PointMass),
}

impl Element {
    /// Its nodes; for a mass, the same node twice.
    pub fn nodes(&self) -> [usize; 2] {
        match self {
            Element::Line(line) => line.nodes,
            Element::Spring(spring) => spring.nodes,
            Element::Mass(mass) => [mass.node; 2],
        }
    }

    /// Stiffness in C.
    pub fn stiffness(&self) -> Matrix12 {
        match self {
            Element::Line(line) => line.stiffness(),
            Element::Spring(spring) => spring.stiffness(),
            Element::Mass(_) => Matrix12::zeros(),
        }
    }

    /// Mass in C. A mass element uses the first six directions only.
    pub fn mass(&self) -> Matrix12 {
        match self {
            Element::Line(line) => line.mass(),
            Element::Spring(_) => Matrix12::zeros(),
            Element::Mass(mass) => mass.matrix(),
        }
    }

    /// Translational mass in kg between its two nodes, the same in all directions.
    pub fn translational_mass(&self) -> [[f64; 2]; 2] {
        match self {
            Element::Line(line) => line.translational_mass(),
            Element::Spring(_) => [[0.0; 2]; 2],
            Element::Mass(mass) => [[mass.mass, 0.0], [0.0; 2]],
        }
    }
}
