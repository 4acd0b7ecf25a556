//! Frames: what is given in them is what one would type in W, and moves as it.

use crate::assemblies::{EVERYTHING, HEAD, KINDS, ON_COORDINATE, load, observe};
use crate::models;
use ballesta::math::rotation::{about, matrix};
use ballesta::math::{Mat3, Vec3};
use ballesta::model::Document;
use ballesta::model::schema::{Number, Place, Vector};

fn value(number: &Number) -> f64 {
    if let Number::Value(value) = number { *value } else { panic!("a parameter") }
}

fn vector(numbers: &Vector) -> Vec3 {
    Vec3::from([0, 1, 2].map(|i| value(&numbers[i])))
}

fn point(document: &Document, name: &str) -> Vec3 {
    vector(&document.model.points[name])
}

/// R_z R_y R_x of angles in degrees.
fn fixed_axes(angles: [f64; 3]) -> Mat3 {
    let [x, y, z] = angles.map(f64::to_radians);
    about(&Vec3::z(), z) * about(&Vec3::y(), y) * about(&Vec3::x(), x)
}

/// A pendulum, with frames or whatever else before it.
fn pendulum(more: &str) -> Document {
    let joint = "[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbodies = [\"ground\", \"b\"]\npoint = [0, 0, 0]\n";
    let body = "[[body]]\nname = \"b\"\nmass = 1\ncom = [0, 0, -1]\n";
    load(&[("model.toml", &format!("{HEAD}{more}\n{body}{joint}axis = [0, 1, 0]\n"))])
}

#[test]
fn every_way_to_give_a_frame_puts_its_points_where_the_formulas_say() {
    let frame = |name: &str, keys: &str| {
        format!("[[frame]]\nname = \"{name}\"\n{keys}\npoints = {{ {name} = [0.1, 0.2, 0.3] }}\n")
    };
    let frames = frame("a", "position = [1, 2, 3]\nangles_deg = [10, -20, 130]")
        + &frame("b", "angles = [0.3, -0.2, 2]")
        + &frame("c", "quaternion = [0.5, -0.1, 0.7, 0.5]")
        + &frame("d", "x_axis = [1, 1, 0]\ny_axis = [0, 3, 4]")
        + &frame("e", "y_axis = [0, 0, 2]")
        + &frame("g", "in = \"f\"\ndh_deg = [0.5, -30, 0.2, 70]")
        + &frame("f", "in = \"a\"\nposition = [0, 0, 1]");
    let document = pendulum(&frames);
    let (p, origin, a) = (Vec3::new(0.1, 0.2, 0.3), Vec3::new(1.0, 2.0, 3.0), fixed_axes([10.0, -20.0, 130.0]));
    // A screw along z, then one along the new x.
    let (z, x) = (about(&Vec3::z(), 70f64.to_radians()), about(&Vec3::x(), -30f64.to_radians()));
    let in_f = Vec3::new(0.0, 0.0, 0.2) + z * (Vec3::new(0.5, 0.0, 0.0) + x * p);
    // Of [0, 3, 4] what is perpendicular to [1, 1, 0]: [-1.5, 1.5, 4].
    let d = [Vec3::new(1.0, 1.0, 0.0), Vec3::new(-1.5, 1.5, 4.0), Vec3::new(4.0, -4.0, 3.0)].map(|v| v.normalize());
    for (name, expected) in [
        ("a", origin + a * p),
        ("b", fixed_axes([0.3, -0.2, 2.0].map(f64::to_degrees)) * p),
        ("c", matrix(&[0.5, -0.1, 0.7, 0.5]) * p),
        ("d", Mat3::from_columns(&d) * p),
        ("f", origin + a * (Vec3::z() + p)),
        ("g", origin + a * (Vec3::z() + in_f)),
    ] {
        let found = point(&document, name);
        assert!((found - expected).norm() < 4e-15, "{name}: {found} {expected}");
    }
    // Axes along axes: to the bit.
    assert_eq!(point(&document, "e"), Vec3::new(0.1, -0.3, 0.2));
}

