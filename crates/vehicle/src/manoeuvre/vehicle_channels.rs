//! A vehicle in a manoeuvre: inputs by function, and channels for measurements.
//!
//! Names of the program (`steer`, `target`, `brake`, the channels) and of the model are separate. If they are equal,
//! `model.` selects the model's.
//!
//! Every unit (the vehicle, towed bodies) has five outputs after the outputs of the model, in world axes: position,
//! velocity and acceleration of its point, angles, angular velocity. They do not change the motion. Channels are
//! computed from them in the horizontal axes of ISO 8855: x along the heading, y to the left, z up.

use super::manoeuvre_schema::Driver;
use ballesta::analysis::step_map::AnalysisExtent;
use ballesta::document::Diagnostics;
use ballesta::math::elementary::{atan2, sin_cos};
use ballesta::model::Document;
use ballesta::model::schema::{Output, Place, Quantity, Vehicle};
use ballesta::simulate::Simulator;
use ballesta::system::{OutputInfo, ScalarKind, System};
use ballesta_files::failure::Failure;
use ballesta_run::grid::Grid;
use ballesta_run::model::{self, Assignment};
use ballesta_run::operating;
use std::f64::consts::PI;
use std::sync::Arc;

/// Outputs of a unit.
const OUTPUTS: [(&str, Quantity); 5] = [
    ("position", Quantity::Position),
    ("velocity", Quantity::Velocity),
    ("acceleration", Quantity::Acceleration),
    ("angles", Quantity::Angles),
    ("angular_velocity", Quantity::AngularVelocity),
];
/// Numbers of them.
const NUMBERS: usize = 15;

/// Channels of a unit: name, unit, description.
pub const CHANNELS: [(&str, &str, &str); 13] = [
    ("x", "m", "Position of the point along the first heading"),
    ("y", "m", "Position of the point to the left of the first heading"),
    ("yaw", "rad", "Heading, counted over whole turns"),
    ("speed", "m/s", "Velocity of the point along the heading"),
    ("lateral_velocity", "m/s", "Velocity of the point to the left"),
    ("sideslip", "rad", "Direction of the velocity relative to the heading"),
    ("longitudinal_acceleration", "m/s2", "Acceleration of the point along the heading"),
    ("lateral_acceleration", "m/s2", "Acceleration of the point to the left, horizontal"),
    ("roll", "rad", "Roll, positive to the right"),
    ("pitch", "rad", "Pitch, positive nose down"),
    ("roll_rate", "rad/s", "Angular velocity about the heading"),
    ("yaw_rate", "rad/s", "Angular velocity about the vertical"),
    ("curvature", "1/m", "Yaw rate divided by speed"),
];
const X: usize = 0;
const Y: usize = 1;
const YAW: usize = 2;
const SPEED: usize = 3;
const LATERAL_ACCELERATION: usize = 7;
const ROLL: usize = 8;
const PITCH: usize = 9;
const CURVATURE: usize = 12;

/// Channels of the whole vehicle, after the channels of all units.
const COMMON: [(&str, &str, &str); 4] = [
    ("steer", "rad", "Prescribed steering wheel angle"),
    ("brake", "1", "Prescribed brake demand"),
    ("understeer", "rad", "Road wheel angle minus Ackermann angle: steer/steering ratio - wheelbase × curvature"),
    ("path_error", "m", "Distance of the point from the driver's path, positive to the left"),
];

/// Channels whose sign a mirror image changes.
const LATERAL: [&str; 11] = [
    "y",
    "yaw",
    "lateral_velocity",
    "sideslip",
    "lateral_acceleration",
    "roll",
    "roll_rate",
    "yaw_rate",
    "curvature",
    "understeer",
    "path_error",
];

/// Prefix of the names of channels in tables.
const CHANNEL_PREFIX: &str = "manoeuvre.";
/// Prefix of inputs and outputs of the model whose names are words of the program.
const MODEL_PREFIX: &str = "model.";

/// Target of a signal of a manoeuvre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// The steering wheel.
    Steer,
    /// The speed control.
    Target,
    /// The brakes.
    Brake,
    /// An input of the model, by its index.
    Own(usize),
}

/// The words of the program for inputs.
pub const JOBS: [(&str, Job); 3] = [("steer", Job::Steer), ("target", Job::Target), ("brake", Job::Brake)];

