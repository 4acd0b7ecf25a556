//! Subassemblies: the flat model they stand for, mirrors, moves, parameters, FMUs.

use crate::models;
use ballesta::model::{self, Diagnostics, Document};
use ballesta::simulate::Simulator;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Writes files into a folder of their own and loads `model.toml` there.
pub fn load(files: &[(&str, &str)]) -> Document {
    try_load(files).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

fn try_load(files: &[(&str, &str)]) -> Result<Document, Diagnostics> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (path, text) in files {
        let file = folder.path().join(path);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a scratch folder");
        std::fs::write(file, text).expect("a scratch file");
    }
    model::load(folder.path())
}

pub const HEAD: &str = "[model]\nname = \"m\"\ngravity = [0, 0, -9.81]\n";

/// Outputs at some times, by their names.
pub fn observe(document: &Document, input: f64) -> BTreeMap<String, Vec<f64>> {
    let system = Arc::new(models::compiled(document));
    let names: Vec<String> = system.interface().outputs.iter().map(|output| output.name.clone()).collect();
    let inputs = system.interface().inputs.len();
    let mut simulator = Simulator::new(system);
    simulator.initialize(0.0).expect("starts");
    (0..inputs).for_each(|index| simulator.set_input(index, input));
    let mut found: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut row = vec![0.0; names.len()];
    for point in 0..=10 {
        simulator.advance(f64::from(point) * 0.02).expect("runs");
        simulator.outputs(&mut row).expect("has outputs");
        for (name, value) in names.iter().zip(&row) {
            found.entry(name.clone()).or_default().push(*value);
        }
    }
    found
}

fn bits(run: &BTreeMap<String, Vec<f64>>) -> Vec<(String, Vec<u64>)> {
    run.iter().map(|(name, values)| (name.clone(), values.iter().map(|value| value.to_bits()).collect())).collect()
}

const ARM: &str = r#"
[points]
hinge = [0.1, 0.2, 0.3]
tip = [0.6, 0.9, 0.4]
[[body]]
name = "arm"
mass = "mass"
com = [0.4, 0.5, 0.3]
inertia = [0.3, 0.2, 0.4, 0.02, -0.03, 0.01]
[[joint]]
name = "hinge"
type = "revolute"
bodies = ["frame", "arm"]
point = "hinge"
axis = [0.2, 1, 0.3]
position = 0.3
[[force]]
name = "push"
body = "arm"
point = "tip"
value = [1, 2, "load"]
[[joint_spring]]
name = "spring"
joint = "hinge"
stiffness = 20
damping = "damping"
[[input]]
name = "load"
[[parameter]]
name = "mass"
value = 3
[[parameter]]
name = "damping"
value = 0.1
tunable = true
[[output]]
name = "tip"
body = "arm"
point = "tip"
quantity = "position"
[[output]]
name = "angle"
joint = "hinge"
quantity = "position"
"#;

const FRAME: &str = r#"
[[body]]
name = "frame"
mass = 5
com = [0, 0, 0]
inertia = [1, 2, 1.5, 0, 0, 0]
[[joint]]
name = "slide"
type = "prismatic"
bodies = ["ground", "frame"]
axis = [1, 0, 0.2]
[[spring]]
name = "hold"
bodies = ["ground", "frame"]
points = [[-1, 0, 0], [0, 0, 0]]
stiffness = 300
"#;

