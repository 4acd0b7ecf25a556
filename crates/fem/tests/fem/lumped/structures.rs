//! Whole structures as rigid bodies: tapered, curved and branched beams, closed frames, against closed forms, a
//! Rayleigh-Ritz solution, finite elements and the multibody solver.

use super::near;
use ballesta::analysis::modal;
use ballesta::compile;
use ballesta::model;
use ballesta::simulate::Simulator;
use ballesta_fem::lumped::small_motions::{highest_frequency_hz, static_work};
use ballesta_fem::lumped::{ElementJoint, LumpedStructure, StructureModelOptions};
use ballesta_fem::model::FiniteElementModel;
use ballesta_fem::natural::natural_modes;
use ballesta_fem::structure;
use nalgebra::{DMatrix, SymmetricEigen};
use std::f64::consts::{PI, TAU};
use std::fmt::Write;
use std::sync::Arc;

const E: f64 = 210e9;
const G: f64 = E / 2.6;
const DENSITY: f64 = 7850.0;

/// A structure with a round bar of 30 mm as section "bar"; `rest` has nodes first.
fn text(dimension: u32, rest: &str) -> String {
    format!(
        "[structure]\nname = \"test\"\ndimension = {dimension}\n{rest}\n[[material]]\nname = \"steel\"\n\
         youngs_modulus = {E:?}\ndensity = {DENSITY:?}\n[[section]]\nname = \"bar\"\nshape = \"tube\"\n\
         outer_diameter = 0.03\nthickness = \
         0.015\n"
    )
}

fn beam(name: &str, from: &str, to: &str) -> String {
    format!("[[beam]]\nname = \"{name}\"\nnodes = [\"{from}\", \"{to}\"]\nmaterial = \"steel\"\nsection = \"bar\"\n")
}

fn clamp(node: &str, dimension: u32) -> String {
    let fixed = if dimension == 2 { "\"x\", \"y\", \"rz\"" } else { "\"x\", \"y\", \"z\", \"rx\", \"ry\", \"rz\"" };
    format!("[[support]]\nnode = \"{node}\"\nfixed = [{fixed}]\n")
}

fn load(name: &str, node: &str, force: [f64; 3]) -> String {
    format!("[[load]]\nname = \"{name}\"\nnode = \"{node}\"\nforce = {force:?}\n")
}

/// EI and GJ of the bar, N·m².
fn bar() -> (f64, f64) {
    let second_moment = PI / 64.0 * 0.03_f64.powi(4);
    (E * second_moment, 2.0 * G * second_moment)
}

fn lumped(text: &str, joint: ElementJoint, elements: usize) -> LumpedStructure {
    let structure = structure::parse(text, "structure.toml").unwrap_or_else(|e| panic!("{e}"));
    LumpedStructure::new(&structure, joint, elements).unwrap_or_else(|e| panic!("{e}"))
}

fn small(lumped: &LumpedStructure) -> FiniteElementModel {
    lumped.small_motions().unwrap_or_else(|joint| panic!("{} is redundant", joint.name))
}

fn work(model: &FiniteElementModel, case: &str) -> f64 {
    let case = model.loads.iter().find(|found| found.name == case).expect("the load");
    static_work(model, case).expect("held")
}

fn hertz(model: &FiniteElementModel, count: usize) -> Vec<f64> {
    natural_modes(model, true, count).expect("modes").frequencies_hz
}

/// The order that the errors of two divisions show, of which the second is twice as fine.
fn order(coarse: f64, fine: f64, exact: f64) -> f64 {
    ((coarse - exact) / (fine - exact)).abs().log2()
}

/// A wedge of 1 m × 40 mm, from 60 to 30 mm high, bending about its weak axis in the plane.
fn wedge() -> String {
    let section = |name: &str, height: f64| {
        format!("[[section]]\nname = \"{name}\"\nshape = \"rectangle\"\nwidth = 0.04\nheight = {height:?}\n")
    };
    let beam = beam("wedge", "root", "tip").replace("\"bar\"", "\"root\"\nend_section = \"tip\"");
    let loads = clamp("root", 2) + &load("tip", "tip", [0.0, 1.0, 0.0]);
    text(2, &("[nodes]\nroot = [0, 0]\ntip = [1, 0]\n".to_string() + &beam + &loads))
        + &section("root", 0.06)
        + &section("tip", 0.03)
}

