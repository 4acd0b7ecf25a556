//! Rods, couplers, racks, point constraints and guided coordinates.

use super::check::{Check, Use};
use crate::model::coordinates::{Coordinate, Measure};
use crate::model::schema::{CoordinateRef, Guided, Number, Place};
use std::collections::HashMap;

/// Shortest length in m that still has a direction.
const SHORTEST: f64 = 1e-9;

/// A scalar coordinate: index of the joint, index among its speeds.
type CoordinateKey = (usize, usize);

pub(super) fn check(check: &mut Check) {
    let model = check.model;
    for (index, rod) in model.rods.iter().enumerate() {
        let item = format!("rod[{index}]");
        check.two_bodies(&item, &rod.bodies, "the rod");
        check.not_negative(&format!("{item}.mass"), &rod.mass, Use::Fixed, "a mass is positive, or 0");
        distance(check, &item, &rod.points, "a rod needs a length");
    }
    for (index, line) in model.points_on_line.iter().enumerate() {
        let item = format!("point_on_line[{index}]");
        check.two_bodies(&item, &line.bodies, "the constraint");
        check.place(&format!("{item}.point"), &line.point);
        check.direction(&format!("{item}.axis"), &line.axis);
    }
    for (index, plane) in model.points_in_plane.iter().enumerate() {
        let item = format!("point_in_plane[{index}]");
        check.two_bodies(&item, &plane.bodies, "the constraint");
        check.place(&format!("{item}.point"), &plane.point);
        check.direction(&format!("{item}.normal"), &plane.normal);
    }
    let guided = guided(check);
    couplings(check, &guided);
}

/// Reports two points that coincide.
pub(super) fn distance(check: &mut Check, item: &str, points: &[Place; 2], expected: &str) {
    let [a, b] = [0, 1].map(|end| check.place(&format!("{item}.points[{end}]"), &points[end]));
    if let (Some(a), Some(b)) = (a, b)
        && (a - b).norm() < SHORTEST
    {
        let key = format!("{item}.points");
        check.report(key, "the two points coincide", format!("{expected}: give points that are apart"));
    }
}

/// Couplers, racks and pinions: each pair of coordinates once, and not between two guided ones.
fn couplings(check: &mut Check, guided: &HashMap<CoordinateKey, String>) {
    let model = check.model;
    let mut pairs: HashMap<[CoordinateKey; 2], String> = HashMap::new();
    for (index, coupler) in model.couplers.iter().enumerate() {
        let item = format!("coupler[{index}]");
        let ends = [0, 1].map(|end| reference(check, &format!("{item}.coordinates[{end}]"), &coupler.coordinates[end]));
        not_zero(
            check,
            &format!("{item}.ratio"),
            &coupler.ratio,
            "give the ratio of the second to the first coordinate",
        );
        check.number(&format!("{item}.offset"), &coupler.offset, Use::Fixed);
        pair(check, &item, &format!("{item}.coordinates"), ends, guided, &mut pairs);
    }
    for (index, rack) in model.racks.iter().enumerate() {
        let item = format!("rack_and_pinion[{index}]");
        let ends = [("pinion", &rack.pinion, Measure::Angle), ("rack", &rack.rack, Measure::Length)];
        let ends = ends.map(|(name, coordinate, measure)| {
            let key = format!("{item}.{name}");
            let found = reference(check, &key, coordinate)?;
            if found.1.measure != measure {
                let (is, wanted) = match measure {
                    Measure::Angle => ("a travel", "an angle"),
                    Measure::Length => ("an angle", "a travel"),
                };
                let found = format!("coordinate `{}` of joint \"{}\" is {is}", found.1.name, coordinate.joint);
                check.report(&key, found, format!("the {name} needs {wanted}"));
                return None;
            }
            Some(found)
        });
        not_zero(check, &format!("{item}.radius"), &rack.radius, "give the pitch radius in m");
        pair(check, &item, &item, ends, guided, &mut pairs);
    }
}

fn reference(check: &mut Check, key: &str, coordinate: &CoordinateRef) -> Option<(usize, &'static Coordinate)> {
    check.coordinate(key, &coordinate.joint, &coordinate.coordinate)
}

fn not_zero(check: &mut Check, key: &str, number: &crate::model::schema::Number, expected: &str) {
    if check.number(key, number, Use::Fixed) == Some(0.0) {
        check.report(key, "found 0", expected);
    }
}