/// What two uses of the arm stand for, the second mirrored at y and moved by 0.5 m along x, written by hand.
fn by_hand() -> String {
    let left = ARM.split("[[parameter]]").next().expect("a part").to_string();
    let left = left.replace("mass = \"mass\"", "mass = 4") + &ARM[ARM.find("[[output]]").expect("there")..];
    let names = ["hinge", "tip", "arm", "push", "spring", "load", "damping", "angle"];
    let with = |text: &str, prefix: &str| {
        let mut text = text.to_string();
        for name in names {
            text = text.replace(&format!("\"{name}\""), &format!("\"{prefix}{name}\""));
            text = text.replace(&format!("\n{name} = [0"), &format!("\n{prefix}{name} = [0"));
        }
        text.replace("[points]\n", "")
    };
    let right = with(&left, "r_")
        .replace("[0.1, 0.2, 0.3]", "[0.6, -0.2, 0.3]")
        .replace("[0.6, 0.9, 0.4]", "[1.1, -0.9, 0.4]")
        .replace("[0.4, 0.5, 0.3]", "[0.9, -0.5, 0.3]")
        .replace("0.02, -0.03, 0.01", "-0.02, 0.03, 0.01")
        .replace("[0.2, 1, 0.3]", "[-0.2, 1, -0.3]")
        .replace("[1, 2, ", "[1, -2, ");
    let left = with(&left, "l_");
    let (left_points, left) = left.split_at(left.find("[[body]]").expect("there"));
    let (right_points, right) = right.split_at(right.find("[[body]]").expect("there"));
    let damping = "[[parameter]]\nvalue = 0.1\ntunable = true\nname = ";
    format!(
        "{HEAD}[points]\n{left_points}{right_points}{FRAME}{left}{right}{damping}\"l_damping\"\n{damping}\"r_damping\"\n"
    )
}

#[test]
fn a_model_with_uses_is_the_flat_model_that_one_would_write_by_hand() {
    let uses = "[[use]]\nfile = \"parts/arm.toml\"\nprefix = \"l_\"\nparameters = { mass = 4 }\n\
                [[use]]\nfile = \"parts/arm.toml\"\nprefix = \"r_\"\nmirror = \"y\"\ntranslate = [0.5, 0, 0]\n\
                parameters = { mass = 4 }\n";
    let used = load(&[("model.toml", &format!("{HEAD}{uses}{FRAME}")), ("parts/arm.toml", ARM)]);
    let flat = load(&[("model.toml", &by_hand())]);
    assert_eq!(used.model, flat.model);
    assert_eq!(bits(&observe(&used, 3.0)), bits(&observe(&flat, 3.0)));
    assert_eq!(used.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["parts/arm.toml"]);
}

#[test]
fn shapes_of_a_mirrored_subassembly_are_mirrored_meshes_too() {
    use ballesta::math::Vec3;
    use ballesta::model::shapes::Form;
    let part = r##"
[[shape]]
body = "frame"
group = "left and right"
type = "mesh"
file = "part.stl"
x_axis = [1, 2, 0]
y_axis = [0, 1, 1]
scale = 2
colour = "#102030"
[[shape]]
body = "frame"
type = "box"
point = [1, 2, 3]
size = [1, 2, 3]
[[shape]]
body = "frame"
type = "cylinder"
points = ["A", [4, 5, 6]]
radius = "r"
[points]
A = [3, 3, 3]
[[parameter]]
name = "r"
value = 0.5
"##;
    let uses = "[[use]]\nfile = \"part.toml\"\nprefix = \"l_\"\n\
                [[use]]\nfile = \"part.toml\"\nprefix = \"r_\"\nmirror = \"y\"\ntranslate = [0.5, 0, 0]\n";
    let document = load(&[("model.toml", &format!("{HEAD}{uses}{FRAME}")), ("part.toml", part)]);
    let shapes = &document.model.shapes;
    assert_eq!((shapes.len(), shapes[3].group()), (6, "left and right"));
    // A point of the shape's own frame, times the factors of a mesh, in W.
    let at = |index: usize, own: Vec3| {
        let placed = document.model.placed_shape(&shapes[index], &[]);
        let own = if let Form::Mesh(factors) = placed.form { own.component_mul(&Vec3::from(factors)) } else { own };
        placed.at + placed.axes * own
    };
    for (index, own) in [(0, Vec3::new(0.1, 0.2, 0.3)), (0, Vec3::new(-1.0, 0.5, 2.0)), (1, Vec3::new(0.5, -1.0, 0.0))]
    {
        let (left, right) = (at(index, own), at(index + 3, own));
        let expected = Vec3::new(left.x + 0.5, -left.y, left.z);
        assert!((right - expected).norm() < 1e-14, "{index}: {right} {expected}");
    }
    let [left, right] = [2, 5].map(|index| document.model.placed_shape(&shapes[index], &[]));
    assert_eq!((left.form, right.at), (right.form, Vec3::new(left.at.x + 0.5, -left.at.y, left.at.z)));
    assert!(left.axes.column(2).component_mul(&Vec3::new(1.0, -1.0, 1.0)).dot(&right.axes.column(2)) > 1.0 - 1e-14);
}

