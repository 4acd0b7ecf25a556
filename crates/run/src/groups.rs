//! Structural groups of a model, as data.

pub mod adjacency_files;
pub mod solution;

use ballesta::analysis::groups::{SpatialGroup, SpatialGroups};
use ballesta::system::System;
use ballesta::topology::groups::plane_coordinates::Sizes;
use serde::Serialize;

/// The object of `groups --json` for a model.
#[derive(Serialize)]
pub struct GroupsReport {
    model: String,
    kind: &'static str,
    pub groups: Vec<Entry>,
    /// Constraints between bodies that cannot move.
    idle: Vec<Redundant>,
}

/// A group, in `groups --json` and `check --json`.
#[derive(Serialize)]
pub struct Entry {
    pub number: usize,
    pub bodies: Vec<String>,
    pub joints: Vec<String>,
    pub loops: Vec<String>,
    pub unknowns: Vec<String>,
    pub driven: Vec<Driven>,
    pub elastic: usize,
    pub equations: usize,
    pub rank: usize,
    pub redundant: Vec<Redundant>,
    /// Number of coordinates minus number of equations.
    pub counted_mobility: isize,
    /// Number of coordinates minus rank.
    pub mobility: usize,
    pub singular_at_start: bool,
    /// Sizes of the systems that are solved in sequence.
    pub systems: Vec<usize>,
    /// 0 is the ground.
    pub predecessors: Vec<usize>,
    /// Present on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<Coordinates>,
}

/// Unknowns and equations of a group in three kinds of coordinates.
#[derive(Clone, Copy, Serialize)]
pub struct Coordinates {
    pub relative: Size,
    pub natural: Size,
    pub reference_point: Size,
}

#[derive(Clone, Copy, Serialize)]
pub struct Size {
    pub unknowns: usize,
    pub equations: usize,
}

impl From<Sizes> for Coordinates {
    fn from(sizes: Sizes) -> Coordinates {
        let [relative, natural, reference_point] = [sizes.relative, sizes.natural, sizes.reference_point]
            .map(|size| Size { unknowns: size.unknowns, equations: size.equations });
        Coordinates { relative, natural, reference_point }
    }
}

impl GroupsReport {
    /// Adds the sizes of all groups.
    pub fn add_sizes(&mut self, sizes: &[Sizes]) {
        self.groups.iter_mut().zip(sizes).for_each(|(group, sizes)| group.coordinates = Some((*sizes).into()));
    }
}

#[derive(Serialize)]
pub struct Driven {
    pub joint: String,
    pub coordinates: usize,
    pub guided: bool,
}

#[derive(Serialize)]
pub struct Redundant {
    pub constraint: String,
    pub equations: usize,
}

impl Driven {
    /// Text for a table.
    pub fn words(&self) -> String {
        let count = if self.coordinates > 1 { format!(" ({})", self.coordinates) } else { String::new() };
        format!("{}{count}{}", self.joint, if self.guided { " guided" } else { "" })
    }
}

fn redundant(list: &[(String, usize)]) -> Vec<Redundant> {
    list.iter()
        .map(|(constraint, equations)| Redundant { constraint: constraint.clone(), equations: *equations })
        .collect()
}

/// Groups as data for JSON.
pub fn entries(groups: &SpatialGroups) -> Vec<Entry> {
    let entry = |(index, group): (usize, &SpatialGroup)| Entry {
        number: index + 1,
        bodies: group.bodies.clone(),
        joints: group.joints.clone(),
        loops: group.loops.clone(),
        unknowns: group.unknowns.clone(),
        driven: group
            .driven
            .iter()
            .map(|driven| Driven {
                joint: driven.joint.clone(),
                coordinates: driven.coordinates,
                guided: driven.guided,
            })
            .collect(),
        elastic: group.elastic,
        equations: group.equations,
        rank: group.unknowns.len(),
        redundant: redundant(&group.redundant),
        counted_mobility: group.counted(),
        mobility: group.given(),
        singular_at_start: group.rank_at_start < group.unknowns.len(),
        systems: group.systems.clone(),
        predecessors: group.predecessors.clone(),
        coordinates: None,
    };
    groups.groups.iter().enumerate().map(entry).collect()
}

/// The complete object for JSON.
pub fn findings(system: &System, groups: &SpatialGroups) -> GroupsReport {
    let model = system.name().to_string();
    GroupsReport { model, kind: "spatial", groups: entries(groups), idle: redundant(&groups.idle) }
}
