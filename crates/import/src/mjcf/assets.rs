//! Assets: meshes from files or given by numbers, and colours of materials.

use super::Reader;
use crate::frame::Pose;
use crate::meshes::{self, Meshes};
use crate::mjcf::defaults::Spec;
use crate::xml::{Element, XmlPosition};
use ballesta::math::{Mat3, Vec3};
use std::path::{Path, PathBuf};

/// A mesh.
#[derive(Clone)]
pub struct Asset {
    pub place: XmlPosition,
    pub path: PathBuf,
    /// Metres per unit, by axes.
    pub scale: [f64; 3],
    /// Frame of the mesh in the axes of the file.
    pub frame: Pose,
    /// `inertia` of the mesh.
    pub inertia: String,
}

impl Asset {
    /// The size of the scale, whether z is mirrored, and then the frame of the file in the frame of the geom. A vertex
    /// v of the file is at S R'(v - p), with the scale S, and R and p of `refquat` and `refpos`.
    pub fn placed(&self) -> Option<(f64, bool, Pose)> {
        let (size, mirrored, turn) = meshes::scale(self.scale)?;
        let mirror = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, if mirrored { -1.0 } else { 1.0 }));
        let back = self.frame.turn.transpose();
        let at = -(back * self.frame.at).component_mul(&Vec3::from(self.scale));
        Some((size, mirrored, Pose { turn: turn * mirror * back * mirror, at }))
    }
}

impl<'e> Reader<'e> {
    pub fn assets(&mut self, root: &'e Element) {
        for asset in root.all("asset") {
            // Textures and appearance beyond the colour are ignored.
            for texture in asset.all("texture") {
                texture.mark_all();
            }
            for material in asset.all("material") {
                let spec = self.defaults.of(self.files, material, None);
                spec.skip(&["texture", "texrepeat", "texuniform", "specular", "shininess", "reflectance", "emission"]);
                spec.skip(&["metallic", "roughness"]);
                if let (Some(name), Some(rgba)) = (material.text("name"), spec.numbers::<4>("rgba")) {
                    self.colours.insert(name, rgba);
                }
            }
            asset.all("model").for_each(Element::mark_all);
            // The name of a mesh defaults to its file name without ending.
            for mesh in asset.all("mesh") {
                let spec = self.defaults.of(self.files, mesh, None);
                spec.skip(&["smoothnormal", "content_type"]);
                spec.note_given(&["maxhullvert"], ": the hull uses all vertices");
                let inertia = spec.text("inertia").unwrap_or("legacy").to_string();
                if let Some(numbers) = spec.whole_list("vertex") {
                    let name = spec.text("name").unwrap_or("mesh").to_string();
                    let made = of_vertices(&spec, &name, &numbers, &inertia, &mut self.meshes);
                    self.assets.extend(made.map(|asset| (name, asset)));
                    continue;
                }
                let Some(file) = spec.text("file") else {
                    let kind = spec.text("builtin").filter(|kind| *kind != "none");
                    if let Some((name, kind)) = spec.text("name").zip(kind) {
                        spec.skip(&["params"]);
                        self.builtin_meshes.insert(name.to_string(), kind.to_string());
                    }
                    continue;
                };
                let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
                let name = spec.text("name").map_or(stem.to_string(), str::to_string);
                let (scale, frame) = scale_and_frame(&spec);
                let place = spec.place_of("file");
                // With `strippath` only the file name is used, relative to the mesh folder.
                let stripped = Path::new(file).file_name().filter(|_| self.compiler(mesh).strips_paths);
                let file = stripped.map_or(Path::new(file), Path::new);
                // MuJoCo searches from the folder of the main file.
                let main = self.attached.iter().find(|model| model.files.contains(&place.file()));
                let main = self.files.folder_of(main.map_or(root.place.file(), |model| model.files.start));
                let inner = Path::new(&self.compiler(mesh).mesh_folder).join(file);
                let path = Some(main.join(&inner)).filter(|path| path.is_file());
                let path = path.unwrap_or_else(|| self.files.folder(place).join(&inner));
                self.assets.insert(name, Asset { place, path, scale, frame, inertia });
            }
        }
    }
}

/// A mesh given by numbers: its vertices and, unless it is their convex hull, its triangles.
fn of_vertices(spec: &Spec, name: &str, numbers: &[f64], inertia: &str, meshes: &mut Meshes) -> Option<Asset> {
    let corners: Vec<Vec3> = numbers.chunks_exact(3).map(Vec3::from_column_slice).collect();
    let faces = spec.whole_list("face").unwrap_or_default();
    let triangles: Vec<[usize; 3]> = faces.chunks_exact(3).map(|f| [0, 1, 2].map(|k| f[k] as usize)).collect();
    spec.skip(&["normal", "texcoord"]);
    let is_whole = numbers.len().is_multiple_of(3) && faces.len().is_multiple_of(3);
    if !is_whole || triangles.iter().flatten().any(|k| *k >= corners.len()) {
        let cure = "give three numbers for each vertex, and three numbers of vertices from 0 for each triangle";
        spec.wrong("vertex", format!("mesh \"{name}\" is incomplete"), cure);
        return None;
    }
    let (scale, frame) = scale_and_frame(spec);
    let Some(path) = meshes.add(name, &corners, &triangles) else {
        spec.wrong("vertex", format!("mesh \"{name}\" encloses no volume"), "give four or more vertices");
        return None;
    };
    Some(Asset { place: spec.element.place, path, scale, frame, inertia: inertia.to_string() })
}

/// Scale of a mesh, and its frame: MuJoCo moves the mesh so that `refpos` and `refquat` become its origin.
fn scale_and_frame(spec: &Spec) -> ([f64; 3], Pose) {
    let at = spec.numbers::<3>("refpos").map_or(Vec3::zeros(), Vec3::from);
    let turn = spec.numbers::<4>("refquat").and_then(crate::frame::of_quaternion);
    let frame = Pose { turn: turn.unwrap_or_else(Mat3::identity), at };
    (spec.numbers::<3>("scale").unwrap_or([1.0; 3]), frame)
}