#[test]
fn uses_in_uses_join_prefixes_mirrors_and_parameters() {
    let pair = "[[use]]\nfile = \"arm.toml\"\nprefix = \"a_\"\nmirror = \"y\"\nparameters = { mass = \"m\", damping = \
        \"d\" }\n\
                [[parameter]]\nname = \"m\"\nvalue = 1\n[[parameter]]\nname = \"d\"\nvalue = 1\ntunable = true\n\
                [[output]]\nname = \"outer\"\njoint = \"a_hinge\"\nquantity = \"speed\"\n";
    let text = |uses: &str| format!("{HEAD}{uses}{FRAME}");
    let nested = text(
        "[[parameter]]\nname = \"M\"\nvalue = 4\n\
         [[use]]\nfile = \"pair.toml\"\nprefix = \"p_\"\nmirror = \"y\"\nparameters = { m = \"M\", d = 0.1 }\n",
    );
    let nested = load(&[("model.toml", &nested), ("pair.toml", pair), ("arm.toml", ARM)]);
    let plain = text("[[use]]\nfile = \"arm.toml\"\nprefix = \"p_a_\"\nparameters = { mass = 4 }\n");
    let plain = load(&[("model.toml", &plain), ("arm.toml", ARM)]);
    let (mut nested_run, plain_run) = (observe(&nested, 1.0), observe(&plain, 1.0));
    assert!(nested_run.remove("p_outer").is_some());
    // Mirrored twice is not mirrored: the same bits.
    assert_eq!(bits(&nested_run), bits(&plain_run));
    let names: Vec<&str> = nested.model.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names, ["M", "p_d"]);
    assert_eq!(nested.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["pair.toml", "arm.toml"]);
}

/// One body in every kind of joint, with every kind of force that can have a sense, all in general directions.
pub const EVERYTHING: &str = r#"
[points]
P = [0.3, 0.4, 0.2]
[[body]]
name = "b0"
mass = 2
com = [0.3, 0.1, 0.2]
inertia = [0.3, 0.2, 0.4, 0.02, -0.03, 0.01]
[[body]]
name = "b1"
mass = 1.5
com = [0.5, 0.3, 0.1]
inertia = [0.2, 0.3, 0.25, 0.02, 0.01, -0.02]
[[curve]]
name = "spline"
points = ["P", [0.5, 0.3, 0.4], [0.8, 0.7, 0.3], [0.4, 0.9, 0.1]]
closed = true
[[curve]]
name = "circle"
centre = [0.3, 0.2, 0.2]
radius = 0.2
normal = [1, 0, 2]
[[curve]]
name = "beside"
points = [[0, 0.3, 0.2], [0.3, 0.3, 0.2], [0.8, 0.3, 0.2]]
offset = -0.1
normal = [0, 0, 2]
[[joint]]
name = "J"
bodies = ["ground", "b0"]
KIND
[[joint]]
name = "R"
type = "revolute"
bodies = ["b0", "b1"]
point = "P"
axis = [0.3, -0.2, 1]
speed = 0.4
[[force]]
name = "f"
body = "b1"
point = [0.7, 0.2, 0.4]
value = [1, -2, 3]
[[force]]
name = "follower"
body = "b0"
point = "P"
value = [2, 1, -1]
axes = "body"
[[torque]]
name = "t"
body = "b0"
value = [0.3, 0.2, -0.4]
[[torque]]
name = "turning"
body = "b1"
value = [0.1, -0.2, 0.3]
axes = "body"
[[bushing]]
name = "default_axes"
bodies = ["ground", "b1"]
point = [0.4, 0.3, 0.2]
stiffness = [300, 500, 700, 3, 5, 7]
damping = [1, 2, 3, 0.1, 0.2, 0.3]
preload = [5, -6, 7, 0.5, 0.6, -0.7]
[[bushing]]
name = "tilted"
bodies = ["ground", "b0"]
point = [0.1, 0.3, 0.2]
axis = [0.2, 1, 0.4]
stiffness = [300, 500, 700, 3, 5, 7]
preload = [1, 2, 3, 0.1, 0.2, 0.3]
[[joint_spring]]
name = "js"
joint = "R"
stiffness = 5
free_position = 0.2
preload = 0.3
[[bump_stop]]
name = "stop"
joint = "R"
lower = -0.02
upper = 0.01
stiffness = 100
damping = 1
[[friction]]
name = "fr"
joint = "R"
coulomb = 0.2
presliding = 0.01
[[drive]]
name = "d"
joint = "R"
value = 0.4
[[output]]
name = "p0"
body = "b0"
quantity = "position"
[[output]]
name = "w1"
body = "b1"
quantity = "angular_velocity"
[[output]]
name = "p1"
body = "b1"
point = [0.9, 0.1, 0.3]
quantity = "position"
[[output]]
name = "r"
joint = "R"
quantity = "position"
[[output]]
name = "energy"
quantity = "energy_balance"
"#;