#[test]
fn right_angles_are_exact_and_the_name_of_a_parameter_keeps_its_place() {
    let parameter = "[[parameter]]\nname = \"l\"\nvalue = 0.7\n[[frame]]\nname = \"b\"\nposition = [0, 2, 0]\n\
                     angles_deg = [90, 450, 0]\npoints = { p = [0.1, \"l\", 0.2] }\n";
    // About x by 90°: (0.1, −0.2, l); about y by 90°: (l, −0.2, −0.1).
    let [x, y, z] = &pendulum(parameter).model.points["p"];
    assert_eq!((x, y, z), (&Number::Parameter("l".into()), &Number::Value(1.8), &Number::Value(-0.1)));
}

/// The arm of the gallery against 4 × 4 matrices of Denavit and Hartenberg.
#[test]
fn links_of_a_table_of_denavit_and_hartenberg_stand_where_its_matrices_say() {
    type Pose = nalgebra::Matrix4<f64>;
    let row = |a: f64, alpha: f64, d: f64, theta: f64| {
        let (sa, ca) = alpha.to_radians().sin_cos();
        let (st, ct) = theta.to_radians().sin_cos();
        let [x, y] = [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st]];
        Pose::from_row_slice(&[&x[..], &y, &[0.0, sa, ca, d], &[0.0, 0.0, 0.0, 1.0]].concat())
    };
    let base = Pose::new_translation(&Vec3::new(0.2, -0.1, 0.0)) * row(0.0, 0.0, 0.0, 20.0);
    let column = base * row(0.0, 90.0, 0.4, 30.0);
    let upper = column * row(0.5, 0.0, 0.05, 40.0);
    let fore = upper * row(0.35, 0.0, -0.05, -75.0);
    let part = |pose: &Pose| pose.fixed_view::<3, 3>(0, 0).into_owned();
    let place = |pose: &Pose, at: [f64; 3]| part(pose) * Vec3::from(at) + pose.fixed_view::<3, 1>(0, 3);
    let document = models::load("models/dh_arm");
    let model = &document.model;
    assert!(model.frames.is_empty() && model.bodies.iter().all(|body| body.inside.is_none()));
    assert!((point(&document, "tool") - place(&fore, [0.1, 0.0, 0.02])).norm() < 1e-15);
    for (index, pose, com) in
        [(0, column, [0.0, -0.15, 0.0]), (1, upper, [-0.24, 0.01, 0.0]), (2, fore, [-0.12, 0.0, 0.02])]
    {
        let body = &model.bodies[index];
        let Some(Place::At(at)) = &body.com else { panic!("a place") };
        assert!((vector(at) - place(&pose, com)).norm() < 1e-15);
        let [xx, yy, zz, xy, yz, xz] = body.inertia.as_ref().expect("given").each_ref().map(value);
        let turned = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let own = [
            Mat3::from_diagonal(&Vec3::new(0.05, 0.012, 0.05)),
            Mat3::new(0.004, 0.001, 0.0, 0.001, 0.055, 0.0, 0.0, 0.0, 0.056),
            Mat3::new(0.002, 0.0, -0.0015, 0.0, 0.022, 0.0, -0.0015, 0.0, 0.021),
        ][index];
        assert!((turned - part(&pose) * own * part(&pose).transpose()).norm() < 1e-16);
    }
    for (index, pose) in [base, column, upper].iter().enumerate() {
        let joint = &model.joints[index];
        let (Some(axis), Some(Place::At(at))) = (&joint.axis, &joint.point) else { panic!("both are given") };
        assert!((vector(axis) - part(pose) * Vec3::z()).norm() < 1e-15);
        assert!((vector(at) - place(pose, [0.0; 3])).norm() < 1e-15);
    }
}

