//! The compiled system: constant data of a mechanism, and the sizes of what changes.
//!
//! Bodies are numbered with parents before children, 0 is the ground; tree joint `j` carries body `j + 1`. Velocity
//! coordinates are numbered along the tree joints. Closure rows are sorted by block: a block is a set of loops that share
//! unknown coordinates, and blocks do not know of each other.

mod build;
mod fault;
mod guided;
mod interface;
mod names;
mod readout;
mod report;
mod state;
mod workspace;

pub use build::build;
pub use fault::Fault;
pub use guided::{Guide, Guided, Spline};
pub use interface::{InputInfo, Interface, OutputInfo, ParameterInfo, ScalarKind};
pub use readout::{Axes, Output, PointQuantity, Readout, SystemQuantity};
pub use report::{BlockReport, Redundancy, Report};
pub use state::State;
pub use workspace::{BlockScratch, Rates, Workspace};

use std::ops::Range;

use crate::force::Element;
use crate::joint::{Row, TreeJoint};
use crate::math::spatial::Inertia;
use crate::math::{Mat3, Vec3};
use crate::model::schema::Integrator;

/// A rigid body; its frame B has its origin at the centre of mass.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name in the file.
    pub name: String,
    /// Inboard body.
    pub parent: usize,
    /// Mass in kg, rods not included: what weighs at the centre of mass.
    pub mass: f64,
    /// Inertia about the origin of B, in B, with a third of the mass of every attached rod as point masses.
    pub inertia: Inertia,
    /// Position of the centre of mass in the design position, from the model's origin.
    pub design: Vec3,
}

/// A rod of theory section 5: its equation is a row, its inertia acts here.
#[derive(Clone, Debug)]
pub struct Rod {
    /// Mass in kg.
    pub mass: f64,
    /// The two bodies.
    pub bodies: [usize; 2],
    /// Its ends in the frames of the bodies.
    pub points: [Vec3; 2],
    /// Velocity coordinates that move each end.
    pub coordinates: [Vec<usize>; 2],
    /// Its closure row.
    pub row: usize,
}

/// A named source of closure rows: a cut joint, a rod, a coupler, a point on a line or in a plane.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Name in the file.
    pub name: String,
    /// Key path in the file, for diagnostics.
    pub key: String,
    /// Its rows.
    pub rows: Range<usize>,
    /// The two bodies (0 and 0 for couplers).
    pub bodies: [usize; 2],
    /// Its point in the frames of the two bodies, for reactions.
    pub points: [Vec3; 2],
    /// Names of the joints of its loop, itself included when it is a cut joint.
    pub joints: Vec<String>,
    /// The file's joint, when it is a cut.
    pub joint: Option<usize>,
}

/// A column of a row's Jacobian: which coordinate of the block, and on which leg of the loop it lies.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Coordinate within the block.
    pub column: usize,
    /// Velocity coordinate.
    pub coordinate: usize,
    /// On the leg of the second body (+) or of the first (−).
    pub on_second: bool,
}

/// Loops that share unknown coordinates.
#[derive(Clone, Debug)]
pub struct Block {
    /// Constraints closed in it.
    pub constraints: Vec<usize>,
    /// Its rows (global numbers).
    pub rows: Range<usize>,
    /// Its velocity coordinates, ascending.
    pub coordinates: Vec<usize>,
    /// Per coordinate: the tree joint it belongs to.
    pub owners: Vec<usize>,
    /// Tree joints that move while the block is being closed, ascending.
    pub joints: Vec<usize>,
    /// Per row: columns of the Jacobian that are not zero.
    pub entries: Vec<Vec<Entry>>,
    /// Per coordinate: class for the choice of pivots; a higher class stays independent if possible.
    pub class: Vec<u8>,
    /// Per coordinate: size in m of a unit, so that angles and travels compare (m/rad, 1).
    pub unit_size: Vec<f64>,
    /// Size of the block in m: greatest distance of its joints.
    pub size: f64,
    /// Rank of the Jacobian at regular positions.
    pub rank: usize,
    /// Smallest pivot of a fresh choice at a regular position.
    pub regular_pivot: f64,
    /// Smallest mass-weighted singular value at a regular position.
    pub regular_sigma: f64,
    /// Place of its orders in [`State::orders`]: rows, then columns.
    pub order: usize,
}

impl Block {
    /// Where the row order is in [`State::orders`].
    pub fn row_order(&self) -> Range<usize> {
        self.order..self.order + self.rows.len()
    }
    /// Where the column order is in [`State::orders`].
    pub fn column_order(&self) -> Range<usize> {
        let start = self.order + self.rows.len();
        start..start + self.coordinates.len()
    }
}