/// ∫₀¹ f dx by Simpson's rule.
fn integral(f: impl Fn(f64) -> f64) -> f64 {
    let n = 2000;
    let weight = |i: usize| if i == 0 || i == n { 1.0 } else { (2 * (1 + i % 2)) as f64 };
    (0..=n).map(|i| weight(i) * f(i as f64 / n as f64)).sum::<f64>() / (3 * n) as f64
}

/// Tip compliance and first frequency of the wedge: unit-load theorem, and Rayleigh-Ritz with x² … x⁹.
fn wedge_exact() -> (f64, f64) {
    let height = |x: f64| 0.06 - 0.03 * x;
    let (area, second) = (|x: f64| 0.04 * height(x), |x: f64| 0.04 * height(x).powi(3) / 12.0);
    let compliance = integral(|x| (1.0 - x).powi(2) / (E * second(x)));
    let shape = |k: usize, derivative: i32, x: f64| {
        let p = k as i32 + 2;
        match derivative {
            0 => x.powi(p),
            1 => f64::from(p) * x.powi(p - 1),
            _ => f64::from(p * (p - 1)) * x.powi(p - 2),
        }
    };
    let size = 8;
    let matrix = |f: &dyn Fn(usize, usize, f64) -> f64| DMatrix::from_fn(size, size, |i, j| integral(|x| f(i, j, x)));
    let k = matrix(&|i, j, x| E * second(x) * shape(i, 2, x) * shape(j, 2, x));
    let m = matrix(&|i, j, x| {
        DENSITY * (area(x) * shape(i, 0, x) * shape(j, 0, x) + second(x) * shape(i, 1, x) * shape(j, 1, x))
    });
    let inverse = m.cholesky().expect("definite").l().try_inverse().expect("regular");
    let squares = SymmetricEigen::new(&inverse * k * inverse.transpose()).eigenvalues;
    (compliance, squares.min().sqrt() / TAU)
}

#[test]
fn a_tapered_cantilever_converges_at_second_order() {
    crate::root::at_root();
    let (compliance, first) = wedge_exact();
    let found = [16, 32, 64].map(|n| {
        let model = small(&lumped(&wedge(), ElementJoint::Revolute, n));
        (work(&model, "tip"), hertz(&model, 1)[0])
    });
    for (name, exact, values) in
        [("compliance", compliance, found.map(|f| f.0)), ("frequency", first, found.map(|f| f.1))]
    {
        let [a, b, c] = values;
        let orders = [order(a, b, exact), order(b, c, exact)];
        println!("wedge, {name}: exact {exact:.9e}, errors {:?}, orders {orders:?}", values.map(|v| v / exact - 1.0));
        near(orders[0], 2.0, 0.1);
        near(orders[1], 2.0, 0.05);
        near(c / exact, 1.0, 2e-3);
    }
    // The finite elements with the section in the middle of each: the same order.
    let elements = [16, 32].map(|n| work(&lumped(&wedge(), ElementJoint::Revolute, n).finite_elements, "tip"));
    near(order(elements[0], elements[1], compliance), 2.0, 0.1);
}

