//! Robots as models. Their accelerations beside those of other programs: `tests/harness/test_import.py`.

mod attributes;
#[path = "../../../../tests/shared/root.rs"]
mod root;
mod silent;
#[path = "../../../../tests/shared/transcripts.rs"]
mod transcripts;

use ballesta::compile;
use ballesta::{model, simulate::Simulator};
use ballesta_import::{Contacts, Imported, Options, read};
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn imported(name: &str, options: &Options) -> Imported {
    root::at_root();
    read(&Path::new("tests/import").join(name), options).unwrap_or_else(|wrong| panic!("{name}:\n{wrong}"))
}

fn values(text: &str, until: f64) -> Vec<(String, f64)> {
    let document = model::parse(text, "model.toml").unwrap_or_else(|wrong| panic!("{wrong}"));
    let system = Arc::new(compile::compile(&document, &document.model.parameter_values()).unwrap());
    let mut simulator = Simulator::new(system.clone());
    simulator.initialize(0.0).unwrap();
    simulator.advance(until).unwrap();
    let mut values = vec![0.0; system.interface().outputs.len()];
    simulator.outputs(&mut values).unwrap();
    system.interface().outputs.iter().map(|output| output.name.clone()).zip(values).collect()
}

#[test]
fn broken_files_say_where_and_what() {
    root::at_root();
    for (folder, ending) in [("tests/broken_import", "urdf"), ("tests/broken_import/mjcf", "xml")] {
        let broken = transcripts::files(folder, ending);
        transcripts::compare(&broken, "txt", |path| read(path, &Options::default()).map(drop));
    }
}

#[test]
fn what_is_not_carried_over_is_listed_with_its_lines() {
    for (name, notes) in [
        ("arm.urdf", ""),
        ("arm.xml", ""),
        (
            "gripper.urdf",
            "gripper.urdf:13, 45, 60, 70: velocity of <limit>\n\
             gripper.urdf:23: contact of <collision>\n\
             gripper.urdf:46: <safety_controller>\n\
             gripper.urdf:82: inertia without mass: moved to body \"hand\", to which the link is fixed\n\
             gripper.urdf:83: mesh package somewhere not found in any parent folder: pass --package somewhere=FOLDER\n\
             gripper.urdf:85: mechanicalReduction of <transmission>: inputs are efforts at the joints\n\
             gripper.urdf:87: <gazebo>\n",
        ),
        (
            "leg.xml",
            "leg.xml:4: wind of <option>\n\
             leg.xml:11: shape of a geom of type plane\n\
             leg.xml:22: shape of a geom of type ellipsoid\n\
             leg.xml:48: gyro: the output is in body-fixed axes that coincide with W at the zero position, \
             not in the axes of the site\n\
             leg.xml:49: accelerometer: the output is in body-fixed axes that coincide with W at the zero position, \
             not in the axes of the site\n\
             leg.xml:49: accelerometer: the output is without gravity\n\
             leg.xml:52: actuatorfrc: the output is the effort on the joint\n\
             leg.xml:53: sensor <touch>\n\
             leg.xml:56: <key>: use --keyframe NAME to start from a keyframe\n\
             leg_defaults.xml:5: frictionloss of a ball joint\n",
        ),
    ] {
        let found: String = imported(name, &Options::default()).notes.iter().map(|note| format!("{note}\n")).collect();
        assert_eq!(found, notes, "{name}");
    }
}

#[test]
fn the_same_arm_in_both_formats_moves_alike() {
    let [urdf, mjcf] = ["arm.urdf", "arm.xml"].map(|name| imported(name, &Options::default()).model);
    let (urdf, mjcf) = (values(&urdf, 0.3), values(&mjcf, 0.3));
    let mut moved = 0;
    for (name, value) in urdf.iter().filter(|(name, _)| name.contains("position") || name.contains("speed")) {
        let (_, other) = mjcf.iter().find(|(other, _)| other == name).unwrap_or_else(|| panic!("{name}"));
        assert!((value - other).abs() < 1e-12, "{name}: {value}, {other}");
        moved += usize::from(value.abs() > 0.05);
    }
    assert!(moved >= 4, "{urdf:?}");
}

