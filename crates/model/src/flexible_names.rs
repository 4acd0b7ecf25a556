//! Flexible bodies of a model: meaning of the names of bodies, and positions of interfaces in the design position.
//!
//! A flexible body `beam` with the interfaces `root` and `tip` is named `beam.root` and `beam.tip` wherever a body is
//! named; `beam` alone is its floating frame. Its reduced-order model is given in a frame C, which `position`, `x_axis`
//! and `y_axis` place in W: r_W = origin + R_WC r_C.

use super::Document;
use super::schema::{FlexibleBody, Joint, Model, StiffeningModel};
use crate::rom::Rom;
use crate::rom::rom_schema::Interface;
use ballesta_solver::math::{Mat3, Vec3};
pub use ballesta_solver::mechanism::BodyRef;

/// The word of `frame` for a floating frame in which the deformation has no momentum.
pub const MEAN_AXIS: &str = "mean_axis";

/// The definition of the floating frame of a flexible body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatingFrame {
    /// The interface with this index: no deformation there.
    Interface(usize),
    /// The mean motion: the deformation has no momentum.
    MeanAxis,
}

/// Placement of the frame C of a flexible body in the design position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlexibleDesign {
    /// R_WC: its columns are the axes of C in W.
    pub rotation: Mat3,
    /// Origin of C in W, m.
    pub origin: Vec3,
}

impl FlexibleDesign {
    /// A point of C in W, m.
    pub fn point(&self, in_c: &[f64; 3]) -> Vec3 {
        self.origin + self.rotation * Vec3::from(*in_c)
    }
}

/// The meaning of `name`. `rom` gives the reduced-order model of every flexible body, if it is known.
pub(crate) fn find_body<'r>(model: &Model, rom: impl Fn(usize) -> Option<&'r Rom>, name: &str) -> Option<BodyRef> {
    if name == "ground" {
        return Some(BodyRef::Ground);
    }
    let rigid = || model.bodies.iter().position(|body| body.name == name).map(BodyRef::Rigid);
    let frame = || model.flexible_bodies.iter().position(|body| body.name == name).map(BodyRef::Frame);
    let interface = || {
        model.flexible_bodies.iter().enumerate().find_map(|(index, body)| {
            let wanted = interface_name(body, name)?;
            let at = rom(index)?.interfaces.iter().position(|interface| interface.name == wanted)?;
            Some(BodyRef::Interface(index, at))
        })
    };
    rigid().or_else(frame).or_else(interface)
}

/// The interface of a body in `name`, whether it exists or not: the part after `body.`.
pub fn interface_name<'n>(body: &FlexibleBody, name: &'n str) -> Option<&'n str> {
    name.strip_prefix(body.name.as_str())?.strip_prefix('.')
}

impl Document {
    /// The meaning of the name of a body; `None` if there is no such body.
    pub fn body_ref(&self, name: &str) -> Option<BodyRef> {
        find_body(&self.model, |index| self.roms.get(index), name)
    }

    /// Position of an interface node in W, design position, m. `body` and `interface` as in [`BodyRef::Interface`];
    /// `values`: one per `[[parameter]]`.
    pub fn interface_design(&self, body: usize, interface: usize, values: &[f64]) -> Vec3 {
        let design = self.model.flexible_design(&self.model.flexible_bodies[body], values);
        design.point(&self.roms[body].interfaces[interface].position)
    }

    /// Position of a joint in W, design position, m: its `point`; by default the interface that it names, the second
    /// before the first; without any, as in [`Model::joint_place`].
    pub fn joint_design(&self, joint: &Joint, values: &[f64]) -> Option<Vec3> {
        let interface = || {
            joint.bodies.iter().rev().find_map(|name| match self.body_ref(name)? {
                BodyRef::Interface(body, interface) => Some(self.interface_design(body, interface, values)),
                _ => None,
            })
        };
        let place = |place| self.model.resolve_place(place, values);
        joint.point.as_ref().map(place).or_else(interface).or_else(|| self.model.joint_place(joint).map(place))
    }
}

impl Model {
    /// Placement of the frame C of a flexible body in the design position; NaN if an axis is zero or both are parallel.
    /// `values`: one per `[[parameter]]`.
    pub fn flexible_design(&self, body: &FlexibleBody, values: &[f64]) -> FlexibleDesign {
        let axis = |axis: &Option<_>, default| axis.as_ref().map_or(default, |axis| self.resolve_vector(axis, values));
        let x = axis(&body.x_axis, Vec3::x()).normalize();
        let y = axis(&body.y_axis, Vec3::y());
        let y = (y - x * x.dot(&y)).normalize();
        let rotation = Mat3::from_columns(&[x, y, x.cross(&y)]);
        let origin = body.position.as_ref().map_or(Vec3::zeros(), |place| self.resolve_place(place, values));
        FlexibleDesign { rotation, origin }
    }
}

