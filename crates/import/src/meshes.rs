//! Files of meshes: where they are, and their copies in the model's folder.

use crate::xml::{Files, Place};
use ballesta::math::{Mat3, Vec3};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Meshes that go along.
#[derive(Default)]
pub struct Meshes {
    /// Where it was, its path in the model's folder, its bytes.
    pub copies: Vec<(PathBuf, String, Vec<u8>)>,
    /// What cannot be read is looked at once.
    refused: Vec<PathBuf>,
    /// Corners of each of the copies, in the axes and units of the file.
    corners: Vec<Vec<[f64; 3]>>,
    taken: BTreeSet<String>,
}

/// A scale by axes as one number and a turn R with diag(scale) = R · |scale| · diag(1, 1, ±1): a mesh that is mirrored
/// has its z turned round. Nothing where the axes are scaled apart.
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
    /// The corners of a file that has a copy.
    pub fn corners(&self, path: &Path) -> Vec<Vec3> {
        let copies = self.copies.iter().zip(&self.corners);
        let found = copies.filter(|((from, _, _), _)| from == path).flat_map(|(_, corners)| corners);
        found.map(|corner| Vec3::from(*corner)).collect()
    }

    /// The path in the model's folder of the copy of a mesh; nothing, with a note, where it cannot be read or drawn.
    pub fn copy(&mut self, files: &Files, place: Place, path: &Path) -> Option<String> {
        if let Some((_, copy, _)) = self.copies.iter().find(|(from, _, _)| from == path) {
            return Some(copy.clone());
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if !["stl", "obj", "glb"].contains(&ending.as_str()) {
            let cure = "save it as .stl, .obj or .glb and name that file";
            files.note(place, format!("mesh of a kind that is not drawn, .{ending}: {cure}"));
            return None;
        }
        if self.refused.contains(&path.to_path_buf()) {
            return None;
        }
        let read = Files::bytes(path).map_err(|error| format!("cannot be read: {error}"));
        let folder = path.parent().unwrap_or(Path::new(""));
        let checked = read.and_then(|bytes| match ballesta_experiment::mesh::parse(&ending, &bytes, folder) {
            Ok(mesh) => Ok((bytes, mesh.corners)),
            Err(complaint) => Err(format!("{}; {}", complaint.0, complaint.1)),
        });
        match checked {
            Ok((bytes, corners)) => {
                let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
                let stem = plain.get(..plain.len() - ending.len() - 1).unwrap_or("mesh");
                let stem = crate::robot::unique(&mut self.taken, &stem.to_lowercase());
                let copy = format!("meshes/{stem}.{ending}");
                self.copies.push((path.to_path_buf(), copy.clone(), bytes));
                self.corners.push(corners);
                Some(copy)
            }
            Err(why) => {
                self.refused.push(path.to_path_buf());
                files.note(place, format!("mesh {}: {why}", path.display()));
                None
            }
        }
    }
}

/// Where a file of URDF is: `package://NAME/path` below the folder that was given for the package, or below the
/// nearest folder of that name on the way up from the robot's file; other paths start at the folder of that file.
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
    Err(format!("package {package} of meshes, which no folder above the file is: give --package {package}=FOLDER"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
