//! Structural groups of chains and models, diagnostics of the files of studies and manoeuvres.

mod groups;
mod manoeuvre_diagnostics;
#[path = "../../../../tests/shared/root.rs"]
mod root;
#[cfg(feature = "parquet")]
mod study_diagnostics;
#[path = "../../../../tests/shared/transcripts.rs"]
mod transcripts;
