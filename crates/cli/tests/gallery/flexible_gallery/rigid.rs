//! Very stiff flexible bodies are rigid ones; a beam cut in two is the same beam.

use crate::check::larger;
use crate::flexible_gallery::support::{
    MOVING, Run, distance, interface_outputs, interfaces, load, load_with, rigid_twin, with_step,
};
use ballesta::math::{Mat3, Vec3};
use ballesta::model::Document;
use ballesta::model::schema::{Deformation, Integrator};
use std::process::Command;

/// Stiffness is multiplied by this.
const STIFFER: f64 = 1e6;

/// The model with its flexible bodies made stiffer: K and what is recovered by it; the frequencies grow by the square
/// root, so the damping matrix keeps the ratios. Geometric stiffness per unit load stays.
fn stiffened(document: &Document) -> Document {
    let mut document = document.clone();
    for rom in &mut document.roms {
        rom.matrices.stiffness.iter_mut().for_each(|k| *k *= STIFFER);
        rom.matrices.damping.iter_mut().for_each(|c| *c *= STIFFER.sqrt());
        for section in &mut rom.sections {
            section.displacement.iter_mut().flatten().for_each(|entry| *entry *= STIFFER);
        }
    }
    document.model.flexible_bodies.iter_mut().for_each(|body| body.deformation = Deformation::Static);
    document
}

#[test]
fn a_million_times_stiffer_every_model_moves_as_its_rigid_twin() {
    crate::root::at_root();
    // The last three hardly bend in a second.
    for name in MOVING.into_iter().chain(["spinup_beam", "rotating_cantilever", "free_body_in_forces"]) {
        let mut document = load_with(name, &interface_outputs(&load(name)));
        document.model.general.integrator = Integrator::GeneralizedAlpha;
        let names = interfaces(&document);
        let (stiff, twin) = (stiffened(&document), rigid_twin(&document));
        let mut run = Run::new(&stiff);
        let places: Vec<Vec3> = names.iter().map(|name| run.vector(&format!("at.{name}"))).collect();
        let size = places.iter().flat_map(|a| places.iter().map(move |b| (a - b).norm())).fold(0.25, larger);
        run.advance(1.0);
        let moved =
            names.iter().zip(&places).map(|(n, at)| (run.vector(&format!("at.{n}")) - at).norm()).fold(0.0, larger);
        let apart = distance(&stiff, &twin, &names, 1.0, &Mat3::identity(), &Vec3::zeros());
        let soft = distance(&document, &twin, &names, 1.0, &Mat3::identity(), &Vec3::zeros());
        println!("{name}: {apart:.1e} m of {size:.2} m, flexible {soft:.1e} m, moved by {moved:.1e} m");
        assert!(apart <= 1e-5 * size, "{name}: {apart:e} m of {size} m");
        assert!(soft > 3.0 * apart || !MOVING.contains(&name), "{name}: it is flexible");
    }
}

#[test]
fn stiffer_models_approach_the_rigid_twin_in_proportion() {
    crate::root::at_root();
    // Ten times stiffer, a tenth of the difference.
    let document = load_with("serial_arm", &interface_outputs(&load("serial_arm")));
    let twin = rigid_twin(&document);
    let names = interfaces(&document);
    let apart = [1e3, 1e4].map(|factor: f64| {
        let mut stiff = document.clone();
        for rom in &mut stiff.roms {
            rom.matrices.stiffness.iter_mut().for_each(|k| *k *= factor);
            rom.matrices.damping.iter_mut().for_each(|c| *c *= factor.sqrt());
        }
        distance(&stiff, &with_step(twin.clone(), 1e-3), &names, 1.0, &Mat3::identity(), &Vec3::zeros())
    });
    println!("1e3 and 1e4 times stiffer: {apart:?} m");
    // What is of higher order in the compliance: 0.2 % of the first at a thousand times.
    assert!((apart[0] / apart[1] / 10.0 - 1.0).abs() < 0.005, "{apart:?}");
}

const CLAMPED: &str = r#"
    [model]
    name = "clamped"
    integrator = "generalized_alpha"
    resolution = 1e9
"#;

/// A flexible body and a fixed joint that holds its root.
fn link(name: &str, rom: &str, x: f64, to: &str) -> String {
    format!(
        r#"
        [[flexible_body]]
        name = "{name}"
        rom = "{rom}"
        position = [{x}, 0, 0]

        [[joint]]
        name = "{name}"
        type = "fixed"
        bodies = ["{to}", "{name}.root"]
        "#
    )
}

fn ballesta(arguments: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_ballesta")).args(arguments).output().expect("the program runs");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("text")
}

fn frequencies(folder: &std::path::Path, text: &str) -> Vec<f64> {
    std::fs::write(folder.join("model.toml"), text).expect("writable");
    let found = ballesta(&["modes", "--json", &folder.to_string_lossy()]);
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    let all = found["frequencies_hz"].as_array().expect("frequencies").iter();
    all.map(|f| f.as_f64().expect("a number")).filter(|f| *f > 1e-3).collect()
}

#[test]
fn two_halves_joined_by_a_fixed_joint_have_the_frequencies_of_the_beam() {
    crate::root::at_root();
    let folder = tempfile::tempdir().expect("a folder");
    let half = std::fs::read_to_string("models/structures/arm_link/structure.toml").expect("the structure");
    let whole = half.replace("tip = [1, 0, 0]", "tip = [2, 0, 0]").replace("divisions = 20", "divisions = 40");
    let whole = whole.replace("modes = 4", "modes = 8");
    for (name, text) in [("half", half), ("whole", whole)] {
        let structure = folder.path().join(format!("{name}.toml"));
        std::fs::write(&structure, text).expect("writable");
        let rom = folder.path().join(format!("{name}.rom.toml"));
        ballesta(&["reduce", "--no-comparison", "-o", &rom.to_string_lossy(), &structure.to_string_lossy()]);
    }
    let one = frequencies(folder.path(), &[CLAMPED, &link("beam", "whole.rom.toml", 0.0, "ground")].concat());
    let parts =
        [CLAMPED, &link("inner", "half.rom.toml", 0.0, "ground"), &link("outer", "half.rom.toml", 1.0, "inner.tip")];
    let two = frequencies(folder.path(), &parts.concat());
    // Clamped and free: (β L)² √(E I / ρ A) / 2π L²; every frequency twice, for both planes.
    let (outer, inner) = (0.04f64, 0.036f64);
    let radius = (outer * outer + inner * inner).sqrt() / 4.0;
    let speed = (70e9f64 / 2700.0).sqrt();
    for (k, root) in [1.875_104_068_7f64, 4.694_091_133, 7.854_757_438].into_iter().enumerate() {
        let exact = root * root * speed * radius / (4.0 * std::f64::consts::TAU);
        let (a, b) = (one[2 * k], two[2 * k]);
        println!("f{}: exact {exact:.4}, one piece {a:.4}, two pieces {b:.4} Hz ({:.1e})", k + 1, b / a - 1.0);
        assert!((b / a - 1.0).abs() < 5e-3 && (a / exact - 1.0).abs() < 5e-3);
    }
}
