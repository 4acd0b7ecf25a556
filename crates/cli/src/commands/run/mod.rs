//! `ballesta run`: simulates a model and writes CSV and plots.

pub mod arguments;
mod overlay;

use crate::text::{self, ReportFormat};
use crate::{interrupt, judged, operating};
use ballesta::analysis::step_map::AnalysisExtent;
use ballesta::model::Document;
use ballesta::simulate::{EnergyCause, Judgement, Simulator};
use ballesta::system::{OutputInfo, System};
use ballesta_files::{Failure, output_file};
use ballesta_pictures::{glb, page, picture, run_curves};
use ballesta_run::inputs::Inputs;
use ballesta_run::recovered_run::{RecoveredBody, RecoveryReport};
use ballesta_run::simulation::{self, Clock, Excitation, Recording};
use ballesta_run::table::{Table, Target};
use ballesta_run::{Grid, Outcome, judgement, model, recovered_run};
use overlay::{Other, Overlay};
use serde_json::json;
use std::cell::OnceCell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Resolved `ballesta run` command.
pub struct Plan {
    system: Arc<System>,
    document: Document,
    values: Vec<f64>,
    recovered: Vec<RecoveredBody>,
    grid: Grid,
    excitation: Excitation,
    csv: Option<Target>,
    plot: Option<PathBuf>,
    html: Option<PathBuf>,
    glb: Option<PathBuf>,
    compare: Option<Other>,
    strict: bool,
    told: ReportFormat,
}

impl Plan {
    /// Reads the model and the inputs and resolves every name; nothing is written yet.
    pub fn resolve(typed: arguments::Run) -> Result<Plan, Failure> {
        // The internal step changes the model before compilation, because the stability check uses it.
        let mut document = model::open(&typed.model)?;
        if let Some(step) = typed.internal_step {
            document.model.general.take_step(step);
        }
        let values = model::parameters(&document, &typed.set)?;
        // Recovery files add the stress outputs that the options name.
        let recovered = recovered_run::take(&mut document, &typed.recovery)?;
        recovered_run::add_outputs(&mut document, &recovered, &typed.recover, &values)?;
        // Compile, then reject a step beyond the stability limit of explicit integration.
        let model::Compiled { system, inputs: constants } = model::compile(&document, &typed.set, true)?;
        let _ = operating::refuse_long_step(&document, &system, &constants, typed.trim, AnalysisExtent::OwnStep)?;
        // The communication grid must match the internal step and fit in memory.
        let grid = Grid::new(&document.model.experiment, system.step(), typed.stop, typed.step)?;
        grid.fits(system.interface().outputs.len())?;
        // A comparison needs the same outputs in both models.
        let compare = typed.compare.as_ref().map(|path| Other::resolve(path, &typed)).transpose()?;
        let diagnostic = document.model.diagnostic_variables();
        compare.as_ref().map_or(Ok(()), |other| other.expect_outputs(&system, &diagnostic))?;
        // Files that are read must not be overwritten by an output.
        let files: Vec<PathBuf> = model::files(&typed.model, &document)
            .into_iter()
            .chain(typed.inputs.clone())
            .chain(compare.as_ref().map(Other::file))
            .chain(typed.recovery)
            .collect();
        // An input has one source: a column of the table or a constant value.
        let table = typed.inputs.map(|path| Inputs::read(&path, system.interface())).transpose()?;
        let both = table.iter().flat_map(Inputs::indices).find(|i| constants.iter().any(|(constant, _)| constant == i));
        if let Some(index) = both {
            let name = &system.interface().inputs[index].name;
            return Err(Failure::Usage(format!("--set {name}: the input file already has a column with this name")));
        }
        // Each output format needs its file name ending.
        if let Some(path) = typed.html.as_ref().filter(|path| !page::is_page(path)) {
            return Err(Failure::Usage(format!("--html {}: expected a name that ends in .html", path.display())));
        }
        if let Some(path) = typed.glb.as_ref().filter(|path| !glb::is_glb(path)) {
            return Err(Failure::Usage(format!("--glb {}: expected a name that ends in .glb", path.display())));
        }
        let outputs = [
            ("--csv", typed.csv.as_deref()),
            ("--plot", typed.plot.as_deref()),
            ("--html", typed.html.as_deref()),
            ("--glb", typed.glb.as_deref()),
        ];
        output_file::keep_apart(&outputs, &files)?;
        // Two outputs on stdout would mix.
        if typed.json && typed.csv.as_deref() == Some(Path::new("-")) {
            return Err(Failure::Usage("--csv - and --json both write to stdout; give the table a file name".into()));
        }
        let told = ReportFormat::new(typed.json, typed.quiet);
        if typed.units && typed.csv.is_none() {
            return Err(Failure::Usage("--units needs a table: add --csv".into()));
        }
        let csv = typed.csv.map(|path| Target::new(&path, typed.units)).transpose()?;
        Ok(Plan {
            system: Arc::new(system),
            values,
            document,
            recovered,
            grid,
            excitation: Excitation { constants, table, trim: typed.trim },
            csv,
            plot: typed.plot,
            html: typed.html,
            glb: typed.glb,
            compare,
            strict: typed.strict,
            told,
        })
    }

