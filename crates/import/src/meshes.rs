//! Files of meshes: where they are, and their copies in the model's folder.

use crate::hull;
use crate::xml::{Files, XmlPosition};
use ballesta::math::{Mat3, Vec3};
use ballesta::model::shapes::Mesh;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Bytes of a file and its mesh.
type MeshFile = (Vec<u8>, Mesh);

/// Meshes that were read, and copies of them for the model's folder.
#[derive(Default)]
pub struct Meshes {
    /// Original path, path in the model's folder, bytes.
    pub copies: Vec<(PathBuf, String, Vec<u8>)>,
    /// Each file; `None` if it cannot be read or drawn.
    read: Vec<(PathBuf, Option<MeshFile>)>,
    taken: BTreeSet<String>,
}

/// A scale per axis as one factor and a rotation R with diag(scale) = R · |scale| · diag(1, 1, ±1); the z axis of a
/// mirrored mesh is reversed. `None` for different scales of the axes.
pub fn scale([x, y, z]: [f64; 3]) -> Option<(f64, bool, Mat3)> {
    let size = x.abs();
    let same = |other: f64| (other.abs() - size).abs() <= 1e-12 * size;
    if size == 0.0 || !same(y) || !same(z) {
        return None;
    }
    let mirrored = x * y * z < 0.0;
    let last = if mirrored { -z.signum() } else { z.signum() };
    Some((size, mirrored, Mat3::from_diagonal(&Vec3::new(x.signum(), y.signum(), last))))
}

impl Meshes {
    /// Vertices and triangles of a file, in its own axes and units; `None`, with a note, if it cannot be read or drawn.
    pub fn mesh(&mut self, files: &Files, place: XmlPosition, path: &Path) -> Option<&Mesh> {
        let ending = ending(path);
        if !["stl", "obj", "glb", "msh"].contains(&ending.as_str()) {
            let cure = "convert it to .stl, .obj or .glb";
            files.note(place, format!("mesh format .{ending} is not supported: {cure}"));
            return None;
        }
        if !self.read.iter().any(|(known, _)| known == path) {
            let mesh = read(path).map_err(|why| files.note(place, why)).ok();
            self.read.push((path.to_path_buf(), mesh));
        }
        self.known(path).map(|(_, mesh)| mesh)
    }

    /// A mesh given by its vertices in the robot's file, as a file for [`Meshes::copy`]; without triangles the convex
    /// hull. `None` without a solid.
    pub fn add(&mut self, name: &str, corners: &[Vec3], triangles: &[[usize; 3]]) -> Option<PathBuf> {
        // No file of the robot has this path.
        let path = Path::new("\0").join(format!("{name}.obj"));
        self.read.push((path.clone(), Some(of_vertices(corners, triangles)?)));
        Some(path)
    }

    /// A mesh with different scales along its axes, as a file of its own: `place_of` moves a vertex, and `mirrors` if
    /// the product of the scales is negative. `None`, with a note, if the file cannot be read or drawn.
    pub fn stretched(
        &mut self,
        files: &Files,
        place: XmlPosition,
        path: &Path,
        place_of: impl Fn(Vec3) -> Vec3,
        mirrors: bool,
    ) -> Option<PathBuf> {
        let mesh = self.mesh(files, place, path)?;
        let corners: Vec<Vec3> = mesh.corners.iter().map(|corner| place_of(Vec3::from(*corner))).collect();
        let triangle = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|index| index as usize);
            if mirrors { [a, c, b] } else { [a, b, c] }
        };
        let triangles: Vec<[usize; 3]> = mesh.triangles.iter().map(triangle).collect();
        let stem = path.file_stem().map_or("mesh".into(), |stem| stem.display().to_string());
        self.add(&format!("{stem}_scaled_{}", self.read.len()), &corners, &triangles)
    }

    fn known(&self, path: &Path) -> Option<&MeshFile> {
        self.read.iter().find(|(known, _)| known == path)?.1.as_ref()
    }

    /// Vertices of a file that was read, including the vertices of an OBJ file without triangles.
    pub fn corners(&self, path: &Path) -> Vec<Vec3> {
        let Some((bytes, mesh)) = self.known(path) else { return Vec::new() };
        let mut corners: Vec<Vec3> = mesh.corners.iter().map(|corner| Vec3::from(*corner)).collect();
        if is_obj(path) {
            let bits = |corner: &Vec3| [0, 1, 2].map(|k| (corner[k] + 0.0).to_bits());
            let mut known: BTreeSet<[u64; 3]> = corners.iter().map(bits).collect();
            let all = ObjFile::read(bytes).corners;
            corners.extend(all.into_iter().filter(|corner| known.insert(bits(corner))));
        }
        corners
    }

    /// Whether an OBJ file that was read has concave faces with more than four corners.
    pub fn has_concave_faces(&self, path: &Path) -> bool {
        self.known(path).is_some_and(|(bytes, _)| is_obj(path) && ObjFile::read(bytes).has_concave_faces())
    }

    /// Number of objects with faces in a file that was read; 1 for files that are not OBJ.
    pub fn objects(&self, path: &Path) -> usize {
        let bytes = self.known(path).map_or(&[][..], |(bytes, _)| bytes.as_slice());
        if ending(path) == "obj" { objects(bytes) } else { 1 }
    }

    /// Path of the copy of a mesh in the model's folder; `None`, with a note, if the mesh cannot be read or drawn.
    pub fn copy(&mut self, files: &Files, place: XmlPosition, path: &Path) -> Option<String> {
        if let Some((_, copy, _)) = self.copies.iter().find(|(from, _, _)| from == path) {
            return Some(copy.clone());
        }
        self.mesh(files, place, path)?;
        let bytes = self.known(path)?.0.clone();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
        let given = ending(path);
        let ending = if given == MUJOCO { "obj" } else { &given };
        let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let stem = plain.get(..plain.len() - given.len() - 1).unwrap_or("mesh");
        let stem = crate::robot::unique(&mut self.taken, &stem.to_lowercase());
        let copy = format!("meshes/{stem}.{ending}");
        self.copies.push((path.to_path_buf(), copy.clone(), bytes));
        Some(copy)
    }
}

