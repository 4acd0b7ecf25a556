//! `[[output]]` as plain data.

use super::kinds::*;
use super::{Axes, Place};
use crate::geometry::{Geometry, New};
use serde::{Deserialize, Serialize};

/// `[[output]]`: a quantity of a joint, body, rod, spring, bushing, driven coordinate, loop constraint or flexible
/// body, or of the whole system.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Output {
    /// Unique structured name; a vector becomes `name.x`, `name.y`, `name.z`, a quaternion `name.w` … `name.z`.
    pub name: OutputName,
    /// Quantity of the output.
    pub quantity: Quantity,
    /// Joint, for position, speed, acceleration, angles, reaction_force, reaction_moment.
    pub joint: Option<ConstraintName>,
    /// Coordinate of the joint. Required if the joint has more than one, except for reactions.
    pub coordinate: Option<CoordinateName>,
    /// Body, for position, velocity, acceleration, rotation, angles, angular_velocity, angular_acceleration.
    pub body: Option<BodyName>,
    /// Point of the body in the design position. Default: its centre of mass, or the node of an interface.
    pub point: Option<Place>,
    /// Spring of any kind (spring, joint spring, torsion bar, leaf spring, air spring, damper, anti-roll bar, bump
    /// stop), for length, speed, force; air spring: pressure.
    pub spring: Option<ForceName>,
    /// Bushing, for position (3 deformations), force and torque on the second body.
    pub bushing: Option<ForceName>,
    /// Rod, coupler, rack and pinion, point on line or in plane, curve on curve, for force, power, reaction_force, gap,
    /// tangential_force, friction_angle.
    pub constraint: Option<ConstraintName>,
    /// Driven coordinate (`[[guided]]`), for effort, position, speed, acceleration.
    pub guided: Option<GuidedName>,
    /// Drive, brake, speed control or powertrain element, for effort, power; gearbox: gear.
    pub drive: Option<ForceName>,
    /// Tyre, for force, torque, position, longitudinal_slip, slip_angle, camber, deflection, loaded_radius.
    pub tyre: Option<ForceName>,
    /// Aerodynamic drag, for force.
    pub aerodynamic_drag: Option<ForceName>,
    /// Driver, for path_position, path_error, steering_angle, wanted_speed, brake_demand.
    pub driver: Option<ForceName>,
    /// Contact of points or solids, for force, normal_force, distance.
    pub contact: Option<ForceName>,
    /// Flexible body, for strain_energy, or for the quantities of `section`, `node` and `mode`.
    pub flexible_body: Option<BodyName>,
    /// Section of the flexible body, for section_force, section_moment, stress.
    pub section: Option<Text>,
    /// Point of the section for `stress`.
    pub stress_point: Option<Text>,
    /// Node of the flexible body, for displacement, rotation_angles, position.
    pub node: Option<Text>,
    /// Number of the elastic mode, from 1, for amplitude, amplitude_speed.
    pub mode: Option<usize>,
    /// Single component of a vector or quaternion.
    pub component: Option<Component>,
    /// Axes of a vector. Default `world`.
    #[serde(default, with = "super::named")]
    #[cfg_attr(feature = "schema", schemars(with = "super::loads::AxesName"))]
    pub axes: Axes,
    /// Low-pass filter of the output. Default: none.
    pub low_pass: Option<LowPass>,
    /// Short description.
    #[serde(default)]
    pub description: Text,
}

impl Output {
    /// The outputs about the computation that every model of the gallery has, with the names of their quantities.
    pub fn diagnostics() -> [Output; 5] {
        let quantities = [
            ("gap", Quantity::Gap),
            ("velocity_gap", Quantity::VelocityGap),
            ("near_singular", Quantity::NearSingular),
            ("repartitions", Quantity::Repartitions),
            ("energy_balance", Quantity::EnergyBalance),
        ];
        quantities.map(|(name, quantity)| Output::new(name, quantity))
    }
}

/// Low-pass filter of each component of an output: K/(s + K) or K³/(s + K)³ with K = 2π `cutoff_hz`. It starts in its
/// steady state.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct LowPass {
    /// Frequency of each pole in Hz.
    pub cutoff_hz: Scalar,
    /// Number of poles: 1 or 3. Default 1.
    #[serde(default = "one_pole")]
    pub order: usize,
}

fn one_pole() -> usize {
    1
}

