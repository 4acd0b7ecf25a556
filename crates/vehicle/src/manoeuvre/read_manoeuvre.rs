//! Reads a manoeuvre file, and checks that a vehicle has the named inputs and channels.

use super::manoeuvre_schema::{ManoeuvreFile, Measure, Signal, What};
use super::vehicle_channels::{JOBS, Job, ManoeuvreVehicle};
use ballesta::document::nearest::did_you_mean;
use ballesta::document::{self, Diagnostic, Diagnostics, Source, file, text_of};
use ballesta::system::{MAX_PERIODS_PER_STEP, STEPS_PER_PERIOD};
use ballesta_files::failure::Failure;
use ballesta_files::kind::{self, Kind};
use ballesta_files::words::short;
use std::path::Path;

/// A manoeuvre from a valid file.
#[derive(Clone, Debug)]
pub struct Manoeuvre {
    /// The file.
    pub file: ManoeuvreFile,
    source: Source,
}

/// A built-in manoeuvre.
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

macro_rules! built_in {
    ($($name:literal)*) => {
        /// All built-in manoeuvres.
        pub const BUILT_IN: &[BuiltIn] = &[$(BuiltIn {
            name: $name,
            text: include_str!(concat!("../../../../templates/manoeuvres/", $name, ".toml")),
        }),*];
    };
}
built_in!(
    "steady_circle" "constant_radius" "constant_steer" "step_steer" "sine_steer" "sweep_steer" "braking_in_turn"
    "sine_with_dwell" "j_turn" "fishhook" "acceleration" "braking" "lane_change" "double_lane_change"
    "obstacle_avoidance" "rearward_amplification"
);

impl Manoeuvre {
    /// The built-in manoeuvre named `typed`, otherwise the manoeuvre of that file.
    ///
    /// # Errors
    /// All faults of the file at once; an error of the file system.
    pub fn open(typed: &Path) -> Result<Manoeuvre, Failure> {
        if let Some(known) = BUILT_IN.iter().find(|known| Path::new(known.name) == typed) {
            return Ok(Manoeuvre::parse(known.text, known.name)?);
        }
        file::open(typed).map_err(|error| {
            let names: Vec<&str> = BUILT_IN.iter().map(|known| known.name).collect();
            let near = match typed.to_str().filter(|_| error.kind() == std::io::ErrorKind::NotFound) {
                Some(name) => {
                    format!("{error}, and no built-in manoeuvre has this name; {}", did_you_mean(name, &names))
                }
                None => error.to_string(),
            };
            Failure::file("read", typed, std::io::Error::new(error.kind(), near))
        })?;
        let refused = |wrong| kind::refused(typed, Kind::Manoeuvre, wrong);
        let text = text_of(typed, "a manoeuvre's file").map_err(refused)?;
        Manoeuvre::parse(&text, &typed.display().to_string()).map_err(refused)
    }

    /// Reads a text; `file` is the name for diagnostics.
    ///
    /// # Errors
    /// All faults of the text at once.
    pub fn parse(text: &str, file: &str) -> Result<Manoeuvre, Diagnostics> {
        let reading = document::read::<ManoeuvreFile>(text, file)?;
        let mut diagnostics = reading.diagnostics;
        // Replaced values would cause further diagnostics.
        if diagnostics.0.is_empty() {
            let mut check = Check { file: &reading.value, source: &reading.source, found: Vec::new() };
            check.all();
            diagnostics.0 = check.found;
        }
        diagnostics.into_result(Manoeuvre { file: reading.value, source: reading.source })
    }