fn pair(
    check: &mut Check,
    item: &str,
    key: &str,
    ends: [Option<(usize, &'static Coordinate)>; 2],
    guided: &HashMap<CoordinateKey, String>,
    pairs: &mut HashMap<[CoordinateKey; 2], String>,
) {
    let [Some(first), Some(second)] = ends.map(|end| end.map(|(joint, coordinate)| (joint, coordinate.velocity)))
    else {
        return;
    };
    if first == second {
        check.report(key, "the coordinate is coupled with itself", "name two different coordinates");
        return;
    }
    let mut sorted = [first, second];
    sorted.sort();
    if let Some(earlier) = pairs.get(&sorted) {
        let found = format!("the two coordinates are coupled by {} already", check.item_with_line(earlier, earlier));
        check.report(key, found, "remove one of the two");
    }
    pairs.entry(sorted).or_insert_with(|| item.to_string());
    if let (Some(a), Some(b)) = (guided.get(&first), guided.get(&second)) {
        let found = format!("both coordinates are guided, by {a} and {b}");
        check.report(key, found, "guide one of them: the other follows");
    }
}

/// Guided coordinates; returns which item guides which coordinate.
fn guided(check: &mut Check) -> HashMap<CoordinateKey, String> {
    let mut by: HashMap<CoordinateKey, String> = HashMap::new();
    for (index, guided) in check.model.guided.iter().enumerate() {
        let item = format!("guided[{index}]");
        if let Some((joint, coordinate)) = check.coordinate(&item, &guided.joint, &guided.coordinate) {
            let key = (joint, coordinate.velocity);
            if let Some(earlier) = by.get(&key) {
                let found = format!(
                    "coordinate `{}` of joint \"{}\" is guided by {} already",
                    coordinate.name,
                    guided.joint,
                    check.item_with_line(earlier, earlier)
                );
                check.report(format!("{item}.joint"), found, "guide each coordinate once");
            }
            by.entry(key).or_insert_with(|| item.clone());
        }
        source(check, &item, guided);
    }
    by
}

/// Where a guided motion comes from.
fn source(check: &mut Check, item: &str, guided: &Guided) {
    let given = [
        ("motion", guided.motion.is_some()),
        ("spin_up", guided.spin_up.is_some()),
        ("table", guided.table.is_some()),
        ("input", guided.input.is_some()),
        ("inputs", guided.inputs.is_some()),
    ];
    let given: Vec<String> = given.iter().filter(|(_, is)| *is).map(|(key, _)| format!("`{key}`")).collect();
    if given.len() != 1 {
        let found = match given.len() {
            0 => "nothing says how the coordinate moves".to_string(),
            _ => format!("{} are given together", given.join(" and ")),
        };
        check.report(item, found, "give exactly one of `motion`, `spin_up`, `table`, `input`, `inputs`");
    }
    if let Some(motion) = &guided.motion {
        let numbers = [
            ("offset", &motion.offset),
            ("speed", &motion.speed),
            ("amplitude", &motion.amplitude),
            ("frequency", &motion.frequency),
            ("phase", &motion.phase),
        ];
        for (key, number) in numbers {
            check.number(&format!("{item}.motion.{key}"), number, Use::Fixed);
        }
    }
    if let Some(spin_up) = &guided.spin_up {
        check.number(&format!("{item}.spin_up.speed"), &spin_up.speed, Use::Fixed);
        let key = format!("{item}.spin_up.time");
        check.number(&key, &spin_up.time, Use::Fixed);
        if matches!(spin_up.time, Number::Value(time) if !(time > 0.0)) {
            check.report(&key, "the time is not positive", "give the time in s in which the speed is reached");
        }
    }
    if let Some(table) = &guided.table {
        rows(check, &format!("{item}.table"), table, "time");
    }
    let frequency_key = format!("{item}.filter_frequency");
    if let Some(input) = &guided.input {
        input_exists(check, &format!("{item}.input"), input);
        if guided.filter_frequency.is_none() {
            let expected = "add `filter_frequency` in Hz: the filter makes the input twice differentiable";
            check.report(&frequency_key, "`input` comes without `filter_frequency`", expected);
        }
    } else if guided.filter_frequency.is_some() {
        check.report(&frequency_key, "`filter_frequency` goes with `input` only", "remove it");
    }
    if let Some(frequency) = check.optional(&frequency_key, &guided.filter_frequency, Use::Fixed)
        && frequency <= 0.0
    {
        check.report(&frequency_key, format!("found {frequency}"), "give a positive frequency in Hz");
    }
    let gain_key = format!("{item}.gain");
    check.optional(&gain_key, &guided.gain, Use::Fixed);
    if guided.gain.is_some() && guided.input.is_none() && guided.inputs.is_none() {
        check.report(&gain_key, "`gain` goes with `input` or `inputs` only", "remove it");
    }
    if let Some(inputs) = &guided.inputs {
        for (end, input) in inputs.iter().enumerate() {
            input_exists(check, &format!("{item}.inputs[{end}]"), input);
        }
        if inputs[0] == inputs[1] || inputs[1] == inputs[2] || inputs[0] == inputs[2] {
            let expected = "name three inputs: position, speed, acceleration";
            check.report(format!("{item}.inputs"), "one input stands there twice", expected);
        }
    }
}

fn input_exists(check: &mut Check, key: &str, name: &str) {
    let known: Vec<&str> = check.model.inputs.iter().map(|input| input.name.as_str()).collect();
    if !known.contains(&name) {
        let expected = crate::document::nearest::did_you_mean(name, &known);
        check.report(key, format!("there is no input \"{name}\""), expected);
    }
}

/// Rows of a table: at least two, the first column strictly increasing.
pub(super) fn rows(check: &mut Check, key: &str, table: &[[f64; 2]], abscissa: &str) {
    if table.len() < 2 {
        let found = if table.is_empty() { "the table is empty" } else { "the table has one row" };
        check.report(key, found, "give at least two rows");
    }
    for (index, pair) in table.windows(2).enumerate() {
        let [before, here] = [pair[0][0], pair[1][0]];
        if here <= before {
            let found = format!("{abscissa} {here} comes after {before}");
            check.report(format!("{key}[{}]", index + 1), found, "the first column must increase strictly");
        }
    }
}
