//! What is fuzzed: one function of bytes per kind of input.
//!
//! The rule: whatever the bytes, the function returns. Input is refused with diagnostics that can be printed, or taken; a fault of a
//! step is a value; what an accepted model puts out after steps without a fault is finite. Anything else panics here.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ballesta::cli::Inputs;
use ballesta::fem::structure;
use ballesta::force::road::grid::HeightGrid;
use ballesta::importer::Description;
use ballesta::importer::archive::Unpacked;
use ballesta::model::{self, Diagnostics, adjacency, height_map};
use ballesta::rom;
use ballesta::rom::state_space::{Options, StateSpace};
use ballesta::simulate::Simulator;
use ballesta::system::{Interface, System};
use ballesta::topology::groups::{Adjacency, analyse};
use ballesta::tyre::{self, Input, Law, Side, VerticalInput};

use super::fmu;

/// One kind of input.
pub struct Target {
    /// Name of the target, of its corpus and of its file in `fuzz_targets/`.
    pub name: &'static str,
    /// Whether the input is a text, so that [`super::mutation::text`] suits it.
    pub is_text: bool,
    /// What is called.
    pub run: fn(&[u8]),
}

/// All targets.
pub const ALL: [Target; 12] = [
    Target { name: "model", is_text: true, run: model },
    Target { name: "structure", is_text: true, run: structure },
    Target { name: "rom", is_text: true, run: rom },
    Target { name: "matrices", is_text: true, run: matrices },
    Target { name: "tyre", is_text: true, run: tyre },
    Target { name: "inputs", is_text: true, run: inputs },
    Target { name: "height_map", is_text: true, run: height_map },
    Target { name: "adjacency", is_text: true, run: adjacency },
    Target { name: "fmu_archive", is_text: false, run: fmu_archive },
    Target { name: "fmu_description", is_text: true, run: fmu_description },
    Target { name: "fmu_state", is_text: false, run: fmu::state },
    Target { name: "fmu_calls", is_text: false, run: fmu::calls },
];

/// Longest input, bytes.
pub const LONGEST: usize = 1 << 16;
/// Communication steps of an accepted model.
const STEPS: usize = 3;
/// Elements of a structure that are worth the time of its assembly.
const MOST_ELEMENTS: usize = 2000;

/// Root of the repository.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    if here.ends_with("fuzz") { here.parent().map_or(here.clone(), PathBuf::from) } else { here }
}

/// A text of at most [`LONGEST`] bytes.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| text.len() <= LONGEST)
}

/// The folder that the first line names, `# folder models/van`, of those in the repository: there the files lie that the text names.
fn folder(text: &str) -> PathBuf {
    let named = text.lines().next().and_then(|line| line.strip_prefix("# folder "));
    let inside = named.filter(|name| name.split('/').all(|part| !part.is_empty() && part != ".."));
    root().join(inside.unwrap_or("models"))
}

/// What was accepted; a refusal must say why.
fn accepted<T>(result: Result<T, Diagnostics>) -> Option<T> {
    result.map_err(|errors| assert!(!errors.to_string().trim().is_empty(), "refused without a reason")).ok()
}

/// Text of a model file: read, compiled, started and stepped.
pub fn model(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let file = folder(text).join("model.toml");
    let Some(document) = accepted(model::parse(text, &file.display().to_string())) else { return };
    let values: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
    if let Some(system) = accepted(System::compile(&document, &values)) {
        simulate(system);
    }
}

/// A few steps of an accepted model, with inputs of everyday size.
fn simulate(system: System) {
    let step = system.step();
    let inputs = system.interface().inputs.len();
    let mut simulator = Simulator::new(Arc::new(system));
    let start = simulator.time();
    let mut outputs = vec![f64::NAN; simulator.system().interface().outputs.len()];
    let mut run = || {
        simulator.initialize(start)?;
        simulator.outputs(&mut outputs)?;
        (0..inputs).for_each(|index| simulator.set_input(index, 0.5));
        for count in 1..=STEPS {
            simulator.advance(start + count as f64 * step)?;
            simulator.outputs(&mut outputs)?;
            assert!(outputs.iter().all(|output| output.is_finite()), "outputs after good steps: {outputs:?}");
        }
        Ok(())
    };
    if let Err(fault) = run() {
        assert!(!simulator.describe(&fault).is_empty(), "a fault without a reason");
    }
}

/// Text of a structure file: read and, when it is small, built.
pub fn structure(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let file = folder(text).join("structure.toml");
    let Some(structure) = accepted(structure::parse(text, &file.display().to_string())) else { return };
    let elements = structure.file.beams.iter().map(|beam| beam.divisions).fold(0, usize::saturating_add);
    if elements > MOST_ELEMENTS {
        return;
    }
    if let Some(model) = accepted(structure::build(&structure)) {
        assert!(
            model.stiffness.compressed().2.iter().all(|value| value.is_finite()),
            "stiffness of an accepted structure"
        );
    }
}

