//! What moves: the coordinates of a stage, and the bodies that they place.

use super::poison::{blank, poisoned};
use crate::force::Surroundings;
use crate::math::spatial::{BodyMotion, Motion};
use crate::math::{Mat3, Vec3};
use crate::system::{State, System};

/// The stage: coordinates at which everything else is evaluated. Written by the integrator and `dynamics::stage`;
/// closing the loops moves `q` and `v`. Lengths in m or rad, times in s.
pub struct Stage {
    /// Positions, nq.
    pub q: Vec<f64>,
    /// Velocities ż, nv.
    pub v: Vec<f64>,
    /// Auxiliary states: energies in J, states of force elements and filters.
    pub auxiliary: Vec<f64>,
    /// Inputs at the time of the stage.
    pub inputs: Vec<f64>,
    /// Position, speed and acceleration of every guided coordinate.
    pub guided: Vec<[f64; 3]>,
}

poisoned!(Stage { q, v, auxiliary, inputs, guided });

impl Stage {
    pub(super) fn new(system: &System) -> Stage {
        Stage {
            q: blank(system.nq),
            v: blank(system.nv),
            auxiliary: blank(system.auxiliary),
            inputs: blank(system.interface.inputs.len()),
            guided: blank(system.guided.len()),
        }
    }

    /// What force elements read at this stage, with its bodies and the parameters of `state`.
    pub(crate) fn surroundings<'a>(&'a self, kinematics: &'a Kinematics, state: &'a State) -> Surroundings<'a> {
        self.surroundings_with(kinematics, &state.parameters)
    }

    /// The same with the parameters alone.
    pub(crate) fn surroundings_with<'a>(
        &'a self,
        kinematics: &'a Kinematics,
        parameters: &'a [f64],
    ) -> Surroundings<'a> {
        Surroundings {
            bodies: &kinematics.bodies,
            q: &self.q,
            v: &self.v,
            parameters,
            inputs: &self.inputs,
            auxiliary: &self.auxiliary,
        }
    }
}

/// Where the bodies are and how fast. By `dynamics::kinematics`, from q and ż of the stage, root to leaves. World axes,
/// m and m/s, about the point o of the branch.
pub struct Kinematics {
    /// Pose and velocity of every body, as constraints and forces read them. Entry 0: the ground.
    pub bodies: Vec<BodyMotion>,
    /// Joint point of every tree joint from o.
    pub points: Vec<Vec3>,
    /// Columns b: of all velocity coordinates of joints (nv entries, unused for elastic ones), then of the links.
    pub columns: Vec<Motion>,
    /// Per tree joint: see [`LinkScratch`]; empty for those of the file.
    pub links: Vec<LinkScratch>,
}

poisoned!(Kinematics { bodies, points, columns, links });

impl Kinematics {
    pub(super) fn new(system: &System) -> Kinematics {
        let modes = system.joints.iter().map(|joint| joint.link.map_or(0, |link| link.modes));
        Kinematics {
            bodies: blank(system.bodies.len()),
            points: blank(system.joints.len()),
            columns: blank(system.slots),
            links: modes.map(LinkScratch::new).collect(),
        }
    }
}

/// Scratch of one link of a flexible body with n elastic coordinates. By `dynamics::flexible::links`.
#[derive(Default)]
pub struct LinkScratch {
    /// Derivatives of displacement and rotation vector, 6 rows of n.
    pub slopes: [Vec<f64>; 6],
    /// R_WC.
    pub axes: Mat3,
    /// R_WC T(θ).
    pub tangent: Mat3,
    /// θ.
    pub theta: Vec3,
    /// The interface's node from o, m.
    pub node: Vec3,
}

poisoned!(LinkScratch { slopes, axes, tangent, theta, node });

impl LinkScratch {
    fn new(n: usize) -> LinkScratch {
        let mut scratch = LinkScratch { slopes: std::array::from_fn(|_| blank(n)), ..LinkScratch::default() };
        super::poison::Poison::poison(&mut scratch, f64::NAN);
        scratch
    }
}

/// Accelerations of the stage. z̈ by the evaluation or, before it, by an implicit scheme; those of the bodies by
/// `dynamics::kinematics` from z̈.
pub struct Accelerations {
    /// z̈ of all coordinates, nv, m/s² or rad/s².
    pub zdd: Vec<f64>,
    /// Spatial acceleration Ż of every body, about o, world axes.
    pub bodies: Vec<Motion>,
}

poisoned!(Accelerations { zdd, bodies });

impl Accelerations {
    pub(super) fn new(system: &System) -> Accelerations {
        Accelerations { zdd: blank(system.nv), bodies: blank(system.bodies.len()) }
    }
}
