//! Runs a simulator over its communication points, like an importer running an FMU.

use super::driven_inputs;
use super::grid::Grid;
use super::inputs::Inputs;
use super::operating;
use super::outcome::Outcome;
use ballesta::simulate::sensitivity::{Direction, Sensitivities};
use ballesta::simulate::{EnergyCause, MAX_HALVINGS, Simulator};
use ballesta::system::{Fault, MAX_PERIODS_PER_STEP, STEPS_PER_PERIOD, System};
use ballesta_files::failure::Failure;
use ballesta_files::words::short;
use std::sync::Arc;

/// Reason of an early end of a simulation.
pub enum StopReason {
    /// The solver.
    Fault(Fault),
    /// The receiver of the results, for example because the disk is full.
    Failure(Failure),
}

impl From<Fault> for StopReason {
    fn from(fault: Fault) -> StopReason {
        StopReason::Fault(fault)
    }
}

/// Values of the inputs during a simulation: constants, and columns of a file.
#[derive(Default)]
pub struct Excitation {
    /// Index and value of constant inputs.
    pub constants: Vec<(usize, f64)>,
    /// Inputs over time.
    pub table: Option<Inputs>,
    /// Start in the equilibrium near the initial position.
    pub trim: bool,
}

impl Excitation {
    fn set(&self, simulator: &mut Simulator, time: f64) {
        let tolerance = driven_inputs::tolerance(simulator, time);
        for (index, value) in self.table.iter().flat_map(|table| table.values(time, tolerance)) {
            simulator.set_input(index, value);
        }
    }

    /// Simulates to `end`, s, with the inputs of the table.
    fn advance(&self, simulator: &mut Simulator, end: f64) -> Result<(), Fault> {
        match &self.table {
            Some(table) => driven_inputs::advance(simulator, table, end),
            None => simulator.advance(end),
        }
    }

    /// Warning about rows of the table that a run with these internal steps, s, skips.
    pub fn unseen(&self, step: f64, times: [f64; 2]) -> Option<String> {
        self.table.as_ref()?.closest(step, times).map(|rows| unseen(rows, step))
    }

    /// Initializes: inputs, assembly, and the equilibrium if requested.
    fn begin(&self, simulator: &mut Simulator, grid: &Grid) -> Result<(), StopReason> {
        let failed = |error| StopReason::Failure(operating::failure(error));
        for (index, value) in &self.constants {
            simulator.set_input(*index, *value);
        }
        self.set(simulator, grid.start);
        simulator.initialize(grid.start)?;
        if self.trim {
            simulator.trim().map_err(failed)?;
        }
        Ok(())
    }
}

/// Computing time of the communication steps, without their outputs. In a page the times are not numbers, because
/// WebAssembly has no clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// Total, s.
    pub total: f64,
    /// Longest step, s.
    pub longest: f64,
    /// Simulated time at the start of the longest step, s.
    pub longest_at: f64,
}

impl Clock {
    pub fn measure<T>(&mut self, at: f64, work: impl FnOnce() -> T) -> T {
        let (result, seconds) = timed(work);
        self.total += seconds;
        if seconds > self.longest {
            (self.longest, self.longest_at) = (seconds, at);
        }
        result
    }
}

/// The result of `work` and its computing time, s.
#[cfg(not(target_arch = "wasm32"))]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begin = std::time::Instant::now();
    let result = work();
    (result, begin.elapsed().as_secs_f64())
}

/// The result of `work`, without its computing time: the clock of the standard library panics in a page.
#[cfg(target_arch = "wasm32")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    (work(), f64::NAN)
}

/// Initializes `simulator` at the start of `grid` and steps through its points. `at_point(time, outputs, simulator)` is
/// called at every point, including the first, with the inputs at that time. In between, inputs from a table follow
/// [`driven_inputs`]. `clock` measures the time of the steps.
pub fn simulate_timed(
    simulator: &mut Simulator,
    grid: &Grid,
    excitation: &Excitation,
    clock: &mut Clock,
    at_point: impl FnMut(f64, &[f64], &Simulator) -> Result<(), Failure>,
) -> Result<(), StopReason> {
    simulate_from(simulator, grid, excitation, &[], clock, at_point)
}

/// Simulates with positions or speeds changed by `moved` at the start of the run.
pub fn simulate_from(
    simulator: &mut Simulator,
    grid: &Grid,
    excitation: &Excitation,
    moved: &[(Direction, f64)],
    clock: &mut Clock,
    mut at_point: impl FnMut(f64, &[f64], &Simulator) -> Result<(), Failure>,
) -> Result<(), StopReason> {
    let mut outputs = vec![0.0; simulator.system().interface().outputs.len()];
    excitation.begin(simulator, grid)?;
    for &(direction, amount) in moved {
        let changed = simulator.change_along(direction, amount);
        changed.map_err(|error| StopReason::Failure(operating::failure(error)))?;
    }
    for i in 0..=grid.intervals() {
        let time = grid.point(i);
        if i > 0 {
            clock.measure(grid.point(i - 1), || excitation.advance(simulator, time))?;
            excitation.set(simulator, time);
        }
        simulator.outputs(&mut outputs)?;
        at_point(time, &outputs, simulator).map_err(StopReason::Failure)?;
    }
    Ok(())
}