/// A vehicle model for manoeuvres.
pub struct ManoeuvreVehicle {
    /// The model, with the outputs of the units.
    pub document: Document,
    /// Values of its parameters.
    pub values: Vec<f64>,
    /// Model compiled with these values.
    pub system: Arc<System>,
    /// Table `[vehicle]` of the model.
    pub vehicle: Vehicle,
    /// Index of the steering input.
    pub steer: usize,
    /// Index of the speed control's input.
    pub target: usize,
    /// Index and torque of the brake inputs.
    pub brakes: Vec<(usize, f64)>,
    /// Constant inputs.
    pub constants: Vec<(usize, f64)>,
    /// Outputs of the model, without the outputs of the units.
    own: usize,
}

/// Channels and motion at one time.
#[derive(Clone, Debug, Default)]
pub struct ChannelValues {
    /// One value per channel.
    pub channels: Vec<f64>,
    /// Headings of the units, continuous over whole turns.
    yaws: Vec<f64>,
}

impl ChannelValues {
    /// Position of the vehicle, m.
    pub fn position(&self) -> [f64; 2] {
        [self.channels[X], self.channels[Y]]
    }

    /// Heading of the vehicle, rad.
    pub fn yaw(&self) -> f64 {
        self.channels[YAW]
    }

    /// Speed of the vehicle, m/s.
    pub fn speed(&self) -> f64 {
        self.channels[SPEED]
    }

    /// Lateral acceleration of the vehicle, m/s².
    pub fn lateral_acceleration(&self) -> f64 {
        self.channels[LATERAL_ACCELERATION]
    }

    /// Curvature of the path, 1/m.
    pub fn curvature(&self) -> f64 {
        self.channels[CURVATURE]
    }
}

impl ManoeuvreVehicle {
    /// The model with its speed parameter at `speed` m/s and the assignments `set`. `file`: name for messages.
    ///
    /// # Errors
    /// A model without `[vehicle]`; rejected assignments; a step beyond the stability limit.
    pub fn new(
        mut document: Document,
        file: &str,
        set: &[Assignment],
        speed: f64,
    ) -> Result<ManoeuvreVehicle, Failure> {
        // The `[vehicle]` table names the body, the inputs and the speed parameter.
        let Some(vehicle) = document.model.vehicle.clone() else {
            let expected = "add [vehicle] with `body`, `steer`, `target` and `speed` (see docs/manoeuvres.md)";
            let wrong = ballesta::document::whole_file(file, "the model has no [vehicle] table", expected);
            return Err(Failure::Input(wrong));
        };
        // The manoeuvre controls these values itself.
        for name in [&vehicle.speed, &vehicle.steer, &vehicle.target] {
            if set.iter().any(|one| one.name == *name) {
                return Err(Failure::Usage(format!(
                    "--set {name}: the manoeuvre sets this value; use --speed or a manoeuvre file"
                )));
            }
        }
        // Channels of the vehicle and of towed units are added as outputs after the outputs of the model.
        reserved_names(&document)?;
        let own = document.model.outputs.iter().map(|output| output.variable_names().len()).sum();
        let units = std::iter::once((&vehicle.body, vehicle.point.clone(), String::new()));
        let towed = vehicle.towed.iter().zip(1..).map(|(body, k)| (body, None, format!("towed{k}.")));
        for (body, point, prefix) in units.chain(towed) {
            document.model.outputs.extend(OUTPUTS.map(|(name, of)| output(&prefix, name, of, body, point.clone())));
        }
        // The manoeuvre starts in steady motion at the given speed.
        document.model.experiment.trim = true;
        let mut set = set.to_vec();
        set.push(Assignment { name: vehicle.speed.clone(), value: speed });
        let model::Compiled { system, inputs: constants } = model::compile(&document, &set, true)?;
        // Resolve the inputs that the driver sets.
        let input = |name: &str| system.interface().inputs.iter().position(|input| input.name == name);
        let (Some(steer), Some(target)) = (input(&vehicle.steer), input(&vehicle.target)) else {
            return Err(Failure::Input(Diagnostics(vec![document.source.at(
                "vehicle",
                "the inputs of the vehicle are missing in the compiled model",
                "",
            )])));
        };
        let brakes = vehicle.brakes.iter().filter_map(|(name, torque)| Some((input(name)?, *torque))).collect();
        // The step must be stable in the state from which the manoeuvre starts.
        let mut inputs = constants.clone();
        inputs.push((target, speed));
        let _ = operating::refuse_long_step(&document, &system, &inputs, true, AnalysisExtent::OwnStep)?;
        let values = model::parameters(&document, &set)?;
        let system = Arc::new(system);
        Ok(ManoeuvreVehicle { document, values, system, vehicle, steer, target, brakes, constants, own })
    }

