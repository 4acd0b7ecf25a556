//! Axles on a rig: kinematics and compliance of suspension and steering.
//!
//! The bodywork is fixed to the ground and the tyres are removed. The rig holds every wheel at its hub: the height of
//! the wheel centre is prescribed, and the wheel does not spin in its carrier. The suspension determines the rest
//! ([`build`]). At every position of the rig the program computes the static equilibrium. It also computes the exact
//! derivatives of the positions and loads of all wheels by heights, steering input and loads
//! ([`Linearization::static_gains`](ballesta::analysis::linearize::Linearization::static_gains)). All figures are
//! computed from both ([`wheel`]), for any type of suspension ([`kc`]). Dry friction is ignored.
//!
//! Axes and signs follow ISO 8855: x forward, y to the left, z up, in the design position of the file. Toe-in, and
//! camber with the top of the wheel outward, are positive. Heights are measured upwards from the design position.
//!
//! Verified by: tests/experiment/rig.rs.

mod build;
pub mod kc;
pub mod rig_results;
pub mod wheel;

pub use build::{Axle, Setup, Wheel};

use ballesta::compile;
use ballesta::math::{Vec3, linear};
use ballesta::model::Document;
use ballesta::simulate::Simulator;
use ballesta::system::{State, System};
use ballesta_files::failure::Failure;
use ballesta_run::model::Assignment;
use ballesta_run::operating;
use build::{INPUTS, OUTPUTS, RigModel};
use std::sync::Arc;
use wheel::{Pose, Twist};

/// Threshold for a supported coordinate: its stiffness with the preceding coordinates free, relative to its own
/// stiffness.
const SUPPORT_TOLERANCE: f64 = 1e-9;

/// Arm, m, that converts angles of torsional springs to lengths: about the length of a suspension arm.
const ARM: f64 = 0.3;

/// A model on the rig.
pub struct Rig {
    /// The modified model.
    pub document: Document,
    /// Values of its parameters.
    pub values: Vec<f64>,
    /// Wheels, foremost axle first, left before right.
    pub wheels: Vec<Wheel>,
    /// Axles, the foremost first.
    pub axles: Vec<Axle>,
    /// The input that steers.
    pub steering: Option<usize>,
    own_inputs: usize,
    /// For each spring of the suspension: the length in m per unit of its measured quantity.
    springs: Vec<f64>,
    simulator: Simulator,
    /// The equilibrium at heights and steering input 0.
    home: State,
}

/// Readings of the rig at one position.
pub struct Reading {
    /// Outputs.
    outputs: Vec<f64>,
    /// Changes of the outputs per change of each input at rest, outputs × inputs.
    gains: Vec<Vec<f64>>,
}

/// A combination of inputs: index and weight of each.
pub type Direction = Vec<(usize, f64)>;

impl Rig {
    /// Mounts the model on the rig and computes its equilibrium in the design position. `set`: parameters and inputs.
    ///
    /// # Errors
    /// No wheels, or an axle without exactly one wheel on each side; a model that cannot be assembled on the rig or has
    /// no equilibrium there.
    pub fn new(document: &Document, set: &[Assignment], setup: &Setup) -> Result<Rig, Failure> {
        let built = build::build(document, set, setup)?;
        let RigModel { document, values, inputs, wheels, axles, steering, own_inputs, springs } = built;
        let system = Arc::new(compile::compile(&document, &values)?);
        let mut simulator = Simulator::new(system);
        inputs.iter().for_each(|&(index, value)| simulator.set_input(index, value));
        let begun = simulator.initialize(document.model.experiment.start);
        begun.map_err(|fault| Failure::Fault(simulator.describe(&fault)))?;
        simulator.trim().map_err(operating::failure)?;
        let home = simulator.state().clone();
        let read = &simulator.system().interface().outputs[OUTPUTS * wheels.len()..];
        let springs =
            springs.iter().zip(read).map(|(_, output)| if output.unit == "rad" { ARM } else { 1.0 }).collect();
        let mut rig = Rig { document, values, wheels, axles, steering, own_inputs, springs, simulator, home };
        let design = rig.read()?;
        for (index, wheel) in rig.wheels.iter_mut().enumerate() {
            if let Some(tyre) = &wheel.tyre {
                wheel.radius = tyre.radius(design.load(index));
            }
        }
        Ok(rig)
    }