    /// Simulates. After a fault or a signal, results up to the last valid communication point are written.
    pub fn execute(self) -> Result<(), Failure> {
        judged::warn(&self.system);
        // First, so that nothing is written if it fails.
        let other = self.compare.as_ref().map(|other| other.simulate(&self.grid)).transpose()?;
        let mut table = self.csv.as_ref().map(|target| Table::create(target, self.system.interface())).transpose()?;
        let mut recording = Recording::new(self.system.interface().outputs.len(), self.grid.intervals() + 1);
        let wanted = self.html.is_some() || self.glb.is_some() || !self.recovered.is_empty();
        let Grid { start, stop, step, .. } = self.grid;
        let mut recorder =
            wanted.then(|| page::Recorder::new(self.system.clone(), start, stop, step).watching(&self.recovered));
        let mut simulator = Simulator::new(self.system.clone());
        let bar = text::progress(self.grid.intervals() as u64, self.system.name());
        let (mut clock, deferred) = (Clock::default(), OnceCell::new());
        let points = self.grid.intervals() + 1;
        let (begin, mut seconds) = (Instant::now(), 0.0);
        let at_point = |time: f64, outputs: &[f64], simulator: &Simulator| {
            recording.push(time, outputs);
            if let Some(recorder) = &mut recorder {
                recorder.look(simulator.state());
            }
            bar.inc(1);
            seconds = begin.elapsed().as_secs_f64();
            table.as_mut().map_or(Ok(()), |table| table.row(time, outputs))?;
            // Signals are deferred from the first row to the last row of results.
            match deferred.get_or_init(interrupt::defer).requested() {
                Some(signal) if recording.times.len() < points => {
                    Err(Failure::Interrupted { signal, message: String::new() })
                }
                _ => Ok(()),
            }
        };
        let goes_on = &mut || deferred.get_or_init(interrupt::defer).requested().is_none();
        let ending = simulation::run(&mut simulator, &self.grid, &self.excitation, &mut clock, at_point, goes_on);
        bar.finish_and_clear();
        let mut signal = None;
        let (outcome, cause) = (ending.outcome(), ending.cause);
        let fault = match ending.stopped {
            None => None,
            Some(Failure::Interrupted { signal: number, .. }) => {
                signal = Some(number);
                Some("interrupted".to_string())
            }
            Some(Failure::Fault(fault)) => Some(fault),
            Some(failure) => return Err(failure),
        };
        if fault.is_some() {
            judged::settle(outcome.clone(), false)?;
        }
        if recording.times.is_empty() {
            return Err(Failure::Fault(format!("{}\n{}", fault.unwrap_or_default(), self.kept(&recording))));
        }
        if let Some(table) = table {
            table.finish(&recording)?;
        }
        let overlay = self.compare.as_ref().zip(other).map(|(compare, other)| {
            compare.overlay(&self.system, &recording, other, &self.document.model.diagnostic_variables())
        });
        if let Some(path) = &self.plot {
            let note = fault
                .as_ref()
                .map_or(self.document.model.general.description.clone(), |fault| format!("stopped: {fault}"));
            let svg = match &overlay {
                Some(overlay) => overlay.draw(self.system.name(), &note),
                None => run_curves::draw(&self.document.model, &self.system, &recording, &[], &note),
            };
            picture::write(path, &svg)?;
        }
        let mut greatest = Vec::new();
        if let Some(mut recorder) = recorder {
            if fault.is_some() {
                recorder.look_at_end(simulator.state());
            }
            greatest.extend(recorder.watched().map(|watched| watched.findings(&self.system)));
            let subject = page::Subject { document: &self.document, values: &self.values };
            if let Some(path) = &self.glb {
                let bytes = glb::of(&subject, &recorder).ok_or_else(|| glb::too_large(path))?;
                output_file::write(path, bytes)?;
            }
            if let Some(path) = &self.html {
                output_file::write(path, page::of_run(&subject, recorder, &recording, fault.clone()))?;
            }
        }
        match (fault, signal) {
            (None, _) => {
                match self.told {
                    ReportFormat::Report => {
                        let rows: Vec<Vec<String>> =
                            greatest.iter().flat_map(RecoveryReport::rows).map(Vec::from).collect();
                        let mut summary = judged::summary(&simulator, &clock, cause);
                        if !rows.is_empty() {
                            summary += &format!("\n{}", text::table(&rows));
                        }
                        summary += &overlay.as_ref().map_or(String::new(), Overlay::page);
                        self.report(&recording, seconds, &summary)?;
                    }
                    ReportFormat::Json => {
                        let mut findings = self.findings(&recording, seconds, simulator.judgement(), (cause, &outcome));
                        if !greatest.is_empty() {
                            findings["recovery"] = json!(greatest);
                        }
                        if let Some(overlay) = &overlay {
                            findings["comparison"] = overlay.findings();
                        }
                        text::say_json(&findings)?;
                    }
                    ReportFormat::Nothing => (),
                }
                let other = overlay.as_ref().map(Overlay::outcome);
                other.map_or(Ok(()), |outcome| judged::settle(outcome, self.strict))?;
                judged::settle(outcome, self.strict)
            }
            (_, Some(signal)) => Err(Failure::Interrupted { signal, message: self.interrupted(&recording) }),
            (Some(fault), None) => Err(Failure::Fault(format!("{fault}\n{}", self.kept(&recording)))),
        }
    }