/// Every kind of joint with initial values; beside it its scalar coordinates, with a `-` those that change their sign
/// in every mirror, with a `@` those that change it in the mirror of their name.
pub const KINDS: &[(&str, &str)] = &[
    ("type = \"revolute\"\npoint = \"P\"\naxis = [1, 2, 3]\nposition = 0.2\nspeed = 0.3", "angle"),
    ("type = \"prismatic\"\naxis = [1, -2, 3]\nposition = 0.02\nspeed = 0.3", "travel"),
    (
        "type = \"cylindrical\"\npoint = \"P\"\naxis = [1, 2, -3]\nposition = [0.02, 0.2]\nspeed = [0.1, 0.4]",
        "travel -angle",
    ),
    (
        "type = \"universal\"\npoint = \"P\"\naxis = [1, 2, 0]\nsecond_axis = [2, -1, 1]\nposition = [0.2, \
         -0.1]\nspeed = [0.1, 0.4]",
        "angle second_angle",
    ),
    ("type = \"spherical\"\npoint = \"P\"\nposition = [0.8, 0.4, 0.4, -0.2]\nspeed = [0.1, -0.4, 0.3]", ""),
    (
        "type = \"planar\"\npoint = \"P\"\naxis = [1, 1, 1]\nposition = [0.01, 0.02, 0.1]\nspeed = [0.1, 0.4, 0.2]",
        "x y angle",
    ),
    (
        "type = \"planar\"\npoint = \"P\"\naxis = [1, 0.1, 0]\nposition = [0.01, 0.02, 0.1]\nspeed = [0.1, 0.4, 0.2]",
        "x y angle",
    ),
    (
        "type = \"floating\"\nposition = [0.01, 0.02, 0.03, 0.8, 0.4, 0.4, -0.2]\nspeed = [0.1, 0.2, 0.3, 0.1, -0.4, \
         0.3]",
        "@x @y @z",
    ),
    ("type = \"fixed\"\npoint = \"P\"", ""),
    ("type = \"along_curve\"\npoint = \"P\"\ncurve = \"spline\"\nposition = 0.02\nspeed = 0.3", "travel"),
    (
        "type = \"pin_on_curve\"\npoint = \"P\"\ncurve = \"circle\"\naxis = [1, 2, -3]\nposition = [0.02, \
         0.2]\nspeed = [0.1, 0.4]",
        "travel angle",
    ),
    (
        "type = \"point_on_curve\"\npoint = \"P\"\ncurve = \"beside\"\nposition = [0.02, 0.8, 0.4, 0.4, \
         -0.2]\nspeed = [0.3, 0.1, -0.4, 0.3]",
        "travel",
    ),
    (
        "type = \"constant_velocity\"\npoint = \"P\"\naxis = [1, 2, 0]\nsecond_shaft = [2, 1, 1]\nposition = [0.2, \
         -0.1]\nspeed = [0.1, 0.4]",
        "angle second_angle",
    ),
    (
        "type = \"constant_velocity\"\npoint = \"P\"\naxis = [1, 2, 3]\nposition = [0.2, -0.1]\nspeed = [0.1, 0.4]",
        "angle second_angle",
    ),
];

