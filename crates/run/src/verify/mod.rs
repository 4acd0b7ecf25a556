//! Estimates the error of a model's results, by shorter steps and a second integrator.
//!
//! A model is *verified* if
//!
//! 1. all runs reach their end with loops closed, and no warning of the run with h/4 contradicts its result,
//! 2. every output converges as the step is halved,
//! 3. the estimated error of every output at the step h is within the tolerance, and
//! 4. the second integrator, if one applies, agrees with the first at h/4, or extrapolated from its runs with h/2 and
//!    h/4: up to the tolerance plus three times the difference of the first integrator's runs with h/2 and h/4.
//!
//! All runs can make one error alike. A prescribed motion that the step h cannot resolve is a failure
//! ([`System::unresolved_motions`]). A warning of the finest run is a failure if it says that
//!
//! * rows of the input file are closer together than its step, which passes over them,
//! * a contact moves so far in a step that a body can pass through,
//! * a body was below the road, or the step changed the energy by more than a tenth of the energy exchanged: the run
//!   is wrong by the rule of [`Outcome`](crate::Outcome),
//! * the velocities of a loop part, or the equations do not determine the motion near a singular position.
//!
//! Some warnings do not contradict the result. They are about the validity of the model (bending, rotation of flexible
//! bodies, ranges of tyres), about computing time (new independent coordinates), or about rows that only the longer
//! steps skip. It remains a warning. Any other change of the energy and undetermined outputs are remarks. Warnings of
//! the start, which `run` and `check` give, are about the model file.
//!
//! The second integrator is [`Scheme::second`](ballesta::system::integrators::Scheme::second): the scheme that confirms
//! the model's own, or `rk4` if that scheme does not hold the brakes of the model. If `rk4` would need shorter steps,
//! `generalized_alpha` is compared with itself, with another spectral radius. A second integrator that does not apply
//! is a remark.
//!
//! If a condition fails, the growth of a tiny change of the start is measured ([`growth`]), and a sensitive motion is
//! reported.

mod growth;

pub use growth::Growth;

use super::Grid;
use super::inputs::Inputs;
use super::model::{self, Assignment};
use super::operating;
use super::simulation::{self, Clock, Excitation, Recording, StopReason};
use ballesta::analysis::convergence::{self, ErrorScale, Estimate, NaturalUnits, SchemeComparison, Verdict};
use ballesta::analysis::operating_point::positions;
use ballesta::analysis::step_map::AnalysisExtent;
use ballesta::math::larger;
use ballesta::model::Document;
use ballesta::model::schema::Integrator;
use ballesta::simulate::sensitivity::Direction;
use ballesta::simulate::{EnergyCause, Finding, Judgement, Simulator};
use ballesta::system::{Interface, Readout, System, SystemQuantity};
use ballesta_files::failure::Failure;
use ballesta_files::words::short;
use serde::Serialize;
use std::sync::Arc;

/// Options.
pub struct Options {
    /// Stop time, s; `None`: the model's.
    pub stop: Option<f64>,
    /// Communication step, s; `None`: the model's.
    pub step: Option<f64>,
    /// Requested relative error.
    pub tolerance: f64,
    /// Whether the runs start at the equilibrium.
    pub trim: bool,
    /// Values of parameters and inputs.
    pub set: Vec<Assignment>,
    /// Whether the second integrator is omitted.
    pub one_integrator: bool,
}

/// Progress of a run: called at the start with the number of intervals and a label; returns a function that is called
/// at every point and dropped at the end.
pub type Watch<'a> = &'a dyn Fn(usize, &str) -> Box<dyn FnMut()>;

/// A model to verify.
pub struct Verification {
    document: Document,
    system: System,
    options: Options,
    grid: Grid,
    excitation: Excitation,
    /// The step h, s.
    step: f64,
}

/// One of the runs.
struct Run {
    system: Arc<System>,
    step: f64,
    /// Spectral radius, if it differs from the model's.
    radius: Option<f64>,
    /// Recorded outputs, followed by all coordinates.
    recording: Recording,
    judgement: Judgement,
    clock: Clock,
    /// Reason of an early end.
    fault: Option<String>,
    /// Names of the coordinates.
    coordinates: Vec<String>,
}

