//! Force elements of vehicles as plain data.

use super::kinds::*;
use super::{Model, Number, Place, Quantity, one, zero};
use crate::elements::{ForceTable, JointCoordinate};
use crate::geometry::Geometry;
use crate::outputs::Target;
use serde::{Deserialize, Serialize};

/// `[[damper]]`: telescopic damper along the line between two points, with separate laws for bump (the points approach)
/// and rebound. Tension is positive.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Damper {
    /// Unique name.
    pub name: ForceName,
    /// The bodies at the two ends.
    pub bodies: [BodyName; 2],
    /// Places of the two ends.
    pub points: [Place; 2],
    /// Damping c at zero speed in bump, N s/m. Default 0.
    #[serde(default = "zero")]
    pub bump_damping: Scalar,
    /// Damping c at zero speed in rebound, N s/m. Default 0.
    #[serde(default = "zero")]
    pub rebound_damping: Scalar,
    /// Degressivity d in bump, s/m: force = c v/(1 + d·|v|). Default 0, linear.
    #[serde(default = "zero")]
    pub bump_degressivity: Scalar,
    /// Degressivity d in rebound, s/m. Default 0.
    #[serde(default = "zero")]
    pub rebound_degressivity: Scalar,
    /// Rows of speed in m/s and force in N, both starting at 0, instead of `bump_damping`.
    pub bump_table: Option<Vec<[Constant; 2]>>,
    /// Rows of speed in m/s and force in N, both starting at 0, instead of `rebound_damping`.
    pub rebound_table: Option<Vec<[Constant; 2]>>,
    /// Force of the gas charge in N, positive if it pushes the ends apart. Default 0.
    #[serde(default = "zero")]
    pub gas_force: Scalar,
    /// Speed in m/s below which the two laws blend smoothly. Default 0.005.
    #[serde(default = "transition")]
    pub transition: Scalar,
}

impl ForceTable for Damper {
    const WORD: &str = "damper";
    const READ_BY: Option<Target> = Some(Target::Spring);

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        vec![self.bodies.iter().collect()]
    }
}

fn transition() -> Number {
    Number::Value(0.005)
}

/// `[[leaf_spring]]`: multi-leaf spring between a frame and an axle at its seat, with friction between the leaves.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct LeafSpring {
    /// Unique name.
    pub name: ForceName,
    /// Frame, then axle.
    pub bodies: [BodyName; 2],
    /// Seat of the axle on the spring in the design position.
    pub point: Place,
    /// Direction, fixed in the frame, in which the axle moves under increasing load. Default [0, 0, 1].
    #[geometry(default = Z)]
    pub axis: Option<Polar>,
    /// Direction of the axle beam, fixed in the frame. Only its component normal to `axis` is used; the sign has no
    /// effect. Default [0, 1, 0].
    #[geometry(default = Y)]
    pub lateral_axis: Option<Axial>,
    /// Stiffness along `axis` in N/m. Default 0.
    #[serde(default = "zero")]
    pub stiffness: Scalar,
    /// Rows of deflection in m, 0 in the design position, and force in N, instead of `stiffness`.
    pub force_table: Option<Vec<[Constant; 2]>>,
    /// Force in N in the design position, added at every deflection. Default 0.
    #[serde(default = "zero")]
    pub load: Scalar,
    /// Viscous damping along `axis` in N s/m. Default 0.
    #[serde(default = "zero")]
    pub damping: Scalar,
    /// Additional stiffness in N/m of a helper leaf beyond `helper_deflection`. Default 0.
    #[serde(default = "zero")]
    pub helper_stiffness: Scalar,
    /// Deflection in m at first contact of the helper leaf. Default 0.
    #[serde(default = "zero")]
    pub helper_deflection: Scalar,
    /// Half the range of deflection in m over which the helper contact develops. Default 0.005.
    #[serde(default = "transition")]
    pub helper_transition: Scalar,
    /// Friction between the leaves in N, half the height of the hysteresis loop. Default 0.
    #[serde(default = "zero")]
    pub friction: Scalar,
    /// Friction per load, added to `friction`. Default 0.
    #[serde(default = "zero")]
    pub friction_coefficient: Scalar,
    /// Deflection β in m after a reversal over which friction changes by 63 % towards its new branch. Default 0.002.
    #[serde(default = "friction_travel")]
    pub friction_travel: Scalar,
    /// Time constant in s that limits the rate of friction at high speed. Default 0.002.
    #[serde(default = "bristle_time")]
    pub friction_time: Scalar,
    /// Stiffness along the axle beam in N/m. Default 0.
    #[serde(default = "zero")]
    pub lateral_stiffness: Scalar,
    /// Damping along the axle beam in N s/m. Default 0.
    #[serde(default = "zero")]
    pub lateral_damping: Scalar,
    /// Stiffness normal to `axis` and axle beam in N/m. Default 0.
    #[serde(default = "zero")]
    pub longitudinal_stiffness: Scalar,
    /// Damping normal to `axis` and axle beam in N s/m. Default 0.
    #[serde(default = "zero")]
    pub longitudinal_damping: Scalar,
    /// Stiffness against rotation of the axle about its beam in N m/rad. Default 0.
    #[serde(default = "zero")]
    pub wind_up_stiffness: Scalar,
    /// Damping of the rotation of the axle about its beam in N m s/rad. Default 0.
    #[serde(default = "zero")]
    pub wind_up_damping: Scalar,
}

