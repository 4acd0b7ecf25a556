//! Shapes of URDF: pictures, and contacts with a floor.
//!
//! A URDF has no floor. If its root moves freely, the model gets a floor at the lowest point of the zero position. All
//! collision shapes touch it with the default parameters of MuJoCo.

use super::Reader;
use crate::Contacts;
use crate::frame::Pose;
use crate::meshes;
use crate::robot::{Form, Shape, unique};
use crate::solids::{self, ContactPair, Law, Solid, SolidKind};
use crate::xml::Element;
use ballesta::math::{Mat3, Vec3};
use std::path::{Path, PathBuf};

/// Length and thickness of the floor in pictures, m.
const FLOOR_SIZE: f64 = 4.0;
const FLOOR_THICKNESS: f64 = 0.02;

impl<'e> Reader<'e> {
    /// Adds a shape to the pictures.
    pub fn draw(&mut self, element: &'e Element, body: &str, pose: &Pose, group: &str) {
        let material = element.child("material");
        let colour = material.and_then(|m| self.materials.get(m.text("name").unwrap_or_default()).copied());
        let Some((pose, form, _)) = self.form(element, pose) else { return };
        self.robot.shapes.push(Shape { body: body.to_string(), group: group.to_string(), pose, form, colour });
    }

    /// A shape with its frame and, if it is a mesh, the file; `None`, with a note, without one.
    fn form(&mut self, element: &'e Element, pose: &Pose) -> Option<(Pose, Form, PathBuf)> {
        element.text("name");
        let mut pose = pose.then(&self.origin(element));
        let mut mesh = PathBuf::new();
        let Some(geometry) = element.child("geometry") else {
            self.files.note(element.place, format!("<{}> without <geometry>", element.name));
            return None;
        };
        let Some(found) = geometry.children.first().map(Element::mark) else {
            self.files.note(geometry.place, "empty <geometry>");
            return None;
        };
        let lengths = |name: &str, count: usize| {
            let given = found.list(self.files, name).filter(|lengths| lengths.len() == count);
            let lengths = given.filter(|lengths| lengths.iter().all(|length| *length >= 0.0));
            if lengths.is_none() {
                self.files.note(found.place_of(name), format!("<{}> without positive {name}", found.name));
            }
            // Some programs write empty shapes for links without shapes.
            if lengths.as_ref().is_some_and(|lengths| lengths.contains(&0.0)) {
                self.files.note(found.place, format!("<{}> without extent", found.name));
            }
            lengths.filter(|lengths| lengths.iter().all(|length| *length > 0.0))
        };
        let radius = || lengths("radius", 1).map(|radius| radius[0]);
        let sizes = || radius().zip(lengths("length", 1)).map(|(radius, length)| [radius, length[0]]);
        let form = match found.name.as_str() {
            "box" => lengths("size", 3).map(|size| Form::Box([size[0], size[1], size[2]])),
            "sphere" => radius().map(Form::Sphere),
            "cylinder" => sizes().map(Form::Cylinder),
            "capsule" => sizes().map(Form::Capsule),
            "mesh" => {
                // One number is the scale along all axes.
                let scale = match found.list(self.files, "scale") {
                    Some(one) if one.len() == 1 => Some([one[0]; 3]),
                    Some(all) if all.len() > 3 => {
                        self.files.note(found.place_of("scale"), "scale of <mesh>: only the first three numbers");
                        Some([all[0], all[1], all[2]])
                    }
                    Some(_) => found.numbers::<3>(self.files, "scale"),
                    None => None,
                };
                let scale = scale.unwrap_or([1.0; 3]);
                let Some(name) = found.text("filename") else {
                    self.files.note(found.place, "<mesh> without filename");
                    return None;
                };
                let place = found.place_of("filename");
                let path = match meshes::find(name, &self.files.folder(place), &self.options.packages) {
                    Ok(path) => self.of_mesh_folder(name).filter(|_| !path.is_file()).unwrap_or(path),
                    Err(why) => match self.of_mesh_folder(name) {
                        Some(path) => path,
                        None => {
                            self.files.note(place, why);
                            return None;
                        }
                    },
                };
                // Different scales along the axes: a mesh of its own.
                let (path, (scale, mirrored, turn)) = match meshes::scale(scale) {
                    Some(uniform) => (path, uniform),
                    None => {
                        let (sizes, mirrors) = (Vec3::from(scale), scale.iter().product::<f64>() < 0.0);
                        let stretch = |corner: Vec3| corner.component_mul(&sizes);
                        let path = self.meshes.stretched(self.files, place, &path, stretch, mirrors)?;
                        (path, (1.0, false, Mat3::identity()))
                    }
                };
                pose.turn *= turn;
                let file = self.meshes.copy(self.files, place, &path);
                mesh = path;
                file.map(|file| Form::Mesh { file, scale, mirrored })
            }
            other => {
                self.files.note(found.place, format!("shape <{other}>"));
                None
            }
        };
        form.map(|form| (pose, form, mesh))
    }

