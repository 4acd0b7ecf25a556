//! `fmu/third-party-licenses.txt`, which every FMU carries, names exactly the crates inside the FMU's library;
//! `scripts/package/third-party-licenses.txt`, which archives and wheels carry, those inside the program and the module
//! of the Python package, and the packages in the text editor of workshop pages (`scripts/editor.sh`).
//!
//! `BALLESTA_REWRITE=1 cargo test -p ballesta-project --test project licenses` writes them anew from Cargo's dependency
//! graph and from the licence files
//! that the crates ship.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A binary that others get, and the file that names the crates in it.
struct Binary {
    /// Relative to the root.
    file: &'static str,
    /// Its packages with their features, as arguments of `cargo tree`.
    packages: &'static [&'static str],
    /// Platforms that it is built for, as arguments of `cargo tree`.
    targets: &'static [&'static str],
    introduction: &'static str,
    /// Lists of further parts, which other scripts write, relative to the root.
    further: &'static [&'static str],
}

const LIBRARY: Binary = Binary {
    file: "fmu/third-party-licenses.txt",
    packages: &["--package", "ballesta"],
    targets: &["--target", "all"],
    introduction: "Crates linked into the library of an FMU, besides the standard library of Rust (MIT OR \
        Apache-2.0). Where a crate\n\
                   offers a choice, the MIT licence is taken.\n\n",
    further: &[],
};

const PROGRAM: Binary = Binary {
    file: "scripts/package/third-party-licenses.txt",
    packages: &["--package", "ballesta-cli", "--features", "full", "--package", "ballesta-python"],
    targets: &[
        "--target",
        "x86_64-unknown-linux-gnu",
        "--target",
        "aarch64-unknown-linux-gnu",
        "--target",
        "x86_64-pc-windows-gnu",
    ],
    introduction: "Crates linked into the program ballesta and the module of its Python package, besides the standard \
        library of Rust\n\
                   (MIT OR Apache-2.0). Where a crate offers a choice, the MIT licence is taken. Those of the \
                   libraries of FMUs are among them.\n\n",
    further: &["crates/pictures/viewer/editor/LICENSES.txt"],
};

const BINARIES: [Binary; 2] = [LIBRARY, PROGRAM];

/// Whether a crate is not of third parties.
fn is_own(name: &str) -> bool {
    name == "ballesta" || name.starts_with("ballesta-")
}

impl Binary {
    fn cargo(&self, arguments: &[&str]) -> String {
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            // Not offline: the graph of all platforms names crates that a build for this one never downloads.
            .arg("--locked")
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("cargo writes UTF-8")
    }

    fn path(&self) -> PathBuf {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(self.file)
    }
}

struct Package {
    name: String,
    version: String,
    license: String,
    authors: Vec<String>,
    folder: PathBuf,
}

/// Crates linked into a binary on any of its platforms: no build scripts, no procedural macros, no tests.
fn packages(binary: &Binary) -> Vec<Package> {
    let tree = ["tree", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"];
    let tree = binary.cargo(&[&tree, binary.targets, binary.packages].concat());
    let linked: BTreeSet<(&str, &str)> = tree
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?, words.next()?.trim_start_matches('v')))
        })
        .collect();
    let metadata: serde_json::Value =
        serde_json::from_str(&binary.cargo(&["metadata", "--format-version", "1"])).expect("JSON");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
    let mut packages: Vec<Package> = metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .map(|package| Package {
            name: text(&package["name"]),
            version: text(&package["version"]),
            license: text(&package["license"]),
            authors: package["authors"].as_array().into_iter().flatten().map(text).collect(),
            folder: Path::new(&text(&package["manifest_path"])).parent().expect("a folder").to_path_buf(),
        })
        .filter(|p| !is_own(&p.name) && linked.contains(&(p.name.as_str(), p.version.as_str())))
        .collect();
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    packages
}

