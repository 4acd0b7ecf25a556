//! The convex hull of points, with faces in one plane merged: made once, before the first step.
//!
//! Every plane through three points with all others on one side of it, within 1e-9 of the size, is a face; its corners
//! are found by going round the points in it. With n points n⁴/6 distances: 3 million for 64.

use super::polytope::{Edge, Face, MOST, Polytope};
use crate::math::{Vec3, larger};

/// Distances below this part of the size are zero.
const FLAT: f64 = 1e-9;

/// The hull of points; none where they lie in a plane, or where it has more than [`MOST`] faces.
pub(crate) fn hull(points: &[Vec3]) -> Option<Polytope> {
    let middle = points.iter().sum::<Vec3>() / points.len().max(1) as f64;
    let size = points.iter().map(|point| (point - middle).norm()).fold(0.0, larger);
    let mut faces: Vec<(Face, Vec<usize>)> = Vec::new();
    for (i, a) in points.iter().enumerate() {
        for (j, b) in points.iter().enumerate().skip(i + 1) {
            for c in points.iter().skip(j + 1) {
                let across = (b - a).cross(&(c - a));
                if !(across.norm() > FLAT * size * size) {
                    continue;
                }
                for normal in [across.normalize(), -across.normalize()] {
                    let heights: Vec<f64> = points.iter().map(|point| normal.dot(&(point - a))).collect();
                    if heights.iter().any(|height| *height > FLAT * size) {
                        continue;
                    }
                    let on: Vec<usize> = (0..points.len()).filter(|k| heights[*k] >= -FLAT * size).collect();
                    let corners = around(points, &on, &normal, FLAT * size * size);
                    if !faces.iter().any(|(_, known)| *known == corners) {
                        faces.push((Face { normal, offset: normal.dot(a) }, corners));
                    }
                }
            }
        }
    }
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
    let solid = faces.len() >= 4 && faces.len() <= MOST && used.len() + faces.len() == edges.len() + 2;
    let corners = used.into_iter().map(|k| points[k]).collect();
    solid.then(|| Polytope { corners, edges, faces: faces.into_iter().map(|(face, _)| face).collect() })
}

/// Corner and next corner of a face.
fn sides(corners: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..corners.len()).map(|k| (corners[k], corners[(k + 1) % corners.len()]))
}

/// The corners of the face of the points `on`, counterclockwise seen against `normal`, from the lowest number on.
fn around(points: &[Vec3], on: &[usize], normal: &Vec3, flat: f64) -> Vec<usize> {
    // The point that is farthest from the first is a corner.
    let far = |from: &Vec3| {
        let distance = |k: &usize| (points[*k] - from).norm_squared();
        on.iter().copied().max_by(|a, b| distance(a).total_cmp(&distance(b)).then(b.cmp(a))).unwrap_or(0)
    };
    let start = on.first().map_or(0, |first| far(&points[*first]));
    let mut corners = vec![start];
    while corners.len() <= on.len() {
        let at = points[corners[corners.len() - 1]];
        let mut next = None;
        for &k in on {
            let ahead = points[k] - at;
            if ahead.norm_squared() <= flat * FLAT {
                continue;
            }
            let turns = next.map_or(f64::NEG_INFINITY, |next: usize| (points[next] - at).cross(&ahead).dot(normal));
            let farther = next.is_some_and(|next| ahead.norm() > (points[next] - at).norm());
            if turns < -flat || (turns <= flat && farther) {
                next = Some(k);
            }
        }
        match next {
            Some(next) if next != start => corners.push(next),
            _ => break,
        }
    }
    let lowest = (0..corners.len()).min_by_key(|k| corners[*k]).unwrap_or(0);
    corners.rotate_left(lowest);
    corners
}

/// A box with half its lengths.
pub(crate) fn cuboid(half: &Vec3) -> Vec<Vec3> {
    (0..8)
        .map(|k| Vec3::from([0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -half[axis] } else { half[axis] })))
        .collect()
}

/// Sides of the prism that stands for a cylinder.
pub(crate) const SIDES: usize = 32;

/// A prism of [`SIDES`] sides with the corners on a cylinder.
pub(crate) fn prism(radius: f64, half: f64) -> Vec<Vec3> {
    let corner = |k: usize, z: f64| {
        let (sine, cosine) = crate::math::elementary::sin_cos(std::f64::consts::TAU * k as f64 / SIDES as f64);
        Vec3::new(radius * cosine, radius * sine, z)
    };
    (0..SIDES).flat_map(|k| [corner(k, -half), corner(k, half)]).collect()
}
