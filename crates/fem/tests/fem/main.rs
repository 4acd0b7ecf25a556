//! Structures, matrices and reduced-order models that are read and made, and their diagnostics.

#[allow(dead_code)]
#[path = "../../../../crates/solver/src/check/numbers.rs"]
mod check;
mod flexible_exact;
mod flexible_spinning;
mod lumped;
mod matrices;
mod matrix_diagnostics;
mod reduced;
mod reduction;
mod rom;
#[path = "../../../../tests/shared/root.rs"]
mod root;
#[path = "../../../../tests/shared/sample.rs"]
mod sample;
mod stressed;
mod structure_diagnostics;
#[path = "../../../../tests/shared/transcripts.rs"]
mod transcripts;

use ballesta::math::larger;
