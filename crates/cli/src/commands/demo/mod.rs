//! `ballesta demo`: the main job on a built-in model. It exports a mechanism as an FMU, simulates it in an importer,
//! and compares the results with the solver.

pub mod arguments;

use crate::commands::export::{self, notice};
use crate::commands::view;
use crate::fmu::{self, OutputReader};
use crate::text;
use ballesta::model::{Document, parse};
use ballesta::simulate::Simulator;
use ballesta::system::System;
use ballesta_files::csv::CsvWriter;
use ballesta_files::{Failure, output_file};
use ballesta_package::reference::Budget;
use ballesta_package::{Platform, Version, pack, sources};
use ballesta_pictures::run_curves::curves;
use ballesta_pictures::{page, plot};
use ballesta_run::simulation::{self, Clock, Excitation, Recording, StopReason};
use ballesta_run::{Grid, model};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The model, so that the command works in any folder.
const MODEL: &str = include_str!("../../../../../models/four_bar/model.toml");
/// Path of the model in the source tree.
const MODEL_FILE: &str = "models/four_bar/model.toml";
/// Default folders for the results; a program in a source tree writes only to Cargo's target folder.
const FOLDER: &str = if sources::OWN.is_some() { "ballesta-demo" } else { "target/demo" };

/// Resolved `ballesta demo` command.
pub struct Plan {
    document: Document,
    system: Arc<System>,
    grid: Grid,
    libraries: Vec<(Platform, PathBuf)>,
    /// The solver for a live page, if requested.
    live: Option<Vec<u8>>,
    folder: PathBuf,
    json: bool,
}

impl Plan {
    /// Compiles the model and finds the library for this machine, which may have to be built.
    pub fn resolve(typed: arguments::Demo) -> Result<Plan, Failure> {
        let live = typed.live.then(view::live_library).transpose()?;
        let document = parse(MODEL, MODEL_FILE)?;
        let system = model::compile(&document, &[], false)?.system;
        let grid = Grid::new(&document.model.experiment, system.step(), None, None)?;
        let folder = typed.out.unwrap_or_else(|| PathBuf::from(FOLDER));
        std::fs::create_dir_all(&folder).map_err(|error| Failure::file("create the folder", &folder, error))?;
        let libraries = export::with_this_machine(typed.library.as_slice())?;
        Ok(Plan { document, system: Arc::new(system), grid, libraries, live, folder, json: typed.json })
    }

    /// Runs the steps and reports each.
    pub fn execute(self) -> Result<(), Failure> {
        // All files are next to each other and have the model name.
        let name = self.system.name();
        let [fmu, csv, svg, html] = ["fmu", "csv", "svg", "html"].map(|ending| self.file(name, ending));
        let model = self.file(name, "toml");
        output_file::write(&model, MODEL)?;
        self.present_model(&model)?;

        // Export the FMU from the model.
        let summary =
            pack(&self.document, MODEL, &self.libraries, &fmu, Some(Budget::default()), Version::default(), None)?;
        if let Some(fault) = &summary.fault {
            notice(&format!("the reference trajectory in the FMU ends early: {fault}"));
        }
        let packed = format!("{} ({}, {})", fmu.display(), text::size(summary.bytes), export::platforms(&summary));
        self.line("2 export", &format!("model, solver library and description packed as {packed}"))?;

        // Run the FMU, run the solver directly, and compare their outputs.
        let imported = self.import(&fmu)?;
        let (direct, recorder) = self.simulate_directly()?;
        self.compare(&imported, &direct)?;

        // Write table, plot and page of the run.
        self.write_csv(&imported, &csv)?;
        let curves = curves(&imported, self.system.interface(), &self.document.model);
        let drawn = plot::draw(name, &self.document.model.general.description, &imported.times, &curves);
        output_file::write(&svg, drawn.as_bytes())?;
        let values: Vec<f64> = self.document.model.parameters.iter().map(|parameter| parameter.value).collect();
        let subject = page::Subject { document: &self.document, values: &values };
        output_file::write(&html, page::of_run(&subject, recorder, &imported, None))?;
        self.line("6 results", &format!("plot in {}, table in {}", svg.display(), csv.display()))?;
        self.line("7 look", &format!("the motion in {}: open it in a browser", html.display()))?;
        let mut written = vec![model.clone(), fmu.clone(), csv, svg, html];
        // A live page needs the WebAssembly library, which not every build has.
        if let Some(library) = &self.live {
            let page = self.file(name, "live.html");
            self.write_live(&subject, &model, library, &page)?;
            self.line("8 drive", &format!("the solver in {}: press Play, Pull and drag a body", page.display()))?;
            written.push(page);
        }
        let written: Vec<&Path> = written.iter().map(PathBuf::as_path).collect();
        let facts = json!({
            "fmu": fmu.display().to_string(),
            "bytes": summary.bytes,
            "guid": summary.guid,
            "points": imported.times.len(),
            "values_compared": direct.series.iter().map(Vec::len).sum::<usize>(),
        });
        text::answer(self.json, &next_steps(&fmu, &model), &written, facts)
    }

