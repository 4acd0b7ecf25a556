//! What belongs to the project and not to its motion: rules of the source, documentation, licences, generated
//! references, and what random changes of files do.

mod architecture;
#[allow(dead_code)]
#[path = "../../../../crates/solver/src/check/numbers.rs"]
mod check;
mod documentation;
mod fuzzed;
mod licenses;
mod manoeuvre_docs;
mod model_docs;
mod reference_page;
#[path = "../../../../tests/shared/rom_difference.rs"]
mod rom_difference;
mod rom_docs;
#[path = "../../../../tests/shared/root.rs"]
mod root;
mod schema_files;
mod structure_docs;
mod study_docs;

use ballesta::math::larger;
