//! Positions of the pairs of a planar chain, far from singular positions of the mechanism.
//!
//! Any positions of the pairs give an assembled mechanism, because a link connects the positions of its pairs. J is the
//! Jacobian of the constraints and the handled freedoms with respect to the positions (x, y, θ) of the moving links. It
//! must have full column rank. The program uses the pseudo-random layout with the largest smallest singular value.
//!
//! Let v(p) = (ẋ − θ̇ p_y, ẏ + θ̇ p_x) on each link of the pair at p. Rows of a revolute pair: v₁ − v₂ = 0 (2 rows).
//! Rows of a prismatic pair along u: θ̇₁ − θ̇₂ = 0 and n·(v₁ − v₂) = 0. Row of a higher pair, a point of one link on a
//! curve of the other with tangent u: n·(v₁ − v₂) = 0. Row of a handled freedom: θ̇₁ − θ̇₂ or u·(v₁ − v₂). Lengths are
//! in m.
//!
//! A chain with more inputs than mobility keeps the inputs whose rows are independent of the rows before. Parallel
//! cranks may keep more inputs. In this layout some links rotate by one common angle, each with a constant c. The
//! others translate, each with a vector w that rotates by this angle and is 0 for the ground. The pairs are at c + w in
//! every position, for any number of cranks.
//!
//! Verified by: crates/cli/tests/cli/new.rs (models of all chains of the gallery assemble, run, and have the groups of
//! their matrices).

use ballesta::topology::groups::{Adjacency, Pair, Structure};
use nalgebra::{DMatrix, DVector};

/// Smallest acceptable singular value of J.
const MIN_SINGULAR_VALUE: f64 = 1e-3;
/// Residual of a unit row that depends on the rows before.
const DEPENDENCE_TOLERANCE: f64 = 1e-9;
/// Distance between two positions, in m.
const DISTANCE: f64 = 0.2;
/// Directions of sliders and tangents between moving links.
const DIRECTIONS: [[f64; 2]; 8] =
    [[1.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 1.0], [-1.0, 2.0], [-1.0, 1.0], [-2.0, 1.0]];
const MAX_LAYOUTS: usize = 400;
const SEED: u64 = 0x5eed;
/// Total angle of the links, in rad, and travel of the sliders, in m, caused by the drivers.
const TOTAL_MOTION: f64 = 0.3;

/// A freedom of a pair: moved by an input, or held by a spring if an input is missing.
#[derive(Clone, Copy, Debug)]
pub struct Handle {
    pub pair: usize,
    /// Whether the freedom is a translation.
    pub slides: bool,
    pub spring: bool,
}

/// The inputs of the chain, then springs for missing inputs. For a higher pair the angle precedes the travel.
pub fn handles(adjacency: &Adjacency, structure: &Structure, prismatic: &[bool]) -> Vec<Handle> {
    let mut handles = Vec::new();
    for (pair, meaning) in adjacency.pairs.iter().enumerate() {
        let missing = structure.groups.iter().flat_map(|group| &group.missing).filter(|place| **place == pair).count();
        for number in 0..meaning.freedom.min(meaning.inputs + missing) {
            let slides = if is_higher(meaning) { number > 0 } else { prismatic[pair] };
            handles.push(Handle { pair, slides, spring: number >= meaning.inputs });
        }
    }
    handles.sort_by_key(|handle| handle.spring);
    handles
}

/// Wheels in mesh at a higher pair of links a and b, with axes on a link c: z_a (θ_a − θ_c) + z_b (θ_b − θ_c) = 0.
#[derive(Clone, Debug)]
pub struct Gear {
    pub pair: usize,
    /// Teeth of the wheels on the links of the pair; negative for a ring gear.
    pub teeth: [f64; 2],
    /// For each wheel the lower pairs, with signs, whose angles add up to its angle on c.
    pub angles: [Vec<(usize, f64)>; 2],
}