/// Component of a vector or quaternion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Quantity of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Joint or driven coordinate (rad, m); position of a point, a node or a tyre's contact point (m, vector);
    /// deformation of a bushing (m, vector).
    Position,
    /// Speed of a joint or driven coordinate, or of a spring's elongation (rad/s, m/s).
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
    /// Force of a spring (N, positive in tension), of a bushing (N, vector, on the second body), of the road on a tyre
    /// (N, `.Fx`, `.Fy`, `.Fz`), of a contact (N, vector, on the body with the points or the first solid); tension of a
    /// rod.
    Force,
    /// Sum of the normal forces of a contact (N).
    NormalForce,
    /// Friction force between two curves in contact (N), on the second body along the travel of the first curve.
    TangentialForce,
    /// Angle between the contact force of two curves and their normal (rad, 0 to π). A friction coefficient μ prevents
    /// slip up to atan μ; beyond π/2 the curves would separate.
    FrictionAngle,
    /// Smallest distance of a contact's points or spheres from the surface (m), negative during penetration.
    Distance,
    /// Torque of a bushing on the second body (N m, vector), of the road on a tyre (N m, `.Mx`, `.My`, `.Mz`).
    Torque,
    /// Force of a joint on its second body at the joint's point (N, vector).
    ReactionForce,
    /// Moment of a joint on its second body about the joint's point (N m, vector).
    ReactionMoment,
    /// Torque or force of a prescribed motion, drive, brake or speed control (N m, N).
    Effort,
    /// Power of a drive, brake or speed control (W).
    Power,
    /// Absolute pressure in an air spring (Pa).
    Pressure,
    /// Gear of a gearbox, a value between two gears during a shift (1).
    Gear,
    /// Forces N, Vy, Vz in a section of a flexible body (N, vector), in the axes of the section.
    SectionForce,
    /// Moments T, My, Mz in a section of a flexible body (N m, vector), in the axes of the section.
    SectionMoment,
    /// Normal stress at a point of a section, positive in tension (Pa).
    Stress,
    /// Elastic displacement of a node relative to the floating frame, in the axes of C (m, vector).
    Displacement,
    /// Small elastic rotations of a node about the axes of C, relative to the floating frame (rad, vector).
    RotationAngles,
    /// Amplitude of a mass-normalised elastic mode (kg^½ m).
    Amplitude,
    /// Rate of the amplitude of a mode (kg^½ m/s).
    AmplitudeSpeed,
    /// Elastic energy of a flexible body (J).
    StrainEnergy,
    /// Slip κ of a tyre: −V_sx / |V_x| in steady rolling (1).
    LongitudinalSlip,
    /// Slip angle of a tyre: arctan(V_sy / |V_x|) in steady rolling (rad).
    SlipAngle,
    /// Inclination of the wheel relative to the road normal, positive about the forward axis (rad).
    Camber,
    /// Deflection of a tyre along the road normal (m), negative in the air.
    Deflection,
    /// Distance from the wheel's centre to the contact point (m).
    LoadedRadius,
    /// Position of a driver along the path (m).
    PathPosition,
    /// Distance of a driver's point from the path, positive to the left (m).
    PathError,
    /// Steering wheel angle that a driver applies (rad).
    SteeringAngle,
    /// Target speed of a driver for the speed control (m/s).
    WantedSpeed,
    /// Brake demand of a driver, 0 to 1 (1).
    BrakeDemand,
    /// Kinetic energy of the system (J).
    KineticEnergy,
    /// Potential energy of gravity and springs (J), zero in the design position with all springs free.
    PotentialEnergy,
    /// Energy dissipated by dampers and friction since the start (J).
    DissipatedEnergy,
    /// Work of inputs, drives, applied forces and prescribed motions since the start (J).
    InputWork,
    /// Kinetic + potential + dissipated energy − input work (J), constant except for integration errors.
    EnergyBalance,
    /// Largest constraint violation of all loops, or of one constraint (m; directions times the loop's size).
    Gap,
    /// Largest rate of constraint violation of all loops (m/s).
    VelocityGap,
    /// True while a loop passes a singular position (Boolean). Reactions, rod forces and prescribed efforts of that
    /// loop omit the singular direction and may be wrong for this sample.
    NearSingular,
    /// Number of changes of the independent coordinates since the start (Integer).
    Repartitions,
    /// Largest constraint violation of all loops at all output points so far (m).
    LargestGap,
    /// Largest rate of constraint violation of all loops at all output points so far (m/s).
    LargestVelocityGap,
    /// Largest deviation of the energy balance from its start so far, with its sign (J).
    EnergyChange,
    /// Widest range so far of one of the kinetic, potential and dissipated energies and the input work (J).
    EnergyExchanged,
    /// Number of steps so far near a singular position (Integer).
    NearSingularSteps,
    /// Number of halved steps so far (Integer).
    HalvedSteps,
    /// True once a constraint violation, an energy error or the share of near-singular steps exceeds its limit
    /// (Boolean), as in the warnings of `run`.
    Questionable,
}

impl Quantity {
    /// Whether the quantity describes the computation instead of the motion.
    pub fn is_diagnostic(self) -> bool {
        let of_a_moment = [Quantity::Gap, Quantity::VelocityGap, Quantity::NearSingular, Quantity::Repartitions];
        self.is_of_the_run() || of_a_moment.contains(&self)
    }

    /// Whether the quantity describes the run from its start instead of an instant.
    pub fn is_of_the_run(self) -> bool {
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
