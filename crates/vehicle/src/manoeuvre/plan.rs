//! The runs of a manoeuvre, one per steering factor, and their results.

use super::drive::{Drive, DriveResult};
use super::measure::{MeasureStatus, MeasuredValue};
use super::read_manoeuvre::Manoeuvre;
use super::vehicle_channels::{Job, ManoeuvreVehicle};
use ballesta::model::Document;
use ballesta::simulate::Simulator;
use ballesta_files::failure::Failure;
use ballesta_run::judgement;
use ballesta_run::model::Assignment;
use ballesta_run::outcome::Outcome;
use serde_json::{Map, Value, json};

/// Values that replace values of the manoeuvre.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// Speed at the start, m/s.
    pub speed: Option<f64>,
    /// Stop time, s.
    pub stop: Option<f64>,
    /// The only factor.
    pub factor: Option<f64>,
}

/// A manoeuvre and a suitable vehicle.
pub struct ManoeuvrePlan {
    /// The manoeuvre.
    pub manoeuvre: Manoeuvre,
    /// The vehicle.
    pub subject: ManoeuvreVehicle,
    /// Speed at the start, m/s.
    pub speed: f64,
    /// Stop time, s.
    pub stop: f64,
    factors: Vec<f64>,
}

/// The steering of a run.
#[derive(Clone, Copy)]
struct Steering {
    /// Steering wheel angle for the value 1 in signals of `steer`, rad.
    amplitude: f64,
    /// Angle of the steering wheel per curvature, rad m.
    per_curvature: f64,
    /// 1 if a positive steering wheel angle steers to the left, −1 if it steers to the right.
    left: f64,
}

fn sign(value: f64) -> f64 {
    if value < 0.0 { -1.0 } else { 1.0 }
}

/// A run with its results.
pub struct ManoeuvreRun<'a> {
    /// The driven manoeuvre.
    pub drive: Drive<'a>,
    /// Recording and end of the run.
    pub driven: DriveResult,
    /// Measures of the run.
    pub found: Vec<MeasuredValue>,
    /// Diagnostics of the run.
    pub judgement: Value,
}

impl ManoeuvrePlan {
    /// Looks up every name of the manoeuvre in the model. `shown`: name of the model file for messages; `set`:
    /// parameters and inputs.
    ///
    /// # Errors
    /// A model without `[vehicle]` or without inputs or channels of the manoeuvre; invalid times.
    pub fn new(
        manoeuvre: Manoeuvre,
        document: Document,
        shown: &str,
        set: &[Assignment],
        choices: Choices,
    ) -> Result<ManoeuvrePlan, Failure> {
        let general = &manoeuvre.file.manoeuvre;
        let (speed, stop) = (choices.speed.unwrap_or(general.speed), choices.stop.unwrap_or(general.stop));
        let factors = choices.factor.map_or_else(|| general.factors.clone(), |factor| vec![factor]);
        let subject = ManoeuvreVehicle::new(document, shown, set, speed)?;
        manoeuvre.suits(&subject)?;
        subject.grid(stop, general.step)?;
        Ok(ManoeuvrePlan { manoeuvre, subject, speed, stop, factors })
    }

    /// Number of the runs.
    pub fn runs(&self) -> usize {
        self.factors.len()
    }