#[test]
fn a_coupling_by_a_polynomial_follows_it_over_the_range_of_the_joint_that_leads() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("finger.xml");
    let text = |range: &str| {
        format!(
            r#"<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="finger">
      <joint name="base" axis="0 1 0" {range}/>
      <geom type="capsule" fromto="0 0 0 0.05 0 0" size="0.005"/>
      <body name="tip" pos="0.05 0 0">
        <joint name="tip" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.03 0 0" size="0.005"/>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="tip" joint2="base" polycoef="0.1 0.8 -0.3 0.2 0.15"/></equality>
</mujoco>"#
        )
    };
    fs::write(&file, text(r#"range="-0.4 1.6""#)).expect("writable");
    let model = read(&file, &Options::default()).unwrap_or_else(|wrong| panic!("{wrong}")).model;
    for x in [-0.4, -0.35, 0.0, 0.3, 1.1, 1.55, 1.6_f64] {
        let guided = format!("\n[[guided]]\nname = \"lead\"\njoint = \"base\"\nmotion = {{ offset = {x:?} }}\n");
        let found = values(&format!("{model}{guided}"), 0.0);
        let (_, tip) = found.iter().find(|(name, _)| name == "tip.position").expect("an output of every joint");
        let wanted = 0.1 + x * (0.8 + x * (-0.3 + x * (0.2 + x * 0.15)));
        // The spline over 2.4 rad / 128 is off by h⁴/384 · 24 · 0.15 at most, and by its ends.
        assert!((tip - wanted).abs() < 5e-9, "{x}: {tip} instead of {wanted}");
    }
    fs::write(&file, text("")).expect("writable");
    let wrong = read(&file, &Options::default()).map(drop).expect_err("no range").to_string();
    assert!(wrong.contains("without limits") && wrong.contains("give joint \"base\" a `range`"), "{wrong}");
}

#[test]
fn a_keyframe_is_where_the_model_starts() {
    let at = |keyframe: Option<&str>| {
        let keyframe = keyframe.map(str::to_string);
        values(&imported("leg.xml", &Options { keyframe, ..Options::default() }).model, 0.0)
    };
    let value = |values: &[(String, f64)], name: &str| values.iter().find(|(other, _)| other == name).unwrap().1;
    let (zero, crouch) = (at(None), at(Some("crouch")));
    assert_eq!(value(&zero, "knee.position"), 0.0);
    assert_eq!(value(&crouch, "knee.position"), 0.9);
    // Less what MuJoCo calls 15 degrees at the zero position.
    assert!((value(&crouch, "hip_y.position") - (0.5 - 15f64.to_radians())).abs() < 1e-15);
    // The trunk, turned at zero, stands upright and 0.1 m deeper: its site is right above it.
    let imu = ["x", "y", "z"].map(|axis| value(&crouch, &format!("imu.position.{axis}")));
    for (found, wanted) in imu.iter().zip([0.1, 0.2, 1.0]) {
        assert!((found - wanted).abs() < 1e-14, "{imu:?}");
    }
    let options = Options { keyframe: Some("crunch".into()), ..Options::default() };
    let wrong = read(Path::new("tests/import/leg.xml"), &options).err().unwrap().to_string();
    assert!(wrong.contains("there is no keyframe \"crunch\"; did you mean \"crouch\"?"), "{wrong}");
}

#[test]
fn a_joint_starts_within_its_range_and_its_stop_is_one_that_the_step_resolves() {
    root::at_root();
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("finger.urdf");
    // A gram on a joint that is said to be as strong as an arm.
    let text = r#"<robot name="finger"><link name="base"/><link name="tip"><inertial><origin xyz="0.03 0 0"/><mass value="0.001"/>
        <inertia ixx="1e-8" ixy="0" ixz="0" iyy="1e-7" iyz="0" izz="1e-7"/></inertial></link>
        <joint name="j" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>
        <limit lower="0.8" upper="2" effort="50"/><dynamics friction="0.2"/></joint></robot>"#;
    fs::write(&path, text).unwrap();
    let found = read(&path, &Options::default()).unwrap();
    assert_eq!(found.notes, ["finger.urdf:3: range excludes the zero position: the joint starts at the nearer limit"]);
    let text = found.model.replace("[experiment]\n", "[experiment]\nstop = 0.5\n");
    let start = values(&text, 0.0);
    assert_eq!((start[0].0.as_str(), start[0].1), ("j.position", 0.8));
    // It hangs on the friction or falls to the other end, and stays within the range but for the depth of the stop.
    for (name, value) in values(&text, 0.5) {
        assert!(name != "j.position" || (0.7..2.1).contains(&value), "{name}: {value}");
        assert!(name != "j.speed" || value.abs() < 30.0, "{name}: {value}");
    }
}

#[test]
fn a_folder_appears_whole_or_not_at_all() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("new/arm");
    let arm = imported("arm.urdf", &Options::default());
    assert_eq!(arm.write(&folder, false).unwrap(), [folder.join("model.toml")]);
    let written = fs::read_to_string(folder.join("model.toml")).unwrap();
    assert_eq!(written, arm.model);
    fs::write(folder.join("notes.md"), "mine").unwrap();
    fs::write(folder.join("model.toml"), "changed").unwrap();
    let refused = arm.write(&folder, false).unwrap_err().to_string();
    assert!(refused.contains("already exists"), "{refused}");
    assert_eq!(fs::read_to_string(folder.join("model.toml")).unwrap(), "changed");
    arm.write(&folder, true).unwrap();
    assert_eq!(fs::read_to_string(folder.join("model.toml")).unwrap(), arm.model);
    assert_eq!(fs::read_to_string(folder.join("notes.md")).unwrap(), "mine");
    assert_eq!(fs::read_dir(folder.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn meshes_of_a_package_come_along_once() {
    root::at_root();
    let temporary = tempfile::tempdir().unwrap();
    let (robot, package) = (temporary.path().join("robot.urdf"), temporary.path().join("elsewhere"));
    fs::create_dir_all(package.join("meshes")).unwrap();
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";
    fs::write(package.join("meshes/Part one.obj"), mesh).unwrap();
    let visual = |scale: &str| {
        let file = "package://parts/meshes/Part one.obj";
        format!("<visual><geometry><mesh filename=\"{file}\" scale=\"{scale}\"/></geometry></visual>")
    };
    let visuals = [visual("0.001 0.001 0.001"), visual("0.001 -0.001 0.001"), visual("1 2 3")].concat();
    fs::write(&robot, format!("<robot name=\"r\"><link name=\"base\">{visuals}</link></robot>")).unwrap();
    let options = Options { packages: vec![("parts".into(), package.clone())], ..Options::default() };
    let found = read(&robot, &options).unwrap();
    assert_eq!(found.meshes.len(), 2);
    assert_eq!((found.meshes[0].0.as_str(), found.meshes[0].1.as_slice()), ("meshes/part_one.obj", mesh.as_bytes()));
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    // Different scales along the axes give a file of its own.
    let stretched = String::from_utf8(found.meshes[1].1.clone()).unwrap();
    assert!(stretched.contains("v 0 2 0\nv 0 0 3\n"), "{stretched}");
    assert_eq!(found.model.matches("file = \"meshes/part_one.obj\"").count(), 2);
    assert_eq!(found.model.matches("mirrored = true").count(), 1);
    // Without the option, and with a folder of that name above the file.
    let lacking = read(&robot, &Options::default()).unwrap();
    assert!(lacking.meshes.is_empty() && lacking.notes[0].contains("--package parts=FOLDER"), "{:?}", lacking.notes);
    fs::rename(&package, temporary.path().join("parts")).unwrap();
    assert_eq!(read(&robot, &Options::default()).unwrap().meshes.len(), 2);
}

/// Pairs of solids that touch in a model, sorted.
fn pairs(text: &str) -> Vec<String> {
    let model = model::parse(text, "model.toml").unwrap_or_else(|wrong| panic!("{wrong}")).model;
    let body = |name: &str| &model.solids.iter().find(|solid| solid.name == name).expect("a solid").body;
    let mut pairs = Vec::new();
    for contact in &model.solid_contacts {
        for (k, one) in contact.solids.iter().enumerate() {
            let others = if contact.others.is_empty() { &contact.solids[k + 1..] } else { &contact.others[..] };
            for other in others.iter().filter(|other| body(one) != body(other)) {
                let [first, second] = if one < other { [one, other] } else { [other, one] };
                pairs.push(format!("{first} {second}"));
            }
        }
    }
    pairs.sort();
    pairs
}

fn of_text(text: &str, contacts: Contacts) -> Imported {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("scene.xml");
    fs::write(&file, text).expect("writable");
    read(&file, &Options { contacts, ..Options::default() }).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// A chain of three bodies on the world, of which the second carries a fixed one, and a loose ball.
const CHAIN: &str = r#"<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" contype="2" conaffinity="1"/>
    <geom name="wall" type="box" size="0.1 1 1" pos="-3 0 0"/>
    <body name="a" pos="0 0 2">
      <joint axis="0 1 0"/>
      <geom name="a" size="0.1" type="box" mass="1" fromto="0 0 0 0.4 0 0"/>
      <body name="b" pos="0.5 0 0">
        <joint axis="0 1 0"/>
        <geom name="b" type="capsule" size="0.05" fromto="0 0 0 0.4 0 0" mass="1"/>
        <body name="fixed" pos="0 0 0.2"><geom name="fixed" type="cylinder" size="0.05 0.1" mass="0.2"/></body>
        <body name="c" pos="0.5 0 0">
          <joint axis="0 1 0"/>
          <geom name="c" size="0.05" pos="0.2 0 0" mass="0.5"/>
          <geom name="shy" size="0.05" pos="0.4 0 0" contype="0" conaffinity="0" mass="0.1"/>
        </body>
      </body>
    </body>
    <body name="loose" pos="2 2 2"><freejoint/><geom name="ball" size="0.1" contype="0" conaffinity="3" mass="1"/></body>
  </worldbody>
  <contact>
    <exclude body1="a" body2="loose"/>
    <pair geom1="shy" geom2="b" condim="1"/>
  </contact>
</mujoco>"#;

#[test]
fn masks_parents_fixed_bodies_exclusions_and_pairs_are_those_of_mujoco() {
    let all = pairs(&of_text(CHAIN, Contacts::All).model);
    // Not b with fixed, a with b, b with c, a with fixed (both are of the parent of what it is fixed to), nor a with
    // the ball.
    let wanted = [
        "a c",
        "a floor",
        "a wall",
        "b ball",
        "b floor",
        "b shy",
        "b wall",
        "ball c",
        "ball fixed",
        "ball floor",
        "ball wall",
        "c floor",
        "c wall",
        "fixed floor",
        "fixed wall",
    ];
    let mut wanted = wanted.map(str::to_string).to_vec();
    wanted.sort();
    assert_eq!(all, wanted);
    let ground: Vec<String> =
        wanted.into_iter().filter(|pair| pair.contains("floor") || pair.contains("wall")).collect();
    assert_eq!(pairs(&of_text(CHAIN, Contacts::Ground).model), ground);
    let none = of_text(CHAIN, Contacts::None);
    assert!(pairs(&none.model).is_empty() && !none.model.contains("[[solid"), "{}", none.model);
    assert!(none.notes.iter().any(|note| note.contains("contact of <geom>")), "{:?}", none.notes);
}

#[test]
fn what_is_dropped_comes_to_rest_as_deep_as_the_model_says() {
    for (geom, height, mass) in [
        (r#"type="sphere" size="0.1""#, 0.1, 2.0),
        (r#"type="box" size="0.1 0.15 0.05""#, 0.05, 2.0),
        (r#"type="capsule" size="0.05 0.2" euler="0 90 0""#, 0.05, 2.0),
        (r#"type="cylinder" size="0.1 0.2""#, 0.2, 2.0),
        (r#"type="sphere" size="0.02""#, 0.02, 0.01),
    ] {
        let text = format!(
            r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="thing" pos="0 0 {}"><freejoint/>
               <geom {geom} mass="{mass}"/></body></worldbody></mujoco>"#,
            height + 0.02
        );
        let found = of_text(&text, Contacts::All);
        let rest = values(&found.model, 1.5);
        let value = |name: &str| rest.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("{name}")).1;
        let said =
            found.model.lines().find(|line| line.starts_with("# ") && line.contains("compresses a contact point by"));
        let said: f64 = said.and_then(|line| line.split(' ').rev().nth(1)?.parse().ok()).expect("a depth in mm");
        let depth = 1e3 * (height - value("thing.position.z"));
        println!("{geom}: {depth:.4} mm, {said} mm on one place");
        // A capsule lies on two places: half the load each, 1/√2 of the depth.
        let share = if geom.contains("capsule") { 0.5f64.sqrt() } else { 1.0 };
        assert!((depth - share * said).abs() < 0.01 * said, "{geom}: {depth} mm, {said} mm");
        assert!(depth > 0.0 && depth < 0.5, "{depth}");
        assert!((value("contact_1.normal_force") - 9.81 * mass).abs() < 1e-2 * mass, "{rest:?}");
    }
}

#[test]
fn a_small_mesh_touches_as_its_hull_and_what_does_not_touch_is_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";
    fs::write(folder.path().join("part.obj"), mesh).expect("writable");
    let file = folder.path().join("scene.xml");
    let text = r#"<mujoco>
  <asset><mesh file="part.obj" scale="0.1 0.1 0.1"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" condim="6" friction="0.7 0.01 0.002"/>
    <body name="thing" pos="0 0 1"><freejoint/><inertial mass="1" pos="0 0 0" diaginertia="0.01 0.01 0.01"/>
      <geom type="mesh" mesh="part"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3"/></body>
  </worldbody>
</mujoco>"#;
    fs::write(&file, text).expect("writable");
    let found = read(&file, &Options::default()).unwrap_or_else(|wrong| panic!("{wrong}"));
    let model = model::parse(&found.model, "model.toml").unwrap_or_else(|wrong| panic!("{wrong}")).model;
    let hull = model.solids.iter().find(|solid| !solid.points.is_empty()).expect("a hull");
    assert_eq!((hull.body.as_str(), hull.points.len()), ("thing", 4));
    // The larger friction of both, which is the ball's default for sliding.
    for line in ["friction = 1", "rolling_resistance = 0.002", "spinning_resistance = 0.01"] {
        assert!(found.model.contains(&format!("\n{line}\n")), "{line}: {}", found.model);
    }
    assert_eq!(
        found.notes,
        [
            "scene.xml:7: contact of a shape with many corners: a hull of up to 34, at most 30 mm inside",
            "scene.xml:7: shape of a geom of type ellipsoid",
        ]
    );
}

#[test]
fn a_law_is_that_of_the_higher_priority_or_mixes_both() {
    // Restitutions are those of damping ratios 1, 0.3 (the mean of both) and 0.1.
    for (one, two, friction, restitution) in [
        (r#"friction="0.5" priority="1""#, r#"friction="0.9""#, Some("0.5"), "0.14"),
        (r#"friction="0.5""#, r#"friction="0.9""#, Some("0.9"), "0.14"),
        (r#"solref="0.02 0.5""#, r#"solref="0.02 0.1""#, Some("1"), "0.45"),
        (r#"solref="0.02 0.5" solmix="0""#, r#"solref="0.02 0.1""#, Some("1"), "0.74"),
        (r#"solref="-1000 -6.3246" condim="1""#, r#"solref="-1000 -6.3246" condim="1""#, None, "0.74"),
    ] {
        let text = format!(
            r#"<mujoco><worldbody><geom type="plane" size="1 1 1" {one}/><body name="thing" pos="0 0 1"><freejoint/>
               <geom size="0.1" {two}/></body></worldbody></mujoco>"#
        );
        let found = of_text(&text, Contacts::All).model;
        let law = found.split("[[solid_contact]]").nth(1).expect("a contact").split("\n\n").next().unwrap_or_default();
        let says = |key: &str| law.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        assert_eq!((says("friction"), says("restitution")), (friction, Some(restitution)), "{one}, {two}: {law}");
    }
}

#[test]
fn too_many_pairs_leave_those_with_the_world_and_are_listed() {
    let bodies: String =
        (0..70).map(|k| format!(r#"<body pos="{k} 0 1"><freejoint/><geom size="0.1"/></body>"#)).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pile.xml");
    let floor = r#"<geom type="plane" size="1 1 1"/>"#;
    fs::write(&file, format!("<mujoco><worldbody>{floor}{bodies}</worldbody></mujoco>")).expect("writable");
    let found = read(&file, &Options::default()).unwrap_or_else(|wrong| panic!("{wrong}"));
    let reason = "contacts between bodies: more than 2000 pairs; reduce them by masks or <exclude>";
    assert_eq!(found.notes, [format!("pile.xml:1: {reason}")]);
    let counts = |model: &str| (model.matches("[[solid]]").count(), model.matches("[[solid_contact]]").count());
    assert_eq!(counts(&found.model), (71, 1));
}
