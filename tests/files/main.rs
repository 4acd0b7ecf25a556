//! Files that are read and made: models with their subassemblies, and tyres; their diagnostics.

mod assemblies;
mod curved_roads;
mod frames;
mod model_diagnostics;
#[allow(dead_code)]
#[path = "../shared/models.rs"]
mod models;
mod placed_defaults;
#[path = "../shared/transcripts.rs"]
mod transcripts;
mod tyre_files;
