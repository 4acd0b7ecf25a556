//! What `ballesta export` puts into an FMU, seen from outside: description, archive, reference trajectory, refusals.
//!
//! The libraries packed here are shells with a right header, filled with noise;
//! `crates/package/tests/package/importer.rs` packs a real one and runs it.

use ballesta::compile;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ballesta::model::{self, Document};
use ballesta::simulate::Simulator;
use ballesta_package::reference::communication_points;
use ballesta_package::{Package, PackageError, Platform, Version, export};
use zip::{CompressionMethod, DateTime, ZipArchive};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A model of the gallery and its text.
fn gallery(name: &str) -> (Document, String) {
    let file = root().join("models").join(name).join("model.toml");
    let text = fs::read_to_string(&file).expect("a model of the gallery");
    (model::parse(&text, &file.display().to_string()).expect("a valid model"), text)
}

/// A file with the header of a shared library for Linux on this ELF machine and the name of the step function.
fn write_elf(folder: &Path, name: &str, machine: u8) -> PathBuf {
    let mut bytes = vec![0; 64];
    bytes[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
    (bytes[16], bytes[18]) = (3, machine);
    bytes.extend_from_slice(b"\0fmi2DoStep\0");
    // As large as a library: what cannot be compressed.
    let mut random = 1u32;
    bytes.extend((0..1_000_000).map(|_| {
        random = random.wrapping_mul(1664525).wrapping_add(1013904223);
        (random >> 24) as u8
    }));
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn read_entry(fmu: &Path, name: &str) -> String {
    let mut archive = ZipArchive::new(File::open(fmu).unwrap()).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn the_description_in_the_root_is_that_of_a_flexible_body_in_a_loop() {
    crate::root::at_root();
    let (document, text) = gallery("flexible_four_bar");
    let expected = Package::new(&document, &text).unwrap().model_description();
    let file = root().join("modelDescription.xml");
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        fs::write(&file, &expected).unwrap();
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected, "not current; run BALLESTA_REWRITE=1 cargo test -p ballesta-package --test package");
}

#[test]
fn an_fmu_holds_what_the_standard_and_a_user_look_for() {
    crate::root::at_root();
    let folder = tempfile::tempdir().unwrap();
    let (document, text) = gallery("four_bar");
    let out = folder.path().join("four_bar.fmu");
    let libraries = [
        (Platform::Aarch64Linux, write_elf(folder.path(), "arm.so", 0xb7)),
        (Platform::Linux64, write_elf(folder.path(), "intel.so", 0x3e)),
    ];
    let summary = export(&document, &text, &libraries, &out).unwrap();
    let expected = [
        "modelDescription.xml",
        "binaries/linux64/four_bar.so",
        "binaries/aarch64-linux/four_bar.so",
        "resources/model.toml",
        "resources/guid.txt",
        "terminalsAndIcons/terminalsAndIcons.xml",
        "terminalsAndIcons/icon.png",
        "terminalsAndIcons/icon.svg",
        "documentation/licenses/license.txt",
        "documentation/externalDependencies.txt",
        "extra/org.ballesta/reference.csv",
        "documentation/index.html",
    ];
    assert_eq!(summary.entries, expected);
    assert_eq!(summary.bytes, fs::metadata(&out).unwrap().len());
    assert_eq!(summary.fault, None);

    let mut archive = ZipArchive::new(File::open(&out).unwrap()).unwrap();
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    assert_eq!(names, expected);
    for index in 0..archive.len() {
        let entry = archive.by_index(index).unwrap();
        assert_eq!(entry.compression(), CompressionMethod::Deflated);
        assert_eq!(entry.last_modified(), Some(DateTime::default()));
    }
    // General purpose bit 3 of a local header would announce a data descriptor; version needed 4.5 would be zip64.
    let bytes = fs::read(&out).unwrap();
    for (offset, _) in bytes.windows(4).enumerate().filter(|(_, window)| window == b"PK\x03\x04") {
        assert!(bytes[offset + 4] < 45, "zip64");
        assert_eq!(bytes[offset + 6] & 0b1001, 0, "encryption or data descriptor");
    }

    assert_eq!(read_entry(&out, "resources/model.toml"), text);
    let guid = read_entry(&out, "resources/guid.txt");
    assert_eq!(guid.trim_end(), summary.guid);
    assert!(read_entry(&out, "modelDescription.xml").contains(&format!("guid=\"{}\"", summary.guid)));
    let page = read_entry(&out, "documentation/index.html");
    for part in ["left.angle", "binaries/aarch64-linux/four_bar.so", "1 independent loop", "0.01 s", &summary.guid] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn two_exports_of_a_model_are_identical() {
    crate::root::at_root();
    let folder = tempfile::tempdir().unwrap();
    let (document, text) = gallery("pendulum");
    let libraries = [(Platform::Linux64, write_elf(folder.path(), "lib.so", 0x3e))];
    let outs = ["a.fmu", "b.fmu"].map(|name| folder.path().join(name));
    for out in &outs {
        export(&document, &text, &libraries, out).unwrap();
    }
    assert!(fs::read(&outs[0]).unwrap() == fs::read(&outs[1]).unwrap());
}

#[test]
fn the_reference_trajectory_is_that_of_the_solver() {
    crate::root::at_root();
    let folder = tempfile::tempdir().unwrap();
    let (document, text) = gallery("slider_crank");
    let out = folder.path().join("model.fmu");
    export(&document, &text, &[(Platform::Linux64, write_elf(folder.path(), "lib.so", 0x3e))], &out).unwrap();

    let parameters: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
    let system = Arc::new(compile::compile(&document, &parameters).unwrap());
    let mut simulator = Simulator::new(Arc::clone(&system));
    let experiment = &document.model.experiment;
    let step = experiment.step.unwrap_or(document.model.general.step);
    simulator.initialize(experiment.start).unwrap();
    let mut values = vec![0.0; system.interface().outputs.len()];
    let csv = read_entry(&out, "extra/org.ballesta/reference.csv");
    let mut lines = csv.lines();
    let names: Vec<&str> = system.interface().outputs.iter().map(|output| output.name.as_str()).collect();
    assert_eq!(lines.next(), Some(format!("time,{}", names.join(",")).as_str()));
    for time in communication_points(experiment.start, experiment.stop, step) {
        simulator.advance(time).unwrap();
        simulator.outputs(&mut values).unwrap();
        let row: Vec<u64> = lines.next().unwrap().split(',').map(|x| x.parse::<f64>().unwrap().to_bits()).collect();
        let expected: Vec<u64> = std::iter::once(&time).chain(&values).map(|x| x.to_bits()).collect();
        assert_eq!(row, expected, "at {time} s");
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn the_reference_trajectory_is_no_larger_than_the_rest_and_may_be_left_out() {
    crate::root::at_root();
    let folder = tempfile::tempdir().unwrap();
    let (document, text) = gallery("slider_crank");
    let library = write_elf(folder.path(), "lib.so", 0x3e);
    let bytes = fs::read(&library).unwrap();
    fs::write(&library, &bytes[..100]).unwrap();
    let libraries = [(Platform::Linux64, library)];
    let [with, without] = ["with.fmu", "without.fmu"].map(|name| folder.path().join(name));
    let cut = export(&document, &text, &libraries, &with).unwrap();
    let package = Package::new(&document, &text).unwrap();
    let bare = package.write(&libraries, &without).unwrap();
    assert!(cut.fault.unwrap().contains("rows are omitted"));
    assert_eq!(bare.fault, None);
    let extra = "extra/org.ballesta/reference.csv".to_string();
    assert!(cut.entries.contains(&extra) && !bare.entries.contains(&extra));
    assert!(cut.bytes <= 2 * bare.bytes && 2 * cut.bytes > 3 * bare.bytes, "{} {}", cut.bytes, bare.bytes);
    let rows = read_entry(&with, &extra).lines().count();
    assert!(rows > 10, "{rows}");
}

#[test]
fn libraries_for_another_platform_are_refused_and_nothing_is_written() {
    crate::root::at_root();
    let folder = tempfile::tempdir().unwrap();
    let (document, text) = gallery("pendulum");
    let out = folder.path().join("pendulum.fmu");
    let arm = write_elf(folder.path(), "arm.so", 0xb7);
    let intel = write_elf(folder.path(), "intel.so", 0x3e);
    let missing = folder.path().join("missing.so");
    let (linux, windows) = (Platform::Linux64, Platform::Win64);
    for (libraries, part) in [
        (vec![(linux, arm)], "arm.so is not a library for linux64: it is one for aarch64-linux"),
        (vec![(windows, intel.clone())], "intel.so is not a library for win64: it is one for linux64"),
        (vec![(linux, root().join("Cargo.toml"))], "neither an ELF, nor a PE, nor a Mach-O file"),
        (vec![(linux, missing)], "missing.so: "),
        (vec![(linux, intel.clone()), (linux, intel)], "two libraries are given for linux64"),
        (vec![], "at least one platform"),
    ] {
        let error: PackageError = export(&document, &text, &libraries, &out).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(!out.exists());
    }
}

#[test]
fn a_model_that_does_not_compile_is_no_fmu() {
    crate::root::at_root();
    let text = r#"
        [model]
        name = "apart"
        [points]
        A = [0, 0, 0]
        [[body]]
        name = "massless"
        [[joint]]
        name = "hinge"
        type = "revolute"
        bodies = ["ground", "massless"]
        point = "A"
        axis = [0, 1, 0]
    "#;
    let document = model::parse(text, "model.toml").unwrap();
    assert!(matches!(Package::new(&document, text), Err(diagnostics) if diagnostics.to_string().contains("massless")));
}

/// A beam along x, reduced: the file of the reduced-order model.
fn reduced_beam() -> String {
    use ballesta::rom::rom_schema::Source;
    use ballesta_fem::reduction::{Damping, ModeChoice, Reducer, ResidualLoads, Settings};
    use ballesta_fem::structure;
    let text = r#"
        [structure]
        name = "beam"
        [nodes]
        root = [0, 0, 0]
        tip = [0.5, 0, 0]
        [[material]]
        name = "steel"
        youngs_modulus = 2.1e11
        density = 7850
        [[section]]
        name = "bar"
        shape = "rectangle"
        width = 0.02
        height = 0.01
        [[beam]]
        name = "beam"
        nodes = ["root", "tip"]
        material = "steel"
        section = "bar"
        divisions = 2
        [[interface]]
        name = "root"
        node = "root"
        [[interface]]
        name = "tip"
        node = "tip"
        [reduction]
        modes = 1
    "#;
    let model = structure::parse(text, "structure.toml").and_then(|s| structure::build(&s)).expect("a structure");
    let source = Source {
        program: "tests".into(),
        file: "structure.toml".into(),
        sha256: "0".repeat(64),
        dimension: 3,
        nodes: model.nodes.len(),
        elements: model.element_count,
        dofs: model.size(),
    };
    let settings = Settings {
        modes: ModeChoice::Count(1),
        residual: ResidualLoads::default(),
        damping: Damping::None,
        support: None,
    };
    let reduction = Reducer::new(&model).expect("free").reduce(&settings, source).expect("reducible");
    ballesta_fem::export::to_toml(&reduction.rom)
}

/// A beam that hangs from the ground by a hinge; its reduced-order model is `rom`.
fn hanging_beam(rom: &str) -> String {
    format!(
        r#"
        [model]
        name = "hanging_beam"
        gravity = [0, 0, -9.81]
        step = 1e-6
        [experiment]
        stop = 1e-5
        [[flexible_body]]
        name = "beam"
        rom = "{rom}"
        [[joint]]
        name = "hinge"
        type = "revolute"
        bodies = ["ground", "beam.root"]
        axis = [0, 1, 0]
        [[output]]
        name = "tip"
        body = "beam.tip"
        quantity = "position"
        "#
    )
}

#[test]
fn reduced_models_are_packed_at_the_paths_by_which_the_model_names_them() {
    crate::root::at_root();
    let folder = tempfile::tempdir().unwrap();
    let libraries = [(Platform::Linux64, write_elf(folder.path(), "lib.so", 0x3e))];
    let out = folder.path().join("beam.fmu");
    let model_file = folder.path().join("model.toml");
    fs::create_dir(folder.path().join("roms")).unwrap();
    let rom = reduced_beam();
    let mut guids = Vec::new();
    // The other one differs by the last digit of a number.
    let number = rom.find("mass_condition = ").unwrap();
    let digit = number + rom[number..].lines().next().unwrap().split(" #").next().unwrap().len() - 1;
    assert!(rom.as_bytes()[digit].is_ascii_digit());
    let mut other = rom.clone();
    let last = rom.as_bytes()[digit] - b'0';
    other.replace_range(digit..=digit, &((last + 1) % 10).to_string());
    for (path, rom) in [("beam.toml", &rom), ("roms/beam.toml", &rom), ("beam.toml", &other), ("beam.toml", &rom)] {
        fs::write(folder.path().join(path), rom).unwrap();
        let text = hanging_beam(path);
        let document = model::parse(&text, &model_file.display().to_string()).unwrap_or_else(|e| panic!("{e}"));
        let summary = export(&document, &text, &libraries, &out).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(summary.fault, None);
        assert_eq!(summary.entries[2..5], ["resources/model.toml", &format!("resources/{path}"), "resources/guid.txt"]);
        assert_eq!(read_entry(&out, &format!("resources/{path}")), *rom);
        assert_eq!(read_entry(&out, "resources/guid.txt").trim_end(), summary.guid);
        let page = read_entry(&out, "documentation/index.html");
        assert!(page.contains("Reduced-order model of a flexible body"));
        guids.push(summary.guid);
    }
    assert_eq!(guids[0], guids[3]);
    assert!(guids[0] != guids[1] && guids[0] != guids[2]);
}

#[test]
fn a_reduced_model_in_the_place_of_another_resource_is_refused() {
    crate::root::at_root();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("GUID.txt"), reduced_beam()).unwrap();
    let text = hanging_beam("GUID.txt");
    let document = model::parse(&text, &folder.path().join("model.toml").display().to_string()).unwrap();
    let refused = Package::new(&document, &text).err().expect("refused").0;
    assert_eq!((refused.len(), refused[0].key.as_str(), refused[0].line > 0), (1, "flexible_body[0].rom", true));
}

/// The models of the gallery.
fn folders() -> Vec<PathBuf> {
    let models = Path::new("models");
    let entries = std::fs::read_dir(models).expect("the gallery");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("readable folder").path()).collect();
    folders.retain(|folder| folder.join("model.toml").is_file());
    folders.sort();
    folders
}

#[test]
fn the_description_of_every_model_agrees_with_its_states() {
    crate::root::at_root();
    let (mut without, mut sized) = (Vec::new(), 0);
    for folder in folders() {
        let text = std::fs::read_to_string(folder.join("model.toml")).unwrap();
        let document = model::load(&folder).unwrap_or_else(|errors| panic!("{errors}"));
        let package = Package::new(&document, &text).unwrap_or_else(|errors| panic!("{errors}"));
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let (states, reason) = (package.interface().states.clone(), package.interface().not_continuous.clone());
        assert_eq!(states.is_empty(), reason.is_some(), "{name}");
        for version in [Version::Fmi2, Version::Fmi3] {
            let xml = Package::new(&document, &text).unwrap().for_version(version).model_description();
            assert_eq!(xml.contains("<ModelExchange "), reason.is_none(), "{name}");
            assert_eq!(xml.matches(" derivative=\"").count(), states.len(), "{name}");
            let variables = || xml.split(if version == Version::Fmi2 { "<ScalarVariable " } else { "<Float64 " });
            let is_sized = |part: &&str| part.contains("\"local\"") && part.contains(" nominal=\"");
            assert_eq!(variables().filter(is_sized).count(), states.len(), "{name}");
            // So have all outputs with a dimension; those of states without one have theirs, 1.
            for part in variables().filter(|part| part.contains("causality=\"output\"")) {
                let part = part.split_inclusive("/>").next().unwrap_or(part);
                let dimension = part.contains(" unit=\"") && !part.contains(" unit=\"1\"");
                let nominal = part.contains(" nominal=\"");
                assert!(nominal == dimension || part.contains(" nominal=\"1\""), "{name}: {part}");
                sized += usize::from(dimension);
            }
        }
        assert!(states.iter().all(|state| state.nominal > 0.0 && state.nominal.is_finite()), "{name}");
        if reason.is_some() {
            without.push(name);
        }
    }
    assert_eq!(without, ["stiff_bar"]);
    assert!(sized > 1000, "{sized} outputs");
}

#[test]
fn the_hold_mode_is_a_choice_of_the_export_and_leaves_other_fmus_as_they_are() {
    crate::root::at_root();
    let folder = tempfile::tempdir().unwrap();
    let (mut document, text) = gallery("four_bar");
    let library = [(Platform::Linux64, write_elf(folder.path(), "intel.so", 0x3e))];
    let plain = Package::new(&document, &text).unwrap().model_description();
    assert!(!plain.contains("hold_on_fault"));
    document.model.general.hold_mode = true;
    let description = Package::new(&document, &text).unwrap().model_description();
    // Two variables behind all others, and all others as they were.
    let variables = |text: &str| text.matches("<ScalarVariable ").count();
    assert_eq!(variables(&description), variables(&plain) + 2);
    let (last, first) =
        (variables(&plain) - 1, |text: &str| text.split("<ModelVariables>").nth(1).unwrap().to_string());
    let of_last = format!("valueReference=\"{last}\"");
    let own = first(&plain);
    let shared = &own[..own.find(&of_last).expect("the last variable")];
    assert!(first(&description).starts_with(shared));
    let out = folder.path().join("four_bar.fmu");
    let summary = export(&document, &text, &library, &out).unwrap();
    assert!(summary.entries.iter().any(|entry| entry == "resources/hold_mode.txt"));
    assert!(read_entry(&out, "resources/hold_mode.txt").contains("hold_on_fault"));
    assert!(read_entry(&out, "documentation/index.html").contains("Enables the hold mode"));
    document.model.general.hold_mode = false;
    let summary = export(&document, &text, &library, &out).unwrap();
    assert!(!summary.entries.iter().any(|entry| entry.contains("hold_mode")));
}

#[test]
fn names_of_the_hold_mode_are_refused_where_the_model_has_them() {
    for (own, key) in [("name = \"fault\"", "output[0].name"), ("name = \"hold_on_fault\"", "output[0].name")] {
        let (_, text) = gallery("four_bar");
        let first = text.find("[[output]]").expect("an output");
        let (before, after) = text.split_at(first);
        let name = after.lines().find(|line| line.starts_with("name = ")).expect("a name");
        let text = format!("{before}{}", after.replacen(name, own, 1));
        let mut document = model::parse(&text, "model.toml").expect("a valid model");
        assert!(Package::new(&document, &text).is_ok(), "without the mode the name is free");
        document.model.general.hold_mode = true;
        let diagnostics = Package::new(&document, &text).err().expect("refused");
        let line = before.lines().count() + 2;
        assert_eq!((diagnostics.0.len(), diagnostics.0[0].key.as_str(), diagnostics.0[0].line), (1, key, line));
        assert!(diagnostics.0[0].found.contains("belongs to a variable of the hold mode"));
    }
}
