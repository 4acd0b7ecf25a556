//! Fuzzing targets: one function of bytes per kind of input.
//!
//! The rule: the function returns for any bytes. Input is rejected with diagnostics that can be printed, or accepted. A
//! fault of a step is a value; the outputs of an accepted model after steps without a fault are finite. Anything else
//! panics here.

use ballesta::compile;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ballesta::force::road::Surface;
use ballesta::force::road::grid::HeightGrid;
use ballesta::model::{self, Diagnostics, height_map};
use ballesta::rom;
use ballesta::simulate::Simulator;
use ballesta::system::{Fault, Interface, System};
use ballesta::topology::groups::{Adjacency, analyse};
use ballesta::tyre::{Input, Law, Side, VerticalInput};
use ballesta_fem::comparison;
use ballesta_fem::export::simscape::{Padding, SimscapeSolid};
use ballesta_fem::export::state_space::{Options, StateSpace};
use ballesta_fem::export::to_toml;
use ballesta_fem::reduce::{expected_modes, provenance, settings};
use ballesta_fem::reduction::{Reducer, Reduction};
use ballesta_fem::structure::{self, Structure};
use ballesta_package::importer::Description;
use ballesta_package::importer::unpacking::Unpacked;
use ballesta_run::driven_inputs::DrivenInputs;
use ballesta_run::{Inputs, adjacency, recovered_run};
use ballesta_study::{Rows, Status, Study};
use ballesta_vehicle::manoeuvre::{Course, Manoeuvre};

use super::{exchange, fmu};

/// Mutation of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// At their tokens, by [`super::mutation::text`].
    Text,
    /// At the headers of a ZIP archive, by [`super::mutation::archive`].
    Archive,
    /// At bytes and words.
    Bytes,
}

/// One kind of input.
pub struct Target {
    /// Name of the target, of its corpus and of its file in `fuzz_targets/`.
    pub name: &'static str,
    /// Mutation of its inputs.
    pub form: Form,
    /// Longest input, bytes: room for the files of the gallery, but no more, because short inputs run faster.
    pub longest: usize,
    /// The function that is called.
    pub run: fn(&[u8]),
}

/// All targets.
pub const ALL: [Target; 17] = [
    Target { name: "model", form: Form::Text, longest: 16 << 10, run: model },
    Target { name: "structure", form: Form::Text, longest: 12 << 10, run: structure },
    Target { name: "rom", form: Form::Text, longest: 48 << 10, run: rom },
    Target { name: "recovery", form: Form::Text, longest: 96 << 10, run: recovery },
    Target { name: "matrices", form: Form::Text, longest: 32 << 10, run: matrices },
    Target { name: "tyre", form: Form::Text, longest: 12 << 10, run: tyre },
    Target { name: "inputs", form: Form::Text, longest: 12 << 10, run: inputs },
    Target { name: "height_map", form: Form::Text, longest: 4 << 10, run: height_map },
    Target { name: "mesh", form: Form::Bytes, longest: 2 << 10, run: mesh },
    Target { name: "adjacency", form: Form::Text, longest: 4 << 10, run: adjacency },
    Target { name: "manoeuvre", form: Form::Text, longest: 8 << 10, run: manoeuvre },
    Target { name: "study", form: Form::Text, longest: 4 << 10, run: study },
    Target { name: "fmu_archive", form: Form::Archive, longest: 16 << 10, run: fmu_archive },
    Target { name: "fmu_description", form: Form::Text, longest: 12 << 10, run: fmu_description },
    Target { name: "fmu_state", form: Form::Bytes, longest: 16 << 10, run: fmu::state },
    Target { name: "fmu_calls", form: Form::Bytes, longest: 1 << 10, run: fmu::calls },
    Target { name: "fmu_exchange", form: Form::Bytes, longest: 1 << 10, run: exchange::calls },
];

/// Communication steps of an accepted model.
const STEPS: usize = 3;
/// Largest number of communication points and largest length in s of a study's run that is executed.
const MAX_POINTS: usize = 500;
const MAX_RUN_S: f64 = 2.5;
/// Largest number of elements of a structure that is assembled.
const MAX_ELEMENTS: usize = 400;
/// Largest number of degrees of freedom and of modes of a structure that is reduced.
const MAX_DOFS: usize = 150;
const MAX_MODES: usize = 20;

