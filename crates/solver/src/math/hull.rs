//! Convex solids with flat faces: the hull of points, with faces in one plane merged; boxes. Computed once, before the
//! first step.
//!
//! Every plane through three points with all others on one side of it, within 1e-9 of the size, is a face; its corners
//! are found by gift wrapping of the points in it. With n points it computes n⁴/6 distances: 3 million for 64.

#![expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "creates a solid, before the first step")]

use super::{Vec3, larger};
use alloc::{vec, vec::Vec};

/// Largest number of faces, and of corners, of a solid.
pub const MAX_FACES: usize = 64;
/// Distances below this fraction of the size count as zero.
const FLATNESS_TOLERANCE: f64 = 1e-9;

/// A convex solid with flat faces, in body axes. A half space has one face and no corners.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Polytope {
    /// Corners, m.
    pub corners: Vec<Vec3>,
    /// Edges.
    pub(crate) edges: Vec<Edge>,
    /// Faces.
    pub(crate) faces: Vec<Face>,
}

/// A face: n · x ≤ d inside.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct Face {
    /// n, outward, unit length.
    pub normal: Vec3,
    /// d, m.
    pub offset: f64,
}

/// An edge, given by indices of corners and faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct Edge {
    /// The corners at its ends.
    pub ends: [usize; 2],
    /// The faces on its left and on its right, seen from outside in the direction from the first end to the second.
    pub faces: [usize; 2],
}

impl Polytope {
    /// z ≤ 0.
    pub fn half_space() -> Polytope {
        Polytope { corners: vec![], edges: vec![], faces: vec![Face { normal: Vec3::z(), offset: 0.0 }] }
    }

    /// Area of the largest face, m²; 0 for a half space.
    pub(crate) fn largest_face(&self) -> f64 {
        let mut twice = vec![Vec3::zeros(); self.faces.len()];
        for edge in &self.edges {
            let across = self.corners[edge.ends[0]].cross(&self.corners[edge.ends[1]]);
            twice[edge.faces[0]] += across;
            twice[edge.faces[1]] -= across;
        }
        0.5 * twice.iter().map(Vec3::norm).fold(0.0, larger)
    }

    /// The smallest distance between a face and the corner that is farthest behind it, m; infinite for a half space.
    pub(crate) fn thickness(&self) -> f64 {
        let behind = |face: &Face| {
            let depths = self.corners.iter().map(|corner| face.offset - face.normal.dot(corner));
            depths.fold(f64::NEG_INFINITY, larger)
        };
        let widths = self.faces.iter().map(behind).fold(f64::INFINITY, f64::min);
        if self.corners.is_empty() { f64::INFINITY } else { widths }
    }
}

/// Whether the hull of the points is a valid solid: 4 to 64 points that are not coplanar, with at most 64 faces.
pub fn has_hull(points: &[Vec3]) -> bool {
    (4..=MAX_FACES).contains(&points.len()) && hull(points).is_some()
}

