//! Input files in TOML: reading a file into plain types, and diagnostics with their positions.
//!
//! The types of a file (model, structure, reduced-order model) derive their JSON schema. [`read`] checks a file against
//! the part of the schema that [`compact()`] keeps and records the position of each key. It continues after an error,
//! so that all errors of a file are reported at once.

mod compact_schema;
pub mod diagnostic;
pub mod file;
pub mod nearest;
mod numbers;
mod read;
mod reader;
pub mod schema_shape;
pub mod source;
mod values;

pub use compact_schema::{FileSchema, compact, embedded};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use read::{LineIndex, Reading, read, read_long, text_of, whole_file};
#[cfg(feature = "schema")]
pub use schema_shape::json_schema;
pub use source::{Source, Span, Transform};

/// Largest number in a file of matrices, in any unit: products and squares of two of them remain finite.
pub const MAX_NUMBER: f64 = 1e60;
pub use values::from_value;