/// Meshes of shapes, by every reader.
pub fn mesh(bytes: &[u8]) {
    for ending in ["stl", "obj", "glb"] {
        match ballesta_mesh::parse(ending, bytes, Some(Path::new(""))) {
            Ok(mesh) => {
                assert!(mesh.corners.iter().flatten().all(|x| x.is_finite()));
                assert!(mesh.triangles.iter().flatten().all(|corner| (*corner as usize) < mesh.corners.len()));
            }
            Err((found, expected)) => assert!(!found.is_empty() && !expected.is_empty()),
        }
    }
}

/// Root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().find(|folder| folder.join("models").is_dir()).unwrap_or(here).to_path_buf()
}

/// The text, if the bytes are valid text.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The folder that the first line names, `# folder models/van`, if it is in the repository: it contains the files that
/// the text names.
fn folder(text: &str) -> PathBuf {
    let named = text.lines().next().and_then(|line| line.strip_prefix("# folder "));
    let inside = named.filter(|name| name.split('/').all(|part| !part.is_empty() && part != ".."));
    root().join(inside.unwrap_or("models"))
}

/// Accepted input; a rejection must give a reason.
fn accepted<T>(result: Result<T, Diagnostics>) -> Option<T> {
    result.map_err(|errors| assert!(!errors.to_string().trim().is_empty(), "refused without a reason")).ok()
}

/// Text of a model file: read, compiled, started and stepped.
pub fn model(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let file = folder(text).join("model.toml");
    let Some(document) = accepted(model::parse(text, &file.display().to_string())) else { return };
    let values: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
    if let Some(system) = accepted(compile::compile(&document, &values)) {
        simulate(system);
    }
}

/// A few steps of an accepted model with inputs of everyday size, derivatives of its outputs, and a step that is
/// repeated.
fn simulate(system: System) {
    let mut simulator = Simulator::new(Arc::new(system));
    if let Err(fault) = steps(&mut simulator) {
        assert!(!simulator.describe(&fault).is_empty(), "a fault without a reason");
    }
}

fn steps(simulator: &mut Simulator) -> Result<(), Fault> {
    let (start, step) = (simulator.time(), simulator.system().step());
    let inputs: Vec<usize> = (0..simulator.system().interface().inputs.len()).collect();
    let mut outputs = vec![f64::NAN; simulator.system().interface().outputs.len()];
    simulator.initialize(start)?;
    simulator.outputs(&mut outputs)?;
    inputs.iter().for_each(|&index| simulator.set_input(index, 0.5));
    for count in 1..STEPS {
        simulator.advance(start + count as f64 * step)?;
        simulator.outputs(&mut outputs)?;
        assert!(outputs.iter().all(|output| output.is_finite()), "outputs after good steps: {outputs:?}");
    }
    let (state, judgement) = (simulator.state().clone(), *simulator.judgement());
    let once = last_step(simulator, start + STEPS as f64 * step)?;
    simulator.output_derivatives(&mut outputs)?;
    simulator.directional_derivative(&inputs, &vec![1.0; inputs.len()], &mut outputs)?;
    simulator.set_state(&state);
    simulator.set_judgement(&judgement);
    simulator.poison_workspace();
    let again = last_step(simulator, start + STEPS as f64 * step)?;
    assert_eq!(once, again, "the same step from the same state, with scratch memory full of NaN");
    Ok(())
}

/// The bits of the outputs after a step.
fn last_step(simulator: &mut Simulator, end: f64) -> Result<Vec<u64>, Fault> {
    let mut outputs = vec![f64::NAN; simulator.system().interface().outputs.len()];
    simulator.advance(end)?;
    simulator.outputs(&mut outputs)?;
    Ok(outputs.into_iter().map(f64::to_bits).collect())
}

/// Text of a structure file: read and, when it is small, built and reduced.
pub fn structure(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let file = folder(text).join("structure.toml");
    if let Some(structure) = accepted(structure::parse(text, &file.display().to_string())) {
        reduce(&structure);
    }
}

/// Builds and reduces an accepted structure. It must be possible to write an accepted structure.
fn reduce(structure: &Structure) {
    let elements = structure.file.beams.iter().map(|beam| beam.divisions).fold(0, usize::saturating_add);
    if elements > MAX_ELEMENTS {
        return;
    }
    let Some(model) = accepted(structure::build(structure)) else { return };
    let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
    assert!(finite(model.stiffness.compressed().2), "stiffness of an accepted structure");
    assert!(finite(model.mass.compressed().2), "mass of an accepted structure");
    let Ok((settings, _)) = settings(structure, &model) else { return };
    if model.size() > MAX_DOFS || expected_modes(&settings) > MAX_MODES.max(model.size()) {
        return;
    }
    let reduced = Reducer::new(&model).and_then(|reducer| {
        let source = provenance(structure, &model).expect("the files were read before");
        reducer.reduce(&settings, source)
    });
    match reduced {
        Ok(Reduction { rom, .. }) if !finite(&rom.matrices.stiffness) => panic!("stiffness of a reduced model"),
        Ok(reduction) => {
            let written = to_toml(&reduction.rom);
            // The command rejects output that could not be read again.
            accepted(rom::parse(&written, "fuzzed.rom.toml"));
            drop(comparison::compare(&model, &reduction, 3));
        }
        Err(refusal) => assert!(!refusal.found.is_empty(), "refused without a reason"),
    }
}