/// Initializes `simulator` at the start of a run over `grid`.
pub fn begin(simulator: &mut Simulator, grid: &Grid, excitation: &Excitation) -> Result<(), StopReason> {
    excitation.begin(simulator, grid)
}

/// Simulates as [`simulate_timed`], with sensitivities along `directions`. `at_point(derivatives)` gets the derivatives
/// of all outputs, directions × outputs, until they no longer exist: [`Sensitivities::obstacle`].
pub fn simulate_along(
    simulator: &mut Simulator,
    grid: &Grid,
    excitation: &Excitation,
    directions: &[Direction],
    mut at_point: impl FnMut(&[f64]) -> Result<(), Failure>,
) -> Result<Sensitivities, StopReason> {
    // Derivatives with respect to start values, parameters and inputs.
    let system = simulator.system().clone();
    let mut sensitivities = Sensitivities::new(&system, directions);
    let mut derivatives = vec![0.0; directions.len() * system.interface().outputs.len()];
    let failed = |error| StopReason::Failure(operating::failure(error));
    // Initial values and their derivatives.
    excitation.begin(simulator, grid)?;
    simulator.begin_sensitivities(&mut sensitivities, excitation.trim).map_err(failed)?;
    for i in 0..=grid.intervals() {
        let time = grid.point(i);
        // Inputs from a table are interpolated within the step.
        if i > 0 {
            match &excitation.table {
                Some(table) => driven_inputs::advance_by(simulator, table, time, &mut |simulator, steps, until| {
                    simulator.make_step_along(steps, until, &mut sensitivities)
                })?,
                None => simulator.advance_along(time, &mut sensitivities)?,
            }
            excitation.set(simulator, time);
        }
        // After a discontinuity the derivatives do not exist.
        simulator.outputs_along(&mut sensitivities, &mut derivatives);
        if sensitivities.obstacle().is_some() {
            break;
        }
        at_point(&derivatives).map_err(StopReason::Failure)?;
    }
    Ok(sensitivities)
}

/// End of a run, with its warnings.
pub struct RunEnd {
    /// Reason of an early end: a fault, or the receiver of the results.
    pub stopped: Option<Failure>,
    /// Warnings about the result. A stopped run has only warnings about large bending and fast rotation of flexible
    /// bodies.
    pub warning: Option<String>,
    /// Measured cause of an energy balance error beyond its limit.
    pub cause: Option<EnergyCause>,
    /// Whether the result is known to be wrong.
    pub wrong: bool,
}

impl RunEnd {
    /// Quality of the result of a run that was not stopped.
    pub fn outcome(&self) -> Outcome {
        Outcome::new(self.warning.clone(), self.wrong)
    }

    /// Inserts a warning before the present warnings.
    pub fn add_warning(&mut self, warning: Option<String>) {
        let all = [warning, self.warning.take()].into_iter().flatten();
        self.warning = all.reduce(|all, next| format!("{all}; {next}"));
    }
}

/// Simulates as [`simulate_timed`] and evaluates the diagnostics. If the energy balance error is too large, the run is
/// repeated with shorter steps to measure the cause, without `clock` and `at_point`. `goes_on` is called at every point
/// of the repeated runs. If it returns `false`, they end and the cause is presumed.
pub fn run(
    simulator: &mut Simulator,
    grid: &Grid,
    excitation: &Excitation,
    clock: &mut Clock,
    at_point: impl FnMut(f64, &[f64], &Simulator) -> Result<(), Failure>,
    goes_on: &mut dyn FnMut() -> bool,
) -> RunEnd {
    let parameters = simulator.state().parameters.clone();
    let made = simulate_timed(simulator, grid, excitation, clock, at_point);
    let cause = if made.is_ok() { energy_cause(simulator, &parameters, grid, excitation, goes_on) } else { None };
    let mut ending = ending_with(simulator, made, cause);
    let step = simulator.system().step().min(grid.step);
    ending.add_warning(excitation.unseen(step, [grid.start, grid.stop]));
    ending.add_warning(unresolved_motions(simulator.system(), step));
    ending
}

/// Warning about rows at these two times, s, that are closer together than the internal step, s.
pub fn unseen([first, second]: [f64; 2], step: f64) -> String {
    let gap = second - first;
    format!(
        "input rows at {} s and {} s are closer than the internal step of {} s, which skips them; use an internal \
         step of at most {} s",
        short(first, 9),
        short(second, 9),
        short(step, 6),
        short(gap, 3),
    )
}

