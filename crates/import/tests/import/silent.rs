//! Parts that an earlier import changed without a message: starts of joints that follow others, inertias of rotors,
//! sizes of fitted primitives, joints in frames.

use crate::{of_text, values};
use ballesta::model;
use ballesta::model::schema::{Number, PerCoordinate};
use ballesta_import::{Contacts, Imported, Options, read};
use std::fs;

fn of_urdf(text: &str) -> Imported {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("robot.urdf");
    fs::write(&file, text).expect("writable");
    read(&file, &Options::default()).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn at_start(model: &str, name: &str) -> f64 {
    values(model, 0.0).into_iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("{name}")).1
}

/// Two joints on a base: the limits of both, and what the second follows.
fn pair(limits: [&str; 2], mimic: &str) -> String {
    let link = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="1"/>
            <inertia ixx="0.1" iyy="0.1" izz="0.02"/></inertial></link>"#
        )
    };
    let joint = |name: &str, child: &str, limit: &str, more: &str| {
        let kind = if limit.is_empty() { "continuous" } else { "revolute" };
        let limit = if limit.is_empty() { String::new() } else { format!("<limit {limit}/>") };
        format!(
            r#"<joint name="{name}" type="{kind}"><parent link="base"/><child link="{child}"/>
            <axis xyz="0 0 1"/>{limit}{more}</joint>"#
        )
    };
    let joints = joint("driver", "a", limits[0], "") + &joint("follower", "b", limits[1], mimic);
    format!(r#"<robot name="r"><link name="base"/>{}{}{joints}</robot>"#, link("a"), link("b"))
}