    /// The page that contains the solver.
    fn write_live(&self, subject: &page::Subject, model: &Path, library: &[u8], page: &Path) -> Result<(), Failure> {
        let mut simulator = Simulator::new(self.system.clone());
        let source = page::live::Source { text: MODEL, typed: model.display().to_string(), library };
        let begun = simulator.initialize(self.grid.start);
        let text = begun.and_then(|()| page::of_live(subject, &mut simulator, &source));
        output_file::write(page, text.map_err(|fault| Failure::Fault(self.system.describe(&fault)))?)
    }

    /// One line of the report: the step and its result.
    fn line(&self, step: &str, result: &str) -> Result<(), Failure> {
        if self.json { Ok(()) } else { text::say(&format!("{step:<10}{result}\n")) }
    }

    fn file(&self, name: &str, extension: &str) -> PathBuf {
        self.folder.join(format!("{name}.{extension}"))
    }

    fn present_model(&self, file: &Path) -> Result<(), Failure> {
        let report = self.system.report();
        let sizes = [
            text::count(report.bodies, "body"),
            text::count(report.joints, "joint"),
            text::count(report.loops, "loop"),
            text::count(report.dof, "degree of freedom"),
        ];
        let description = &self.document.model.general.description;
        self.line("1 model", &format!("{description}: {}; model file {}", sizes.join(", "), file.display()))
    }

    /// Loads the FMU and steps it through its C functions.
    fn import(&self, path: &Path) -> Result<Recording, Failure> {
        // The FMU is loaded like by a foreign host, not through internal calls.
        let fmu = fmu::open(path)?;
        let mut instance = fmu.instantiate(self.system.name(), false).map_err(fmu::fault)?;
        let loaded =
            format!("{} through the C functions of FMI 2.0, GUID {}", self.system.name(), fmu.description().guid);
        self.line("3 load", &loaded)?;

        // Only the time inside `fmi2DoStep` is measured, not the reading of outputs.
        let mut reader = OutputReader::new(fmu.description());
        let mut outputs = vec![0.0; reader.length()];
        let mut recording = Recording::new(outputs.len(), self.grid.intervals() + 1);
        let mut seconds = 0.0;
        instance.initialize(self.grid.start, Some(self.grid.stop)).map_err(fmu::fault)?;
        let bar = text::progress(self.grid.intervals() as u64, "stepping the FMU");
        for i in 0..=self.grid.intervals() {
            if i > 0 {
                let begin = self.grid.point(i - 1);
                let clock = Instant::now();
                instance.do_step(begin, self.grid.point(i) - begin).map_err(fmu::fault)?;
                seconds += clock.elapsed().as_secs_f64();
            }
            reader.read(&mut instance, &mut outputs).map_err(fmu::fault)?;
            recording.push(self.grid.point(i), &outputs);
            bar.inc(1);
        }
        bar.finish_and_clear();
        instance.terminate().map_err(fmu::fault)?;

        // Report simulated time, steps and computing time.
        let span = self.grid.stop - self.grid.start;
        let steps = text::count(self.grid.intervals(), "communication step");
        self.line(
            "4 step",
            &format!(
                "{span} s in {steps} of {} s ({} points); {} ms of computing, {}",
                text::short(self.grid.step, 6),
                recording.times.len(),
                text::short(1e3 * seconds, 3),
                text::pace(span, seconds)
            ),
        )?;
        Ok(recording)
    }

