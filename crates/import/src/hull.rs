//! Triangles of the convex hull of many points, for the mass of meshes and for contacts.
//!
//! Incremental: begin with a tetrahedron; each point outside replaces the faces that it sees by faces to their horizon.
//! n points and f faces cost O(n f).

use ballesta::math::{Vec3, larger};

/// Distances below this fraction of the size count as zero.
const TOLERANCE: f64 = 1e-10;

/// Triangles with outward normals, as indices of the points; `None` for coplanar points, or if round-off leaves no
/// closed surface.
pub fn triangles(points: &[Vec3]) -> Option<Vec<[usize; 3]>> {
    let size = points.iter().map(|point| (point - points[0]).amax()).fold(0.0, larger);
    let mut faces = tetrahedron(points, TOLERANCE * size)?;
    for (new, point) in points.iter().enumerate() {
        let sees = |face: &[usize; 3]| height(points, face, point) > TOLERANCE * size;
        let (visible, hidden): (Vec<_>, Vec<_>) = faces.iter().copied().partition(sees);
        if visible.is_empty() {
            continue;
        }
        let edges: Vec<[usize; 2]> = visible.iter().flat_map(edges).collect();
        let horizon = edges.iter().filter(|[a, b]| !edges.contains(&[*b, *a]));
        faces = hidden;
        faces.extend(horizon.map(|[a, b]| [*a, *b, new]));
    }
    // Each edge borders on two faces.
    let mut all: Vec<[usize; 2]> = faces.iter().flat_map(edges).collect();
    all.sort_unstable();
    let is_single = all.windows(2).all(|pair| pair[0] != pair[1]);
    (is_single && all.iter().all(|[a, b]| all.binary_search(&[*b, *a]).is_ok())).then_some(faces)
}

/// The `count` points, or fewer, that are farthest in evenly distributed directions: their hull lies inside the hull of
/// all. With the largest distance between both hulls in these directions and those between them, m.
pub fn farthest(points: &[Vec3], count: usize) -> (Vec<Vec3>, f64) {
    let reach = |chosen: &[usize], way: &Vec3| {
        let along = chosen.iter().map(|index| points[*index].dot(way));
        along.fold(f64::NEG_INFINITY, larger)
    };
    let all: Vec<usize> = (0..points.len()).collect();
    let mut chosen: Vec<usize> = Vec::new();
    for way in directions(count) {
        let best = all.iter().copied().max_by(|a, b| points[*a].dot(&way).total_cmp(&points[*b].dot(&way)));
        if let Some(best) = best.filter(|best| chosen.iter().all(|known| points[*known] != points[*best])) {
            chosen.push(best);
        }
    }
    let gap = directions(8 * count).map(|way| reach(&all, &way) - reach(&chosen, &way)).fold(0.0, larger);
    (chosen.into_iter().map(|index| points[index]).collect(), gap)
}

/// Unit vectors on a spiral with equal areas between them.
pub fn directions(count: usize) -> impl Iterator<Item = Vec3> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..count).map(move |k| {
        let z = 1.0 - (2 * k + 1) as f64 / count as f64;
        let (s, c) = ballesta::math::elementary::sin_cos(golden * k as f64);
        let radius = (1.0 - z * z).sqrt();
        Vec3::new(radius * c, radius * s, z)
    })
}

fn edges([a, b, c]: &[usize; 3]) -> [[usize; 2]; 3] {
    [[*a, *b], [*b, *c], [*c, *a]]
}

/// Distance of a point above a face, m.
fn height(points: &[Vec3], [a, b, c]: &[usize; 3], point: &Vec3) -> f64 {
    let normal = (points[*b] - points[*a]).cross(&(points[*c] - points[*a]));
    normal.dot(&(point - points[*a])) / normal.norm()
}

/// Faces of a tetrahedron of far points.
fn tetrahedron(points: &[Vec3], zero: f64) -> Option<Vec<[usize; 3]>> {
    let farthest = |distance: &dyn Fn(&Vec3) -> f64| {
        let found = (0..points.len()).max_by(|a, b| distance(&points[*a]).total_cmp(&distance(&points[*b])));
        found.filter(|index| distance(&points[*index]) > zero)
    };
    let first = farthest(&|point| (point - points[0]).norm())?;
    let a = points[first];
    let second = farthest(&|point| (point - a).norm())?;
    let along = (points[second] - a).normalize();
    let third = farthest(&|point| (point - a).cross(&along).norm())?;
    let normal = (points[second] - a).cross(&(points[third] - a)).normalize();
    let fourth = farthest(&|point| (point - a).dot(&normal).abs())?;
    let (second, third) = if (points[fourth] - a).dot(&normal) < 0.0 { (second, third) } else { (third, second) };
    Some(vec![[first, second, third], [first, fourth, second], [second, fourth, third], [third, fourth, first]])
}

