//! Groups of models, from their Jacobians.

use ballesta::analysis::groups::structural_groups;
use ballesta::analysis::groups::{SpatialGroup, SpatialGroups};
use ballesta::compile;
use ballesta::model::schema::{Guided, JointKind, Model, Motion, Number};
use ballesta::model::{self, Document};
use ballesta::system::System;
use ballesta::topology::groups::{Adjacency, Structure, analyse};
use std::collections::BTreeSet;
use std::path::Path;

fn open(name: &str) -> (Document, System, SpatialGroups) {
    let document = model::load(&Path::new("models").join(name)).unwrap_or_else(|errors| panic!("{errors}"));
    let system =
        compile::compile(&document, &document.model.parameter_values()).unwrap_or_else(|errors| panic!("{errors}"));
    let groups = structural_groups(&system);
    (document, system, groups)
}

/// Number of the group with this body.
fn number(groups: &SpatialGroups, body: &str) -> usize {
    let place = groups.groups.iter().position(|group| group.bodies.iter().any(|name| name == body));
    place.unwrap_or_else(|| panic!("{body} is in no group")) + 1
}

fn group<'a>(groups: &'a SpatialGroups, body: &str) -> &'a SpatialGroup {
    &groups.groups[number(groups, body) - 1]
}

/// The plane chain of a model of revolute and prismatic joints, rods, couplers and slots. Joints that the solver takes
/// as given have an input.
fn plane_chain(model: &Model, groups: &SpatialGroups) -> (Vec<String>, Structure) {
    let mut names = vec!["ground".to_string()];
    names.extend(model.bodies.iter().map(|body| body.name.clone()));
    names.extend(model.rods.iter().map(|rod| rod.name.clone()));
    let link = |name: &str| names.iter().position(|other| other == name).expect("a link");
    let mut codes = vec![vec![0u8; names.len()]; names.len()];
    let mut pair = |a: usize, b: usize, code: u8| {
        assert_eq!(codes[a][b], 0, "one pair between two links");
        (codes[a][b], codes[b][a]) = (code, code);
    };
    for joint in &model.joints {
        assert!(matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic), "{}", joint.name);
        let driven = groups.groups.iter().any(|group| group.driven.iter().any(|driven| driven.joint == joint.name));
        pair(link(&joint.bodies[0]), link(&joint.bodies[1]), if driven { 3 } else { 1 });
    }
    for rod in &model.rods {
        rod.bodies.iter().for_each(|body| pair(link(body), link(&rod.name), 1));
    }
    for slot in &model.points_on_line {
        pair(link(&slot.bodies[0]), link(&slot.bodies[1]), 2);
    }
    for coupler in &model.couplers {
        let outer = |at: usize| {
            let name = &coupler.coordinates[at].joint;
            link(&model.joints.iter().find(|joint| &joint.name == name).expect("a joint").bodies[1])
        };
        pair(outer(0), outer(1), 2);
    }
    (names, analyse(&Adjacency::new(&codes, 0)))
}

/// The Jacobian finds what the paper's counting finds, although the models are written in space with redundant
/// equations.
#[test]
fn plane_mechanisms_of_the_gallery_have_the_groups_of_the_papers_method() {
    crate::root::at_root();
    let plane = [
        "andrews",
        "cam_slot",
        "driven_arm",
        "four_bar",
        "four_bar_3d",
        "four_bar_windows_10",
        "four_bar_windows_2",
        "gear_train",
        "guided_five_bar",
        "lumped_cantilever",
        "pendulum",
        "watt_six_bar",
    ];
    let sets = |groups: Vec<Vec<String>>| -> BTreeSet<BTreeSet<String>> {
        groups.into_iter().map(|group| group.into_iter().collect()).collect()
    };
    for name in plane {
        let (document, _, groups) = open(name);
        let welded = document.model.joints.iter().any(|joint| joint.kind == JointKind::Fixed);
        if welded {
            continue;
        }
        let (names, structure) = plane_chain(&document.model, &groups);
        assert!(structure.is_determined(), "{name}: {structure:?}");
        let counted =
            structure.groups.iter().map(|g| g.links.iter().map(|&link| names[link].clone()).collect()).collect();
        let found = groups.groups.iter().map(|group| group.bodies.clone()).collect();
        assert_eq!(sets(found), sets(counted), "{name}");
        // The same predecessors too, by the bodies in them.
        for group in &structure.groups {
            let spatial = self::group(&groups, &names[group.links[0]]);
            let bodies = |number: &usize| match number.checked_sub(1) {
                None => "ground".to_string(),
                Some(index) => names[structure.groups[index].links[0]].clone(),
            };
            let before: BTreeSet<usize> =
                group.predecessors.iter().map(|n| if *n == 0 { 0 } else { number(&groups, &bodies(n)) }).collect();
            assert_eq!(before, spatial.predecessors.iter().copied().collect(), "{name}");
        }
    }
}

