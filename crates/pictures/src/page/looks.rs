//! Appearance of bodies: the shapes of the model file, in the frames of their bodies.

use super::encode::differences;
use super::items::{BODIES, Items};
use crate::view::scene::body_number;
use ballesta::math::Vec3;
use ballesta::model::Document;
use ballesta::model::shapes::{Form, Mesh};
use ballesta::system::System;
use serde::Serialize;
use std::sync::Arc;

/// Number of steps within the largest length of a mesh.
const MESH_STEPS: f64 = 8192.0;

/// A shape.
#[derive(Serialize)]
struct ShapePart {
    /// Row of its body in the tree; `None` for the ground.
    i: Option<usize>,
    /// Its body.
    b: usize,
    /// Number of its group.
    group: usize,
    kind: &'static str,
    /// Centre, or for a mesh the origin of its file, in the frame of the body, m.
    at: [f64; 3],
    /// Its axes in the same frame, of unit length.
    axes: [[f64; 3]; 3],
    /// Lengths along its axes, m; for a cylinder, capsule or sphere twice the radius and the length; for a mesh the
    /// scale factors of the coordinates of its file.
    size: [f64; 3],
    /// Red, green and blue from 0 to 1; `None`: colour of the body.
    colour: Option<[f64; 3]>,
    opacity: f64,
    /// Number of its mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<usize>,
}

/// A mesh with integer coordinates.
#[derive(Serialize)]
struct MeshPart {
    /// Unit of the coordinates, in the unit of the file.
    r: f64,
    /// Number of vertices.
    count: usize,
    /// Coordinates of the vertices, first all x, then y, then z, as differences.
    v: String,
    /// Indices of vertices, three per triangle, as differences.
    t: String,
}

/// Shapes, with their groups and meshes.
#[derive(Default, Serialize)]
pub struct Appearance {
    shapes: Vec<ShapePart>,
    /// Names of the groups.
    shape_groups: Vec<String>,
    meshes: Vec<MeshPart>,
}

impl Appearance {
    /// Shapes of a model with `values` for its parameters.
    pub fn new(document: &Document, system: &System, values: &[f64], items: &Items) -> Appearance {
        let model = &document.model;
        let mut looks = Appearance::default();
        let mut meshes: Vec<&Arc<Mesh>> = Vec::new();
        for (index, shape) in model.shapes.iter().enumerate() {
            let placed = model.placed_shape(shape, values);
            let b = body_number(document, system, &shape.body);
            let at: Vec3 = placed.at - system.origin - system.bodies[b].design;
            let mut mesh = None;
            let (kind, size) = match placed.form {
                Form::Box(size) => ("box", size),
                Form::Cylinder { radius, length } => ("cylinder", [radius, radius, length]),
                Form::Sphere { radius } => ("sphere", [radius; 3]),
                Form::Capsule { radius, length } => ("capsule", [radius, radius, length]),
                Form::Mesh(factors) => {
                    // A document that did not come from the command line has no meshes.
                    let Some(Some(own)) = document.meshes.get(index) else { continue };
                    let known = meshes.iter().position(|mesh| Arc::ptr_eq(mesh, own));
                    mesh = Some(known.unwrap_or_else(|| {
                        meshes.push(own);
                        meshes.len() - 1
                    }));
                    ("mesh", factors)
                }
            };
            let name = shape.group();
            let group = looks.shape_groups.iter().position(|group| group == name).unwrap_or_else(|| {
                looks.shape_groups.push(name.to_string());
                looks.shape_groups.len() - 1
            });
            looks.shapes.push(ShapePart {
                i: items.find(BODIES, &shape.body),
                b,
                group,
                kind,
                at: at.into(),
                axes: [0, 1, 2].map(|k| placed.axes.column(k).into_owned().into()),
                size,
                colour: shape.rgb(),
                opacity: shape.opacity.unwrap_or(1.0),
                mesh,
            });
        }
        looks.meshes = meshes.into_iter().map(|mesh| quantized(mesh)).collect();
        looks
    }
}

/// A mesh whose coordinates have a resolution of 1/8192 of its largest length.
fn quantized(mesh: &Mesh) -> MeshPart {
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for corner in &mesh.corners {
        let corner = Vec3::from(*corner);
        (low, high) = (low.inf(&corner), high.sup(&corner));
    }
    let r = (high - low).max() / MESH_STEPS;
    let coordinates = (0..3).flat_map(|k| mesh.corners.iter().map(move |corner| (corner[k] / r).round() as i64));
    let corners = mesh.triangles.iter().flatten().map(|corner| i64::from(*corner));
    MeshPart { r, count: mesh.corners.len(), v: differences(coordinates), t: differences(corners) }
}