    /// Checks that the vehicle has the driven inputs and measured channels.
    ///
    /// # Errors
    /// Names that are not inputs, channels or outputs; lanes for a vehicle without an outline.
    pub fn suits(&self, subject: &ManoeuvreVehicle) -> Result<(), Diagnostics> {
        let mut diagnostics = Vec::new();
        // Driven inputs must exist, and the driver must not control them already.
        for (index, signal) in self.file.signals.iter().enumerate() {
            let key = format!("signal[{index}].input");
            match subject.job(&signal.input) {
                None => {
                    let what = format!("the vehicle has no input \"{}\"", signal.input);
                    diagnostics.push(self.source.at(&key, what, did_you_mean(&signal.input, &input_names(subject))));
                }
                Some(Job::Brake) if subject.brakes.is_empty() => {
                    let expected = "add `brakes` (inputs with their torques in N m) to the [vehicle] of the model";
                    diagnostics.push(self.source.at(&key, "the vehicle has no brakes", expected));
                }
                Some(Job::Own(own)) => {
                    if let Some(word) = word_of(subject, own) {
                        let what = format!("the input \"{}\" is reserved for `{word}`", signal.input);
                        diagnostics.push(self.source.at(&key, what, format!("write `{word}`")));
                    }
                }
                Some(_) => {}
            }
        }
        // Measured channels must exist; `understeer` also needs the data of the steady-state formula.
        let known = subject.column_names();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        for (key, name) in self.channels() {
            if subject.column(name).is_none() {
                let what = format!("the vehicle has no channel or output \"{name}\"");
                let expected = match name.starts_with("towed") {
                    true => "name the towed body in `towed` of its [vehicle]".to_string(),
                    false => did_you_mean(name, &known),
                };
                diagnostics.push(self.source.at(key, what, expected));
            } else if name == "understeer"
                && (subject.vehicle.wheelbase.is_none() || subject.vehicle.steering_ratio.is_none())
            {
                let expected = "add `wheelbase` and `steering_ratio` to the [vehicle] of the model";
                diagnostics.push(self.source.at(
                    key,
                    "`understeer` needs the wheelbase and the steering ratio",
                    expected,
                ));
            }
        }
        // Distances to cones need the outline of the vehicle.
        if !self.file.lanes.is_empty() && subject.vehicle.outline.is_none() {
            let expected = "add `outline` to the [vehicle] of the model";
            diagnostics.push(self.source.at("lane", "the vehicle has no outline to compare with the cones", expected));
        }
        Diagnostics(diagnostics).into_result(())
    }

    /// Keys and names of all channels in use.
    fn channels(&self) -> Vec<(String, &str)> {
        let mut all: Vec<(String, &str)> = Vec::new();
        let events = self.file.events.iter().enumerate();
        all.extend(events.map(|(k, event)| (format!("event[{k}].channel"), event.channel.as_str())));
        for (k, measure) in self.file.measures.iter().enumerate() {
            for (name, given) in [("channel", &measure.channel), ("against", &measure.against)] {
                all.extend(given.iter().map(|given| (format!("measure[{k}].{name}"), given.as_str())));
            }
        }
        all
    }
}

/// Word of the program for an input of the model.
fn word_of(subject: &ManoeuvreVehicle, input: usize) -> Option<&'static str> {
    let drives = |job| match job {
        Job::Steer => subject.steer == input,
        Job::Target => subject.target == input,
        Job::Brake => subject.brakes.iter().any(|(brake, _)| *brake == input),
        Job::Own(_) => false,
    };
    JOBS.iter().find(|(_, job)| drives(*job)).map(|(word, _)| *word)
}

/// Inputs that a signal of this vehicle may name.
fn input_names(subject: &ManoeuvreVehicle) -> Vec<&str> {
    let words = JOBS.iter().filter(|(_, job)| *job != Job::Brake || !subject.brakes.is_empty()).map(|(word, _)| *word);
    let inputs = subject.system.interface().inputs.iter().enumerate();
    let free = inputs.filter(|(index, _)| word_of(subject, *index).is_none());
    // An input with the name of a word would be read as that word.
    let plain = free.map(|(_, input)| input.name.as_str()).filter(|name| JOBS.iter().all(|(word, _)| word != name));
    words.chain(plain).collect()
}

struct Check<'a> {
    file: &'a ManoeuvreFile,
    source: &'a Source,
    found: Vec<Diagnostic>,
}

