//! Motion: the coordinates of a stage, and the positions of the bodies.

use super::Number;
use super::poison::{Blank, blank, poisoned};
use crate::force::Surroundings;
use crate::math::scalar::Scalar;
use crate::math::spatial::{BodyMotion, Motion};
use crate::math::{Mat3, Vec3};
use crate::system::System;
use alloc::vec::Vec;

/// The stage: coordinates at which everything else is evaluated. Written by the integrator and `dynamics::stage`;
/// closing the loops moves `q` and `v`. Lengths in m or rad, times in s.
pub struct Stage<S = f64> {
    /// Positions, nq.
    pub q: Vec<S>,
    /// Velocities ż, nv.
    pub v: Vec<S>,
    /// Auxiliary states: energies in J, states of force elements and filters.
    pub auxiliary: Vec<S>,
    /// Inputs at the time of the stage.
    pub inputs: Vec<S>,
    /// Position, speed and acceleration of every guided coordinate.
    pub guided: Vec<[S; 3]>,
    /// Time.
    pub time: S,
}

poisoned!(Stage<S> { q, v, auxiliary, inputs, guided, time });

impl<S: Number> Stage<S> {
    pub(super) fn new(system: &System) -> Stage<S> {
        Stage {
            q: blank(system.nq),
            v: blank(system.nv),
            auxiliary: blank(system.auxiliary),
            inputs: blank(system.interface.inputs.len()),
            guided: blank(system.guided.len()),
            time: Blank::of(f64::NAN),
        }
    }
}

impl<S: Scalar> Stage<S> {
    /// Inputs of the force elements at this stage, with its bodies and the present values of all parameters.
    pub fn surroundings<'a>(&'a self, kinematics: &'a Kinematics<S>, parameters: &'a [S]) -> Surroundings<'a, S> {
        Surroundings {
            bodies: &kinematics.bodies,
            q: &self.q,
            v: &self.v,
            parameters,
            inputs: &self.inputs,
            auxiliary: &self.auxiliary,
            time: self.time,
        }
    }
}

/// Poses and velocities of the bodies. By `dynamics::kinematics`, from q and ż of the stage, root to leaves. World
/// axes, m and m/s, about the point o of the branch.
pub struct Kinematics<S: Scalar = f64> {
    /// Pose and velocity of every body, as constraints and forces read them. Entry 0: the ground.
    pub bodies: Vec<BodyMotion<S>>,
    /// Joint point of every tree joint from o.
    pub points: Vec<Vec3<S>>,
    /// Columns b: of all velocity coordinates of joints (nv entries, unused for elastic ones), then of the links.
    pub columns: Vec<Motion<S>>,
    /// Per tree joint: see [`LinkScratch`]; empty for joints of the file.
    pub(crate) links: Vec<LinkScratch<S>>,
}

poisoned!(Kinematics<S> { bodies, points, columns, links });

impl<S: Number> Kinematics<S> {
    #[expect(clippy::disallowed_methods, reason = "scratch memory, before the first step")]
    pub(super) fn new(system: &System) -> Kinematics<S> {
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
pub(crate) struct LinkScratch<S: Scalar = f64> {
    /// Derivatives of displacement and rotation vector, 6 rows of n.
    pub slopes: [Vec<S>; 6],
    /// R_WC.
    pub axes: Mat3<S>,
    /// R_WC T(θ).
    pub tangent: Mat3<S>,
    /// θ.
    pub theta: Vec3<S>,
    /// The interface's node from o, m.
    pub node: Vec3<S>,
}

poisoned!(LinkScratch<S> { slopes, axes, tangent, theta, node });

impl<S: Number> LinkScratch<S> {
    fn new(n: usize) -> LinkScratch<S> {
        let mut scratch = LinkScratch { slopes: core::array::from_fn(|_| blank(n)), ..LinkScratch::default() };
        super::poison::Poison::poison(&mut scratch, f64::NAN);
        scratch
    }
}

/// Accelerations of the stage. z̈ by the evaluation or, before it, by an implicit scheme; the bodies' accelerations by
/// `dynamics::kinematics` from z̈.
pub struct Accelerations<S = f64> {
    /// z̈ of all coordinates, nv, m/s² or rad/s².
    pub zdd: Vec<S>,
    /// Spatial acceleration Ż of every body, about o, world axes.
    pub bodies: Vec<Motion<S>>,
}

poisoned!(Accelerations<S> { zdd, bodies });

impl<S: Number> Accelerations<S> {
    pub(super) fn new(system: &System) -> Accelerations<S> {
        Accelerations { zdd: blank(system.nv), bodies: blank(system.bodies.len()) }
    }
}
