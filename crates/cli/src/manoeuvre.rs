//! `ballesta manoeuvre`: a vehicle driven through a manoeuvre, and what is measured of it.

use super::failure::Failure;
use super::interrupt;
use super::simulation::{Clock, Ending};
use super::table::{Table, Target};
use super::text::{self, Told};
use super::{arguments, judged, model, output_file, page, picture, plot};
use ballesta::simulate::Simulator;
use ballesta::system::OutputInfo;
use ballesta_experiment::judgement;
use ballesta_experiment::manoeuvre::{BUILT_IN, Drive, Driven, Found, Manoeuvre, Subject};
use plot::{Along, Curve, Marks, Panel};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Lists or prints manoeuvres, or drives one.
pub fn execute(typed: arguments::Manoeuvre) -> Result<(), Failure> {
    if typed.list {
        let rows = BUILT_IN.iter().map(|known| {
            let title = Manoeuvre::parse(known.text, known.name).map(|read| read.file.manoeuvre.title);
            Ok(vec![known.name.to_string(), title?])
        });
        let rows: Vec<Vec<String>> = rows.collect::<Result<_, Failure>>()?;
        let named = rows.iter().map(|row| json!({ "name": row[0], "title": row[1] }));
        return text::answer(typed.json, &text::table(&rows), &[], json!({ "manoeuvres": named.collect::<Vec<_>>() }));
    }
    if let Some(name) = &typed.print {
        let Some(known) = BUILT_IN.iter().find(|known| known.name == name) else {
            let near = text::nearest(name, BUILT_IN.iter().map(|known| known.name));
            let hint = near.map_or("see --list".to_string(), |near| format!("did you mean `{near}`?"));
            return Err(Failure::Usage(format!("--print {name}: there is no such manoeuvre; {hint}")));
        };
        return text::answer(typed.json, known.text, &[], json!({ "text": known.text }));
    }
    Plan::resolve(typed)?.execute()
}

/// What `ballesta manoeuvre` is going to do.
struct Plan {
    manoeuvre: Manoeuvre,
    subject: Subject,
    columns: Vec<OutputInfo>,
    speed: f64,
    stop: f64,
    factors: Vec<f64>,
    csv: Option<Target>,
    plot: Option<PathBuf>,
    html: Option<PathBuf>,
    strict: bool,
    told: Told,
}

/// A run with what was found in it.
struct Made {
    factor: f64,
    amplitude: f64,
    driven: Driven,
    found: Vec<Found>,
    /// How it was judged, as data and in words.
    judgement: Value,
    summary: String,
}

impl Plan {
    /// Reads model and manoeuvre and looks up every name; nothing is written yet.
    fn resolve(typed: arguments::Manoeuvre) -> Result<Plan, Failure> {
        let (model_path, file) = (typed.model.unwrap_or_default(), typed.manoeuvre.unwrap_or_default());
        let manoeuvre = Manoeuvre::open(&file)?;
        let document = model::open(&model_path)?;
        let mut files = model::files(&model_path, &document);
        files.push(file);
        let general = &manoeuvre.file.manoeuvre;
        let (speed, stop) = (typed.speed.unwrap_or(general.speed), typed.stop.unwrap_or(general.stop));
        let factors = typed.factor.map_or_else(|| general.factors.clone(), |factor| vec![factor]);
        let shown = model::model_file(&model_path).display().to_string();
        let subject = Subject::new(document, &shown, &typed.set, speed)?;
        manoeuvre.suits(&subject)?;
        subject.grid(stop, general.step)?;
        let outputs =
            [("--csv", typed.csv.as_deref()), ("--plot", typed.plot.as_deref()), ("--html", typed.html.as_deref())];
        if let Some((option, _)) = outputs.iter().find(|(_, path)| path.is_some()).filter(|_| factors.len() > 1) {
            let message = format!("{option} is for one run, and there are {}; choose one by --factor", factors.len());
            return Err(Failure::Usage(message));
        }
        if let Some(path) = typed.html.as_ref().filter(|path| !page::is_page(path)) {
            return Err(Failure::Usage(format!("--html {}: the name of a page ends in .html", path.display())));
        }
        output_file::keep_apart(&outputs, &files)?;
        if typed.json && typed.csv.as_deref() == Some(Path::new("-")) {
            return Err(Failure::Usage("--csv - and --json: both are written to stdout; give the table a file".into()));
        }
        if typed.units && typed.csv.is_none() {
            return Err(Failure::Usage("--units: there is no table; give --csv".into()));
        }
        let csv = typed.csv.map(|path| Target::new(&path, typed.units)).transpose()?;
        let columns = subject.columns();
        let (plot, html, strict, told) = (typed.plot, typed.html, typed.strict, Told::new(typed.json, typed.quiet));
        Ok(Plan { manoeuvre, subject, columns, speed, stop, factors, csv, plot, html, strict, told })
    }

