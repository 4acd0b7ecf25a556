//! The compiled system: constant data of a mechanism, and the sizes of its variables.
//!
//! Bodies are numbered with parents before children, 0 is the ground; tree joint `j` carries body `j + 1`. Velocity
//! coordinates are numbered along the tree joints. Closure rows are sorted by block: a block is a set of loops that
//! share unknown coordinates, and blocks are independent of each other.

mod cluster;
mod description;
mod fault;
mod first_stage;
pub mod flexible;
pub mod guided;
pub mod integrators;
mod interface;
pub mod low_pass;
pub(crate) mod propagation;
mod readout;
mod report;
mod scheme;
mod state;
pub mod stress;
pub mod workspace;

pub use crate::math::interpolation::Spline;
use alloc::{string::String, vec, vec::Vec};
pub(crate) use cluster::{Cluster, ClusterMap, ClusterRod, Drive, Elastic, Member, Part};
pub use description::Described;
pub use fault::Fault;
pub(crate) use first_stage::FirstStage;
pub use flexible::{Flexible, StiffeningModel};
pub use guided::{Guide, Guided, MAX_PERIODS_PER_STEP, STEPS_PER_PERIOD};
pub use interface::{
    InputInfo, Interface, Knowns, OutputInfo, ParameterInfo, ScalarKind, StateInfo, StatePlace, VectorElement,
};
pub use low_pass::LowPass;
pub(crate) use low_pass::POLES;
pub(crate) use propagation::Propagation;
pub use readout::{Angles, Axes, Figure, FlexibleQuantity, Output, PointQuantity, Readout, SystemQuantity};
pub use report::{AssemblyChange, BlockReport, FlexibleReport, ModeReport, Redundancy, Report};
pub use scheme::{Implicit, Integrator};
pub(crate) use state::ENERGIES;
pub use state::{DISSIPATED, INPUT_WORK, Memory, State};
pub(crate) use workspace::ClusterScratch;
pub use workspace::{BlockScratch, Rates, Workspace};

use core::ops::{Range, RangeInclusive};

use crate::force::Element;
use crate::joint::{Row, TreeJoint};
use crate::math::Vec3;
use crate::math::linear::Tolerance;
use crate::math::spatial::Inertia;

/// Zero tolerances in the Jacobian of a block, whose rows and coordinates are scaled to m: pivots and singular values
/// below 1e-8 of the largest, and below 10 nm of gap per m of travel, however small the others are.
pub const RANK: Tolerance = Tolerance { relative: 1e-8, absolute: 1e-8 };

/// Settings of the index-3 augmented Lagrangian.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct AugmentedLagrangian {
    /// Weight of a loop equation relative to its effective inertia.
    pub penalty: f64,
    /// Change of the positions, relative to the mechanism's length, at which the iteration of a step ends.
    pub tolerance: f64,
    /// Largest number of iterations per step.
    pub max_iterations: usize,
}

impl Default for AugmentedLagrangian {
    /// The penalty leaves a millionth of a gap per iteration, and 10 of the 16 digits of the inertia next to the
    /// weights in the tangent matrix.
    fn default() -> AugmentedLagrangian {
        AugmentedLagrangian { penalty: 1e6, tolerance: 1e-12, max_iterations: 40 }
    }
}

/// Range of `penalty`. Below the range, multipliers must supply more than half of the force that closes a loop in every
/// iteration. Above the range, at most 4 of 16 digits of the inertia remain in the tangent matrix.
pub const PENALTIES: RangeInclusive<f64> = 1.0..=1e12;
/// Range of `tolerance`: round-off sets the lower end; above the upper end the result is not a solution.
pub const TOLERANCES: RangeInclusive<f64> = 1e-15..=1e-3;
/// Range of `max_iterations`: one iteration cannot show convergence, and the upper end bounds the cost of a step.
pub const ITERATIONS: RangeInclusive<u32> = 2..=1000;

