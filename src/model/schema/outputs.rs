//! `[[output]]` as plain data.

use super::loads::AxesName;
use super::{Axes, Number, Place};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[output]]`: a quantity of a joint, a body, a rod, a spring, a bushing, a guided coordinate, a loop constraint, a
/// flexible body, or of the whole system.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Unique structured name; a vector becomes `name.x`, `name.y`, `name.z`, a quaternion `name.w` … `name.z`.
    pub name: String,
    /// What to give.
    pub quantity: Quantity,
    /// Of this joint: position, speed, acceleration, reaction_force, reaction_moment.
    pub joint: Option<String>,
    /// Coordinate of the joint; needed when it has more than one (not for reactions).
    pub coordinate: Option<String>,
    /// Of this body: position, velocity, acceleration, rotation, angular_velocity, angular_acceleration.
    pub body: Option<String>,
    /// Point of the body in the design position. Default: its centre of mass; of an interface of a flexible body, its
    /// node.
    pub point: Option<Place>,
    /// Of this spring of any kind (spring, joint spring, torsion bar, leaf spring, air spring, damper, anti-roll bar,
    /// bump stop): length, speed, force; pressure of an air spring.
    pub spring: Option<String>,
    /// Of this bushing: position (3 deformations), force, torque on the second body.
    pub bushing: Option<String>,
    /// Of this rod, coupler, rack and pinion, point on line or in plane, curve on curve: force, reaction_force, gap; of
    /// a curve on a curve tangential_force and friction_angle too.
    pub constraint: Option<String>,
    /// Of this guided coordinate: effort, position, speed, acceleration.
    pub guided: Option<String>,
    /// Of this drive, brake or speed control: effort, power; of a gearbox its gear too.
    pub drive: Option<String>,
    /// Of this tyre: force, torque, position, longitudinal_slip, slip_angle, camber, deflection, loaded_radius.
    pub tyre: Option<String>,
    /// Of this aerodynamic drag: force.
    pub aerodynamic_drag: Option<String>,
    /// Of this driver: path_position, path_error, steering_angle, wanted_speed, brake_demand.
    pub driver: Option<String>,
    /// Name of the contact.
    pub contact: Option<String>,
    /// Of this flexible body: strain_energy, or what the keys `section`, `node` and `mode` allow.
    pub flexible_body: Option<String>,
    /// Section of the flexible body: section_force, section_moment, stress.
    pub section: Option<String>,
    /// Point of the section whose stress is given.
    pub stress_point: Option<String>,
    /// Node of the flexible body: displacement, rotation_angles, position.
    pub node: Option<String>,
    /// Elastic mode of the flexible body, from 1: amplitude, amplitude_speed.
    pub mode: Option<usize>,
    /// Only this component of a vector or quaternion: `x`, `y`, `z` or `w`.
    pub component: Option<Component>,
    /// Axes of a vector. Default `world`.
    #[serde(default, with = "super::named")]
    #[schemars(with = "AxesName")]
    pub axes: Axes,
    /// Low-pass filter behind the output. Default: none.
    pub low_pass: Option<LowPass>,
    /// Short description.
    #[serde(default)]
    pub description: String,
}

/// Low-pass filter behind an output, from every number y to the filtered one: K/(s + K) or K³/(s + K)³ with
/// K = 2π `cutoff_hz`; at the start it is in its steady state.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LowPass {
    /// Frequency of each pole, Hz.
    pub cutoff_hz: Number,
    /// Number of poles: 1 or 3. Default 1.
    #[serde(default = "one_pole")]
    pub order: usize,
}

fn one_pole() -> usize {
    1
}

/// Component of a vector or quaternion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Component {
    /// Scalar part of a quaternion.
    W,
    /// First.
    X,
    /// Second.
    Y,
    /// Third.
    Z,
}

/// What an output gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Quantity {
    /// Joint or guided coordinate (rad, m); position of a point, of a node or of a tyre's contact (m, vector);
    /// deformation of a bushing (m, vector).
    Position,
    /// Speed of a joint or guided coordinate, of a spring's elongation (rad/s, m/s).
    Speed,
    /// Acceleration of a coordinate (rad/s², m/s²) or of a point (m/s², vector).
    Acceleration,
    /// Velocity of a point (m/s, vector).
    Velocity,
    /// Rotation of a body since the design position (unit quaternion).
    Rotation,
    /// Roll, pitch and yaw of a body, or of a joint's second body relative to the first, since the design position
    /// (rad, `.roll`, `.pitch`, `.yaw`).
    Angles,
    /// Angular velocity of a body (rad/s, vector).
    AngularVelocity,
    /// Angular acceleration of a body (rad/s², vector).
    AngularAcceleration,
    /// Length of a spring (m), deflection of a joint spring or leaf spring (rad, m).
    Length,
    /// Force of a spring (N, tension positive), of a bushing (N, vector, on the second body), tension of a rod, of the
    /// road on a tyre (N, `.Fx`, `.Fy`, `.Fz`), of a contact (N, vector, on the body with the points or
    /// of the first solid).
    Force,
    /// Sum of the normal forces of a contact (N).
    NormalForce,
    /// Friction force between two curves that touch (N), on the second body along the travel of the first curve.
    TangentialForce,
    /// Angle between the force of two curves that touch and their normal (rad, from 0 to π): friction of the
    /// coefficient μ holds while it is at most atan μ, and beyond π/2 they would part.
    FrictionAngle,
    /// Smallest distance between a contact's points, or the spheres around them, and its surface (m); negative where
    /// one is pressed in.
    Distance,
    /// Torque of a bushing on the second body (N m, vector), of the road on a tyre (N m, `.Mx`, `.My`, `.Mz`).
    Torque,
    /// Force of a joint on its second body at the joint's point (N, vector).
    ReactionForce,
    /// Moment of a joint on its second body about the joint's point (N m, vector).
    ReactionMoment,
    /// Torque or force that moves a guided coordinate, or of a drive, brake or speed control (N m, N).
    Effort,
    /// Power of a drive, brake or speed control (W).
    Power,
    /// Absolute pressure in an air spring (Pa).
    Pressure,
    /// Gear of a gearbox, between two gears in a shift (1).
    Gear,
    /// Forces N, Vy, Vz in a section of a flexible body (N, vector), in the axes of the section.
    SectionForce,
    /// Moments T, My, Mz in a section of a flexible body (N m, vector), in the axes of the section.
    SectionMoment,
    /// Normal stress in a point of a section, tension positive (Pa).
    Stress,
    /// Elastic displacement of a node, from the floating frame, in the axes of C (m, vector).
    Displacement,
    /// Small elastic rotations of a node about the axes of C, from the floating frame (rad, vector).
    RotationAngles,
    /// Amplitude of a mass-normalised elastic mode (kg^½ m).
    Amplitude,
    /// Its speed (kg^½ m/s).
    AmplitudeSpeed,
    /// Elastic energy of a flexible body (J).
    StrainEnergy,
    /// Slip κ of a tyre: −V_sx / |V_x| in steady rolling (1).
    LongitudinalSlip,
    /// Slip angle of a tyre: the tangent is V_sy / |V_x| in steady rolling (rad).
    SlipAngle,
    /// Inclination of the wheel to the normal of the road, positive about the forward axis (rad).
    Camber,
    /// Radial deflection of a tyre, measured along the normal of the road (m); negative in the air.
    Deflection,
    /// Distance from the wheel's centre to the contact point (m).
    LoadedRadius,
    /// Place of a driver along his path (m).
    PathPosition,
    /// Distance of a driver's point from his path, positive to the left (m).
    PathError,
    /// Angle that a driver gives to the steering wheel (rad).
    SteeringAngle,
    /// Speed that a driver asks a speed control for (m/s).
    WantedSpeed,
    /// Demand of the brakes of a driver, 0 to 1 (1).
    BrakeDemand,
    /// Kinetic energy of the system (J).
    KineticEnergy,
    /// Energy in gravity and springs (J), zero in the design position with all springs free.
    PotentialEnergy,
    /// Energy taken by dampers and friction since the start (J).
    DissipatedEnergy,
    /// Work of inputs, drives, applied forces and guided motions since the start (J).
    InputWork,
    /// Kinetic + potential + dissipated energy − input work (J): constant, up to integration error.
    EnergyBalance,
    /// Largest closure error of all loops, or of one constraint (m; directions times the loop's size).
    Gap,
    /// Largest rate of closure error of all loops (m/s).
    VelocityGap,
    /// True while a loop passes a singular position (Boolean). Reactions, rod forces and efforts of guided coordinates
    /// of that loop are not determined there: what is shown leaves out the singular direction and may be off for this
    /// sample.
    NearSingular,
    /// How often independent coordinates were chosen again since the start (Integer).
    Repartitions,
    /// Largest closure error of all loops at all output points so far (m).
    LargestGap,
    /// Largest rate of closure error of all loops at all output points so far (m/s).
    LargestVelocityGap,
    /// Largest deviation of the energy balance from its start so far, with its sign (J).
    EnergyChange,
    /// The widest range of kinetic energy, potential energy, dissipated energy and input work so far (J).
    EnergyExchanged,
    /// Steps so far that passed a singular position (Integer).
    NearSingularSteps,
    /// Steps so far that were made in halves (Integer).
    HalvedSteps,
    /// True once gaps, energies or singular positions give reason to doubt the run (Boolean): what `run` warns of.
    Questionable,
}

impl Quantity {
    /// What tells about the computation and not about the motion.
    pub(crate) fn is_diagnostic(self) -> bool {
        let of_a_moment = [Quantity::Gap, Quantity::VelocityGap, Quantity::NearSingular, Quantity::Repartitions];
        self.is_of_the_run() || of_a_moment.contains(&self)
    }

    /// A figure of the run from its start on, not of a moment.
    pub(crate) fn is_of_the_run(self) -> bool {
        matches!(
            self,
            Quantity::LargestGap
                | Quantity::LargestVelocityGap
                | Quantity::EnergyChange
                | Quantity::EnergyExchanged
                | Quantity::NearSingularSteps
                | Quantity::HalvedSteps
                | Quantity::Questionable
        )
    }
}