/// Elements on a coordinate that may change its sign.
pub const ON_COORDINATE: &str = r#"
[[joint_spring]]
name = "NAME_s"
joint = "J"
coordinate = "NAME"
free_position = 0.1
preload = 0.2
force_table = [[-1, -20], [0, 0], [1, 30]]
damping_table = [[-1, -2], [0, 0], [1, 3]]
[[bump_stop]]
name = "NAME_b"
joint = "J"
coordinate = "NAME"
lower = -0.02
upper = 0.01
stiffness = 100
[[drive]]
name = "NAME_d"
joint = "J"
coordinate = "NAME"
value = 0.4
[[engine]]
name = "NAME_e"
joint = "J"
coordinate = "NAME"
speeds = [-1, 1]
throttles = [0, 1]
torques = [[-0.1, 0.5], [-0.2, 0.3]]
throttle = 0.7
[[torque_converter]]
name = "NAME_t"
coordinates = [{ joint = "J", coordinate = "NAME" }, { joint = "R" }]
table = [[-2, 0.1, 2], [0, 0.2, 1.5], [0.6, 0.1, 1], [2, -0.1, 1]]
[[output]]
name = "NAME"
joint = "J"
coordinate = "NAME"
quantity = "position"
"#;

#[test]
fn mirrored_mechanisms_move_mirrored_with_equal_joint_coordinates() {
    let head = "[model]\nname = \"m\"\ngravity = [0, 0, 0]\n";
    for (kind, coordinates) in KINDS {
        let mut part = EVERYTHING.replace("KIND", kind);
        for name in coordinates.split_whitespace() {
            part += &ON_COORDINATE.replace("NAME", name.trim_start_matches(['-', '@']));
        }
        let run = |keys: &str| {
            let text = format!("{head}[[use]]\nfile = \"part.toml\"\n{keys}");
            observe(&load(&[("model.toml", &text), ("part.toml", &part)]), 0.0)
        };
        let plain = run("");
        for (axis, word) in ["x", "y", "z"].into_iter().enumerate() {
            let mirrored = run(&format!("mirror = \"{word}\"\n"));
            for (name, values) in &plain {
                let changes = match name.split_once('.') {
                    Some(("p0" | "p1", component)) => component == word,
                    Some(("w1", component)) => component != word,
                    _ => coordinates.split_whitespace().any(|other| match other.split_at(1) {
                        ("-", own) => own == name,
                        ("@", own) => own == name && own == word,
                        _ => false,
                    }),
                };
                let sign = if changes { -1.0 } else { 1.0 };
                for (value, other) in values.iter().zip(&mirrored[name]) {
                    assert!((sign * value - other).abs() < 1e-11, "{kind}: {name} at {axis}: {value} and {other}");
                }
            }
            let moves = |name: &str| plain[name].last() != plain[name].first();
            assert!(moves("r") && moves("w1.x"), "{kind}");
        }
    }
}

