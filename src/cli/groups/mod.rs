//! `ballesta groups`: structural groups of a plane chain or of a model, and their order.

mod diagram;
mod drawing;
mod plane;
mod spatial;

pub use spatial::{Entry, entries, table};

use super::arguments::{self, Assignment};
use super::failure::Failure;
use super::{model, output_file, text};
use crate::dynamics::groups::structural_groups;
use crate::model::adjacency::{self, Chain};
use crate::system::System;
use crate::system::groups::SpatialGroups;
use crate::topology::groups::{Adjacency, Structure, analyse};
use diagram::Diagram;
use std::path::{Path, PathBuf};

/// What `ballesta groups` is going to report.
pub struct Plan {
    file: PathBuf,
    subject: Subject,
    json: bool,
    dot: Option<PathBuf>,
    svg: Option<PathBuf>,
}

enum Subject {
    Plane(Chain, Adjacency, Structure),
    Spatial(Box<System>, SpatialGroups),
}

impl Plan {
    /// Reads the file and finds the groups.
    pub fn resolve(typed: arguments::Groups) -> Result<Plan, Failure> {
        let arguments::Groups { subject: path, json, dot, svg, set } = typed;
        let file = model::model_file(&path);
        let bytes = crate::document::file::read(&file).map_err(|error| Failure::file("read", &file, error))?;
        let subject = if adjacency::is_adjacency(&String::from_utf8_lossy(&bytes)) {
            plane(&file, &set)?
        } else {
            let document = model::open(&path)?;
            let system = model::compile(&document, &set, false)?.system;
            let groups = structural_groups(&system);
            Subject::Spatial(Box::new(system), groups)
        };
        Ok(Plan { file, subject, json, dot, svg })
    }

    /// Writes the diagrams and prints the groups.
    pub fn execute(self) -> Result<(), Failure> {
        let diagram = match &self.subject {
            Subject::Plane(chain, adjacency, structure) => plane::diagram(chain, adjacency, structure),
            Subject::Spatial(system, groups) => spatial::diagram(system, groups),
        };
        self.draw(&diagram)?;
        match &self.subject {
            Subject::Plane(chain, adjacency, structure) if self.json => {
                text::say_json(&plane::findings(chain, adjacency, structure))
            }
            Subject::Plane(chain, adjacency, structure) => {
                text::say(&plane::page(&self.file, chain, adjacency, structure))
            }
            Subject::Spatial(system, groups) if self.json => text::say_json(&spatial::findings(system, groups)),
            Subject::Spatial(system, groups) => {
                let title = format!("{}  ({})\n", system.name(), self.file.display());
                text::say(&(title + &spatial::page(&entries(groups), &groups.idle)))
            }
        }
    }

    fn draw(&self, diagram: &Diagram) -> Result<(), Failure> {
        if let Some(path) = &self.dot {
            output_file::write(path, diagram.dot().as_bytes())?;
        }
        if let Some(path) = &self.svg {
            output_file::write(path, drawing::draw(diagram).as_bytes())?;
        }
        Ok(())
    }
}

fn plane(file: &Path, set: &[Assignment]) -> Result<Subject, Failure> {
    if let Some(Assignment { name, .. }) = set.first() {
        return Err(Failure::Usage(format!("--set {name}: an adjacency matrix has no parameters")));
    }
    let chain = adjacency::load(file)?;
    let adjacency = Adjacency::new(&chain.codes(), chain.ground_link());
    let structure = analyse(&adjacency);
    Ok(Subject::Plane(chain, adjacency, structure))
}
