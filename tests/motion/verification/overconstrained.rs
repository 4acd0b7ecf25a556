//! Overconstrained loops run as they are written, and the report says how many equations are redundant, and where.

use crate::check::larger;
use crate::verification::support::{Run, compile, load};
use crate::verification::verification_page::figure;
use ballesta::model::schema::{Joint, JointKind, Model};
use ballesta::system::System;

fn expect(system: &System, name: &str, dof: usize, redundant: usize) {
    let report = system.report();
    println!(
        "{name}: {} degrees of freedom, {} equations, {} of them redundant, cuts {:?}, redundancy {:?}",
        report.dof,
        report.constraints,
        report.redundant,
        report.cuts,
        report.blocks.iter().flat_map(|b| &b.redundant).collect::<Vec<_>>()
    );
    assert_eq!((report.dof, report.redundant), (dof, redundant), "{name}: degrees of freedom, redundant equations");
    let listed: usize = report.blocks.iter().flat_map(|b| &b.redundant).map(|r| r.equations).sum();
    assert_eq!(listed, redundant, "{name}: the blocks list what the total counts");
    for redundancy in report.blocks.iter().flat_map(|b| &b.redundant) {
        assert!(
            !redundancy.joints.is_empty(),
            "{name}: the redundant equations of {} name no joint",
            redundancy.constraint
        );
    }
}

#[test]
fn overconstrained_loops_have_the_mobility_they_really_have() {
    // (model, degrees of freedom, redundant equations by Grübler's count in space: dof − (joint freedoms − equations))
    for (name, dof, redundant) in [
        ("bricard", 1, 1),
        ("four_bar_3d", 1, 3),
        ("four_bar", 1, 3),
        ("four_bar_windows_2", 1, 6),
        ("four_bar_windows_10", 1, 30),
        ("parallelogram_redundant_rod", 1, 4),
        ("two_rods_redundant", 1, 1),
        ("watt_six_bar", 1, 6),
        ("scotch_yoke", 1, 3),
        ("cam_slot", 1, 1),
        ("andrews", 1, 9),
        ("welded_frame", 2, 6),
        ("slider_crank", 1, 0),
        ("rccc_linkage", 1, 0),
        ("cardan_shaft", 1, 0),
        ("swash_plate", 3, 0),
        ("table_glider", 3, 0),
        ("five_link_suspension", 1, 0),
    ] {
        expect(&compile(&load(name)), name, dof, redundant);
    }
}

/// Every joint of a loop in turn as the cut: the motion is the same.
#[test]
fn the_motion_does_not_depend_on_the_cut() {
    for (name, output, end) in [
        ("bricard", "V3", 2.0),
        ("four_bar_3d", "C", 1.0),
        ("slider_crank", "rod", 1.0),
        ("rccc_linkage", "B", 1.0),
        ("cardan_shaft", "inner_tube.angular_velocity", 1.0),
        ("welded_frame", "bottom", 1.0),
    ] {
        let model = load(name);
        let wanted = output_alone(&model, output, None, end).expect("the model as it is written");
        let (mut cuts, mut largest) = (0, 0.0);
        for joint in 0..model.joints.len() {
            let Some(found) = output_alone(&model, output, Some(joint), end) else { continue };
            cuts += 1;
            let difference = (found - wanted).norm();
            println!("{name} cut at {}: {output} differs by {difference:.1e} after {end} s", model.joints[joint].name);
            assert!(difference <= 1e-8, "{name} cut at {}", model.joints[joint].name);
            largest = larger(largest, difference);
        }
        assert!(cuts >= 2, "{name}: only {cuts} of its joints could be cut");
        let is_row = |cells: &[&str]| cells.len() == 3 && cells[0] == name;
        figure("Overconstrained loops", is_row, 1, &cuts.to_string());
        figure("Overconstrained loops", is_row, 2, &format!("{largest:.1e} after {end} s"));
    }
}

/// The vector output after `end` seconds, with joint `cut` (or what the file says) as the cut. Nothing when the joint
/// cannot be the cut, because something needs its coordinate or it is in no loop.
fn output_alone(model: &Model, output: &str, cut: Option<usize>, end: f64) -> Option<ballesta::math::Vec3> {
    let mut model = model.clone();
    model.outputs.retain(|o| o.name == output);
    if let Some(cut) = cut {
        for joint in &mut model.joints {
            joint.cut = None;
        }
        model.joints[cut].cut = Some(true);
        let joint = &model.joints[cut];
        let requested = joint.position.is_some() || joint.position_deg.is_some() || joint.speed.is_some();
        let used = model.drives.iter().map(|d| &d.joint).chain(model.joint_springs.iter().map(|s| &s.joint));
        let used = used.chain(model.frictions.iter().map(|f| &f.joint)).any(|name| *name == joint.name);
        if requested || used {
            return None;
        }
    }
    let mut run = Run::new(&model);
    if let Some(cut) = cut {
        let report = run.simulator().system().report();
        if !report.cuts.contains(&model.joints[cut].name) {
            return None;
        }
    }
    run.advance(end);
    Some(run.vector(output))
}

#[test]
fn a_floating_joint_that_closes_a_loop_changes_nothing() {
    let model = load("four_bar_3d");
    let mut with = model.clone();
    let joint = |bodies: [&str; 2]| Joint {
        cut: Some(true),
        ..Joint::new("nothing", JointKind::Floating, bodies.map(str::to_owned))
    };
    with.joints.push(joint(["crank", "rocker"]));
    let (mut a, mut b) = (Run::new(&model), Run::new(&with));
    a.advance(1.0);
    b.advance(1.0);
    let difference = (a.vector("C") - b.vector("C")).norm();
    println!("four_bar_3d with a floating joint between crank and rocker: C differs by {difference:.1e} m after 1 s");
    assert!(difference <= 1e-10);
}
