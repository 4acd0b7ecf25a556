//! Primitives that MuJoCo fits to a mesh: a geom of a primitive type that names a mesh. `size` is ignored.
//!
//! The mesh is a set of tetrahedra from a point C to its triangles, with volumes V_k. The volumes are signed with
//! `inertia="exact"`, and absolute values with `legacy`, the default. C is first the mean of all triangles, weighted by
//! their areas, and then the centre of mass. The fitted frame has its origin in the centre of mass and the principal
//! axes of the mesh, with the smallest moment about z. The box with half lengths h and the same volume and moments I₁ ≥
//! I₂ ≥ I₃ is
//!
//! ```text
//!     h_x = ½ √(6 (I₂ + I₃ − I₁)/V), ..., h_z = ½ √(6 (I₁ + I₂ − I₃)/V)     m (at density 1).
//! ```
//!
//! The radius of a sphere is the mean of h. The radius r of a cylinder or capsule is the mean of h_x and h_y; the half
//! length is h_z and h_z − r/2. With `<compiler fitaabb>` h is half the extent of the corners in that frame, about its
//! middle. Then the radius of a sphere is the largest of h, the radius of a cylinder or capsule the larger of h_x and
//! h_y, and the half length of a capsule h_z − r.
//!
//! From an OBJ file with several objects MuJoCo uses all vertices, but only the triangles of the first object. Here the
//! triangles of all objects count, and the import lists it.

use super::{Asset, geom};
use crate::frame::Pose;
use crate::meshes::Meshes;
use crate::mjcf::defaults::Spec;
use ballesta::math::{Mat3, Vec3, larger};

/// The principal axes are undetermined if moments differ by less than this fraction of the largest.
const EQUAL_MOMENTS: f64 = 1e-6;

/// The key `inertia` of a mesh.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tetrahedra {
    Legacy,
    Exact,
}

/// A box fitted to a mesh.
pub struct FittedBox {
    /// The principal axes of the mesh, and the middle of the box.
    pub pose: Pose,
    /// Half lengths, m.
    halves: Vec3,
    is_aabb: bool,
}

/// The fitted box for a geom of a primitive type, if its mesh can be read.
pub fn fitted(spec: &Spec, asset: &Asset, meshes: &mut Meshes, is_aabb: bool) -> Option<FittedBox> {
    let kind = spec.text("type").unwrap_or("sphere");
    if !geom::FITTED.contains(&kind) {
        return None;
    }
    let by = match asset.inertia.as_str() {
        "legacy" => Tetrahedra::Legacy,
        "exact" => Tetrahedra::Exact,
        other => {
            let found = format!("a {kind} is fitted to a mesh with inertia=\"{other}\"");
            spec.wrong("mesh", found, "set inertia=\"legacy\" or \"exact\" on the mesh, or use a geom without a mesh");
            return None;
        }
    };
    meshes.mesh(spec.files, asset.place, &asset.path)?;
    let objects = meshes.objects(&asset.path);
    if objects > 1 {
        let text = format!("{kind} fitted to all {objects} objects of the mesh; MuJoCo fits only the first");
        spec.note("mesh", format!("{text}: export the mesh as one object"));
    }
    let mesh = meshes.mesh(spec.files, asset.place, &asset.path)?;
    let (scale, into) = (Vec3::from(asset.scale), asset.frame.inverse());
    let corner = |index: u32| into.point(&Vec3::from(mesh.corners[index as usize])).component_mul(&scale);
    let triangles: Vec<[Vec3; 3]> = mesh.triangles.iter().map(|triangle| triangle.map(corner)).collect();
    let fit = FittedBox::new(&triangles, by, is_aabb);
    fit.map_err(|why| spec.wrong("mesh", why, "use a geom without a mesh, with the `size` that MuJoCo computes")).ok()
}

/// Volume and its first and second moments about `from`.
fn moments(triangles: &[[Vec3; 3]], from: Vec3, by: Tetrahedra) -> (f64, Vec3, Mat3) {
    let (mut volume, mut first, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| corner - from);
        let signed = a.dot(&b.cross(&c)) / 6.0;
        let part = if by == Tetrahedra::Legacy { signed.abs() } else { signed };
        let sum = a + b + c;
        volume += part;
        first += sum * (part / 4.0);
        let products = a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose();
        second += products * (part / 20.0);
    }
    (volume, first, second)
}

impl FittedBox {
    /// From triangles in the frame of the geom, all in m; an error with the fault of the mesh, if no box fits.
    pub fn new(triangles: &[[Vec3; 3]], by: Tetrahedra, is_aabb: bool) -> Result<FittedBox, &'static str> {
        let (mut area, mut middle) = (0.0, Vec3::zeros());
        for [a, b, c] in triangles {
            let one = (b - a).cross(&(c - a)).norm();
            area += one;
            middle += (a + b + c) * (one / 3.0);
        }
        let (volume, first, _) = moments(triangles, middle / area, by);
        let centre = middle / area + first / volume;
        let (volume, _, second) = moments(triangles, centre, by);
        // A mesh with inverted triangles has a negative volume with negative moments.
        let inertia = (Mat3::identity() * second.trace() - second) / volume;
        let axes = inertia.symmetric_eigen();
        let mut order = [0, 1, 2];
        order.sort_by(|i, j| axes.eigenvalues[*j].total_cmp(&axes.eigenvalues[*i]));
        let [large, middle, small] = order.map(|index| axes.eigenvalues[index]);
        let squares = Vec3::new(middle + small - large, small + large - middle, large + middle - small) * 6.0;
        if !squares.iter().all(|square| *square > 0.0 && square.is_finite()) {
            return Err("the mesh encloses no volume");
        }
        let [x, y] = [0, 1].map(|k| axes.eigenvectors.column(order[k]).into_owned());
        let mut pose = Pose { turn: Mat3::from_columns(&[x, y, x.cross(&y)]), at: centre };
        let mut halves = squares.map(|square| 0.5 * square.sqrt());
        if is_aabb {
            if larger(EQUAL_MOMENTS * large, 0.0) > f64::min(large - middle, middle - small) {
                return Err("two principal moments of the mesh are equal: the fitaabb box is not unique");
            }
            let corners = || triangles.iter().flatten().map(|corner| pose.turn.transpose() * (corner - centre));
            let least = corners().reduce(|a, b| a.inf(&b)).unwrap_or_default();
            let most = corners().reduce(|a, b| a.sup(&b)).unwrap_or_default();
            halves = 0.5 * (most - least);
            pose.at = pose.point(&(0.5 * (least + most)));
        }
        Ok(FittedBox { pose, halves, is_aabb })
    }

    /// The sizes that a geom of this type gives as `size`.
    pub fn sizes(&self, kind: &str, factor: f64) -> Vec<f64> {
        let [x, y, z]: [f64; 3] = self.halves.into();
        let sizes = match (kind, self.is_aabb) {
            ("sphere", false) => vec![(x + y + z) / 3.0],
            ("sphere", true) => vec![larger(larger(x, y), z)],
            ("capsule", false) => vec![0.5 * (x + y), larger(0.0, z - 0.25 * (x + y))],
            ("capsule", true) => vec![larger(x, y), larger(0.0, z - larger(x, y))],
            ("cylinder", false) => vec![0.5 * (x + y), z],
            ("cylinder", true) => vec![larger(x, y), z],
            _ => vec![x, y, z],
        };
        sizes.into_iter().map(|size| size * factor).collect()
    }
}