/// Text of a recovery file: read and given to the model of its seed. An accepted file compiles and has finite stresses.
pub fn recovery(bytes: &[u8]) {
    static MODEL: OnceLock<model::Document> = OnceLock::new();
    let load = || accepted(model::load(&root().join("models/stiff_bar"))).expect("of the gallery");
    let mut document = MODEL.get_or_init(load).clone();
    let Some(text) = text(bytes) else { return };
    let Some((read, source)) = accepted(ballesta_files::recovery::parse(text, "fuzzed.recovery.toml")) else { return };
    let Some(taken) = accepted(recovered_run::give(&mut document, &read, &source)) else { return };
    let names: Vec<String> = read.nodes.iter().take(2).map(|node| node.name.clone()).collect();
    let values = document.model.parameter_values();
    if recovered_run::add_outputs(&mut document, &taken, &names, &values).is_err() {
        return;
    }
    let Some(system) = accepted(compile::compile(&document, &values)) else { return };
    let mut simulator = Simulator::new(Arc::new(system));
    let mut out = vec![0.0; simulator.system().interface().outputs.len()];
    if simulator.initialize(0.0).is_ok() && simulator.outputs(&mut out).is_ok() {
        assert!(out.iter().all(|value| value.is_finite()), "outputs of an accepted recovery file");
    }
}

/// Text of a reduced-order model: read, written and read again, exported.
pub fn rom(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let Some(model) = accepted(rom::parse(text, "fuzzed.rom.toml")) else { return };
    let written = to_toml(&model);
    let again = accepted(rom::parse(&written, "again.rom.toml")).expect("what was written is read");
    assert_eq!(to_toml(&again), written, "a model written and read is the same");
    if let Ok(modes) = model.elastic_modes() {
        assert!(modes.omega.iter().all(|omega| omega.is_finite()), "frequencies of an accepted model");
    }
    if let Ok(space) = StateSpace::new(&model, &Options::default()) {
        assert!(!space.to_matlab().is_empty() && !space.to_toml().is_empty());
    }
    for padding in [Padding::Rigid, Padding::Unit] {
        if let Ok(solid) = SimscapeSolid::new(&model, padding) {
            assert!(!solid.to_matlab().is_empty());
            let frequencies = solid.free_frequencies_hz().unwrap_or_default();
            assert!(frequencies.iter().all(|hz| hz.is_finite()), "frequencies of an exported model");
        }
    }
}

/// Line that separates the files of an input of [`matrices`]; the name of the next one follows.
pub const NEXT_FILE: &str = "=== ";

/// A structure file with a table `[matrices]` and its files, each after a line [`NEXT_FILE`] with its name.
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
        reduce(&structure);
    }
    fs::remove_dir_all(folder).expect("the files are removed");
}

/// A tyre file: read, and the forces of the tyre.
pub fn tyre(bytes: &[u8]) {
    let Some(properties) = accepted(ballesta::model::tir::read(&ballesta::model::tir::decode(bytes), "fuzzed.tir"))
    else {
        return;
    };
    for side in [Side::Left, Side::Right] {
        let law = Law::new(&properties, side);
        for load in [0.0, 1e-3, 1.0, 3.0] {
            let load = load * law.nominal_load();
            for (kappa, alpha, gamma) in
                [(0.0, 0.0, 0.0), (0.1, -0.1, 0.05), (-1.0, 1.0, -0.3), (1e-9, 0.0, 0.0), (1e3, -1.5, 1.5)]
            {
                expect_finite_forces(&law, Input { kappa, alpha, gamma, ..law.straight_ahead(load) });
            }
        }
        let standing = Input { speed: 0.0, rolling: law.rolling(0.0), ..law.straight_ahead(law.nominal_load()) };
        expect_finite_forces(&law, standing);
        let deflection = law.static_deflection(law.nominal_load(), law.pressure());
        assert!(deflection.is_finite(), "deflection of an accepted tyre");
    }
}