/// Binary format of MuJoCo, which is copied as OBJ.
const MUJOCO: &str = "msh";

/// A mesh of vertices and triangles as an OBJ file; without triangles the convex hull. `None` without a solid.
fn of_vertices(corners: &[Vec3], triangles: &[[usize; 3]]) -> Option<MeshFile> {
    let triangles = if triangles.is_empty() { hull::triangles(corners)? } else { triangles.to_vec() };
    let mut text = String::new();
    corners.iter().for_each(|corner| text += &format!("v {} {} {}\n", corner.x, corner.y, corner.z));
    triangles.iter().for_each(|[a, b, c]| text += &format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    let mesh = ballesta_mesh::parse("obj", text.as_bytes(), None).ok()?;
    Some((text.into_bytes(), mesh))
}

/// A file of MuJoCo: the numbers of vertices, normals, texture coordinates and triangles, then each in single precision
/// and whole numbers.
fn of_mujoco(bytes: &[u8]) -> Option<MeshFile> {
    let word = |at: usize| bytes.get(4 * at..4 * at + 4).and_then(|word| <[u8; 4]>::try_from(word).ok());
    let count = |at: usize| word(at).and_then(|word| usize::try_from(i32::from_le_bytes(word)).ok());
    let [vertices, normals, textures, faces] = [count(0)?, count(1)?, count(2)?, count(3)?];
    let length = [(3, vertices), (3, normals), (2, textures), (3, faces)];
    let words = length.iter().try_fold(4usize, |sum, (size, count)| sum.checked_add(count.checked_mul(*size)?))?;
    if bytes.len() != words.checked_mul(4)? {
        return None;
    }
    let number = |at: usize| word(at).map(|word| f64::from(f32::from_le_bytes(word)));
    let corner = |k: usize| Some(Vec3::new(number(4 + 3 * k)?, number(5 + 3 * k)?, number(6 + 3 * k)?));
    let corners: Vec<Vec3> = (0..vertices).map(corner).collect::<Option<_>>()?;
    let first = words - 3 * faces;
    let triangle = |k: usize| Some([count(first + 3 * k)?, count(first + 3 * k + 1)?, count(first + 3 * k + 2)?]);
    let triangles: Vec<[usize; 3]> = (0..faces).map(triangle).collect::<Option<_>>()?;
    let is_inside = triangles.iter().flatten().all(|corner| *corner < vertices);
    is_inside.then(|| of_vertices(&corners, &triangles))?
}

/// The convex hull of the vertices of an OBJ file without faces.
fn of_points(bytes: &[u8]) -> Option<MeshFile> {
    let text = String::from_utf8_lossy(bytes);
    let mut corners = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("f") => return None,
            Some("v") => {
                let numbers: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
                corners.push(Vec3::from_column_slice(numbers.get(..3)?));
            }
            _ => {}
        }
    }
    of_vertices(&corners, &[])
}

/// Whether the stored bytes of a file are an OBJ file.
fn is_obj(path: &Path) -> bool {
    [MUJOCO, "obj"].contains(&ending(path).as_str())
}

/// Vertices of an OBJ file, in single precision as MuJoCo reads them, and corners of its faces.
struct ObjFile {
    corners: Vec<Vec3>,
    faces: Vec<Vec<usize>>,
}