/// Text of a reduced-order model: read, written and read again, exported.
pub fn rom(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let Some(model) = accepted(rom::parse(text, "fuzzed.rom.toml")) else { return };
    let written = model.to_toml();
    let again = accepted(rom::parse(&written, "again.rom.toml")).expect("what was written is read");
    assert_eq!(again.to_toml(), written, "a model written and read is the same");
    if let Ok(modes) = model.elastic_modes() {
        assert!(modes.omega.iter().all(|omega| omega.is_finite()), "frequencies of an accepted model");
    }
    if let Ok(space) = StateSpace::new(&model, &Options::default()) {
        assert!(!space.to_matlab().is_empty());
    }
}

/// Line that separates the files of an input of [`matrices`]; the name of the next one follows.
pub const NEXT_FILE: &str = "=== ";

/// A structure file with a table `[matrices]` and the files beside it, each behind a line [`NEXT_FILE`] with its name.
pub fn matrices(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let folder = std::env::temp_dir().join(format!("ballesta-fuzz-matrices-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the files");
    for part in text.split(NEXT_FILE) {
        let (name, content) = part.split_once('\n').unwrap_or((part, ""));
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._".contains(&byte);
        if !name.is_empty() && name.len() < 50 && !name.starts_with('.') && name.bytes().all(plain) {
            fs::write(folder.join(name), content).expect("a file is written");
        }
    }
    if let Some(structure) = accepted(structure::load(&folder.join("structure.toml"))) {
        accepted(structure::build(&structure));
    }
    fs::remove_dir_all(folder).expect("the files are removed");
}

/// A tyre file: read, and the forces of the tyre.
pub fn tyre(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    let Some(properties) = accepted(tyre::read(&tyre::decode(bytes), "fuzzed.tir")) else { return };
    let law = Law::new(&properties, Side::Left);
    for (load, kappa, alpha) in [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.1, -0.1), (3.0, -1.0, 1.0)] {
        let load = load * law.nominal_load();
        let input = Input { kappa, alpha, gamma: 0.05, ..law.straight_ahead(load) };
        let output = law.forces(&input);
        let forces = [output.fx, output.fy, output.mx, output.my, output.mz];
        assert!(forces.iter().all(|force| force.is_finite()), "forces of an accepted tyre: {forces:?} at {input:?}");
        let state = VerticalInput { spin: 50.0, fx: output.fx, fy: output.fy, gamma: 0.05, pressure: 0.0 };
        let vertical = law.vertical(0.02, 0.1, &state);
        assert!(vertical.force.is_finite(), "load of an accepted tyre: {vertical:?}");
    }
}

/// An input file, against the interface of a vehicle with a driver.
pub fn inputs(bytes: &[u8]) {
    static INTERFACE: OnceLock<Interface> = OnceLock::new();
    let Some(text) = text(bytes) else { return };
    let interface = INTERFACE.get_or_init(|| {
        let document = model::load(&root().join("models/van")).expect("the van is right");
        let values: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
        System::compile(&document, &values).expect("the van compiles").interface().clone()
    });
    let Some(inputs) = accepted(Inputs::parse(text, "fuzzed.csv", interface)) else { return };
    for time in [f64::MIN, -1.0, 0.0, 0.5, 1.0, 2.0, 1e9, f64::MAX] {
        for (index, value) in inputs.values(time) {
            assert!(value.is_finite(), "input {index} at {time} s is {value}");
        }
        inputs.slopes(time, time + 1e-3).for_each(drop);
    }
}

/// A height map: read, and the road at some places.
pub fn height_map(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Some(map) = accepted(height_map::parse(text, "fuzzed.csv")) {
        drop(HeightGrid::new(&map));
    }
}

/// A file with an adjacency matrix: read and taken apart into groups.
pub fn adjacency(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Some(chain) = accepted(adjacency::parse(text, "fuzzed.toml")) {
        let structure = analyse(&Adjacency::new(&chain.codes(), chain.ground_link()));
        let _ = structure.is_determined();
    }
}

/// The archive of an FMU: unpacked into a folder that vanishes, and its description read.
pub fn fmu_archive(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    let file = std::env::temp_dir().join(format!("ballesta-fuzz-archive-{}.fmu", std::process::id()));
    fs::write(&file, bytes).expect("a file is written");
    match Unpacked::new(&file) {
        Ok(unpacked) => {
            let text = fs::read_to_string(unpacked.folder().join("modelDescription.xml"));
            fmu_description(text.unwrap_or_default().as_bytes());
        }
        Err(error) => assert!(!error.to_string().is_empty(), "refused without a reason"),
    }
    fs::remove_file(file).expect("the file is removed");
}

/// Text of `modelDescription.xml`.
pub fn fmu_description(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    match Description::read(text) {
        Ok(description) => description.variables.iter().for_each(|variable| {
            assert!(description.variable(&variable.name).is_some());
        }),
        Err(error) => assert!(!error.to_string().is_empty(), "refused without a reason"),
    }
}