    /// Whether a floor carries the robot: if its root moves freely, it would fall without one.
    pub fn touches_floor(&self) -> bool {
        self.options.floating && self.options.contacts != Contacts::None
    }

    /// Adds a shape that touches the floor.
    pub fn collide(&mut self, element: &'e Element, body: &str, pose: &Pose) {
        let Some((pose, form, mesh)) = self.form(element, pose) else { return };
        let kind = match form {
            Form::Box(size) => SolidKind::Box(size),
            Form::Sphere(radius) => SolidKind::Sphere(radius),
            Form::Cylinder(sizes) => SolidKind::Cylinder(sizes),
            Form::Capsule(sizes) => SolidKind::Capsule(sizes),
            Form::Mesh { scale, mirrored, .. } => {
                let sizes = Vec3::new(scale, scale, if mirrored { -scale } else { scale });
                let place = |corner: Vec3| pose.point(&corner.component_mul(&sizes));
                let points: Vec<Vec3> = self.meshes.corners(&mesh).into_iter().map(place).collect();
                match solids::contact_hull(self.files, element.place, points) {
                    Some(kind) => kind,
                    None => return self.files.note(element.place, "contact of a mesh without volume"),
                }
            }
        };
        let given = element.text("name").filter(|name| !name.is_empty());
        let wanted = given.map_or(format!("{body}.collision"), str::to_string);
        let name = unique(&mut self.robot.names.solids, &wanted);
        self.robot.solids.push(Solid { name, body: body.to_string(), pose, kind });
    }

    /// A horizontal plane at the lowest point of all collision shapes, which they touch.
    pub fn floor(&mut self) {
        let lowest = self.robot.solids.iter().map(Solid::lowest).fold(f64::INFINITY, f64::min);
        if !lowest.is_finite() {
            return;
        }
        let count = self.robot.solids.len();
        let name = unique(&mut self.robot.names.solids, "floor");
        let pose = Pose { at: Vec3::new(0.0, 0.0, lowest), ..Pose::world() };
        self.robot.solids.push(Solid { name, body: "ground".into(), pose, kind: SolidKind::Plane });
        let pairs = (0..count).map(|solid| ContactPair { solids: [solid, count], law: Law::USUAL });
        self.robot.touching.extend(pairs);
        let size = [FLOOR_SIZE, FLOOR_SIZE, FLOOR_THICKNESS];
        let below = Vec3::new(0.0, 0.0, lowest - 0.5 * FLOOR_THICKNESS);
        self.robot.shapes.push(Shape {
            body: "ground".into(),
            group: "floor".into(),
            pose: Pose { at: below, ..Pose::world() },
            form: Form::Box(size),
            colour: None,
        });
    }

    /// The file that MuJoCo finds for a mesh.
    fn of_mesh_folder(&self, name: &str) -> Option<PathBuf> {
        let folder = self.mesh_folder.as_ref()?;
        let name = Path::new(name);
        let path = folder.join(if self.strips_paths { Path::new(name.file_name()?) } else { name });
        path.is_file().then_some(path)
    }
}
