//! Force elements: springs, bushings, stops, applied loads, friction, drives; each function one item of a table, by the
//! rows of [`crate::elements`].

use super::check::{Check, Use};
use super::constraints::{distance, rows};
use super::joints::perpendicular;
use crate::schema::{
    BumpStop, Bushing, Drive, Force, Friction, Integrator, JointKind, JointSpring, Number, Spring, Torque,
};
use ballesta_solver::joint::coordinates::Measure;

pub(super) fn spring(check: &mut Check, item: &str, spring: &Spring) {
    check.two_bodies(item, &spring.bodies, "the spring");
    distance(check, item, &spring.points, "the force acts along the line between the points");
    let free = format!("{item}.free_length");
    if let Some(length) = check.optional(&free, &spring.free_length, Use::Coefficient)
        && length < 0.0
    {
        check.report(free, format!("found {length}"), "a length is positive, or 0");
    }
    check.number(&format!("{item}.preload"), &spring.preload, Use::Coefficient);
    characteristic(check, item, ["stiffness", "force_table", "elongation"], &spring.stiffness, &spring.force_table);
    characteristic(check, item, ["damping", "damping_table", "speed"], &spring.damping, &spring.damping_table);
}

pub(super) fn joint_spring(check: &mut Check, item: &str, spring: &JointSpring) {
    check.coordinate(item, &spring.joint, &spring.coordinate);
    check.number(&format!("{item}.free_position"), &spring.free_position, Use::Coefficient);
    check.number(&format!("{item}.preload"), &spring.preload, Use::Coefficient);
    characteristic(check, item, ["stiffness", "force_table", "deflection"], &spring.stiffness, &spring.force_table);
    characteristic(check, item, ["damping", "damping_table", "speed"], &spring.damping, &spring.damping_table);
}

pub(super) fn bushing(check: &mut Check, item: &str, bushing: &Bushing) {
    check.two_bodies(item, &bushing.bodies, "the bushing");
    check.place(&format!("{item}.point"), &bushing.point);
    let second_key = format!("{item}.second_axis");
    let axis = bushing.axis.as_ref().and_then(|axis| check.direction(&format!("{item}.axis"), axis));
    let second = bushing.second_axis.as_ref().and_then(|axis| check.direction(&second_key, axis));
    if bushing.axis.is_none() && bushing.second_axis.is_some() {
        check.report(&second_key, "`second_axis` needs `axis`", "give both, or `axis` alone");
    }
    perpendicular(check, &second_key, axis, second);
    let mut six = |key: &str, numbers: &[Number; 6], may_be_negative: bool| {
        for (index, number) in numbers.iter().enumerate() {
            let key = format!("{item}.{key}[{index}]");
            if may_be_negative {
                check.number(&key, number, Use::Coefficient);
            } else {
                check.not_negative(&key, number, Use::Coefficient, "write 0 or more");
            }
        }
    };
    six("stiffness", &bushing.stiffness, false);
    if let Some(damping) = &bushing.damping {
        six("damping", damping, false);
    }
    if let Some(preload) = &bushing.preload {
        six("preload", preload, true);
    }
    for (name, number, usage, what) in [
        ("break_force", &bushing.break_force, Use::Coefficient, "a positive force in N"),
        ("break_torque", &bushing.break_torque, Use::Coefficient, "a positive torque in N m"),
        ("break_time", &bushing.break_time, Use::Fixed, "a positive time in s"),
    ] {
        let key = format!("{item}.{name}");
        if let Some(value) = check.optional(&key, number, usage)
            && value <= 0.0
        {
            check.report(key, format!("found {value}"), format!("give {what}"));
        }
    }
    if bushing.break_time.is_some() && bushing.break_force.is_none() && bushing.break_torque.is_none() {
        let found = "`break_time` needs `break_force` or `break_torque`";
        check.report(format!("{item}.break_time"), found, "add one of them, or remove it");
    }
}

