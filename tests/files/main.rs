//! Files that are read and made: models, structures, matrices, reduced-order models, tyres; their diagnostics, and what random changes of them do.

mod assemblies;
#[allow(dead_code)]
#[path = "../../src/math/check.rs"]
mod check;
mod fuzzed;
mod lumped;
mod matrices;
mod matrix_diagnostics;
mod model_diagnostics;
mod reduction;
mod rom;
mod structure_diagnostics;
mod study_diagnostics;
#[path = "../shared/transcripts.rs"]
mod transcripts;
mod tyre_files;

use ballesta::math::larger;
