//! Flexible bodies of a model: what the names of bodies mean, and where interfaces are in the design position.
//!
//! A flexible body `beam` with the interfaces `root` and `tip` is named `beam.root` and `beam.tip` wherever a body is named;
//! `beam` alone is its floating frame. Its reduced-order model is given in a frame C, which `position`, `x_axis` and `y_axis`
//! place in W: r_W = origin + R_WC r_C.

use super::Document;
use super::schema::{FlexibleBody, Joint, Model, StiffeningModel};
use crate::math::{Mat3, Vec3};
use crate::rom::Rom;
use crate::rom::schema::Interface;

/// The word of `frame` for a floating frame in which the deformation has no momentum.
pub const MEAN_AXIS: &str = "mean_axis";

/// What the name of a body means; indices count `[[body]]`, `[[flexible_body]]` and the interfaces of the reduced-order model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyRef {
    /// The world.
    Ground,
    /// A rigid body.
    Rigid(usize),
    /// The floating frame of a flexible body.
    Frame(usize),
    /// A flexible body, and one of its interfaces.
    Interface(usize, usize),
}

/// What the floating frame of a flexible body follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatingFrame {
    /// The interface with this index: no deformation there.
    Interface(usize),
    /// The mean motion: the deformation has no momentum.
    MeanAxis,
}

/// Where the frame C of a flexible body is in the design position.
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

/// What `name` means. `rom` gives the reduced-order model of every flexible body, if it is known.
pub(super) fn find_body<'r>(model: &Model, rom: impl Fn(usize) -> Option<&'r Rom>, name: &str) -> Option<BodyRef> {
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

/// The part of `name` behind `body.`.
pub(super) fn interface_name<'n>(body: &FlexibleBody, name: &'n str) -> Option<&'n str> {
    name.strip_prefix(body.name.as_str())?.strip_prefix('.')
}

impl Document {
    /// What the name of a body means; `None` if there is no such body.
    pub fn body_ref(&self, name: &str) -> Option<BodyRef> {
        find_body(&self.model, |index| self.roms.get(index), name)
    }

    /// Position of an interface node in W, design position, m. `body` and `interface` as in [`BodyRef::Interface`]; `values`:
    /// one per `[[parameter]]`.
    pub fn interface_design(&self, body: usize, interface: usize, values: &[f64]) -> Vec3 {
        let design = self.model.flexible_design(&self.model.flexible_bodies[body], values);
        design.point(&self.roms[body].interfaces[interface].position)
    }

    /// Where a joint is in W, design position, m: its `point`; by default the interface that it names, the second before the
    /// first; without any, as [`Model::joint_place`] says.
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
    /// Where the frame C of a flexible body is in the design position; NaN where an axis is zero or both are parallel.
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

impl FlexibleBody {
    /// What its floating frame follows; `None` if `frame` is no interface of `rom`.
    pub fn floating_frame(&self, rom: &Rom) -> Option<FloatingFrame> {
        match self.frame.as_deref() {
            Some(MEAN_AXIS) => Some(FloatingFrame::MeanAxis),
            Some(name) => {
                rom.interfaces.iter().position(|interface| interface.name == name).map(FloatingFrame::Interface)
            }
            None => Some(FloatingFrame::Interface(0)),
        }
    }

    /// How it stiffens: `stiffening`; by default in general if `rom` holds that.
    pub fn stiffening_model(&self, rom: &Rom) -> StiffeningModel {
        self.stiffening.unwrap_or(match rom.stiffening {
            Some(_) => StiffeningModel::General,
            None => StiffeningModel::None,
        })
    }
}

/// The stiffening models that a reduced-order model holds.
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

/// Whether the directions of an interface tell all rigid motions of its body, so that a frame can follow it.
pub fn holds_rigid_motion(interface: &Interface, rom: &Rom) -> bool {
    let [x, y, .., rz] = interface.active;
    if rom.source.dimension == 2 { x && y && rz } else { interface.active == [true; 6] }
}