impl ObjFile {
    fn read(bytes: &[u8]) -> ObjFile {
        let mut found = ObjFile { corners: Vec::new(), faces: Vec::new() };
        let text = String::from_utf8_lossy(bytes).replace("\\\r\n", " ").replace("\\\n", " ");
        for line in text.lines() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("v") => {
                    let numbers: Vec<f64> = words.map_while(|word| word.parse::<f32>().ok()).map(f64::from).collect();
                    found.corners.extend(numbers.get(..3).map(Vec3::from_column_slice));
                }
                Some("f") => {
                    // Negative numbers count from the last vertex.
                    let index = |word: &str| {
                        let number: isize = word.split('/').next()?.parse().ok()?;
                        if number < 0 {
                            found.corners.len().checked_add_signed(number)
                        } else {
                            (number as usize).checked_sub(1)
                        }
                    };
                    found.faces.push(words.map_while(index).collect());
                }
                _ => {}
            }
        }
        found
    }

    fn has_concave_faces(&self) -> bool {
        self.faces.iter().filter(|face| face.len() > 4).any(|face| {
            let points: Option<Vec<Vec3>> = face.iter().map(|corner| self.corners.get(*corner).copied()).collect();
            let Some(points) = points else { return false };
            let n = points.len();
            let area: Vec3 = (0..n).map(|k| points[k].cross(&points[(k + 1) % n])).sum();
            let turn = |k: usize| {
                let [a, b, c] = [0, 1, 2].map(|j| points[(k + j) % n]);
                (b - a).cross(&(c - b)).dot(&area)
            };
            (0..n).any(|k| turn(k) < -CONCAVITY * area.norm_squared())
        })
    }
}

/// Twice the area of a triangle at a concave corner, as a fraction of twice the area of the face, from which it counts.
const CONCAVITY: f64 = 1e-6;

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Number of objects with faces in an OBJ file: each statement `o` or `g` begins one.
fn objects(bytes: &[u8]) -> usize {
    let (mut count, mut begins) = (0, true);
    for line in String::from_utf8_lossy(bytes).lines() {
        match line.split_whitespace().next() {
            Some("o" | "g") => begins = true,
            Some("f") if begins => (count, begins) = (count + 1, false),
            _ => {}
        }
    }
    count
}

/// The bytes of a file and its mesh, or the reason why there is no mesh.
fn read(path: &Path) -> Result<MeshFile, String> {
    let told = |why: String| format!("mesh {}: {why}", path.display());
    let bytes = Files::bytes(path).map_err(|error| told(format!("cannot be read: {error}")))?;
    if ending(path) == MUJOCO {
        return of_mujoco(&bytes).ok_or_else(|| told("is not a mesh of MuJoCo, or encloses no volume".into()));
    }
    if ending(path) == "obj"
        && let Some(mesh) = of_points(&bytes)
    {
        return Ok(mesh);
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let mesh = ballesta_mesh::parse(&ending(path), &bytes, Some(folder));
    let mesh = mesh.map_err(|(found, expected)| told(format!("{found}; {expected}")))?;
    Ok((bytes, mesh))
}

/// Path of a file in URDF. `package://NAME/path` is relative to the folder given for the package, or to the nearest
/// parent folder with that name. Other paths are relative to the robot's file.
pub fn find(name: &str, folder: &Path, packages: &[(String, PathBuf)]) -> Result<PathBuf, String> {
    let Some(rest) = ["package://", "model://"].iter().find_map(|scheme| name.strip_prefix(scheme)) else {
        return Ok(folder.join(name.strip_prefix("file://").unwrap_or(name)));
    };
    let (package, path) = rest.split_once('/').unwrap_or((rest, ""));
    if let Some((_, given)) = packages.iter().find(|(known, _)| known == package) {
        return Ok(given.join(path));
    }
    let folder = std::path::absolute(folder).unwrap_or(folder.to_path_buf());
    for above in folder.ancestors() {
        if above.file_name().is_some_and(|name| name == package) {
            return Ok(above.join(path));
        }
        if above.join(package).is_dir() {
            return Ok(above.join(package).join(path));
        }
    }
    Err(format!("mesh package {package} not found in any parent folder: pass --package {package}=FOLDER"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_of_an_obj_file_has_faces() {
        for (text, count) in [
            ("v 0 0 0\nf 1 2 3\nf 1 3 2\n", 1),
            ("o a\ng b\nusemtl c\nf 1 2 3\nusemtl d\nf 1 3 2\n", 1),
            ("f 1 2 3\no a\n", 1),
            ("o a\nf 1 2 3\no b\n f 4 5 6\n", 2),
            ("g a\r\nf 1 2 3\r\ng b\r\nf 4 5 6\r\no c\r\nf 1 2 3\r\n", 3),
        ] {
            assert_eq!(objects(text.as_bytes()), count, "{text}");
        }
    }

    #[test]
    fn a_scale_is_a_turn_of_what_is_mirrored_in_z() {
        for signs in 0..8 {
            let sign = |bit: usize| if signs >> bit & 1 == 1 { -0.001 } else { 0.001 };
            let wanted = [sign(0), sign(1), sign(2)];
            let (size, mirrored, turn) = scale(wanted).unwrap();
            let z = if mirrored { -1.0 } else { 1.0 };
            let found = turn * Mat3::from_diagonal(&Vec3::new(size, size, z * size));
            assert_eq!(found, Mat3::from_diagonal(&Vec3::from(wanted)));
            assert_eq!(turn.determinant(), 1.0);
        }
        assert!(scale([1.0, 1.0, 2.0]).is_none());
    }
}