/// The hull of the points. `None` if they are coplanar, or if the hull has more than [`MAX_FACES`] faces.
pub fn hull(points: &[Vec3]) -> Option<Polytope> {
    let size = points.iter().map(|point| (point - points[0]).amax()).fold(0.0, larger);
    // Scaled to size 1, so that squares neither overflow nor underflow.
    let scaled: Vec<Vec3> = points.iter().map(|point| (point - points[0]) / size).collect();
    let mut faces: Vec<(Face, Vec<usize>)> = Vec::new();
    // A plane through three points with no point outside contains a face.
    for (i, a) in scaled.iter().enumerate() {
        for (j, b) in scaled.iter().enumerate().skip(i + 1) {
            for c in scaled.iter().skip(j + 1) {
                let across = (b - a).cross(&(c - a));
                if !(across.norm() > FLATNESS_TOLERANCE) {
                    continue;
                }
                for normal in [across.normalize(), -across.normalize()] {
                    let height = |point: &Vec3| normal.dot(&(point - a));
                    if scaled.iter().any(|point| height(point) > FLATNESS_TOLERANCE) {
                        continue;
                    }
                    let on: Vec<usize> =
                        (0..scaled.len()).filter(|k| height(&scaled[*k]) >= -FLATNESS_TOLERANCE).collect();
                    let corners = around(&scaled, &on, &normal);
                    if !faces.iter().any(|(_, known)| *known == corners) {
                        let offset = normal.dot(a) * size + normal.dot(&points[0]);
                        faces.push((Face { normal, offset }, corners));
                    }
                }
            }
        }
    }
    // Edges: every side of a face is the reverse of a side of another.
    let mut used: Vec<usize> = faces.iter().flat_map(|(_, corners)| corners.iter().copied()).collect();
    used.sort_unstable();
    used.dedup();
    let mut edges = Vec::new();
    for (left, (_, corners)) in faces.iter().enumerate() {
        for (a, b) in sides(corners) {
            let right = faces.iter().position(|(_, corners)| sides(corners).any(|side| side == (b, a)))?;
            if a < b {
                let ends = [used.binary_search(&a).ok()?, used.binary_search(&b).ok()?];
                edges.push(Edge { ends, faces: [left, right] });
            }
        }
    }
    // Euler: V + F = E + 2.
    let solid = faces.len() >= 4 && faces.len() <= MAX_FACES && used.len() + faces.len() == edges.len() + 2;
    let corners = used.into_iter().map(|k| points[k]).collect();
    solid.then(|| Polytope { corners, edges, faces: faces.into_iter().map(|(face, _)| face).collect() })
}

/// Corner and next corner of a face.
fn sides(corners: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..corners.len()).map(|k| (corners[k], corners[(k + 1) % corners.len()]))
}

/// The corners of the face of the points `on`, counterclockwise seen against `normal`, starting with the lowest index.
fn around(points: &[Vec3], on: &[usize], normal: &Vec3) -> Vec<usize> {
    // The point farthest from the first point is a corner.
    let far = |from: &Vec3| {
        let distance = |k: &usize| (points[*k] - from).norm_squared();
        on.iter().copied().max_by(|a, b| distance(a).total_cmp(&distance(b)).then(b.cmp(a))).unwrap_or(0)
    };
    // Walk around the face: the next corner is the one with all others on its left.
    let start = on.first().map_or(0, |first| far(&points[*first]));
    let mut corners = vec![start];
    while corners.len() <= on.len() {
        let corner = points[corners[corners.len() - 1]];
        let mut next = None;
        for &k in on {
            let ahead = points[k] - corner;
            if ahead.norm() <= FLATNESS_TOLERANCE {
                continue;
            }
            let turns = next.map_or(f64::NEG_INFINITY, |next: usize| (points[next] - corner).cross(&ahead).dot(normal));
            let farther = next.is_some_and(|next| ahead.norm() > (points[next] - corner).norm());
            if turns < -FLATNESS_TOLERANCE || (turns <= FLATNESS_TOLERANCE && farther) {
                next = Some(k);
            }
        }
        match next {
            Some(next) if next != start => corners.push(next),
            _ => break,
        }
    }
    // Start with the lowest index.
    let lowest = (0..corners.len()).min_by_key(|k| corners[*k]).unwrap_or(0);
    corners.rotate_left(lowest);
    corners
}

/// A hull around the origin, stretched along the axes. Only axes with equal stretch factors keep the normals of its
/// faces.
fn stretched(points: &[Vec3], by: &Vec3) -> Option<Polytope> {
    let mut solid = hull(points)?;
    solid.corners.iter_mut().for_each(|corner| corner.component_mul_assign(by));
    solid.faces.iter_mut().for_each(|face| face.offset *= face.normal.component_mul(&face.normal).dot(by));
    Some(solid)
}

/// A box, given by half its edge lengths.
pub fn cuboid(half: &Vec3) -> Option<Polytope> {
    let side = |k: usize, axis: usize| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
    let corners: Vec<Vec3> = (0..8).map(|k| Vec3::from([0, 1, 2].map(|axis| side(k, axis)))).collect();
    stretched(&corners, half)
}
