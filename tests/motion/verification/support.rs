//! What the verification tests share: the gallery, running a model, changing a model in memory, reading reference
//! tables.

use crate::models;
use ballesta::math::Vec3;
use ballesta::model::Document;
use ballesta::model::schema::{Model, Number, Output, Quantity};
use ballesta::simulate::Simulator;
use ballesta::system::System;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[path = "../../../examples/four_bar_windows.rs"]
mod windows;

pub use windows::four_bar_windows;

/// The folder of the model gallery.
pub fn models_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("models")
}

/// Names of all rigid models of the gallery, sorted; those with flexible bodies are tested in tests/flexible_gallery,
/// those on tyres, which are more than one file, in tests/vehicles.
pub fn gallery() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(models_folder())
        .expect("the gallery is there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| {
            let tyres = std::fs::read_dir(path).is_ok_and(|files| {
                files.flatten().any(|file| file.path().extension().is_some_and(|extension| extension == "tir"))
            });
            !tyres
                && std::fs::read_to_string(path.join("model.toml"))
                    .is_ok_and(|text| !text.contains("[[flexible_body]]"))
        })
        .map(|path| path.file_name().expect("a folder").to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The text of a gallery model.
pub fn model_text(name: &str) -> String {
    let path = models_folder().join(name).join("model.toml");
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A gallery model as data, to be changed in memory.
pub fn load(name: &str) -> Model {
    models::load(models_folder().join(name)).model
}

/// A model from the text of a file.
pub fn parse(text: &str) -> Model {
    models::parse(text, "model.toml").model
}

/// A compiled system; the parameters have the values of the model.
pub fn compile(model: &Model) -> System {
    let parameters: Vec<f64> = model.parameters.iter().map(|parameter| parameter.value).collect();
    let document = Document {
        model: model.clone(),
        source: Default::default(),
        roms: vec![],
        tyres: vec![],
        height_maps: vec![],
        friction_maps: vec![],
        meshes: Vec::new(),
        files: vec![],
    };
    models::compiled_with(&document, &parameters)
}

/// A model that is being simulated, with its outputs by name.
pub struct Run {
    simulator: Simulator,
    values: Vec<f64>,
    names: HashMap<String, usize>,
}

impl Run {
    /// Compiles `model` and initializes it at its start time.
    pub fn new(model: &Model) -> Run {
        let system = Arc::new(compile(model));
        let names: HashMap<String, usize> =
            system.interface().outputs.iter().enumerate().map(|(i, o)| (o.name.clone(), i)).collect();
        let values = vec![0.0; names.len()];
        let mut run = Run { simulator: Simulator::new(system), values, names };
        run.simulator.initialize(model.experiment.start).unwrap_or_else(|e| panic!("{}: {e}", model.general.name));
        run.refresh();
        run
    }

    /// Steps to `end` and reads the outputs.
    pub fn advance(&mut self, end: f64) {
        if let Err(fault) = self.simulator.advance(end) {
            let system = self.simulator.system();
            panic!("{} at {} s: {}", system.name(), self.simulator.time(), system.describe(&fault));
        }
        self.refresh();
    }

    /// Sets an input at the present time and reads the outputs.
    pub fn set_input(&mut self, name: &str, value: f64) {
        let index = self.input_index(name);
        self.simulator.set_input(index, value);
    }

    /// Sets the slope of an input from the present time on.
    pub fn set_slope(&mut self, name: &str, slope: f64) {
        let index = self.input_index(name);
        self.simulator.set_input_derivative(index, slope);
    }

    fn input_index(&self, name: &str) -> usize {
        let inputs = &self.simulator.system().interface().inputs;
        inputs.iter().position(|input| input.name == name).unwrap_or_else(|| panic!("no input {name}"))
    }

    /// Reads the outputs at the present state and inputs.
    pub fn refresh(&mut self) {
        if let Err(fault) = self.simulator.outputs(&mut self.values) {
            let system = self.simulator.system();
            panic!("{} at {} s: {}", system.name(), self.simulator.time(), system.describe(&fault));
        }
    }

    /// Present time, s.
    pub fn time(&self) -> f64 {
        self.simulator.time()
    }

    /// The simulator itself.
    pub fn simulator(&mut self) -> &mut Simulator {
        &mut self.simulator
    }

    /// An output as last read.
    pub fn get(&self, name: &str) -> f64 {
        self.values[*self.names.get(name).unwrap_or_else(|| panic!("no output {name}"))]
    }

    /// A vector output as last read.
    pub fn vector(&self, name: &str) -> Vec3 {
        Vec3::new(self.get(&format!("{name}.x")), self.get(&format!("{name}.y")), self.get(&format!("{name}.z")))
    }

    /// A quaternion output (w, x, y, z) as last read.
    pub fn quaternion(&self, name: &str) -> [f64; 4] {
        ["w", "x", "y", "z"].map(|component| self.get(&format!("{name}.{component}")))
    }
}

/// An output of `quantity` with nothing else said.
pub fn output(name: impl Into<String>, quantity: Quantity) -> Output {
    Output {
        tyre: None,
        driver: None,
        aerodynamic_drag: None,
        contact: None,
        name: name.into(),
        quantity,
        joint: None,
        coordinate: None,
        body: None,
        point: None,
        spring: None,
        bushing: None,
        constraint: None,
        guided: None,
        drive: None,
        flexible_body: None,
        section: None,
        stress_point: None,
        node: None,
        mode: None,
        component: None,
        axes: Default::default(),
        low_pass: None,
        description: String::new(),
    }
}

/// Adds an output of the whole system.
pub fn add_system_output(model: &mut Model, name: &str, quantity: Quantity) {
    model.outputs.push(output(name, quantity));
}

/// Adds an output of a body's centre of mass, named `prefix.body`.
pub fn add_body_output(model: &mut Model, prefix: &str, body: &str, quantity: Quantity) {
    model.outputs.push(Output { body: Some(body.into()), ..output(format!("{prefix}.{body}"), quantity) });
}

/// Names of the bodies.
pub fn body_names(model: &Model) -> Vec<String> {
    model.bodies.iter().map(|body| body.name.clone()).collect()
}

/// A number of the model; parameters have their value of the file.
pub fn number(model: &Model, number: &Number) -> f64 {
    match number {
        Number::Value(value) => *value,
        Number::Parameter(name) => {
            let parameter = model.parameters.iter().find(|p| p.name == *name);
            let input = model.inputs.iter().find(|i| i.name == *name).map(|i| i.start);
            parameter.map(|p| p.value).or(input).unwrap_or_else(|| panic!("no parameter or input {name}"))
        }
    }
}

/// Three numbers of the model.
pub fn vector(model: &Model, v: &[Number; 3]) -> Vec3 {
    Vec3::new(number(model, &v[0]), number(model, &v[1]), number(model, &v[2]))
}

/// Three numbers for the model.
pub fn numbers(v: Vec3) -> [Number; 3] {
    [v.x.into(), v.y.into(), v.z.into()]
}

/// Output times of the model's experiment, without the start.
pub fn output_times(model: &Model) -> Vec<f64> {
    times(model.experiment.start, model.experiment.stop, model.experiment.step.unwrap_or(model.general.step))
}

/// start + interval, start + 2 interval, … up to `stop`.
pub fn times(start: f64, stop: f64, interval: f64) -> Vec<f64> {
    let count = ((stop - start) / interval).round() as usize;
    (1..=count).map(|i| start + i as f64 * interval).collect()
}

/// A reference table: column names and rows.
pub struct Table {
    columns: Vec<String>,
    pub rows: Vec<Vec<f64>>,
}

impl Table {
    /// Reads `tests/reference/<file>`.
    pub fn read(file: &str) -> Table {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut lines = text.lines();
        let columns = lines.next().expect("a header").split(',').map(str::to_owned).collect();
        let rows = lines.map(|line| line.split(',').map(|word| word.parse().expect("a number")).collect()).collect();
        Table { columns, rows }
    }

    /// Index of a column.
    pub fn column(&self, name: &str) -> usize {
        self.columns.iter().position(|column| column == name).unwrap_or_else(|| panic!("no column {name}"))
    }
}

/// Difference of two angles, brought into (−π, π].
pub fn angle_difference(a: f64, b: f64) -> f64 {
    let d = (a - b).rem_euclid(std::f64::consts::TAU);
    if d > std::f64::consts::PI { d - std::f64::consts::TAU } else { d }
}

/// Runs `work` for every item on as many threads as the machine has cores and returns the results in order.
pub fn in_parallel<T: Send + Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    *results[i].lock().expect("not poisoned") = Some(work(item));
                }
            });
        }
    });
    results.into_iter().map(|slot| slot.into_inner().expect("not poisoned").expect("every item was done")).collect()
}