pub(super) fn bump_stop(check: &mut Check, item: &str, stop: &BumpStop) {
    // At least one limit, and a free range between two limits.
    ends_of_stop(check, item, stop);
    let lower = check.optional(&format!("{item}.lower"), &stop.lower, Use::Coefficient);
    let upper = check.optional(&format!("{item}.upper"), &stop.upper, Use::Coefficient);
    if stop.lower.is_none() && stop.upper.is_none() {
        check.report(item, "the bump stop has no limit", "add `lower`, `upper` or both");
    }
    if let (Some(lower), Some(upper)) = (lower, upper)
        && lower >= upper
    {
        let found = format!("the lower limit {lower} is not below the upper limit {upper}");
        check.report(format!("{item}.lower"), found, "the free range is between `lower` and `upper`");
    }
    // The law is a stiffness with exponent or a table.
    let stiffness = "write 0 or more; a stop cannot pull";
    match (&stop.stiffness, &stop.force_table) {
        (Some(_), Some(_)) => {
            let found = "both `stiffness` and `force_table` are given";
            check.report(format!("{item}.force_table"), found, "give one of them");
        }
        (Some(number), None) => {
            check.not_negative(&format!("{item}.stiffness"), number, Use::Coefficient, stiffness);
        }
        (None, Some(table)) => from_zero(check, &format!("{item}.force_table"), table, "penetration"),
        (None, None) => check.report(item, "the bump stop has no law", "add `stiffness` or `force_table`"),
    }
    check.not_negative(&format!("{item}.damping"), &stop.damping, Use::Coefficient, "write 0 or more");
    check.not_negative(&format!("{item}.damping_depth"), &stop.damping_depth, Use::Coefficient, "write 0 or more");
    // An exponent below 1 has an infinite stiffness at first contact.
    let key = format!("{item}.exponent");
    if let Some(exponent) = check.number(&key, &stop.exponent, Use::Coefficient)
        && exponent < 1.0
    {
        check.report(
            key,
            format!("found {exponent}"),
            "write 1 or more; the stiffness must be finite at first contact",
        );
    }
}

pub(super) fn force(check: &mut Check, item: &str, force: &Force) {
    check.moving_body(&format!("{item}.body"), &force.body);
    check.place(&format!("{item}.point"), &force.point);
    check.vector(&format!("{item}.value"), &force.value, Use::Signal);
}

pub(super) fn torque(check: &mut Check, item: &str, torque: &Torque) {
    check.moving_body(&format!("{item}.body"), &torque.body);
    check.vector(&format!("{item}.value"), &torque.value, Use::Signal);
}

pub(super) fn friction(check: &mut Check, item: &str, friction: &Friction) {
    check.coordinate(item, &friction.joint, &friction.coordinate);
    let expected = "write 0 or more; friction opposes motion";
    check.not_negative(&format!("{item}.coulomb"), &friction.coulomb, Use::Coefficient, expected);
    check.not_negative(&format!("{item}.viscous"), &friction.viscous, Use::Coefficient, expected);
    dry_friction(check, item, friction);
    load_friction(check, item, friction);
}

