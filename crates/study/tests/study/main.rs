//! Diagnostics of the files of studies.

#[path = "../../../../tests/shared/root.rs"]
mod root;
mod study_diagnostics;
#[path = "../../../../tests/shared/transcripts.rs"]
mod transcripts;