/// With bodies, teeth and a cam; the bodies have the numbers of the links.
#[test]
fn the_worked_example_of_the_paper_has_its_groups_in_their_order() {
    crate::root::at_root();
    let (_, system, groups) = open("epicyclic_cam");
    let chain = ballesta_run::adjacency::load("models/adjacency/epicyclic_cam.toml".as_ref()).expect("a chain");
    let structure = analyse(&Adjacency::new(&chain.codes(), chain.ground_link()));
    let of_matrix: Vec<(BTreeSet<String>, Vec<usize>)> = structure
        .groups
        .iter()
        .map(|group| (group.links.iter().map(|&l| chain.links[l].clone()).collect(), group.predecessors.clone()))
        .collect();
    let link = |body: &String| body.rsplit('_').next().expect("a number").to_string();
    let of_model: Vec<(BTreeSet<String>, Vec<usize>)> = groups
        .groups
        .iter()
        .map(|group| (group.bodies.iter().map(link).collect(), group.predecessors.clone()))
        .collect();
    assert_eq!(of_model, of_matrix);
    assert_eq!(groups.groups.iter().map(|group| group.driven.len()).collect::<Vec<_>>(), [1, 0, 1]);
    assert_eq!(system.report().dof, 0, "the inputs of the paper determine it");
}

/// Counting takes a slider for a hinge. The Jacobian sees that sliders keep their direction: the angle of the block
/// follows from that of the crank alone, before the yoke is placed.
#[test]
fn sliders_come_apart_further_than_counting_says() {
    crate::root::at_root();
    let (document, _, groups) = open("scotch_yoke");
    let (_, structure) = plane_chain(&document.model, &groups);
    assert_eq!(structure.groups.iter().map(|group| group.links.len()).collect::<Vec<_>>(), [3]);
    assert_eq!(groups.groups.iter().map(|group| group.bodies.len()).collect::<Vec<_>>(), [2, 1]);
    assert!(number(&groups, "block") < number(&groups, "yoke"));
}

#[test]
fn every_coordinate_equation_and_body_of_the_gallery_is_in_one_group() {
    crate::root::at_root();
    let entries = std::fs::read_dir("models").expect("the gallery").map(|entry| entry.expect("readable").path());
    let mut models = 0;
    for folder in entries.filter(|path| path.join("model.toml").is_file()) {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let (_, system, groups) = open(&name);
        let report = system.report();
        let sum = |count: &dyn Fn(&SpatialGroup) -> usize| groups.groups.iter().map(count).sum::<usize>();
        assert_eq!(sum(&|g| g.unknowns.len() + g.given()), report.coordinates, "{name}");
        assert_eq!(sum(&|g| g.unknowns.len()), report.constraints - report.redundant, "{name}");
        let idle: usize = groups.idle.iter().map(|(_, equations)| equations).sum();
        assert_eq!(sum(&|g| g.equations) + idle, report.constraints, "{name}");
        let redundant = sum(&|g| g.redundant.iter().map(|(_, equations)| equations).sum());
        assert_eq!(redundant + idle, report.redundant, "{name}");
        assert_eq!(sum(&|g| g.systems.iter().sum()), sum(&|g| g.unknowns.len()), "{name}");
        for (index, group) in groups.groups.iter().enumerate() {
            assert!(group.predecessors.iter().all(|&number| number <= index), "{name}: in order");
            assert!(!group.bodies.is_empty(), "{name}");
            assert_eq!(group.counted(), group.given() as isize - group.surplus() as isize);
        }
        models += 1;
    }
    assert!(models > 40);
}

/// Six revolutes in one loop: counting gives mobility 0, the linkage moves.
#[test]
fn the_rank_and_not_the_count_decides_in_bricards_loop() {
    crate::root::at_root();
    let (_, _, groups) = open("bricard");
    let driven = groups.groups.iter().map(SpatialGroup::given).sum::<usize>();
    assert_eq!(driven, 1);
    let last = groups.groups.last().expect("groups");
    assert_eq!(last.redundant.iter().map(|(_, equations)| equations).sum::<usize>(), 1);
    assert_eq!(last.counted(), last.given() as isize - 1);
    assert_eq!((groups.groups.len(), last.unknowns.len(), last.rank_at_start), (1, 4, 4));
}

