//! Reduced-order models against the structures they come from, against published values, and against themselves.

mod case_studies;
mod gallery;
mod mode_selection;
mod residual;
mod stiffening;
mod straight_beam;
pub mod support;
