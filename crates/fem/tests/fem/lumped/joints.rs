//! Chains with other joints than revolutes: [k] = Jᵀ K J against the beam it stands for.

use super::near;
use ballesta::compile;
use ballesta::model;
use ballesta::simulate::Simulator;
use ballesta_fem::lumped::element::jacobian;
use ballesta_fem::lumped::{Beam, Chain, ElementJoint, ModelOptions, Planes, Setup, SpaceChain};
use ballesta_fem::model::FiniteElementModel;
use ballesta_fem::natural::natural_modes;
use ballesta_fem::structure;
use nalgebra::{Matrix6, Vector6};
use std::sync::Arc;

/// A stubby beam, in which shear shows: 0.5 m × 50 mm × 120 mm, with shear areas.
fn stubby() -> Beam {
    let area = 0.05 * 0.12;
    Beam { shear_areas: Some([5.0 / 6.0 * area; 2]), ..Beam::rectangular(0.5, 0.05, 0.12, 6.9e10, 2700.0) }
}

fn largest(matrix: &Matrix6<f64>, scale: &Matrix6<f64>) -> f64 {
    ballesta::math::largest((0..36).map(|i| matrix[i] / scale[i].abs().max(1e-300)))
}

/// Compliance of a beam at its tip by integrals along it: unit-load theorem, 2000 pieces.
fn integrated(beam: &Beam) -> Matrix6<f64> {
    let (pieces, l) = (2000, beam.length);
    let shear = beam.shear_areas.map_or([0.0; 2], |areas| areas.map(|a| 1.0 / (beam.shear_modulus * a)));
    let e = beam.youngs_modulus;
    let per_length = [
        1.0 / (e * beam.area),
        shear[0],
        shear[1],
        1.0 / (beam.shear_modulus * beam.torsion_constant),
        1.0 / (e * beam.side_second_moment),
        1.0 / (e * beam.second_moment),
    ];
    let mut compliance = Matrix6::zeros();
    for i in 0..pieces {
        // Section forces at x under each unit load at the tip.
        let arm = l - (f64::from(i) + 0.5) * l / f64::from(pieces);
        let mut inner = Matrix6::identity();
        inner[(5, 1)] = arm;
        inner[(4, 2)] = -arm;
        compliance +=
            inner.transpose() * Matrix6::from_diagonal(&Vector6::from(per_length)) * inner * (l / f64::from(pieces));
    }
    compliance
}

#[test]
fn the_stiffness_at_the_end_is_the_inverse_of_the_compliance_by_the_unit_load_theorem() {
    crate::root::at_root();
    for beam in [stubby(), Beam::of_the_paper()] {
        let product = beam.end_stiffness(beam.length) * integrated(&beam);
        // The midpoint rule of the integrals leaves 1/(2 n²) of L²; rows are scaled by the lengths that they have in
        // them.
        let off = product - Matrix6::identity();
        assert!((0..36).all(|i| off[i].abs() < 1e-5), "{off}");
    }
}

#[test]
fn in_the_middle_the_springs_are_separate_and_elsewhere_the_element_has_the_same_compliance() {
    crate::root::at_root();
    let (beam, length) = (stubby(), 0.1);
    let e = beam.youngs_modulus;
    let shear =
        |second_moment: f64, area: f64| 12.0 * e * second_moment / (beam.shear_modulus * area * length * length);
    let [y, z] = beam.shear_areas.expect("given");
    let wanted = [
        e * beam.area / length,
        12.0 * e * beam.second_moment / length.powi(3) / (1.0 + shear(beam.second_moment, y)),
        12.0 * e * beam.side_second_moment / length.powi(3) / (1.0 + shear(beam.side_second_moment, z)),
        beam.shear_modulus * beam.torsion_constant / length,
        e * beam.side_second_moment / length,
        e * beam.second_moment / length,
    ];
    let middle = beam.joint_stiffness(ElementJoint::Bushing, length, 0.5 * length);
    for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
        let size = f64::sqrt(wanted[i] * wanted[j]);
        near(middle[(i, j)] / size, if i == j { 1.0 } else { 0.0 }, 1e-13);
    }
    let whole = beam.end_stiffness(length).try_inverse().expect("regular");
    for arm in [0.0, 0.03, 0.05, 0.1] {
        let k = beam.joint_stiffness(ElementJoint::Bushing, length, arm);
        // Beside the middle, shear and bending couple.
        let coupling = k[(1, 5)].abs() / f64::sqrt(k[(1, 1)] * k[(5, 5)]);
        assert_eq!(coupling > 1e-3, arm != 0.05, "{arm}: {coupling}");
        let j = jacobian(arm);
        let compliance = j * Matrix6::from_fn(|i, j| k[(i, j)]).try_inverse().expect("regular") * j.transpose();
        let scale = Matrix6::from_fn(|i, j| f64::sqrt(whole[(i, i)] * whole[(j, j)]));
        assert!(largest(&(compliance - whole), &scale) < 1e-11, "{arm}");
    }
    // Fewer freedoms: rows and columns of the same matrix.
    let planar = beam.joint_stiffness(ElementJoint::Planar, length, 0.02);
    let all = beam.joint_stiffness(ElementJoint::Bushing, length, 0.02);
    for (i, m) in ElementJoint::Planar.motions().iter().enumerate() {
        for (j, n) in ElementJoint::Planar.motions().iter().enumerate() {
            assert_eq!(planar[(i, j)], all[(*m, *n)]);
        }
    }
}

