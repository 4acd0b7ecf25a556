//! `ballesta schema`: the JSON schema of model files.

use super::failure::Failure;
use super::text;
use crate::model::schema::Model;

/// Prints the schema that editors check model files against.
pub fn execute() -> Result<(), Failure> {
    text::say_json(&schemars::schema_for!(Model))
}
