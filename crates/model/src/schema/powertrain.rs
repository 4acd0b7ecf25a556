//! Powertrain and brake lines as plain data.

use super::kinds::*;
use super::{CoupledCoordinate, Number, Place, Quantity, one, zero};
use crate::elements::{ForceTable, JointCoordinate};
use crate::geometry::Geometry;
use crate::outputs::Target;
use serde::{Deserialize, Serialize};

/// `[[brake_line]]`: brake pressure at a wheel, added to an input of its brake, with valve and slip control.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct BrakeLine {
    /// Unique name.
    pub name: ForceName,
    /// Joint of the wheel.
    pub joint: JointName,
    /// Coordinate of the joint. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// Pressure demand: a number, an input or a parameter, in bar, in Pa or as a fraction of the full pressure. Values
    /// below 0 are treated as 0.
    pub demand: Signal,
    /// Input of the brake, with the start value 0, to which the result is added.
    pub input: VariableName,
    /// Value added to the input per unit of pressure.
    pub gain: Scalar,
    /// Time constant of the pressure in s. Default 0.02.
    #[serde(default = "default_line_time")]
    pub time: Scalar,
    /// Maximum rate of pressure rise, in its unit per s. Default: no limit.
    pub build_rate: Option<Scalar>,
    /// Maximum rate of pressure fall, in its unit per s. Default: no limit.
    pub release_rate: Option<Scalar>,
    /// Valve: a number, an input or a parameter. 0: open, 0.5: closed (pressure held), 1: release. Default 0.
    #[serde(default = "zero")]
    pub valve: Signal,
    /// Slip control: body of the reference point of the vehicle speed.
    pub body: Option<BodyName>,
    /// Slip control: reference point of the vehicle speed, such as the wheel's centre.
    pub point: Option<Place>,
    /// Forward direction, fixed in the body. Default [1, 0, 0].
    #[geometry(default = X)]
    pub axis: Option<Polar>,
    /// Slip control: rolling radius of the wheel in m, negative if a positive speed of the coordinate is backwards.
    #[geometry(no_default)]
    pub radius: Option<OnCoordinate>,
    /// Slip control: slip up to which the full demand passes, and slip from which no pressure passes.
    pub slip: Option<[Scalar; 2]>,
    /// Speed in m/s below which slip control is inactive. Slip control is fully active at twice this speed. Default
    /// 1.5.
    #[serde(default = "default_min_speed")]
    pub min_speed: Scalar,
}

impl ForceTable for BrakeLine {
    const WORD: &str = "brake line";
    const READ_BY: Option<Target> = Some(Target::Drive);

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        vec![(&self.joint, self.coordinate.as_deref())]
    }
}

fn default_line_time() -> Number {
    Number::Value(0.02)
}

fn default_min_speed() -> Number {
    Number::Value(1.5)
}

/// `[[engine]]`: engine or motor, a torque on a joint coordinate from a map of speed and throttle.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Engine {
    /// Unique name.
    pub name: ForceName,
    /// Name of the joint.
    pub joint: JointName,
    /// Coordinate of the joint. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// Engine speed per speed of the coordinate, −1 if positive speed is backwards. Default 1.
    #[geometry(default = 1.0)]
    pub ratio: Option<OnCoordinate>,
    /// Speeds of the rows of `torques` in rad/s, ascending.
    pub speeds: Vec<Constant>,
    /// Throttles of the columns of `torques`, ascending from 0, usually to 1. The column for 0 contains the drag
    /// torques.
    pub throttles: Vec<Constant>,
    /// Torques in N m: a row per speed with a number per throttle.
    pub torques: Vec<Vec<Constant>>,
    /// Throttle: a number, an input or a parameter.
    pub throttle: Signal,
    /// Idle speed of a governor in rad/s, below which it opens the throttle. Default: no governor.
    pub idle_speed: Option<Scalar>,
    /// Throttle of the governor at and below the idle speed. Default 0.2.
    #[serde(default = "default_idle_throttle")]
    pub idle_throttle: Scalar,
    /// Time constant of the torque in s. Default 0.1.
    #[serde(default = "default_engine_time")]
    pub time: Scalar,
}

impl ForceTable for Engine {
    const WORD: &str = "engine";
    const READ_BY: Option<Target> = Some(Target::Drive);

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        vec![(&self.joint, self.coordinate.as_deref())]
    }
}

fn default_idle_throttle() -> Number {
    Number::Value(0.2)
}

fn default_engine_time() -> Number {
    Number::Value(0.1)
}

