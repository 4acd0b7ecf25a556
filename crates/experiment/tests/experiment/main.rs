//! Inputs over time, structural groups of chains and models, axles on the rig, diagnostics of the files of studies
//! and manoeuvres.

mod driven_inputs;
mod groups;
mod manoeuvre_diagnostics;
mod manoeuvre_names;
mod manoeuvre_sides;
mod rig;
#[path = "../../../../tests/shared/root.rs"]
mod root;
#[cfg(feature = "parquet")]
mod study_diagnostics;
#[path = "../../../../tests/shared/transcripts.rs"]
mod transcripts;