/// Runs of the model's integrator and of the second integrator.
struct Runs {
    own: [Run; 3],
    second: Option<[Run; 2]>,
}

/// Results, as in the JSON.
#[derive(Serialize)]
pub struct VerificationReport {
    pub model: String,
    pub integrator: &'static str,
    /// Order of the integrator in a smooth motion.
    pub order: f64,
    pub start: f64,
    pub stop: f64,
    pub step: f64,
    pub tolerance: f64,
    /// Whether the model is verified: all results converge with errors within the tolerance, all runs are complete, and
    /// both integrators agree.
    pub converges: bool,
    /// Failures, as messages.
    pub failures: Vec<String>,
    /// Exponential growth of a tiny change of the start; measured after failures.
    pub sensitive: Option<Growth>,
    /// Remarks.
    pub remarks: Vec<String>,
    /// Warnings that do not contradict the results.
    pub warnings: Vec<String>,
    pub largest_relative_error: f64,
    /// Longest step at which all outputs meet the tolerance, as far as the runs determine it.
    pub step_for_tolerance: Option<f64>,
    pub runs: Vec<RunReport>,
    pub outputs: Vec<OutputReport>,
}

#[derive(Serialize)]
pub struct RunReport {
    pub integrator: &'static str,
    pub step: f64,
    pub steps: f64,
    pub fault: Option<String>,
    pub largest_gap: f64,
    pub largest_velocity_gap: f64,
    pub energy_change: f64,
    pub energy_exchanged: f64,
    pub near_singular_steps: f64,
    pub halved_steps: f64,
    pub coordinate_changes: f64,
    /// Computing time per step, microseconds; null in a page, which has no clock.
    pub microseconds_per_step: f64,
    pub warning: Option<String>,
}

#[derive(Serialize)]
pub struct OutputReport {
    pub name: String,
    pub unit: String,
    pub size: f64,
    /// Estimated error of the run with h.
    pub error: f64,
    pub relative_error: f64,
    pub order: Option<f64>,
    pub verdict: &'static str,
    pub words: String,
    /// Simulated time up to which h/2 and h/4 agree within the tolerance, s.
    pub agree_until: f64,
    pub step_for_tolerance: Option<f64>,
    /// Largest difference between the two integrators at h/4.
    pub second_difference: Option<f64>,
    #[serde(skip)]
    pub estimate: Estimate,
}

impl Verification {
    /// Prepares the verification of a model; `inputs`: inputs over time. Nothing runs yet.
    pub fn new(
        document: Document,
        options: Options,
        inputs: impl FnOnce(&Interface) -> Result<Option<Inputs>, Failure>,
    ) -> Result<Verification, Failure> {
        let model::Compiled { system, inputs: constants } = model::compile(&document, &options.set, true)?;
        let _ = operating::refuse_long_step(&document, &system, &constants, options.trim, AnalysisExtent::OwnStep)?;
        let grid = Grid::new(&document.model.experiment, system.step(), options.stop, options.step)?;
        grid.fits(system.interface().outputs.len())?;
        if grid.intervals() == 0 {
            return Err(Failure::Usage("the experiment has zero duration: give a --stop after its start".into()));
        }
        let table = inputs(system.interface())?;
        let step = system.step().min(grid.step);
        let excitation = Excitation { constants, table, trim: options.trim };
        Ok(Verification { document, system, options, grid, excitation, step })
    }

    /// Makes and compares the runs; `watch` reports the progress of every run.
    pub fn findings(&self, watch: Watch) -> Result<VerificationReport, Failure> {
        let integrator = self.system.integrator();
        let [a, b, c] = [1.0, 2.0, 4.0].map(|part| self.run((integrator, None), self.step / part, watch));
        let own = [a?, b?, c?];
        let mut remarks = Vec::new();
        let second = if self.options.one_integrator { None } else { self.second(watch, &mut remarks)? };
        let runs = Runs { own, second };
        let cause = self.energy_cause(&runs.own, watch)?;
        let mut findings = self.compare(&runs, remarks, cause);
        if !findings.failures.is_empty() && runs.own.iter().all(|run| run.fault.is_none()) {
            findings.sensitive = self.growth(&runs.own[1], watch)?;
            if let Some(growth) = &findings.sensitive {
                findings.failures.insert(0, sensitive_words(growth));
            }
        }
        Ok(findings)
    }