/// `[[clutch]]`: locking friction between joint coordinates: a clutch, or a differential lock.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Clutch {
    /// Unique name.
    pub name: ForceName,
    /// Coordinates, each `{ joint = "…", coordinate = "…", ratio = … }`. The slip is Σ ratio · speed; two shafts with
    /// the same sense of rotation have 1 and −1.
    #[geometry(default = (self.coordinates.len() == 1).then_some(1.0))]
    pub coordinates: Vec<CoupledCoordinate>,
    /// Torque or force capacity before sliding, at the ratio 1, in N m or N.
    pub torque: Signal,
    /// Factor on `torque`, usually 0 to 1: a number, an input or a parameter. Default 1.
    #[serde(default = "one")]
    pub engagement: Signal,
    /// Torque bias ratio of a differential, at least 1: torque of the slower output per torque of the faster one.
    /// Requires three coordinates: an input and two outputs with equal ratios. Default: none.
    pub bias: Option<Scalar>,
    /// Additional torque per slip in N m s/rad or N s/m. Default 0.
    #[serde(default = "zero")]
    pub viscous: Scalar,
    /// Elastic displacement in rad or m before sliding. Default 0.02.
    #[serde(default = "default_presliding")]
    pub presliding: Scalar,
    /// Time constant in s of the damping when locked. Default 0.002.
    #[serde(default = "default_bristle_time")]
    pub time: Scalar,
}

impl ForceTable for Clutch {
    const WORD: &str = "clutch";
    const READ_BY: Option<Target> = Some(Target::Drive);

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        self.coordinates.iter().map(|on| (on.joint.as_str(), on.coordinate.as_deref())).collect()
    }
}

fn default_presliding() -> Number {
    Number::Value(0.02)
}

fn default_bristle_time() -> Number {
    Number::Value(0.002)
}

/// `[[gearbox]]`: gears between two joint coordinates, selected by a signal.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Gearbox {
    /// Unique name.
    pub name: ForceName,
    /// Input and output, each `{ joint = "…", coordinate = "…" }`, with `ratio = -1` if positive speed is backwards.
    #[geometry(default = 1.0)]
    pub coordinates: [CoupledCoordinate; 2],
    /// Input speed per output speed, from the first gear on.
    pub ratios: Vec<Scalar>,
    /// Ratio of the reverse gear, positive. Default: no reverse gear.
    pub reverse: Option<Scalar>,
    /// Gear: a number, an input or a parameter. 1 and above: forward, 0: neutral, −1: reverse; halfway between gears no
    /// torque is transmitted. With `shifts`: the highest forward gear.
    pub gear: Signal,
    /// Automatic shifts between the forward gears.
    pub shifts: Option<Shifts>,
    /// Torque capacity of gears and synchronisers at the input in N m.
    pub torque: Scalar,
    /// Elastic angle at the input in rad at the torque capacity. Default 0.02.
    #[serde(default = "default_presliding")]
    pub presliding: Scalar,
    /// Time constant in s of the damping with an engaged gear. Default 0.002.
    #[serde(default = "default_bristle_time")]
    pub time: Scalar,
}

impl ForceTable for Gearbox {
    const WORD: &str = "gearbox";
    const READ_BY: Option<Target> = Some(Target::Drive);
    const OWN_QUANTITIES: &[Quantity] = &[Quantity::Gear];

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        self.coordinates.iter().map(|on| (on.joint.as_str(), on.coordinate.as_deref())).collect()
    }
}

/// `[gearbox.shifts]`: schedule of automatic shifts.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Shifts {
    /// Throttle: a number, an input or a parameter.
    pub throttle: Signal,
    /// Throttles of the columns of `up` and `down`, ascending.
    pub throttles: Vec<Constant>,
    /// Output speeds in rad/s for upshifts: a row per gear except the last, with a number per throttle.
    pub up: Vec<Vec<Constant>>,
    /// Output speeds in rad/s for downshifts to the first gear, the second gear and so on, each below the corresponding
    /// speed in `up`.
    pub down: Vec<Vec<Constant>>,
    /// Duration of a shift in s. Default 0.3.
    #[serde(default = "default_shift_time")]
    pub time: Scalar,
}

fn default_shift_time() -> Number {
    Number::Value(0.3)
}

/// `[[torque_converter]]`: hydrodynamic torque converter between two joint coordinates.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct TorqueConverter {
    /// Unique name.
    pub name: ForceName,
    /// Pump and turbine, each `{ joint = "…", coordinate = "…" }`, with `ratio = -1` if positive speed is backwards.
    #[geometry(default = 1.0)]
    pub coordinates: [CoupledCoordinate; 2],
    /// Rows of speed ratio turbine/pump (ascending), pump torque over squared pump speed in N m s²/rad² (negative if
    /// the turbine drives), and torque ratio turbine/pump.
    pub table: Vec<[Constant; 3]>,
}

impl ForceTable for TorqueConverter {
    const WORD: &str = "torque converter";
    const READ_BY: Option<Target> = Some(Target::Drive);

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        self.coordinates.iter().map(|on| (on.joint.as_str(), on.coordinate.as_deref())).collect()
    }
}