/// The licence text that a crate ships: MIT where the crate offers it, and its plain text where the crate ships none;
/// `None` for the Apache License 2.0 (printed once by the packer, before this list, and a file of its own beside the
/// program).
fn license_text(package: &Package) -> Option<String> {
    let offers_mit = package.license.split([' ', '/', '(', ')']).any(|word| word == "MIT");
    match package.license.as_str() {
        "Zlib" | "ISC" | "BSD-2-Clause" | "BSD-3-Clause" => {}
        _ if offers_mit => {}
        "Apache-2.0" => return None,
        other => panic!("decide what to print for {} ({other})", package.name),
    }
    let names = [
        "LICENSE-MIT",
        "LICENSE-MIT.txt",
        "LICENSE-MIT.md",
        "license-mit",
        "LICENSE",
        "LICENSE.txt",
        "LICENSE.md",
        "COPYING",
    ];
    let file = names.iter().map(|name| package.folder.join(name)).find(|path| path.is_file());
    let text = file.map(|file| fs::read_to_string(file).expect("readable"));
    let text = text.unwrap_or_else(|| {
        assert!(offers_mit, "{} ships no licence", package.name);
        const MIT: &str = include_str!("../../../../LICENSE-MIT");
        let grant = MIT.find("Permission is hereby granted").expect("the licence of this project");
        let authors = if package.authors.is_empty() { "its authors".to_string() } else { package.authors.join(", ") };
        format!(
            "MIT License\n\nCopyright (c) {authors}\n(The crate ships no text of its licence.)\n\n{}",
            &MIT[grant..]
        )
    });
    // Fonts come with licences of their own.
    let files = match package.license.contains("Ubuntu-font-1.0") {
        true => &["UFL.txt", "Hack-Regular.txt", "OFL.txt"][..],
        false => &[],
    };
    let fonts = files.iter().map(|file| {
        fs::read_to_string(package.folder.join("fonts").join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    });
    let text: Vec<String> = std::iter::once(text).chain(fonts).collect();
    let lines: Vec<&str> = text.iter().flat_map(|text| text.lines()).map(str::trim_end).collect();
    Some(lines.join("\n").trim().to_string())
}

fn expected(binary: &Binary) -> String {
    let packages = packages(binary);
    let mut out = String::from(binary.introduction);
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in &packages {
        writeln!(out, "{} {}: {}", package.name, package.version, package.license).unwrap();
        match license_text(package) {
            Some(text) => texts.entry(text).or_default().push(package.name.clone()),
            None => continue,
        }
    }
    for (text, names) in &texts {
        writeln!(out, "\n{}\n{}\n", "-".repeat(100), names.join(", ")).unwrap();
        writeln!(out, "{text}").unwrap();
    }
    for list in binary.further {
        let text = fs::read_to_string(list).unwrap_or_else(|error| panic!("{list}: {error}"));
        writeln!(out, "\n{}\n\n{}", "=".repeat(100), text.trim_end()).unwrap();
    }
    out
}

#[test]
fn third_party_licenses_are_those_of_the_crates_in_library_and_program() {
    crate::root::at_root();
    for binary in &BINARIES {
        let expected = expected(binary);
        if std::env::var_os("BALLESTA_REWRITE").is_some() {
            fs::write(binary.path(), &expected).unwrap();
        }
        let found = fs::read_to_string(binary.path()).unwrap_or_default();
        assert!(
            found == expected,
            "{} is not current; run BALLESTA_REWRITE=1 cargo test -p ballesta-project --test project licenses",
            binary.file
        );
    }
}

#[test]
fn every_crate_whose_text_must_be_passed_on_ships_it() {
    crate::root::at_root();
    for package in BINARIES.iter().flat_map(packages) {
        if let Some(text) = license_text(&package) {
            // The grants of the MIT, the zlib, the ISC and the BSD licence.
            let granted = [
                "Permission is hereby granted",
                "Permission is granted to anyone",
                "Permission to use, copy, modify",
                "Redistribution and use in source and binary forms",
            ];
            assert!(granted.iter().any(|grant| text.contains(grant)), "{} has no licence text", package.name);
        }
    }
}
