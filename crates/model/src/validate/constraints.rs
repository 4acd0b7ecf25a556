//! Rods, couplers, racks, point constraints and prescribed motions.

use super::check::{Check, Use};
use crate::schema::{CamMotion, CamSegment, CoupledCoordinate, Coupler, Guided, Number, Place};
use ballesta_solver::joint::coordinates::{Coordinate, Measure};
use std::collections::HashMap;
use std::f64::consts::TAU;

/// Shortest length in m that still has a direction.
const MIN_LENGTH: f64 = 1e-9;

/// Largest deviation of a law from its start, or from a turn, if it repeats.
const REPEAT_TOLERANCE: f64 = 1e-9;

/// Slots of a Geneva wheel.
const MIN_SLOTS: u32 = 3;

/// A scalar coordinate: index of the joint, index among its speeds.
type CoordinateKey = (usize, usize);

pub(super) fn check(check: &mut Check) {
    let model = check.model;
    for (index, rod) in model.rods.iter().enumerate() {
        let item = format!("rod[{index}]");
        check.two_bodies(&item, &rod.bodies, "the rod");
        check.not_negative(&format!("{item}.mass"), &rod.mass, Use::Fixed, "write 0 or more");
        distance(check, &item, &rod.points, "a rod must have a length");
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
        && (a - b).norm() < MIN_LENGTH
    {
        let key = format!("{item}.points");
        check.report(key, "the two points coincide", format!("{expected}: give two different points"));
    }
}

/// Couplers, racks and pinions: each pair of coordinates once, and not between driven ones alone.
fn couplings(check: &mut Check, guided: &HashMap<CoordinateKey, String>) {
    let model = check.model;
    // Two couplers with the same pair of coordinates would be redundant or contradictory.
    let mut pairs: HashMap<[CoordinateKey; 2], String> = HashMap::new();
    for (index, coupler) in model.couplers.iter().enumerate() {
        let item = format!("coupler[{index}]");
        let key = format!("{item}.coordinates");
        let on = coupler.coordinates.iter().enumerate();
        let ends: Vec<_> =
            on.map(|(k, on)| check.coordinate(&format!("{key}[{k}]"), &on.joint, &on.coordinate)).collect();
        ratios(check, &item, coupler);
        check.number(&format!("{item}.offset"), &coupler.offset, Use::Fixed);
        coupled(check, &item, &key, &ends, guided, &mut pairs);
    }
    // A rack relates a travel to an angle by the pitch radius.
    for (index, rack) in model.racks.iter().enumerate() {
        let item = format!("rack_and_pinion[{index}]");
        let ends = [("pinion", &rack.pinion, Measure::Angle), ("rack", &rack.rack, Measure::Length)];
        let ends = ends.map(|(name, coordinate, measure)| {
            let key = format!("{item}.{name}");
            let found = check.coordinate(&key, &coordinate.joint, &coordinate.coordinate)?;
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
        coupled(check, &item, &item, &ends, guided, &mut pairs);
    }
}

/// One ratio of two coordinates, or one at each of two and more.
fn ratios(check: &mut Check, item: &str, coupler: &Coupler) {
    // A coupler has one law (`ratio`, `table`, `cam` or `geneva`) or a ratio per coordinate.
    let key = format!("{item}.coordinates");
    let count = coupler.coordinates.len();
    let own = coupler.coordinates.iter().filter(|on| on.ratio.is_some()).count();
    let given = [
        ("ratio", coupler.ratio.is_some()),
        ("table", coupler.table.is_some()),
        ("cam", coupler.cam.is_some()),
        ("geneva", coupler.geneva.is_some()),
    ];
    let given: Vec<String> = given.iter().filter(|(_, is)| *is).map(|(key, _)| format!("`{key}`")).collect();
    if given.len() > 1 {
        let found = format!("{} are given together", given.join(" and "));
        check.report(item, found, "keep one of them");
        return;
    }
    // One law relates exactly two coordinates; their own ratios are then only signs.
    if let Some(whole) = given.first() {
        if let Some(ratio) = &coupler.ratio {
            let expected = "give the ratio of the second to the first coordinate";
            not_zero(check, &format!("{item}.ratio"), ratio, expected);
        }
        if own > 0 && coupler.ratio.is_some() {
            let found = format!("both the coupler (by its {whole}) and its coordinates have ratios");
            check.report(item, found, format!("keep the {whole}, or give a `ratio` to every coordinate"));
        } else if count != 2 {
            let expected =
                format!("name the driving and the driven coordinate, or give each a `ratio` instead of the {whole}");
            check.report(key, format!("found {count} coordinates"), expected);
        } else {
            for (index, on) in coupler.coordinates.iter().enumerate() {
                let key = format!("{key}[{index}].ratio");
                if let Some(sense) = check.optional(&key, &on.ratio, Use::Fixed).filter(|sense| sense.abs() != 1.0) {
                    check.report(key, format!("found {sense}"), format!("write 1 or -1 together with the {whole}"));
                }
            }
            law(check, item, coupler);
        }
        return;
    }
    // Ratios of coordinates form a linear equation, so each coordinate needs one.
    if own == 0 {
        let expected = "give `ratio`, `table`, `cam` or `geneva`, or a `ratio` for every coordinate";
        check.report(item, "the coupler has no law that relates its coordinates", expected);
    } else if count < 2 {
        check.report(&key, format!("found {count} coordinate"), "couple at least two coordinates");
    }
    for (index, on) in coupler.coordinates.iter().enumerate().filter(|_| own > 0) {
        match &on.ratio {
            Some(ratio) => {
                let expected = "give the factor of the coordinate, or remove the coordinate";
                not_zero(check, &format!("{key}[{index}].ratio"), ratio, expected);
            }
            None => {
                let found = "the coordinate has no `ratio`, but others of the coupler have one";
                check.report(format!("{key}[{index}]"), found, "give every coordinate a `ratio`");
            }
        }
    }
}

fn not_zero(check: &mut Check, key: &str, number: &crate::schema::Number, expected: &str) {
    if check.number(key, number, Use::Fixed) == Some(0.0) {
        check.report(key, "found 0", expected);
    }
}

/// Table, cam or Geneva drive of two coordinates: ascending, and closed if it repeats.
fn law(check: &mut Check, item: &str, coupler: &Coupler) {
    // The end points of a periodic law must repeat.
    let mut ends = None;
    if let Some(table) = &coupler.table {
        let key = format!("{item}.table");
        rows(check, &key, table, "driving coordinate");
        match table.as_slice() {
            [first, .., last] if coupler.periodic && table.len() > 3 => ends = Some((key, [*first, *last])),
            [_, ..] if coupler.periodic => {
                let found = format!("a periodic table of {} rows", table.len());
                check.report(
                    key,
                    found,
                    "give at least four rows; the last row repeats the first row one period later",
                );
            }
            _ => {}
        }
    // Cam segments are chained: each starts where the previous one ends.
    } else if let Some(cam) = &coupler.cam {
        let key = format!("{item}.cam");
        let mut end = Some([0.0; 2]);
        for (index, segment) in cam.iter().enumerate() {
            let extent = self::segment(check, &format!("{key}[{index}]"), segment);
            end = end.zip(extent).map(|([x, y], [over, rise])| [x + over, y + rise]);
        }
        if cam.is_empty() {
            check.report(&key, "the cam has no segments", "give its segments in order");
        } else if coupler.periodic {
            ends = end.map(|end| (key, [[0.0; 2], end]));
        }
    } else if coupler.periodic {
        check.report(format!("{item}.periodic"), "`periodic` applies only to `table` and `cam`", "remove it");
    }
    // The pin of a Geneva drive enters the slot without shock from three slots on.
    if let Some(geneva) = &coupler.geneva {
        if geneva.slots < MIN_SLOTS {
            let expected = "give 3 or more; with fewer, the pin does not enter the slot tangentially";
            check.report(format!("{item}.geneva.slots"), format!("found {}", geneva.slots), expected);
        }
        for (index, on) in coupler.coordinates.iter().enumerate() {
            if measure(check, on) == Some(Measure::Length) {
                let found = format!("a coordinate of joint \"{}\" is a length", on.joint);
                check.report(format!("{item}.coordinates[{index}]"), found, "a Geneva drive needs two angles");
            }
        }
    }
    // A periodic law over an angle must repeat after whole turns or a whole fraction of one turn.
    let Some((key, [[x0, y0], [x1, y1]])) = ends else { return };
    if (y1 - y0).abs() > REPEAT_TOLERANCE {
        let found = format!("the law starts at {y0} but ends at {y1}");
        check.report(&key, found, "make the law end where it starts, or remove `periodic`");
    }
    let turns = (x1 - x0) / TAU;
    let whole = |turns: f64| (turns - turns.round()).abs() <= REPEAT_TOLERANCE && turns >= 0.5;
    if measure(check, &coupler.coordinates[0]) == Some(Measure::Angle) && !whole(turns) && !whole(1.0 / turns) {
        let found = format!("the law repeats after {} rad, which is {turns} turns", x1 - x0);
        check.report(
            &key,
            found,
            "use a period of one turn (2π = 6.283185307179586), several turns, or a whole \
                                   fraction of a turn",
        );
    }
}

/// The kind of a coupler's coordinate, if the coordinate exists.
fn measure(check: &Check, on: &CoupledCoordinate) -> Option<Measure> {
    let joint = check.model.joints.iter().find(|joint| joint.name == on.joint)?;
    Some(joint.kind.coordinate(on.coordinate.as_deref())?.measure)
}

/// Length and rise of a segment of a cam, if they are known.
fn segment(check: &mut Check, key: &str, segment: &CamSegment) -> Option<[f64; 2]> {
    let rise = check.number(&format!("{key}.rise"), &segment.rise, Use::Fixed);
    let (name, number, unit) = match (&segment.over, &segment.over_deg) {
        (Some(over), None) => ("over", over, 1.0),
        (None, Some(over)) => ("over_deg", over, 1.0f64.to_radians()),
        (given, _) => {
            let found = if given.is_some() { "`over` and `over_deg` are given together" } else { "`over` is missing" };
            check.report(key, found, "give one of `over` (rad or m) and `over_deg`");
            return None;
        }
    };
    let over = check.number(&format!("{key}.{name}"), number, Use::Fixed)?;
    if !(over > 0.0) {
        check.report(format!("{key}.{name}"), format!("found {over}"), "a segment must have a length");
        return None;
    }
    let rise = rise?;
    if (segment.motion == CamMotion::Dwell) != (rise == 0.0) {
        let (found, expected) = match segment.motion {
            CamMotion::Dwell => (format!("a dwell has the rise {rise}"), "write another motion, or remove `rise`"),
            _ => ("the segment has no rise".to_string(), "give `rise`, or write `motion = \"dwell\"`"),
        };
        check.report(key, found, expected);
    }
    Some([over * unit, rise])
}

/// Different coordinates, not all driven; two of them that no other coupler has.
fn coupled(
    check: &mut Check,
    item: &str,
    key: &str,
    ends: &[Option<(usize, &'static Coordinate)>],
    guided: &HashMap<CoordinateKey, String>,
    pairs: &mut HashMap<[CoordinateKey; 2], String>,
) {
    // Invalid coordinates were reported before.
    let coordinates: Option<Vec<CoordinateKey>> =
        ends.iter().map(|end| end.map(|(joint, coordinate)| (joint, coordinate.velocity))).collect();
    let Some(mut coordinates) = coordinates else { return };
    coordinates.sort();
    if coordinates.windows(2).any(|pair| pair[0] == pair[1]) {
        check.report(key, "the coordinate is coupled to itself", "name different coordinates");
        return;
    }
    // Coordinates that are all driven leave nothing to determine.
    let by: Vec<&str> = coordinates.iter().filter_map(|on| guided.get(on)).map(String::as_str).collect();
    if by.len() == coordinates.len() && by.len() > 1 {
        let what = if by.len() == 2 { "both" } else { "all" };
        let found = format!("{what} coordinates have prescribed motions, by {}", by.join(" and "));
        check.report(
            key,
            found,
            "leave one coordinate without a prescribed motion; the coupler determines its \
                                  motion",
        );
    }
    // Each pair of coordinates is coupled once.
    let [first, second] = coordinates[..] else { return };
    if let Some(earlier) = pairs.get(&[first, second]) {
        let found = format!("the two coordinates are already coupled by {}", check.item_with_line(earlier, earlier));
        check.report(key, found, "remove one of the two");
    }
    pairs.entry([first, second]).or_insert_with(|| item.to_string());
}

/// Driven coordinates; returns the item that drives each coordinate.
fn guided(check: &mut Check) -> HashMap<CoordinateKey, String> {
    let mut by: HashMap<CoordinateKey, String> = HashMap::new();
    for (index, guided) in check.model.guided.iter().enumerate() {
        let item = format!("guided[{index}]");
        if let Some((joint, coordinate)) = check.coordinate(&item, &guided.joint, &guided.coordinate) {
            let key = (joint, coordinate.velocity);
            if let Some(earlier) = by.get(&key) {
                let found = format!(
                    "coordinate `{}` of joint \"{}\" already has a prescribed motion, by {}",
                    coordinate.name,
                    guided.joint,
                    check.item_with_line(earlier, earlier)
                );
                check.report(format!("{item}.joint"), found, "prescribe each coordinate only once");
            }
            by.entry(key).or_insert_with(|| item.clone());
        }
        source(check, &item, guided);
    }
    by
}

/// The source of a prescribed motion.
fn source(check: &mut Check, item: &str, guided: &Guided) {
    // A driven coordinate has exactly one source.
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
            0 => "the prescribed motion has no law".to_string(),
            _ => format!("{} are given together", given.join(" and ")),
        };
        check.report(item, found, "give exactly one of `motion`, `spin_up`, `table`, `input`, `inputs`");
    }
    // Numbers of the harmonic motion and of the spin-up are constant during a run.
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
            check.report(&key, "the time is not positive", "give the time in s after which the speed is reached");
        }
    }
    if let Some(table) = &guided.table {
        rows(check, &format!("{item}.table"), table, "time");
    }
    // The position of a driven coordinate is differentiated twice, so a raw input needs a low-pass filter.
    let frequency_key = format!("{item}.filter_frequency");
    if let Some(input) = &guided.input {
        input_exists(check, &format!("{item}.input"), input);
        if guided.filter_frequency.is_none() {
            let expected = "add `filter_frequency` in Hz; the filter makes the input twice differentiable";
            check.report(&frequency_key, "`input` needs `filter_frequency`", expected);
        }
    } else if guided.filter_frequency.is_some() {
        check.report(&frequency_key, "`filter_frequency` applies only to `input`", "remove it");
    }
    if let Some(frequency) = check.optional(&frequency_key, &guided.filter_frequency, Use::Fixed)
        && frequency <= 0.0
    {
        check.report(&frequency_key, format!("found {frequency}"), "give a positive frequency in Hz");
    }
    // The gain scales inputs only.
    let gain_key = format!("{item}.gain");
    check.optional(&gain_key, &guided.gain, Use::Fixed);
    if guided.gain.is_some() && guided.input.is_none() && guided.inputs.is_none() {
        check.report(&gain_key, "`gain` applies only to `input` or `inputs`", "remove it");
    }
    // Position, speed and acceleration must be three different inputs.
    if let Some(inputs) = &guided.inputs {
        for (end, input) in inputs.iter().enumerate() {
            input_exists(check, &format!("{item}.inputs[{end}]"), input);
        }
        if inputs[0] == inputs[1] || inputs[1] == inputs[2] || inputs[0] == inputs[2] {
            let expected = "name three inputs: position, speed, acceleration";
            check.report(format!("{item}.inputs"), "the same input is named twice", expected);
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