fn expect_finite_forces(law: &Law, input: Input) {
    let output = law.forces(&input);
    let forces = [output.fx, output.fy, output.mx, output.my, output.mz];
    assert!(forces.iter().all(|force| force.is_finite()), "forces of an accepted tyre: {forces:?} at {input:?}");
    let (gamma, pressure) = (input.gamma, input.pressure);
    let state = VerticalInput { spin: 50.0, fx: output.fx, fy: output.fy, gamma, pressure };
    for (deflection, rate) in [(0.02, 0.1), (-0.1, 0.0), (0.5, -10.0)] {
        let vertical = law.vertical(deflection, rate, &state);
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
        compile::compile(&document, &values).expect("the van compiles").interface().clone()
    });
    let Some(inputs) = accepted(Inputs::parse(text, "fuzzed.csv", interface)) else { return };
    for time in [f64::MIN, -1.0, 0.0, 0.5, 1.0, 2.0, 1e9, f64::MAX] {
        for (index, value) in inputs.values(time, 1e-12) {
            assert!(value.is_finite(), "input {index} at {time} s is {value}");
        }
        inputs.visit(time, time + 1e-3, 1e-12, &mut |_, _, _| ());
        let _ =
            (inputs.next_row(time, time + 1.0), inputs.next_jump(time, time + 1.0), inputs.closest(1e-3, [0.0, 1.0]));
    }
}

/// A height map: read, and the road evaluated at some positions.
pub fn height_map(bytes: &[u8]) {
    let crg = bytes.starts_with(b"$");
    if let Some(map) = accepted(height_map::parse(bytes, if crg { "fuzzed.crg" } else { "fuzzed.csv" }, crg)) {
        let grid = HeightGrid::new(&map, [0.0; 2], 0.0);
        let places = |axis: usize| {
            let (first, spacing) = (map.origin[axis], map.spacing[axis]);
            let last = first + spacing * (map.points[axis] - 1) as f64;
            [f64::MIN, -1e9, first - spacing, first, first + 0.3 * spacing, last, last + 0.7 * spacing, f64::MAX]
        };
        for (x, y) in places(0).into_iter().flat_map(|x| places(1).map(|y| (x, y))) {
            let mut at = Surface::default();
            grid.add(x, y, &mut at);
            let finite = [at.height, at.slope_x, at.slope_y].iter().all(|value| value.is_finite());
            assert!(finite, "an accepted road at {x}, {y}: {at:?}");
        }
    }
}

/// A file with an adjacency matrix: read and divided into groups.
pub fn adjacency(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Some(chain) = accepted(adjacency::parse(text, "fuzzed.toml")) {
        let structure = analyse(&Adjacency::new(&chain.codes(), chain.ground_link()));
        let _ = structure.is_determined();
    }
}

/// A manoeuvre: read, and its signals evaluated.
pub fn manoeuvre(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Some(manoeuvre) = accepted(Manoeuvre::parse(text, "manoeuvre.toml")) else { return };
    for signal in &manoeuvre.file.signals {
        let course = Course::new(signal);
        for time in [0.0, 1.0, 1.1, 2.5, 1e3] {
            assert!(course.value(time, false, 0.0).abs() <= 1e6 || signal.points.is_some(), "{signal:?} at {time}");
        }
    }
}

/// A study of a model of the gallery: read, and its first run executed if that is short. Its stored results are finite
/// or missing, and can be restored from bytes.
pub fn study(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let file = folder(text).join("study.toml");
    let Some(study) = accepted(Study::parse(text, &file.display().to_string())) else { return };
    for run in [0, study.runs() / 2, study.runs() - 1] {
        assert!(study.point(run).iter().all(|value| value.is_finite()), "factors of run {run}: {:?}", study.point(run));
    }
    let grid = study.grid();
    if grid.intervals() > MAX_POINTS || grid.stop - grid.start > MAX_RUN_S {
        return;
    }
    let rows = study.work(0..study.runs().min(2), || false);
    for row in rows.rows() {
        assert!(row.numbers.iter().all(|number| !number.is_infinite()), "{row:?}");
        assert_eq!(row.reason.is_empty(), row.status == Status::Done, "{row:?}");
    }
    let bytes = rows.to_bytes();
    let back = Rows::from_bytes(&bytes, &study).expect("rows of this study");
    assert_eq!(back.to_bytes(), bytes);
}

/// The archive of an FMU: unpacked into a temporary folder, and its description read.
pub fn fmu_archive(bytes: &[u8]) {
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
