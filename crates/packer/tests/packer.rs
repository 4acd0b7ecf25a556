//! FMUs from files in memory have the bytes of FMUs of `ballesta export`.

use ballesta_package::packed_library::bundle;
use ballesta_package::reference::Budget;
use ballesta_package::{Platform, Version, pack};
use ballesta_packer::{Options, Packer};
use ballesta_run::model;
use ballesta_run::model_files::ModelFiles;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files with the headers and the function names of libraries for Linux.
fn libraries(folder: &Path) -> Vec<(Platform, PathBuf)> {
    let write = |(platform, machine, needs): (Platform, u8, &str)| {
        let mut bytes = vec![0; 64];
        bytes[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        (bytes[16], bytes[18]) = (3, machine);
        bytes.extend_from_slice(format!("\0fmi2DoStep\0fmi3DoStep\0{needs}").as_bytes());
        // As large as a library.
        let mut random = 1u32;
        bytes.extend((0..4_000_000).map(|_| {
            random = random.wrapping_mul(1664525).wrapping_add(1013904223);
            (random >> 28) as u8
        }));
        let path = folder.join(platform.tuple());
        fs::write(&path, bytes).expect("a file");
        (platform, path)
    };
    let intel = (Platform::Linux64, 0x3e, "GLIBC_2.17\0libgcc_s.so.1\0");
    [(Platform::Aarch64Linux, 0xb7, "GLIBC_2.18\0"), intel].map(write).to_vec()
}

/// A packer with the files that a page has of a model, and its main file.
fn packer(model: &Path, libraries: &[(Platform, PathBuf)]) -> (Packer, String) {
    let files = ModelFiles::read(model).expect("a model").files;
    let main = files[0].0.clone();
    let mut packer = Packer::default();
    files.into_iter().for_each(|(path, bytes)| packer.put(&path, bytes));
    // A file that the model does not name is not packed.
    packer.put("notes.toml", b"[model".to_vec());
    packer.take_libraries(&bundle(libraries).expect("libraries")).expect("a bundle");
    (packer, main)
}

const OPTIONS: Options = Options { version: Version::Fmi2, hold_mode: false, reference: false };

/// Compares the bytes with `ballesta export`; a folder instead of a model file is `model.toml` in it.
fn has_the_bytes_of_export(model: &str, options: Options) {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, out) = (root().join("models").join(model), folder.path().join("a.fmu"));
    let libraries = libraries(folder.path());
    let mut document = model::open(&path).expect("a model");
    document.model.general.hold_mode = options.hold_mode;
    let source = fs::read_to_string(model::model_file(&path)).expect("a text");
    let budget = options.reference.then(Budget::default);
    let summary = pack(&document, &source, &libraries, &out, budget, options.version, None).expect("an FMU");

    let (packer, main) = packer(&path, &libraries);
    let (bytes, facts) = packer.pack(&main, options, &|_, _| ()).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(bytes == fs::read(&out).expect("an FMU"), "{model}: other bytes");
    let facts: Value = serde_json::from_str(&facts).expect("JSON");
    assert_eq!(facts["summary"], summary.facts(options.version), "{model}");
}

#[test]
fn a_mechanism_with_its_reference_trajectory_has_the_bytes_of_export() {
    has_the_bytes_of_export("four_bar", Options { reference: true, ..OPTIONS });
}

#[test]
fn a_flexible_body_in_a_file_has_the_bytes_of_export() {
    let options = Options { version: Version::Fmi3, hold_mode: true, reference: true };
    has_the_bytes_of_export("flexible_four_bar", options);
}

#[test]
fn a_vehicle_of_subassemblies_tyres_and_meshes_has_the_bytes_of_export() {
    has_the_bytes_of_export("van", OPTIONS);
    has_the_bytes_of_export("van/hubs.toml", Options { version: Version::Fmi3, ..OPTIONS });
}

#[test]
fn errors_are_positions_in_files_or_a_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let libraries = libraries(folder.path());
    let (mut packer, main) = packer(&root().join("models/four_bar"), &libraries);
    let refused = |packer: &Packer, main: &str| {
        serde_json::from_str::<Value>(&packer.pack(main, OPTIONS, &|_, _| ()).expect_err("refused")).expect("JSON")
    };
    // A position in the text, a step that is too long, a missing file.
    let text = fs::read_to_string(root().join("models/four_bar/model.toml")).expect("a text");
    packer.put(&main, text.replace("mass = ", "mas = ").into_bytes());
    let wrong = refused(&packer, &main);
    assert!(wrong["diagnostics"][0]["line"].as_u64() > Some(1), "{wrong}");
    let (step, _) = text.split_once("step = ").and_then(|(_, rest)| rest.split_once('\n')).expect("a step");
    let spring = "\n[[joint_spring]]\nname = \"k\"\njoint = \"left\"\nstiffness = 1e12\n";
    packer.put(&main, (text.replacen(&format!("step = {step}"), "step = 0.01", 1) + spring).into_bytes());
    let wrong = refused(&packer, &main);
    assert!(wrong["diagnostics"][0]["key"].is_string(), "{wrong}");
    assert!(refused(&packer, "other.toml")["diagnostics"][0]["found"].as_str().expect("a text").contains("not exist"));
    // Libraries.
    assert!(packer.take_libraries(b"zip").is_err());
    let without = refused(&Packer::default(), &main);
    assert!(without["error"].as_str().expect("a text").contains("at least one platform"), "{without}");
}

#[test]
fn progress_reports_every_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let (packer, main) = packer(&root().join("models/pendulum"), &libraries(folder.path()));
    let rows = std::cell::RefCell::new(Vec::new());
    let progress = |row, of| rows.borrow_mut().push((row, of));
    packer.pack(&main, Options { reference: true, ..OPTIONS }, &progress).expect("an FMU");
    let rows = rows.into_inner();
    assert!(rows.len() > 10 && rows.iter().enumerate().all(|(k, row)| *row == (k as u64, rows.len() as u64)));
}
