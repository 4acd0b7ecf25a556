//! Triangles of unit size with normals; their axis is z. Meshes of files get smooth normals, except at kinks.

use ballesta::math::Vec3;
use ballesta::math::elementary::sin_cos;
use ballesta::model::shapes::Mesh;
use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Position and normal of a vertex.
type Corner = (Vec3, Vec3);

/// Triangles, three vertices each.
#[derive(Clone, Debug, Default)]
pub struct Solid {
    /// Vertices of the triangles, counter-clockwise seen from outside.
    pub corners: Vec<Corner>,
}

/// Data of a solid in a file: every pair of position and normal once.
pub struct Indexed {
    /// Positions, m.
    pub places: Vec<[f32; 3]>,
    /// Normals of unit length.
    pub normals: Vec<[f32; 3]>,
    /// Vertex indices, three per triangle.
    pub indices: Vec<u32>,
}

/// Cosine of the angle beyond which an edge of a file's mesh stays sharp, 35°.
const SHARP_EDGE_COSINE: f64 = 0.819;

impl Solid {
    fn triangle(&mut self, corners: [Corner; 3]) {
        let [a, b, c] = corners.map(|corner| corner.0);
        let area = (b - a).cross(&(c - a));
        if area.norm() > 0.0 {
            // Seen from the side to which the normals point.
            let outside = area.dot(&corners.iter().map(|corner| corner.1).sum::<Vec3>()) >= 0.0;
            self.corners.extend(if outside { corners } else { [corners[0], corners[2], corners[1]] });
        }
    }

    fn square(&mut self, [a, b, c, d]: [Corner; 4]) {
        self.triangle([a, b, c]);
        self.triangle([a, c, d]);
    }

    /// Each pair of position and normal once.
    pub fn indexed(&self) -> Indexed {
        let mut numbers: HashMap<[u32; 6], u32> = HashMap::new();
        let mut out = Indexed { places: Vec::new(), normals: Vec::new(), indices: Vec::new() };
        for (place, normal) in &self.corners {
            let (place, normal) = ([0, 1, 2].map(|k| place[k] as f32 + 0.0), [0, 1, 2].map(|k| normal[k] as f32 + 0.0));
            let key = [place[0], place[1], place[2], normal[0], normal[1], normal[2]].map(f32::to_bits);
            out.indices.push(*numbers.entry(key).or_insert_with(|| {
                out.places.push(place);
                out.normals.push(normal);
                (out.places.len() - 1) as u32
            }));
        }
        out
    }
}

/// A surface of revolution from pairs of radius and height, from the bottom to the top; kinks stay sharp.
pub fn lathe(profile: &[[f64; 2]], around: usize) -> Solid {
    let mut solid = Solid::default();
    for pair in profile.windows(2) {
        let [[r0, z0], [r1, z1]] = [pair[0], pair[1]];
        let length = (r1 - r0).hypot(z1 - z0);
        let (nr, nz) = ((z1 - z0) / length, (r0 - r1) / length);
        for k in 0..around {
            let [a, b] = [k, k + 1].map(|k| sin_cos(TAU * (k % around) as f64 / around as f64));
            let corner =
                |r: f64, z: f64, (s, c): (f64, f64)| (Vec3::new(r * c, r * s, z), Vec3::new(nr * c, nr * s, nz));
            solid.square([corner(r0, z0, a), corner(r0, z0, b), corner(r1, z1, b), corner(r1, z1, a)]);
        }
    }
    solid
}

/// Cylinder of radius 1, from −0.5 to 0.5.
pub fn cylinder(around: usize) -> Solid {
    lathe(&[[0.0, -0.5], [1.0, -0.5], [1.0, 0.5], [0.0, 0.5]], around)
}

/// Cube with unit edges, centred at the origin.
pub fn block() -> Solid {
    let mut solid = Solid::default();
    for axis in 0..3 {
        for side in [-0.5, 0.5] {
            let corner = |u: f64, v: f64| {
                let (mut place, mut normal) = (Vec3::zeros(), Vec3::zeros());
                (place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3]) = (side, u, v);
                normal[axis] = 2.0 * side;
                (place, normal)
            };
            solid.square([corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)]);
        }
    }
    solid
}

/// Capsule: half spheres of `radius` about two centres at a distance of `length` on the z axis, and the cylinder
/// between them; a sphere if `length` is 0.
pub fn capsule(radius: f64, length: f64, around: usize, rings: usize) -> Solid {
    let mut solid = Solid::default();
    let half = |end: f64| {
        (0..=rings).map(move |i| (FRAC_PI_2 * (i as f64 / rings as f64 - if end < 0.0 { 1.0 } else { 0.0 }), end))
    };
    let profile: Vec<(f64, f64)> = half(-1.0).chain(half(1.0)).collect();
    let corner = |(angle, end): (f64, f64), k: usize| {
        let ((s, c), (t, u)) = (sin_cos(angle), sin_cos(TAU * (k % around) as f64 / around as f64));
        let normal = Vec3::new(c * u, c * t, s);
        (radius * normal + Vec3::z() * (0.5 * end * length), normal)
    };
    for pair in profile.windows(2) {
        for k in 0..around {
            solid.square([corner(pair[0], k), corner(pair[0], k + 1), corner(pair[1], k + 1), corner(pair[1], k)]);
        }
    }
    solid
}

