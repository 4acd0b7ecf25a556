//! Omitted keys that a mirror or a frame changes: they change as if their defaults were written.

use crate::assemblies::{load, observe};
use ballesta::model::schema::Number;

const HEAD: &str = "[model]\nname = \"m\"\n[[frame]]\nname = \"f\"\nangles_deg = [30, 20, -50]\n";

const BALL: &str = "[[body]]\nname = \"b\"\nmass = 1\ncom = [0, 0, 0.9]\ninertia = [0.02, 0.02, 0.02, 0, 0, 0]\n\
                    [[joint]]\nname = \"j\"\ntype = \"floating\"\nbodies = [\"ground\", \"b\"]\n\
                    [[road]]\nname = \"r\"\n";

/// Axes without a minus before a zero.
fn text(axis: [f64; 3]) -> String {
    format!("[{}, {}, {}]", axis[0], axis[1], axis[2])
}

#[test]
fn contacts_and_solids_of_every_kind_are_accepted_in_frames_and_mirrors_and_turn_with_them() {
    let (round, cube) = ("surface_radius = 0.5\nlength = 1\n", "size = [1, 1, 1]\n");
    let place = "point = [0, 0, 0]\n";
    let law = "stiffness = 1e4\nrestitution = 0.5\n";
    let kinds = [
        ("road", String::new(), [false, false]),
        ("plane", place.to_string(), [true, false]),
        ("sphere", format!("{place}surface_radius = 0.5\n"), [false, false]),
        ("capsule", format!("{place}{round}"), [true, false]),
        ("cylinder", format!("{place}{round}"), [true, false]),
        ("box", format!("{place}{cube}"), [false, true]),
    ];
    let axes = |key: &str, given: bool, axis: [f64; 3]| {
        if given { format!("{key} = {}\n", text(axis)) } else { String::new() }
    };
    for (kind, keys, [axis, sides]) in &kinds {
        let written = axes("axis", *axis, [0.0, 0.0, 1.0])
            + &axes("x_axis", *sides, [1.0, 0.0, 0.0])
            + &axes("y_axis", *sides, [0.0, 1.0, 0.0]);
        let contact = |more: &str| {
            let solid = keys.replace("surface_radius", "radius");
            let solid = match *kind {
                "road" => String::new(),
                kind => format!("[[solid]]\nname = \"s\"\nbody = \"ground\"\ntype = \"{kind}\"\n{solid}{more}"),
            };
            let touched = "bodies = [\"ground\", \"b\"]\npoints = [[0, 0, 0.9]]\nradius = 0.1\n";
            format!("[[contact]]\nname = \"c\"\nsurface = \"{kind}\"\n{touched}{law}{keys}{more}{solid}")
        };
        let in_frame = |text: String| text.replace("name = \"c\"", "name = \"c\"\nin = \"f\"");
        let in_frame = |text: String| in_frame(text).replace("name = \"s\"", "name = \"s\"\nin = \"f\"");
        let flat = |more: &str| load(&[("model.toml", &format!("{HEAD}{BALL}{}", in_frame(contact(more))))]).model;
        let used = |keys: &str, more: &str| {
            let model = format!("{HEAD}{BALL}[[use]]\nfile = \"part.toml\"\n{keys}");
            load(&[("model.toml", &model), ("part.toml", &contact(more))]).model
        };
        let uses = ["in = \"f\"\n", "mirror = \"x\"\n", "mirror = \"y\"\n", "mirror = \"z\"\n"];
        for (short, long) in
            [(flat(""), flat(&written))].into_iter().chain(uses.map(|keys| (used(keys, ""), used(keys, &written))))
        {
            let same = |one: &Option<[Number; 3]>, other: &Option<[Number; 3]>, default: [f64; 3]| {
                let plain = |axis: &Option<[Number; 3]>| axis.clone().unwrap_or(default.map(Number::Value));
                let (one, other) = (plain(one), plain(other));
                let opposite = other.clone().map(|n| if let Number::Value(x) = n { Number::Value(-x) } else { n });
                // Only a plane has two different sides.
                assert!(one == other || *kind != "plane" && one == opposite, "{kind}: {one:?} and {other:?}");
            };
            let (one, other) = (&short.contacts[0], &long.contacts[0]);
            same(&one.axis, &other.axis, [0.0, 0.0, 1.0]);
            same(&one.x_axis, &other.x_axis, [1.0, 0.0, 0.0]);
            same(&one.y_axis, &other.y_axis, [0.0, 1.0, 0.0]);
            for (one, other) in short.solids.iter().zip(&long.solids) {
                same(&one.axis, &other.axis, [0.0, 0.0, 1.0]);
                same(&one.x_axis, &other.x_axis, [1.0, 0.0, 0.0]);
                same(&one.y_axis, &other.y_axis, [0.0, 1.0, 0.0]);
            }
        }
        let turned = flat("");
        assert_eq!((turned.contacts[0].axis.is_some(), turned.contacts[0].x_axis.is_some()), (*axis, *sides), "{kind}");
        for solid in &turned.solids {
            assert_eq!((solid.axis.is_some(), solid.x_axis.is_some()), (*axis, *sides), "{kind}");
        }
    }
}