/// A rigid body; its frame B has its origin at the centre of mass.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Rod {
    /// Mass in kg.
    pub mass: f64,
    /// The two bodies.
    pub bodies: [usize; 2],
    /// Its ends in the frames of the bodies.
    pub points: [Vec3; 2],
    /// Velocity coordinates that move each end, ascending, each once.
    pub coordinates: [Vec<usize>; 2],
    /// The coordinates with their columns; a coordinate may have several.
    pub(crate) slots: [Vec<(usize, usize)>; 2],
    /// Its closure row.
    pub row: usize,
}

/// A named source of closure rows: a cut joint, a rod, a coupler, a point on a line or in a plane.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Constraint {
    /// Name in the file.
    pub name: String,
    /// Index of its connection in the mechanism; `None` for a cut joint.
    pub source: Option<usize>,
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
    /// Two curves that touch: the first row is along their normal, the second along their tangent.
    pub touching: bool,
}

/// A column of a row's Jacobian: coordinate of the block and leg of the loop.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct Entry {
    /// Coordinate within the block.
    pub column: usize,
    /// Its column: a coordinate of a flexible body has one per interface.
    pub slot: usize,
    /// On the leg of the second body (+) or of the first (−).
    pub on_second: bool,
    /// Its value in [`BlockScratch::jacobian`].
    pub place: usize,
    /// No entry before it has the same place.
    pub first: bool,
    /// What the product of column and force is multiplied with, by the leg and the size of a unit; of a coupler the
    /// value, on the first leg to be multiplied with the slope of its law.
    pub factor: f64,
}

/// Loops that share unknown coordinates.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Block {
    /// Its index in [`System::blocks`] and in [`Workspace::blocks`].
    pub number: usize,
    /// Constraints closed in it.
    pub constraints: Vec<usize>,
    /// Its rows (global numbers).
    pub rows: Range<usize>,
    /// Its velocity coordinates, ascending.
    pub coordinates: Vec<usize>,
    /// Per coordinate: the tree joint it belongs to.
    pub owners: Vec<usize>,
    /// Tree joints on the legs of its loops, ascending.
    pub joints: Vec<usize>,
    /// These joints, the other links of flexible bodies whose elastic coordinates are among its own, and all joints
    /// outboard of them, ascending: the joints that move while the block is being closed.
    pub(crate) moving: Vec<Moving>,
    /// Per coordinate: of the joints in `moving`, the joints that it moves and the joints outboard of them, ascending.
    pub carried: Vec<Vec<usize>>,
    /// Per constraint: of the joints in `moving`, those that move its bodies, ascending.
    pub supports: Vec<Vec<usize>>,
    /// Per row: the range of these joints that belongs to the row.
    pub supports_of: Vec<usize>,
    /// Per row: the terms of its values in the Jacobian.
    pub(crate) entries: Vec<Vec<Entry>>,
    /// Per row: the entries of the driven coordinates that move it, with `column` the velocity coordinate, `place` 0
    /// and no size of a unit in `factor`; empty when no row has any.
    pub(crate) guided: Vec<Vec<Entry>>,
    /// Range of the values of row i in [`BlockScratch::jacobian`]: from `starts[i]` to `starts[i + 1]`.
    pub starts: Vec<usize>,
    /// Column of every value, ascending in a row.
    pub columns: Vec<usize>,
    /// Position of every column in an order in which the columns of one row are close together.
    pub places: Vec<usize>,
    /// Per coordinate: class for the choice of pivots; a higher class stays independent if possible.
    pub class: Vec<u8>,
    /// The classes without the requests of the file: only elastic coordinates remain independent if possible.
    pub class_without_requests: Vec<u8>,
    /// Per coordinate: size in m of a unit, so that angles and travels compare (m/rad, 1).
    pub unit_size: Vec<f64>,
    /// Per coordinate: 1 / `unit_size`.
    pub per_size: Vec<f64>,
    /// Size of the block in m: greatest distance of its joints.
    pub size: f64,
    /// Rank of the Jacobian at regular positions.
    pub rank: usize,
    /// Smallest pivot of a fresh choice at a regular position.
    pub regular_pivot: f64,
    /// Whether it is closed in pieces, the structural groups one after the other, instead of as a whole.
    pub in_pieces: bool,
    /// Index of its orders in [`State::orders`]: rows, then columns.
    pub order: usize,
}

