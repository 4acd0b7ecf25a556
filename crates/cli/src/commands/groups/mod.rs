//! `ballesta groups`: structural groups of a planar chain or of a model, and their order.

pub mod arguments;
mod enumeration;
mod solve;

use crate::text;
use ballesta::analysis::groups::SpatialGroups;
use ballesta::analysis::groups::group_equations::spatial_sizes;
use ballesta::analysis::groups::structural_groups;
use ballesta::model::Document;
use ballesta::system::System;
use ballesta::topology::groups::drivers::{Choice, choices};
use ballesta::topology::groups::plane_coordinates::sizes;
use ballesta::topology::groups::{Adjacency, Structure, analyse};
use ballesta_files::{Failure, output_file};
use ballesta_pictures::groups::diagram::Diagram;
use ballesta_pictures::groups::structural_graph::Graph;
use ballesta_pictures::groups::{drawing, drivers, plane, spatial_page};
use ballesta_pictures::picture;
use ballesta_run::adjacency::{self, Chain};
use ballesta_run::groups as findings;
use ballesta_run::model;
use ballesta_run::model::Assignment;
use std::path::{Path, PathBuf};

/// Resolved `ballesta groups` command.
pub struct Plan {
    file: PathBuf,
    subject: Subject,
    looks: OutputOptions,
    dot: Option<PathBuf>,
    svg: Option<PathBuf>,
    graph: Vec<PathBuf>,
}

/// Output options.
struct OutputOptions {
    json: bool,
    circles: bool,
    coordinates: bool,
}

enum Subject {
    Plane(Chain, Adjacency, Structure),
    Drivers(Chain, Adjacency, Vec<Choice>),
    Spatial(Box<Model>),
    Positions(Box<solve::Plan>),
    Synthesis(arguments::Synthesis),
}

/// A compiled model with its groups.
struct Model {
    document: Document,
    parameters: Vec<f64>,
    system: System,
    groups: SpatialGroups,
}

impl Plan {
    /// Reads the file and finds the groups.
    pub fn resolve(typed: arguments::Groups) -> Result<Plan, Failure> {
        let arguments::Groups { subject, json, dot, svg, graph, circles, coordinates, drivers, set, solve, synthesis } =
            typed;
        let looks = OutputOptions { json, circles, coordinates };
        // Without a file, the groups come from a list of synthesis options.
        let Some(path) = subject else {
            let subject = Subject::Synthesis(synthesis);
            return Ok(Plan { file: PathBuf::new(), subject, looks, dot, svg, graph });
        };
        // Reject options without the output that they need, and outputs that overwrite the model.
        if circles && dot.is_none() && svg.is_none() {
            return Err(Failure::Usage("--circles needs a diagram: add --svg or --dot".into()));
        }
        for path in graph.iter().filter(|path| !is_dot(path)) {
            picture::parse(&path.to_string_lossy())
                .map_err(|right| Failure::Usage(format!("--graph {}: {right}, or .dot", path.display())))?;
        }
        let file = model::model_file(&path);
        let pictures = graph.iter().map(|path| ("--graph", Some(path.as_path())));
        let outputs: Vec<_> =
            [("--dot", dot.as_deref()), ("--svg", svg.as_deref())].into_iter().chain(pictures).collect();
        output_file::keep_apart(&outputs, std::slice::from_ref(&file))?;
        // The content, not the file name, decides between an adjacency matrix and a model.
        let bytes = ballesta::document::file::read(&file).map_err(|error| Failure::file("read", &file, error))?;
        let subject = if adjacency::is_adjacency(&String::from_utf8_lossy(&bytes)) {
            if solve.solve {
                let message = "--solve needs a model, not an adjacency matrix; `ballesta new --adjacency` creates one";
                return Err(Failure::Usage(message.into()));
            }
            plane(&file, &set, drivers.is_some())?
        // Drivers and graph apply only to planar adjacency matrices.
        } else if let Some(option) = drivers.map(|_| "--drivers").or(graph.first().map(|_| "--graph")) {
            let right = "expected an adjacency file; `ballesta check` lists the independent coordinates \
                         of a model";
            return Err(Failure::Usage(format!("{option}: {} is a model; {right}", file.display())));
        // Solving positions needs geometry; the structural groups of a model need only its topology.
        } else if solve.solve {
            Subject::Positions(Box::new(solve::Plan::resolve(&path, &set, solve, json)?))
        } else {
            let document = model::open(&path)?;
            let system = model::compile(&document, &set, false)?.system;
            let groups = structural_groups(&system);
            Subject::Spatial(Box::new(Model {
                parameters: model::parameters(&document, &set)?,
                document,
                system,
                groups,
            }))
        };
        Ok(Plan { file, subject, looks, dot, svg, graph })
    }

    /// Writes the diagrams and prints the groups.
    pub fn execute(self) -> Result<(), Failure> {
        let OutputOptions { json, coordinates, .. } = self.looks;
        match self.subject {
            // Planar chain: kinematic structure, diagram and graph.
            Subject::Plane(ref chain, ref adjacency, ref structure) => {
                self.draw(plane::diagram(chain, adjacency, structure))?;
                self.draw_graph(&Graph::new(chain, adjacency, structure))?;
                let sizes = if coordinates { sizes(adjacency, structure) } else { Vec::new() };
                match json {
                    true => text::say_json(&plane::findings(chain, adjacency, structure, &sizes)),
                    false => text::say(&plane::page(&self.file, chain, adjacency, structure, &sizes)),
                }
            }
            // All choices of inputs of a planar chain.
            Subject::Drivers(ref chain, ref adjacency, ref choices) => match json {
                true => text::say_json(&drivers::findings(chain, adjacency, choices)),
                false => text::say(&drivers::page(&self.file, chain, adjacency, choices)),
            },
            // Spatial model: diagram and, on request, sizes in other coordinates.
            Subject::Spatial(ref model) => {
                let (system, groups) = (&model.system, &model.groups);
                self.draw(spatial_page::diagram(system, groups))?;
                let mut report = findings::findings(system, groups);
                if coordinates {
                    let sizes = spatial_sizes(&model.document, &model.parameters, system, groups);
                    let message = "--coordinates: not available for flexible bodies, whose coordinates are modes; \
                        use a model of rigid bodies";
                    report.add_sizes(&sizes.ok_or_else(|| Failure::Usage(message.into()))?);
                }
                let title = format!("{}  ({})\n", system.name(), self.file.display());
                match json {
                    true => text::say_json(&report),
                    false => text::say(&(title + &spatial_page::page(&report.groups, &groups.idle))),
                }
            }
            // Positions solved group by group, and the list of all chains with given numbers.
            Subject::Positions(plan) => plan.execute(),
            Subject::Synthesis(typed) => enumeration::execute(&typed, json),
        }
    }

    fn draw(&self, mut diagram: Diagram) -> Result<(), Failure> {
        diagram.circles = self.looks.circles;
        if let Some(path) = &self.dot {
            output_file::write(path, diagram.dot().as_bytes())?;
        }
        if let Some(path) = &self.svg {
            picture::write(path, &drawing::draw(&diagram))?;
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
