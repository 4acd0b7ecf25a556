//! `include/ballesta.h` is what the code exports, and agrees with the official FMI headers.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn generated() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml").to_str().unwrap()).expect("cbindgen.toml");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in ["common", "cosimulation", "modelexchange"] {
        builder = builder.with_src(root().join("src/fmi/exports").join(file).with_extension("rs"));
    }
    let mut text = Vec::new();
    builder.generate().expect("the exports can be described in C").write(&mut text);
    String::from_utf8(text).unwrap()
}

/// Folder with `fmi2Functions.h`, as the Python package fmpy brings it.
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

#[test]
fn the_header_is_what_the_code_exports() {
    let path = root().join("include/ballesta.h");
    let generated = generated();
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        std::fs::write(&path, &generated).expect("include/ballesta.h can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == generated, "include/ballesta.h is out of date; BALLESTA_REWRITE=1 cargo test --test fmi_header");
}

#[test]
fn the_header_agrees_with_the_official_ones() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("both.c");
    // Each function is also assigned to a pointer of its official type, so a missing prototype is an error as well.
    let official = std::fs::read_to_string(official_headers().join("fmi2Functions.h")).unwrap();
    let names: Vec<&str> = official
        .lines()
        .filter_map(|line| line.trim().strip_prefix("FMI2_Export fmi2")?.split_whitespace().last()?.strip_suffix(';'))
        .collect();
    assert_eq!(names.len(), 44);
    let mut text = String::from("#include \"ballesta.h\"\n");
    for name in &names {
        assert!(generated().contains(&format!("{name}(")), "{name} is not exported");
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