/// Warning about prescribed motions that this internal step, s, cannot resolve.
pub fn unresolved_motions(system: &System, step: f64) -> Option<String> {
    let motions = system.unresolved_motions(step);
    let (_, highest) = motions.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let names: Vec<&str> = motions.iter().map(|(name, _)| *name).collect();
    let (noun, have) = if names.len() == 1 { ("motion", "contains") } else { ("motions", "contain up to") };
    Some(format!(
        "the internal step of {} s cannot resolve the prescribed {noun} `{}`, which {have} {} Hz, {} periods per step \
         (limit {MAX_PERIODS_PER_STEP}); use an internal step of at most {} s ({STEPS_PER_PERIOD} steps per period)",
        short(step, 6),
        names.join("`, `"),
        short(*highest, 6),
        short(highest * step, 3),
        short(1.0 / (STEPS_PER_PERIOD * highest), 3),
    ))
}

/// Cause of the energy balance error in the run of `simulator`, if the error is beyond its limit.
fn energy_cause(
    simulator: &Simulator,
    parameters: &[f64],
    grid: &Grid,
    excitation: &Excitation,
    goes_on: &mut dyn FnMut() -> bool,
) -> Option<EnergyCause> {
    let judgement = simulator.judgement();
    if !judgement.has_energy_error(simulator.system()) || !judgement.energy_change().is_finite() {
        return None;
    }
    let own = simulator.system();
    // The run itself has computed the terms that the formulation omits.
    if let Some(cause) = judgement.measured_cause(own, &[]) {
        return Some(cause);
    }
    // A fault of the repeated run does not apply to this run.
    let mut change_of = |system: &Arc<System>| -> Option<f64> {
        let mut again = Simulator::new(system.clone());
        parameters.iter().enumerate().for_each(|(index, value)| again.set_parameter(index, *value));
        let at_point = |_: f64, _: &[f64], _: &Simulator| match goes_on() {
            true => Ok(()),
            false => Err(Failure::Usage("the cause is not needed".into())),
        };
        simulate_timed(&mut again, grid, excitation, &mut Clock::default(), at_point).ok()?;
        Some(again.judgement().left_out().rest())
    };
    let (mut system, mut shorter) = (own.clone(), Vec::new());
    while shorter.len() < MAX_HALVINGS {
        system = Arc::new(system.with_half_step());
        shorter.push(change_of(&system)?);
        match judgement.measured_cause(own, &shorter) {
            Some(EnergyCause::Damping) => {
                let undamped = change_of(&Arc::new(own.undamped()?))?;
                return Some(if judgement.is_damped(undamped) { EnergyCause::Damping } else { EnergyCause::Other });
            }
            Some(cause) => return Some(cause),
            None => (),
        }
    }
    None
}

/// End of the run that `simulator` has `made`, with the presumed cause of an energy balance error.
pub fn ending(simulator: &Simulator, made: Result<(), StopReason>) -> RunEnd {
    ending_with(simulator, made, None)
}

fn ending_with(simulator: &Simulator, made: Result<(), StopReason>, cause: Option<EnergyCause>) -> RunEnd {
    let stopped = match made {
        Ok(()) => None,
        Err(StopReason::Failure(failure)) => Some(failure),
        Err(StopReason::Fault(fault)) => Some(Failure::Fault(simulator.describe(&fault))),
    };
    let (judgement, system) = (simulator.judgement(), simulator.system());
    match stopped {
        None => {
            let warning = judgement.warning_with(system, true, cause);
            RunEnd { stopped, warning, cause, wrong: judgement.is_wrong(system, cause) }
        }
        Some(_) => RunEnd { stopped, warning: judgement.beyond(system), cause: None, wrong: false },
    }
}

/// Outputs at the communication points of a simulationup to its end.
pub struct Recording {
    /// Times in s.
    pub times: Vec<f64>,
    /// One series per output, with the length of `times`.
    pub series: Vec<Vec<f64>>,
}

impl Recording {
    /// An empty recording of `outputs` series, with room for `points`.
    pub fn new(outputs: usize, points: usize) -> Recording {
        // A mistyped step must not allocate the whole memory before the first step.
        let room = points.min(1 << 20);
        Recording { times: Vec::with_capacity(room), series: vec![Vec::with_capacity(room); outputs] }
    }

    /// Adds the outputs at `time`.
    pub fn push(&mut self, time: f64, outputs: &[f64]) {
        self.times.push(time);
        for (series, value) in self.series.iter_mut().zip(outputs) {
            series.push(*value);
        }
    }

    /// Last value of every series; empty before the first point.
    pub fn last(&self) -> Vec<f64> {
        self.series.iter().filter_map(|series| series.last().copied()).collect()
    }
}