    /// The growth of a tiny change of the start of `run`, if it is exponential.
    fn growth(&self, run: &Run, watch: Watch) -> Result<Option<Growth>, Failure> {
        let mut simulator = Simulator::new(run.system.clone());
        if simulation::begin(&mut simulator, &self.grid, &self.excitation).is_err() {
            return Ok(None);
        }
        let Ok(coordinates) = simulator.independent_coordinates() else { return Ok(None) };
        // Different amounts, so that a symmetric mechanism is not changed symmetrically.
        let amount = |k: usize| growth::INITIAL_CHANGE / (1.0 + (k % 3) as f64);
        let moved: Vec<_> =
            coordinates.iter().enumerate().map(|(k, (_, v))| (Direction::Position(*v), amount(k))).collect();
        if moved.is_empty() {
            return Ok(None);
        }
        // Near a singular position not all coordinates can be changed, and the growth is unknown.
        let Ok(changed) = self.record(run.system.clone(), (run.step, None), &moved, watch) else { return Ok(None) };
        Ok(growth::growth(&run.recording, &changed.recording, self.system.interface().outputs.len()))
    }

    /// The model with another integrator and step, and with another spectral `radius` if one is given.
    fn compile(&self, (integrator, radius): (Integrator, Option<f64>), step: f64) -> Result<System, Failure> {
        let mut document = self.document.clone();
        let general = &mut document.model.general;
        if general.integrator != integrator {
            // These settings belong to the model's integrator.
            (general.implicit, general.spectral_radius, general.resolution) = (None, None, None);
            (general.step_halvings, general.penalty) = (None, None);
            (general.tolerance, general.max_iterations) = (None, None);
        }
        if radius.is_some() {
            general.spectral_radius = radius;
        }
        (general.integrator, general.step) = (integrator, step);
        let model::Compiled { mut system, inputs } = model::compile(&document, &self.options.set, true)?;
        let _ = operating::refuse_long_step(&document, &system, &inputs, self.options.trim, AnalysisExtent::OwnStep)?;
        system.halve_as_with(self.document.model.general.step_of_file.unwrap_or(self.step));
        Ok(system)
    }

    /// Runs the experiment with another integrator and step, up to a fault.
    fn run(&self, scheme: (Integrator, Option<f64>), step: f64, watch: Watch) -> Result<Run, Failure> {
        self.record(Arc::new(self.compile(scheme, step)?), (step, scheme.1), &[], watch)
    }

    /// Runs the experiment of `system` (compiled with `step` and `radius`), with its start changed by `moved`, up to a
    /// fault.
    fn record(
        &self,
        system: Arc<System>,
        (step, radius): (f64, Option<f64>),
        moved: &[(Direction, f64)],
        watch: Watch,
    ) -> Result<Run, Failure> {
        // Positions of joints are recorded in addition to the outputs: they show errors that no output contains.
        let mut simulator = Simulator::new(system.clone());
        let coordinates: Vec<String> =
            positions(&system, simulator.state()).into_iter().map(|(name, _)| name).collect();
        let outputs = system.interface().outputs.len();
        let mut recording = Recording::new(outputs + coordinates.len(), self.grid.intervals() + 1);
        let mut row = vec![0.0; outputs + coordinates.len()];
        let mut look =
            watch(self.grid.intervals(), &format!("{} {} s", system.integrator().scheme().name, short(step, 4)));
        let mut clock = Clock::default();
        // The start is changed in selected directions to measure the sensitivity.
        let end = simulation::simulate_from(
            &mut simulator,
            &self.grid,
            &self.excitation,
            moved,
            &mut clock,
            |time, values, simulator| {
                row[..outputs].copy_from_slice(values);
                let now = positions(&system, simulator.state());
                row[outputs..].iter_mut().zip(now).for_each(|(value, (_, position))| *value = position);
                recording.push(time, &row);
                look();
                Ok(())
            },
        );
        drop(look);
        // A fault ends the run, but its points remain valid.
        let fault = match end {
            Ok(()) => None,
            Err(StopReason::Failure(failure)) => return Err(failure),
            Err(StopReason::Fault(fault)) => Some(system.describe(&fault)),
        };
        let judgement = *simulator.judgement();
        Ok(Run { system, step, radius, recording, judgement, clock, fault, coordinates })
    }

