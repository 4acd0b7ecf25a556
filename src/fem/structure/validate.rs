//! Checks of a structure file that need no assembly.

use super::Structure;
use crate::document::Diagnostic;

/// Everything that is wrong with a structure whose shape is right; `replaced`: keys whose value is not the user's.
pub(super) fn validate(_structure: &Structure, _replaced: &[String]) -> Vec<Diagnostic> {
    Vec::new()
}
