//! Curves: points at which all tyres are evaluated, in the order of the table.

use super::{Point, QUANTITIES, Tyres};

/// Points of a curve on each side of zero.
const HALF: i32 = 50;
/// Slip angles of the combined Fx and Fy curves, as fractions of the ends.
pub const COMBINED: [f64; 4] = [0.125, 0.25, 0.5, 1.0];

/// Curves of a table, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sweep {
    /// Over κ without slip angle.
    Longitudinal,
    /// Over α without longitudinal slip.
    Lateral,
    /// Over κ at a slip angle in rad.
    Combined(f64),
}

/// Columns of equal length: names, units, values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Name and unit of every column.
    pub columns: Vec<(String, &'static str)>,
    /// Values, column by column.
    pub series: Vec<Vec<f64>>,
}

/// Slips between two ends with zero in the middle; symmetric if the ends are symmetric.
fn slips([least, most]: [f64; 2]) -> impl Iterator<Item = f64> {
    (-HALF..=HALF).map(move |i| {
        let part = f64::from(i.abs()) / f64::from(HALF);
        part * if i < 0 { least } else { most }
    })
}

impl Tyres {
    /// The points of a curve.
    pub fn sweep(&self, sweep: Sweep, load: f64, camber: f64) -> Vec<Point> {
        match sweep {
            Sweep::Longitudinal => slips(self.kappa).map(|kappa| self.point(load, camber, kappa, 0.0)).collect(),
            Sweep::Lateral => slips(self.alpha).map(|alpha| self.point(load, camber, 0.0, alpha)).collect(),
            Sweep::Combined(alpha) => slips(self.kappa).map(|kappa| self.point(load, camber, kappa, alpha)).collect(),
        }
    }

    /// Slip angles of the combined Fx and Fy curves, rad, ascending.
    pub fn combined(&self) -> Vec<f64> {
        let [least, most] = self.alpha;
        let below = COMBINED.iter().rev().map(|part| part * least);
        below.chain(COMBINED.iter().map(|part| part * most)).filter(|alpha| *alpha != 0.0).collect()
    }

    /// Every point of the table: per load and camber over κ and over α, then combined slip at zero camber and the
    /// middle load.
    fn table_points(&self) -> Vec<Point> {
        let mut points = Vec::new();
        for load in &self.loads {
            for camber in &self.cambers {
                points.extend(self.sweep(Sweep::Longitudinal, *load, *camber));
                points.extend(self.sweep(Sweep::Lateral, *load, *camber));
            }
        }
        let combined = |alpha: f64| self.sweep(Sweep::Combined(alpha), self.middle_load(), 0.0);
        points.extend(self.combined().into_iter().flat_map(combined));
        points
    }

    /// All curves: load, camber, κ, α, then [`QUANTITIES`] of every tyre, prefixed with its name if there are several.
    pub fn table(&self) -> Table {
        let points = self.table_points();
        let mut table = Table::default();
        let mut add = |name: String, unit, series: Vec<f64>| {
            table.columns.push((name, unit));
            table.series.push(series);
        };
        add("load".to_string(), "N", points.iter().map(|point| point.load.unwrap_or_default()).collect());
        add("camber".to_string(), "rad", points.iter().map(|point| point.camber).collect());
        add("kappa".to_string(), "1", points.iter().map(|point| point.kappa).collect());
        add("alpha".to_string(), "rad", points.iter().map(|point| point.alpha).collect());
        for tyre in &self.tyres {
            let outputs: Vec<_> = points.iter().map(|point| tyre.output(point)).collect();
            for (name, unit, value) in QUANTITIES {
                let name = if self.tyres.len() > 1 { format!("{}.{name}", tyre.name) } else { name.to_string() };
                add(name, unit, outputs.iter().map(value).collect());
            }
        }
        table
    }
}