/// A helical wire of radius `wire` around z from 0 to 1 with `radius`, for a scale of the whole to `length`.
pub fn helix(radius: f64, wire: f64, length: f64) -> Solid {
    const TURNS: usize = 7;
    const PIECES: usize = 14;
    const SIDES: usize = 6;
    let mut solid = Solid::default();
    let corner = |i: usize, k: usize| {
        let (s, c) = sin_cos(TAU * (i % PIECES) as f64 / PIECES as f64);
        let (t, u) = sin_cos(TAU * (k % SIDES) as f64 / SIDES as f64);
        let middle = Vec3::new(radius * c, radius * s, 0.03 + 0.94 * i as f64 / (TURNS * PIECES) as f64);
        let normal = Vec3::new(u * c, u * s, t);
        (
            middle + wire * Vec3::new(normal.x, normal.y, normal.z / length),
            normal.component_mul(&Vec3::new(1.0, 1.0, length)).normalize(),
        )
    };
    for i in 0..TURNS * PIECES {
        for k in 0..SIDES {
            solid.square([corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1)]);
        }
    }
    solid
}

/// The triangles of a file.
pub fn of_file(mesh: &Mesh) -> Solid {
    let corner = |k: u32| Vec3::from(mesh.corners[k as usize]);
    let areas: Vec<Vec3> = mesh
        .triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(corner);
            (b - a).cross(&(c - a))
        })
        .collect();
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); mesh.corners.len()];
    for (face, triangle) in mesh.triangles.iter().enumerate() {
        triangle.iter().for_each(|corner| around[*corner as usize].push(face));
    }
    let mut solid = Solid::default();
    for (face, triangle) in mesh.triangles.iter().enumerate() {
        let Some(direction) = areas[face].try_normalize(0.0) else { continue };
        let normal = |corner: u32| {
            let near = around[corner as usize].iter().map(|other| areas[*other]);
            let near = near
                .filter(|area| area.try_normalize(0.0).is_some_and(|unit| unit.dot(&direction) > SHARP_EDGE_COSINE));
            near.sum::<Vec3>().try_normalize(0.0).unwrap_or(direction)
        };
        solid.corners.extend(triangle.map(|k| (corner(k), normal(k))));
    }
    solid
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn volume(solid: &Solid) -> f64 {
        solid.corners.chunks(3).map(|t| t[0].0.dot(&t[1].0.cross(&t[2].0)) / 6.0).sum()
    }

    #[test]
    fn closed_solids_have_their_volumes_so_that_all_triangles_face_outwards() {
        for (name, solid, expected, by) in [
            ("cylinder", cylinder(96), PI, 2e-3),
            ("block", block(), 1.0, 1e-12),
            ("sphere", capsule(1.0, 0.0, 96, 24), 4.0 / 3.0 * PI, 3e-3),
            ("capsule", capsule(0.5, 2.0, 96, 24), PI / 6.0 + PI / 2.0, 3e-3),
            ("cone", lathe(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 96), PI / 3.0, 2e-3),
        ] {
            let found = volume(&solid);
            assert!((found - expected).abs() < by * expected, "{name}: {found} {expected}");
            assert!(solid.corners.iter().all(|(_, normal)| (normal.norm() - 1.0).abs() < 1e-12), "{name}");
        }
        assert!(volume(&helix(1.0, 0.1, 1.0)) > 0.0);
    }

    #[test]
    fn normals_of_a_file_are_smooth_but_for_kinks() {
        let cylinder = cylinder(24).indexed();
        let corners: Vec<[f64; 3]> = cylinder.places.iter().map(|place| place.map(f64::from)).collect();
        // Vertices that coincide up to rounding are the same.
        let mut places: Vec<[f64; 3]> = Vec::new();
        let mut number = |corner: [f64; 3]| {
            places.iter().position(|other| *other == corner).unwrap_or_else(|| {
                places.push(corner);
                places.len() - 1
            }) as u32
        };
        let triangles = cylinder.indices.chunks(3).map(|t| [0, 1, 2].map(|k| number(corners[t[k] as usize]))).collect();
        let solid = of_file(&Mesh { corners: places, triangles });
        for (place, normal) in solid.corners {
            let radial = Vec3::new(place.x, place.y, 0.0);
            let expected = if normal.z.abs() > 0.5 { Vec3::z() * normal.z.signum() } else { radial };
            // Of the faces at a vertex, 15° apart, one side counts twice: a deviation of 2.5°.
            assert!((normal - expected).norm() < 0.05, "{place} {normal}");
        }
    }
}
