//! Driving a vehicle through a manoeuvre.
//!
//! At every point of the grid the outputs are read and events are found. Then the inputs until the next point are set:
//! the value now, and the slope to the value there. Points and jumps of signals in between are followed like rows of a
//! file ([`ballesta_run::driven_inputs`]). Results depend only on model, manoeuvre and options, so equal runs give
//! equal bits.

use super::manoeuvre_schema::{Direction, Event};
use super::measure::{self, MeasuredValue};
use super::read_manoeuvre::Manoeuvre;
use super::signal::Course;
use super::vehicle_channels::{ChannelValues, Driving, Job, ManoeuvreVehicle};
use ballesta::simulate::Simulator;
use ballesta::system::STEPS_PER_PERIOD;
use ballesta_files::failure::Failure;
use ballesta_files::words::short;
use ballesta_run::driven_inputs::{self, DrivenInputs};
use ballesta_run::grid::Grid;
use ballesta_run::simulation::{Clock, Recording, RunEnd, StopReason, ending, unresolved_motions, unseen};

/// A run of a manoeuvre, ready to be made.
pub struct Drive<'a> {
    /// Manoeuvre.
    pub manoeuvre: &'a Manoeuvre,
    /// Vehicle.
    pub subject: &'a ManoeuvreVehicle,
    /// Communication points.
    pub grid: Grid,
    /// Speed at the start, m/s.
    pub speed: f64,
    /// The factor of this run. A negative one drives the mirror image of the manoeuvre.
    pub factor: f64,
    /// Steering wheel angle for the value 1 in signals of `steer`, rad.
    pub amplitude: f64,
    /// Angle of the steering wheel per curvature, rad m, used by the driver.
    pub per_curvature: f64,
    /// 1 if a positive steering wheel angle steers to the left, −1 if it steers to the right.
    pub left: f64,
}

/// Results of a run.
pub struct DriveResult {
    /// Times, and one series per column of [`ManoeuvreVehicle::columns`].
    pub recording: Recording,
    /// Time of the first occurrence of each event, s.
    pub events: Vec<Option<f64>>,
    /// Time and reason of the loss of validity, if any.
    pub invalid: Option<Invalid>,
    /// End of the run.
    pub ending: RunEnd,
}

impl DriveResult {
    /// Time of an event by its number, s, if it occurred while the run was valid.
    pub fn time_of(&self, event: Option<usize>) -> Option<f64> {
        let time = self.events.get(event?).copied().flatten()?;
        self.invalid.as_ref().is_none_or(|invalid| time < invalid.time).then_some(time)
    }
}

/// Time and reason at which a run becomes invalid as a motion of the vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct Invalid {
    /// Index of the first invalid point in the recording.
    pub point: usize,
    /// Its time, s.
    pub time: f64,
    /// The reason.
    pub reason: String,
}

/// A monitored event.
struct MonitoredEvent<'a> {
    event: &'a Event,
    column: usize,
    /// Sign of the column in the mirror image.
    sign: f64,
    last: Option<f64>,
    time: Option<f64>,
}

impl MonitoredEvent<'_> {
    fn look(&mut self, time: f64, value: f64) {
        if self.time.is_some() || time < self.event.from {
            return;
        }
        let (level, direction) = (self.event.crosses, self.event.direction);
        let crossed = self.last.is_some_and(|last| {
            let (rises, falls) = (last < level && value >= level, last > level && value <= level);
            (rises && direction != Direction::Falling) || (falls && direction != Direction::Rising)
        });
        self.time = crossed.then_some(time);
        self.last = Some(value);
    }
}

