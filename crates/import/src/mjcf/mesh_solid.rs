//! Mass properties of meshes, by MuJoCo's rules for the key `inertia` of a mesh.
//!
//! A solid mesh is a set of tetrahedra from a point C to its triangles, with volumes V_k. The volumes are signed with
//! `exact`, and absolute values with `legacy`, the default. C is first the mean of all triangles, weighted by their
//! areas, and then the centre of mass. `convex` means the convex hull. A `shell` has its mass on the
//! triangles: density 1 means 1 kg/m².
//!
//! From an OBJ file with several objects MuJoCo uses all vertices, but only the triangles of the first object. Here the
//! triangles of all objects count, and the import lists it.

use super::Asset;
use crate::hull;
use crate::meshes::Meshes;
use crate::mjcf::defaults::Spec;
use ballesta::math::{Mat3, Vec3};

/// Remedy for a mesh without mass properties.
pub const MESH_CURE: &str = "correct the mesh, give the body an <inertial>, or give the geom mass=\"0\"";

/// The key `inertia` of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Legacy,
    Exact,
    /// The volume of the convex hull.
    Convex,
    Shell,
}

/// Volume (area of a shell), centre and inertia at density 1.
pub struct MeshSolid {
    /// m³ or m².
    pub measure: f64,
    /// In the frame of the geom, m.
    pub centre: Vec3,
    /// About the centre, axes of the geom, m⁵ or m⁴.
    pub inertia: Mat3,
}

impl Rule {
    /// The rule of a mesh; `None`, with an error, if it is not supported.
    pub fn of(spec: &Spec, asset: &Asset) -> Option<Rule> {
        match asset.inertia.as_str() {
            "legacy" => Some(Rule::Legacy),
            "exact" => Some(Rule::Exact),
            "convex" => Some(Rule::Convex),
            "shell" => Some(Rule::Shell),
            other => {
                let found = format!("the mesh has inertia=\"{other}\"");
                spec.wrong("mesh", found, "write legacy, exact, convex or shell");
                None
            }
        }
    }
}

/// The reason why a mesh has no mass properties.
pub enum MeshFault {
    /// The mesh cannot be read; a note has the reason.
    Unread,
    /// An error has the reason.
    Reported,
}

/// Triangles of a mesh in the frame of the geom, m; `None`, with a note, if it cannot be read.
pub fn triangles(spec: &Spec, asset: &Asset, meshes: &mut Meshes) -> Option<Vec<[Vec3; 3]>> {
    meshes.mesh(spec.files, asset.place, &asset.path)?;
    let objects = meshes.objects(&asset.path);
    if objects > 1 {
        let text = format!("all {objects} objects of the mesh are used; MuJoCo uses only the first");
        spec.note("mesh", format!("{text}: export the mesh as one object"));
    }
    let mesh = meshes.mesh(spec.files, asset.place, &asset.path)?;
    let corners: Vec<Vec3> = mesh.corners.iter().map(|corner| Vec3::from(*corner)).collect();
    let corners = placed(&corners, asset);
    let corner = |index: u32| corners[index as usize];
    let mut triangles: Vec<[Vec3; 3]> = mesh.triangles.iter().map(|triangle| triangle.map(corner)).collect();
    if asset.scale.iter().product::<f64>() < 0.0 {
        triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
    }
    Some(triangles)
}

/// Vertices of a mesh in the frame of the geom, m.
fn placed(corners: &[Vec3], asset: &Asset) -> Vec<Vec3> {
    corners.iter().map(|corner| vertex(asset, corner)).collect()
}

/// A vertex of a mesh in the frame of the geom, m.
pub fn vertex(asset: &Asset, corner: &Vec3) -> Vec3 {
    asset.frame.inverse().point(corner).component_mul(&Vec3::from(asset.scale))
}

/// The mass properties of a mesh.
///
/// # Errors
/// A mesh that cannot be read or has no mass properties.
pub fn of(spec: &Spec, asset: &Asset, meshes: &mut Meshes) -> Result<MeshSolid, MeshFault> {
    let by = Rule::of(spec, asset).ok_or(MeshFault::Reported)?;
    let wrong = |why: &str| {
        spec.wrong("mesh", why, MESH_CURE);
        MeshFault::Reported
    };
    let mut triangles = triangles(spec, asset, meshes).ok_or(MeshFault::Unread)?;
    // The volumes of a legacy mesh depend on its triangles.
    if by == Rule::Legacy && meshes.has_concave_faces(&asset.path) {
        spec.note(
            "mesh",
            "mesh with concave faces of more than four corners: MuJoCo divides them into other triangles",
        );
    }
    if by == Rule::Convex {
        let points = placed(&meshes.corners(&asset.path), asset);
        let hull = hull::triangles(&points).ok_or_else(|| wrong("the mesh has no convex hull"))?;
        triangles = hull.into_iter().map(|corners| corners.map(|corner| points[corner])).collect();
    }
    let solid = MeshSolid::new(&triangles, by).map_err(wrong)?;
    if solid.measure < 0.0 {
        return Err(wrong("the volume of the mesh is negative: its triangles are inverted"));
    }
    Ok(solid)
}

/// Volume and its first and second moments about `from`.
fn moments(triangles: &[[Vec3; 3]], from: Vec3, by: Rule) -> (f64, Vec3, Mat3) {
    let (mut volume, mut first, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| corner - from);
        let sum = a + b + c;
        let products = a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose();
        if by == Rule::Shell {
            let area = 0.5 * (b - a).cross(&(c - a)).norm();
            volume += area;
            first += sum * (area / 3.0);
            second += products * (area / 12.0);
            continue;
        }
        let signed = a.dot(&b.cross(&c)) / 6.0;
        let part = if by == Rule::Legacy { signed.abs() } else { signed };
        volume += part;
        first += sum * (part / 4.0);
        second += products * (part / 20.0);
    }
    (volume, first, second)
}

impl MeshSolid {
    /// From triangles in the frame of the geom; an error with the fault of the mesh.
    pub fn new(triangles: &[[Vec3; 3]], by: Rule) -> Result<MeshSolid, &'static str> {
        let (area, first, _) = moments(triangles, Vec3::zeros(), Rule::Shell);
        let middle = first / area;
        let (measure, first, _) = moments(triangles, middle, by);
        let centre = middle + first / measure;
        let (measure, _, second) = moments(triangles, centre, by);
        let inertia = Mat3::identity() * second.trace() - second;
        let is_sound = measure != 0.0 && inertia.iter().chain(&centre).all(|x| x.is_finite());
        let is_small = |x: f64| x.abs() <= 1e-12 * area.powf(1.5);
        if !is_sound || (by != Rule::Shell && is_small(measure)) {
            return Err("the mesh encloses no volume");
        }
        Ok(MeshSolid { measure, centre, inertia })
    }
}
