//! Tyres: wheel joints, roads, coefficients; ports for external tyres. (Property files are checked when they are read.)

use super::check::{Check, Use};
use super::name_checks;
use crate::document::nearest::did_you_mean;
use crate::schema::{Tyre, WheelPort};

/// `[[tyre]]`
pub(super) fn tyre<'m>(check: &mut Check<'m>, item: &str, tyre: &'m Tyre) {
    if let Some(joint) = wheel(check, item, &tyre.joint)
        && let Some(other) = before(&check.model.tyres, tyre, |other| other.joint == tyre.joint)
    {
        let other = check.item_with_line(&format!("tyre[{other}]"), &format!("tyre[{other}]"));
        let found = format!("joint \"{joint}\" already has a tyre, {other}");
        let expected = "give each wheel one tyre; model twin tyres as one tyre with `twin_spacing`";
        check.report(format!("{item}.joint"), found, expected);
    }
    road(check, item, tyre.road.as_deref());
    for (name, number) in [("twin_spacing", &tyre.twin_spacing), ("pressure", &tyre.pressure)] {
        let key = format!("{item}.{name}");
        if let Some(value) = check.optional(&key, number, Use::Fixed)
            && value <= 0.0
        {
            check.report(&key, format!("found {value}"), "give a positive number, or remove the key");
        }
    }
    check.number(&format!("{item}.road_height"), &tyre.road_height, Use::Signal);
    let friction = "write 0 or more; the factor scales the friction of the road";
    check.not_negative(&format!("{item}.friction"), &tyre.friction, Use::Signal, friction);
}

/// `[[wheel_port]]`
pub(super) fn wheel_port<'m>(check: &mut Check<'m>, item: &str, port: &'m WheelPort) {
    name_checks::structured(check, item, &port.name);
    let Some(joint) = wheel(check, item, &port.joint) else { return };
    if let Some(other) = before(&check.model.wheel_ports, port, |other| other.joint == port.joint) {
        let other = check.item_with_line(&format!("wheel_port[{other}]"), &format!("wheel_port[{other}]"));
        let found = format!("joint \"{joint}\" already has a port, {other}");
        check.report(format!("{item}.joint"), found, "give each wheel one port");
    }
}

/// The last item before `item` for which `same` is true.
fn before<T>(items: &[T], item: &T, same: impl Fn(&T) -> bool) -> Option<usize> {
    let own = items.iter().position(|other| std::ptr::eq(other, item))?;
    items[..own].iter().rposition(same)
}

/// The joint of a wheel, if there is one of this name, and its errors.
fn wheel<'m>(check: &mut Check<'m>, item: &str, name: &str) -> Option<&'m str> {
    let key = format!("{item}.joint");
    let joint = &check.model.joints[check.joint(&key, name)?];
    if !joint.kind.turns_about_axis() {
        let found = format!("joint \"{}\" is not revolute", joint.name);
        check.report(&key, found, "name the revolute joint about which the wheel rotates");
    } else if joint.bodies[1] == "ground" {
        let found = format!("the second body of joint \"{}\" is the ground", joint.name);
        check.report(&key, found, "make the carrier the first body of the wheel's joint and the wheel the second body");
    }
    Some(&joint.name)
}

/// The road of a tyre or contact, by its name or as the only road.
pub(super) fn road(check: &mut Check, item: &str, name: Option<&str>) {
    let known: Vec<&str> = check.model.roads.iter().map(|road| road.name.as_str()).collect();
    let key = format!("{item}.road");
    match (name, known.as_slice()) {
        (Some(name), known) if !known.contains(&name) => {
            check.report(key, format!("there is no road \"{name}\""), did_you_mean(name, known));
        }
        (None, []) => check.report(key, "the model has no road", "add a table [[road]] with a name"),
        (None, [_, _, ..]) => check.report(key, "the model has several roads", did_you_mean("", &known)),
        _ => {}
    }
}