/// Which coordinate is given is the solver's choice, and the groups follow from it: the crank first, or one group.
#[test]
fn a_four_bar_linkage_in_an_oblique_plane_is_one_in_the_plane_with_three_redundant_equations() {
    crate::root::at_root();
    for name in ["four_bar", "four_bar_3d"] {
        let (_, _, groups) = open(name);
        let last = groups.groups.last().expect("groups");
        assert_eq!((last.unknowns.len(), last.surplus(), last.redundant.len()), (2, 3, 1), "{name}");
        assert_eq!(last.counted(), last.given() as isize - 3);
        assert_eq!(last.systems, [2]);
        assert_eq!(groups.groups.iter().map(SpatialGroup::given).sum::<usize>(), 1);
        assert_eq!(groups.groups.iter().map(|group| group.bodies.len()).sum::<usize>(), 3);
    }
}

#[test]
fn a_redundant_rod_is_named_and_leaves_the_mobility() {
    crate::root::at_root();
    let (_, _, groups) = open("parallelogram_redundant_rod");
    assert_eq!(groups.groups.iter().map(SpatialGroup::given).sum::<usize>(), 1);
    assert!(groups.groups.iter().any(|group| !group.redundant.is_empty()));
}

/// Every corner of the van is small: what is solved together has at most four unknowns, and wheels follow their hubs.
#[test]
fn the_van_is_solved_corner_by_corner() {
    crate::root::at_root();
    let (_, _, groups) = open("van");
    assert_eq!(groups.groups.len(), 12);
    assert!(groups.groups.iter().flat_map(|group| &group.systems).all(|&unknowns| unknowns <= 4));
    let chassis = number(&groups, "chassis");
    assert_eq!(group(&groups, "chassis").given(), 6);
    for side in ["left", "right"] {
        let name = |body: &str| format!("axle1.{side}.{body}");
        let corner = group(&groups, &name("knuckle"));
        let expected: BTreeSet<String> = ["upper_arm", "knuckle", "tie_rod"].into_iter().map(name).collect();
        assert_eq!(corner.bodies.iter().cloned().collect::<BTreeSet<_>>(), expected);
        let before = [chassis, number(&groups, "rack"), number(&groups, &name("lower_arm"))];
        assert_eq!(corner.predecessors, before);
        assert_eq!(group(&groups, &name("wheel")).predecessors, [number(&groups, &name("knuckle"))]);
        assert_eq!(group(&groups, &format!("axle2.{side}.wheel")).predecessors, [number(&groups, "axle2.axle")]);
    }
    assert!(group(&groups, "rack").driven[0].guided);
    let degrees: usize = groups.groups.iter().map(SpatialGroup::given).sum();
    assert_eq!(degrees, 17 + 1);
}

/// The steering of the truck is a chain: pitman arm and axle, drag link with the left knuckle, tie rod with the right
/// one.
#[test]
fn the_truck_is_solved_axle_by_axle_and_its_steering_from_left_to_right() {
    crate::root::at_root();
    let (_, _, groups) = open("truck");
    assert_eq!(groups.groups.len(), 23);
    let at = |body: &str| number(&groups, body);
    let before = |body: &str| group(&groups, body).predecessors.clone();
    assert_eq!(before("axle1.left.knuckle"), [at("axle1.pitman"), at("axle1.beam")]);
    assert_eq!(at("axle1.drag_link"), at("axle1.left.knuckle"));
    assert_eq!(before("axle1.right.knuckle"), [at("axle1.beam"), at("axle1.left.knuckle")]);
    assert_eq!(at("axle1.tie_rod"), at("axle1.right.knuckle"));
    for (axle, on) in [("axle2", "frame"), ("axle3", "trailer"), ("axle4", "trailer"), ("axle5", "trailer")] {
        let beam = group(&groups, &format!("{axle}.beam"));
        assert_eq!((beam.unknowns.len(), beam.given(), beam.predecessors.clone()), (4, 2, vec![at(on)]), "{axle}");
    }
    assert!(groups.groups.iter().flat_map(|group| &group.systems).all(|&unknowns| unknowns <= 4));
}

#[test]
fn a_loop_of_welds_is_one_body_with_six_redundant_equations() {
    crate::root::at_root();
    let (_, _, groups) = open("welded_frame");
    let [frame] = &groups.groups[..] else { panic!("{groups:?}") };
    assert_eq!((frame.bodies.len(), frame.given(), frame.surplus(), frame.counted()), (4, 2, 6, -4));
}

