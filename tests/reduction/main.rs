//! Reduced-order models against the structures they come from, against published values, and against themselves.

mod case_studies;
#[allow(dead_code)]
#[path = "../../src/math/check.rs"]
mod check;
mod gallery;
mod modes;
mod stiffening;
mod straight_beam;
mod support;
