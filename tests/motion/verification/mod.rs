//! Verification: reference problems, closed forms, conservation, invariance, reactions, for every model of the gallery.
//!
//! Each test prints what it measured; `docs/verification.md` is the table of these numbers. One group of rows is
//! reproduced by `cargo test --release --test motion verification::NAME -- --nocapture`.

pub mod support;

mod benchmarks;
mod closed_forms;
mod closure;
mod energy;
mod far_from_origin;
mod friction;
mod gallery;
mod halvings;
mod implicit;
mod invariance;
mod linear;
mod order;
mod outputs;
mod overconstrained;
mod reactions;
mod rotors;
mod step_derivatives;
mod step_map;
mod substeps;
mod switches;
mod transform;
pub mod verification_page;
