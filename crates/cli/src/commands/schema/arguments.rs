//! Arguments of `ballesta schema`.

use clap::{Args, ValueEnum};

/// `ballesta schema`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ballesta schema > ballesta.schema.json
  ballesta schema structure > structure.schema.json
To use a schema with taplo or Even Better TOML for VS Code, put this in the first line of a file:
  #:schema ./ballesta.schema.json")]
pub struct Schema {
    /// File format
    #[arg(value_enum, default_value_t = FileKind::Model)]
    pub kind: FileKind,
    /// Accepted for consistency; the output is always JSON
    #[arg(long)]
    pub json: bool,
}

/// File formats that `ballesta schema` describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileKind {
    /// model.toml: mechanism
    Model,
    /// subassembly: file of a `[[use]]`
    Assembly,
    /// structure.toml: structure to reduce
    Structure,
    /// *.rom.toml: reduced-order model
    Rom,
    /// displacements and stresses per coordinate of a reduced-order model
    Recovery,
    /// adjacency matrix for `ballesta groups`
    Adjacency,
    /// parameter study
    Study,
    /// manoeuvre of a vehicle
    Manoeuvre,
}
