//! Tests of the solver with models, roads and tyres from files. They are here and not in the crate of the solver, which
//! reads no files.

mod articulated;
mod enveloping;
mod evaluation;
mod extent;
mod flexible_motion;
mod guided;
mod gyroscopic;
mod implicit;
mod integration;
mod residual_modes;
mod road;
mod snapshot;
mod tyre_contact;
mod tyre_on_road;

use ballesta_model::Document;
use std::path::PathBuf;

/// The models of the gallery with their folders, in the order of their names.
fn gallery() -> Vec<(PathBuf, Document)> {
    let entries = std::fs::read_dir("../../models").expect("readable");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    folders.retain(|folder| folder.join("model.toml").is_file());
    folders.sort();
    let load = |folder: PathBuf| {
        let document = ballesta_model::load(&folder).unwrap_or_else(|errors| panic!("{errors}"));
        (folder, document)
    };
    folders.into_iter().map(load).collect()
}
