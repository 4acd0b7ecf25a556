//! Tests that both sides of a comparison are compiled alike: the solver, the global method, and their linear algebra.

use std::collections::BTreeSet;

/// Crates whose code a measured evaluation executes, by side. Generic code is compiled where it is used: the code of
/// the global method is compiled in `ballesta-tools`, because `global_method::timer` names its kinds of matrices.
const SOLVER: [&str; 3] = ["ballesta", "libm", "nalgebra"];
const GLOBAL_METHOD: [&str; 11] = [
    "ballesta-tools",
    "dyn-stack",
    "faer",
    "faer-traits",
    "gemm",
    "gemm-common",
    "gemm-f64",
    "nano-gemm",
    "nano-gemm-core",
    "nano-gemm-f64",
    "pulp",
];
/// A kernel that faer has on one architecture only.
const OF_X86: &str = "private-gemm-x86";
/// Profiles used to measure tables of the documentation. Other profiles have one level for all crates.
const PROFILE: &str = "release";

fn at_root(file: &str) -> toml::Table {
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(file);
    std::fs::read_to_string(path).expect("readable").parse().expect("TOML")
}

/// Level of a crate in a profile of Cargo.toml.
fn level(profile: &toml::Table, name: &str) -> String {
    let own = profile.get("package").and_then(|packages| packages.get(name)).and_then(|one| one.get("opt-level"));
    own.or_else(|| profile.get("opt-level")).expect("a level").to_string()
}

#[test]
fn the_solver_and_the_global_method_have_the_same_level() {
    assert_eq!(ballesta::OPT_LEVEL, ballesta_tools::OPT_LEVEL);
    assert!(!ballesta::OPT_LEVEL.is_empty());
}

#[test]
fn profiles_optimise_both_sides_alike() {
    let (manifest, lock) = (at_root("Cargo.toml"), at_root("Cargo.lock"));
    let packages = lock["package"].as_array().expect("a list");
    let known: BTreeSet<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let all = || SOLVER.iter().chain(&GLOBAL_METHOD).chain([&OF_X86]);
    for name in all() {
        assert!(known.contains(name), "no crate {name} in Cargo.lock");
    }
    let profiles = manifest["profile"].as_table().expect("profiles");
    let levels = |profile: &str, name: &str| level(profiles[profile].as_table().expect("a profile"), name);
    for name in all() {
        assert_eq!(levels(PROFILE, name), "3", "[profile.{PROFILE}], {name}: one side of a comparison is slowed down");
    }
    // `cargo bench` inherits the profile; a separate profile would need the same check.
    assert!(!profiles.contains_key("bench"));
}

#[test]
fn a_level_of_a_package_goes_before_that_of_the_profile() {
    let profile: toml::Table =
        "opt-level = 1\n[package]\n\"*\".codegen-units = 1\na.opt-level = 3".parse().expect("TOML");
    assert_eq!((level(&profile, "a").as_str(), level(&profile, "b").as_str()), ("3", "1"));
}
