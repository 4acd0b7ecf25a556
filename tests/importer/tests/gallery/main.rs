//! Every FMU of the gallery, stepped through the crate `fmi`, for FMI 2.0 and FMI 3.0: the trajectory has the bits of
//! `ballesta run`.
//!
//! `fmi` unpacks the archive, parses the description with a parser of its own, loads the library by bindings that it
//! generates from the official headers, and calls it. Nothing here uses code of ballesta.
//!
//! Needs the program (`cargo build --release` in the main package; another place is taken from the environment variable
//! BALLESTA). `./test.sh` runs it on the FMUs that the harness has exported (BALLESTA_GALLERY).

mod fmi2;
mod fmi3;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Header and rows, as in the CSV of `ballesta run`.
type Trajectory = (Vec<String>, Vec<Vec<f64>>);

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

/// What the Python harness has left in the folder BALLESTA_GALLERY, or what `ballesta` makes with these arguments.
fn made(name: &str, scratch: &Path, arguments: &[&str]) -> PathBuf {
    let shared = std::env::var_os("BALLESTA_GALLERY").map(|folder| root().join(folder).join(name));
    if let Some(path) = shared.filter(|path| path.is_file()) {
        return path;
    }
    let path = scratch.join(name.replace('/', "_"));
    ballesta(&[arguments, &[path.to_str().expect("UTF-8 path")]].concat());
    path
}

/// Header and rows of a CSV file.
fn read_csv(path: &Path) -> Trajectory {
    let text = std::fs::read_to_string(path).expect("readable CSV");
    let mut lines = text.lines();
    let header: Vec<String> = lines.next().expect("a header").split(',').map(str::to_string).collect();
    let number = |field: &str| field.parse::<f64>().unwrap_or_else(|_| panic!("`{field}` is not a number"));
    (header, lines.map(|line| line.split(',').map(number).collect()).collect())
}

/// Whether a column of the CSV holds a value of the output `name`: itself, or a component of it.
fn belongs(column: &str, name: &str) -> bool {
    column == name || column.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
}

/// Compares every FMU of the gallery, exported for the version, with the command line.
fn compare(version: &str, simulate: fn(&Path) -> Trajectory) {
    let mut models: Vec<PathBuf> = std::fs::read_dir(root().join("models"))
        .expect("the gallery")
        .map(|entry| entry.expect("readable folder").path())
        .filter(|folder| folder.join("model.toml").is_file())
        .collect();
    models.sort();
    assert!(models.len() >= 50, "the gallery has only {} models", models.len());

    for folder in models {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let model = folder.to_str().expect("UTF-8 path");
        let fmu = made(&format!("{version}/{name}.fmu"), scratch, &["export", model, "--fmi", version, "-o"]);
        let csv = made(&format!("{name}.csv"), scratch, &["run", model, "--csv"]);

        let (columns, expected) = read_csv(&csv);
        let (header, rows) = simulate(&fmu);
        assert_eq!(header.len(), columns.len(), "{name}");
        for (output, column) in header.iter().zip(&columns) {
            assert!(belongs(column, output), "{name}: {output} stands where {column} is expected");
        }
        assert_eq!(rows.len(), expected.len(), "{name}");
        for (row, expected_row) in rows.iter().zip(&expected) {
            assert_eq!(row.len(), columns.len(), "{name}");
            for ((column, value), expected_value) in columns.iter().zip(row).zip(expected_row) {
                let (bits, expected_bits) = (value.to_bits(), expected_value.to_bits());
                assert_eq!(bits, expected_bits, "{name}, t = {}: {column}: {value} and {expected_value}", row[0]);
            }
        }
        println!("{name}, FMI {version}: {} rows of {} values, all bits equal", rows.len(), columns.len() - 1);
    }
}

#[test]
fn every_fmu_of_the_gallery_for_fmi_2_has_the_bits_of_the_command_line() {
    compare("2.0", fmi2::simulate);
}

#[test]
fn every_fmu_of_the_gallery_for_fmi_3_has_the_bits_of_the_command_line() {
    compare("3.0", fmi3::simulate);
}