impl Gear {
    /// Finds c: it has a pair with one wheel, and a pair with the other wheel or with a link f connected to the other
    /// wheel. `None` if there is no such link.
    pub fn find(adjacency: &Adjacency, prismatic: &[bool], pair: usize, teeth: [f64; 2]) -> Option<Gear> {
        let hinge = |from: usize, to: usize| {
            let wanted = [from.min(to), from.max(to)];
            let found = adjacency.pairs.iter().position(|pair| pair.links == wanted && !is_higher(pair));
            found.filter(|&pair| !prismatic[pair]).map(|pair| (pair, if from < to { 1.0 } else { -1.0 }))
        };
        let on = |carrier: usize, wheel: usize| {
            let through = |link: usize| Some(vec![hinge(link, wheel)?, hinge(carrier, link)?]);
            let direct = hinge(carrier, wheel).map(|pair| vec![pair]);
            direct.or_else(|| (0..adjacency.links).filter(|&link| link != wheel).find_map(through))
        };
        let of = |carrier: usize| {
            let [a, b] = adjacency.pairs[pair].links.map(|wheel| on(carrier, wheel));
            let (a, b) = (a?, b?);
            // Of two choices with a common axis, prefer a moving carrier, as for a planet.
            let rank = (a.len() + b.len(), carrier == adjacency.ground);
            (rank.0 < 4).then_some((rank, [a, b]))
        };
        let carriers = (0..adjacency.links).filter(|link| !adjacency.pairs[pair].links.contains(link));
        let (_, angles) = carriers.filter_map(of).min_by_key(|(rank, _)| *rank)?;
        Some(Gear { pair, teeth, angles })
    }

    /// The pairs of one wheel whose axes are one.
    fn coaxial(&self) -> Option<(usize, usize)> {
        self.angles.iter().find(|angles| angles.len() == 2).map(|angles| (angles[0].0, angles[1].0))
    }
}

/// Whether a pair lets its links slide and turn.
pub fn is_higher(pair: &Pair) -> bool {
    pair.freedom > 1
}

/// Positions, in m.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Position of every pair.
    pub pairs: Vec<[f64; 2]>,
    /// Direction of every pair, used for sliders and tangents of curves.
    pub axes: Vec<[f64; 2]>,
    /// Additional point of each link with one pair.
    pub tips: Vec<Option<[f64; 2]>>,
    /// Whether each handle is independent of the handles before.
    pub kept: Vec<bool>,
    /// Amplitude of every handle in rad or m.
    pub amplitudes: Vec<f64>,
    /// Whether the layout has parallel cranks.
    pub parallel: bool,
}

/// Chain for which positions are computed.
pub struct ChainProblem<'a> {
    pub adjacency: &'a Adjacency,
    /// Whether each pair is a slider.
    pub prismatic: &'a [bool],
    pub handles: &'a [Handle],
    pub gears: &'a [Gear],
}

