//! Manoeuvres, axles on the rig, diagnostics of the files of manoeuvres.

mod manoeuvre_diagnostics;
mod manoeuvre_names;
mod manoeuvre_sides;
mod rig;
#[path = "../../../../tests/shared/root.rs"]
mod root;
#[path = "../../../../tests/shared/transcripts.rs"]
mod transcripts;
