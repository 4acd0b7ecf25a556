//! Force elements of vehicles: dampers, leaf and air springs, bars, brakes, air, speed control; each function one item
//! of a table.

use super::check::{Check, Use};
use super::constraints::{distance, rows};
use super::forces::{characteristic, from_zero};
use crate::schema::{
    AerodynamicDrag, AirSpring, AntiRollBar, Brake, Damper, LeafSpring, Number, SpeedControl, TorsionBar, Vector,
};
use ballesta_solver::joint::coordinates::Measure;

/// Numbers that must not be negative.
fn not_negative(check: &mut Check, item: &str, numbers: &[(&str, &Number)], usage: Use) {
    for (key, number) in numbers {
        check.not_negative(&format!("{item}.{key}"), number, usage, "write 0 or more");
    }
}

/// A fixed number that must be positive.
fn positive(check: &mut Check, key: &str, number: &Number, usage: Use) -> Option<f64> {
    let value = check.number(key, number, usage)?;
    if value <= 0.0 {
        check.report(key, format!("found {value}"), "write a number above 0");
        return None;
    }
    Some(value)
}

fn direction(check: &mut Check, key: String, vector: &Option<Vector>) {
    if let Some(vector) = vector {
        check.direction(&key, vector);
    }
}

pub(super) fn air_spring(check: &mut Check, item: &str, spring: &AirSpring) {
    check.two_bodies(item, &spring.bodies, "the air spring");
    distance(check, item, &spring.points, "the force acts along the line between the points");
    // The effective area is constant or a positive function of the height.
    match (&spring.area, &spring.area_table) {
        (Some(area), None) => {
            positive(check, &format!("{item}.area"), area, Use::Fixed);
        }
        (None, Some(table)) => {
            let key = format!("{item}.area_table");
            rows(check, &key, table, "height");
            for (index, row) in table.iter().enumerate().filter(|(_, row)| row[1] <= 0.0) {
                check.report(format!("{key}[{index}]"), format!("found the area {}", row[1]), "write an area above 0");
            }
        }
        (Some(_), Some(_)) => {
            let found = "both `area` and `area_table` are given";
            check.report(format!("{item}.area_table"), found, "give one of them");
        }
        (None, None) => check.report(item, "the air spring has no area", "add `area` or `area_table`"),
    }
    // Gas volume and reservoir.
    for (key, number) in [("height", &spring.height), ("volume", &spring.volume)] {
        if let Some(number) = number {
            positive(check, &format!("{item}.{key}"), number, Use::Fixed);
        }
    }
    not_negative(check, item, &[("reservoir", &spring.reservoir)], Use::Fixed);
    // The charge is an absolute pressure or a static force. Below ambient pressure the bellows would collapse.
    let ambient = format!("{item}.ambient_pressure");
    let outside = check.not_negative(&ambient, &spring.ambient_pressure, Use::Fixed, "write 0 or more");
    match (&spring.pressure, &spring.force) {
        (Some(pressure), None) => {
            let key = format!("{item}.pressure");
            if let (Some(inside), Some(outside)) = (check.number(&key, pressure, Use::Signal), outside)
                && inside < outside
            {
                let found = format!("{inside} Pa is below the ambient pressure of {outside} Pa");
                check.report(key, found, "give the absolute pressure, that is gauge pressure plus ambient pressure");
            }
        }
        (None, Some(force)) => {
            check.not_negative(&format!("{item}.force"), force, Use::Signal, "write 0 or more; the spring pushes");
        }
        (Some(_), Some(_)) => {
            check.report(format!("{item}.force"), "both `pressure` and `force` are given", "give one of them");
        }
        (None, None) => check.report(item, "the air spring has no charge", "add `pressure` or `force`"),
    }
    // Polytropic exponent: 1 is isothermal, 1.4 is adiabatic for air.
    let key = format!("{item}.exponent");
    if let Some(exponent) = check.number(&key, &spring.exponent, Use::Fixed)
        && exponent < 1.0
    {
        check.report(key, format!("found {exponent}"), "write an exponent from 1 (isothermal) to 1.4 (adiabatic)");
    }
}