impl ChainProblem<'_> {
    /// The best layout; `None` if all are singular.
    pub fn place(&self) -> Option<Layout> {
        let general = self.best(&|random| random.layout(self.adjacency, self.gears));
        let count =
            |layout: &Option<Layout>| layout.as_ref().map_or(0, |layout| layout.kept.iter().filter(|k| **k).count());
        if count(&general) == self.handles.len() {
            return general;
        }
        let cranks = if self.is_of_cranks() { self.best(&|random| random.parallel(self.adjacency)) } else { None };
        if count(&cranks) > count(&general) { cranks } else { general }
    }

    fn best(&self, layout: &dyn Fn(&mut Random) -> Layout) -> Option<Layout> {
        let size = 3 * (self.adjacency.links - 1);
        let count = (200_000_000 / size.pow(3).max(1)).clamp(20, MAX_LAYOUTS);
        let mut random = Random(SEED);
        // Independence is equal for almost all layouts.
        let sample = (0..8).map(|_| {
            let (constraints, handles) = self.rows(&layout(&mut random));
            independent(constraints.iter().chain(&handles)).split_off(constraints.len())
        });
        let kept = sample.max_by_key(|kept| kept.iter().filter(|kept| **kept).count())?;
        let mut random = Random(SEED);
        let mut best: Option<(f64, Layout)> = None;
        for _ in 0..count {
            let layout = Layout { kept: kept.clone(), ..layout(&mut random) };
            let (constraints, handles) = self.rows(&layout);
            let handles = handles.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(row, _)| row);
            let rows: Vec<_> = constraints.into_iter().chain(handles).collect();
            let least = if rows.len() < size { 0.0 } else { matrix(&rows, size).singular_values().min() };
            if best.as_ref().is_none_or(|(before, _)| least > *before) {
                best = Some((least, layout));
            }
        }
        let (_, mut layout) = best.filter(|(least, _)| *least >= MIN_SINGULAR_VALUE)?;
        layout.amplitudes = self.amplitudes(&layout);
        Some(layout)
    }

    /// Whether, at every pair, one link can rotate and the other cannot.
    fn is_of_cranks(&self) -> bool {
        let adjacency = self.adjacency;
        if self.prismatic.contains(&true) || adjacency.pairs.iter().any(is_higher) {
            return false;
        }
        let mut turns = vec![None; adjacency.links];
        turns[adjacency.ground] = Some(false);
        for _ in 0..adjacency.links {
            for pair in &adjacency.pairs {
                let [a, b] = pair.links;
                turns[a] = turns[a].or(turns[b].map(|turns: bool| !turns));
                turns[b] = turns[b].or(turns[a].map(|turns| !turns));
            }
        }
        adjacency.pairs.iter().all(|pair| turns[pair.links[0]] != turns[pair.links[1]])
    }

    /// Per handle: the amplitude at which no link exceeds its share of [`TOTAL_MOTION`].
    fn amplitudes(&self, layout: &Layout) -> Vec<f64> {
        let size = 3 * (self.adjacency.links - 1);
        let (mut rows, handles) = self.rows(layout);
        let first = rows.len();
        rows.extend(handles);
        let chosen = independent(rows.iter());
        let square: Vec<_> =
            rows.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|(row, _)| row.clone()).collect();
        let factors = matrix(&square, size).lu();
        let share = |row: usize| {
            let at = chosen[..row].iter().filter(|chosen| **chosen).count();
            let unit = DVector::from_fn(size, |i, _| if i == at && chosen[row] { 1.0 } else { 0.0 });
            let moved = factors.solve(&unit).map_or(1.0, |moved| moved.amax());
            // Rounded down to two digits.
            (100.0 * TOTAL_MOTION / moved.max(1.0)).floor().max(1.0) / 100.0
        };
        (first..rows.len()).map(share).collect()
    }

    /// Constraints of all pairs, and the handles.
    fn rows(&self, layout: &Layout) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let ground = self.adjacency.ground;
        let column = |link: usize| (link != ground).then(|| 3 * (link - usize::from(link > ground)));
        // A row with these weights for the components of v and θ̇.
        let empty = || vec![0.0; 3 * (self.adjacency.links - 1)];
        let row = |index: usize, [wx, wy]: [f64; 2], turn: f64| {
            let [px, py] = layout.pairs[index];
            let mut row = empty();
            for (link, sign) in self.adjacency.pairs[index].links.into_iter().zip([1.0, -1.0]) {
                if let Some(at) = column(link) {
                    row[at] += sign * wx;
                    row[at + 1] += sign * wy;
                    row[at + 2] += sign * (turn + wy * px - wx * py);
                }
            }
            row
        };
        let mut constraints = Vec::new();
        for (index, pair) in self.adjacency.pairs.iter().enumerate() {
            let [ux, uy] = layout.axes[index];
            if let Some(gear) = self.gears.iter().find(|gear| gear.pair == index) {
                let mut teeth = empty();
                for (angles, teeth_of) in gear.angles.iter().zip(gear.teeth) {
                    for &(hinge, sign) in angles {
                        // Unit size like the other rows; rows are first link minus second link.
                        let weight = -sign * teeth_of / (gear.teeth[0].abs() + gear.teeth[1].abs());
                        teeth.iter_mut().zip(row(hinge, [0.0; 2], weight)).for_each(|(sum, part)| *sum += part);
                    }
                }
                constraints.push(teeth);
            } else if self.prismatic[index] || is_higher(pair) {
                constraints.push(row(index, [-uy, ux], 0.0));
            } else {
                constraints.extend([row(index, [1.0, 0.0], 0.0), row(index, [0.0, 1.0], 0.0)]);
            }
            if self.prismatic[index] {
                constraints.push(row(index, [0.0; 2], 1.0));
            }
        }
        let handle = |handle: &Handle| match handle.slides {
            true => row(handle.pair, layout.axes[handle.pair], 0.0),
            false => row(handle.pair, [0.0; 2], 1.0),
        };
        (constraints, self.handles.iter().map(handle).collect())
    }
}