    /// Points from 0 to `stop` s.
    ///
    /// # Errors
    /// More points or values than a run keeps.
    pub fn grid(&self, stop: f64, step: f64) -> Result<Grid, Failure> {
        let experiment = ballesta::model::schema::Experiment { start: 0.0, stop, step: Some(step), trim: true };
        let grid = Grid::new(&experiment, self.system.step(), None, None)?;
        grid.fits(self.columns().len())?;
        Ok(grid)
    }

    fn units(&self) -> usize {
        1 + self.vehicle.towed.len()
    }

    /// The outputs of the model, then the channels, whose names begin with `manoeuvre.`.
    pub fn columns(&self) -> Vec<OutputInfo> {
        let outputs = self.system.interface().outputs[..self.own].iter().cloned();
        let towed = (1..self.units()).map(|k| format!("towed{k}."));
        let of_units = std::iter::once(String::new()).chain(towed).flat_map(|prefix| {
            CHANNELS.map(|(name, unit, description)| (format!("{prefix}{name}"), unit, description))
        });
        let all = of_units.chain(COMMON.map(|(name, unit, description)| (name.to_string(), unit, description)));
        let info = |(name, unit, description): (String, &str, &str)| OutputInfo {
            name: format!("{CHANNEL_PREFIX}{name}"),
            unit: unit.into(),
            kind: ScalarKind::Real,
            dependencies: Vec::new(),
            initial_dependencies: Vec::new(),
            initial_by_forces: false,
            nominal: None,
            description: description.into(),
            element: None,
        };
        outputs.chain(all.map(info)).collect()
    }

    /// Target that the name of a signal's input selects: a word of the program, else an input of the model.
    pub fn job(&self, name: &str) -> Option<Job> {
        let word = JOBS.iter().find(|(word, _)| *word == name).map(|(_, job)| *job);
        let inputs = &self.system.interface().inputs;
        let own = |name: &str| inputs.iter().position(|input| input.name == name).map(Job::Own);
        word.or_else(|| name.strip_prefix(MODEL_PREFIX).and_then(own)).or_else(|| own(name))
    }

    /// Index of the column that a measure or event names: a channel of the program, else an output of the model.
    pub fn column(&self, name: &str) -> Option<usize> {
        let columns = self.columns();
        let (own, channels) = columns.split_at(self.own);
        let channel = channels.iter().position(|column| column.name.strip_prefix(CHANNEL_PREFIX) == Some(name));
        let output = |name: &str| own.iter().position(|column| column.name == name);
        let prefixed = || name.strip_prefix(MODEL_PREFIX).and_then(output);
        channel.map(|index| self.own + index).or_else(prefixed).or_else(|| output(name))
    }

    /// Names that [`ManoeuvreVehicle::column`] accepts, as a file writes them.
    pub fn column_names(&self) -> Vec<String> {
        let columns = self.columns();
        let (own, channels) = columns.split_at(self.own);
        let channels: Vec<&str> = channels.iter().filter_map(|one| one.name.strip_prefix(CHANNEL_PREFIX)).collect();
        let shown = |name: &str| match channels.contains(&name) {
            true => format!("{MODEL_PREFIX}{name}"),
            false => name.to_string(),
        };
        own.iter().map(|output| shown(&output.name)).chain(channels.iter().map(|name| name.to_string())).collect()
    }

    /// The sign of every column in the mirror image of the vehicle. Outputs of the model keep their sign, since their
    /// mirror images are unknown.
    pub fn mirror_signs(&self) -> Vec<f64> {
        let sign = |column: &OutputInfo| {
            let name = column.name.strip_prefix(CHANNEL_PREFIX).unwrap_or_default();
            let name = name.rsplit_once('.').map_or(name, |(_, channel)| channel);
            if LATERAL.contains(&name) || name == "steer" { -1.0 } else { 1.0 }
        };
        let mut signs: Vec<f64> = self.columns().iter().map(sign).collect();
        signs[..self.own].fill(1.0);
        signs
    }

    /// Index of the column of the steering wheel.
    pub fn steer_column(&self) -> usize {
        self.own + CHANNELS.len() * self.units()
    }