pub(super) fn damper(check: &mut Check, item: &str, damper: &Damper) {
    check.two_bodies(item, &damper.bodies, "the damper");
    distance(check, item, &damper.points, "the force acts along the line between the points");
    for (way, damping, degressivity, table) in [
        ("bump", &damper.bump_damping, &damper.bump_degressivity, &damper.bump_table),
        ("rebound", &damper.rebound_damping, &damper.rebound_degressivity, &damper.rebound_table),
    ] {
        let keys = [format!("{way}_damping"), format!("{way}_degressivity"), format!("{way}_table")];
        not_negative(check, item, &[(&keys[0], damping), (&keys[1], degressivity)], Use::Coefficient);
        let Some(table) = table else { continue };
        let path = format!("{item}.{}", keys[2]);
        if [damping, degressivity].iter().any(|number| **number != Number::Value(0.0)) {
            let found = format!("both `{}` and `{}` are given", keys[0], keys[2]);
            check.report(&path, found, "give the law only once: a table, or damping and degressivity");
        }
        from_zero(check, &path, table, "speed");
    }
    check.number(&format!("{item}.gas_force"), &damper.gas_force, Use::Coefficient);
    not_negative(check, item, &[("transition", &damper.transition)], Use::Fixed);
}

pub(super) fn leaf_spring(check: &mut Check, item: &str, spring: &LeafSpring) {
    check.two_bodies(item, &spring.bodies, "the leaf spring");
    check.place(&format!("{item}.point"), &spring.point);
    // Vertical and lateral axes define the axes of the leaf.
    let up = match &spring.axis {
        Some(axis) => check.direction(&format!("{item}.axis"), axis),
        None => Some(ballesta_solver::math::Vec3::z()),
    };
    let lateral_key = format!("{item}.lateral_axis");
    let lateral = match &spring.lateral_axis {
        Some(axis) => check.direction(&lateral_key, axis),
        None => Some(ballesta_solver::math::Vec3::y()),
    };
    if let (Some(up), Some(lateral)) = (up, lateral)
        && up.cross(&lateral).norm() < 1e-6
    {
        let key = if spring.lateral_axis.is_some() { lateral_key } else { format!("{item}.axis") };
        check.report(key, "`axis` and `lateral_axis` are parallel", "give `lateral_axis` along the axle beam");
    }
    // Vertical law: constant stiffness or table, with helper spring.
    let keys = ["stiffness", "force_table", "deflection"];
    characteristic(check, item, keys, &spring.stiffness, &spring.force_table);
    check.number(&format!("{item}.load"), &spring.load, Use::Coefficient);
    check.number(&format!("{item}.helper_deflection"), &spring.helper_deflection, Use::Coefficient);
    // All stiffnesses and dampings are passive; friction needs a positive travel.
    let coefficients = [
        ("damping", &spring.damping),
        ("helper_stiffness", &spring.helper_stiffness),
        ("friction", &spring.friction),
        ("friction_coefficient", &spring.friction_coefficient),
        ("lateral_stiffness", &spring.lateral_stiffness),
        ("lateral_damping", &spring.lateral_damping),
        ("longitudinal_stiffness", &spring.longitudinal_stiffness),
        ("longitudinal_damping", &spring.longitudinal_damping),
        ("wind_up_stiffness", &spring.wind_up_stiffness),
        ("wind_up_damping", &spring.wind_up_damping),
    ];
    not_negative(check, item, &coefficients, Use::Coefficient);
    not_negative(check, item, &[("helper_transition", &spring.helper_transition)], Use::Fixed);
    not_negative(check, item, &[("friction_time", &spring.friction_time)], Use::Fixed);
    positive(check, &format!("{item}.friction_travel"), &spring.friction_travel, Use::Fixed);
}

pub(super) fn torsion_bar(check: &mut Check, item: &str, bar: &TorsionBar) {
    // A torsion bar acts on an angle.
    if let Some((_, coordinate)) = check.coordinate(item, &bar.joint, &bar.coordinate)
        && coordinate.measure != Measure::Angle
    {
        let found = format!("\"{}\" measures a length", coordinate.name);
        check.report(format!("{item}.joint"), found, "use a coordinate that is an angle");
    }
    // Stiffness is given, or follows from length, diameters and shear modulus.
    match (&bar.stiffness, &bar.length, &bar.diameter) {
        (Some(stiffness), None, None) => not_negative(check, item, &[("stiffness", stiffness)], Use::Coefficient),
        (None, Some(length), Some(diameter)) => {
            positive(check, &format!("{item}.length"), length, Use::Fixed);
            positive(check, &format!("{item}.shear_modulus"), &bar.shear_modulus, Use::Fixed);
            let outer = positive(check, &format!("{item}.diameter"), diameter, Use::Fixed);
            let key = format!("{item}.inner_diameter");
            let inner = check.not_negative(&key, &bar.inner_diameter, Use::Fixed, "write 0 or more");
            if let (Some(inner), Some(outer)) = (inner, outer)
                && inner >= outer
            {
                let found = format!("the inner diameter {inner} is not less than the outer diameter {outer}");
                check.report(key, found, "give the bore of the tube");
            }
        }
        _ => {
            let expected = "give `length` and `diameter`, or `stiffness`";
            check.report(item, "the bar's stiffness is not fully defined", expected);
        }
    }
    // Damping, preload and free angle.
    not_negative(check, item, &[("damping", &bar.damping)], Use::Coefficient);
    check.number(&format!("{item}.preload"), &bar.preload, Use::Coefficient);
    check.number(&format!("{item}.free_angle"), &bar.free_angle, Use::Coefficient);
}