fn matrix(rows: &[Vec<f64>], columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows.len(), columns, |i, j| rows[i][j])
}

/// Rows that are independent of the rows before (Gram-Schmidt, twice).
fn independent<'a>(rows: impl Iterator<Item = &'a Vec<f64>>) -> Vec<bool> {
    let mut basis: Vec<DVector<f64>> = Vec::new();
    rows.map(|row| {
        let mut rest = DVector::from_column_slice(row);
        rest /= rest.norm();
        for unit in basis.iter().chain(&basis) {
            let along = unit.dot(&rest);
            rest.axpy(-along, unit, 1.0);
        }
        let is_new = rest.norm() > DEPENDENCE_TOLERANCE;
        if is_new {
            basis.push(rest.normalize());
        }
        is_new
    })
    .collect()
}

/// Deterministic pseudo-random numbers (a 64-bit linear congruential generator, Knuth's constants).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }

    /// A position on a grid of 1 cm, away from the others if possible.
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

    fn layout(&mut self, adjacency: &Adjacency, gears: &[Gear]) -> Layout {
        let count = adjacency.pairs.len() + adjacency.links;
        // A square with room for four times as many points.
        let side = (2.0 * 100.0 * DISTANCE * (count as f64).sqrt()).ceil() as usize;
        let mut points: Vec<[f64; 2]> = Vec::new();
        for _ in &adjacency.pairs {
            let point = self.point(&points, side);
            points.push(point);
        }
        let mut pairs = points.clone();
        for (wheel, carrier) in gears.iter().filter_map(Gear::coaxial) {
            pairs[wheel] = pairs[carrier];
        }
        // Wheels touch on the line of their centres, in the ratio of their teeth.
        for Gear { pair, teeth: [m, n], angles: [a, b] } in gears {
            let (a, b) = (pairs[a[0].0], pairs[b[0].0]);
            pairs[*pair] = [0, 1].map(|axis| (n * a[axis] + m * b[axis]) / (m + n));
        }
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
        Layout { pairs, axes, tips, kept: Vec::new(), amplitudes: Vec::new(), parallel: false }
    }

    /// A layout of parallel cranks. Its pairs are at c + w, with c of the rotating link and w of the other link.
    fn parallel(&mut self, adjacency: &Adjacency) -> Layout {
        let mut layout = self.layout(adjacency, &[]);
        let side = (2.0 * 100.0 * DISTANCE * (adjacency.links as f64).sqrt()).ceil() as usize;
        let mut vectors: Vec<[f64; 2]> = Vec::new();
        for _ in 0..adjacency.links {
            let vector = self.point(&vectors, side);
            vectors.push(vector);
        }
        vectors[adjacency.ground] = [0.0; 2];
        for (place, pair) in layout.pairs.iter_mut().zip(&adjacency.pairs) {
            let [a, b] = pair.links;
            *place = [vectors[a][0] + vectors[b][0], vectors[a][1] + vectors[b][1]];
        }
        layout.parallel = true;
        layout
    }
}