    /// The runs, ready to be made.
    ///
    /// # Errors
    /// No steady circle with the requested lateral acceleration.
    pub fn drives(&self) -> Result<Vec<Drive<'_>>, Failure> {
        let step = self.manoeuvre.file.manoeuvre.step;
        let grid = self.subject.grid(self.stop, step)?;
        let (mut left, mut right) = (None, None);
        let drive = |&factor: &f64| -> Result<Drive<'_>, Failure> {
            let (known, side) = if factor < 0.0 { (&mut right, -1.0) } else { (&mut left, 1.0) };
            let steering = match *known {
                Some(steering) => steering,
                None => *known.insert(self.steering(side)?),
            };
            let Steering { amplitude, per_curvature, left } = steering;
            let (manoeuvre, subject, speed) = (&self.manoeuvre, &self.subject, self.speed);
            let amplitude = factor.abs() * amplitude;
            Ok(Drive { manoeuvre, subject, grid, speed, factor, amplitude, per_curvature, left })
        };
        self.factors.iter().map(drive).collect()
    }

    /// Steering of a run to the left, or to the right for the side −1.
    fn steering(&self, side: f64) -> Result<Steering, Failure> {
        let (file, subject, speed) = (&self.manoeuvre.file, &self.subject, self.speed);
        let general = &file.manoeuvre;
        if file.driver.is_some() {
            let per_curvature = subject.angle_per_curvature(speed, side)?;
            let amplitude = side * general.amplitude.unwrap_or(1.0);
            return Ok(Steering { amplitude, per_curvature, left: sign(per_curvature) });
        }
        if let Some(wanted) = general.lateral_acceleration {
            let amplitude = subject.angle_of(side * wanted, speed)?;
            return Ok(Steering { amplitude, per_curvature: 0.0, left: sign(side * amplitude) });
        }
        let steers = file.signals.iter().any(|signal| subject.job(&signal.input) == Some(Job::Steer));
        // If no steady motion is found, a positive angle is assumed to steer to the left, as in the key `steer`.
        let left = match steers {
            true => subject.angle_per_curvature(speed, side).map_or(1.0, sign),
            false => 1.0,
        };
        Ok(Steering { amplitude: left * side * general.amplitude.unwrap_or(1.0), per_curvature: 0.0, left })
    }

    /// Runs and results as data: the object of `manoeuvre --json`.
    pub fn findings<'a>(&self, made: impl IntoIterator<Item = &'a ManoeuvreRun<'a>>) -> Value {
        // Times of the events.
        let events = |run: &ManoeuvreRun| {
            let names = self.manoeuvre.file.events.iter().map(|event| event.name.clone());
            names.enumerate().map(|(k, name)| (name, json!(run.driven.time_of(Some(k))))).collect::<Map<_, _>>()
        };
        // Values of the measures with their limits.
        let measure = |measure: &MeasuredValue| {
            let [least, most] = measure.limits;
            json!({
                "name": measure.name, "value": measure.value, "unit": measure.unit,
                "at_least": least, "at_most": most, "passes": measure.passes(),
                "verdict": measure.verdict().map(MeasureStatus::word), "reason": measure.reason,
            })
        };
        let invalid = |run: &ManoeuvreRun| {
            run.driven.invalid.as_ref().map(|invalid| json!({ "from_s": invalid.time, "reason": invalid.reason }))
        };
        // Runs with their quality figures.
        let run = |run: &ManoeuvreRun| {
            json!({
                "factor": run.drive.factor,
                "amplitude_rad": run.drive.amplitude,
                "events_s": events(run),
                "measures": run.found.iter().map(measure).collect::<Vec<_>>(),
                "invalid": invalid(run),
                "judgement": run.judgement,
            })
        };
        json!({
            "model": self.subject.system.name(),
            "title": self.manoeuvre.file.manoeuvre.title,
            "speed_m_s": self.speed,
            "stop_s": self.stop,
            "step_s": self.manoeuvre.file.manoeuvre.step,
            "runs": made.into_iter().map(run).collect::<Vec<_>>(),
        })
    }
}

impl<'a> ManoeuvreRun<'a> {
    /// Time and reason of invalidity as text; `None` for a valid run.
    pub fn invalid(&self) -> Option<String> {
        let factor = self.drive.factor;
        let invalid = self.driven.invalid.as_ref()?;
        Some(format!("factor {factor}: not valid from t = {:.4} s: {}", invalid.time, invalid.reason))
    }

    /// Quality of the result; reasons name the factor.
    pub fn outcome(&self) -> Outcome {
        let ending = &self.driven.ending;
        let warning = ending.warning.as_ref().map(|warning| format!("factor {}: {warning}", self.drive.factor));
        Outcome::new(warning, ending.wrong).and(self.invalid().map_or(Outcome::Good, Outcome::Wrong))
    }

    /// Diagnostics of a completed or stopped run of `simulator`.
    ///
    /// # Errors
    /// Message of the fault that stopped the run.
    pub fn new(drive: Drive<'a>, mut driven: DriveResult, simulator: &Simulator) -> Result<ManoeuvreRun<'a>, Failure> {
        match driven.ending.stopped.take() {
            None => {
                let found = drive.measures(&driven);
                let judgement =
                    judgement::findings(simulator.judgement(), &drive.subject.system, None, &driven.ending.outcome());
                Ok(ManoeuvreRun { drive, driven, found, judgement })
            }
            Some(interrupted @ Failure::Interrupted { .. }) => Err(interrupted),
            Some(failure) => {
                let last = driven.recording.times.last().copied().unwrap_or(0.0);
                Err(Failure::Fault(format!("{failure}\nThe run with factor {} reached t = {last} s.", drive.factor)))
            }
        }
    }
}