#[test]
fn a_joint_that_follows_with_an_offset_starts_where_its_leader_has_it() {
    let follows = r#"<mimic joint="driver" multiplier="-2" offset="1"/>"#;
    for (limits, driver) in [
        (["", ""], 0.0),
        ([r#"lower="-1" upper="1""#, r#"lower="-3" upper="3""#], 0.0),
        // The follower is in its range only where the leader is not at zero.
        (["", r#"lower="-1" upper="0.4""#], 0.3),
        ([r#"lower="0.2" upper="1""#, r#"lower="-1" upper="3""#], 0.2),
        ([r#"lower="0.2" upper="1""#, r#"lower="-3" upper="-0.2""#], 0.6),
    ] {
        let found = of_urdf(&pair(limits, follows));
        let [first, second] = ["driver.position", "follower.position"].map(|name| at_start(&found.model, name));
        assert!((first - driver).abs() < 1e-12, "{limits:?}: {first}");
        assert!((second - (1.0 - 2.0 * driver)).abs() < 1e-12, "{limits:?}: {second}");
        // No joint is accelerated out of a stop.
        let later = values(&found.model, 0.05);
        let speed = later.iter().find(|(name, _)| name == "driver.speed").expect("an output").1;
        assert!(speed.abs() < 1e-6, "{limits:?}: {speed}");
    }
}

#[test]
fn a_follower_whose_range_is_never_reached_is_listed() {
    let found = of_urdf(&pair(
        [r#"lower="-0.1" upper="0.1""#, r#"lower="2" upper="3""#],
        r#"<mimic joint="driver" offset="0.5"/>"#,
    ));
    assert!(found.notes.iter().any(|note| note.contains("range not reachable")), "{:?}", found.notes);
    assert!((at_start(&found.model, "follower.position") - 0.5).abs() < 1e-12);
}

#[test]
fn a_coupling_by_a_polynomial_with_an_offset_leaves_the_leader_at_zero() {
    let text = r#"<mujoco><compiler angle="radian"/><worldbody>
        <body><joint name="leads" range="-1 1"/><geom size="0.1"/></body>
        <body pos="1 0 0"><joint name="follows"/><geom size="0.1"/></body></worldbody>
        <equality><joint joint1="follows" joint2="leads" polycoef="0.5 1 0.3"/></equality></mujoco>"#;
    let found = of_text(text, Contacts::All).model;
    let [leads, follows] = ["leads.position", "follows.position"].map(|name| at_start(&found, name));
    assert!(leads.abs() < 1e-12 && (follows - 0.5).abs() < 1e-7, "{leads}, {follows}");
}

/// Masses of the bodies of a model, and their inertias about z.
fn bodies(text: &str) -> Vec<(f64, f64)> {
    let model = model::parse(text, "model.toml").unwrap_or_else(|wrong| panic!("{wrong}")).model;
    let number = |number: &model::schema::Number| match number {
        model::schema::Number::Value(value) => *value,
        model::schema::Number::Parameter(name) => panic!("{name}"),
    };
    let of = model.bodies.iter();
    of.map(|body| (number(&body.mass), body.inertia.as_ref().map_or(0.0, |all| number(&all[2])))).collect()
}

/// Armatures of all joints that have one.
fn armatures(text: &str) -> Vec<f64> {
    let model = model::parse(text, "model.toml").unwrap_or_else(|wrong| panic!("{wrong}")).model;
    let number = |armature: &PerCoordinate| match armature {
        PerCoordinate::One(Number::Value(value)) => *value,
        other => panic!("{other:?}"),
    };
    model.joints.iter().filter_map(|joint| joint.armature.as_ref()).map(number).collect()
}

#[test]
fn a_rotor_has_its_inertia_and_no_mass() {
    // The robot's 3 kg, of which the motor is a part.
    let text = r#"<mujoco><worldbody><body><freejoint/><geom size="0.1" mass="2"/>
        <body pos="1 0 0"><joint name="j" axis="0 1 0" armature="3"/>
        <geom size="0.1" mass="1"/></body></body></worldbody>
        <actuator><motor joint="j" gear="2" armature="0.5"/></actuator></mujoco>"#;
    let model = of_text(text, Contacts::All).model;
    let found = bodies(&model);
    assert_eq!(found.iter().map(|(mass, _)| mass).sum::<f64>(), 3.0, "{found:?}");
    assert_eq!(armatures(&model), [5.0]);
    let transmission = |inside: &str| {
        let text = pair(["", ""], "").replace("</robot>", "");
        let transmission = r#"<transmission name="t"><type>SimpleTransmission</type><joint name="driver"/>"#;
        let text = format!("{text}{transmission}<actuator name=\"m\">{inside}</actuator></transmission></robot>");
        of_urdf(&text.replace("<robot", r#"<robot xmlns:drake="http://drake.mit.edu""#))
    };
    let found = transmission(r#"<drake:rotor_inertia value="2e-4"/><drake:gear_ratio value="30"/>"#);
    assert!(armatures(&found.model).iter().any(|armature| (armature - 0.18).abs() < 1e-15));
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    let found = transmission("<motorInertia>1e-4</motorInertia>");
    assert!(found.notes.len() == 1 && found.notes[0].ends_with(": <motorInertia>"), "{:?}", found.notes);
}

#[test]
fn a_primitive_that_is_fitted_to_several_objects_of_a_mesh_is_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("scene.xml");
    let tetrahedron = |first: usize| {
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|face| face.map(|k| (first + k).to_string()));
        let corners = format!("v {first} 0 0\nv {first}.3 0 0\nv {first} 0.4 0\nv {first} 0 0.5\n");
        corners + &faces.map(|face| format!("f {}\n", face.join(" "))).concat()
    };
    let [one, two] = [tetrahedron(1), tetrahedron(5)];
    let text = "all 2 objects of the mesh are used; MuJoCo uses only the first";
    let note = vec![format!("scene.xml:3: {text}: export the mesh as one object")];
    for (mesh, several) in [
        (one.clone(), false),
        (format!("{one}{two}"), false),
        (format!("o a\ng b\n{one}usemtl c\n{two}"), false),
        (format!("o a\n{one}o b\n{two}"), true),
        (format!("g a\n{one}g b\n{two}"), true),
        (format!("{one}o b\n{two}"), true),
    ] {
        fs::write(folder.path().join("part.obj"), &mesh).expect("writable");
        for kind in ["sphere", "capsule", "cylinder", "box"] {
            let text = format!(
                r#"<mujoco><asset><mesh file="part.obj"/></asset>
                <worldbody><body><joint axis="1 2 3"/>
                <geom type="{kind}" mesh="part"/></body></worldbody></mujoco>"#
            );
            fs::write(&file, text).expect("writable");
            let found = read(&file, &Options::default()).unwrap_or_else(|wrong| panic!("{wrong}"));
            assert_eq!(found.notes, if several { note.clone() } else { Vec::new() }, "{kind}: {mesh}");
        }
    }
}

#[test]
fn a_mesh_without_mass_properties_is_one_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("scene.xml");
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n";
    fs::write(folder.path().join("inverted.obj"), tetrahedron).expect("writable");
    for (mesh, wanted) in [
        (r#"file="inverted.obj" inertia="exact""#, "the volume of the mesh is negative: its triangles are inverted"),
        (r#"file="inverted.obj" inertia="none""#, "the mesh has inertia=\"none\""),
        (r#"file="none.obj""#, "the mass of the geom needs its mesh, which is not read"),
        (
            r#"builtin="cone" params="8""#,
            "the mass of the geom needs a mesh of builtin=\"cone\", which is not supported",
        ),
    ] {
        let text = format!(
            r#"<mujoco><asset><mesh name="m" {mesh}/></asset>
            <worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"#
        );
        fs::write(&file, text).expect("writable");
        let wrong = read(&file, &Options::default()).err().unwrap_or_default().0;
        let found: Vec<&str> = wrong.iter().map(|wrong| wrong.found.as_str()).collect();
        assert_eq!(found, [wanted]);
    }
}

#[test]
fn a_follower_starts_far_away_if_its_leader_does() {
    let found = of_urdf(&pair([r#"lower="20" upper="30""#, ""], r#"<mimic joint="driver" multiplier="100"/>"#));
    assert_eq!(at_start(&found.model, "driver.position"), 20.0);
    assert_eq!(at_start(&found.model, "follower.position"), 2000.0);
}

#[test]
fn a_joint_in_a_frame_has_its_axis_there() {
    let text = r#"<mujoco><worldbody><body name="b" pos="0 0 1"><frame pos="0.1 0 0" euler="0 0 90">
        <joint name="j" axis="0 1 0" pos="0.1 0.2 0"/><geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0.1"/></frame>
        </body></worldbody></mujoco>"#;
    let model = of_text(text, Contacts::All).model;
    for line in ["name = \"j\"\ntype = \"revolute\"", "point = [-0.1, 0.1, 1]\naxis = [-1, 0, 0]"] {
        assert!(model.contains(line), "{line}:\n{model}");
    }
}

#[test]
fn sensors_with_other_axes_or_without_gravity_are_listed() {
    const TURNED: &str = "in body-fixed axes that coincide with W at the zero position, not in the axes of the site";
    // The site `w` has the axes of W, the site `s` those of its body.
    let of = |sensor: &str| {
        let text = format!(
            r#"<mujoco><worldbody><body name="b" euler="0 0 30"><joint name="j" axis="0 1 0"/><geom size="0.1"/>
            <site name="s"/><site name="w" euler="0 0 -30"/></body></worldbody><actuator><motor name="m" joint="j"/>
            </actuator><sensor>
            <{sensor}/></sensor></mujoco>"#
        );
        of_text(&text, Contacts::All).notes
    };
    let both = [TURNED, "without gravity"];
    for (sensor, differences) in [
        (r#"gyro site="s""#, &[TURNED][..]),
        (r#"gyro site="w""#, &[]),
        (r#"velocimeter site="s""#, &[TURNED]),
        (r#"velocimeter site="w""#, &[]),
        (r#"accelerometer site="s""#, &both),
        (r#"accelerometer site="w""#, &["without gravity"]),
        (r#"framelinacc objtype="site" objname="s""#, &["without gravity"]),
        (r#"framelinacc objtype="body" objname="b""#, &["without gravity"]),
        (r#"framelinacc objtype="xbody" objname="b""#, &["without gravity"]),
        // In the axes of W, as in MuJoCo.
        (r#"framepos objtype="site" objname="s""#, &[]),
        (r#"framelinvel objtype="site" objname="s""#, &[]),
        (r#"frameangvel objtype="site" objname="s""#, &[]),
        (r#"frameangacc objtype="site" objname="s""#, &[]),
        (r#"framequat objtype="site" objname="s""#, &["the rotation since the zero position"]),
        (r#"actuatorfrc actuator="m""#, &["the effort on the joint"]),
        (r#"jointpos joint="j""#, &[]),
        (r#"jointvel joint="j""#, &[]),
    ] {
        let kind = sensor.split(' ').next().unwrap_or_default();
        let wanted: Vec<String> =
            differences.iter().map(|differs| format!("scene.xml:4: {kind}: the output is {differs}")).collect();
        assert_eq!(of(sensor), wanted, "{sensor}");
    }
}

#[test]
fn an_orientation_replaces_that_of_its_class() {
    for own in ["euler=\"0 0 90\"", "axisangle=\"0 0 1 90\"", "quat=\"1 0 0 1\"", "xyaxes=\"0 1 0 -1 0 0\""] {
        for class in ["quat=\"1 1 0 0\"", "euler=\"30 0 0\"", "zaxis=\"0 1 1\""] {
            let text = format!(
                r#"<mujoco><default><geom {class}/></default><worldbody><body><joint/>
                <geom type="box" size="0.1 0.2 0.3" mass="6" {own}/></body></worldbody></mujoco>"#
            );
            let [(_, inertia)] = bodies(&of_text(&text, Contacts::All).model)[..] else { panic!("one body") };
            assert!((inertia - 0.1).abs() < 1e-12, "{class} {own}: {inertia}");
        }
    }
}

#[test]
fn sections_of_defaults_without_a_class_go_together() {
    let text = r#"<mujoco><default><geom density="500"/></default><default><geom size="0.1"/></default><worldbody><body>
        <joint/><geom/></body></worldbody></mujoco>"#;
    let [(mass, _)] = bodies(&of_text(text, Contacts::All).model)[..] else { panic!("one body") };
    assert!((mass - 500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3).abs() < 1e-12, "{mass}");
}

#[test]
fn a_ball_joint_of_a_keyframe_turns_in_the_axes_of_its_body() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("robot.xml");
    let text = r#"<mujoco><worldbody><body name="b" euler="90 0 0"><joint type="ball"/><geom size="0.1"/>
        <site name="s" pos="0 1 0"/></body></worldbody><keyframe><key name="turned" qpos="1 0 0 1"/></keyframe></mujoco>"#;
    fs::write(&file, text).expect("writable");
    let options = Options { keyframe: Some("turned".into()), ..Options::default() };
    let found = read(&file, &options).unwrap_or_else(|wrong| panic!("{wrong}")).model;
    // A quarter of a turn about the z axis of the body, which is -y in the world, brings the site to -x.
    let at = ["x", "y", "z"].map(|axis| at_start(&found, &format!("s.position.{axis}")));
    assert!(at.iter().zip([-1.0, 0.0, 0.0]).all(|(found, wanted)| (found - wanted).abs() < 1e-12), "{at:?}");
}
