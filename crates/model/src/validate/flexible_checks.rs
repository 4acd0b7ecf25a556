//! Flexible bodies: consistency of their table with their reduced-order model.

use super::check::{Check, Use};
use crate::document::nearest::{did_you_mean, list};
use crate::flexible_names::{FloatingFrame, MEAN_AXIS, elastic_modes, holds_rigid_motion, stiffening_models};
use crate::rom::Rom;
use crate::schema::{FlexibleBody, StiffeningModel, Vector};
use ballesta_solver::math::Vec3;
use ballesta_solver::mechanism::PERPENDICULAR;

pub(super) fn check(check: &mut Check) {
    for (index, body) in check.model.flexible_bodies.iter().enumerate() {
        let item = format!("flexible_body[{index}]");
        place(check, &item, body);
        let key = format!("{item}.damping_ratio");
        if let Some(ratio) = check.optional(&key, &body.damping_ratio, Use::Fixed)
            && !(0.0..1.0).contains(&ratio)
        {
            check.report(
                &key,
                format!("found {ratio}"),
                "write a damping ratio from 0 to below 1; modes must oscillate",
            );
        }
        let Some(rom) = check.rom(index) else { continue };
        frame(check, &format!("{item}.frame"), body, rom);
        stiffening(check, &format!("{item}.stiffening"), body, rom);
        modes(check, &format!("{item}.modes"), body, rom);
    }
}

/// Position and axes of the frame C.
fn place(check: &mut Check, item: &str, body: &FlexibleBody) {
    if let Some(position) = &body.position {
        check.place(&format!("{item}.position"), position);
    }
    axes(check, item, &body.x_axis, &body.y_axis);
}

/// Directions of the x and the y axis of a frame, which must not be parallel.
pub(super) fn axes(check: &mut Check, item: &str, x_axis: &Option<Vector>, y_axis: &Option<Vector>) {
    let (x_key, y_key) = (format!("{item}.x_axis"), format!("{item}.y_axis"));
    let x = x_axis.as_ref().map_or(Some(Vec3::x()), |axis| check.direction(&x_key, axis));
    let y = y_axis.as_ref().map_or(Some(Vec3::y()), |axis| check.direction(&y_key, axis));
    let (Some(x), Some(y)) = (x, y) else { return };
    if x.cross(&y).norm() < PERPENDICULAR {
        let (key, found, expected) = match (x_axis, y_axis) {
            (Some(_), None) => (x_key, "`x_axis` is parallel to the default of `y_axis`", "add `y_axis`"),
            (None, _) => (y_key, "`y_axis` is parallel to the default of `x_axis`", "add `x_axis`"),
            _ => (y_key, "`y_axis` is parallel to `x_axis`", "give two directions that are not parallel"),
        };
        check.report(key, found, expected);
    }
}

fn frame(check: &mut Check, key: &str, body: &FlexibleBody, rom: &Rom) {
    let Some(frame) = body.floating_frame(rom) else {
        let name = body.frame.as_deref().unwrap_or_default();
        let known: Vec<&str> = rom.interfaces.iter().map(|interface| interface.name.as_str()).collect();
        let known: Vec<&str> = known.into_iter().chain([MEAN_AXIS]).collect();
        let found = format!("flexible body \"{}\" has no interface \"{name}\"", body.name);
        return check.report(key, found, did_you_mean(name, &known));
    };
    let FloatingFrame::Interface(index) = frame else { return };
    let interface = &rom.interfaces[index];
    if !holds_rigid_motion(interface, rom) {
        let able = rom.interfaces.iter().filter(|interface| holds_rigid_motion(interface, rom));
        let able: Vec<&str> = able.map(|interface| interface.name.as_str()).chain([MEAN_AXIS]).collect();
        let needed = if rom.source.dimension == 2 { "x, y and rz" } else { "all six directions" };
        let found = format!(
            "interface \"{}\" has only {} of the directions x, y, z, rx, ry, rz, so the interface cannot carry a \
                             frame",
            interface.name,
            interface.width()
        );
        check.report(key, found, format!("a frame needs {needed}: write one of {}", list(&able)));
    }
}

fn stiffening(check: &mut Check, key: &str, body: &FlexibleBody, rom: &Rom) {
    let known = stiffening_models(rom);
    let asked: StiffeningModel = body.stiffening_model(rom);
    if !known.contains(&asked) {
        let found = format!("the reduced-order model of \"{}\" has no stiffening `{}`", body.name, asked.word());
        let known: Vec<&str> = known.iter().map(|model| model.word()).collect();
        let expected = format!("write one of {}, or reduce the structure with more stiffening terms", list(&known));
        check.report(key, found, expected);
    }
}

fn modes(check: &mut Check, key: &str, body: &FlexibleBody, rom: &Rom) {
    let available = elastic_modes(rom);
    if let Some(modes) = body.modes.filter(|modes| !(1..=available).contains(modes)) {
        let expected = match available {
            0 => "remove `modes`; the reduced-order model is rigid".to_string(),
            _ => format!("write a number from 1 to {available}; the reduced-order model has no more modes"),
        };
        check.report(key, format!("found {modes}"), expected);
    }
}