impl Model {
    /// Whether a joint, a constraint, a force element or an output names the body (or interface) `name`.
    pub fn mentions(&self, name: &str) -> bool {
        let pairs = self.joints.iter().map(|item| &item.bodies).chain(self.rods.iter().map(|item| &item.bodies));
        let pairs = pairs.chain(self.points_on_line.iter().map(|item| &item.bodies));
        let pairs = pairs.chain(self.points_in_plane.iter().map(|item| &item.bodies));
        let pairs = pairs.chain(self.curves_on_curves.iter().map(|item| &item.bodies));
        let pairs = pairs.chain(self.springs.iter().map(|item| &item.bodies));
        let mut pairs = pairs.chain(self.bushings.iter().map(|item| &item.bodies));
        pairs.any(|pair| pair.iter().any(|body| body == name))
            || self.forces.iter().any(|item| item.body == name)
            || self.torques.iter().any(|item| item.body == name)
            || self.outputs.iter().any(|item| item.body.as_deref() == Some(name))
    }
}

impl FlexibleBody {
    /// The reference of its floating frame; `None` if `frame` is no interface of `rom`.
    pub fn floating_frame(&self, rom: &Rom) -> Option<FloatingFrame> {
        match self.frame.as_deref() {
            None | Some(MEAN_AXIS) => Some(FloatingFrame::MeanAxis),
            Some(name) => {
                rom.interfaces.iter().position(|interface| interface.name == name).map(FloatingFrame::Interface)
            }
        }
    }

    /// Its stiffening model: `stiffening`; by default the general model if `rom` contains it.
    pub fn stiffening_model(&self, rom: &Rom) -> StiffeningModel {
        self.stiffening.unwrap_or(match rom.stiffening {
            Some(_) => StiffeningModel::General,
            None => StiffeningModel::None,
        })
    }
}

/// The stiffening models that a reduced-order model contains.
pub fn stiffening_models(rom: &Rom) -> Vec<StiffeningModel> {
    let mut models = vec![StiffeningModel::None];
    if let Some(stiffening) = &rom.stiffening {
        if !stiffening.axial.is_empty() {
            models.extend([StiffeningModel::AxialMode, StiffeningModel::AxialModes]);
        }
        if stiffening.foreshortening.is_some() {
            models.push(StiffeningModel::Foreshortening);
        }
        models.push(StiffeningModel::General);
    }
    models
}

/// Number of elastic modes of a reduced-order model: its coordinates less its rigid motions.
pub fn elastic_modes(rom: &Rom) -> usize {
    rom.size().saturating_sub(rom.checks.rigid_modes)
}