    /// Simulates without the FMU.
    fn simulate_directly(&self) -> Result<(Recording, page::Recorder), Failure> {
        let mut recording = Recording::new(self.system.interface().outputs.len(), self.grid.intervals() + 1);
        let mut simulator = Simulator::new(self.system.clone());
        let Grid { start, step, stop } = self.grid;
        let mut recorder = page::Recorder::new(self.system.clone(), start, stop, step);
        let (mut clock, inputs) = (Clock::default(), Excitation::default());
        let end =
            simulation::simulate_timed(&mut simulator, &self.grid, &inputs, &mut clock, |time, outputs, simulator| {
                recording.push(time, outputs);
                recorder.look(simulator.state());
                Ok(())
            });
        match end {
            Ok(()) => Ok((recording, recorder)),
            Err(StopReason::Fault(fault)) => Err(Failure::Fault(self.system.describe(&fault))),
            Err(StopReason::Failure(failure)) => Err(failure),
        }
    }

    /// Checks gaps, energy balance, and bitwise equality of the results with and without the FMU.
    fn compare(&self, imported: &Recording, direct: &Recording) -> Result<(), Failure> {
        let interface = self.system.interface();
        // These two outputs should keep their initial values.
        for (name, what) in [("gap", "largest gap of the loop"), ("energy_balance", "energy balance error")] {
            let Some(index) = interface.outputs.iter().position(|output| output.name == name) else { continue };
            let values = &imported.series[index];
            let change = values.iter().map(|value| (value - values[0]).abs()).fold(0.0, f64::max);
            self.line("5 check", &format!("{what} {} {}", text::short(change, 2), interface.outputs[index].unit))?;
        }
        let numbers = direct.series.iter().map(Vec::len).sum::<usize>();
        let pairs = imported.series.iter().flatten().zip(direct.series.iter().flatten());
        let different = pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        if different == 0 && imported.times == direct.times {
            self.line("5 check", &format!("all {numbers} output values match the solver without an FMU bit for bit"))
        } else {
            let message = format!("{different} of {numbers} output values differ between the FMU and the solver");
            Err(Failure::Fault(message))
        }
    }

    fn write_csv(&self, recording: &Recording, path: &Path) -> Result<(), Failure> {
        let names = self.system.interface().outputs.iter().map(|output| output.name.as_str());
        let mut row = vec![0.0; recording.series.len()];
        let write = || {
            let mut csv = CsvWriter::new(Vec::new(), names)?;
            for (i, time) in recording.times.iter().enumerate() {
                row.iter_mut().zip(&recording.series).for_each(|(value, series)| *value = series[i]);
                csv.row(*time, &row)?;
            }
            csv.finish()
        };
        let written = write().map_err(|error: std::io::Error| Failure::file("write", path, error))?;
        output_file::write(path, &written)
    }
}

fn next_steps(fmu: &Path, model: &Path) -> String {
    let program = program();
    let rows = [
        [format!("{program} bench {}", fmu.display()), "step times of the FMU".to_string()],
        [format!("{program} check {}", model.display()), "topology, degrees of freedom, loops".to_string()],
        [format!("{program} run {} --plot out.svg", model.display()), "simulate the model without an FMU".to_string()],
        [format!("{program} export MODEL"), "export your own model.toml as an FMU".to_string()],
    ];
    let rows: Vec<Vec<String>> = rows.map(|row| row.to_vec()).to_vec();
    format!("\nWhat next: import {} in your simulation tool, or try\n{}", fmu.display(), text::table(&rows))
}

/// Command that starts this program: its path if it was built below this folder, otherwise its name.
fn program() -> String {
    let below = || {
        let path = std::env::current_exe().ok()?;
        Some(path.strip_prefix(std::env::current_dir().ok()?).ok()?.display().to_string())
    };
    below().unwrap_or_else(|| "ballesta".to_string())
}