/// Friction that grows with the load of the joint.
fn load_friction(check: &mut Check, item: &str, friction: &Friction) {
    let key = |name: &str| format!("{item}.{name}");
    let others = [
        ("static_coefficient", &friction.static_coefficient),
        ("radius", &friction.radius),
        ("thrust_radius", &friction.thrust_radius),
        ("bearing_distance", &friction.bearing_distance),
        ("nominal_load", &friction.nominal_load),
        ("load_time", &friction.load_time),
    ];
    let Some(sliding) = &friction.coefficient else {
        for (name, _) in others.iter().filter(|(_, number)| number.is_some()) {
            check.report(key(name), format!("`{name}` needs `coefficient`"), "add `coefficient`, or remove this key");
        }
        return;
    };
    let expected = "write 0 or more; friction opposes motion";
    let sliding = check.not_negative(&key("coefficient"), sliding, Use::Coefficient, expected);
    // Kinds with a fixed axis, and a coordinate along or about it.
    let joint = check.model.joints.iter().find(|joint| joint.name == friction.joint);
    let Some(kind) = joint.map(|joint| joint.kind) else { return };
    if !matches!(kind, JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical) {
        let found = format!("the joint is {}", kind.word());
        check.report(key("coefficient"), found, "use a revolute, prismatic or cylindrical joint");
        return;
    }
    let Some(coordinate) = kind.coordinate(friction.coordinate.as_deref()) else { return };
    let turns = coordinate.measure == Measure::Angle;
    if check.model.general.integrator == Integrator::AugmentedLagrangian {
        let found = "the integrator `augmented_lagrangian` has no friction that depends on the load of a joint";
        check.report(key("coefficient"), found, "use `generalized_alpha` or `rk4`");
    }
    for (name, number) in [("radius", &friction.radius), ("thrust_radius", &friction.thrust_radius)] {
        if number.is_some() && !turns {
            check.report(key(name), "the coordinate is a translation", "remove this key");
        }
    }
    if turns && friction.radius.is_none() {
        check.report(key("radius"), "`coefficient` of a rotation needs `radius`", "add the radius of the bearing in m");
    }
    if friction.nominal_load.is_none() {
        let expected = "add a typical force on the bearing in N; `presliding` holds for this load";
        check.report(key("nominal_load"), "`coefficient` needs `nominal_load`", expected);
    }
    if friction.presliding.is_none() {
        let expected = "add `presliding`: the elastic travel in rad or m before sliding at `nominal_load`";
        check.report(key("presliding"), "`coefficient` needs `presliding`", expected);
    }
    let sticking = friction.static_coefficient.as_ref();
    let sticking = sticking.and_then(|number| check.number(&key("static_coefficient"), number, Use::Coefficient));
    if let (Some(sticking), Some(sliding)) = (sticking, sliding)
        && sticking < sliding
    {
        let expected = format!("write at least the value of `coefficient` ({sliding})");
        check.report(key("static_coefficient"), format!("found {sticking}"), expected);
    }
    if friction.static_coefficient.is_some() && friction.stribeck_speed.is_none() {
        let expected = "add `stribeck_speed`: the speed in rad/s or m/s over which friction falls";
        check.report(key("stribeck_speed"), "`static_coefficient` needs `stribeck_speed`", expected);
    }
    for (name, number) in others.into_iter().skip(1) {
        if let Some(value) = number.as_ref().and_then(|number| check.number(&key(name), number, Use::Fixed))
            && value <= 0.0
        {
            check.report(key(name), format!("found {value}"), "give a positive number");
        }
    }
}

pub(super) fn drive(check: &mut Check, item: &str, drive: &Drive) {
    check.coordinate(item, &drive.joint, &drive.coordinate);
    check.number(&format!("{item}.value"), &drive.value, Use::Signal);
    check.number(&format!("{item}.gain"), &drive.gain, Use::Coefficient);
    check.number(&format!("{item}.offset"), &drive.offset, Use::Coefficient);
    for (name, gain) in [("position_gain", &drive.position_gain), ("speed_gain", &drive.speed_gain)] {
        check.number(&format!("{item}.{name}"), gain, Use::Coefficient);
    }
    let limits = [("min_effort", &drive.min_effort), ("max_effort", &drive.max_effort)].map(|(name, limit)| {
        limit.as_ref().and_then(|limit| check.number(&format!("{item}.{name}"), limit, Use::Coefficient))
    });
    if let [Some(least), Some(most)] = limits
        && least >= most
    {
        let found = format!("min_effort {least} is not below max_effort {most}");
        check.report(format!("{item}.min_effort"), found, "write a smaller `min_effort`");
    }
}

/// A coefficient or a table that replaces it; `[key of the coefficient, key of the table, name of its first column]`.
pub(super) fn characteristic(
    check: &mut Check,
    item: &str,
    [key, table_key, abscissa]: [&str; 3],
    coefficient: &Number,
    table: &Option<Vec<[f64; 2]>>,
) {
    let coefficient_key = format!("{item}.{key}");
    let expected = format!("write 0 or more; use `{table_key}` for a falling characteristic");
    check.not_negative(&coefficient_key, coefficient, Use::Coefficient, &expected);
    if let Some(table) = table {
        let table_path = format!("{item}.{table_key}");
        if *coefficient != Number::Value(0.0) {
            check.report(&table_path, format!("both `{key}` and `{table_key}` are given"), "give one of them");
        }
        rows(check, &table_path, table, abscissa);
    }
}