    /// Number of columns that are outputs of the model.
    pub fn own(&self) -> usize {
        self.own
    }

    /// Channels of `outputs`; `before`: channels of the previous point.
    pub fn look(&self, before: &ChannelValues, outputs: &[f64], given: &Driving) -> ChannelValues {
        let mut look = ChannelValues::default();
        for (unit, row) in outputs[self.own..].chunks_exact(NUMBERS).enumerate() {
            let [x, y, _, vx, vy, _, ax, ay, _, roll, pitch, yaw, p, q, r] = row[..] else { continue };
            let last = before.yaws.get(unit).copied().unwrap_or(yaw);
            let yaw = last + turn(yaw - last);
            let (sine, cosine) = sin_cos(yaw);
            let (ahead, aside) = (cosine * vx + sine * vy, cosine * vy - sine * vx);
            let curvature = if ahead.abs() > MIN_DIRECTION_SPEED { r / ahead } else { 0.0 };
            let sideslip = if ahead.abs() > MIN_DIRECTION_SPEED { atan2(aside, ahead) } else { 0.0 };
            let (along, across) = (cosine * ax + sine * ay, cosine * ay - sine * ax);
            let rate = cosine * p + sine * q;
            look.yaws.push(yaw);
            look.channels.extend([x, y, yaw, ahead, aside, sideslip, along, across, roll, pitch, rate, r, curvature]);
        }
        let understeer = match (self.vehicle.steering_ratio, self.vehicle.wheelbase) {
            (Some(ratio), Some(wheelbase)) => given.left * given.steer / ratio - wheelbase * look.curvature(),
            _ => f64::NAN,
        };
        let path_error = given.driver.map_or(0.0, |driver| driver.error(&look, given.side));
        look.channels.extend([given.steer, given.brake, understeer, path_error]);
        look
    }

    /// The first unit that has rolled over: its name and its tilt, rad.
    pub fn rolled_over(&self, look: &ChannelValues) -> Option<(&str, f64)> {
        let units = std::iter::once(&self.vehicle.body).chain(&self.vehicle.towed);
        units.zip(look.channels.chunks_exact(CHANNELS.len())).find_map(|(body, channels)| {
            let level: f64 = sin_cos(channels[ROLL]).1 * sin_cos(channels[PITCH]).1;
            // Written so that a NaN counts.
            (!(level > ROLLOVER_COSINE)).then(|| (body.as_str(), atan2((1.0 - level * level).max(0.0).sqrt(), level)))
        })
    }

    /// Steady motion of the vehicle with the steering wheel at `steer` rad and the speed `speed` m/s.
    ///
    /// # Errors
    /// There is no such motion; the error has the reason.
    pub fn steady(&self, steer: f64, speed: f64) -> Result<ChannelValues, Failure> {
        let mut simulator = Simulator::new(self.system.clone());
        for &(index, value) in self.constants.iter().chain(&[(self.target, speed), (self.steer, steer)]) {
            simulator.set_input(index, value);
        }
        let mut outputs = vec![0.0; self.system.interface().outputs.len()];
        let found = simulator.initialize(0.0).and_then(|()| simulator.outputs(&mut outputs));
        found.map_err(|fault| Failure::Fault(simulator.describe(&fault)))?;
        let given = Driving { steer, brake: 0.0, left: 1.0, side: 1.0, driver: None };
        Ok(self.look(&ChannelValues::default(), &outputs, &given))
    }

    /// The angle of the steering wheel, rad, for a steady circle at `speed` m/s with the lateral acceleration `wanted`,
    /// m/s², to a relative accuracy of 1e-6. The secant method starts from an estimated angle.
    ///
    /// # Errors
    /// The search found no such circle.
    pub fn angle_of(&self, wanted: f64, speed: f64) -> Result<f64, Failure> {
        let reached = |angle: f64| Ok::<f64, Failure>(self.steady(angle, speed)?.lateral_acceleration());
        let (mut before, mut angle) = ((0.0, 0.0), if wanted < 0.0 { -FIRST_ANGLE } else { FIRST_ANGLE });
        for first in [true, false].into_iter().chain(std::iter::repeat_n(false, MAX_SECANTS - 1)) {
            let found = reached(angle).map_err(|failure| self.no_circle(wanted, speed, &failure.to_string()))?;
            if (found - wanted).abs() <= 1e-6 * wanted.abs() {
                return Ok(angle);
            }
            // If the wheel turns the other way, the search is the mirror image.
            if first && found * wanted < 0.0 {
                angle = -angle;
                continue;
            }
            let next = angle + (wanted - found) * (angle - before.0) / (found - before.1);
            before = (angle, found);
            // Near the limit of grip a secant step would leave the range of the tyres.
            angle = next.clamp(angle - MAX_CHANGE, angle + MAX_CHANGE);
        }
        Err(self.no_circle(wanted, speed, "no steering wheel angle found"))
    }