/// Rows of the table of docs/lumped-beams.md: relative errors with 8, 16 and 32 elements, order of the last two.
pub fn table() -> String {
    let (compliance, first) = wedge_exact();
    let (bending, torsion) = bar();
    let (p, q, cube) = (PI / 4.0, 3.0 * PI / 4.0 - 2.0, 0.8_f64.powi(3));
    let k = 0.9 / 1.2;
    let sway = 0.9_f64.powi(3) / (12.0 * bending) * (2.0 + 3.0 * k) / (1.0 + 6.0 * k);
    let across = (0.6_f64.powi(3) + 1.0) / (3.0 * bending) + 0.36 / torsion;
    let portal_first = hertz(&lumped(&portal(2), ElementJoint::Planar, 32).finite_elements, 1)[0];
    let branch_first = hertz(&lumped(&branch(3), ElementJoint::Bushing, 32).finite_elements, 1)[0];
    use ElementJoint::{Bushing, Planar, Revolute, Spherical};
    let of = |text: String, joint: ElementJoint, case: &'static str| {
        move |n: usize| match case {
            "" => hertz(&small(&lumped(&text, joint, n)), 1)[0],
            case => work(&small(&lumped(&text, joint, n)), case),
        }
    };
    let of_arc = |case: &'static str| move |n: usize| work(&small(&lumped(&arc(n, 3), Spherical, 1)), case);
    type Measured = Box<dyn Fn(usize) -> f64>;
    let rows: [(&str, &str, f64, Measured); 9] = [
        ("tapered cantilever, 60 to 30 mm high", "tip deflection", compliance, Box::new(of(wedge(), Revolute, "tip"))),
        ("", "f₁", first, Box::new(of(wedge(), Revolute, ""))),
        ("quarter circle, n segments", "in its plane, along the root", cube * p / bending, Box::new(of_arc("x"))),
        ("", "in its plane, across the root", cube * q / bending, Box::new(of_arc("y"))),
        ("", "across its plane", cube * (p / bending + q / torsion), Box::new(of_arc("z"))),
        ("T branch in space", "across its plane", across, Box::new(of(branch(3), Spherical, "across"))),
        ("", "f₁ (`bushing`)", branch_first, Box::new(of(branch(3), Bushing, ""))),
        ("portal frame", "sway", sway, Box::new(of(portal(2), Revolute, "sway"))),
        ("", "f₁ (`planar`)", portal_first, Box::new(of(portal(2), Planar, ""))),
    ];
    let percent = |error: f64| format!("{:+.3} %", 100.0 * error);
    let row = |(structure, what, exact, measured): &(&str, &str, f64, Measured)| {
        let [a, b, c] = [8, 16, 32].map(|n| measured(n) / exact - 1.0);
        let order = (b / c).abs().log2();
        format!("| {structure} | {what} | {} | {} | {} | {order:.2} |\n", percent(a), percent(b), percent(c))
    };
    rows.iter().map(row).collect()
}

/// A quarter circle of radius 0.8 m from the origin along x, as a polygon; loads of 1 N at its end.
fn arc(segments: usize, dimension: u32) -> String {
    let mut rest = "[nodes]\n".to_string();
    for i in 0..=segments {
        let angle = 0.5 * PI * i as f64 / segments as f64;
        let _ = writeln!(rest, "p{i} = [{:?}, {:?}, 0]", 0.8 * angle.sin(), 0.8 * (1.0 - angle.cos()));
    }
    if dimension == 2 {
        rest = rest.replace(", 0]", "]");
    }
    for i in 0..segments {
        rest += &beam(&format!("b{i}"), &format!("p{i}"), &format!("p{}", i + 1));
    }
    let tip = format!("p{segments}");
    rest += &clamp("p0", dimension);
    rest += &load("x", &tip, [1.0, 0.0, 0.0]);
    rest += &load("y", &tip, [0.0, 1.0, 0.0]);
    if dimension == 3 {
        rest += &load("z", &tip, [0.0, 0.0, 1.0]);
    }
    text(dimension, &rest)
}

