//! Roads as heights on a grid, over the range of the wheels.

use ballesta::compile::elements::road;
use ballesta::force::road::Road;
use ballesta::model::Document;
use serde::Serialize;

use super::encode::{Series, series};

/// Smallest grid spacing along and across, m.
const MIN_GRID_SPACING: f64 = 0.1;
/// Largest number of grid points.
const MAX_GRID_POINTS: f64 = 30_000.0;
/// Resolution of heights, m.
const HEIGHT: f64 = 1e-3;

/// A road of the page.
#[derive(Serialize)]
pub struct Surface {
    /// Row in the tree.
    pub i: Option<usize>,
    /// First corner, m.
    pub from: [f64; 2],
    /// Distance of the points along x and y, m.
    pub step: [f64; 2],
    /// Number of points along x and y.
    pub count: [usize; 2],
    /// Heights, m, along x first.
    pub z: Series,
}

/// The roads of a model between the corners `low` and `high` of the ground that is shown; a level road if there are
/// tyres but no road.
pub fn roads(
    document: &Document,
    values: &[f64],
    low: [f64; 2],
    high: [f64; 2],
    row: impl Fn(&str) -> Option<usize>,
) -> Vec<Surface> {
    let model = &document.model;
    if model.tyres.is_empty() && model.wheel_ports.is_empty() {
        return Vec::new();
    }
    let number = |number: &ballesta::model::schema::Number| model.resolve(number, values);
    let tables = model.roads.iter().zip(&document.height_maps);
    let mut roads: Vec<Road> = tables.map(|(table, map)| road(table, [map.as_deref(), None], &number)).collect();
    if roads.is_empty() {
        roads.push(Road::flat());
    }
    roads.iter().map(|road| surface(road, low, high, row(&road.name))).collect()
}

fn surface(road: &Road, low: [f64; 2], high: [f64; 2], i: Option<usize>) -> Surface {
    let size = [0, 1].map(|k| (high[k] - low[k]).max(1.0));
    let mut across = 0.5;
    let mut fine = MIN_GRID_SPACING;
    while size[0] / fine * (size[1] / across) > MAX_GRID_POINTS {
        fine *= 1.25;
        across = f64::max(across, 2.0 * fine);
    }
    let wanted = if road.is_plane() { size } else { [fine, across] };
    let count = [0, 1].map(|k| (size[k] / wanted[k]).ceil() as usize + 1);
    let step = [0, 1].map(|k| size[k] / (count[k] - 1) as f64);
    let place = |k: usize, n: usize| low[k] + n as f64 * step[k];
    let heights: Vec<f64> = (0..count[1])
        .flat_map(|y| (0..count[0]).map(move |x| (x, y)))
        .map(|(x, y)| road.surface(place(0, x), place(1, y)).height)
        .collect();
    Surface { i, from: low, step, count, z: series(&heights, HEIGHT) }
}