impl ForceTable for LeafSpring {
    const WORD: &str = "leaf spring";
    const READ_BY: Option<Target> = Some(Target::Spring);

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        vec![self.bodies.iter().collect()]
    }
}

fn friction_travel() -> Number {
    Number::Value(0.002)
}

pub(super) fn bristle_time() -> Number {
    Number::Value(0.002)
}

/// `[[air_spring]]`: gas under pressure between two points. Tension is positive, so its force is negative.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct AirSpring {
    /// Unique name.
    pub name: ForceName,
    /// The bodies at the two ends.
    pub bodies: [BodyName; 2],
    /// Places of the two ends. Their distance is the height of the spring.
    pub points: [Place; 2],
    /// Effective area in m².
    pub area: Option<Scalar>,
    /// Rows of height in m and effective area in m², instead of `area`.
    pub area_table: Option<Vec<[Constant; 2]>>,
    /// Design height in m. Default: the distance of the points in the design position.
    pub height: Option<Scalar>,
    /// Volume of the bellows at the design height in m³. Default: area times design height.
    pub volume: Option<Scalar>,
    /// Volume of an additional reservoir in m³. Default 0.
    #[serde(default = "zero")]
    pub reservoir: Scalar,
    /// Absolute pressure at the design height in Pa: a number, an input or a parameter. Alternative to `force`.
    pub pressure: Option<Signal>,
    /// Force in N at the design height, instead of `pressure`.
    pub force: Option<Signal>,
    /// Polytropic exponent: 1 isothermal (slow), 1.4 adiabatic (fast). Default 1.3.
    #[serde(default = "polytropic")]
    pub exponent: Scalar,
    /// Absolute ambient pressure in Pa. Default 101325.
    #[serde(default = "atmosphere")]
    pub ambient_pressure: Scalar,
}

impl ForceTable for AirSpring {
    const WORD: &str = "air spring";
    const READ_BY: Option<Target> = Some(Target::Spring);
    const OWN_QUANTITIES: &[Quantity] = &[Quantity::Pressure];

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        vec![self.bodies.iter().collect()]
    }
}

fn polytropic() -> Number {
    Number::Value(1.3)
}

fn atmosphere() -> Number {
    Number::Value(101325.0)
}

/// `[[torsion_bar]]`: round bar or tube on a joint angle. Its torque opposes positive coordinates.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct TorsionBar {
    /// Unique name.
    pub name: ForceName,
    /// Name of the joint.
    pub joint: JointName,
    /// Coordinate of the joint. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// Active length in m.
    pub length: Option<Scalar>,
    /// Diameter in m.
    pub diameter: Option<Scalar>,
    /// Inner diameter of a tube in m. Default 0.
    #[serde(default = "zero")]
    pub inner_diameter: Scalar,
    /// Shear modulus in Pa. Default 79.3e9, spring steel.
    #[serde(default = "steel")]
    pub shear_modulus: Scalar,
    /// Stiffness in N m/rad, instead of `length` and `diameter`.
    pub stiffness: Option<Scalar>,
    /// Damping in N m s/rad. Default 0.
    #[serde(default = "zero")]
    pub damping: Scalar,
    /// Torque in N m in the design position if `free_angle` is 0. A positive value acts towards negative coordinates.
    /// Default 0.
    #[serde(default = "zero")]
    pub preload: OnCoordinate,
    /// Coordinate in rad at which the bar has no torque. Default 0.
    #[serde(default = "zero")]
    pub free_angle: OnCoordinate,
}

impl ForceTable for TorsionBar {
    const WORD: &str = "torsion bar";
    const READ_BY: Option<Target> = Some(Target::Spring);

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        vec![(&self.joint, self.coordinate.as_deref())]
    }
}

fn steel() -> Number {
    Number::Value(79.3e9)
}

