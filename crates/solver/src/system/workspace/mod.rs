//! Scratch of one instance: every value is written before it is read in a step, and none is kept between steps.
//!
//! One struct per stage of a step, in the order in which a step fills them; every struct documents its writer, sizes
//! and units. Functions take the structs that they read and write.

mod closure;
mod forces;
mod integration;
mod motion;
mod poison;
mod solution;

use alloc::vec::Vec;
pub(crate) use closure::Partition;
pub use closure::{BlockScratch, ClosureScratch};
pub use forces::{AppliedLoads, FlexibleScratch, Inertias, Reactions, Residuals};
pub(crate) use integration::{Integration, Unfiltered};
pub use integration::{Rates, StepEvents};
pub use motion::{Accelerations, Kinematics, Stage};
pub use poison::Number;
pub(crate) use solution::{AugmentedScratch, ClusterScratch, Elimination};
pub use solution::{Dense, GyroscopicScratch};

use super::{FirstStage, State, System};
use crate::force::Surroundings;
use crate::math::scalar::Scalar;
use poison::Poison;

/// Scratch memory: of numbers, or of numbers with derivatives where what depends on the motion alone is evaluated
/// ([`crate::dynamics::tangent`]); how loops are closed and equations are solved is decided with numbers.
pub struct Workspace<S: Scalar = f64> {
    /// Coordinates and inputs of the present stage.
    pub stage: Stage<S>,
    /// Poses, columns and velocities.
    pub kinematics: Kinematics<S>,
    /// Rows of the closure, and what blocks share while they are closed.
    pub closure: ClosureScratch<S>,
    /// Per block: see [`BlockScratch`].
    pub blocks: Vec<BlockScratch>,
    /// Inertias of the bodies.
    pub inertias: Inertias<S>,
    /// Per flexible body: see `FlexibleScratch`.
    pub flexible: Vec<FlexibleScratch<S>>,
    /// Loads on bodies and coordinates, and their powers.
    pub loads: AppliedLoads<S>,
    /// z̈, and the accelerations of the bodies.
    pub accelerations: Accelerations<S>,
    /// Residuals of the equations of motion.
    pub residuals: Residuals<S>,
    /// Elimination from the leaves.
    pub(crate) elimination: Elimination,
    /// Gyroscopic terms of implicit steps.
    pub gyroscopic: GyroscopicScratch,
    /// Dense mass matrix.
    pub dense: Dense,
    /// Augmented Lagrangian.
    pub(crate) augmented: AugmentedScratch,
    /// Rates at the present stage.
    pub rates: Rates<S>,
    /// Multipliers and reactions.
    pub reactions: Reactions<S>,
    /// Data of the scheme between stages.
    pub(crate) integration: Integration,
    /// Inputs of the low-pass filters.
    pub(crate) unfiltered: Unfiltered,
    /// The evaluation at the start of the next step, if already computed.
    pub(crate) first_stage: FirstStage,
    /// Events of the step.
    pub events: StepEvents,
}

/// The parts of a workspace that closing the loops reads and changes, in addition to the scratch of the blocks.
pub struct OpenTree<'a> {
    /// Coordinates, which are moved.
    pub stage: &'a mut Stage,
    /// Bodies, which follow.
    pub kinematics: &'a mut Kinematics,
    /// Rows of the closure.
    pub closure: &'a mut ClosureScratch,
    /// Metric of least change and of projections.
    pub inertias: &'a mut Inertias,
    /// The same.
    pub flexible: &'a mut [FlexibleScratch],
    /// Metric as well: mass matrix of the open tree, for a block in no cluster.
    pub mass: &'a mut [f64],
    /// Set if a singular direction is left out.
    pub near_singular: &'a mut bool,
}

impl Workspace {
    /// Whether the evaluation at the start of the next step from `state` is already known.
    pub fn knows_first_stage(&self, state: &State) -> bool {
        self.first_stage.is_of(state)
    }

    /// Scratch for one instance of `system`, filled with NaN.
    pub fn new(system: &System) -> Workspace {
        Workspace::of(system)
    }
}

impl<S: Number> Workspace<S> {
    /// Scratch of any numbers, filled with NaN.
    #[expect(clippy::disallowed_methods, reason = "scratch memory, before the first step")]
    pub(crate) fn of(system: &System) -> Workspace<S> {
        Workspace {
            stage: Stage::new(system),
            kinematics: Kinematics::new(system),
            closure: ClosureScratch::new(system),
            blocks: system.blocks.iter().map(BlockScratch::new).collect(),
            inertias: Inertias::new(system),
            flexible: system.flexible.iter().map(|body| FlexibleScratch::new(body.modes())).collect(),
            loads: AppliedLoads::new(system),
            accelerations: Accelerations::new(system),
            residuals: Residuals::new(system),
            elimination: Elimination::new(system),
            gyroscopic: GyroscopicScratch::new(system),
            dense: Dense::new(system),
            augmented: AugmentedScratch::new(system),
            first_stage: FirstStage::new(system, &Rates::new(system)),
            rates: Rates::new(system),
            reactions: Reactions::new(system),
            integration: Integration::new(system),
            unfiltered: Unfiltered::new(system),
            events: StepEvents::default(),
        }
    }
}

impl Workspace {
    /// The open tree and the scratch of all blocks.
    pub fn open_tree(&mut self) -> (OpenTree<'_>, &mut [BlockScratch]) {
        let tree = OpenTree {
            stage: &mut self.stage,
            kinematics: &mut self.kinematics,
            closure: &mut self.closure,
            inertias: &mut self.inertias,
            flexible: &mut self.flexible,
            mass: &mut self.dense.mass,
            near_singular: &mut self.events.near_singular,
        };
        (tree, &mut self.blocks)
    }

    /// What force elements read at the present stage, with the parameters of `state`.
    pub fn surroundings<'a>(&'a self, state: &'a State) -> Surroundings<'a> {
        self.stage.surroundings(&self.kinematics, &state.parameters)
    }

    /// Overwrites every number with `value`, and integers with [`crate::math::POISON`], and discards evaluated values.
    /// A test uses it to prove that no step depends on them.
    pub fn fill(&mut self, value: f64) {
        self.first_stage.forget();
        self.fill_scratch(value);
    }

    /// Overwrites everything except the evaluation that the next step may use.
    pub fn fill_scratch(&mut self, value: f64) {
        // All fields are named, so that a missing field does not compile.
        let Workspace {
            stage,
            kinematics,
            closure,
            blocks,
            inertias,
            flexible,
            loads,
            accelerations,
            residuals,
            elimination,
            gyroscopic,
            dense,
            augmented,
            rates,
            reactions,
            integration,
            unfiltered,
            first_stage: _,
            events: _,
        } = self;
        let parts: [&mut dyn Poison; 17] = [
            stage,
            kinematics,
            closure,
            blocks,
            inertias,
            flexible,
            loads,
            accelerations,
            residuals,
            elimination,
            gyroscopic,
            dense,
            augmented,
            rates,
            reactions,
            integration,
            unfiltered,
        ];
        parts.into_iter().for_each(|part| part.poison(value));
    }
}
