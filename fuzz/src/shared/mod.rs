//! Functions for fuzzing: [`targets`] as functions of bytes, [`mutation`] of numbers, names, arrays and tables,
//! [`seeds`] from the gallery.
//!
//! The targets of libFuzzer in `fuzz_targets/` and the test `crates/project/tests/project/fuzzed.rs` compile these same
//! files. Nothing here needs a nightly compiler.

pub mod exchange;
pub mod fmu;
pub mod mutation;
#[allow(dead_code)]
#[path = "../../../tests/shared/sample.rs"]
pub mod sample;
pub mod seeds;
pub mod targets;
