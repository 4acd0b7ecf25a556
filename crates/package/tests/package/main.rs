//! FMUs as they are packed, and as the importer finds them.

#[cfg(feature = "importer")]
mod importer;
mod package;
#[path = "../../../../tests/shared/root.rs"]
mod root;