impl Check<'_> {
    fn report(&mut self, key: impl Into<String>, found: impl Into<String>, expected: impl Into<String>) {
        self.found.push(self.source.at(key, found, expected));
    }

    fn positive(&mut self, key: &str, value: f64) {
        if value <= 0.0 {
            self.report(key, format!("found {value}"), "give a positive number");
        }
    }

    /// Rejects frequencies beyond the sampling theorem. Inputs are piecewise linear between the points of the
    /// manoeuvre, so such a frequency would give another signal.
    fn sampled(&mut self, key: &str, frequency: f64) {
        let step = self.file.manoeuvre.step;
        let periods = frequency * step;
        // The limit itself must be rejected in spite of rounding.
        if frequency > 0.0 && step > 0.0 && periods >= MAX_PERIODS_PER_STEP * (1.0 - 1e-9) {
            let found = format!("found {frequency} Hz, {} periods per `step` of {step} s", short(periods, 3));
            let expected = format!(
                "give less than {} Hz, or a `step` of at most {} s, {STEPS_PER_PERIOD} steps per period",
                short(MAX_PERIODS_PER_STEP / step, 4),
                short(1.0 / (STEPS_PER_PERIOD * frequency), 3),
            );
            self.report(key, found, expected);
        }
    }

    fn all(&mut self) {
        let file = self.file;
        let general = &file.manoeuvre;
        self.positive("manoeuvre.stop", general.stop);
        self.positive("manoeuvre.step", general.step);
        if general.speed < 0.0 {
            self.report("manoeuvre.speed", format!("found {}", general.speed), "give a speed of 0 or more, in m/s");
        }
        if let Some(rate) = general.steering_rate {
            self.positive("manoeuvre.steering_rate", rate);
        }
        if general.factors.is_empty() {
            self.report("manoeuvre.factors", "the list is empty", "write at least one factor, or remove the key");
        }
        for (key, size) in [("amplitude", general.amplitude), ("lateral_acceleration", general.lateral_acceleration)] {
            if let Some(size) = size.filter(|size| !(*size > 0.0)) {
                let expected = "give a positive number; use a negative factor for the mirror image";
                self.report(format!("manoeuvre.{key}"), format!("found {size}"), expected);
            }
        }
        if general.amplitude.is_some() && general.lateral_acceleration.is_some() {
            self.report("manoeuvre.amplitude", "`lateral_acceleration` determines it already", "keep one of them");
        }
        // Signals, and events with unique names.
        for (index, signal) in file.signals.iter().enumerate() {
            self.signal(&format!("signal[{index}]"), signal);
        }
        for (index, event) in file.events.iter().enumerate() {
            if file.events[..index].iter().any(|other| other.name == event.name) {
                let found = format!("duplicate event name \"{}\"", event.name);
                self.report(format!("event[{index}].name"), found, "give each event a unique name");
            }
        }
        // The driver follows a circle or a path that is a function of x.
        if let Some(driver) = &file.driver {
            self.positive("driver.preview", driver.preview);
            if driver.lag < 0.0 {
                self.report("driver.lag", format!("found {}", driver.lag), "give a time of 0 or more, in s");
            }
            if let Some(radius) = driver.radius {
                if radius == 0.0 || !driver.path.is_empty() {
                    let found = format!("found {radius}, and {} points of `path`", driver.path.len());
                    self.report("driver.radius", found, "write a radius, negative to the right, or `path`");
                }
            } else if driver.path.len() < 2 || driver.path.windows(2).any(|two| two[1][0] <= two[0][0]) {
                self.report(
                    "driver.path",
                    "x does not increase from point to point",
                    "write at least two points with increasing x",
                );
            }
        }
        // Lanes and measures.
        for (index, lane) in file.lanes.iter().enumerate() {
            if lane.to <= lane.from {
                let found = format!("from x = {} m to {} m", lane.from, lane.to);
                self.report(format!("lane[{index}].to"), found, "give an end after the start");
            }
        }
        for (index, measure) in file.measures.iter().enumerate() {
            self.measure(index, measure);
        }
    }

    fn signal(&mut self, key: &str, signal: &Signal) {
        // A signal has exactly one shape.
        let kinds = [signal.points.is_some(), signal.sine.is_some(), signal.sweep.is_some()];
        if kinds.iter().filter(|given| **given).count() != 1 {
            self.report(key, "found none or several of `points`, `sine`, `sweep`", "give exactly one of them");
        }
        // It starts at a time or after an event.
        self.after(key, &signal.after);
        if signal.input == "steer" && self.file.driver.is_some() {
            self.report(format!("{key}.input"), "the driver steers", "remove [driver], or this signal");
        }
        // Points ascend in time; two at one time define a step.
        if let Some(points) = &signal.points {
            let goes_back = points.windows(2).any(|two| two[1][0] < two[0][0]);
            if points.is_empty() || goes_back || points.windows(3).any(|three| three[0][0] == three[2][0]) {
                let expected = "write points [time, value] with ascending times, at most two at the same time";
                self.report(format!("{key}.points"), "the times do not ascend", expected);
            }
        }
        // The communication step must resolve the sine; a dwell needs the second extremum.
        if let Some(sine) = &signal.sine {
            self.positive(&format!("{key}.sine.frequency"), sine.frequency);
            self.sampled(&format!("{key}.sine.frequency"), sine.frequency);
            self.positive(&format!("{key}.sine.periods"), sine.periods);
            if sine.dwell < 0.0 || (sine.dwell > 0.0 && sine.periods < 0.75) {
                let found = format!("dwell {} s, {} periods", sine.dwell, sine.periods);
                self.report(format!("{key}.sine.dwell"), found, "give a dwell of 0 or more and at least 0.75 periods");
            }
        }
        // A sweep must be resolved at both of its frequencies.
        if let Some(sweep) = &signal.sweep {
            self.positive(&format!("{key}.sweep.from"), sweep.from);
            self.positive(&format!("{key}.sweep.to"), sweep.to);
            self.sampled(&format!("{key}.sweep.from"), sweep.from);
            self.sampled(&format!("{key}.sweep.to"), sweep.to);
            if sweep.stop <= sweep.start {
                let found = format!("the sweep stops at {} s but starts at {} s", sweep.stop, sweep.start);
                self.report(format!("{key}.sweep.stop"), found, "give a stop time after the start");
            }
        }
    }

    fn after(&mut self, key: &str, after: &Option<String>) {
        let names: Vec<&str> = self.file.events.iter().map(|event| event.name.as_str()).collect();
        if let Some(name) = after.as_ref().filter(|name| !names.contains(&name.as_str())) {
            self.report(format!("{key}.after"), format!("there is no event \"{name}\""), did_you_mean(name, &names));
        }
    }

    fn measure(&mut self, index: usize, measure: &Measure) {
        let key = format!("measure[{index}]");
        // A measure can refer only to measures that are computed before it.
        let earlier: Vec<&str> = self.file.measures[..index].iter().map(|other| other.name.as_str()).collect();
        if earlier.contains(&measure.name.as_str()) {
            let found = format!("duplicate measure name \"{}\"", measure.name);
            self.report(format!("{key}.name"), found, "give each measure a unique name");
        }
        self.after(&key, &measure.after);
        for (name, other) in [("of", &measure.of), ("base", &measure.base)] {
            if let Some(other) = other.as_ref().filter(|other| !earlier.contains(&other.as_str())) {
                let found = format!("there is no measure \"{other}\" before this one");
                self.report(format!("{key}.{name}"), found, did_you_mean(other, &earlier));
            }
        }
        // Each kind of measure has its own required and optional keys.
        let given = [
            ("channel", measure.channel.is_some()),
            ("against", measure.against.is_some()),
            ("range", measure.range.is_some()),
            ("at", measure.at.is_some()),
            ("part", measure.part.is_some()),
            ("of", measure.of.is_some()),
            ("base", measure.base.is_some()),
            ("frequency", measure.frequency.is_some()),
        ];
        let (needed, allowed): (&[&str], &[&str]) = match measure.what {
            What::At => (&["channel", "at"], &[]),
            What::Mean | What::Min | What::Max | What::Peak | What::Largest | What::TimeOfPeak => (&["channel"], &[]),
            What::Reach => (&["channel", "part"], &["of"]),
            What::Slope => (&["channel", "against"], &["range"]),
            What::Gain | What::Phase => (&["channel", "against", "frequency"], &[]),
            What::Ratio | What::Difference | What::Excess => (&["of", "base"], &[]),
            What::Outside => (&[], &[]),
        };
        for (name, given) in given {
            let word = measure.what.word();
            if given && !needed.contains(&name) && !allowed.contains(&name) {
                self.report(format!("{key}.{name}"), format!("`{word}` has no `{name}`"), "remove it");
            } else if !given && needed.contains(&name) {
                self.report(format!("{key}.what"), format!("`{word}` requires `{name}`"), format!("add `{name}`"));
            }
        }
        // Limits of single kinds.
        if measure.what == What::Outside && self.file.lanes.is_empty() {
            self.report(format!("{key}.what"), "there is no [[lane]]", "add [[lane]] tables for the cones");
        }
        if measure.frequency.is_some_and(|frequency| frequency <= 0.0) {
            self.report(format!("{key}.frequency"), "the frequency is not positive", "give a frequency in Hz");
        }
    }
}