/// The quantity that a stop limits: a joint coordinate, or the distance of two points.
fn ends_of_stop(check: &mut Check, item: &str, stop: &BumpStop) {
    match (&stop.joint, &stop.bodies, &stop.points) {
        (Some(joint), None, None) => {
            check.coordinate(item, joint, &stop.coordinate);
        }
        (None, Some(bodies), Some(points)) => {
            check.two_bodies(item, bodies, "the bump stop");
            distance(check, item, points, "the force acts along the line between the points");
            if stop.coordinate.is_some() {
                check.report(format!("{item}.coordinate"), "`coordinate` needs `joint`", "remove it");
            }
        }
        _ => {
            let expected = "give `joint` (and `coordinate` if it has several), or `bodies` and `points`";
            check.report(item, "the bump stop has no joint and no points", expected);
        }
    }
}

/// A table of a law that begins at [0, 0] and is never below 0.
pub(super) fn from_zero(check: &mut Check, key: &str, table: &[[f64; 2]], abscissa: &str) {
    rows(check, key, table, abscissa);
    if let Some(first) = table.first().filter(|row| **row != [0.0, 0.0]) {
        let found = format!("the table begins at [{}, {}]", first[0], first[1]);
        check.report(format!("{key}[0]"), found, "begin with [0, 0]");
    }
    for (index, row) in table.iter().enumerate().filter(|(_, row)| row[1] < 0.0) {
        check.report(format!("{key}[{index}]"), format!("found the force {}", row[1]), "write 0 or more");
    }
}

fn dry_friction(check: &mut Check, item: &str, friction: &Friction) {
    let key = |name: &str| format!("{item}.{name}");
    // Stribeck friction falls from static to Coulomb friction with increasing speed.
    let expected = "write 0 or more; friction opposes motion";
    let coulomb = check.value(&friction.coulomb);
    if let Some(breakaway) = &friction.breakaway {
        let found = check.not_negative(&key("static"), breakaway, Use::Coefficient, expected);
        if let (Some(found), Some(coulomb)) = (found, coulomb)
            && found < coulomb
        {
            let expected = format!(
                "write at least the value of `coulomb` ({coulomb}); sliding friction cannot exceed static \
                         friction"
            );
            check.report(key("static"), format!("found {found}"), expected);
        }
        if friction.stribeck_speed.is_none() {
            let expected =
                "add `stribeck_speed`: the speed in rad/s or m/s over which friction falls from `static` to `coulomb`";
            check.report(key("stribeck_speed"), "`static` needs `stribeck_speed`", expected);
        }
    }
    // Stribeck speed, presliding travel and relaxation time are divisors.
    for (name, number, usage, expected) in [
        ("stribeck_speed", friction.stribeck_speed.as_ref(), Use::Coefficient, "give a positive speed in rad/s or m/s"),
        ("presliding", friction.presliding.as_ref(), Use::Fixed, "give a positive travel in rad or m"),
        ("time", Some(&friction.time), Use::Fixed, "give a positive time in s; without damping the bristles oscillate"),
    ] {
        if let Some(value) = number.and_then(|number| check.number(&key(name), number, usage))
            && value <= 0.0
        {
            check.report(key(name), format!("found {value}"), expected);
        }
    }
    // The bristle model needs an elastic travel; without it the friction force would be discontinuous.
    let none = |number: &Number| *number == Number::Value(0.0);
    let dry = !none(&friction.coulomb) || friction.breakaway.as_ref().is_some_and(|number| !none(number));
    if dry && friction.presliding.is_none() {
        let expected = "add `presliding`: the elastic travel in rad or m before sliding; explicit steps need about 2 \
                        · breakaway force · step² / inertia";
        check.report(key("presliding"), "dry friction needs `presliding`", expected);
    }
}
