//! The counts of a publication beside those of the model.

use super::text;
use ballesta::model::schema::Published;
use ballesta::system::Report;
use serde::Serialize;

/// `published` of `check --json`: what the publication says, and the same of this model.
#[derive(Serialize)]
pub(super) struct Comparison {
    source: String,
    published: Counts,
    model: Counts,
}

/// Counts in the view of Hidalgo & García de Jalón: a joint of the tree with n coordinates is n joints with n − 1
/// massless bodies between them; a cut joint is one joint; a guided coordinate is counted as such, not as a joint. With
/// guided joints counted, no cuts would give the sizes of their van: docs/vehicles/van.md.
#[derive(Serialize)]
struct Counts {
    dof: Option<usize>,
    bodies: Option<usize>,
    massless_bodies: Option<usize>,
    joints: Option<usize>,
    rods: Option<usize>,
    guided: Option<usize>,
    coordinates: Option<usize>,
    jacobian: Jacobian,
}

/// The Jacobian of the closure equations with respect to the dependent coordinates.
#[derive(Serialize)]
struct Jacobian {
    rows: Option<usize>,
    columns: Option<usize>,
    rank: Option<usize>,
    density: Option<f64>,
}

impl Comparison {
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
                },
            },
        }
    }

    /// The part of the page.
    pub fn page(&self) -> String {
        let mut rows = vec![["", "published", "this model", ""].map(str::to_string).to_vec()];
        let mut row = |name: &str, cell: &dyn Fn(&Counts) -> Option<String>, remark: &str| {
            let cells = [&self.published, &self.model].map(|counts| cell(counts).unwrap_or_else(|| "–".into()));
            let [published, model] = cells;
            rows.push(vec![name.into(), published, model, remark.into()]);
        };
        let number = |value: Option<usize>| value.map(|value| value.to_string());
        row("degrees of freedom", &|counts| number(counts.dof), "");
        row(
            "bodies",
            &|counts| number(counts.bodies),
            "joints of the tree with n coordinates as n joints, n − 1 massless bodies between",
        );
        row("without mass", &|counts| number(counts.massless_bodies), "");
        row("joints", &|counts| number(counts.joints), "cut ones too, guided ones not");
        row("rods", &|counts| number(counts.rods), "");
        row("guided coordinates", &|counts| number(counts.guided), "");
        row("relative coordinates", &|counts| number(counts.coordinates), "");
        let size = |counts: &Counts| Some(format!("{} × {}", counts.jacobian.rows?, counts.jacobian.columns?));
        row("Jacobian", &size, "closure equations × dependent coordinates");
        row("its rank", &|counts| number(counts.jacobian.rank), "");
        let redundant = |counts: &Counts| {
            number(counts.jacobian.rows.zip(counts.jacobian.columns).map(|(r, c)| r.saturating_sub(c)))
        };
        row("redundant equations", &redundant, "");
        let percent = |counts: &Counts| Some(format!("{} %", text::short(100.0 * counts.jacobian.density?, 3)));
        row("its density", &percent, "at the start");
        format!("\nCompared with {}\n{}", self.source, text::table(&rows))
    }
}
