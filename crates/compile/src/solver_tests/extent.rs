//! Warnings about small bodies far from the start of their branch.

use crate::compile;
use ballesta_model as model;

/// Warnings for a body of `size` m and 1 kg at the end of an arm of 100 m; `more`: further keys of its joint, and
/// tables.
fn warnings(size: f64, more: &str) -> Vec<String> {
    let second = 0.1 * size * size;
    let text = format!(
        "[model]\nname = \"far\"\nstep = 1e-4\n[[body]]\nname = \"arm\"\nmass = 1\ncom = [50, 0, 0]\n\
        inertia = [1, 800, 800, 0, 0, 0]\n[[body]]\nname = \"tip\"\nmass = 1\ncom = [100, {size:e}, 0]\n\
        inertia = [{second:e}, {second:e}, {second:e}, 0, 0, 0]\n[[joint]]\nname = \"root\"\ntype = \"revolute\"\n\
        bodies = [\"ground\", \"arm\"]\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n[[joint]]\nname = \"end\"\n\
        type = \"revolute\"\nbodies = [\"arm\", \"tip\"]\npoint = [100, 0, 0]\naxis = [0, 0.6, 0.8]\n{more}"
    );
    let document = model::parse(&text, "model.toml").expect("a model");
    compile(&document, &[]).expect("it compiles").report().warnings.clone()
}

#[test]
fn a_small_body_far_from_where_its_branch_begins_is_told_with_the_digits_that_are_left() {
    let told = warnings(1e-3, "");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("body `tip`: only about 5 of 16 digits"), "{told:?}");
    assert!(told[0].contains("at joint `end`"), "{told:?}");
    assert!(warnings(0.1, "").is_empty());
}

#[test]
fn a_branch_of_its_own_keeps_the_digits_of_a_small_body() {
    let free = "cut = true\n[[joint]]\nname = \"free\"\ntype = \"floating\"\nbodies = [\"ground\", \"tip\"]\n";
    assert_eq!(warnings(1e-3, free), Vec::<String>::new());
}