    /// Makes the runs. What a fault or a signal ends is written all the same.
    fn execute(&self) -> Result<(), Failure> {
        judged::warn(&self.subject.system);
        let general = &self.manoeuvre.file.manoeuvre;
        let amplitude = match general.lateral_acceleration {
            Some(wanted) => self.subject.angle_of(wanted, self.speed)?,
            None => general.amplitude.unwrap_or(1.0),
        };
        let per_curvature = match self.manoeuvre.file.driver {
            Some(_) => self.subject.angle_per_curvature(self.speed)?,
            None => 0.0,
        };
        let mut made = Vec::new();
        for &factor in &self.factors {
            let run = self.run(factor, factor * amplitude, per_curvature)?;
            let warning = run.driven.ending.warning.as_ref().map(|warning| format!("factor {factor}: {warning}"));
            judged::pass(warning.as_deref(), self.strict)?;
            made.push(run);
        }
        match self.told {
            Told::Report => self.report(&made)?,
            Told::Json => text::say_json(&self.facts(&made))?,
            Told::Nothing => (),
        }
        let failed = made.iter().flat_map(|run| &run.found).filter(|found| found.passes() == Some(false)).count();
        match failed {
            0 => Ok(()),
            _ if self.strict => Err(Failure::Fault(format!("{} not kept (--strict)", text::count(failed, "limit")))),
            _ => Ok(()),
        }
    }

    fn run(&self, factor: f64, amplitude: f64, per_curvature: f64) -> Result<Made, Failure> {
        let subject = &self.subject;
        let grid = subject.grid(self.stop, self.manoeuvre.file.manoeuvre.step)?;
        let drive =
            Drive { manoeuvre: &self.manoeuvre, subject, grid, speed: self.speed, factor, amplitude, per_curvature };
        let interface =
            ballesta::system::Interface { outputs: self.columns.clone(), ..subject.system.interface().clone() };
        let mut table = self.csv.as_ref().map(|target| Table::create(target, &interface)).transpose()?;
        let mut recorder =
            self.html.is_some().then(|| page::Recorder::new(subject.system.clone(), grid.start, grid.stop, grid.step));
        let outputs = subject.system.interface().outputs.len();
        let mut shown = ballesta_experiment::simulation::Recording::new(outputs, grid.intervals() + 1);
        let bar = text::progress(grid.intervals() as u64, subject.system.name());
        let (mut clock, mut deferred, mut simulator) = (Clock::default(), None, Simulator::new(subject.system.clone()));
        let driven = drive.run(&mut simulator, &mut clock, |time, outputs, row, simulator| {
            if let Some(recorder) = &mut recorder {
                recorder.look(simulator.state());
                shown.push(time, outputs);
            }
            bar.inc(1);
            table.as_mut().map_or(Ok(()), |table| table.row(time, row))?;
            match deferred.get_or_insert_with(interrupt::defer).requested() {
                Some(signal) if time < grid.stop => {
                    let message = format!("interrupted at t = {time} s of the run with factor {factor}");
                    Err(Failure::Interrupted { signal, message })
                }
                _ => Ok(()),
            }
        });
        bar.finish_and_clear();
        let Ending { stopped, .. } = &driven.ending;
        if let Some(failure @ (Failure::File { .. } | Failure::Usage(_))) = stopped {
            return Err(Failure::Usage(failure.to_string()));
        }
        let fault = stopped.as_ref().map(|failure| failure.to_string());
        if !driven.recording.times.is_empty() {
            table.map_or(Ok(()), |table| table.finish(&driven.recording))?;
            if let Some(path) = &self.plot {
                picture::write(path, &self.draw(&driven, fault.as_deref()))?;
            }
            if let (Some(path), Some(mut recorder)) = (&self.html, recorder) {
                if fault.is_some() {
                    recorder.look_at_end(simulator.state());
                }
                let about = page::Subject { document: &subject.document, values: &subject.values };
                output_file::write(path, page::of_run(&about, recorder, &shown, fault.clone()))?;
            }
        }
        match &driven.ending.stopped {
            None => (),
            Some(Failure::Interrupted { signal, message }) => {
                return Err(Failure::Interrupted { signal: *signal, message: message.clone() });
            }
            Some(failure) => {
                let last = driven.recording.times.last().copied().unwrap_or(0.0);
                return Err(Failure::Fault(format!("{failure}\nThe run with factor {factor} came to t = {last} s.")));
            }
        }
        let found = drive.measures(&driven);
        let summary = judged::summary(&simulator, &clock);
        let judgement = judgement::findings(simulator.judgement(), &subject.system);
        Ok(Made { factor, amplitude, driven, found, judgement, summary })
    }

