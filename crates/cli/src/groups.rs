//! `ballesta groups`: structural groups of a plane chain or of a model, and their order.

use super::arguments::{self, Assignment};
use super::failure::Failure;
use super::{model, output_file, picture, text};
use ballesta::analysis::groups::SpatialGroups;
use ballesta::analysis::groups::structural_groups;
use ballesta::system::System;
use ballesta::topology::groups::drivers::{Choice, choices};
use ballesta::topology::groups::{Adjacency, Structure, analyse};
use ballesta_experiment::adjacency::{self, Chain};
use ballesta_experiment::groups as findings;
use ballesta_pictures::groups::diagram::Diagram;
use ballesta_pictures::groups::graph::Graph;
use ballesta_pictures::groups::{drawing, drivers, plane, spatial};
use std::path::{Path, PathBuf};

/// What `ballesta groups` is going to report.
pub struct Plan {
    file: PathBuf,
    subject: Subject,
    json: bool,
    dot: Option<PathBuf>,
    svg: Option<PathBuf>,
    graph: Vec<PathBuf>,
}

enum Subject {
    Plane(Chain, Adjacency, Structure),
    Drivers(Chain, Adjacency, Vec<Choice>),
    Spatial(Box<System>, SpatialGroups),
}

impl Plan {
    /// Reads the file and finds the groups.
    pub fn resolve(typed: arguments::Groups) -> Result<Plan, Failure> {
        let arguments::Groups { subject: path, json, dot, svg, graph, drivers, set } = typed;
        for path in graph.iter().filter(|path| !is_dot(path)) {
            picture::parse(&path.to_string_lossy()).map_err(|right| {
                Failure::Usage(format!("--graph {}: {right}; a graph may be .dot too", path.display()))
            })?;
        }
        let file = model::model_file(&path);
        let pictures = graph.iter().map(|path| ("--graph", Some(path.as_path())));
        let outputs: Vec<_> =
            [("--dot", dot.as_deref()), ("--svg", svg.as_deref())].into_iter().chain(pictures).collect();
        output_file::keep_apart(&outputs, std::slice::from_ref(&file))?;
        let bytes = ballesta::document::file::read(&file).map_err(|error| Failure::file("read", &file, error))?;
        let subject = if adjacency::is_adjacency(&String::from_utf8_lossy(&bytes)) {
            plane(&file, &set, drivers.is_some())?
        } else if let Some(option) = drivers.map(|_| "--drivers").or(graph.first().map(|_| "--graph")) {
            let right = "it needs a file with an adjacency matrix; of a model, `ballesta check` shows the independent coordinates";
            return Err(Failure::Usage(format!("{option}: {} is a model; {right}", file.display())));
        } else {
            let document = model::open(&path)?;
            let system = model::compile(&document, &set, false)?.system;
            let groups = structural_groups(&system);
            Subject::Spatial(Box::new(system), groups)
        };
        Ok(Plan { file, subject, json, dot, svg, graph })
    }

    /// Writes the diagrams and prints the groups.
    pub fn execute(self) -> Result<(), Failure> {
        match &self.subject {
            Subject::Plane(chain, adjacency, structure) => {
                self.draw(&plane::diagram(chain, adjacency, structure))?;
                self.draw_graph(&Graph::new(chain, adjacency, structure))?;
            }
            // The grammar has no pictures of choices.
            Subject::Drivers(..) => {}
            Subject::Spatial(system, groups) => self.draw(&spatial::diagram(system, groups))?,
        }
        match &self.subject {
            Subject::Plane(chain, adjacency, structure) if self.json => {
                text::say_json(&plane::findings(chain, adjacency, structure))
            }
            Subject::Plane(chain, adjacency, structure) => {
                text::say(&plane::page(&self.file, chain, adjacency, structure))
            }
            Subject::Drivers(chain, adjacency, choices) if self.json => {
                text::say_json(&drivers::findings(chain, adjacency, choices))
            }
            Subject::Drivers(chain, adjacency, choices) => {
                text::say(&drivers::page(&self.file, chain, adjacency, choices))
            }
            Subject::Spatial(system, groups) if self.json => text::say_json(&findings::findings(system, groups)),
            Subject::Spatial(system, groups) => {
                let title = format!("{}  ({})\n", system.name(), self.file.display());
                text::say(&(title + &spatial::page(&findings::entries(groups), &groups.idle)))
            }
        }
    }

    fn draw(&self, diagram: &Diagram) -> Result<(), Failure> {
        if let Some(path) = &self.dot {
            output_file::write(path, diagram.dot().as_bytes())?;
        }
        if let Some(path) = &self.svg {
            picture::write(path, &drawing::draw(diagram))?;
        }
        Ok(())
    }

    fn draw_graph(&self, graph: &Graph) -> Result<(), Failure> {
        self.graph.iter().try_for_each(|path| match is_dot(path) {
            true => output_file::write(path, graph.dot().as_bytes()),
            false => picture::write(path, &graph.svg()),
        })
    }
}

fn is_dot(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("dot"))
}

fn plane(file: &Path, set: &[Assignment], drivers: bool) -> Result<Subject, Failure> {
    if let Some(Assignment { name, .. }) = set.first() {
        return Err(Failure::Usage(format!("--set {name}: an adjacency matrix has no parameters")));
    }
    let chain = adjacency::load(file)?;
    let adjacency = Adjacency::new(&chain.codes(), chain.ground_link());
    if drivers {
        let choices = choices(&adjacency).map_err(|error| Failure::Usage(format!("--drivers all: {error}")))?;
        return Ok(Subject::Drivers(chain, adjacency, choices));
    }
    let structure = analyse(&adjacency);
    Ok(Subject::Plane(chain, adjacency, structure))
}