/// Castigliano: along x π/4 of R³/EI, along y 3π/4 − 2; out of the plane bending with the former and torsion with the
/// latter.
#[test]
fn a_quarter_circle_has_the_deflections_of_castigliano_at_second_order() {
    crate::root::at_root();
    let (bending, torsion) = bar();
    let (p, q) = (PI / 4.0, 3.0 * PI / 4.0 - 2.0);
    let cube = 0.8_f64.powi(3);
    let exact = [("x", cube * p / bending), ("y", cube * q / bending), ("z", cube * (p / bending + q / torsion))];
    for (dimension, joint) in [(2, ElementJoint::Revolute), (3, ElementJoint::Spherical)] {
        let models = [8, 16, 32].map(|n| small(&lumped(&arc(n, dimension), joint, 1)));
        for (case, exact) in &exact[..dimension as usize] {
            let [a, b, c] = [0, 1, 2].map(|i| work(&models[i], case));
            let errors = [a, b, c].map(|value| value / exact - 1.0);
            println!("arc in {dimension}D, {case}: errors {errors:?}");
            near(order(a, b, *exact), 2.0, 0.1);
            near(order(b, c, *exact), 2.0, 0.05);
            near(c / exact, 1.0, 2e-3);
        }
    }
}

/// A trunk of 1 m along x with a crossbar of ±0.6 m along y.
fn branch(dimension: u32) -> String {
    let point = |x: f64, y: f64| if dimension == 2 { format!("[{x:?}, {y:?}]") } else { format!("[{x:?}, {y:?}, 0]") };
    let mut rest = format!(
        "[nodes]\nroot = {}\nfork = {}\nleft = {}\nright = {}\n",
        point(0.0, 0.0),
        point(1.0, 0.0),
        point(1.0, 0.6),
        point(1.0, -0.6)
    );
    rest += &(beam("trunk", "root", "fork") + &beam("left", "fork", "left") + &beam("right", "fork", "right"));
    rest += &clamp("root", dimension);
    rest += &load("along", "left", [1.0, 0.0, 0.0]);
    if dimension == 3 {
        rest += &load("across", "left", [0.0, 0.0, 1.0]);
    }
    text(dimension, &rest)
}

#[test]
fn a_branch_has_its_closed_form_and_the_frequencies_of_finite_elements_at_second_order() {
    crate::root::at_root();
    let (bending, torsion) = bar();
    let (a, b) = (1.0_f64, 0.6_f64);
    let along = b.powi(3) / (3.0 * bending) + b * b * a / bending;
    let across = b.powi(3) / (3.0 * bending) + a.powi(3) / (3.0 * bending) + b * b * a / torsion;
    for (dimension, joint, case, exact) in [
        (2, ElementJoint::Revolute, "along", along),
        (3, ElementJoint::Spherical, "along", along),
        (3, ElementJoint::Spherical, "across", across),
    ] {
        let [coarse, fine] = [4, 8].map(|n| work(&small(&lumped(&branch(dimension), joint, n)), case));
        println!("branch in {dimension}D, {case}: {:e}, {:e}", coarse / exact - 1.0, fine / exact - 1.0);
        near(order(coarse, fine, exact), 2.0, 1e-6);
        near(fine / exact, 1.0, 5e-3);
    }
    frequencies_converge(&branch(2), ElementJoint::Planar);
    frequencies_converge(&branch(3), ElementJoint::Bushing);
}

/// The first three frequencies go to those of 32 finite elements per beam at second order.
fn frequencies_converge(text: &str, joint: ElementJoint) {
    let exact = hertz(&lumped(text, joint, 32).finite_elements, 3);
    let [coarse, fine] = [8, 16].map(|n| hertz(&small(&lumped(text, joint, n)), 3));
    for i in 0..3 {
        println!("f{}: exact {:.6}, {:.6}, {:.6}", i + 1, exact[i], coarse[i], fine[i]);
        near(order(coarse[i], fine[i], exact[i]), 2.0, 0.1);
        near(fine[i] / exact[i], 1.0, 5e-3);
    }
}

/// Columns of 0.9 m, clamped, with a beam of 1.2 m between their heads: a closed ring by way of the ground.
fn portal(dimension: u32) -> String {
    let point = |x: f64, y: f64| if dimension == 2 { format!("[{x:?}, {y:?}]") } else { format!("[{x:?}, {y:?}, 0]") };
    let mut rest = format!(
        "[nodes]\na = {}\nb = {}\nc = {}\nd = {}\n",
        point(0.0, 0.0),
        point(0.0, 0.9),
        point(1.2, 0.9),
        point(1.2, 0.0)
    );
    rest += &(beam("ab", "a", "b") + &beam("bc", "b", "c") + &beam("cd", "c", "d"));
    rest += &(clamp("a", dimension) + &clamp("d", dimension) + &load("sway", "b", [1.0, 0.0, 0.0]));
    text(dimension, &rest)
}

