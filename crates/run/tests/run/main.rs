//! Inputs over time, structural groups of chains and models.

mod driven_inputs;
mod groups;
#[path = "../../../../tests/shared/root.rs"]
mod root;
#[path = "../../../../tests/shared/transcripts.rs"]
mod transcripts;
