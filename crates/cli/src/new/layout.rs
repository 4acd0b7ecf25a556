//! A place for every pair of a plane chain, so that the mechanism stands well away from singular positions.
//!
//! Any places of the pairs are an assembled position: a link is what joins the places of its pairs. Which of them are
//! good says the Jacobian J of the constraints and the drivers in the positions (x, y, θ) of the moving links, square
//! for a determined chain: the best of many pseudo-random layouts is the one with the largest least singular value.
//!
//! Rows of J, with v(p) = (ẋ − θ̇ p_y, ẏ + θ̇ p_x) on either link of the pair at p: revolute, v₁ − v₂ = 0 (2);
//! prismatic along u, θ̇₁ − θ̇₂ = 0 and n·(v₁ − v₂) = 0; an input, θ̇₁ − θ̇₂ or u·(v₁ − v₂). Lengths in m.
//!
//! Proved by: crates/cli/tests/cli/new.rs (models of the gallery's chains assemble, run, and have the groups of their
//! matrices).

use ballesta::topology::groups::Adjacency;
use nalgebra::{DMatrix, DVector};

/// Layouts whose J has a smaller singular value are no better than singular ones.
const SINGULAR: f64 = 1e-3;
/// Between two places, in m.
const DISTANCE: f64 = 0.2;
/// Directions of sliders between moving links.
const DIRECTIONS: [[f64; 2]; 8] =
    [[1.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 1.0], [-1.0, 2.0], [-1.0, 1.0], [-2.0, 1.0]];
const MOST_LAYOUTS: usize = 400;
/// Angle of the links, in rad, and way of the sliders, in m, that the drivers may cause together.
const MOTION: f64 = 0.3;

/// Where everything is, in m.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Place of every pair.
    pub pairs: Vec<[f64; 2]>,
    /// Direction of every pair; of use for sliders.
    pub axes: Vec<[f64; 2]>,
    /// A further point of links with one pair.
    pub tips: Vec<Option<[f64; 2]>>,
    /// Amplitude of every driver in rad or m, in the order of the driven pairs.
    pub amplitudes: Vec<f64>,
}

/// The best layout of a determined chain without higher pairs; `prismatic` says it of every pair. None: all are
/// singular.
pub fn place(adjacency: &Adjacency, prismatic: &[bool]) -> Option<Layout> {
    let size = 3 * (adjacency.links - 1);
    let count = (200_000_000 / size.pow(3).max(1)).clamp(20, MOST_LAYOUTS);
    let mut random = Random(0x5eed);
    let mut best: Option<(f64, Layout)> = None;
    for _ in 0..count {
        let layout = random.layout(adjacency);
        let least = jacobian(adjacency, prismatic, &layout).singular_values().min();
        if best.as_ref().is_none_or(|(before, _)| least > *before) {
            best = Some((least, layout));
        }
    }
    let (least, mut layout) = best?;
    if least < SINGULAR {
        return None;
    }
    layout.amplitudes = amplitudes(jacobian(adjacency, prismatic, &layout));
    let driven = adjacency.pairs.iter().filter(|pair| pair.inputs > 0).count();
    layout.amplitudes = layout.amplitudes.split_off(layout.amplitudes.len() - driven);
    Some(layout)
}

/// Per row of J as a driver: the amplitude with which no link moves further than its share of [`MOTION`].
fn amplitudes(jacobian: DMatrix<f64>) -> Vec<f64> {
    let size = jacobian.nrows();
    let factors = jacobian.lu();
    let share = |row: usize| {
        let unit = DVector::from_fn(size, |i, _| if i == row { 1.0 } else { 0.0 });
        let moved = factors.solve(&unit).map_or(1.0, |moved| moved.amax());
        // Two digits, downwards.
        (100.0 * MOTION / moved.max(1.0)).floor().max(1.0) / 100.0
    };
    (0..size).map(share).collect()
}

/// Constraints of all pairs, then the inputs of the driven ones.
fn jacobian(adjacency: &Adjacency, prismatic: &[bool], layout: &Layout) -> DMatrix<f64> {
    let size = 3 * (adjacency.links - 1);
    let column = |link: usize| (link != adjacency.ground).then(|| 3 * (link - usize::from(link > adjacency.ground)));
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut inputs: Vec<Vec<f64>> = Vec::new();
    for (index, pair) in adjacency.pairs.iter().enumerate() {
        let [px, py] = layout.pairs[index];
        let [ux, uy] = layout.axes[index];
        // A row that takes the components of v and θ̇ with these weights.
        let row = |wx: f64, wy: f64, turn: f64| {
            let mut row = vec![0.0; size];
            for (link, sign) in [(pair.links[0], 1.0), (pair.links[1], -1.0)] {
                if let Some(at) = column(link) {
                    row[at] += sign * wx;
                    row[at + 1] += sign * wy;
                    row[at + 2] += sign * (turn + wy * px - wx * py);
                }
            }
            row
        };
        if prismatic[index] {
            rows.extend([row(0.0, 0.0, 1.0), row(-uy, ux, 0.0)]);
        } else {
            rows.extend([row(1.0, 0.0, 0.0), row(0.0, 1.0, 0.0)]);
        }
        if pair.inputs > 0 {
            inputs.push(if prismatic[index] { row(ux, uy, 0.0) } else { row(0.0, 0.0, 1.0) });
        }
    }
    rows.extend(inputs);
    DMatrix::from_fn(rows.len(), size, |i, j| rows[i][j])
}

/// Deterministic pseudo-random numbers (a 64-bit linear congruential generator, Knuth's constants).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }

    /// A place on a grid of 1 cm, away from the others if there is room.
    fn point(&mut self, others: &[[f64; 2]], side: usize) -> [f64; 2] {
        let far = |a: [f64; 2]| {
            let near =
                |b: &[f64; 2]| (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) < DISTANCE * DISTANCE;
            !others.iter().any(near)
        };
        let mut point = [0.0; 2];
        for _ in 0..100 {
            point = [0; 2].map(|_| self.below(side + 1) as f64 / 100.0);
            if far(point) {
                break;
            }
        }
        point
    }

    fn layout(&mut self, adjacency: &Adjacency) -> Layout {
        let count = adjacency.pairs.len() + adjacency.links;
        // A square with room for four times as many points.
        let side = (2.0 * 100.0 * DISTANCE * (count as f64).sqrt()).ceil() as usize;
        let mut points: Vec<[f64; 2]> = Vec::new();
        for _ in &adjacency.pairs {
            let point = self.point(&points, side);
            points.push(point);
        }
        let pairs = points.clone();
        let mut tips = vec![None; adjacency.links];
        for link in (0..adjacency.links).filter(|&link| link != adjacency.ground) {
            if adjacency.pairs_of(link).len() == 1 {
                let point = self.point(&points, side);
                points.push(point);
                tips[link] = Some(point);
            }
        }
        let mut axes = Vec::new();
        for pair in &adjacency.pairs {
            let [ux, uy] = DIRECTIONS[self.below(DIRECTIONS.len())];
            let long = (ux * ux + uy * uy).sqrt();
            let level = pair.links.contains(&adjacency.ground) && self.below(2) == 0;
            axes.push(if level { [1.0, 0.0] } else { [ux / long, uy / long] });
        }
        Layout { pairs, axes, tips, amplitudes: Vec::new() }
    }
}