    /// The system on the rig.
    pub fn system(&self) -> &Arc<System> {
        self.simulator.system()
    }

    /// The state at the present position.
    pub fn state(&self) -> &State {
        self.simulator.state()
    }

    /// Returns to the equilibrium in the design position.
    pub fn go_home(&mut self) {
        self.simulator.set_state(&self.home);
    }

    /// Value of the steering input that counts as straight ahead.
    pub fn straight(&self) -> f64 {
        self.steering.map_or(0.0, |index| self.home.inputs[index])
    }

    /// Sets the heights of the wheels, m, and the steering input, and reads the results. On an error the rig keeps its
    /// position.
    pub fn go(&mut self, heights: &[f64], steering: f64) -> Result<Reading, Failure> {
        let before = self.simulator.state().clone();
        for (wheel, height) in heights.iter().enumerate() {
            self.simulator.set_input(self.height(wheel), *height);
        }
        if let Some(index) = self.steering {
            self.simulator.set_input(index, steering);
        }
        let read = self.read();
        if read.is_err() {
            self.simulator.set_state(&before);
        }
        read
    }

    fn read(&mut self) -> Result<Reading, Failure> {
        self.simulator.trim().map_err(operating::failure)?;
        let mut outputs = vec![0.0; self.system().interface().outputs.len()];
        let taken = self.simulator.outputs(&mut outputs);
        taken.map_err(|fault| Failure::Fault(self.simulator.describe(&fault)))?;
        let model = self.simulator.linearize().map_err(operating::failure)?;
        let held = linear::cholesky(&mut model.stiffness.clone(), model.size(), SUPPORT_TOLERANCE);
        let loose = |k: usize| {
            let coordinate = &model.coordinates[k];
            let hint = "fix bodies such as a trailer with --fix";
            Failure::Fault(format!("on the rig `{coordinate}` has zero or negative stiffness; {hint}"))
        };
        held.map_err(loose)?;
        let gains = model.static_gains().ok_or_else(|| loose(0))?;
        Ok(Reading { outputs, gains })
    }

    /// Input of the height of a wheel.
    pub fn height(&self, wheel: usize) -> usize {
        self.own_inputs + 1 + INPUTS * wheel
    }

    /// A force (N) at a point and a torque (N m) on a wheel, at `arm` from its centre, as inputs.
    pub fn load(&self, wheel: usize, force: Vec3, torque: Vec3, arm: Vec3) -> Direction {
        let moment = torque + arm.cross(&force);
        let first = self.height(wheel) + 1;
        (0..3).flat_map(|k| [(first + k, force[k]), (first + 3 + k, moment[k])]).collect()
    }
}

impl Reading {
    /// Position of a wheel.
    pub fn pose(&self, index: usize, wheel: &Wheel) -> Pose {
        let at = &self.outputs[OUTPUTS * index..OUTPUTS * (index + 1)];
        Pose::new(wheel, Vec3::new(at[0], at[1], at[2]), [at[3], at[4], at[5], at[6]])
    }

    /// Vertical force of the rig on a wheel, N.
    pub fn load(&self, wheel: usize) -> f64 {
        self.outputs[OUTPUTS * wheel + 7]
    }

    /// Derivative of an output along `direction`.
    fn slope(&self, output: usize, direction: &[(usize, f64)]) -> f64 {
        direction.iter().map(|&(input, part)| part * self.gains[output][input]).sum()
    }

    /// Derivative of the vertical force on a wheel along `direction`.
    pub fn load_slope(&self, wheel: usize, direction: &[(usize, f64)]) -> f64 {
        self.slope(OUTPUTS * wheel + 7, direction)
    }

    /// Motion of a wheel along `direction`.
    pub fn twist(&self, wheel: usize, direction: &[(usize, f64)]) -> Twist {
        let at = |k: usize| self.slope(OUTPUTS * wheel + k, direction);
        let q: [f64; 4] = std::array::from_fn(|k| self.outputs[OUTPUTS * wheel + 3 + k]);
        Twist::new(Vec3::new(at(0), at(1), at(2)), q, [at(3), at(4), at(5), at(6)])
    }

    /// Change of the measured quantity of spring `number` along `direction`.
    fn spring_slope(&self, wheels: usize, number: usize, direction: &[(usize, f64)]) -> f64 {
        self.slope(OUTPUTS * wheels + number, direction)
    }
}
