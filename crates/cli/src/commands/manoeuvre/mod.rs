//! `ballesta manoeuvre`: drives a vehicle through a manoeuvre and evaluates measures.

pub mod arguments;

use crate::text::{self, ReportFormat};
use crate::{interrupt, judged};
use ballesta::simulate::Simulator;
use ballesta::system::OutputInfo;
use ballesta_files::{Failure, output_file};
use ballesta_pictures::{page, picture, plot};
use ballesta_run::simulation::{Clock, RunEnd};
use ballesta_run::table::{Table, Target};
use ballesta_run::{Outcome, model};
use ballesta_vehicle::manoeuvre::{self, BUILT_IN, Choices, Drive, DriveResult, Manoeuvre, ManoeuvreRun};
use plot::{Along, Curve, Marks, Panel};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Resolved `ballesta manoeuvre` command.
pub enum Plan {
    /// A text about the built-in manoeuvres, and its data.
    BuiltIn { text: String, facts: Value, json: bool },
    /// A manoeuvre to drive.
    Drive(Box<Runs>),
}

impl Plan {
    /// Lists or prints manoeuvres, or resolves one to drive.
    pub fn resolve(typed: arguments::Manoeuvre) -> Result<Plan, Failure> {
        let json = typed.json;
        if typed.list {
            let rows = BUILT_IN.iter().map(|known| {
                let title = Manoeuvre::parse(known.text, known.name).map(|read| read.file.manoeuvre.title);
                Ok(vec![known.name.to_string(), title?])
            });
            let rows: Vec<Vec<String>> = rows.collect::<Result<_, Failure>>()?;
            let named = rows.iter().map(|row| json!({ "name": row[0], "title": row[1] }));
            let facts = json!({ "manoeuvres": named.collect::<Vec<_>>() });
            return Ok(Plan::BuiltIn { text: text::table(&rows), facts, json });
        }
        if let Some(name) = &typed.print {
            let Some(known) = BUILT_IN.iter().find(|known| known.name == name) else {
                let near = text::nearest(name, BUILT_IN.iter().map(|known| known.name));
                let hint = near.map_or("see --list".to_string(), |near| format!("did you mean `{near}`?"));
                return Err(Failure::Usage(format!("--print {name}: unknown manoeuvre; {hint}")));
            };
            return Ok(Plan::BuiltIn { text: known.text.to_string(), facts: json!({ "text": known.text }), json });
        }
        Runs::resolve(typed).map(|runs| Plan::Drive(Box::new(runs)))
    }

    /// Prints the text, or drives.
    pub fn execute(self) -> Result<(), Failure> {
        match self {
            Plan::BuiltIn { text, facts, json } => text::answer(json, &text, &[], facts),
            Plan::Drive(runs) => runs.execute(),
        }
    }
}

/// The runs of a manoeuvre, and the files to write.
pub struct Runs {
    plan: manoeuvre::ManoeuvrePlan,
    columns: Vec<OutputInfo>,
    csv: Option<Target>,
    plot: Option<PathBuf>,
    html: Option<PathBuf>,
    strict: bool,
    told: ReportFormat,
}

/// A run with its diagnostics as text.
type Run<'a> = (ManoeuvreRun<'a>, String);

impl Runs {
    /// Reads model and manoeuvre and resolves every name; nothing is written yet.
    fn resolve(typed: arguments::Manoeuvre) -> Result<Runs, Failure> {
        // Read both files and resolve inputs and channels of the vehicle.
        let (model_path, file) = (typed.model.unwrap_or_default(), typed.manoeuvre.unwrap_or_default());
        let manoeuvre = Manoeuvre::open(&file)?;
        let document = model::open(&model_path)?;
        let mut files = model::files(&model_path, &document);
        files.push(file);
        let shown = model::model_file(&model_path).display().to_string();
        let choices = Choices { speed: typed.speed, stop: typed.stop, factor: typed.factor };
        let plan = manoeuvre::ManoeuvrePlan::new(manoeuvre, document, &shown, &typed.set, choices)?;
        // Tables and plots show one run; several factors give several runs.
        let outputs =
            [("--csv", typed.csv.as_deref()), ("--plot", typed.plot.as_deref()), ("--html", typed.html.as_deref())];
        if let Some((option, _)) = outputs.iter().find(|(_, path)| path.is_some()).filter(|_| plan.runs() > 1) {
            let message = format!("{option} needs a single run, not {}; select one with --factor", plan.runs());
            return Err(Failure::Usage(message));
        }
        if let Some(path) = typed.html.as_ref().filter(|path| !page::is_page(path)) {
            return Err(Failure::Usage(format!("--html {}: expected a name that ends in .html", path.display())));
        }
        // No output may overwrite an input, and only one output can use stdout.
        output_file::keep_apart(&outputs, &files)?;
        if typed.json && typed.csv.as_deref() == Some(Path::new("-")) {
            return Err(Failure::Usage("--csv - and --json both write to stdout; give the table a file name".into()));
        }
        if typed.units && typed.csv.is_none() {
            return Err(Failure::Usage("--units needs a table: add --csv".into()));
        }
        let csv = typed.csv.map(|path| Target::new(&path, typed.units)).transpose()?;
        let columns = plan.subject.columns();
        let (plot, html, strict, told) =
            (typed.plot, typed.html, typed.strict, ReportFormat::new(typed.json, typed.quiet));
        Ok(Runs { plan, columns, csv, plot, html, strict, told })
    }

