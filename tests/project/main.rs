//! What belongs to the project and not to its motion: rules of the source, documentation, headers, licences, generated references.

mod architecture;
#[allow(dead_code)]
#[path = "../../src/math/check.rs"]
mod check;
mod documentation;
mod header;
mod licenses;
mod model_docs;
mod reference_page;
#[path = "../shared/rom_difference.rs"]
mod rom_difference;
mod rom_docs;
mod structure_docs;
#[cfg(feature = "cli")]
mod study_docs;

use ballesta::math::larger;