/// A screw whose angle is turned round by a mirror, and a shaft whose angle is not.
const SCREW: &str = "[[body]]\nname = \"screw\"\nmass = 1\ncom = [0, 0, 0]\ninertia = [0.02, 0.03, 0.04, 0, 0, 0]\n\
                     [[joint]]\nname = \"screw\"\ntype = \"cylindrical\"\nbodies = [\"ground\", \"screw\"]\n\
                     point = [0, 0, 0]\naxis = [1, 0, 0]\nspeed = [0, 8]\n\
                     [[body]]\nname = \"shaft\"\nmass = 1\ncom = [0, 1, 0]\ninertia = [0.02, 0.03, 0.04, 0, 0, 0]\n\
                     [[joint]]\nname = \"shaft\"\ntype = \"revolute\"\nbodies = [\"ground\", \"shaft\"]\n\
                     point = [0, 1, 0]\naxis = [1, 0, 0]\nspeed = 5\n\
                     [[output]]\nname = \"screw\"\nbody = \"screw\"\nquantity = \"angular_velocity\"\n\
                     [[output]]\nname = \"shaft\"\nbody = \"shaft\"\nquantity = \"angular_velocity\"\n";
const PAIR: &str = "coordinates = [{ joint = \"screw\", coordinate = \"angle\" }, { joint = \"shaft\" }]\n";
const ON_SCREW: &str = "joint = \"screw\"\ncoordinate = \"angle\"\n";

#[test]
fn engines_gears_converters_brake_lines_and_laws_follow_a_coordinate_that_a_mirror_turns_round() {
    let map = "speeds = [0, 20]\nthrottles = [0, 1]\ntorques = [[0, 1], [0, 0.5]]\nthrottle = 1\ntime = 0.01\n";
    let line = "[[input]]\nname = \"p\"\n[[brake]]\nname = \"b\"\njoint = \"shaft\"\ntorque = \"p\"\n\
                [[brake_line]]\nname = \"l\"\ndemand = 1\ninput = \"p\"\ngain = 1\nbody = \"shaft\"\n\
                point = [0, 1, 2]\naxis = [0, 1, 0]\nradius = -1\nslip = [0.1, 0.9]\nmin_speed = 0.1\n";
    let table = "table = [[-2, 0.01, 1.5], [0, 0.02, 2], [0.8, 0.015, 1], [2, -0.01, 1]]\n";
    let law = "offset = 0.1\n\
               cam = [{ motion = \"cycloidal\", over = 2, rise = 0.5 }, { motion = \"dwell\", over = 2 }]\n";
    let mut elements: Vec<String> = vec![
        format!("[[engine]]\nname = \"e\"\n{ON_SCREW}{map}"),
        format!("[[engine]]\nname = \"e\"\n{ON_SCREW}{map}ratio = -1.5\nidle_speed = 15\n"),
        format!("[[gearbox]]\nname = \"g\"\n{PAIR}ratios = [1.5]\ngear = 1\ntorque = 0.5\n"),
        format!("[[torque_converter]]\nname = \"t\"\n{PAIR}{table}"),
        format!("{line}{ON_SCREW}"),
        format!("[[coupler]]\nname = \"c\"\n{PAIR}{law}"),
        format!("[[coupler]]\nname = \"c\"\n{PAIR}geneva = {{ slots = 5 }}\n"),
    ];
    let drives = "[{ joint = \"shaft\", ratio = 1 }, { joint = \"screw\", coordinate = \"angle\", ratio = -0.5 }, \
                  { joint = \"other\", ratio = -0.5 }]";
    elements.push(format!(
        "[[body]]\nname = \"other\"\nmass = 1\ncom = [0, 2, 0]\ninertia = [0.02, 0.03, 0.04, 0, 0, 0]\n\
         [[joint]]\nname = \"other\"\ntype = \"revolute\"\nbodies = [\"ground\", \"other\"]\npoint = [0, 2, 0]\n\
         axis = [1, 0, 0]\n[[clutch]]\nname = \"d\"\ncoordinates = {drives}\ntorque = 0.4\nbias = 3\n"
    ));
    for element in elements {
        let turned = element.replace("{ joint = \"screw\", coordinate = \"angle\" }, { joint = \"shaft\" }", "FIRST");
        let turned = turned.replace("FIRST", "{ joint = \"shaft\" }, { joint = \"screw\", coordinate = \"angle\" }");
        for part in [element.clone(), turned].map(|element| format!("{SCREW}{element}")) {
            let run = |keys: &str| {
                let model = format!("[model]\nname = \"m\"\nstep = 5e-4\n[[use]]\nfile = \"part.toml\"\n{keys}");
                observe(&load(&[("model.toml", &model), ("part.toml", &part)]), 0.0)
            };
            let plain = run("");
            assert!(plain.values().any(|values| values.last() != values.first()), "{element}");
            for word in ["x", "y", "z"] {
                let mirrored = run(&format!("mirror = \"{word}\"\n"));
                for (name, values) in &plain {
                    let sign = if name.ends_with(word) { 1.0 } else { -1.0 };
                    for (value, other) in values.iter().zip(&mirrored[name]) {
                        assert!((sign * value - other).abs() < 1e-9, "{word}, {name}: {value} and {other}\n{element}");
                    }
                }
            }
        }
    }
}

#[test]
fn an_item_follows_the_sign_of_a_joint_of_a_file_around_its_own() {
    let inner = format!("[[drive]]\nname = \"d\"\n{ON_SCREW}value = 2\n");
    let outer = format!("{SCREW}[[use]]\nfile = \"inner.toml\"\nprefix = \"i.\"\nmirror = \"z\"\n");
    let run = |keys: &str| {
        let model = format!("[model]\nname = \"m\"\n[[use]]\nfile = \"outer.toml\"\n{keys}");
        observe(&load(&[("model.toml", &model), ("outer.toml", &outer), ("inner.toml", &inner)]), 0.0)
    };
    let (plain, mirrored) = (run(""), run("mirror = \"y\"\n"));
    for (value, other) in plain["screw.x"].iter().zip(&mirrored["screw.x"]) {
        assert!((value + other).abs() < 1e-12, "{value} and {other}");
    }
    assert!(plain["screw.x"].last() > plain["screw.x"].first());
}