/// `[[anti_roll_bar]]`: spring on the difference of the travels of two points relative to a frame.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct AntiRollBar {
    /// Unique name.
    pub name: ForceName,
    /// The frame, then the two bodies with the drop links. The two bodies may be the same body, a rigid axle.
    pub bodies: [BodyName; 3],
    /// Attachment points of the drop links on the second and third body.
    pub points: [Place; 2],
    /// Direction of the drop links, fixed in the frame. The sign has no effect. Default [0, 0, 1].
    #[geometry(default = Z)]
    pub axis: Option<Polar>,
    /// Force in the drop links per difference of travels in N/m.
    pub stiffness: Option<Scalar>,
    /// Torque per twist of the bar in N m/rad, with `arm_length`, instead of `stiffness`.
    pub torsional_stiffness: Option<Scalar>,
    /// Length of the bar's arms in m.
    pub arm_length: Option<Scalar>,
    /// Damping in N s/m. Default 0.
    #[serde(default = "zero")]
    pub damping: Scalar,
}

impl ForceTable for AntiRollBar {
    const WORD: &str = "anti-roll bar";
    const READ_BY: Option<Target> = Some(Target::Spring);

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        [1, 2].map(|link| vec![&self.bodies[0], &self.bodies[link]]).to_vec()
    }
}

/// `[[brake]]`: torque that resists the motion of a joint coordinate and holds it at standstill.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Brake {
    /// Unique name.
    pub name: ForceName,
    /// Name of the joint.
    pub joint: JointName,
    /// Coordinate of the joint. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// Largest torque or force in N m or N: a number, an input or a parameter. Values below 0 release the brake.
    pub torque: Signal,
    /// Factor on `torque`. Default 1.
    #[serde(default = "one")]
    pub gain: Scalar,
    /// Elastic displacement in rad or m before sliding. Default 0.02.
    #[serde(default = "presliding")]
    pub presliding: Scalar,
    /// Time constant in s of the damping at standstill. Default 0.002.
    #[serde(default = "bristle_time")]
    pub time: Scalar,
}

impl ForceTable for Brake {
    const WORD: &str = "brake";
    const READ_BY: Option<Target> = Some(Target::Drive);

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        vec![(&self.joint, self.coordinate.as_deref())]
    }
}

fn presliding() -> Number {
    Number::Value(0.02)
}

/// `[[aerodynamic_drag]]`: drag along the relative wind, and lift normal to it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct AerodynamicDrag {
    /// Unique name.
    pub name: ForceName,
    /// Body on which the load acts.
    pub body: BodyName,
    /// Point of action, the aerodynamic centre.
    pub point: Place,
    /// Drag coefficient times frontal area in m².
    pub drag_area: Scalar,
    /// Lift coefficient times area in m². Default 0.
    #[serde(default = "zero")]
    pub lift_area: Scalar,
    /// Direction of positive lift, fixed in the body. Default [0, 0, 1].
    #[geometry(default = Z)]
    pub lift_axis: Option<Polar>,
    /// Density of the air in kg/m³. Default 1.225.
    #[serde(default = "air")]
    pub density: Scalar,
    /// Wind velocity in m/s in the global frame, each component a number, an input or a parameter. Default: still air.
    #[serde(default = "still")]
    pub wind: Polar,
}

impl ForceTable for AerodynamicDrag {
    const WORD: &str = "air drag";
    const READ_BY: Option<Target> = Some(Target::AerodynamicDrag);

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        vec![vec![&self.body]]
    }
}

fn air() -> Number {
    Number::Value(1.225)
}

fn still() -> [Signal; 3] {
    [zero(), zero(), zero()]
}

/// `[[speed_control]]`: a controller that holds a speed by torques on joint coordinates.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct SpeedControl {
    /// Unique name.
    pub name: ForceName,
    /// Body with the controlled speed.
    pub body: BodyName,
    /// Point with the controlled speed.
    pub point: Place,
    /// Forward direction, fixed in the body. Default [1, 0, 0].
    #[geometry(default = X)]
    pub axis: Option<Polar>,
    /// Target speed in m/s: a number, an input or a parameter.
    pub target: Signal,
    /// Torque per speed error in N m s/m.
    pub proportional: Scalar,
    /// Torque per integral of the speed error in N m/m. Default 0.
    #[serde(default = "zero")]
    pub integral: Scalar,
    /// Coordinates on which the torques act, each `{ joint = "…", coordinate = "…", share = … }`.
    #[geometry(default = 1.0 / self.drives.len() as f64)]
    pub drives: Vec<DrivenCoordinate>,
    /// Largest sum of the torques in N m. Default: no limit.
    pub max_torque: Option<Scalar>,
    /// Smallest sum of the torques in N m, negative for braking. Default: −`max_torque`.
    pub min_torque: Option<Scalar>,
}

impl ForceTable for SpeedControl {
    const WORD: &str = "speed control";
    const READ_BY: Option<Target> = Some(Target::Drive);

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        self.drives.iter().map(|on| (on.joint.as_str(), on.coordinate.as_deref())).collect()
    }
}

/// A joint coordinate with a torque of a speed control.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct DrivenCoordinate {
    /// Name of the joint.
    pub joint: JointName,
    /// Coordinate of the joint. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// Share of the torque, negative if positive coordinates are backwards. Default: equal shares.
    pub share: Option<Factor>,
}
