//! The working folder of tests: the root of the project, where models and documents lie.

/// Goes there; Cargo starts a test in the folder of its package.
pub fn at_root() {
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).expect("packages are in crates/");
}