    /// The runs of the second integrator, if one applies to the model and its steps.
    fn second(&self, watch: Watch, remarks: &mut Vec<String>) -> Result<Option<[Run; 2]>, Failure> {
        let own = self.system.integrator();
        let brakes = !self.document.model.brakes.is_empty();
        let Some(other) = own.scheme().second(brakes) else { return Ok(None) };
        let reason = match self.second_runs((other, None), watch)? {
            Ok(runs) => return Ok(Some(runs)),
            Err(reason) => format!("{} does not apply: {reason}", other.scheme().name),
        };
        // Brakes exclude the scheme for stiff models; the model's scheme with other numerical damping remains.
        if own == Integrator::GeneralizedAlpha && own.scheme().confirmed_by != Some(other) {
            let radius =
                if self.document.model.general.spectral_radius.is_none_or(|own| own > 0.7) { 0.5 } else { 0.9 };
            if let Ok(runs) = self.second_runs((own, Some(radius)), watch)? {
                remarks.push(format!("second integrator: {}, because {reason}", scheme_words(&runs[1])));
                return Ok(Some(runs));
            }
        }
        remarks.push(format!("no second integrator: {reason}"));
        Ok(None)
    }

    /// The runs of another scheme with h/2 and h/4, or the reason why it does not apply.
    fn second_runs(
        &self,
        scheme: (Integrator, Option<f64>),
        watch: Watch,
    ) -> Result<Result<[Run; 2], String>, Failure> {
        let mut runs = Vec::new();
        for part in [2.0, 4.0] {
            match self.run(scheme, self.step / part, watch) {
                Ok(run) => match &run.fault {
                    Some(fault) => return Ok(Err(fault.clone())),
                    None => runs.push(run),
                },
                Err(Failure::Input(diagnostics)) => {
                    let first = diagnostics.0.first().map_or(String::new(), |d| format!("{}; {}", d.found, d.expected));
                    return Ok(Err(first));
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(runs.try_into().map_err(|_| "its runs are incomplete".to_string()))
    }

    /// Measured cause of an energy balance error in the run with h. Another run without numerical damping shows whether
    /// the damping is the cause.
    fn energy_cause(&self, runs: &[Run; 3], watch: Watch) -> Result<Option<EnergyCause>, Failure> {
        let Run { judgement, system, step, .. } = &runs[0];
        let shorter = [1, 2].map(|run: usize| runs[run].judgement.left_out().rest());
        let cause = judgement.measured_cause(system, &shorter);
        let damped = judgement.has_energy_error(system) && cause == Some(EnergyCause::Damping);
        let Some(undamped) = system.undamped().filter(|_| damped) else { return Ok(cause) };
        let again = self.record(Arc::new(undamped), (*step, Some(1.0)), &[], watch)?;
        Ok(match judgement.is_damped(again.judgement.left_out().rest()) {
            _ if again.fault.is_some() => None,
            true => cause,
            false => Some(EnergyCause::Other),
        })
    }

    fn compare(&self, runs: &Runs, mut remarks: Vec<String>, cause: Option<EnergyCause>) -> VerificationReport {
        let integrator = self.system.integrator();
        let order = f64::from(integrator.scheme().order);
        let finest = &runs.own[2];
        let mut failures: Vec<String> = runs.own.iter().filter_map(failure_of_run).collect();
        let mut warnings = Vec::new();
        if finest.fault.is_none() {
            let step = short(finest.step, 6);
            let found = contradictions(&finest.judgement, &finest.system, cause);
            failures.extend(found.into_iter().map(|found| format!("with a step of {step} s: {found}")));
            let others = reservations(&finest.judgement, &finest.system);
            warnings.extend(others.into_iter().map(|words| format!("{}: {words}", finest.system.name())));
        }
        let times = [self.grid.start, self.grid.stop];
        match self.excitation.unseen(finest.step, times) {
            Some(unseen) => failures.push(unseen),
            None => warnings.extend(self.excitation.unseen(self.step, times)),
        }
        // With h a fast motion is aliased to a slow one, possibly also with h/2 and h/4.
        failures.extend(simulation::unresolved_motions(&self.system, self.step));
        let energy = larger(finest.judgement.energy_exchanged(), finest.judgement.largest_kinetic());
        let natural = NaturalUnits::new(&self.system, energy, self.grid.stop - self.grid.start);
        let mut outputs = self.estimates(runs, order, &natural, &mut failures);
        outputs.extend(self.worst_coordinate(runs, order));
        for run in runs.own.iter().chain(runs.second.iter().flatten()) {
            let over = run.judgement.findings(&run.system, true);
            if over.iter().flatten().any(|f| matches!(f, Finding::Open { .. } | Finding::NotFinite)) {
                failures.push(format!("with a step of {} s: {}", short(run.step, 6), words(&over)));
            }
        }
        remarks.extend(energy_remark(finest, cause));
        remarks.extend(undetermined_remark(&self.system));
        for output in outputs.iter().filter(|output| !output.estimate.verdict.converges()) {
            failures.push(format!("`{}` {}", output.name, output.words));
        }
        failures.extend(self.beyond_tolerance(&outputs));
        let relative = outputs.iter().map(|output| output.relative_error).fold(0.0, larger);
        let steps: Vec<f64> = outputs.iter().filter_map(|output| output.step_for_tolerance).collect();
        let step_for_tolerance =
            (steps.len() == outputs.len()).then(|| steps.iter().fold(f64::INFINITY, |least, step| least.min(*step)));
        VerificationReport {
            model: self.system.name().to_string(),
            integrator: integrator.scheme().name,
            order,
            start: self.grid.start,
            stop: self.grid.stop,
            step: self.step,
            tolerance: self.options.tolerance,
            converges: failures.is_empty(),
            failures,
            sensitive: None,
            remarks,
            warnings,
            largest_relative_error: relative,
            step_for_tolerance: step_for_tolerance.filter(|step| step.is_finite()),
            runs: runs.own.iter().chain(runs.second.iter().flatten()).map(run_findings).collect(),
            outputs,
        }
    }

    fn estimates(
        &self,
        runs: &Runs,
        order: f64,
        natural: &NaturalUnits,
        failures: &mut Vec<String>,
    ) -> Vec<OutputReport> {
        let interface = self.system.interface();
        let finest = &runs.own[2].recording;
        let peak = |index: usize| finest.series[index].iter().map(|value| value.abs()).fold(0.0, larger);
        let compared: Vec<usize> = (0..interface.outputs.len())
            .filter(|&index| convergence::is_result(&self.system.outputs[index], &interface.outputs[index]))
            .collect();
        let mut all = Vec::new();
        for &index in &compared {
            let info = &interface.outputs[index];
            let same = compared.iter().filter(|&&other| interface.outputs[other].unit == info.unit);
            let yardstick = ErrorScale {
                largest: same.map(|&other| peak(other)).fold(0.0, larger),
                natural: natural.size(&info.unit),
                least: match self.system.outputs[index].readout {
                    Readout::System(SystemQuantity::EnergyBalance) => runs.own[2].judgement.energy_exchanged(),
                    _ => 0.0,
                },
                angle: info.unit == "rad",
            };
            let mut output = self.estimate(runs, index, &yardstick, order, (&info.name, &info.unit));
            if let Some([coarse, fine]) = &runs.second {
                let second = [coarse, fine].map(|run| run.recording.series[index].as_slice());
                let own = &finest.series[index];
                let tolerance = self.options.tolerance;
                let (mut opinion, distance, agreeing) =
                    convergence::compare(&output.estimate, own, second, &yardstick, tolerance);
                if opinion == SchemeComparison::Unable {
                    // A scheme of lower order may confirm the result by extrapolation of its runs.
                    let limit = extrapolated(second, f64::from(fine.system.integrator().scheme().order), &yardstick);
                    let runs = [second[1], limit.as_slice()];
                    if convergence::compare(&output.estimate, own, runs, &yardstick, tolerance).0
                        == SchemeComparison::Confirms
                    {
                        opinion = SchemeComparison::Confirms;
                    }
                }
                output.second_difference = Some(distance);
                let schemes = [&runs.own[2], fine].map(scheme_words);
                let until = finest.times.get(agreeing.saturating_sub(1)).copied().unwrap_or(self.grid.start);
                failures.extend(
                    match opinion {
                        SchemeComparison::Confirms => None,
                        SchemeComparison::Unable => Some("within the error estimates, beyond the tolerance"),
                        SchemeComparison::Contradicts => Some("beyond the error estimates"),
                    }
                    .map(|reason| {
                        format!(
                            "`{}`: {} {} difference between {} and {}, {reason}; they agree up to t = {} s",
                            info.name,
                            short(distance, 3),
                            info.unit,
                            schemes[0],
                            schemes[1],
                            short(until, 6),
                        )
                    }),
                );
            }
            all.push(output);
        }
        all
    }

    /// Outputs that converge, but whose error at h exceeds the tolerance.
    fn beyond_tolerance(&self, outputs: &[OutputReport]) -> Option<String> {
        let tolerance = self.options.tolerance;
        let beyond =
            |output: &&OutputReport| output.estimate.verdict.converges() && !(output.relative_error <= tolerance);
        let all: Vec<&OutputReport> = outputs.iter().filter(beyond).collect();
        let worst = all.iter().max_by(|a, b| a.relative_error.total_cmp(&b.relative_error))?;
        let mut steps = all.iter().map(|output| output.step_for_tolerance);
        let step = steps.try_fold(f64::INFINITY, |least, step| Some(least.min(step?)));
        let error = short(worst.relative_error, 2);
        let mut words = match all.len() {
            1 => format!("the error of `{}` is {error} of its peak", worst.name),
            count => {
                format!("the errors of {count} outputs are up to {error} of the peak, largest in `{}`", worst.name)
            }
        };
        words += &format!(", tolerance {}", short(tolerance, 3));
        if let Some(step) = step {
            words += &format!("; use a step of at most {} s", short(step, 2));
        }
        Some(words)
    }

    /// The coordinate with the worst convergence, because the outputs may not show all motions.
    fn worst_coordinate(&self, runs: &Runs, order: f64) -> Option<OutputReport> {
        let first = self.system.interface().outputs.len();
        let names = &runs.own[2].coordinates;
        let of = |index: usize| {
            let yardstick = ErrorScale { largest: 1.0, natural: 1.0, least: 0.0, angle: false };
            let name = format!("coordinate {}", names[index]);
            self.estimate(runs, first + index, &yardstick, order, (&name, ""))
        };
        let all = (0..names.len()).map(of);
        all.max_by(|a, b| {
            let rank = |output: &OutputReport| (!output.estimate.verdict.converges(), output.error);
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
    }

    fn estimate(
        &self,
        runs: &Runs,
        index: usize,
        yardstick: &ErrorScale,
        order: f64,
        (name, unit): (&str, &str),
    ) -> OutputReport {
        let [a, b, c] = [0, 1, 2].map(|run: usize| runs.own[run].recording.series[index].as_slice());
        let estimate = convergence::estimate([a, b, c], yardstick, order, self.options.tolerance);
        let times = &runs.own[2].recording.times;
        let last = estimate.agreeing.min(times.len()).saturating_sub(1);
        let agree_until = times.get(last).copied().unwrap_or(self.grid.start);
        OutputReport {
            name: name.to_string(),
            unit: unit.to_string(),
            size: estimate.size,
            error: estimate.error,
            relative_error: estimate.relative(),
            order: estimate.order,
            verdict: verdict_name(estimate.verdict),
            words: verdict(&estimate, order, self.options.tolerance, agree_until),
            agree_until,
            step_for_tolerance: estimate.step.map(|part| part * self.step),
            second_difference: None,
            estimate,
        }
    }
}

/// Richardson extrapolation of two runs of a scheme of this order, the second with half the step.
fn extrapolated([coarse, fine]: [&[f64]; 2], order: f64, yardstick: &ErrorScale) -> Vec<f64> {
    let divisor = order.exp2() - 1.0;
    let difference = |a: f64, b: f64| if yardstick.angle { convergence::without_turns(a - b) } else { a - b };
    coarse.iter().zip(fine).map(|(a, b)| b + difference(*b, *a) / divisor).collect()
}

fn sensitive_words(growth: &Growth) -> String {
    format!(
        "the motion is sensitive (chaotic): a perturbation of the start, like every error, grows {} times by t = {} s \
         (rate {} 1/s); use a shorter `--stop`",
        short(growth.factor, 2),
        short(growth.time, 4),
        short(growth.rate, 3)
    )
}

/// Name of a run's integrator as text.
fn scheme_words(run: &Run) -> String {
    let name = run.system.integrator().scheme().name;
    run.radius.map_or(name.to_string(), |radius| format!("{name} with spectral_radius = {radius}"))
}

/// Faults of a run as text.
fn words(findings: &[Option<Finding>]) -> String {
    findings.iter().flatten().map(Finding::to_string).collect::<Vec<_>>().join("; ")
}

fn failure_of_run(run: &Run) -> Option<String> {
    let fault = run.fault.as_ref()?;
    Some(format!("the run with a step of {} s failed: {fault}", short(run.step, 6)))
}

/// Warnings of a run that contradict its result: the step skipped an event, the run is wrong, or the equations are
/// violated or do not determine the motion. `cause` is the measured cause of an energy balance error.
fn contradictions(judgement: &Judgement, system: &System, cause: Option<EnergyCause>) -> Vec<String> {
    let mut all: Vec<String> = judgement.passing().warning(system).into_iter().collect();
    if judgement.driving().depth > 0.0 {
        all.extend(judgement.driving().warning(system));
    }
    // A presumed cause is no evidence against the step.
    let wrong = cause == Some(EnergyCause::Step) && judgement.is_wrong(system, cause);
    let found = judgement.findings_with(system, true, cause).into_iter().flatten();
    let contradicting = found.filter(|finding| match finding {
        Finding::Parting { .. } | Finding::NearSingular { .. } => true,
        Finding::Energy { .. } => wrong,
        // Gaps and non-finite figures are failures of every run, not only of the finest.
        _ => false,
    });
    all.extend(contradicting.map(|finding| finding.to_string()));
    all
}

/// Warnings of a run that do not contradict its result: about the validity of the model, and about computing time.
fn reservations(judgement: &Judgement, system: &System) -> Vec<String> {
    let driving = judgement.driving();
    let ranges = if driving.depth > 0.0 { None } else { driving.warning(system) };
    let beyond = [judgement.bending().warning(system), judgement.spinning().warning(system), ranges];
    let found = judgement.findings(system, true).into_iter().flatten();
    let restless = found.filter(|finding| matches!(finding, Finding::Restless { .. }));
    beyond.into_iter().flatten().chain(restless.map(|finding| finding.to_string())).collect()
}

/// Outputs that do not converge for any step.
fn undetermined_remark(system: &System) -> Option<String> {
    let names = &system.report().undetermined;
    (!names.is_empty()).then(|| {
        format!(
            "undetermined at any step because of redundant loop equations: `{}`; the minimum-norm solution is reported",
            names.join("`, `")
        )
    })
}

/// An energy balance error that shorter steps do not reduce.
fn energy_remark(finest: &Run, cause: Option<EnergyCause>) -> Option<String> {
    let findings = finest.judgement.findings_with(&finest.system, true, cause);
    let finding = findings.iter().flatten().find(|finding| matches!(finding, Finding::Energy { .. }))?;
    Some(format!("with a step of {} s: {finding}", short(finest.step, 6)))
}

fn run_findings(run: &Run) -> RunReport {
    let judgement = &run.judgement;
    RunReport {
        integrator: run.system.integrator().scheme().name,
        step: run.step,
        steps: judgement.steps(),
        fault: run.fault.clone(),
        largest_gap: judgement.gap(),
        largest_velocity_gap: judgement.velocity_gap(),
        energy_change: judgement.energy_change(),
        energy_exchanged: judgement.energy_exchanged(),
        near_singular_steps: judgement.near_singular_steps(),
        halved_steps: judgement.halved_steps(),
        coordinate_changes: judgement.changes(),
        microseconds_per_step: 1e6 * run.clock.total / judgement.steps().max(1.0),
        warning: judgement.warning(&run.system, true),
    }
}

/// Name of a verdict in the JSON.
fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Converges => "converges",
        Verdict::RoundOff => "round_off",
        Verdict::Small => "small",
        Verdict::LowOrder => "low_order",
        Verdict::Jumps => "jumps",
        Verdict::Diverges => "does_not_converge",
    }
}

/// The verdict as text.
fn verdict(estimate: &Estimate, scheme: f64, tolerance: f64, agree_until: f64) -> String {
    let order = estimate.order.map_or(String::new(), |order| format!("{order:.1}"));
    match estimate.verdict {
        Verdict::Converges => format!("converges, order {order}"),
        Verdict::RoundOff => "converges, error at round-off".into(),
        Verdict::Small => "converges, differences too small to show an order".into(),
        Verdict::LowOrder => format!("order {order} below the scheme order {scheme}: not smooth"),
        Verdict::Jumps => format!("converges in the mean (order {order}), not pointwise: jumps"),
        Verdict::Diverges if estimate.error.is_finite() => format!(
            "does not converge; runs with h/2 and h/4 agree within {} up to t = {} s",
            short(tolerance, 3),
            short(agree_until, 6)
        ),
        Verdict::Diverges => "does not converge: not a number".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ballesta::compile;

    /// Diagnostics of a run of 100 steps with these figures, by their indices in [`Judgement::numbers`].
    fn judgement(figures: &[(usize, f64)]) -> Judgement {
        let mut numbers = Judgement::default().numbers();
        numbers[1] = 100.0;
        figures.iter().for_each(|(place, value)| numbers[*place] = *value);
        Judgement::from_numbers(&numbers)
    }

    #[test]
    fn warnings_contradict_a_result_if_they_are_not_about_validity_or_computing_time() {
        let document = ballesta::model::parse("[model]\nname = \"m\"\n", "m.toml");
        let document = document.unwrap_or_else(|errors| panic!("{errors}"));
        let system = compile::compile(&document, &[]).unwrap_or_else(|errors| panic!("{errors}"));
        let (step, other) = (Some(EnergyCause::Step), Some(EnergyCause::Other));
        // Figures, the cause of an energy change, and fragments of the expected failure and warning.
        /// Figures by index, a measured cause, and the expected failure and warning.
        type Case<'a> = (&'a [(usize, f64)], Option<EnergyCause>, &'a str, &'a str);
        let cases: [Case; 10] = [
            (&[], None, "", ""),
            (&[(33, 6.25), (34, 100.0), (35, 4e-3)], None, "so contact can be missed", ""),
            (&[(26, 0.1)], None, "below the road", ""),
            (&[(26, 0.1), (29, 2.0)], None, "below the road", ""),
            (&[(29, 2.0)], None, "", "exceeded the range of its file"),
            (&[(5, 1.0)], None, "a loop had a velocity gap", ""),
            (&[(2, 50.0)], None, "near a singular position", ""),
            (&[(3, 50.0)], None, "", "independent coordinates changed"),
            (&[(7, 1.0), (16, 0.2)], step, "the energy balance error is", ""),
            (&[(7, 1.0), (16, 0.2)], other, "", ""),
        ];
        for (figures, cause, failure, warning) in cases {
            let judgement = judgement(figures);
            let found = [contradictions(&judgement, &system, cause), reservations(&judgement, &system)];
            for (found, expected) in found.iter().zip([failure, warning]) {
                let told = found.iter().filter(|words| words.contains(expected)).count();
                assert_eq!((found.len(), told), if expected.is_empty() { (0, 0) } else { (1, 1) }, "{found:?}");
            }
        }
    }
}