#[test]
fn revolutes_in_the_chain_in_space_are_the_plain_chain() {
    crate::root::at_root();
    let beam = Beam::of_the_paper();
    let setup = Setup { rotary_inertia: true, tip_mass: 3.0, tip_inertia: 0.02, ..Setup::default() };
    for (joint, count) in [(ElementJoint::Revolute, 1), (ElementJoint::Universal, 2), (ElementJoint::Spherical, 3)] {
        let space = SpaceChain::new(&beam, 8, joint, 3.0, 0.02);
        let families = space.frequencies_hz().expect("definite");
        assert_eq!(families.len(), count);
        for (motion, plain) in [(5, beam), (4, beam.turned())] {
            let Some((_, found)) = families.iter().find(|(family, _)| *family == motion) else { continue };
            let chain = Chain::new(&plain, 8, &setup);
            let wanted = chain.frequencies_hz().expect("definite");
            assert_eq!(found.len(), wanted.len());
            wanted.iter().zip(found).for_each(|(wanted, found)| near(found / wanted, 1.0, 1e-9));
            let load = if motion == 5 { 1 } else { 2 };
            near(space.tip_compliance()[(load, load)] / chain.static_deflection(1.0, 0.0), 1.0, 1e-12);
        }
    }
}

#[test]
fn a_chain_with_all_freedoms_has_the_static_deflection_of_the_beam_with_any_number_of_elements() {
    crate::root::at_root();
    for beam in [stubby(), Beam::of_the_paper()] {
        let whole = beam.end_stiffness(beam.length).try_inverse().expect("regular");
        let scale = Matrix6::from_fn(|i, j| f64::sqrt(whole[(i, i)] * whole[(j, j)]));
        for elements in [1, 2, 3, 10] {
            let chain = SpaceChain::new(&beam, elements, ElementJoint::Bushing, 0.0, 0.0);
            let off = largest(&(chain.tip_compliance() - whole), &scale);
            println!("{elements} elements: compliance of the tip off by {off:.1e}");
            assert!(off < 1e-12, "{elements}: {off}");
        }
    }
}

/// The beam as 200 finite elements in space, clamped at its root.
fn fine(beam: &Beam, width: f64, height: f64) -> FiniteElementModel {
    // The element's axes x and z are x and y of the chain: width along the element's y.
    let text = format!(
        "[structure]\nname = \"beam\"\n[nodes]\nroot = [0, 0, 0]\ntip = [{}, 0, 0]\n\
         [[material]]\nname = \"metal\"\nyoungs_modulus = {:?}\npoisson_ratio = 0.3\ndensity = {:?}\n\
         [[section]]\nname = \"bar\"\nshape = \"rectangle\"\nwidth = {width:?}\nheight = {height:?}\n\
         [[beam]]\nname = \"beam\"\nnodes = [\"root\", \"tip\"]\nmaterial = \"metal\"\nsection = \"bar\"\ndivisions = \
         200\ntheory = \"timoshenko\"\n\
         [[interface]]\nname = \"root\"\nnode = \"root\"\n[[interface]]\nname = \"tip\"\nnode = \"tip\"\n\
         [[support]]\nnode = \"root\"\nfixed = [\"x\", \"y\", \"z\", \"rx\", \"ry\", \"rz\"]\n",
        beam.length, beam.youngs_modulus, beam.density
    );
    let structure = structure::parse(&text, "structure.toml").unwrap_or_else(|e| panic!("{e}"));
    structure::build(&structure).unwrap_or_else(|e| panic!("{e}"))
}

/// First frequencies of the stubby beam, Hz, by the motion that they belong to: closed forms of extension and torsion,
/// fine elements with shear deformation for bending.
fn exact() -> [(usize, f64); 4] {
    let beam = stubby();
    let polar = beam.second_moment + beam.side_second_moment;
    let quarter = |speed: f64| speed / (4.0 * beam.length);
    let bending = natural_modes(&fine(&beam, 0.05, 0.12), true, 2).expect("held").frequencies_hz;
    [
        (0, quarter(f64::sqrt(beam.youngs_modulus / beam.density))),
        (3, quarter(f64::sqrt(beam.shear_modulus * beam.torsion_constant / (beam.density * polar)))),
        // The weak direction, 50 mm, is z.
        (5, bending[1]),
        (4, bending[0]),
    ]
}

