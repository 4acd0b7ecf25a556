//! The file of a reduced-order model and what is made from it.

#[allow(dead_code)]
#[path = "../../src/math/check.rs"]
mod check;
mod file;
mod fixture;
mod simscape;
mod state_space;
#[path = "../transcripts/mod.rs"]
mod transcripts;