/// Whether the directions of an interface determine all rigid motions of its body, so that a frame can be fixed to it.
pub fn holds_rigid_motion(interface: &Interface, rom: &Rom) -> bool {
    let [x, y, .., rz] = interface.active;
    if rom.source.dimension == 2 { x && y && rz } else { interface.active == [true; 6] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Diagnostics, parse};

    /// Parses a model next to the reduced-order models of the broken examples: `beam` has the interfaces root, tip and
    /// hook.
    fn document(tables: &str) -> Result<Document, Diagnostics> {
        parse(&format!("[model]\nname = \"m\"\n{tables}"), "../../tests/broken/flexible.toml")
    }

    const TWO_BEAMS: &str = r#"
        [[parameter]]
        name = "height"
        value = 3
        [points]
        P = [1, 2, "height"]
        [[body]]
        name = "hub"
        mass = 1
        com = [7, 8, 9]
        [[flexible_body]]
        name = "beam"
        rom = "roms/beam.toml"
        frame = "tip"
        [[flexible_body]]
        name = "beam.b"
        rom = "roms/beam.toml"
        position = "P"
        x_axis = [0, 2, 0]
        y_axis = [-3, 1, 0]
        stiffening = "none"
        [[joint]]
        name = "clamp"
        type = "fixed"
        bodies = ["ground", "beam.root"]
        [[joint]]
        name = "middle"
        type = "revolute"
        bodies = ["beam.b.root", "beam.tip"]
        axis = [0, 0, 1]
        [[joint]]
        name = "end"
        type = "fixed"
        bodies = ["beam.b.hook", "hub"]
        [[joint]]
        name = "far"
        type = "spherical"
        bodies = ["hub", "beam.b.tip"]
        point = "P"
        [[joint]]
        name = "rigid"
        type = "prismatic"
        bodies = ["ground", "hub"]
        axis = [0, 0, 1]
    "#;

    fn two_beams() -> Document {
        document(TWO_BEAMS).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
    }

    #[test]
    fn names_mean_bodies_frames_and_interfaces() {
        let document = two_beams();
        for (name, expected) in [
            ("ground", Some(BodyRef::Ground)),
            ("hub", Some(BodyRef::Rigid(0))),
            ("beam", Some(BodyRef::Frame(0))),
            ("beam.b", Some(BodyRef::Frame(1))),
            ("beam.tip", Some(BodyRef::Interface(0, 1))),
            ("beam.b.hook", Some(BodyRef::Interface(1, 2))),
            ("beam.b.b", None),
            ("beam.", None),
            ("beamtip", None),
            ("hub.tip", None),
        ] {
            assert_eq!(document.body_ref(name), expected, "{name}");
        }
    }

    #[test]
    fn a_reduced_model_is_kept_for_every_body_and_its_file_once() {
        let document = two_beams();
        assert_eq!(document.roms.len(), 2);
        assert_eq!(document.roms[0], document.roms[1]);
        let paths: Vec<&str> = document.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["roms/beam.toml"]);
        assert_eq!(document.files[0].bytes, std::fs::read("../../tests/broken/roms/beam.toml").expect("there"));
    }

    #[test]
    fn the_design_position_is_a_right_handed_frame_with_y_as_far_as_it_is_perpendicular() {
        let document = two_beams();
        let [plain, placed] = [0, 1].map(|body| &document.model.flexible_bodies[body]);
        let design = document.model.flexible_design(plain, &[3.0]);
        assert_eq!(design, FlexibleDesign { rotation: Mat3::identity(), origin: Vec3::zeros() });
        let design = document.model.flexible_design(placed, &[5.0]);
        let expected = Mat3::from_columns(&[Vec3::y(), -Vec3::x(), Vec3::z()]);
        assert!((design.rotation - expected).amax() < 1e-15 && (design.rotation.determinant() - 1.0).abs() < 1e-15);
        assert_eq!(design.origin, Vec3::new(1.0, 2.0, 5.0));
        // The tip is at x = 0.5 in C.
        assert!((document.interface_design(1, 1, &[5.0]) - Vec3::new(1.0, 2.5, 5.0)).amax() < 1e-15);
        assert!((document.interface_design(1, 2, &[5.0]) - Vec3::new(0.9, 2.25, 5.0)).amax() < 1e-15);
    }

    #[test]
    fn joints_without_point_are_at_their_interface() {
        let document = two_beams();
        let at = |joint: usize| document.joint_design(&document.model.joints[joint], &[3.0]).expect("somewhere");
        let expected = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.9, 2.25, 3.0], [1.0, 2.0, 3.0], [7.0, 8.0, 9.0]];
        for (joint, expected) in expected.iter().enumerate() {
            assert!((at(joint) - Vec3::from(*expected)).amax() < 1e-15, "{joint}: {}", at(joint));
        }
    }

    #[test]
    fn defaults_follow_from_the_reduced_model() {
        let document = two_beams();
        let bodies = document.model.flexible_bodies.iter().zip(&document.roms);
        let frames: Vec<_> = bodies.clone().map(|(body, rom)| body.floating_frame(rom)).collect();
        assert_eq!(frames, [Some(FloatingFrame::Interface(1)), Some(FloatingFrame::MeanAxis)]);
        let stiffening: Vec<_> = bodies.map(|(body, rom)| body.stiffening_model(rom)).collect();
        assert_eq!(stiffening, [StiffeningModel::General, StiffeningModel::None]);
        let rom = &document.roms[0];
        assert_eq!(elastic_modes(rom), 6);
        let able: Vec<bool> = rom.interfaces.iter().map(|interface| holds_rigid_motion(interface, rom)).collect();
        assert_eq!(able, [true, true, false]);
    }

    #[test]
    fn values_that_an_importer_sets_are_validated_in_flexible_bodies_too() {
        let tables = "[[parameter]]
            name = 'zeta'
            value = 0.02
            [[parameter]]
            name = 'x'
            value = 1
            [[flexible_body]]
            name = 'beam'
            rom = 'roms/beam.toml'
            x_axis = ['x', 0, 0]
            damping_ratio = 'zeta'
            [[joint]]
            name = 'clamp'
            type = 'fixed'
            bodies = ['ground', 'beam.root']";
        let document = document(tables).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let keys = |values: &[f64]| -> Vec<String> {
            let found = crate::validate_with(&document, values).err().unwrap_or_default();
            found.0.into_iter().map(|diagnostic| diagnostic.key).collect()
        };
        assert!(keys(&[0.5, -3.0]).is_empty());
        assert_eq!(keys(&[1.0, 0.0]), ["flexible_body[0].x_axis", "flexible_body[0].damping_ratio"]);
    }

    #[test]
    fn an_unreadable_reduced_model_makes_no_further_complaints() {
        let text = TWO_BEAMS.replace("roms/beam.toml", "roms/missing.toml");
        let found = document(&text).expect_err("there is no such file").0;
        let keys: Vec<&str> = found.iter().map(|diagnostic| diagnostic.key.as_str()).collect();
        assert_eq!(keys, ["flexible_body[0].rom", "flexible_body[1].rom"]);
        assert!(found[0].found.contains("roms/missing.toml") && found[0].line > 0, "{}", found[0]);
    }

    #[test]
    fn errors_inside_a_reduced_model_follow_the_line_that_names_it() {
        let text = TWO_BEAMS.replace("roms/beam.toml", "roms/old.toml");
        let found = document(&text).expect_err("of another version").0;
        let files: Vec<&str> = found.iter().map(|diagnostic| diagnostic.file.as_str()).collect();
        assert_eq!(files, ["../../tests/broken/flexible.toml", "../../tests/broken/roms/old.toml"]);
        assert_eq!((found[0].key.as_str(), found[1].key.as_str()), ("flexible_body[0].rom", "version"));
    }
}