impl Drive<'_> {
    /// Makes the run. `at_point(time, outputs, row, simulator)` is called at every point with the outputs of the model
    /// and the row of the recording.
    pub fn run(
        &self,
        simulator: &mut Simulator,
        clock: &mut Clock,
        mut at_point: impl FnMut(f64, &[f64], &[f64], &Simulator) -> Result<(), Failure>,
    ) -> DriveResult {
        let signs = self.signs();
        let mut recording = Recording::new(signs.len(), self.grid.intervals() + 1);
        let watched = self.manoeuvre.file.events.iter().map(|event| {
            let column = self.subject.column(&event.channel).unwrap_or(0);
            MonitoredEvent { event, column, sign: signs[column], last: None, time: None }
        });
        let mut events: Vec<MonitoredEvent> = watched.collect();
        let mut invalid = None;
        let made = self.steps(simulator, clock, (&mut events, &mut invalid), &mut recording, &mut at_point);
        let events = events.into_iter().map(|watched| watched.time).collect();
        let mut ending = ending(simulator, made);
        let step = simulator.system().step().min(self.grid.step);
        let signals = self.manoeuvre.file.signals.iter().map(Course::new);
        let mut closest = signals.filter_map(|signal| signal.points?.closest(step, [0.0, self.grid.stop]));
        ending.add_warning(closest.next().map(|rows| unseen(rows, step)));
        ending.add_warning(unresolved_motions(simulator.system(), step));
        ending.add_warning(self.coarse_signal());
        DriveResult { recording, events, invalid, ending }
    }

    /// Warning about the signal with the highest frequency, if it has fewer steps per period than recommended.
    fn coarse_signal(&self) -> Option<String> {
        let step = self.grid.step;
        let signals = self.manoeuvre.file.signals.iter();
        let frequencies = signals.filter_map(|signal| Some((signal.highest_frequency()?, &signal.input)));
        let (frequency, input) = frequencies.max_by(|a, b| a.0.total_cmp(&b.0))?;
        (frequency * step * STEPS_PER_PERIOD > 1.0 + 1e-9).then(|| {
            format!(
                "signal of `{input}`: {} Hz, {} steps per period with the `step` of {} s; use a `step` of at most {} \
                 s ({STEPS_PER_PERIOD} steps per period)",
                short(frequency, 6),
                short(1.0 / (frequency * step), 3),
                short(step, 6),
                short(1.0 / (STEPS_PER_PERIOD * frequency), 3),
            )
        })
    }

    /// 1, or −1 for the mirror image of the manoeuvre.
    pub fn side(&self) -> f64 {
        if self.factor < 0.0 { -1.0 } else { 1.0 }
    }

    /// Signs that convert the columns of this run to the columns that the manoeuvre's file describes. The angle of the
    /// steering wheel is positive if it turns as in the file: to the left with the factor 1.
    pub fn signs(&self) -> Vec<f64> {
        let mut signs = self.subject.mirror_signs();
        if self.side() > 0.0 {
            signs.fill(1.0);
        }
        signs[self.subject.steer_column()] *= self.left;
        signs
    }

    /// Reason why the motion is invalid at this point, if it is.
    fn invalid(&self, look: &ChannelValues, simulator: &Simulator) -> Option<String> {
        let rolled = self
            .subject
            .rolled_over(look)
            .map(|(body, tilt)| format!("`{body}` rolled over: tilt {:.0} deg", tilt.to_degrees()));
        rolled.or_else(|| simulator.judgement().driving().invalid(&self.subject.system))
    }

    fn steps(
        &self,
        simulator: &mut Simulator,
        clock: &mut Clock,
        (events, invalid): (&mut [MonitoredEvent], &mut Option<Invalid>),
        recording: &mut Recording,
        at_point: &mut impl FnMut(f64, &[f64], &[f64], &Simulator) -> Result<(), Failure>,
    ) -> Result<(), StopReason> {
        // Start: constant inputs, and the inputs of the manoeuvre at time 0.
        let subject = self.subject;
        let mut outputs = vec![0.0; subject.system.interface().outputs.len()];
        let driver = self.manoeuvre.file.driver.as_ref();
        let mut inputs = self.inputs();
        for &(index, value) in &subject.constants {
            simulator.set_input(index, value);
        }
        let tolerance = driven_inputs::tolerance(simulator, self.grid.stop);
        for input in &mut inputs {
            input.value = self.wanted(input, 0.0, (false, tolerance), &[]);
            simulator.set_input(input.index, input.factor * input.value);
        }
        simulator.initialize(0.0)?;
        let (mut look, mut row, mut passed) = (ChannelValues::default(), Vec::new(), Vec::new());
        // At every communication point: advance, read the channels, check, record.
        for i in 0..=self.grid.intervals() {
            let time = self.grid.point(i);
            if i > 0 {
                let begin = self.grid.point(i - 1);
                let interval = Interval { drive: self, inputs: &inputs, begin, events: &passed };
                clock.measure(begin, || driven_inputs::advance(simulator, &interval, time))?;
                inputs.iter_mut().for_each(|input| input.value += input.change);
            }
            simulator.outputs(&mut outputs)?;
            // Channels of the vehicle at the inputs that were just applied.
            let given = |job: Job| inputs.iter().find(|input| input.job == job).map_or(0.0, |input| input.value);
            let (steer, brake) = (given(Job::Steer), given(Job::Brake));
            let given = Driving { steer, brake, left: self.left, side: self.side(), driver };
            look = subject.look(&look, &outputs, &given);
            if invalid.is_none() {
                *invalid = self.invalid(&look, simulator).map(|reason| Invalid { point: i, time, reason });
            }
            row.clear();
            row.extend_from_slice(&outputs[..subject.own()]);
            row.extend_from_slice(&look.channels);
            recording.push(time, &row);
            for watched in events.iter_mut() {
                watched.look(time, watched.sign * row[watched.column]);
            }
            at_point(time, &outputs, &row, simulator).map_err(StopReason::Failure)?;
            if i == self.grid.intervals() {
                break;
            }
            // Inputs of the next interval: from the driver, or from the signals, with limited rates.
            let next = self.grid.point(i + 1);
            passed = times(events);
            let step = next - time;
            for input in &mut inputs {
                let driven = driver.filter(|_| input.job == Job::Steer);
                input.follows_signals = driven.is_none() && !input.rate.is_finite();
                if input.follows_signals {
                    input.value = self.wanted(input, time, (false, tolerance), &passed);
                }
                let wanted = match driven {
                    Some(driver) => driver.angle(&look, input.value, step, self.per_curvature, self.side()),
                    None => self.wanted(input, next, (input.follows_signals, tolerance), &passed),
                };
                input.change = (wanted - input.value).clamp(-input.rate * step, input.rate * step);
                input.step = step;
            }
        }
        Ok(())
    }

    /// Inputs that the manoeuvre drives.
    fn inputs(&self) -> Vec<InputValues<'_>> {
        let (subject, file) = (self.subject, &self.manoeuvre.file);
        let mut inputs = Vec::new();
        let rate = file.manoeuvre.steering_rate.unwrap_or(f64::INFINITY);
        let mut add = |job: Job, index: usize, (factor, scale): (f64, f64), rate: f64| {
            let of_job = file.signals.iter().filter(|signal| subject.job(&signal.input) == Some(job));
            let signals = of_job.map(Course::new).collect();
            let (follows_signals, value, change, step) = (false, 0.0, 0.0, 1.0);
            inputs.push(InputValues { job, index, factor, scale, rate, signals, follows_signals, value, change, step });
        };
        add(Job::Steer, subject.steer, (1.0, self.amplitude), rate);
        add(Job::Target, subject.target, (1.0, self.speed), f64::INFINITY);
        for &(index, torque) in &subject.brakes {
            add(Job::Brake, index, (torque, 1.0), f64::INFINITY);
        }
        for index in 0..subject.system.interface().inputs.len() {
            if file.signals.iter().any(|signal| subject.job(&signal.input) == Some(Job::Own(index))) {
                add(Job::Own(index), index, (1.0, 1.0), f64::INFINITY);
            }
        }
        inputs
    }

    /// Value of the signals of an input at `time`, after a jump there or `before` it. A jump within `tolerance` of
    /// `time` is at `time`.
    fn wanted(&self, input: &InputValues, time: f64, (before, tolerance): (bool, f64), events: &[Option<f64>]) -> f64 {
        let of = |signal: &Course| match self.begin(signal, events) {
            Some(begin) => signal.value(time - begin, before, tolerance),
            None => 0.0,
        };
        let sum: f64 = input.signals.iter().map(of).sum();
        // Without a signal the speed is constant.
        if input.job == Job::Target && input.signals.is_empty() { input.scale } else { input.scale * sum }
    }

    /// Start time of a signal, s; `None` if its event did not occur.
    fn begin(&self, signal: &Course, events: &[Option<f64>]) -> Option<f64> {
        let Some(name) = &signal.signal.after else { return Some(0.0) };
        let names = self.manoeuvre.file.events.iter().map(|event| event.name.as_str());
        names.zip(events).find(|(event, _)| event == name).and_then(|(_, time)| *time)
    }

    /// Measures of a run, in the order of the file.
    pub fn measures(&self, driven: &DriveResult) -> Vec<MeasuredValue> {
        measure::all(self, driven)
    }
}