impl Block {
    /// Range of the row order in [`State::orders`].
    pub fn row_order(&self) -> Range<usize> {
        self.order..self.order + self.rows.len()
    }
    /// Range of the column order in [`State::orders`].
    pub fn column_order(&self) -> Range<usize> {
        let start = self.order + self.rows.len();
        start..start + self.coordinates.len()
    }
    /// Of the joints in `moving`, those from which the bodies of row `i` have their place, ascending.
    pub(crate) fn supports(&self, i: usize) -> &[usize] {
        &self.supports[self.supports_of[i]]
    }
    /// Columns of row `i` of the Jacobian, ascending.
    pub(crate) fn columns_of(&self, i: usize) -> &[usize] {
        &self.columns[self.starts[i]..self.starts[i + 1]]
    }
    /// Columns of row `i` of the Jacobian with their values.
    pub fn row<'a>(&'a self, jacobian: &'a [f64], i: usize) -> impl Iterator<Item = (usize, f64)> + Clone + 'a {
        let place = self.starts[i]..self.starts[i + 1];
        self.columns[place.clone()].iter().copied().zip(jacobian[place].iter().copied())
    }
    /// The whole Jacobian, m × n, into `dense`.
    pub(crate) fn expand(&self, jacobian: &[f64], dense: &mut [f64]) {
        let n = self.coordinates.len();
        dense.fill(0.0);
        for i in 0..self.rows.len() {
            self.row(jacobian, i).for_each(|(column, value)| dense[i * n + column] = value);
        }
    }
    /// A copy in new memory.
    #[expect(clippy::disallowed_macros, reason = "for analyses and messages, outside of steps")]
    pub fn dense(&self, jacobian: &[f64]) -> Vec<f64> {
        let mut dense = vec![0.0; self.rows.len() * self.coordinates.len()];
        self.expand(jacobian, &mut dense);
        dense
    }
}

/// A tree joint that moves while a block is being closed.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct Moving {
    /// Tree joint.
    pub joint: usize,
    /// Its inboard body, or 0 if that body does not move.
    pub inboard: usize,
    /// Of every coordinate of the block that moves it: the number within the block, and the slot of its column.
    pub columns: Vec<(usize, usize)>,
}

/// Loops that share joints and whose redundant equations leave reactions undetermined that an output reads.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct Sharing {
    /// The blocks.
    pub blocks: Vec<usize>,
    /// Number of their rows.
    pub rows: usize,
    /// Tree joints of the file on the legs of their loops, ascending.
    pub joints: Vec<usize>,
    /// Their constraints that have rows.
    pub constraints: Vec<SharedConstraint>,
}

/// A constraint of a [`Sharing`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct SharedConstraint {
    /// Its number.
    pub constraint: usize,
    /// Its first row, counted in the blocks.
    pub first: usize,
    /// Of a coupler: which of its coordinates are angles.
    pub angles: Vec<bool>,
}

impl Sharing {
    /// Numbers per state of stress: multipliers, and force and moment per joint and constraint.
    pub(crate) fn width(&self) -> usize {
        self.rows + 6 * (self.joints.len() + self.constraints.len())
    }
}

/// A joint of the file and its role in the system.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct JointPlace {
    /// Name.
    pub name: String,
    /// Tree joint; `None` for a cut joint.
    pub tree: Option<usize>,
    /// Constraint of a cut joint.
    pub cut: Option<usize>,
    /// The two bodies in the order of the file.
    pub bodies: [usize; 2],
}

