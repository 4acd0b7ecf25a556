//! Checks that need more than one key.

use super::{Diagnostic, Source, schema::Model};

/// Everything that is wrong with a model whose shape is right.
pub(super) fn validate(_model: &Model, _source: &Source, _replaced: &[String]) -> Vec<Diagnostic> {
    Vec::new()
}