/// An input and its values.
struct InputValues<'a> {
    job: Job,
    index: usize,
    /// Value of the input divided by the given value.
    factor: f64,
    /// Given value divided by the value of the signals.
    scale: f64,
    /// Largest rate of the given value, 1/s.
    rate: f64,
    signals: Vec<Course<'a>>,
    /// Whether the value follows the signals; otherwise it changes steadily.
    follows_signals: bool,
    /// Value at the start of the present interval.
    value: f64,
    /// Change up to the end of the interval.
    change: f64,
    /// Length of the interval, s.
    step: f64,
}

/// Values of the inputs between two points.
struct Interval<'a> {
    drive: &'a Drive<'a>,
    inputs: &'a [InputValues<'a>],
    begin: f64,
    events: &'a [Option<f64>],
}

impl Interval<'_> {
    /// Earliest time that `next` returns for the signals in use. Its arguments are a signal and its start time.
    fn earliest(&self, next: impl Fn(&Course, f64) -> Option<f64>) -> Option<f64> {
        let followed = self.inputs.iter().filter(|input| input.follows_signals);
        let all = followed.flat_map(|input| &input.signals).filter_map(|signal| {
            let begin = self.drive.begin(signal, self.events)?;
            next(signal, begin).map(|time| time + begin)
        });
        all.min_by(f64::total_cmp)
    }
}

impl DrivenInputs for Interval<'_> {
    fn visit(&self, begin: f64, end: f64, tolerance: f64, visit: &mut dyn FnMut(usize, f64, f64)) {
        for input in self.inputs {
            let (mut value, mut change, mut span) = (input.value, input.change, input.step);
            if begin > self.begin && !input.follows_signals {
                value += change * ((begin - self.begin) / span);
            } else if input.follows_signals {
                let wanted = |time, before| self.drive.wanted(input, time, (before, tolerance), self.events);
                (value, span) = (wanted(begin, false), end - begin);
                change = wanted(end, true) - value;
            }
            visit(input.index, input.factor * value, input.factor * change / span);
        }
    }

    fn next_row(&self, begin: f64, end: f64) -> Option<f64> {
        self.earliest(|signal, zero| signal.next_row(begin - zero, end - zero))
    }

    fn next_jump(&self, begin: f64, end: f64) -> Option<f64> {
        self.earliest(|signal, zero| signal.next_jump(begin - zero, end - zero))
    }
}

fn times(events: &[MonitoredEvent]) -> Vec<Option<f64>> {
    events.iter().map(|watched| watched.time).collect()
}
