//! Descriptions of faults, with the names of the affected loops, joints, inputs and outputs.
//!
//! [`Described`] writes the text without allocating, so that a log can record it within a communication step.

#![expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "texts for messages, outside of steps")]

use alloc::{string::String, string::ToString};
use core::fmt::{self, Display, Formatter};

use super::{Fault, Flexible, Guided, StatePlace, System};
use crate::joint::TreeJoint;

/// A fault of a system with a `Display` text.
#[derive(Clone, Copy)]
pub struct Described<'a> {
    system: &'a System,
    fault: Fault,
}

impl System {
    /// Description of the fault, with the names of the affected loops or joints.
    pub fn describe(&self, fault: &Fault) -> String {
        self.described(*fault).to_string()
    }

    /// Description of the fault that is written without a `String`.
    pub fn described(&self, fault: Fault) -> Described<'_> {
        Described { system: self, fault }
    }

    /// Name of a velocity coordinate for people: the joint, with a number where it has several, or body and mode.
    pub fn coordinate_name(&self, v: usize) -> String {
        Coordinate(self, v).to_string()
    }

    /// Text of [`Fault::SpeedsContradict`], without the remedy.
    pub fn describe_contradiction(&self, block: u32, rate: f64, time: f64) -> String {
        Contradiction { system: self, block, rate, time }.to_string()
    }

    /// Text of [`Fault::LoopOpen`], without the remedy.
    pub fn describe_open_loop(&self, block: u32, gap: f64, time: f64) -> String {
        OpenLoop { system: self, block, gap, time }.to_string()
    }
}

/// A velocity coordinate.
struct Coordinate<'a>(&'a System, usize);

impl Display for Coordinate<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Coordinate(system, v) = *self;
        if let Some(flexible) = system.flexible.iter().find(|flexible| flexible.v.contains(&v)) {
            return write!(f, "{} mode {}", flexible.name, v - flexible.v.start + 1);
        }
        let tree = system.joint_of_coordinate(v);
        let (joint, name) = (&system.joints[tree], system.joint_name(tree));
        if joint.v_range().len() == 1 { f.write_str(name) } else { write!(f, "{name}[{}]", v - joint.v + 1) }
    }
}

/// Names in a row, each in code font.
fn write_names<'a>(f: &mut Formatter<'_>, names: impl Iterator<Item = &'a str>) -> fmt::Result {
    for (index, name) in names.enumerate() {
        write!(f, "{}`{name}`", if index == 0 { "" } else { ", " })?;
    }
    Ok(())
}

/// The constraints that close the loops of a block.
struct Closing<'a>(&'a System, u32);

impl Display for Closing<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let closing = self.0.blocks.get(self.1 as usize).map_or(&[][..], |block| &block.constraints);
        write_names(f, closing.iter().map(|&constraint| self.0.constraints[constraint].name.as_str()))
    }
}

/// See [`System::describe_contradiction`].
struct Contradiction<'a> {
    system: &'a System,
    block: u32,
    rate: f64,
    time: f64,
}

impl Display for Contradiction<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Contradiction { system, block, rate, time } = *self;
        let moves = |guided: &&Guided| {
            let rows = system.blocks.get(block as usize).map_or(&[][..], |block| &block.guided);
            rows.iter().flatten().any(|entry| entry.column == guided.coordinate.velocity)
        };
        write!(f, "the prescribed speeds at t = {time} s (")?;
        write_names(f, system.guided.iter().filter(moves).map(|item| item.name.as_str()))?;
        let closing = Closing(system, block);
        write!(
            f,
            ") are not consistent with the loop closed by {closing}: they violate the loop constraint at {rate:.3e} m/s"
        )
    }
}

/// See [`System::describe_open_loop`].
struct OpenLoop<'a> {
    system: &'a System,
    block: u32,
    gap: f64,
    time: f64,
}

impl Display for OpenLoop<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let OpenLoop { system, block, gap, time } = *self;
        let names = Closing(system, block);
        write!(f, "the loop closed by {names} could not be closed at t = {time} s: a gap of {gap:.3e} m remains")
    }
}