/// A slider that a coupler moves with a coordinate of the joint J, another one that follows an input, one with a table,
/// and a speed control that drives two of them.
const COUPLED: &str = r#"
[[body]]
name = "b0"
mass = 2
com = [0.3, 0.1, 0.2]
inertia = [0.3, 0.2, 0.4, 0.02, -0.03, 0.01]
[[body]]
name = "b1"
mass = 1.5
com = [0.5, 0.3, 0.1]
inertia = [0.2, 0.3, 0.25, 0.02, 0.01, -0.02]
[[joint]]
name = "J"
bodies = ["ground", "b0"]
KIND
[[joint]]
name = "S"
type = "prismatic"
bodies = ["ground", "b1"]
axis = [0.3, -0.2, 1]
[[coupler]]
name = "c"
coordinates = [{ joint = "J", coordinate = "FIRST" }, { joint = "S" }]
ratio = 0.7
offset = 0.1
[[input]]
name = "u"
start = 0.2
[[guided]]
name = "g"
joint = "J"
coordinate = "SECOND"
input = "u"
filter_frequency = 3
[[force]]
name = "push"
body = "b1"
point = [0, 0, 0]
value = [1, 2, 3]
[[output]]
name = "p0"
body = "b0"
quantity = "position"
[[output]]
name = "p1"
body = "b1"
quantity = "position"
"#;

const DRIVEN: &str = r#"
[[speed_control]]
name = "driver"
body = "b0"
point = [0, 0, 0]
target = 2
proportional = 0.5
integral = 1
drives = [{ joint = "J", coordinate = "FIRST" }, { joint = "S" }]
"#;

#[test]
fn couplers_guides_inputs_and_speed_controls_follow_the_signs_of_mirrored_coordinates() {
    let floating =
        "type = \"floating\"\nposition = [0.01, 0.02, 0.03, 1, 0, 0, 0]\nspeed = [0.1, 0.2, 0.3, 0.1, -0.4, 0.3]";
    let cylindrical = "type = \"cylindrical\"\npoint = [0.1, 0, 0]\naxis = [1, 2, -3]\nspeed = [0.1, 0.4]";
    let head = "[model]\nname = \"m\"\ngravity = [0, 0, 0]\n";
    for (kind, first, second) in [
        (floating, "x", "y"),
        (floating, "y", "z"),
        (floating, "z", "x"),
        (cylindrical, "angle", "travel"),
        (cylindrical, "travel", "angle"),
    ] {
        let part = COUPLED.replace("KIND", kind).replace("FIRST", first).replace("SECOND", second);
        let driven = DRIVEN.replace("FIRST", first);
        let sum = "{ joint = \"S\", ratio = 1 }]";
        let several = part.replace("{ joint = \"S\" }]\nratio = 0.7", sum);
        let several =
            several.replace(&format!("\"{first}\" }}, {sum}"), &format!("\"{first}\", ratio = -0.7 }}, {sum}"));
        assert!(several.contains("ratio = -0.7 }, { joint = \"S\", ratio = 1 }]\noffset = 0.1"));
        let law = part.replace("ratio = 0.7", "table = [[-9, -1], [-3, -0.4], [0.1, 0], [2, 1.9], [9, 3]]");
        for part in [part.clone(), part + &driven, several, law] {
            let run = |keys: &str| {
                let text = format!("{head}[[use]]\nfile = \"part.toml\"\nprefix = \"a.\"\n{keys}");
                observe(&load(&[("model.toml", &text), ("part.toml", &part)]), 0.3)
            };
            let plain = run("");
            assert!(plain["a.p1.x"].last() != plain["a.p1.x"].first());
            for word in ["x", "y", "z"] {
                let mirrored = run(&format!("mirror = \"{word}\"\n"));
                for (name, values) in &plain {
                    let sign = if name.ends_with(word) { -1.0 } else { 1.0 };
                    for (value, other) in values.iter().zip(&mirrored[name]) {
                        let apart = (sign * value - other).abs();
                        assert!(apart < 1e-9, "{kind}, {first}, {second}, {word}: {name}: {value} and {other}");
                    }
                }
            }
        }
    }
}

