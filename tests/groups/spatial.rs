//! Groups of models, from their Jacobians.

use ballesta::dynamics::groups::structural_groups;
use ballesta::model::schema::{JointKind, Model};
use ballesta::model::{self, Document};
use ballesta::system::System;
use ballesta::system::groups::{SpatialGroup, SpatialGroups};
use ballesta::topology::groups::{Adjacency, Structure, analyse};
use std::collections::BTreeSet;
use std::path::Path;

fn open(name: &str) -> (Document, System, SpatialGroups) {
    let document = model::load(&Path::new("models").join(name)).unwrap_or_else(|errors| panic!("{errors}"));
    let system = System::compile(&document, &document.model.parameter_values()).unwrap_or_else(|errors| panic!("{errors}"));
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

/// The plane chain of a model of revolute and prismatic joints, rods, couplers and slots. Joints that the solver takes as given
/// have an input.
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

/// The Jacobian finds what the paper's counting finds, although the models are written in space with redundant equations.
#[test]
fn plane_mechanisms_of_the_gallery_have_the_groups_of_the_papers_method() {
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
        "scotch_yoke",
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
        let counted = structure.groups.iter().map(|g| g.links.iter().map(|&link| names[link].clone()).collect()).collect();
        let found = groups.groups.iter().map(|group| group.bodies.clone()).collect();
        assert_eq!(sets(found), sets(counted), "{name}");
        // The same predecessors too, by the bodies in them.
        for group in &structure.groups {
            let spatial = group_of(&groups, &names[group.links[0]]);
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

fn group_of<'a>(groups: &'a SpatialGroups, body: &str) -> &'a SpatialGroup {
    group(groups, body)
}

#[test]
fn every_coordinate_equation_and_body_of_the_gallery_is_in_one_group() {
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
    let (_, _, groups) = open("bricard");
    let driven = groups.groups.iter().map(SpatialGroup::given).sum::<usize>();
    assert_eq!(driven, 1);
    let last = groups.groups.last().expect("groups");
    assert_eq!(last.redundant.iter().map(|(_, equations)| equations).sum::<usize>(), 1);
    assert_eq!(last.counted(), last.given() as isize - 1);
    assert!(last.unknowns.len() == 4 || last.unknowns.len() == 5, "{last:?}");
}

#[test]
fn a_four_bar_linkage_in_an_oblique_plane_is_one_in_the_plane_with_three_redundant_equations() {
    let (_, _, groups) = open("four_bar_3d");
    assert_eq!(groups.groups.len(), 2);
    let (crank, dyad) = (&groups.groups[0], &groups.groups[1]);
    assert_eq!((crank.given(), crank.equations, crank.predecessors.clone()), (1, 0, vec![0]));
    assert_eq!((dyad.bodies.len(), dyad.unknowns.len(), dyad.surplus(), dyad.counted()), (2, 2, 3, -3));
    assert_eq!(dyad.predecessors, [0, 1]);
}

#[test]
fn a_redundant_rod_is_named_and_leaves_the_mobility() {
    let (_, _, groups) = open("parallelogram_redundant_rod");
    assert_eq!(groups.groups.iter().map(SpatialGroup::given).sum::<usize>(), 1);
    assert!(groups.groups.iter().any(|group| !group.redundant.is_empty()));
}

#[test]
fn loops_of_welds_stand_idle() {
    let (_, _, groups) = open("welded_frame");
    assert!(groups.groups.iter().all(|group| group.surplus() == 0) && !groups.idle.is_empty() || {
        groups.groups.iter().map(SpatialGroup::surplus).sum::<usize>() == 6
    });
}