    /// Makes the runs. Results before a fault or a signal are written.
    fn execute(&self) -> Result<(), Failure> {
        judged::warn(&self.plan.subject.system);
        let (mut made, mut failures) = (Vec::new(), Outcome::Good);
        for drive in self.plan.drives()? {
            let run = self.run(drive)?;
            let outcome = run.0.outcome();
            match outcome.exit_code(self.strict) {
                0 => judged::settle(outcome, self.strict)?,
                _ => failures = failures.and(outcome),
            }
            made.push(run);
        }
        match self.told {
            ReportFormat::Report => self.report(&made)?,
            ReportFormat::Json => {
                let mut findings = self.plan.findings(made.iter().map(|(made, _)| made));
                findings["written"] = json!(self.written());
                text::say_json(&findings)?;
            }
            ReportFormat::Nothing => (),
        }
        let failed = made.iter().flat_map(|run| &run.0.found).filter(|found| found.passes() == Some(false)).count();
        if failed > 0 && self.strict {
            failures = failures.and(Outcome::Questionable(format!("{} exceeded", text::count(failed, "limit"))));
        }
        judged::settle(failures, self.strict)
    }

    fn run<'a>(&self, drive: Drive<'a>) -> Result<Run<'a>, Failure> {
        let (subject, grid, factor) = (drive.subject, drive.grid, drive.factor);
        // The table and the page have optional recorders; both are filled during the run.
        let interface =
            ballesta::system::Interface { outputs: self.columns.clone(), ..subject.system.interface().clone() };
        let mut table = self.csv.as_ref().map(|target| Table::create(target, &interface)).transpose()?;
        let mut recorder =
            self.html.is_some().then(|| page::Recorder::new(subject.system.clone(), grid.start, grid.stop, grid.step));
        let outputs = subject.system.interface().outputs.len();
        let mut shown = ballesta_run::simulation::Recording::new(outputs, grid.intervals() + 1);
        let bar = text::progress(grid.intervals() as u64, subject.system.name());
        let (mut clock, mut deferred, mut simulator) = (Clock::default(), None, Simulator::new(subject.system.clone()));
        // Each communication point is written to the recorder and the table; Ctrl+C stops the run between two points.
        let driven = drive.run(&mut simulator, &mut clock, |time, outputs, row, simulator| {
            if let Some(recorder) = &mut recorder {
                recorder.look(simulator.state());
                shown.push(time, outputs);
            }
            bar.inc(1);
            table.as_mut().map_or(Ok(()), |table| table.row(time, row))?;
            match deferred.get_or_insert_with(interrupt::defer).requested() {
                Some(signal) if time < grid.stop => {
                    let message = format!("interrupted at t = {time} s in the run with factor {factor}");
                    Err(Failure::Interrupted { signal, message })
                }
                _ => Ok(()),
            }
        });
        bar.finish_and_clear();
        // A write error or a usage error has no result to keep; a solver fault keeps the points before it.
        let RunEnd { stopped, .. } = &driven.ending;
        if let Some(failure @ (Failure::File { .. } | Failure::Usage(_))) = stopped {
            return Err(Failure::Usage(failure.to_string()));
        }
        let fault = stopped.as_ref().map(|failure| failure.to_string());
        // Files are written also after a fault, up to the last valid point.
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
        let summary = judged::summary(&simulator, &clock, driven.ending.cause);
        Ok((ManoeuvreRun::new(drive, driven, &simulator)?, summary))
    }

    fn written(&self) -> Vec<String> {
        let drawn = self.plot.iter().chain(&self.html).map(PathBuf::as_path);
        self.csv.iter().filter_map(Target::file).chain(drawn).map(|path| path.display().to_string()).collect()
    }

    fn report(&self, made: &[Run]) -> Result<(), Failure> {
        let plan = &self.plan;
        let file = &plan.manoeuvre.file;
        let (name, speed) = (plan.subject.system.name(), text::short(plan.speed, 6));
        let mut report = format!("{name}: {}\n{speed} m/s at the start, {} s", file.manoeuvre.title, plan.stop);
        if let ([(first, _)], None) = (made, &file.driver) {
            let degrees = first.drive.amplitude.to_degrees();
            report += &format!(", steering amplitude {} deg", text::short(degrees, 5));
        }
        report += "\n\n";
        let mut rows = Vec::new();
        if made.len() > 1 {
            let row = |head: &str, cell: &dyn Fn(&ManoeuvreRun) -> String, unit: &str| {
                let cells = made.iter().map(|(made, _)| cell(made));
                std::iter::once(head.to_string()).chain(cells).chain([unit.to_string()]).collect::<Vec<_>>()
            };
            rows.push(row("factor", &|run| text::short(run.drive.factor, 4), ""));
            rows.push(row("steering amplitude", &|run| text::short(run.drive.amplitude.to_degrees(), 4), "deg"));
        }
        let digits = if made.len() > 1 { 4 } else { 6 };
        for (index, first) in made.first().iter().flat_map(|run| run.0.found.iter().enumerate()) {
            let cell = |run: &ManoeuvreRun| {
                let found = &run.found[index];
                let none = if found.valid { "none" } else { "not valid" };
                let value = found.value.map_or(none.to_string(), |value| text::short(value, digits));
                if found.passes() == Some(false) { value + " !" } else { value }
            };
            let mut row = vec![first.name.clone()];
            row.extend(made.iter().map(|(made, _)| cell(made)));
            row.push(format!("{}{}", first.unit, self.limits(index, made)));
            rows.push(row);
        }
        report += &text::table(&rows);
        if made.iter().flat_map(|run| &run.0.found).any(|found| found.passes() == Some(false)) {
            report += "  !  outside its limit\n";
        }
        let invalid = made.iter().filter_map(|(made, _)| made.invalid());
        report.extend(invalid.map(|invalid| format!("  {invalid}; limits are not checked\n")));
        if let [(_, summary)] = made {
            report += summary;
        }
        report.extend(self.written().iter().map(|path| format!("\nWrote {path}.\n")));
        // Stdout contains the table.
        if self.csv.as_ref().is_some_and(|target| target.file().is_none()) {
            let _ = io::stderr().write_all(report.as_bytes());
            return Ok(());
        }
        text::say(&report)
    }

    /// Limits of a measure as text, with the sign of the first run that has them.
    fn limits(&self, index: usize, made: &[Run]) -> String {
        let measure = &self.plan.manoeuvre.file.measures[index];
        // Runs with factors below `limits_from` have no limits; the report then shows the limits of the file.
        let of_file = [measure.at_least, measure.at_most];
        let mut of_runs = made.iter().map(|(made, _)| made.found[index].limits);
        let [least, most] = of_runs.find(|limits| *limits != [None; 2]).unwrap_or(of_file);
        let words = [("at least", least), ("at most", most)];
        let words = words.into_iter().filter_map(|(word, limit)| Some(format!("{word} {}", text::short(limit?, 6))));
        let mut limits: Vec<String> = words.collect();
        limits.extend(measure.limits_from.map(|from| format!("from factor {from} on")));
        if limits.is_empty() { String::new() } else { format!("   ({})", limits.join(", ")) }
    }

    /// Steering, motion and path over time.
    fn draw(&self, driven: &DriveResult, fault: Option<&str>) -> String {
        // Channels have the prefix `manoeuvre.`; each towed unit has the same channels with its own prefix.
        let (title, subject) = (&self.plan.manoeuvre.file.manoeuvre.title, &self.plan.subject);
        let find = |name: &str| self.columns.iter().position(|column| column.name == format!("manoeuvre.{name}"));
        let units = ["".to_string()].into_iter();
        let towed: Vec<String> = units.chain((1..=subject.vehicle.towed.len()).map(|k| format!("towed{k}."))).collect();
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
        // Usual units of vehicle dynamics.
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
        // The path is y over x instead of over time.
        if let (Some(path), Some(x)) = (panels.last_mut(), find("x")) {
            let values = &driven.recording.series[x];
            path.along =
                Some(Along { name: "x", unit: "m", factor: 1.0, values, equal_scales: false, marks: Marks::Time });
        }
        // After a fault, the subtitle states the reason.
        let note = fault.map_or(title.clone(), |fault| format!("stopped: {fault}"));
        plot::draw_panels(("time", "s"), subject.system.name(), &note, &driven.recording.times, &panels)
    }
}