/// Segments stand one behind the other in the sense of the driving coordinate, which a mirror may turn.
#[test]
fn a_cam_whose_driving_coordinate_turns_round_in_a_mirror_counts_it_with_the_other_sign() {
    let cylindrical = "type = \"cylindrical\"\npoint = [0.1, 0, 0]\naxis = [1, 2, -3]";
    let cam = "cam = [{ motion = \"cycloidal\", over = 2, rise = 0.1 }]";
    let part = |first: &str, second: &str| {
        let part = COUPLED.replace("KIND", cylindrical).replace("ratio = 0.7", cam);
        part.replace("FIRST", first).replace("SECOND", second)
    };
    let text = format!("{HEAD}[[use]]\nfile = \"part.toml\"\nmirror = \"x\"\n");
    let along = load(&[("model.toml", &text), ("part.toml", &part("travel", "angle"))]);
    assert_eq!(along.model.couplers[0].cam.as_ref().map(|cam| cam[0].rise.clone()), Some(0.1.into()));
    assert_eq!(along.model.couplers[0].coordinates[0].ratio, None);
    let turned = load(&[("model.toml", &text), ("part.toml", &part("angle", "travel"))]);
    let coupler = &turned.model.couplers[0];
    assert_eq!(coupler.cam.as_ref().map(|cam| cam[0].rise.clone()), Some(0.1.into()));
    let ratios: Vec<_> = coupler.coordinates.iter().map(|on| on.ratio.clone()).collect();
    assert_eq!(ratios, [Some((-1.0).into()), Some(1.0.into())]);
}

/// A wheel of a Geneva drive turns in one sense with the crank; a mirror keeps the angles of revolute joints, and turns
/// those of cylindrical ones round.
#[test]
fn a_geneva_drive_is_mirrored_with_joints_of_one_kind_and_of_two() {
    let part = |kind: &str| {
        let body = |name: &str, kind: &str, at: f64| {
            format!(
                "[[body]]\nname = '{name}'\nmass = 1\ncom = [{at}, 0, 0]\ninertia = [1, 1, 1, 0, 0, 0]\n\
                 [[joint]]\nname = '{name}'\ntype = '{kind}'\nbodies = ['ground', '{name}']\npoint = [{at}, 0, 0]\n\
                 axis = [0, 0, 1]\n"
            )
        };
        body("crank", "revolute", 0.0)
            + &body("wheel", kind, 0.1)
            + "[[coupler]]\nname = 'c'\ngeneva = { slots = 4 }\ncoordinates = [{ joint = 'crank' }, { joint = 'wheel', \
               coordinate = 'angle' }]\n"
    };
    let text = format!("{HEAD}[[use]]\nfile = \"part.toml\"\nmirror = \"x\"\n");
    let mirrored = load(&[("model.toml", &text), ("part.toml", &part("revolute"))]);
    assert_eq!(mirrored.model.couplers[0].geneva.as_ref().map(|geneva| geneva.slots), Some(4));
    assert!(mirrored.model.couplers[0].coordinates.iter().all(|on| on.ratio.is_none()));
    let turned = load(&[("model.toml", &text), ("part.toml", &part("cylindrical"))]);
    let ratios: Vec<_> = turned.model.couplers[0].coordinates.iter().map(|on| on.ratio.clone()).collect();
    assert_eq!(ratios, [Some(1.0.into()), Some((-1.0).into())]);
}

#[test]
fn two_mirrors_turn_the_coordinates_of_a_floating_joint_by_half_a_turn() {
    let drive = "[[body]]\nname = \"a\"\nmass = 1\ncom = [0.3, 0.4, 0.5]\ninertia = [0.01, 0.02, 0.03, 0, 0, 0]\n\
                 [[joint]]\nname = \"j\"\ntype = \"floating\"\nbodies = [\"ground\", \"a\"]\n\
                 [[drive]]\nname = \"x\"\njoint = \"j\"\ncoordinate = \"x\"\nvalue = 2\n\
                 [[drive]]\nname = \"z\"\njoint = \"j\"\ncoordinate = \"z\"\nvalue = 5\n\
                 [[output]]\nname = \"acc\"\nbody = \"a\"\nquantity = \"acceleration\"\n";
    let inner = "[[use]]\nfile = \"drive.toml\"\nprefix = \"i.\"\nmirror = \"y\"\n";
    let text = "[model]\nname = \"m\"\n[[use]]\nfile = \"inner.toml\"\nprefix = \"o.\"\nmirror = \"x\"\n";
    let run = observe(&load(&[("model.toml", text), ("inner.toml", inner), ("drive.toml", drive)]), 0.0);
    for (axis, value) in [("x", -2.0), ("y", 0.0), ("z", 5.0)] {
        assert!(run[&format!("o.i.acc.{axis}")].iter().all(|found| (found - value).abs() < 1e-12), "{axis}");
    }
}