    fn findings(
        &self,
        recording: &Recording,
        seconds: f64,
        judgement: &Judgement,
        (cause, outcome): (Option<EnergyCause>, &Outcome),
    ) -> serde_json::Value {
        // Last value and range of each output.
        let interface = self.system.interface();
        let output = |(output, series): (&OutputInfo, &Vec<f64>)| {
            json!({
                "name": output.name,
                "unit": output.unit,
                "last": series.last(),
                "min": series.iter().copied().min_by(f64::total_cmp),
                "max": series.iter().copied().max_by(f64::total_cmp),
            })
        };
        // Files that were written.
        let csv = self.csv.iter().filter_map(Target::file);
        let others = self.drawn().map(PathBuf::as_path);
        let written = csv.chain(others).map(|path| path.display().to_string());
        json!({
            "model": self.system.name(),
            "start_s": self.grid.start,
            "stop_s": self.grid.stop,
            "communication_s": self.grid.step,
            "internal_s": self.system.step(),
            "points": recording.times.len(),
            "computing_s": seconds,
            "outputs": interface.outputs.iter().zip(&recording.series).map(output).collect::<Vec<_>>(),
            "judgement": judgement::findings(judgement, &self.system, cause, outcome),
            "written": written.collect::<Vec<_>>(),
        })
    }

    /// Files with pictures, pages and motions.
    fn drawn(&self) -> impl Iterator<Item = &PathBuf> {
        self.plot.iter().chain(&self.html).chain(&self.glb)
    }

    /// Results of an interrupted simulation, as text.
    fn interrupted(&self, recording: &Recording) -> String {
        let time = recording.times.last().copied().unwrap_or(self.grid.start);
        let rows = text::count(recording.times.len(), "row");
        let mut places = Vec::new();
        places.extend(self.csv.iter().map(|target| format!("{rows} written to {}", target.name().display())));
        places.extend(self.drawn().map(|path| format!("drawn in {}", path.display())));
        if places.is_empty() {
            places.push(format!("{rows} computed, none written: use --csv, --plot, --html or --glb to keep them"));
        }
        format!("interrupted at t = {time} s; {}", places.join(", "))
    }

    /// Results of a stopped simulation, as text.
    fn kept(&self, recording: &Recording) -> String {
        let extent = match recording.times.last() {
            None => return "No results: the fault occurred in the initial position.".to_string(),
            Some(last) => format!("{} up to t = {} s", text::count(recording.times.len(), "point"), last),
        };
        let mut places = Vec::new();
        places.extend(self.csv.iter().map(|target| target.name().display().to_string()));
        places.extend(self.drawn().map(|path| path.display().to_string()));
        if places.is_empty() {
            format!("Computed: {extent} (not written: use --csv, --plot, --html or --glb to keep it).")
        } else {
            format!("Kept: {extent}, in {}.", places.join(" and "))
        }
    }

    fn report(&self, recording: &Recording, seconds: f64, summary: &str) -> Result<(), Failure> {
        let interface = self.system.interface();
        let span = self.grid.stop - self.grid.start;
        let mut report = format!(
            "{}: {} s to {} s in {} of {} s, internal step {} s; {} s of computing",
            self.system.name(),
            self.grid.start,
            self.grid.stop,
            text::count(self.grid.intervals(), "communication step"),
            text::short(self.grid.step, 6),
            text::short(self.system.step(), 6),
            text::short(seconds, 3),
        );
        if span > 0.0 && seconds > 0.0 {
            report += &format!(" ({})", text::pace(span, seconds));
        }
        report += &format!("\n\nOutputs at t = {} s\n", self.grid.stop);
        let row = |(output, value): (&OutputInfo, f64)| {
            let description = output.description.clone();
            vec![output.name.clone(), text::short(value, 9), output.unit.clone(), description]
        };
        let rows: Vec<Vec<String>> = interface.outputs.iter().zip(recording.last()).map(row).collect();
        report += &text::table(&rows);
        report += summary;
        let mut written = Vec::new();
        if let Some(path) = self.csv.as_ref().and_then(Target::file) {
            written.push(format!("Wrote {} ({}).\n", path.display(), text::count(recording.times.len(), "row")));
        }
        written.extend(self.drawn().map(|path| format!("Wrote {}.\n", path.display())));
        if !written.is_empty() {
            report += &format!("\n{}", written.concat());
        }
        // Stdout contains the table.
        if self.csv.as_ref().is_some_and(|target| target.file().is_none()) {
            let _ = io::stderr().write_all(report.as_bytes());
            return Ok(());
        }
        text::say(&report)
    }
}
