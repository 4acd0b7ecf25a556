//! FMI 3.0: vectors are arrays, of which every value is a column.
//!
//! The crate's parser refuses attributes of `Float64` that the standard has and it does not know (fmi-schema 0.8.0:
//! "unknown field `unit`"). So it gets the FMU with a description that lacks [`UNKNOWN`]; everything else is as
//! exported.

use std::fs::File;
use std::io::{Cursor, Read, Write};
use std::path::Path;

use fmi::fmi3::import::Fmi3Import;
use fmi::fmi3::instance::InstanceCS;
use fmi::fmi3::schema::{ArrayableVariableTrait, Causality, Dimension, Variable};
use fmi::fmi3::{CoSimulation, Common, Fmi3Model, GetSet};
use fmi::traits::FmiImport;

use super::Trajectory;

/// The outputs of an FMU, in the order of its description: name, value reference, kind, number of values.
struct Outputs(Vec<(String, u32, Kind, usize)>);

enum Kind {
    Float64,
    Int32,
    Boolean,
}

impl Outputs {
    fn of(import: &Fmi3Import) -> Outputs {
        let variables = &import.model_description().model_variables.variables;
        let described = variables.iter().filter_map(|variable| match variable {
            Variable::Float64(variable) => Outputs::output(variable, Kind::Float64),
            Variable::Int32(variable) => Outputs::output(variable, Kind::Int32),
            Variable::Boolean(variable) => Outputs::output(variable, Kind::Boolean),
            _ => panic!("a variable of an unexpected type"),
        });
        Outputs(described.collect())
    }

    fn output(variable: &impl ArrayableVariableTrait, kind: Kind) -> Option<(String, u32, Kind, usize)> {
        let size = |dimension: &Dimension| dimension.as_fixed().expect("a fixed size") as usize;
        let length = variable.dimensions().iter().map(size).product();
        let described = || (variable.name().to_string(), variable.value_reference(), kind, length);
        (variable.causality() == Causality::Output).then(described)
    }

    /// The name of an array once per value.
    fn header(&self) -> Vec<String> {
        let names = self.0.iter().flat_map(|(name, _, _, length)| std::iter::repeat_n(name.clone(), *length));
        std::iter::once("time".to_string()).chain(names).collect()
    }

    fn read(&self, instance: &mut InstanceCS, time: f64) -> Vec<f64> {
        let mut row = vec![time];
        for (name, reference, kind, length) in &self.0 {
            match kind {
                Kind::Float64 => {
                    let mut values = vec![0.0; *length];
                    instance.get_float64(&[*reference], &mut values).unwrap_or_else(|_| panic!("{name} can be read"));
                    row.extend(values);
                }
                Kind::Int32 => {
                    let mut values = vec![0; *length];
                    instance.get_int32(&[*reference], &mut values).unwrap_or_else(|_| panic!("{name} can be read"));
                    row.extend(values.into_iter().map(f64::from));
                }
                Kind::Boolean => {
                    let mut values = vec![false; *length];
                    instance.get_boolean(&[*reference], &mut values).unwrap_or_else(|_| panic!("{name} can be read"));
                    row.extend(values.into_iter().map(|value| f64::from(u8::from(value))));
                }
            }
        }
        row
    }
}

/// Attributes of a variable that the crate does not know.
const UNKNOWN: [&str; 5] = ["unit", "displayUnit", "nominal", "quantity", "declaredType"];

/// The FMU, its description without the attributes that the crate does not know.
fn readable(path: &Path) -> Cursor<Vec<u8>> {
    let mut given = zip::ZipArchive::new(File::open(path).expect("the FMU is there")).expect("an archive");
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for i in 0..given.len() {
        if given.by_index(i).expect("an entry").name() == "modelDescription.xml" {
            let mut text = String::new();
            given.by_index(i).expect("an entry").read_to_string(&mut text).expect("a description in UTF-8");
            let stripped: Vec<String> = text.lines().map(strip).collect();
            archive.start_file("modelDescription.xml", zip::write::SimpleFileOptions::default()).expect("an entry");
            archive.write_all(stripped.join("\n").as_bytes()).expect("memory");
        } else {
            archive.raw_copy_file(given.by_index_raw(i).expect("an entry")).expect("a copy");
        }
    }
    archive.finish().expect("an archive")
}

/// A line of the description without the unknown attributes of a variable.
fn strip(line: &str) -> String {
    let mut line = line.to_string();
    if !line.trim_start().starts_with("<Float64 ") {
        return line;
    }
    for attribute in UNKNOWN {
        if let Some(begin) = line.find(&format!(" {attribute}=\"")) {
            let value = begin + attribute.len() + 3;
            let end = value + line[value..].find('"').expect("the value ends");
            line.replace_range(begin..=end, "");
        }
    }
    line
}

/// Steps the FMU through its default experiment; header and rows as in the CSV of `ballesta run`.
pub fn simulate(path: &Path) -> Trajectory {
    let import: Fmi3Import = fmi::import::new(readable(path)).expect("the FMU can be imported");
    let experiment = import.model_description().default_experiment.as_ref().expect("a default experiment");
    let (start, stop) = (experiment.start_time.expect("startTime"), experiment.stop_time.expect("stopTime"));
    let step = experiment.step_size.expect("stepSize");
    let outputs = Outputs::of(&import);

    let mut instance = import.instantiate_cs("importer", false, true, false, false, &[]).expect("an instance");
    assert_eq!(Common::get_version(&instance), "3.0");
    instance.enter_initialization_mode(None, start, Some(stop)).expect("fmi3EnterInitializationMode");
    instance.exit_initialization_mode().expect("fmi3ExitInitializationMode");

    let mut rows = vec![outputs.read(&mut instance, start)];
    let mut time = start;
    for k in 1..=((stop - start) / step).round() as usize {
        let next = start + k as f64 * step;
        let (mut event, mut end, mut early, mut last) = (false, false, false, 0.0);
        let done = instance.do_step(time, next - time, true, &mut event, &mut end, &mut early, &mut last);
        done.expect("fmi3DoStep");
        assert_eq!((event, end, early, last), (false, false, false, next));
        time = next;
        rows.push(outputs.read(&mut instance, time));
    }
    instance.terminate().expect("fmi3Terminate");
    (outputs.header(), rows)
}
