//! The counts of a publication compared with the counts of the model.

use ballesta::model::schema::Published;
use ballesta::system::Report;
use serde::Serialize;

/// `published` of `check --json`: the counts of the publication and of this model.
#[derive(Serialize)]
pub struct Comparison {
    pub source: String,
    pub published: Counts,
    pub model: Counts,
}

/// Counts in the view of Hidalgo & García de Jalón: a joint of the tree with n coordinates is n joints with n − 1
/// massless bodies between them; a cut joint is one joint; a driven coordinate is counted separately, not as a joint.
/// If driven coordinates were counted as joints, no choice of cuts would give the sizes of their van:
/// docs/vehicles/van.md.
#[derive(Serialize)]
pub struct Counts {
    pub dof: Option<usize>,
    pub bodies: Option<usize>,
    pub massless_bodies: Option<usize>,
    pub joints: Option<usize>,
    pub rods: Option<usize>,
    pub guided: Option<usize>,
    pub coordinates: Option<usize>,
    pub jacobian: Jacobian,
}

/// The Jacobian of the closure equations with respect to the dependent coordinates.
#[derive(Serialize)]
pub struct Jacobian {
    pub rows: Option<usize>,
    pub columns: Option<usize>,
    pub rank: Option<usize>,
    /// Nonzero entries at the start.
    pub density: Option<f64>,
    /// Entries of a coordinate on the loop of an equation. A publication has one density, with an unknown definition.
    pub density_by_structure: Option<f64>,
}

impl Comparison {
    /// Both sets of counts.
    pub fn new(published: &Published, report: &Report) -> Comparison {
        let between = report.massless_between;
        let jacobian = published.jacobian;
        Comparison {
            source: published.source.clone(),
            published: Counts {
                dof: published.dof,
                bodies: published.bodies,
                massless_bodies: published.massless_bodies,
                joints: published.joints,
                rods: published.rods,
                guided: published.guided,
                coordinates: published.coordinates,
                jacobian: Jacobian {
                    rows: jacobian.map(|size| size[0]),
                    columns: jacobian.map(|size| size[1]),
                    rank: None,
                    density: published.density,
                    density_by_structure: None,
                },
            },
            model: Counts {
                dof: Some(report.dof),
                bodies: Some(report.bodies + between),
                massless_bodies: Some(report.massless_bodies + between),
                joints: Some(report.one_dof_joints - report.guided),
                rods: Some(report.rods),
                guided: Some(report.guided),
                coordinates: Some(report.coordinates),
                jacobian: Jacobian {
                    rows: Some(report.constraints),
                    columns: Some(report.constraints - report.redundant),
                    rank: Some(report.constraints - report.redundant),
                    density: Some(report.density),
                    density_by_structure: Some(report.density_by_structure),
                },
            },
        }
    }
}