    fn no_circle(&self, wanted: f64, speed: f64, why: &str) -> Failure {
        let name = &self.document.model.general.name;
        Failure::Fault(format!("{name}: steady circle at {speed} m/s with lateral acceleration {wanted} m/s2: {why}"))
    }

    /// Angle of the steering wheel for a small curvature to the left, with the side −1 to the right, rad m, at `speed`
    /// m/s.
    ///
    /// # Errors
    /// See [`ManoeuvreVehicle::steady`].
    pub fn angle_per_curvature(&self, speed: f64, side: f64) -> Result<f64, Failure> {
        let angle = side * FIRST_ANGLE;
        let curvature = self.steady(angle, speed)?.curvature();
        if side * curvature < 0.0 {
            return Ok(-angle / self.steady(-angle, speed)?.curvature());
        }
        Ok(angle / curvature)
    }
}

/// Below this speed, m/s, there is no direction of motion.
const MIN_DIRECTION_SPEED: f64 = 0.1;
/// Cosine of the tilt from which on a vehicle has rolled over, 60°. At this tilt its side or roof is about to touch the
/// road, and the tread of a wheel leaves the road.
const ROLLOVER_COSINE: f64 = 0.5;
/// Initial estimate of the steering wheel angle, rad.
const FIRST_ANGLE: f64 = 0.05;
/// Largest number of secant steps.
const MAX_SECANTS: usize = 30;
/// Largest change of the angle per secant step, rad.
const MAX_CHANGE: f64 = 0.5;

/// Inputs of a vehicle when its channels are read.
pub struct Driving<'a> {
    /// Angle of the steering wheel, rad.
    pub steer: f64,
    /// Demand of the brakes.
    pub brake: f64,
    /// 1 if a positive angle steers to the left, −1 if it steers to the right.
    pub left: f64,
    /// 1, or −1 in the mirror image of the manoeuvre.
    pub side: f64,
    /// Driver of the steering wheel.
    pub driver: Option<&'a Driver>,
}

/// Rejects names of the model that would occur twice in the tables of a manoeuvre.
fn reserved_names(document: &ballesta::model::Document) -> Result<(), Diagnostics> {
    let model = &document.model;
    let names = |table: &str, all: Vec<String>| -> Vec<(String, String)> {
        all.into_iter().enumerate().map(|(index, name)| (format!("{table}[{index}].name"), name)).collect()
    };
    let inputs = names("input", model.inputs.iter().map(|item| item.name.clone()).collect());
    let parameters = names("parameter", model.parameters.iter().map(|item| item.name.clone()).collect());
    let outputs = names("output", model.outputs.iter().map(|item| item.name.clone()).collect());
    let taken = |(_, name): &&(String, String)| format!("{name}.").starts_with(CHANNEL_PREFIX);
    let all: Vec<(String, String)> = inputs.into_iter().chain(parameters).chain(outputs).collect();
    let wrong = all.iter().filter(taken).map(|(key, name)| {
        let found = format!("the name \"{name}\" is reserved for a channel");
        document.source.at(key.as_str(), found, "choose a name that does not begin with `manoeuvre.`")
    });
    Diagnostics(wrong.collect()).into_result(())
}

/// Reduces an angle to ±π by whole turns.
fn turn(angle: f64) -> f64 {
    angle - 2.0 * PI * ((angle + PI) / (2.0 * PI)).floor()
}

fn output(prefix: &str, name: &str, quantity: Quantity, body: &str, point: Option<Place>) -> Output {
    let pointed = matches!(quantity, Quantity::Position | Quantity::Velocity | Quantity::Acceleration);
    let (name, point) = (format!("{CHANNEL_PREFIX}{prefix}{name}"), point.filter(|_| pointed));
    let keys = serde_json::json!({ "name": name, "quantity": quantity, "body": body, "point": point });
    serde_json::from_value(keys).expect("the keys of an output")
}