/// Slope deflection: H h³/12EI (2 + 3k)/(1 + 6k) with k = h/l for equal sections.
#[test]
fn a_portal_frame_has_its_sway_and_the_frequencies_of_finite_elements_at_second_order() {
    crate::root::at_root();
    let k = 0.9 / 1.2;
    let exact = 0.9_f64.powi(3) / (12.0 * bar().0) * (2.0 + 3.0 * k) / (1.0 + 6.0 * k);
    for (dimension, joint) in [(2, ElementJoint::Revolute), (3, ElementJoint::Spherical)] {
        let [coarse, fine] = [8, 16].map(|n| work(&small(&lumped(&portal(dimension), joint, n)), "sway"));
        println!("portal in {dimension}D: {:e}, {:e}", coarse / exact - 1.0, fine / exact - 1.0);
        near(order(coarse, fine, exact), 2.0, 0.05);
        near(fine / exact, 1.0, 5e-3);
    }
    frequencies_converge(&portal(2), ElementJoint::Planar);
    frequencies_converge(&portal(3), ElementJoint::Bushing);
}

/// A joint that frees everything has the compliance of its element, so that K is that of the finite elements.
#[test]
fn joints_that_free_everything_have_the_statics_of_finite_elements_with_any_number() {
    crate::root::at_root();
    let hinged = portal(2).replace("name = \"bc\"", "name = \"bc\"\nreleases = [[\"ry\"], []]");
    let sheared = branch(3).replace("section = \"bar\"", "section = \"bar\"\ntheory = \"timoshenko\"");
    let arms =
        branch(3).replace("name = \"left\"\nnodes", "name = \"left\"\noffsets = [[0.1, 0.05, 0], [0, 0, 0]]\nnodes");
    for (text, joint, case) in [
        (portal(2), ElementJoint::Planar, "sway"),
        (portal(3), ElementJoint::Bushing, "sway"),
        (hinged, ElementJoint::Planar, "sway"),
        (sheared, ElementJoint::Bushing, "across"),
        (arms, ElementJoint::Bushing, "across"),
        (wedge(), ElementJoint::Bushing, "tip"),
    ] {
        for n in [1, 3] {
            let lumped = lumped(&text, joint, n);
            let (found, wanted) = (work(&small(&lumped), case), work(&lumped.finite_elements, case));
            near(found / wanted, 1.0, 1e-8);
        }
    }
}

/// The text of a lumped structure, with a first frequency of its own.
fn model_text(lumped: &LumpedStructure) -> String {
    let model = small(lumped);
    lumped.model(&StructureModelOptions {
        name: "lumped".into(),
        damping_ratio: 0.0,
        gravity: [0.0; 3],
        load: None,
        first_hz: hertz(&model, 1)[0],
        highest_hz: highest_frequency_hz(&model).expect("definite"),
    })
}

