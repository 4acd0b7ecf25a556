//! FMUs as they are packed, and as the importer finds them.

mod importer;
mod package;
#[path = "../../../../tests/shared/root.rs"]
mod root;
