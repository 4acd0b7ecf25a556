//! Sources of outputs: data that `ballesta::compile` resolves from the file and [`crate::dynamics::observe`] reads.

use crate::force::vehicle::{AerodynamicDrag, AirSpring, Clutch, Driver};
use crate::force::{Bushing, Contact, SolidContact, Tyre};
use crate::math::Vec3;
use alloc::sync::Arc;

pub use super::readings::{ContactQuantity, DriverQuantity, Figure, PointQuantity, SystemQuantity, TyreQuantity};
pub use crate::force::Axes;

/// The source of an output; the component of a vector or quaternion is selected separately. If only one kind of element
/// has the quantity, the source stores the element itself, so that no other kind can be read.
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
    /// Length of the spring (of any kind) with this element number.
    SpringLength(usize),
    /// Its speed.
    SpringSpeed(usize),
    /// Its force.
    SpringForce(usize),
    /// Absolute pressure of an air spring.
    Pressure(Arc<AirSpring>),
    /// Gear of a gearbox.
    Gear(Arc<Clutch>),
    /// Force of an aerodynamic drag.
    DragForce(Arc<AerodynamicDrag>),
    /// Quantity of a driver.
    Driver(Arc<Driver>, DriverQuantity),
    /// Quantity of a bushing.
    Bushing(Arc<Bushing>, BushingQuantity),
    /// Effort of the drive, brake or speed control with this element number.
    DriveEffort(usize),
    /// Power of it.
    DrivePower(usize),
    /// Quantity of the tyre with this element number.
    Tyre { element: usize, tyre: Arc<Tyre>, quantity: TyreQuantity },
    /// Quantity of a contact.
    Contact(Arc<Contact>, ContactQuantity),
    /// As above, for solids.
    SolidContact(Arc<SolidContact>, ContactQuantity),
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

/// Quantity of a bushing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum BushingQuantity {
    /// Deformation in its own axes, m.
    Deformation,
    /// Force on the second body, N.
    Force,
    /// Torque on the second body, N m.
    Torque,
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
