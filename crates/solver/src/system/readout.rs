//! Sources of outputs: data that `ballesta::compile` resolves from the file and [`crate::dynamics::observe`] reads.

use crate::force;
use crate::math::Vec3;

pub use crate::force::Axes;

/// Scalar type of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum ScalarKind {
    /// f64.
    Real,
    /// Whole number, carried as f64 inside the solver.
    Integer,
    /// 0 or 1, carried as f64 inside the solver.
    Boolean,
}

/// The source of an output; the component of a vector or quaternion is selected separately.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Readout {
    /// Position coordinate.
    Position(usize),
    /// Velocity coordinate.
    Speed(usize),
    /// Its acceleration.
    Acceleration(usize),
    /// Roll, pitch and yaw, rad.
    Angles(Angles),
    /// Unit quaternion of a body.
    Rotation(usize),
    /// Force of a joint of the file on its second body.
    ReactionForce(usize),
    /// Moment of a joint of the file on its second body about the joint's point.
    ReactionMoment(usize),
    /// Quantity of a point fixed in a body (coordinates in B).
    Point { body: usize, point: Vec3, quantity: PointQuantity },
    /// Quantity of the force element with this number.
    Element { element: usize, quantity: force::Quantity },
    /// Tension of a rod, or effort of a coupler on the coordinate with this place in it; of two curves 0: pressure, 1:
    /// friction, 2: angle between the force and the normal.
    ConstraintForce(usize, usize),
    /// Power of that effort.
    ConstraintPower(usize, usize),
    /// Force of a constraint on its second body.
    ConstraintReactionForce(usize),
    /// Largest gap of a constraint.
    ConstraintGap(usize),
    /// Effort of a prescribed coordinate, given by its number.
    GuidedEffort(usize),
    /// Quantity of a flexible body (its number in the file).
    Flexible { body: usize, quantity: FlexibleQuantity },
    /// A quantity of the whole system.
    System(SystemQuantity),
    /// A figure of the run, which the simulator writes: for a state alone it is 0.
    Run(Figure),
}

/// Reference of roll, pitch and yaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Angles {
    /// Of the second of two bodies relative to the first; 0 is the ground.
    Relative([usize; 2]),
    /// Of a body.
    OfBody(usize),
}

impl Readout {
    /// Whether it is a reaction of a loop, a joint or a driven coordinate.
    pub fn is_reaction(&self) -> bool {
        matches!(
            self,
            Readout::ReactionForce(_)
                | Readout::ReactionMoment(_)
                | Readout::ConstraintForce(..)
                | Readout::ConstraintPower(..)
                | Readout::ConstraintReactionForce(_)
                | Readout::GuidedEffort(_)
        )
    }

    /// Flexible body and section of internal forces and stresses.
    pub fn section(&self) -> Option<(usize, usize)> {
        let Readout::Flexible { body, quantity } = self else { return None };
        match quantity {
            FlexibleQuantity::SectionForce(section)
            | FlexibleQuantity::SectionMoment(section)
            | FlexibleQuantity::Stress(section, _) => Some((*body, *section)),
            _ => None,
        }
    }
}

/// Quantity of a flexible body; numbers count the sections and nodes of its reduced-order model, and its modes from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum FlexibleQuantity {
    /// N, Vy, Vz in a section, N.
    SectionForce(usize),
    /// T, My, Mz in a section, N m.
    SectionMoment(usize),
    /// Normal stress in a section and a point of it, Pa.
    Stress(usize, usize),
    /// Elastic displacement of a node, axes of C, m.
    Displacement(usize),
    /// Its small elastic rotations, axes of C, rad.
    RotationAngles(usize),
    /// Its position in W, m.
    NodePosition(usize),
    /// Amplitude of a mass-normalised mode, kg^½ m.
    Amplitude(usize),
    /// Its speed, kg^½ m/s.
    AmplitudeSpeed(usize),
    /// J.
    StrainEnergy,
}

/// Quantity of a point of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum PointQuantity {
    /// Position in W, m.
    Position,
    /// m/s.
    Velocity,
    /// m/s².
    Acceleration,
    /// rad/s.
    AngularVelocity,
    /// rad/s².
    AngularAcceleration,
}

/// Quantity of the whole system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum SystemQuantity {
    /// J.
    KineticEnergy,
    /// J.
    PotentialEnergy,
    /// J.
    DissipatedEnergy,
    /// J.
    InputWork,
    /// J.
    EnergyBalance,
    /// m.
    Gap,
    /// m/s.
    VelocityGap,
    /// Boolean.
    NearSingular,
    /// Integer.
    Repartitions,
}

/// Quality figures of a run; the values come from `ballesta::simulate::Judgement`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Figure {
    /// m.
    LargestGap,
    /// m/s.
    LargestVelocityGap,
    /// J.
    EnergyChange,
    /// J.
    EnergyExchanged,
    /// Integer.
    NearSingularSteps,
    /// Number of halved steps.
    HalvedSteps,
    /// Boolean.
    Questionable,
}

/// One scalar output.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Output {
    /// The quantity.
    pub readout: Readout,
    /// Index into the vector or quaternion; 0 for scalars.
    pub component: usize,
    /// Axes of a vector.
    pub axes: Axes,
    /// Body of the axes [`Axes::Body`].
    pub body: usize,
    /// Whether it is another component of the source of the previous output, in the same axes.
    pub again: bool,
    /// Of roll and yaw: the angles, and the place in [`State::angles`](super::State), which counts its full turns.
    pub turns: Option<(Angles, usize)>,
}