pub(super) fn anti_roll_bar(check: &mut Check, item: &str, bar: &AntiRollBar) {
    let found = [0, 1, 2].map(|end| check.body(&format!("{item}.bodies[{end}]"), &bar.bodies[end]).is_some());
    for end in [1, 2] {
        if found[0] && bar.bodies[0] == bar.bodies[end] {
            let found = format!("\"{}\" is also the frame", bar.bodies[end]);
            let expected = "name a body that moves relative to the frame";
            check.report(format!("{item}.bodies[{end}]"), found, expected);
        }
    }
    distance(check, item, &bar.points, "the bar acts between its two ends");
    direction(check, format!("{item}.axis"), &bar.axis);
    match (&bar.stiffness, &bar.torsional_stiffness, &bar.arm_length) {
        (Some(stiffness), None, None) => not_negative(check, item, &[("stiffness", stiffness)], Use::Coefficient),
        (None, Some(stiffness), Some(arm)) => {
            not_negative(check, item, &[("torsional_stiffness", stiffness)], Use::Coefficient);
            positive(check, &format!("{item}.arm_length"), arm, Use::Fixed);
        }
        _ => {
            let expected = "give `stiffness`, or `torsional_stiffness` and `arm_length`";
            check.report(item, "the bar's stiffness is not fully defined", expected);
        }
    }
    not_negative(check, item, &[("damping", &bar.damping)], Use::Coefficient);
}

pub(super) fn brake(check: &mut Check, item: &str, brake: &Brake) {
    check.coordinate(item, &brake.joint, &brake.coordinate);
    check.number(&format!("{item}.torque"), &brake.torque, Use::Signal);
    not_negative(check, item, &[("gain", &brake.gain)], Use::Coefficient);
    positive(check, &format!("{item}.presliding"), &brake.presliding, Use::Fixed);
    positive(check, &format!("{item}.time"), &brake.time, Use::Fixed);
}

pub(super) fn aerodynamic_drag(check: &mut Check, item: &str, drag: &AerodynamicDrag) {
    check.moving_body(&format!("{item}.body"), &drag.body);
    check.place(&format!("{item}.point"), &drag.point);
    direction(check, format!("{item}.lift_axis"), &drag.lift_axis);
    not_negative(check, item, &[("drag_area", &drag.drag_area), ("density", &drag.density)], Use::Coefficient);
    check.number(&format!("{item}.lift_area"), &drag.lift_area, Use::Coefficient);
    check.vector(&format!("{item}.wind"), &drag.wind, Use::Signal);
}

pub(super) fn speed_control(check: &mut Check, item: &str, control: &SpeedControl) {
    // Controlled speed: velocity of a point along an axis.
    check.moving_body(&format!("{item}.body"), &control.body);
    check.place(&format!("{item}.point"), &control.point);
    direction(check, format!("{item}.axis"), &control.axis);
    check.number(&format!("{item}.target"), &control.target, Use::Signal);
    // PI controller; the proportional gain must be positive.
    positive(check, &format!("{item}.proportional"), &control.proportional, Use::Coefficient);
    not_negative(check, item, &[("integral", &control.integral)], Use::Coefficient);
    if control.drives.is_empty() {
        check.report(
            format!("{item}.drives"),
            "the speed control drives no coordinate",
            "name at least one joint coordinate",
        );
    }
    // Shares distribute the torque; without shares all coordinates get equal torque.
    let shares = control.drives.iter().filter(|drive| drive.share.is_some()).count();
    if shares != 0 && shares != control.drives.len() {
        let found = format!("only {shares} of {} coordinates have a share", control.drives.len());
        check.report(format!("{item}.drives"), found, "give every coordinate a `share`, or none");
    }
    for (index, drive) in control.drives.iter().enumerate() {
        let key = format!("{item}.drives[{index}]");
        check.coordinate(&key, &drive.joint, &drive.coordinate);
        check.optional(&format!("{key}.share"), &drive.share, Use::Fixed);
    }
    // Torque limits include zero.
    let upper =
        control.max_torque.as_ref().and_then(|max| positive(check, &format!("{item}.max_torque"), max, Use::Fixed));
    let key = format!("{item}.min_torque");
    if let Some(lower) = check.optional(&key, &control.min_torque, Use::Fixed)
        && lower > upper.unwrap_or(lower).min(0.0)
    {
        check.report(key, format!("found {lower}"), "write 0, or a negative torque for the strongest braking");
    }
}
