//! Every FMU of the gallery, stepped through the crate `fmi`: the trajectory has the bits of `ballesta run`.
//!
//! `fmi` unpacks the archive, parses the description with a parser of its own, loads the library by bindings that it
//! generates from the official headers, and calls it. Nothing here uses code of ballesta.
//!
//! Needs the program (`cargo build --release` in the main package; another place is taken from the environment variable
//! BALLESTA). `./test.sh` runs it.

use std::path::{Path, PathBuf};
use std::process::Command;

use fmi::fmi2::import::Fmi2Import;
use fmi::fmi2::instance::{CoSimulation, Common, InstanceCS};
use fmi::fmi2::schema::{Causality, ScalarVariableElement};
use fmi::traits::FmiImport;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the main package is two levels up")
}

/// Runs `ballesta` with `arguments`; it must succeed.
fn ballesta(arguments: &[&str]) {
    let program = std::env::var_os("BALLESTA").map_or_else(|| root().join("target/release/ballesta"), PathBuf::from);
    let output = Command::new(&program).args(arguments).current_dir(root()).output();
    let output = output.unwrap_or_else(|error| panic!("cannot start {}: {error}", program.display()));
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Header and rows of a CSV file.
fn read_csv(path: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = std::fs::read_to_string(path).expect("readable CSV");
    let mut lines = text.lines();
    let header: Vec<String> = lines.next().expect("a header").split(',').map(str::to_string).collect();
    let number = |field: &str| field.parse::<f64>().unwrap_or_else(|_| panic!("`{field}` is not a number"));
    (header, lines.map(|line| line.split(',').map(number).collect()).collect())
}

/// The outputs of an FMU, in the order of its description.
struct Outputs(Vec<(String, u32, Kind)>);

enum Kind {
    Real,
    Integer,
    Boolean,
}

impl Outputs {
    fn of(import: &Fmi2Import) -> Outputs {
        let outputs = import.model_description().get_model_variables().filter(|v| v.causality == Causality::Output);
        let described = outputs.map(|variable| {
            let kind = match variable.elem {
                ScalarVariableElement::Real(_) => Kind::Real,
                ScalarVariableElement::Integer(_) => Kind::Integer,
                ScalarVariableElement::Boolean(_) => Kind::Boolean,
                _ => panic!("{} is of an unexpected type", variable.name),
            };
            (variable.name.clone(), variable.value_reference, kind)
        });
        Outputs(described.collect())
    }

    fn read(&self, instance: &mut InstanceCS, time: f64) -> Vec<f64> {
        let value = |(_, reference, kind): &(String, u32, Kind)| {
            let (mut real, mut integer, mut boolean) = ([0.0], [0], [0]);
            match kind {
                Kind::Real => instance.get_real(&[*reference], &mut real).map(|_| real[0]),
                Kind::Integer => instance.get_integer(&[*reference], &mut integer).map(|_| integer[0] as f64),
                Kind::Boolean => instance.get_boolean(&[*reference], &mut boolean).map(|_| boolean[0] as f64),
            }
            .expect("an output can be read")
        };
        std::iter::once(time).chain(self.0.iter().map(value)).collect()
    }
}

/// Steps the FMU through its default experiment; header and rows as in the CSV of `ballesta run`.
fn simulate(path: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let import: Fmi2Import = fmi::import::from_path(path).expect("the FMU can be imported");
    let experiment = import.model_description().default_experiment.as_ref().expect("a default experiment");
    let (start, stop) = (experiment.start_time.expect("startTime"), experiment.stop_time.expect("stopTime"));
    let step = experiment.step_size.expect("stepSize");
    let outputs = Outputs::of(&import);

    let mut instance = import.instantiate_cs("importer", false, true).expect("an instance");
    assert_eq!(Common::get_version(&instance), "2.0");
    assert_eq!(instance.get_types_platform(), "default");
    instance.setup_experiment(None, start, Some(stop)).expect("fmi2SetupExperiment");
    Common::enter_initialization_mode(&mut instance).expect("fmi2EnterInitializationMode");
    Common::exit_initialization_mode(&mut instance).expect("fmi2ExitInitializationMode");

    let header = std::iter::once("time".to_string()).chain(outputs.0.iter().map(|(name, ..)| name.clone())).collect();
    let mut rows = vec![outputs.read(&mut instance, start)];
    let mut time = start;
    for k in 1..=((stop - start) / step).round() as usize {
        let next = start + k as f64 * step;
        instance.do_step(time, next - time, true).expect("fmi2DoStep");
        time = next;
        rows.push(outputs.read(&mut instance, time));
    }
    Common::terminate(&mut instance).expect("fmi2Terminate");
    (header, rows)
}

#[test]
fn every_fmu_of_the_gallery_has_the_bits_of_the_command_line() {
    let mut models: Vec<PathBuf> = std::fs::read_dir(root().join("models"))
        .expect("the gallery")
        .map(|entry| entry.expect("readable folder").path())
        .filter(|folder| folder.join("model.toml").is_file())
        .collect();
    models.sort();
    assert!(models.len() >= 9, "the gallery has only {} models", models.len());

    for folder in models {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (fmu, csv) = (scratch.join(format!("{name}.fmu")), scratch.join(format!("{name}.csv")));
        let model = folder.to_str().expect("UTF-8 path");
        ballesta(&["export", model, "-o", fmu.to_str().expect("UTF-8 path")]);
        ballesta(&["run", model, "--csv", csv.to_str().expect("UTF-8 path")]);

        let (expected_header, expected) = read_csv(&csv);
        let (header, rows) = simulate(&fmu);
        assert_eq!(header, expected_header, "{name}");
        assert_eq!(rows.len(), expected.len(), "{name}");
        for (row, expected_row) in rows.iter().zip(&expected) {
            for ((column, value), expected_value) in header.iter().zip(row).zip(expected_row) {
                let (bits, expected_bits) = (value.to_bits(), expected_value.to_bits());
                assert_eq!(bits, expected_bits, "{name}, t = {}: {column}: {value} and {expected_value}", row[0]);
            }
        }
        println!("{name}: {} rows of {} outputs, all bits equal", rows.len(), header.len() - 1);
    }
}