/// Elements whose default axes a frame turns too.
const MORE: &str = r#"
[[leaf_spring]]
name = "leaf"
bodies = ["ground", "b0"]
point = [0.1, 0.2, 0.3]
stiffness = 200
lateral_stiffness = 300
longitudinal_stiffness = 500
[[aerodynamic_drag]]
name = "air"
body = "b1"
point = [0.2, 0.3, 0.1]
drag_area = 0.5
lift_area = 0.3
wind = [3, 2, 1]
[[point_in_plane]]
name = "plane"
bodies = ["ground", "b1"]
point = [0.6, 0.3, 0.2]
normal = [0.3, 0.2, 1]
"#;

#[test]
fn a_subassembly_in_a_frame_moves_as_the_mechanism_turned_as_a_whole() {
    let head = "[model]\nname = \"m\"\ngravity = [0, 0, 0]\nstep = ";
    let frame = "[[frame]]\nname = \"outer\"\nposition = [0.5, 0, -1]\nangles_deg = [0, 0, 30]\n\
                 [[frame]]\nname = \"f\"\nin = \"outer\"\nposition = [-1, 2, 0.5]\nangles_deg = [20, -70, 50]\n";
    let turn = fixed_axes([0.0, 0.0, 30.0]) * fixed_axes([20.0, -70.0, 50.0]);
    let shift = Vec3::new(0.5, 0.0, -1.0) + fixed_axes([0.0, 0.0, 30.0]) * Vec3::new(-1.0, 2.0, 0.5);
    for (kind, coordinates) in KINDS {
        let mut part = EVERYTHING.replace("KIND", kind);
        if !kind.contains("fixed") {
            part += MORE;
        }
        // What acts on an axis of the world cannot be turned.
        for name in coordinates.split_whitespace().filter(|name| !name.starts_with('@')) {
            part += &ON_COORDINATE.replace("NAME", name.trim_start_matches('-'));
        }
        // Turned, other coordinates of a floating body are the independent ones: the errors of the scheme differ.
        let step = if kind.contains("floating") { "1e-4" } else { "1e-3" };
        let run = |keys: &str| {
            let text = format!("{head}{step}\n{frame}[[use]]\nfile = \"part.toml\"\n{keys}");
            observe(&load(&[("model.toml", &text), ("part.toml", &part)]), 0.0)
        };
        for mirror in ["", "mirror = \"y\"\n"] {
            let (plain, turned) = (run(mirror), run(&format!("{mirror}in = \"f\"\n")));
            for (name, values) in &plain {
                let Some((stem, component)) = name.split_once('.') else {
                    for (value, other) in values.iter().zip(&turned[name]) {
                        let bound = 1e-10 * value.abs().max(1.0);
                        assert!((value - other).abs() < bound, "{kind}, {name}: {value} and {other}");
                    }
                    continue;
                };
                let at = ["x", "y", "z"].iter().position(|axis| *axis == component).expect("a component");
                for index in 0..values.len() {
                    let own = Vec3::from(["x", "y", "z"].map(|axis| plain[&format!("{stem}.{axis}")][index]));
                    let moved = if stem == "w1" { Vec3::zeros() } else { shift };
                    let expected = (turn * own + moved)[at];
                    let found = turned[name][index];
                    assert!((expected - found).abs() < 1e-10, "{kind}, {name}: {expected} and {found}");
                }
            }
            let moves = |name: &str| plain[name].last() != plain[name].first();
            assert!(moves("w1.x"), "{kind}");
        }
    }
}

