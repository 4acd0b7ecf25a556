//! The runs of a manoeuvre: one per factor on the steering, and what is said of them.

use super::drive::{Drive, Driven};
use super::measure::Found;
use super::read::Manoeuvre;
use super::vehicle::Subject;
use crate::failure::Failure;
use crate::judgement;
use crate::model::Assignment;
use ballesta::model::Document;
use ballesta::simulate::Simulator;
use serde_json::{Map, Value, json};

/// What takes the place of the manoeuvre's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// Speed at the start, m/s.
    pub speed: Option<f64>,
    /// Stop time, s.
    pub stop: Option<f64>,
    /// The only factor.
    pub factor: Option<f64>,
}

/// A manoeuvre and a vehicle that suits it.
pub struct Plan {
    /// The manoeuvre.
    pub manoeuvre: Manoeuvre,
    /// The vehicle.
    pub subject: Subject,
    /// Speed at the start, m/s.
    pub speed: f64,
    /// Stop time, s.
    pub stop: f64,
    factors: Vec<f64>,
}

/// A run with what was found in it.
pub struct Made<'a> {
    /// What was driven.
    pub drive: Drive<'a>,
    /// What came of it.
    pub driven: Driven,
    /// Its measures.
    pub found: Vec<Found>,
    /// How it was judged.
    pub judgement: Value,
}

impl Plan {
    /// Looks up every name of the manoeuvre in the model. `shown`: name of the model's file; `set`: parameters and
    /// inputs.
    ///
    /// # Errors
    /// A model without `[vehicle]`, or that lacks something the manoeuvre needs; times that make no grid.
    pub fn new(
        manoeuvre: Manoeuvre,
        document: Document,
        shown: &str,
        set: &[Assignment],
        choices: Choices,
    ) -> Result<Plan, Failure> {
        let general = &manoeuvre.file.manoeuvre;
        let (speed, stop) = (choices.speed.unwrap_or(general.speed), choices.stop.unwrap_or(general.stop));
        let factors = choices.factor.map_or_else(|| general.factors.clone(), |factor| vec![factor]);
        let subject = Subject::new(document, shown, set, speed)?;
        manoeuvre.suits(&subject)?;
        subject.grid(stop, general.step)?;
        Ok(Plan { manoeuvre, subject, speed, stop, factors })
    }

    /// Number of the runs.
    pub fn runs(&self) -> usize {
        self.factors.len()
    }

    /// The runs, ready to be made.
    ///
    /// # Errors
    /// No steady circle of the wanted lateral acceleration.
    pub fn drives(&self) -> Result<Vec<Drive<'_>>, Failure> {
        let general = &self.manoeuvre.file.manoeuvre;
        let amplitude = match general.lateral_acceleration {
            Some(wanted) => self.subject.angle_of(wanted, self.speed)?,
            None => general.amplitude.unwrap_or(1.0),
        };
        let per_curvature = match self.manoeuvre.file.driver {
            Some(_) => self.subject.angle_per_curvature(self.speed)?,
            None => 0.0,
        };
        let grid = self.subject.grid(self.stop, general.step)?;
        let drive = |&factor: &f64| Drive {
            manoeuvre: &self.manoeuvre,
            subject: &self.subject,
            grid,
            speed: self.speed,
            factor,
            amplitude: factor * amplitude,
            per_curvature,
        };
        Ok(self.factors.iter().map(drive).collect())
    }

    /// What was driven and found, as data: the object of `manoeuvre --json`.
    pub fn findings<'a>(&self, made: impl IntoIterator<Item = &'a Made<'a>>) -> Value {
        let events = |run: &Made| {
            let names = self.manoeuvre.file.events.iter().map(|event| event.name.clone());
            names.zip(run.driven.events.iter().map(|time| json!(time))).collect::<Map<_, _>>()
        };
        let found = |found: &Found| {
            let [least, most] = found.limits;
            json!({
                "name": found.name, "value": found.value, "unit": found.unit,
                "at_least": least, "at_most": most, "passes": found.passes(),
            })
        };
        let run = |run: &Made| {
            json!({
                "factor": run.drive.factor,
                "amplitude_rad": run.drive.amplitude,
                "events_s": events(run),
                "measures": run.found.iter().map(found).collect::<Vec<_>>(),
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

impl<'a> Made<'a> {
    /// Of a run by `simulator` that came to its end, or of why it did not.
    ///
    /// # Errors
    /// What stopped it.
    pub fn new(drive: Drive<'a>, mut driven: Driven, simulator: &Simulator) -> Result<Made<'a>, Failure> {
        match driven.ending.stopped.take() {
            None => {
                let found = drive.measures(&driven);
                let judgement = judgement::findings(simulator.judgement(), &drive.subject.system);
                Ok(Made { drive, driven, found, judgement })
            }
            Some(interrupted @ Failure::Interrupted { .. }) => Err(interrupted),
            Some(failure) => {
                let last = driven.recording.times.last().copied().unwrap_or(0.0);
                Err(Failure::Fault(format!("{failure}\nThe run with factor {} came to t = {last} s.", drive.factor)))
            }
        }
    }
}
