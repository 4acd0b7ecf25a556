//! Tests that `include/ballesta.h` declares the exported functions and agrees with the official FMI headers.

#[path = "../../../../tests/shared/root.rs"]
mod root;

use std::path::{Path, PathBuf};
use std::process::Command;

mod generator;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn generated() -> String {
    generator::generate(root())
}

/// Folder with `fmi2Functions.h` and `fmi3Functions.h`, from the Python package fmpy.
fn official_headers() -> PathBuf {
    let lib = root().join("target/venv/lib");
    let folders = std::fs::read_dir(&lib).into_iter().flatten().flatten();
    let found = folders.map(|entry| entry.path().join("site-packages/fmpy/c-code")).find(|path| path.is_dir());
    found.unwrap_or_else(|| {
        panic!(
            "the official FMI headers are missing: run ./test.sh, or \
             `python3 -m venv target/venv && target/venv/bin/pip install fmpy` (looked below {})",
            lib.display()
        )
    })
}

/// All functions of both versions of the standard, sorted.
fn official_names() -> Vec<String> {
    let mut names = Vec::new();
    for (version, count) in [(2, 44), (3, 75)] {
        let file = official_headers().join(format!("fmi{version}Functions.h"));
        let export = format!("FMI{version}_Export");
        let name = |line: &str| {
            let declaration = line.trim().strip_prefix(&export)?;
            Some(declaration.split_whitespace().last()?.strip_suffix(';')?.to_string())
        };
        let before = names.len();
        names.extend(std::fs::read_to_string(file).unwrap().lines().filter_map(name));
        assert_eq!(names.len() - before, count, "FMI {version}");
    }
    names.sort();
    names
}

#[test]
fn the_library_exports_exactly_the_functions_of_the_standards() {
    crate::root::at_root();
    // Cargo puts the cdylib of the package next to the test program.
    let library = std::env::current_exe().unwrap().with_file_name("libballesta.so");
    let output = Command::new("nm").args(["-D", "--defined-only", "--format=posix"]).arg(&library).output();
    let output = output.expect("nm can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listing = String::from_utf8(output.stdout).unwrap();
    let mut symbols: Vec<&str> = listing.lines().filter_map(|line| line.split(' ').next()).collect();
    symbols.sort();
    assert_eq!(symbols, official_names());
}

#[test]
fn the_header_is_what_the_code_exports() {
    crate::root::at_root();
    let path = root().join("include/ballesta.h");
    let generated = generated();
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        std::fs::write(&path, &generated).expect("include/ballesta.h can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == generated,
        "include/ballesta.h is out of date; BALLESTA_REWRITE=1 cargo test -p ballesta-tools --test header"
    );
}

#[test]
fn the_header_agrees_with_the_official_ones() {
    crate::root::at_root();
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("both.c");
    // Each function is also assigned to a pointer of its official type, so a missing prototype is an error as well.
    let generated = generated();
    let mut text = String::from("#include \"ballesta.h\"\n");
    for name in official_names() {
        assert!(generated.contains(&format!("{name}(")), "{name} is not exported");
        text += &format!("extern {name}TYPE *use_{name}; {name}TYPE *use_{name} = {name};\n");
    }
    std::fs::write(&source, text).unwrap();
    let output = Command::new("gcc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wpedantic", "-c", "-o"])
        .arg(folder.path().join("both.o"))
        .arg("-I")
        .arg(official_headers())
        .arg("-I")
        .arg(root().join("include"))
        .arg(&source)
        .output()
        .expect("gcc can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The two commands of docs/import/c.md.
#[test]
fn the_header_compiles_with_the_documented_commands() {
    crate::root::at_root();
    official_headers();
    let page = std::fs::read_to_string(root().join("docs/import/c.md")).unwrap();
    let command = |start: &str| {
        page.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("docs/import/c.md has no `{start}`"))
    };
    let (headers, compile) = (command("headers=$("), command("cc "));
    let run = |script: &str| Command::new("sh").args(["-c", script]).current_dir(root()).output().expect("sh");
    let output = run(&format!("{headers}\n{compile}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The include path is required.
    let without = run(&format!("headers=include\n{compile}"));
    let said = String::from_utf8_lossy(&without.stderr).into_owned();
    assert!(!without.status.success() && said.contains("fmi2Functions.h"), "{said}");
}