/// A joint of the file and what became of it.
#[derive(Clone, Debug)]
pub struct JointPlace {
    /// Name.
    pub name: String,
    /// Tree joint, or none when it is a cut.
    pub tree: Option<usize>,
    /// Constraint, when it is a cut.
    pub cut: Option<usize>,
    /// The two bodies in the order of the file.
    pub bodies: [usize; 2],
}

/// Initial wishes of the file for a velocity or position coordinate.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// (position coordinate, value).
    pub positions: Vec<(usize, f64)>,
    /// (velocity coordinate, value).
    pub speeds: Vec<(usize, f64)>,
    /// Velocity coordinates whose position is wished.
    pub placed: Vec<usize>,
}

/// Constant data of a mechanism, shareable between threads and instances.
pub struct System {
    pub(crate) name: String,
    pub(crate) interface: Interface,
    pub(crate) gravity: Vec3,
    pub(crate) step: f64,
    pub(crate) integrator: Integrator,
    pub(crate) start_time: f64,
    /// World coordinates of the model's origin.
    pub(crate) origin: Vec3,
    pub(crate) nq: usize,
    pub(crate) nv: usize,
    /// Number of auxiliary states.
    pub(crate) auxiliary: usize,
    pub(crate) bodies: Vec<Body>,
    pub(crate) joints: Vec<TreeJoint>,
    /// File joint of every tree joint.
    pub(crate) joint_of_tree: Vec<usize>,
    pub(crate) joint_places: Vec<JointPlace>,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) rows: Vec<Row>,
    pub(crate) rods: Vec<Rod>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) guided: Vec<Guided>,
    /// Velocity coordinates in no block and not guided.
    pub(crate) free: Vec<usize>,
    pub(crate) elements: Vec<Element>,
    pub(crate) outputs: Vec<Output>,
    /// Some output needs multipliers and reactions.
    pub(crate) needs_reactions: bool,
    pub(crate) wishes: Wishes,
    /// Assembled at the start time with the start values of the inputs.
    pub(crate) initial: State,
    /// What the assembly did.
    pub(crate) report: Report,
}

impl System {
    /// Inputs, parameters and outputs.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// Name of the model.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Internal step in s.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// The same system with another internal step (s, positive and finite).
    pub fn with_step(mut self, step: f64) -> System {
        self.step = step;
        self
    }

    /// Fixed-step scheme.
    pub fn integrator(&self) -> Integrator {
        self.integrator
    }

    /// The assembled start state.
    pub fn initial(&self) -> &State {
        &self.initial
    }

    /// Topology, sizes, redundancy, and what the assembly did.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Inertia of a body about the o of its branch, world axes, from its pose.
    pub(crate) fn inertia_at(&self, body: usize, rotation: &Mat3, position: &Vec3) -> Inertia {
        let own = &self.bodies[body].inertia;
        let h = rotation * own.first;
        let (p, m) = (position, own.mass);
        let cross = p * h.transpose();
        let steiner =
            Mat3::identity() * (p.dot(p) * m + 2.0 * p.dot(&h)) - p * p.transpose() * m - cross - cross.transpose();
        Inertia { mass: m, first: p * m + h, second: rotation * own.second * rotation.transpose() + steiner }
    }

    /// Tree joint that owns velocity coordinate `v`.
    pub(crate) fn joint_of_coordinate(&self, v: usize) -> usize {
        self.joints.partition_point(|joint| joint.v_range().end <= v)
    }

    /// The fault in words, with the names of the loops or joints it means.
    pub fn describe(&self, fault: &Fault) -> String {
        let joint = |tree: u32| match self.joint_of_tree.get(tree as usize) {
            Some(&file) => self.joint_places[file].name.clone(),
            None => format!("{tree}"),
        };
        match *fault {
            Fault::LoopOpen { block, gap, time } => {
                let names = self.blocks.get(block as usize).map_or(String::new(), |b| {
                    b.constraints
                        .iter()
                        .map(|&c| format!("`{}`", self.constraints[c].name))
                        .collect::<Vec<_>>()
                        .join(", ")
                });
                format!("the loop closed by {names} could not be closed at t = {time} s: a gap of {gap:.3e} m remains")
            }
            Fault::NoInertia { joint: tree, time } => {
                format!("nothing gives joint `{}` an inertia at t = {time} s", joint(tree))
            }
            Fault::NotFinite { joint: tree, time } => {
                format!("the coordinates of joint `{}` are no longer finite at t = {time} s", joint(tree))
            }
            Fault::BadInput { input, time } => {
                let name = self.interface.inputs.get(input as usize).map_or("", |i| i.name.as_str());
                format!("input `{name}` is not finite at t = {time} s")
            }
            Fault::BadTime { asked, time } => format!("cannot step from t = {time} s to t = {asked} s"),
        }
    }
}