/// Initial requests of the file for a velocity or position coordinate.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct Requests {
    /// (position coordinate, value).
    pub positions: Vec<(usize, f64)>,
    /// (velocity coordinate, value).
    pub speeds: Vec<(usize, f64)>,
    /// Velocity coordinates whose position is requested.
    pub placed: Vec<usize>,
}

/// Constant data of a mechanism, shareable between threads and instances.
#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct System {
    pub name: String,
    pub interface: Interface,
    pub gravity: Vec3,
    pub step: f64,
    pub integrator: Integrator,
    /// Spectral radius of the generalized-alpha method at infinite frequency.
    pub spectral_radius: f64,
    /// Settings of the augmented Lagrangian.
    pub augmented: AugmentedLagrangian,
    /// Largest number of halvings of a step.
    pub step_halvings: u32,
    /// This step divided by the reference step of the limits in [`crate::integrate::refinement`].
    pub halving_scale: f64,
    pub implicit: Implicit,
    pub start_time: f64,
    /// Whether simulations start trimmed.
    pub trim: bool,
    /// World coordinates of the model's origin.
    pub origin: Vec3,
    pub nq: usize,
    pub nv: usize,
    /// Number of auxiliary states.
    pub auxiliary: usize,
    /// Range of the states of the force elements among the auxiliary states.
    pub element_states: Range<usize>,
    /// Number of columns: one per coordinate of a joint, one per elastic coordinate and link.
    pub(crate) slots: usize,
    /// Armature of every velocity coordinate, nv, kg m² or kg: ½ armature · ż² is kinetic energy. 0 for joints
    /// without armature and for elastic coordinates.
    pub armature: Vec<f64>,
    pub bodies: Vec<Body>,
    pub joints: Vec<TreeJoint>,
    pub flexible: Vec<Flexible>,
    /// File joint of every tree joint; `None` for the links of flexible bodies.
    pub joint_of_tree: Vec<Option<usize>>,
    pub joint_places: Vec<JointPlace>,
    pub constraints: Vec<Constraint>,
    pub rows: Vec<Row>,
    pub rods: Vec<Rod>,
    pub blocks: Vec<Block>,
    pub guided: Vec<Guided>,
    /// Joints that are eliminated together, outboard before inboard; empty where the dense mass matrix is used.
    pub(crate) clusters: Vec<Cluster>,
    /// Indices of bodies and coordinates in the clusters.
    pub(crate) cluster_map: ClusterMap,
    /// Velocity coordinates in no block and not guided.
    pub free: Vec<usize>,
    pub elements: Vec<Element>,
    /// Frictions among the elements that grow with the load of their joint.
    pub(crate) load_frictions: Vec<usize>,
    pub outputs: Vec<Output>,
    /// Low-pass filters behind outputs, in the order of these.
    pub filters: Vec<LowPass>,
    /// Propagation of the exponential integrator; empty for other integrators.
    pub(crate) propagation: Propagation,
    /// Whether an output needs multipliers and reactions.
    pub(crate) needs_reactions: bool,
    /// Groups of loops whose reactions are distributed with the least norm.
    pub(crate) shared: Vec<Sharing>,
    pub(crate) requests: Requests,
    /// Assembled at the start time with the start values of the inputs.
    pub initial: State,
    /// Report of the assembly.
    pub report: Report,
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

    /// Scalar outputs that redundant loop equations leave undetermined, distributed with the least norm.
    #[expect(clippy::disallowed_methods, reason = "for messages, outside of steps")]
    pub fn open_outputs(&self) -> Vec<usize> {
        let is_open = |output: &&OutputInfo| self.report.undetermined.contains(&output.name);
        let outputs = self.interface.outputs.iter().enumerate().filter(|(_, output)| is_open(output));
        outputs.map(|(index, _)| index).collect()
    }

    /// Elements that add values to inputs.
    pub fn givers(&self) -> impl Iterator<Item = &Element> {
        self.elements.iter().filter(|element| matches!(element, Element::Driver(_) | Element::BrakeLine(_)))
    }

    /// Whether joints are eliminated cluster by cluster, not by the dense mass matrix.
    pub fn has_clusters(&self) -> bool {
        !self.clusters.is_empty()
    }

    /// The parts of [`State::last_step`].
    pub fn memory(&self) -> Memory {
        Memory::new(self.element_states.len())
    }

    /// Mass of all bodies and rods, kg.
    pub fn mass(&self) -> f64 {
        let bodies: f64 = self.bodies.iter().skip(1).map(|body| body.mass).sum();
        let flexible: f64 = self.flexible.iter().map(|body| body.mass).sum();
        bodies + self.rods.iter().map(|rod| rod.mass).sum::<f64>() + flexible
    }

    /// Halves the steps where steps of length `step` (s) would be halved, so that runs with several steps differ by the
    /// error of the scheme alone: for studies of convergence.
    pub fn halve_as_with(&mut self, step: f64) {
        self.halving_scale = self.step / step;
    }

    /// This system with half of the internal step, and with steps made in halves in the same stretches of the motion.
    pub fn with_half_step(&self) -> System {
        let mut system = self.clone();
        (system.step, system.halving_scale) = (0.5 * self.step, 0.5 * self.halving_scale);
        system
    }

    /// This system without numerical damping; `None` if the scheme has none.
    pub fn undamped(&self) -> Option<System> {
        (self.integrator.is_linearly_implicit() && self.spectral_radius < 1.0)
            .then(|| System { spectral_radius: 1.0, ..self.clone() })
    }

    /// Internal step in s.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Settings of the augmented Lagrangian, if that is the scheme.
    pub fn augmented_lagrangian(&self) -> Option<&AugmentedLagrangian> {
        self.integrator.scheme().index_3.then_some(&self.augmented)
    }

    /// Fixed-step scheme.
    pub fn integrator(&self) -> Integrator {
        self.integrator
    }

    /// The assembled start state.
    pub fn initial(&self) -> &State {
        &self.initial
    }

    /// Topology, sizes, redundancy, and report of the assembly.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Tree joint that owns velocity coordinate `v`; for an elastic coordinate the joint that carries the body's frame.
    pub fn joint_of_coordinate(&self, v: usize) -> usize {
        match self.flexible.iter().find(|flexible| flexible.v.contains(&v)) {
            Some(flexible) => flexible.body - 1,
            None => {
                self.joints.iter().position(|joint| joint.link.is_none() && joint.v_range().contains(&v)).unwrap_or(0)
            }
        }
    }

    /// Tree joint with velocity coordinate `v`; `None` for an elastic coordinate.
    pub fn joint_with(&self, v: usize) -> Option<&TreeJoint> {
        self.joints.iter().find(|joint| joint.link.is_none() && joint.v_range().contains(&v))
    }

    /// Moves velocity coordinate `v` by `amount` (rad, m, or the unit of an elastic coordinate): q ← q ⊕ amount.
    pub fn add_increment(&self, q: &mut [f64], v: usize, amount: f64) {
        match self.joint_with(v) {
            Some(joint) => joint.add_increment(q, v - joint.v, amount),
            // Elastic coordinates are at the end of q and of v.
            None => q[self.nq - self.nv + v] += amount,
        }
    }

    /// Increment of velocity coordinate `v` between the close positions `from` and `to`; the inverse of
    /// [`System::add_increment`].
    pub fn increment_between(&self, from: &[f64], to: &[f64], v: usize) -> f64 {
        match self.joint_with(v) {
            Some(joint) => joint.increment_between(from, to, v - joint.v),
            None => to[self.nq - self.nv + v] - from[self.nq - self.nv + v],
        }
    }

    /// Name of a tree joint for people: of the file's joint, or of the interface it leads to.
    pub fn joint_name(&self, tree: usize) -> &str {
        match self.joint_of_tree.get(tree) {
            Some(&Some(file)) => &self.joint_places[file].name,
            _ => self.bodies.get(tree + 1).map_or("", |body| &body.name),
        }
    }
}