#[test]
fn equations_between_bodies_that_cannot_move_stand_idle() {
    crate::root::at_root();
    let body =
        |name: &str| format!("[[body]]\nname = \"{name}\"\nmass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1, 0, 0, 0]\n");
    let joint = |name: &str, kind: &str, first: &str, second: &str| {
        format!(
            "[[joint]]\nname = \"{name}\"\ntype = \"{kind}\"\nbodies = [\"{first}\", \"{second}\"]\npoint = [0, 0, 0]\n"
        )
    };
    let mut text = "[model]\nname = \"bench\"\nstep = 1e-3\n[experiment]\nstop = 1\n".to_string();
    text += &["left", "right", "wheel"].map(body).concat();
    text += &joint("a", "fixed", "ground", "left");
    text += &joint("b", "fixed", "ground", "right");
    text += &joint("c", "fixed", "left", "right");
    text += &(joint("d", "revolute", "left", "wheel") + "axis = [0, 0, 1]\n");
    let document = model::parse(&text, "bench.toml").unwrap_or_else(|errors| panic!("{errors}"));
    let system = compile::compile(&document, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let groups = structural_groups(&system);
    assert_eq!(groups.idle.iter().map(|(_, equations)| equations).sum::<usize>(), 6);
    let [wheel] = &groups.groups[..] else { panic!("{groups:?}") };
    assert_eq!(
        (wheel.bodies.clone(), wheel.given(), wheel.predecessors.clone()),
        (vec!["wheel".to_string()], 1, vec![0])
    );
}

/// A joint held where it is.
fn held(joint: &str) -> Guided {
    let zero = || Number::Value(0.0);
    let motion = Motion { offset: zero(), speed: zero(), amplitude: zero(), frequency: zero(), phase: zero() };
    Guided {
        name: format!("held_{joint}"),
        joint: joint.into(),
        coordinate: None,
        motion: Some(motion),
        spin_up: None,
        table: None,
        input: None,
        filter_frequency: None,
        inputs: None,
        gain: None,
    }
}

/// What the groups determine is what the blocks of the solver have as dependent, no more and no less.
fn assert_agreement(what: &str, system: &System) {
    let (groups, report) = (structural_groups(system), system.report());
    let unknowns: BTreeSet<&String> = groups.groups.iter().flat_map(|group| &group.unknowns).collect();
    let dependent: BTreeSet<&String> = report.blocks.iter().flat_map(|block| &block.dependent).collect();
    assert_eq!(unknowns, dependent, "{what}: unknowns of the groups beside the dependent coordinates of the blocks");
    let in_groups = groups.groups.iter().flat_map(|group| &group.redundant).map(|(_, equations)| equations);
    let redundant: usize = in_groups.sum::<usize>() + groups.idle.iter().map(|(_, equations)| equations).sum::<usize>();
    assert_eq!(redundant, report.redundant, "{what}: redundant equations");
}

#[test]
fn groups_and_blocks_count_the_same_rank_whatever_joints_are_guided() {
    crate::root::at_root();
    let mut compared = 0;
    for entry in std::fs::read_dir("models").unwrap() {
        let path = entry.unwrap().path();
        if !path.join("model.toml").is_file() {
            continue;
        }
        let mut document = model::load(&path).unwrap_or_else(|errors| panic!("{errors}"));
        let joints: Vec<String> = (document.model.joints.iter())
            .filter(|joint| matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic))
            .filter(|joint| document.model.guided.iter().all(|guided| guided.joint != joint.name))
            .map(|joint| joint.name.clone())
            .collect();
        // Every joint alone in small mechanisms, then pairs; a sample of the joints of vehicles.
        let stride = joints.len().div_ceil(8).max(1);
        let alone = joints.iter().step_by(stride).map(|joint| vec![joint]);
        let pairs = joints.iter().zip(joints.iter().skip(2)).step_by(stride).map(|(a, b)| vec![a, b]);
        for chosen in alone.chain(pairs) {
            let before = document.model.guided.len();
            document.model.guided.extend(chosen.iter().map(|joint| held(joint)));
            // What cannot be closed or has no joint left to cut is refused; in a singular position the rank is a matter
            // of the last digits.
            let compiled = compile::compile(&document, &document.model.parameter_values());
            let regular =
                |system: &System| !system.report().notes.iter().any(|note| note.contains("singular position"));
            if let Some(system) = compiled.ok().filter(regular) {
                assert_agreement(&format!("{} with {chosen:?} guided", path.display()), &system);
                compared += 1;
            }
            document.model.guided.truncate(before);
        }
    }
    println!("{compared} choices");
    assert!(compared > 150);
}