#[test]
fn a_use_says_which_bodies_its_subassembly_hangs_on() {
    let base =
        |name: &str| format!("[[body]]\nname = \"{name}\"\nmass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1, 0, 0, 0]\n");
    let slide = |name: &str| {
        format!(
            "[[joint]]\nname = \"{name}\"\ntype = \"prismatic\"\nbodies = [\"ground\", \"{name}\"]\naxis = [0, 0, 1]\n"
        )
    };
    let within = "[[use]]\nfile = \"arm.toml\"\nprefix = \"inner.\"\nbodies = { frame = \"carrier\" }\n";
    let text = format!(
        "{HEAD}{}{}{}{}\n\
         [[use]]\nfile = \"arm.toml\"\nprefix = \"a.\"\nbodies = {{ frame = \"first\" }}\n\
         [[use]]\nfile = \"pair.toml\"\nprefix = \"b.\"\nbodies = {{ carrier = \"second\" }}\n\
         [[use]]\nfile = \"arm.toml\"\nprefix = \"c.\"\nbodies = {{ frame = \"b.inner.arm\" }}\n",
        base("first"),
        slide("first"),
        base("second"),
        slide("second"),
    );
    let document = load(&[("model.toml", &text), ("arm.toml", ARM), ("pair.toml", within)]);
    let carrier = |name: &str| {
        let joint = document.model.joints.iter().find(|joint| joint.name == name).expect("the joint");
        joint.bodies[0].clone()
    };
    assert_eq!(carrier("a.hinge"), "first");
    assert_eq!(carrier("b.inner.hinge"), "second");
    assert_eq!(carrier("c.hinge"), "b.inner.arm");
}

#[test]
fn a_moved_mechanism_moves_alike() {
    let part = EVERYTHING.replace("KIND", KINDS[0].0);
    let run = |keys: &str| {
        let text = format!("{HEAD}[[use]]\nfile = \"part.toml\"\n{keys}");
        observe(&load(&[("model.toml", &text), ("part.toml", &part)]), 0.0)
    };
    let (plain, moved) = (run(""), run("translate = [-3, 2, 0.5]\n"));
    for (name, shift) in [("p1.x", -3.0), ("p1.y", 2.0), ("p1.z", 0.5), ("r", 0.0), ("w1.x", 0.0)] {
        for (value, other) in plain[name].iter().zip(&moved[name]) {
            assert!((value + shift - other).abs() < 1e-11, "{name}: {value} and {other}");
        }
    }
}

#[test]
fn the_two_corners_of_an_axle_mirror_each_other() {
    let document = models::load("models/double_wishbone_axle");
    let run = observe(&document, 20.0);
    for (name, sign) in [
        ("travel.x", 1.0),
        ("travel.y", -1.0),
        ("travel.z", 1.0),
        ("attitude.x", -1.0),
        ("attitude.z", -1.0),
        ("strut.force", 1.0),
    ] {
        let (left, right) = (&run[&format!("left.{name}")], &run[&format!("right.{name}")]);
        for (left, right) in left.iter().zip(right) {
            assert!((sign * left - right).abs() < 1e-9 * left.abs().max(1.0), "{name}: {left} and {right}");
        }
    }
    assert!(run["heave"].last() != run["heave"].first());
}