/// Number of slices of a volume.
const SLICES: u32 = 16;

/// Volume in m³ of the part of the hull of `points` within `depth` of its lowest point along the unit vector `up`.
pub fn volume_below(points: &[Vec3], up: &Vec3, depth: f64) -> f64 {
    let heights: Vec<f64> = points.iter().map(|point| up.dot(point)).collect();
    let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let across = if up.x.abs() < 0.9 { up.cross(&Vec3::x()) } else { up.cross(&Vec3::y()) }.normalize();
    let other = up.cross(&across);
    // Midpoint rule over cross-sections: a section is the hull of the points in which lines between corners cross it.
    let thickness = depth / f64::from(SLICES);
    let section = |slice: u32| {
        let level = lowest + (f64::from(slice) + 0.5) * thickness;
        let mut crossed = Vec::new();
        for (low, from) in points.iter().zip(&heights).filter(|(_, height)| **height < level) {
            for (high, to) in points.iter().zip(&heights).filter(|(_, height)| **height >= level) {
                let point = low + (high - low) * ((level - from) / (to - from));
                crossed.push([across.dot(&point), other.dot(&point)]);
            }
        }
        area(crossed)
    };
    (0..SLICES).map(section).sum::<f64>() * thickness
}

/// Area of the convex hull of points in a plane: the upper chain minus the lower chain.
fn area(mut points: Vec<[f64; 2]>) -> f64 {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let below = |sign: f64| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in &points {
            let turns = |a: &[f64; 2], b: &[f64; 2]| {
                sign * ((b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]))
            };
            while chain.len() > 1 && turns(&chain[chain.len() - 2], &chain[chain.len() - 1]) <= 0.0 {
                chain.pop();
            }
            chain.push(*point);
        }
        chain.windows(2).map(|pair| 0.5 * (pair[1][0] - pair[0][0]) * (pair[0][1] + pair[1][1])).sum::<f64>()
    };
    below(-1.0) - below(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(points: &[Vec3], faces: &[[usize; 3]]) -> f64 {
        faces.iter().map(|[a, b, c]| points[*a].dot(&points[*b].cross(&points[*c])) / 6.0).sum()
    }

    #[test]
    fn a_box_with_points_inside_and_on_its_faces_has_its_volume() {
        let mut points = Vec::new();
        for k in 0..125 {
            let [x, y, z] = [k % 5, k / 5 % 5, k / 25].map(|i| 0.25 * f64::from(i));
            points.push(Vec3::new(1.0 + x, 2.0 * y, 3.0 * z));
        }
        let faces = triangles(&points).unwrap();
        assert!((volume(&points, &faces) - 6.0).abs() < 1e-12);
    }

    #[test]
    fn many_points_of_a_sphere_are_all_corners() {
        let points: Vec<Vec3> = directions(500).collect();
        let faces = triangles(&points).unwrap();
        assert_eq!(faces.len(), 2 * 500 - 4);
        assert!((volume(&points, &faces) / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.02);
        let (few, gap) = farthest(&points, 30);
        assert!(few.len() <= 30 && gap > 0.0 && gap < 0.15, "{gap}");
    }

    #[test]
    fn points_of_a_plane_have_no_hull() {
        let points = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 2.0));
        assert!(triangles(&points).is_none() && triangles(&points[..2]).is_none());
    }

    #[test]
    fn volumes_are_those_of_a_cube_on_a_face_and_on_a_corner() {
        let cube: Vec<Vec3> =
            (0..8).map(|k| Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2))).collect();
        assert!((volume_below(&cube, &Vec3::z(), 0.25) - 0.25).abs() < 1e-12);
        // A corner: V = √3/2 h³ for h below 1/√3.
        let volume = volume_below(&cube, &Vec3::new(1.0, 1.0, 1.0).normalize(), 0.5);
        assert!((volume / (0.5 * 3f64.sqrt() * 0.125) - 1.0).abs() < 2e-3, "{volume}");
    }
}
