//! Quantities that an output can read, not yet bound to a body or element; used by the rows of `model::outputs::RULES`.

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

/// Level of the motion on which a reading depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The state alone, with its counters and sums.
    State,
    /// Positions of the stage.
    Position,
    /// Velocities too.
    Velocity,
    /// Accelerations too.
    Acceleration,
    /// Reactions too, which outputs compute with the accelerations.
    Reaction,
}

/// The quantity that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Position of a coordinate.
    Position,
    /// Speed of a coordinate.
    Speed,
    /// Acceleration of a coordinate.
    Acceleration,
    /// Roll, pitch and yaw of a joint's second body relative to the first.
    RelativeAngles,
    /// Force of a joint on its second body.
    ReactionForce,
    /// Moment of a joint on its second body.
    ReactionMoment,
    /// Of a point of a body.
    Point(PointQuantity),
    /// Unit quaternion of a body.
    BodyRotation,
    /// Roll, pitch and yaw of a body.
    BodyAngles,
    /// Length or deflection of a spring of any kind.
    SpringLength,
    /// Its rate.
    SpringSpeed,
    /// Its force.
    SpringForce,
    /// Absolute pressure of an air spring.
    Pressure,
    /// Gear of a gearbox.
    Gear,
    /// Force of an aerodynamic drag.
    DragForce,
    /// Of a driver.
    Driver(DriverQuantity),
    /// Deformation of a bushing.
    BushingDeformation,
    /// Its force.
    BushingForce,
    /// Its torque.
    BushingTorque,
    /// Effort of a drive, brake or speed control.
    DriveEffort,
    /// Its power.
    DrivePower,
    /// Of a tyre.
    Tyre(TyreQuantity),
    /// Of a contact.
    Contact(ContactQuantity),
    /// Tension of a rod, effort of a coupler on one of its coordinates.
    ConstraintForce,
    /// Friction force between two curves.
    TangentialForce,
    /// Angle of the force between two curves from their normal.
    FrictionAngle,
    /// Power of that effort.
    ConstraintPower,
    /// Force of a constraint on its second body.
    ConstraintReactionForce,
    /// Largest gap of a constraint.
    ConstraintGap,
    /// Effort of a guided coordinate.
    GuidedEffort,
    /// Forces in a section.
    SectionForce,
    /// Moments in a section.
    SectionMoment,
    /// Stress in a point of a section.
    Stress,
    /// Elastic displacement of a node.
    Displacement,
    /// Small elastic rotations of a node.
    RotationAngles,
    /// Position of a node.
    NodePosition,
    /// Amplitude of a mode.
    Amplitude,
    /// Its speed.
    AmplitudeSpeed,
    /// Energy of the deformation of a flexible body.
    StrainEnergy,
    /// Of the whole system.
    System(SystemQuantity),
    /// A figure of the whole run, not of a state.
    Run(Figure),
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

/// Quantity of a tyre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum TyreQuantity {
    /// F_x, F_y, F_z, N.
    Force,
    /// M_x, M_y, M_z, N m.
    Torque,
    /// Contact point in W, m.
    ContactPoint,
    /// κ.
    LongitudinalSlip,
    /// α, rad.
    SlipAngle,
    /// γ, rad.
    Camber,
    /// δ, m.
    Deflection,
    /// R_l, m.
    LoadedRadius,
}

pub use crate::force::vehicle::driver::DriverQuantity;

/// Quantity of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum ContactQuantity {
    /// Force on the second body, N.
    ContactForce,
    /// Sum of the normal forces, N.
    NormalForce,
    /// m.
    SmallestDistance,
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