    /// What was driven and found, as data.
    fn facts(&self, made: &[Made]) -> Value {
        let events = |run: &Made| {
            let names = self.manoeuvre.file.events.iter().map(|event| event.name.clone());
            names.zip(run.driven.events.iter().map(|time| json!(time))).collect::<serde_json::Map<_, _>>()
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
                "factor": run.factor,
                "amplitude_rad": run.amplitude,
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
            "runs": made.iter().map(run).collect::<Vec<_>>(),
            "written": self.written(),
        })
    }

    fn written(&self) -> Vec<String> {
        let drawn = self.plot.iter().chain(&self.html).map(PathBuf::as_path);
        self.csv.iter().filter_map(Target::file).chain(drawn).map(|path| path.display().to_string()).collect()
    }

    fn report(&self, made: &[Made]) -> Result<(), Failure> {
        let general = &self.manoeuvre.file.manoeuvre;
        let (name, speed) = (self.subject.system.name(), text::short(self.speed, 6));
        let mut report = format!("{name}: {}\n{speed} m/s at the start, {} s", general.title, self.stop);
        if let ([first], None) = (made, &self.manoeuvre.file.driver) {
            report += &format!(", amplitude of the steering {} deg", text::short(first.amplitude.to_degrees(), 5));
        }
        report += "\n\n";
        let mut rows = Vec::new();
        if made.len() > 1 {
            let row = |head: &str, cell: &dyn Fn(&Made) -> String, unit: &str| {
                let cells = made.iter().map(cell);
                std::iter::once(head.to_string()).chain(cells).chain([unit.to_string()]).collect::<Vec<_>>()
            };
            rows.push(row("factor", &|run| text::short(run.factor, 4), ""));
            rows.push(row("amplitude of the steering", &|run| text::short(run.amplitude.to_degrees(), 4), "deg"));
        }
        let digits = if made.len() > 1 { 4 } else { 6 };
        for (index, first) in made.first().iter().flat_map(|run| run.found.iter().enumerate()) {
            let cell = |run: &Made| {
                let found = &run.found[index];
                let value = found.value.map_or("none".to_string(), |value| text::short(value, digits));
                if found.passes() == Some(false) { value + " !" } else { value }
            };
            let mut row = vec![first.name.clone()];
            row.extend(made.iter().map(cell));
            row.push(format!("{}{}", first.unit, self.limits(index)));
            rows.push(row);
        }
        report += &text::table(&rows);
        if made.iter().flat_map(|run| &run.found).any(|found| found.passes() == Some(false)) {
            report += "  !  beyond its limit\n";
        }
        if let [run] = made {
            report += &run.summary;
        }
        report.extend(self.written().iter().map(|path| format!("\nWrote {path}.\n")));
        // Stdout belongs to the numbers.
        if self.csv.as_ref().is_some_and(|target| target.file().is_none()) {
            let _ = io::stderr().write_all(report.as_bytes());
            return Ok(());
        }
        text::say(&report)
    }

    /// The limits of a measure in words.
    fn limits(&self, index: usize) -> String {
        let measure = &self.manoeuvre.file.measures[index];
        let words = [("at least", measure.at_least), ("at most", measure.at_most)];
        let mut limits: Vec<String> =
            words.iter().filter_map(|(word, limit)| Some(format!("{word} {}", text::short((*limit)?, 6)))).collect();
        limits.extend(measure.limits_from.map(|from| format!("from factor {from} on")));
        if limits.is_empty() { String::new() } else { format!("   ({})", limits.join(", ")) }
    }

    /// Steering, motion and path over time.
    fn draw(&self, driven: &Driven, fault: Option<&str>) -> String {
        let general = &self.manoeuvre.file.manoeuvre;
        let find = |name: &str| self.columns.iter().position(|column| column.name == format!("manoeuvre.{name}"));
        let units = ["".to_string()].into_iter();
        let towed: Vec<String> =
            units.chain((1..=self.subject.vehicle.towed.len()).map(|k| format!("towed{k}."))).collect();
        let of = |name: &str| -> Vec<Curve> {
            let names = towed.iter().map(|prefix| format!("{prefix}{name}"));
            let curve = |index: usize| Curve {
                name: self.columns[index].name.trim_start_matches("manoeuvre."),
                unit: &self.columns[index].unit,
                description: &self.columns[index].description,
                stepped: false,
                diagnostic: false,
                values: &driven.recording.series[index],
            };
            names.filter_map(|name| find(&name)).map(curve).collect()
        };
        let degrees = 1f64.to_degrees();
        let panel = |title, name, unit, factor| Panel {
            title: Some(title),
            unit,
            factor,
            curves: of(name),
            low: false,
            along: None,
        };
        let mut panels = vec![
            panel("Steering wheel", "steer", "deg", degrees),
            panel("Speed", "speed", "km/h", 3.6),
            panel("Lateral acceleration", "lateral_acceleration", "m/s2", 1.0),
            panel("Yaw rate", "yaw_rate", "deg/s", degrees),
            panel("Sideslip", "sideslip", "deg", degrees),
            panel("Roll", "roll", "deg", degrees),
            panel("Path", "y", "m", 1.0),
        ];
        if let (Some(path), Some(x)) = (panels.last_mut(), find("x")) {
            let values = &driven.recording.series[x];
            path.along =
                Some(Along { name: "x", unit: "m", factor: 1.0, values, equal_scales: false, marks: Marks::Time });
        }
        let note = fault.map_or(general.title.clone(), |fault| format!("stopped: {fault}"));
        plot::draw_panels(("time", "s"), self.subject.system.name(), &note, &driven.recording.times, &panels)
    }
}