/// All frequencies of the multibody model, linearised by the solver, without the rigid motions, which have 0 Hz.
fn solved(text: &str) -> Vec<f64> {
    let document = model::parse(text, "model.toml").unwrap_or_else(|e| panic!("{e}\n{text}"));
    let system = Arc::new(compile::compile(&document, &[]).unwrap_or_else(|e| panic!("{e}\n{text}")));
    let mut simulator = Simulator::new(system);
    simulator.initialize(0.0).expect("assembled");
    let modes = modal::modes(&simulator.linearize().expect("linear")).expect("modes");
    let mut all: Vec<f64> =
        modes.modes.iter().filter(|mode| mode.frequency_hz() > 0.1).map(|mode| mode.frequency_hz()).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// Structures with everything that is taken along, and the degrees of freedom that remain.
fn variety() -> Vec<(&'static str, String, ElementJoint, usize)> {
    let mass =
        "[[mass]]\nnode = \"left\"\nmass = 2\noffset = [0.05, 0.02, 0.01]\ninertia = [0.01, 0.02, 0.02, 0.001, 0, 0]\n";
    let pinned = portal(2).replacen("\"x\", \"y\", \"rz\"", "\"x\", \"y\"", 1);
    let roller = portal(2).replacen("\"x\", \"y\", \"rz\"", "\"y\"", 1);
    let slide = portal(2).replacen("\"x\", \"y\", \"rz\"", "\"y\", \"rz\"", 1);
    let bare = |text: String| text.split("[[support]]").next().expect("text").to_string();
    let free = text(3, &bare(branch(3)).split("[nodes]").nth(1).map(|rest| format!("[nodes]{rest}")).expect("nodes"));
    let ball = branch(3).replace("\"x\", \"y\", \"z\", \"rx\", \"ry\", \"rz\"", "\"x\", \"y\", \"z\", \"rx\"");
    let braced = portal(2) + "[[truss]]\nname = \"brace\"\nnodes = [\"a\", \"c\"]\nmaterial = \"steel\"\narea = 1e-4\n";
    let hinged = portal(2).replace("name = \"bc\"", "name = \"bc\"\nreleases = [[\"ry\"], [\"ry\"]]");
    let sprung =
        branch(3).replace("[nodes]\n", "[nodes]\nwall = [0, 0, 0]\n").replace("node = \"root\"", "node = \"wall\"")
            + "[[spring]]\nnodes = [\"wall\", \"root\"]\nstiffness = [1e7, 1e7, 1e7, 1e5, 1e5, 2e5]\n";
    let tied = branch(3).replace("[nodes]\n", "[nodes]\nmark = [1, 0.6, 0.2]\n")
        + "[[rigid]]\nnode = \"left\"\nfollowers = [\"mark\"]\n[[mass]]\nnode = \"mark\"\nmass = 1.5\n";
    use ElementJoint::{Bushing, Planar, Revolute, Spherical, Universal};
    vec![
        ("branch, revolute", branch(2), Revolute, 9),
        ("branch, planar", branch(2), Planar, 27),
        ("branch with a mass", branch(3) + mass, Spherical, 27),
        ("branch, universal", branch(3), Universal, 18),
        ("branch, bushing", branch(3), Bushing, 54),
        ("branch on two hinges", ball, Spherical, 27),
        ("branch on a spring", sprung, Bushing, 60),
        ("branch with a follower", tied, Spherical, 27),
        ("free branch", free, Spherical, 27),
        ("portal, revolute", portal(2), Revolute, 6),
        ("portal, spherical", portal(3), Spherical, 21),
        ("portal with a brace", braced, Planar, 24),
        ("portal with hinges", hinged, Revolute, 8),
        ("pinned portal", pinned, Revolute, 7),
        ("portal on a roller", roller, Revolute, 8),
        ("portal on a slide", slide, Planar, 25),
    ]
}

/// What the file says is what the linear theory has: the multibody solver finds the same frequencies, all of them.
#[test]
fn the_models_have_the_frequencies_of_the_linear_theory() {
    crate::root::at_root();
    for (name, text, joint, count) in variety() {
        let lumped = lumped(&text, joint, 3);
        let model = small(&lumped);
        let rigid = if name == "free branch" { 6 } else { 2 * usize::from(name == "branch on two hinges") };
        assert_eq!(model.size() - model.supports.len() - rigid, count, "{name}");
        let found = solved(&model_text(&lumped));
        assert_eq!(found.len(), count, "{name}");
        let wanted = hertz(&model, 6);
        let highest = highest_frequency_hz(&model).expect("definite");
        println!("{name}: {wanted:?}, highest {highest:.1} of {:.1}", found[count - 1]);
        for (found, wanted) in found.iter().zip(&wanted) {
            near(found / wanted, 1.0, 1e-6);
        }
        near(highest / found[count - 1], 1.0, 0.03);
    }
}

/// Finite angles under a small load: the equilibrium of the multibody model is that of the linear theory.
#[test]
fn the_equilibrium_of_a_model_is_the_static_deflection() {
    crate::root::at_root();
    let lumped = lumped(&portal(2), ElementJoint::Revolute, 4);
    let document = model::parse(&model_text(&lumped), "model.toml").unwrap_or_else(|e| panic!("{e}"));
    let system = Arc::new(compile::compile(&document, &[]).unwrap_or_else(|e| panic!("{e}")));
    let (inputs, outputs) = (&system.interface().inputs, &system.interface().outputs);
    let input = inputs.iter().position(|input| input.name == "b.Fx").expect("the force");
    let output = outputs.iter().position(|output| output.name == "b.x").expect("the place");
    let mut values = vec![0.0; outputs.len()];
    let mut simulator = Simulator::new(system.clone());
    simulator.set_input(input, 1.0);
    simulator.initialize(0.0).expect("assembled");
    simulator.trim().expect("an equilibrium");
    simulator.outputs(&mut values).expect("no fault");
    near(values[output] / work(&small(&lumped), "sway"), 1.0, 1e-5);
}

#[test]
fn what_cannot_be_lumped_is_refused_at_its_place() {
    crate::root::at_root();
    let straight = text(2, &("[nodes]\na = [0, 0]\nb = [1, 0]\n".to_string() + &beam("ab", "a", "b") + &clamp("a", 2)));
    let both = straight.clone() + &clamp("b", 2);
    let refused = |text: &str, joint: ElementJoint, elements: usize| {
        let structure = structure::parse(text, "structure.toml").unwrap_or_else(|e| panic!("{e}"));
        match LumpedStructure::new(&structure, joint, elements) {
            Err(wrong) => wrong.to_string(),
            Ok(lumped) => lumped.small_motions().expect_err("redundant").name.clone(),
        }
    };
    let averaged = branch(3).replace("[nodes]\n", "[nodes]\nmark = [1, 0, 0.2]\n")
        + "[[average]]\nnode = \"mark\"\nfollowers = [\"root\", \"left\", \"right\"]\n"
        + "[[mass]]\nnode = \"mark\"\nmass = 1\n";
    let odd = branch(3).replace("\"x\", \"y\", \"z\", \"rx\", \"ry\", \"rz\"", "\"x\", \"ry\"");
    let loose = portal(2).replace("name = \"bc\"", "name = \"bc\"\nreleases = [[\"x\", \"z\"], []]");
    let bars = straight.replace("b = [1, 0]\n", "b = [1, 0]\nc = [0.5, 1]\n")
        + "[[truss]]\nname = \"ac\"\nnodes = [\"a\", \"c\"]\nmaterial = \"steel\"\narea = 1e-4\n"
        + "[[truss]]\nname = \"bc\"\nnodes = [\"b\", \"c\"]\nmaterial = \"steel\"\narea = 1e-4\n";
    use ElementJoint::{Planar, Revolute, Spherical};
    for (text, joint, words) in [
        (branch(2), Spherical, "use --joint revolute, planar or bushing"),
        (branch(3), Revolute, "use --joint universal, spherical or bushing"),
        (averaged, Spherical, "average[0]"),
        (odd, Spherical, "support[0].fixed"),
        (loose, Planar, "beam[1].releases"),
        (bars, Planar, "node \"c\" has no moment of inertia"),
        (both, Revolute, "ab_4"),
    ] {
        let message = refused(&text, joint, 4);
        println!("{message}");
        assert!(message.contains(words), "{words} in {message}");
    }
    assert!(refused(&branch(2), Revolute, 400).contains("the limit is 1000"));
    let different = wedge().replace(
        "name = \"tip\"\nshape = \"rectangle\"\nwidth = 0.04\nheight = 0.03",
        "name = \"tip\"\nshape = \"tube\"\nouter_diameter = 0.02\nthickness = 0.01",
    );
    let wrong = structure::parse(&different, "structure.toml").expect_err("two shapes").to_string();
    assert!(wrong.contains("beam[0].end_section") && wrong.contains("shape"), "{wrong}");
}