#[test]
fn frames_of_a_mirrored_file_are_mirrored_with_it_and_others_stand_in_them() {
    let part = "[[frame]]\nname = \"hub\"\nposition = [0.1, 0.5, 0.2]\nangles_deg = [30, 0, 0]\n\
                points = { end = [0, 1, 0] }\n\
                [[body]]\nname = \"arm\"\nin = \"hub\"\nmass = 2\ncom = [0, 0.5, 0]\n\
                inertia = [0.2, 0.01, 0.2, 0.001, 0.002, 0]\n\
                [[joint]]\nname = \"arm\"\ntype = \"revolute\"\nin = \"hub\"\nbodies = [\"ground\", \"arm\"]\n\
                point = [0, 0, 0]\naxis = [1, 0, 0]\nspeed = 1\n\
                [[output]]\nname = \"end\"\nbody = \"arm\"\npoint = \"end\"\nquantity = \"position\"\n";
    let tool = "[[body]]\nname = \"tool\"\nmass = 0.5\ncom = [0, 1.1, 0]\ninertia = [0.01, 0.01, 0.01, 0, 0, 0]\n\
                [[joint]]\nname = \"tool\"\ntype = \"revolute\"\nbodies = [\"arm\", \"tool\"]\npoint = [0, 1, 0]\n\
                axis = [0, 0, 1]\nspeed = 2\n\
                [[output]]\nname = \"tool\"\njoint = \"tool\"\nquantity = \"position\"\n";
    // The tool comes before the arm in whose frame it stands.
    let uses = |prefix: &str, mirror: &str| {
        format!(
            "[[use]]\nfile = \"tool.toml\"\nprefix = \"{prefix}\"\nin = \"{prefix}hub\"\n\
             bodies = {{ arm = \"{prefix}arm\" }}\n[[use]]\nfile = \"arm.toml\"\nprefix = \"{prefix}\"\n{mirror}"
        )
    };
    let text = format!("{HEAD}{}{}", uses("l_", ""), uses("r_", "mirror = \"y\"\n"));
    let document = load(&[("model.toml", &text), ("arm.toml", part), ("tool.toml", tool)]);
    let (sine, cosine) = 30f64.to_radians().sin_cos();
    assert!((point(&document, "r_end") - Vec3::new(0.1, -0.5 - cosine, 0.2 + sine)).norm() < 1e-15);
    let run = observe(&document, 0.0);
    for (name, sign) in [("end.x", 1.0), ("end.y", -1.0), ("end.z", 1.0), ("tool", 1.0)] {
        for (left, right) in run[&format!("l_{name}")].iter().zip(&run[&format!("r_{name}")]) {
            assert!((sign * left - right).abs() < 1e-12, "{name}: {left} and {right}");
        }
    }
    assert!(run["l_tool"].last() != run["l_tool"].first());
}

#[test]
fn directions_that_an_item_leaves_to_their_defaults_are_those_of_its_frame() {
    let text = "[model]\nname = \"m\"\n[[frame]]\nname = \"f\"\nposition = [1, 2, 3]\nangles_deg = [90, 0, 0]\n\
                [[flexible_body]]\nname = \"link\"\nin = \"f\"\nrom = \"link.rom.toml\"\n\
                [[joint]]\nname = \"j\"\ntype = \"revolute\"\nbodies = [\"ground\", \"link.root\"]\naxis = [0, 0, 1]\n\
                [[shape]]\nbody = \"link\"\nin = \"f\"\ntype = \"cylinder\"\npoint = [0, 0, 1]\nradius = 1\n\
                length = 2\n";
    let document = models::parse(text, "models/serial_arm/m.toml");
    let vector = |numbers: [f64; 3]| numbers.map(Number::Value);
    let (body, shape) = (&document.model.flexible_bodies[0], &document.model.shapes[0]);
    assert_eq!((&body.x_axis, &body.y_axis), (&Some(vector([1.0, 0.0, 0.0])), &Some(vector([0.0, 0.0, 1.0]))));
    assert_eq!(body.position, Some(Place::At(vector([1.0, 2.0, 3.0]))));
    assert_eq!(shape.axis, Some(vector([0.0, -1.0, 0.0])));
    assert_eq!(shape.point, Some(Place::At(vector([1.0, 1.0, 3.0]))));
}