impl Display for Described<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Described { system, fault } = *self;
        let joint = |tree: u32| system.joint_name(tree as usize);
        match fault {
            Fault::LoopOpen { block, gap, time } => write!(
                f,
                "{}; keep the prescribed motion within reach and away from singular positions, or use a smaller step",
                OpenLoop { system, block, gap, time }
            ),
            Fault::SpeedsContradict { block, rate, time } => write!(
                f,
                "{}; prescribe fewer coordinates of the loop, or prescribe consistent motions",
                Contradiction { system, block, rate, time }
            ),
            Fault::Singular { block, time } => write!(
                f,
                "the loop closed by {} is in a singular position at t = {time} s, where there are no derivatives",
                Closing(system, block)
            ),
            Fault::NoInertia { joint: tree, time } => {
                write!(f, "joint `{}` has no inertia at t = {time} s", joint(tree))?;
                let carried = system.flexible.iter().find(|body| body.body == tree as usize + 1);
                match carried.and_then(|body| Some((&body.name, body.tangent.as_ref()?))) {
                    Some((body, interface)) => write!(
                        f,
                        ": the joint carries the floating frame of `{body}`, which is tangent to the interface \
                         \"{interface}\", and the deformation is too large for this frame; set `frame = \"mean_axis\"`"
                    ),
                    None => Ok(()),
                }
            }
            Fault::NotFinite { joint: tree, time } => write!(
                f,
                "the coordinates of joint `{}`, or its inertia, are no longer finite at t = {time} s: an input, a \
                 load or a speed is too large, or the step is too long",
                joint(tree)
            ),
            Fault::BeyondCurve { joint: tree, time } => write!(
                f,
                "joint `{}` passed an end of its curve at t = {time} s; make the curve longer or closed, or limit the \
                 travel by a bump stop",
                joint(tree)
            ),
            Fault::NotConverged { coordinate, change, gap, time } => write!(
                f,
                "the step to t = {time} s did not converge: `{}` still changes by {change:.3e} m per iteration, and a \
                 gap of {gap:.3e} m remains; use a shorter step",
                Coordinate(system, coordinate as usize)
            ),
            Fault::StateNotFinite { state, time } => {
                let place = StatePlace::Auxiliary(state as usize);
                match system.interface.states.iter().find(|info| info.place == place) {
                    Some(info) => write!(f, "auxiliary state `{}`", info.name),
                    None => write!(f, "auxiliary state number {state}"),
                }?;
                write!(
                    f,
                    " is no longer finite at t = {time} s, although all coordinates are: an input, a gain or a speed \
                     is too large, or the step is too long"
                )
            }
            Fault::OutputNotFinite { output, time } => {
                let name = system.interface.outputs.get(output as usize).map_or("", |output| output.name.as_str());
                write!(f, "output `{name}` is not finite at t = {time} s, although all coordinates are")
            }
            Fault::BadInput { input, time } => {
                let name = system.interface.inputs.get(input as usize).map_or("", |i| i.name.as_str());
                write!(f, "input `{name}` is not finite at t = {time} s")
            }
            Fault::BadTime { asked, time } => write!(f, "cannot step from t = {time} s to t = {asked} s"),
            Fault::TooManySteps { steps, time } => write!(
                f,
                "a communication step from t = {time} s would need {steps:.3e} internal steps of {:e} s, more than \
                 1e8; use a shorter communication step",
                system.step
            ),
            Fault::NotTrimmed { coordinate: None, time, .. } => {
                write!(f, "no equilibrium or steady motion was found for the start at t = {time} s")
            }
            Fault::NotTrimmed { coordinate: Some(coordinate), left, time } => {
                let name = Coordinate(system, coordinate as usize);
                let turns = |joint: &TreeJoint| TreeJoint::is_rotation(joint.kind, coordinate as usize - joint.v);
                let unit = if system.joint_with(coordinate as usize).is_some_and(turns) { "N m" } else { "N" };
                write!(
                    f,
                    "the start at t = {time} s could not be trimmed: a net force of {left:.6e} {unit} remains \
                           along `{name}`"
                )
            }
            Fault::NotDeformed { coordinate, time } => {
                let holds = |body: &&Flexible| body.v.contains(&(coordinate as usize));
                let name = system.flexible.iter().find(holds).map_or("", |body| body.name.as_str());
                write!(
                    f,
                    "no static deformation of `{name}` was found for the start at t = {time} s; start undeformed \
                     (`deformation = \"none\"`), or from another position"
                )
            }
        }
    }
}