/// Relative errors of the first frequencies of a chain of bushings, in the order of [`exact`].
fn errors(elements: usize, exact: &[(usize, f64); 4]) -> [f64; 4] {
    let found =
        SpaceChain::new(&stubby(), elements, ElementJoint::Bushing, 0.0, 0.0).frequencies_hz().expect("definite");
    exact.map(|(motion, wanted)| found.iter().find(|(family, _)| *family == motion).expect("there").1[0] / wanted - 1.0)
}

#[test]
fn frequencies_converge_at_second_order_to_those_of_the_beam() {
    crate::root::at_root();
    let exact = exact();
    let [coarse, middle, fine] = [10, 20, 40].map(|elements| errors(elements, &exact));
    for (i, (motion, wanted)) in exact.into_iter().enumerate() {
        let order = (middle[i] / fine[i]).log2();
        println!(
            "motion {motion}: {wanted:.3} Hz, errors {:.2e}, {:.2e}, {:.2e} with 10, 20, 40 elements, order {order:.3}",
            coarse[i], middle[i], fine[i]
        );
        assert!(coarse[i].abs() < 5e-3 && fine[i].abs() < 4e-4, "{motion}: {coarse:?} {fine:?}");
        near(order, 2.0, 0.1);
    }
}

/// Rows of the table of docs/lumped-beams.md.
pub fn table() -> String {
    let exact = exact();
    let row = |n: usize| {
        let cells = errors(n, &exact).map(|error| format!("{:+.3} %", 100.0 * error));
        format!("| {n} | {} |\n", cells.join(" | "))
    };
    let beam = format!("| beam | {} |\n", exact.map(|(_, hertz)| format!("{hertz:.1} Hz")).join(" | "));
    [5, 10, 20, 40].map(row).concat() + &beam
}

/// A model of the stubby beam with these loads at its tip, run until damping has stopped it: displacement of the tip,
/// m, and its rotation about x, rad.
fn settled(joint: ElementJoint, loads: &[(&str, f64)]) -> [f64; 4] {
    let options = ModelOptions {
        name: "beam".into(),
        elements: 3,
        planes: Planes::One,
        damping_ratio: 0.7,
        tip_force: 0.0,
        gravity: 0.0,
        base_stiffness: None,
        tip_mass: 0.0,
        tip_inertia: 0.0,
    };
    let text = stubby().lumped_model_with(joint, &options).expect("definite");
    let document = model::parse(&text, "model.toml").unwrap_or_else(|e| panic!("{joint:?}: {e}"));
    let system = Arc::new(compile::compile(&document, &[]).unwrap_or_else(|e| panic!("{joint:?}: {e}")));
    let names = |named: Vec<&str>, wanted: &str| named.iter().position(|name| *name == wanted).expect(wanted);
    let mut simulator = Simulator::new(Arc::clone(&system));
    for (name, value) in loads {
        let inputs = system.interface().inputs.iter().map(|input| input.name.as_str()).collect();
        simulator.set_input(names(inputs, name), *value);
    }
    simulator.initialize(0.0).expect("assembled");
    simulator.advance(0.05).unwrap_or_else(|fault| panic!("{joint:?}: {}", system.describe(&fault)));
    let mut outputs = vec![0.0; system.interface().outputs.len()];
    simulator.outputs(&mut outputs).expect("no fault");
    let at = |axis: &str| {
        names(system.interface().outputs.iter().map(|o| o.name.as_str()).collect(), &format!("tip.{axis}"))
    };
    [outputs[at("x")] - 0.5, outputs[at("y")], outputs[at("z")], 2.0 * outputs[at("rotation.x")].asin()]
}

/// The written model gives way as its linear theory says, in every direction that its joint leaves free: 1e-4 for the
/// second order of deflections of some µm, and for what is left of the motion.
#[test]
fn every_joint_makes_a_model_that_settles_at_its_linear_compliance() {
    crate::root::at_root();
    let loads = [
        (0, 0, "tip.axial_force", 2000.0),
        (5, 1, "tip.force", 100.0),
        (4, 2, "tip.side_force", 100.0),
        (3, 3, "tip.torque", 20.0),
    ];
    for joint in ElementJoint::ALL {
        let compliance = SpaceChain::new(&stubby(), 3, joint, 0.0, 0.0).tip_compliance();
        for (motion, axis, input, value) in loads {
            if !joint.motions().contains(&motion) {
                continue;
            }
            let found = settled(joint, &[(input, value)])[axis];
            let wanted = compliance[(axis, axis)] * value;
            println!("{joint:?}, {input}: {found:.6e} m or rad, linear {wanted:.6e}");
            near(found / wanted, 1.0, 1e-4);
        }
    }
}
