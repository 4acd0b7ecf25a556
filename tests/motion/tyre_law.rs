//! The Magic Formula against independent evaluations, symmetries and differences.

use crate::check::larger;
use ballesta::tyre::{Coefficients, Formula, Input, Law, Mode, Output, Properties, Side, Vertical, VerticalInput};

fn properties(name: &str) -> Properties {
    let bytes = std::fs::read(format!("tests/tyres/{name}")).expect("the tyre is there");
    ballesta::model::tir::read(&ballesta::model::tir::decode(&bytes), name)
        .unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

fn law(name: &str) -> Law {
    Law::new(&properties(name), Side::Left)
}

/// Rows of numbers of a CSV file with a header.
fn rows(path: &str) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).expect("the reference is there");
    text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().expect("a number")).collect()).collect()
}

/// The largest distance of results from the reference, column by column.
fn largest_difference(reference: &[Vec<f64>], first: usize, results: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let mut largest = vec![0.0; reference[0].len() - first];
    for row in reference {
        for ((largest, expected), result) in largest.iter_mut().zip(&row[first..]).zip(results(row)) {
            *largest = larger(*largest, (result - expected).abs());
        }
    }
    largest
}

#[test]
fn mf52_agrees_with_an_independent_implementation() {
    let reference = rows("tests/reference/tyre_mf52_mf_185_80R14.csv");
    assert_eq!(reference.len(), 107);
    for file in ["mf_185_80R14.tir", "mf_185_80R14_mm.tir"] {
        let law = law(file);
        let largest = largest_difference(&reference, 4, |row| {
            let input = Input { kappa: row[1], alpha: row[2], gamma: row[3], ..law.straight_ahead(row[0]) };
            let (pure, all) = (law.pure(&input), law.forces(&input));
            vec![pure.fx, pure.fy, pure.mz, all.fx, all.fy, all.mz, all.mx]
        });
        println!("{file}: {largest:?}");
        assert!(largest.iter().all(|d| *d < 1e-6), "{file}: {largest:?}");
    }
}

#[test]
fn mf61_agrees_with_an_independent_implementation() {
    let properties = properties("mf61_205_60R16.tir");
    let law = Law::new(&properties, properties.side);
    let reference = rows("tests/tyres/mf61.csv");
    assert!(reference.len() >= 100);
    let largest = largest_difference(&reference, 6, |row| {
        let slip = Input { kappa: row[1], alpha: row[2], gamma: row[3], ..law.straight_ahead(row[0]) };
        let input = Input { pressure: row[4], speed: row[5], ..slip };
        let (pure, all) = (law.pure(&input), law.forces(&input));
        let forces = [pure.fx, pure.fy, pure.mz, all.fx, all.fy, all.mx, all.my, all.mz];
        [&forces[..], &[all.sigma_kappa, all.sigma_alpha]].concat()
    });
    println!("{largest:?}");
    assert!(largest.iter().all(|d| *d < 1e-6), "{largest:?}");
}

#[test]
fn turn_slip_agrees_with_an_independent_implementation() {
    let text = std::fs::read_to_string("tests/tyres/mf61_205_60R16.tir").expect("the tyre is there");
    let (text, _) = text.split_once("[TURNSLIP_COEFFICIENTS]").expect("its own are left out");
    let script = std::fs::read_to_string("tests/tyres/mf61.py").expect("the reference is there");
    let (_, rest) = script.split_once("SPIN = dict(").expect("coefficients");
    let spin = rest.split(')').next().expect("their end").replace(',', "\n");
    let read = ballesta::model::tir::read(&format!("{text}\n[TURNSLIP]\n{spin}\n"), "spin.tir");
    let properties = read.unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    let law = Law::new(&properties, properties.side).with_turn_slip(true);
    let reference = rows("tests/tyres/mf61_spin.csv");
    assert!(reference.len() >= 50);
    let largest = largest_difference(&reference, 5, |row| {
        let slip = Input { kappa: row[1], alpha: row[2], gamma: row[3], ..law.straight_ahead(row[0]) };
        let all = law.forces(&Input { turn_slip: row[4] / properties.coefficients.unloaded_radius, ..slip });
        vec![all.fx, all.fy, all.mx, all.my, all.mz]
    });
    println!("{largest:?}");
    assert!(largest.iter().all(|d| *d < 1e-6), "{largest:?}");
}

#[test]
fn mf61_loads_and_radii_agree_with_an_independent_implementation() {
    let law = law("mf61_205_60R16.tir");
    let largest = largest_difference(&rows("tests/tyres/mf61_vertical.csv"), 5, |row| {
        let input = VerticalInput { spin: row[1], fx: row[2], fy: row[3], pressure: row[4], ..Default::default() };
        let force = law.vertical(row[0], 0.0, &input).force;
        vec![force, law.effective_radius(force, row[1], row[4])]
    });
    println!("{largest:?}");
    assert!(largest[0] < 1e-6 && largest[1] < 1e-12, "{largest:?}");
}

#[test]
fn use_mode_leaves_forces_out_and_slips_apart() {
    let mut properties = properties("mf_185_80R14.tir");
    let usual = Law::new(&properties, Side::Left);
    let input = Input { kappa: 0.05, alpha: 0.08, gamma: 0.03, ..usual.straight_ahead(4000.0) };
    let (pure, all) = (usual.pure(&input), usual.forces(&input));
    let mut of = |acts, combined, relaxes| {
        properties.mode = Mode { acts, combined, turns: false, relaxes };
        Law::new(&properties, Side::Left).forces(&input)
    };
    assert_eq!(of([true; 2], true, true), all);
    let steady = of([true; 2], true, false);
    assert_eq!((steady.sigma_kappa, steady.sigma_alpha, steady.fx, steady.mz), (0.0, 0.0, all.fx, all.mz));
    let apart = of([true; 2], false, true);
    assert_eq!((apart.fx, apart.fy, apart.mz), (pure.fx, pure.fy, pure.mz));
    assert!((all.fx - pure.fx).abs() > 10.0 && (all.fy - pure.fy).abs() > 10.0);
    let along = of([true, false], false, true);
    assert_eq!((along.fx, along.fy, along.mx, along.mz), (pure.fx, 0.0, 0.0, 0.0));
    let across = of([false, true], false, true);
    assert_eq!((across.fx, across.my, across.fy, across.mz), (0.0, 0.0, pure.fy, pure.mz));
    let none = of([false; 2], false, true);
    assert_eq!((none.fx, none.fy, none.mx, none.my, none.mz), (0.0, 0.0, 0.0, 0.0, 0.0));
}

#[test]
fn below_the_least_load_forces_fall_in_proportion() {
    let mut properties = properties("mf_185_80R14.tir");
    properties.coefficients.fzmin = 400.0;
    let law = Law::new(&properties, Side::Left);
    let at = |load| law.forces(&Input { kappa: 0.02, alpha: 0.03, gamma: 0.01, ..law.straight_ahead(load) });
    let (bound, tenth) = (at(400.0), at(40.0));
    for (a, b) in [(bound.fx, tenth.fx), (bound.fy, tenth.fy), (bound.mz, tenth.mz), (bound.ky, tenth.ky)] {
        assert!((0.1 * a - b).abs() <= 1e-12 * a.abs() && a != 0.0, "{a} {b}");
    }
    assert_eq!(bound.mu_y, tenth.mu_y);
    assert!((at(400.0001).fy - bound.fy).abs() < 1e-3);
}

/// Inputs over the whole range, rolling forward.
fn grid(law: &Law) -> Vec<Input> {
    let mut inputs = Vec::new();
    for load in [150.0, 1900.0, 3800.0, 7600.0] {
        for kappa in [-0.8, -0.05, 0.0, 0.02, 0.3] {
            for alpha in [-0.3, -0.04, 0.0, 0.01, 0.15] {
                for gamma in [-0.1, 0.0, 0.06] {
                    inputs.push(Input { kappa, alpha, gamma, ..law.straight_ahead(load) });
                }
            }
        }
    }
    inputs
}

fn values(output: &Output) -> [f64; 11] {
    let o = output;
    [o.fx, o.fy, o.mx, o.my, o.mz, o.kx, o.ky, o.sigma_kappa, o.sigma_alpha, o.mu_x, o.mu_y]
}

const FILES: [&str; 3] = ["mf_185_80R14.tir", "mf61_205_60R16.tir", "sparse.tir"];

#[test]
fn mf61_without_its_own_coefficients_is_mf52() {
    let old = properties("mf_185_80R14.tir");
    let mut new = Properties { formula: Formula::Mf61, ..old.clone() };
    let laws = [Law::new(&old, Side::Left), Law::new(&new, Side::Left)];
    for upright in grid(&laws[0]).into_iter().filter(|input| input.gamma == 0.0) {
        assert_eq!(laws[0].forces(&upright), laws[1].forces(&upright), "{upright:?}");
    }
    // With camber they differ where 6.1 has a law of its own: the horizontal shift of Fy, and the force at the trail.
    new.coefficients.pvy3 = 0.0;
    new.coefficients.pvy4 = 0.0;
    let old = Properties { coefficients: Coefficients { phy3: 0.0, ..new.coefficients }, ..old };
    let laws = [Law::new(&old, Side::Left), Law::new(&new, Side::Left)];
    for input in grid(&laws[0]) {
        let [a, b] = [0, 1].map(|i| laws[i].forces(&input));
        assert_eq!(Output { mz: 0.0, ..a }, Output { mz: 0.0, ..b }, "{input:?}");
    }
}

#[test]
fn the_other_side_of_the_vehicle_is_the_mirror_image() {
    for file in FILES {
        let properties = properties(file);
        let [left, right] = [Side::Left, Side::Right].map(|side| Law::new(&properties, side));
        for input in grid(&left) {
            let a = left.forces(&input);
            let b = right.forces(&Input { alpha: -input.alpha, gamma: -input.gamma, ..input });
            assert_eq!(a, Output { fy: -b.fy, mx: -b.mx, mz: -b.mz, ..b }, "{file} {input:?}");
        }
    }
}

#[test]
fn a_tyre_that_rolls_backward_is_the_tyre_turned_by_half_a_turn() {
    for file in FILES {
        let law = law(file);
        for input in grid(&law) {
            let a = law.forces(&input);
            let turned =
                Input { kappa: -input.kappa, alpha: -input.alpha, gamma: -input.gamma, rolling: -1.0, ..input };
            let b = law.forces(&turned);
            assert_eq!(a, Output { fx: -b.fx, fy: -b.fy, mx: -b.mx, my: -b.my, ..b }, "{file} {input:?}");
        }
    }
}

#[test]
fn forces_are_continuous_through_standstill() {
    for file in FILES {
        let law = law(file);
        for input in grid(&law) {
            let [a, b] = [-1e-9, 1e-9].map(|rolling| values(&law.forces(&Input { rolling, ..input })));
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() < 1e-4 * (1.0 + a.abs()), "{file} {input:?}: {a} {b}");
            }
        }
    }
}

#[test]
fn a_standing_tyre_without_slip_has_no_tangential_force() {
    for file in FILES {
        let law = law(file);
        for gamma in [-0.1, 0.0, 0.06] {
            let input = Input { gamma, rolling: 0.0, ..law.straight_ahead(3000.0) };
            let output = law.forces(&input);
            assert_eq!([output.fx, output.fy, output.my, output.mz].map(f64::abs), [0.0; 4], "{file} {gamma}");
        }
    }
    let van = law("mf_185_80R14.tir");
    let rolling = van.forces(&van.straight_ahead(3000.0));
    assert!(rolling.fx < -1.0 && rolling.fy != 0.0 && rolling.my < -1.0);
    assert_eq!([-2.0, -1.0, 0.0, 0.5, 1.0, 40.0].map(|v| van.rolling(v)), [-1.0, -1.0, 0.0, 0.5, 1.0, 1.0]);
}

#[test]
fn slip_stiffnesses_are_the_slopes_of_the_forces() {
    for file in FILES {
        let law = law(file);
        for (load, gamma) in [(800.0, 0.0), (4000.0, 0.05), (9000.0, -0.05)] {
            let h = 1e-6;
            let at =
                |kappa, alpha| law.forces(&Input { kappa, alpha, gamma, rolling: 0.0, ..law.straight_ahead(load) });
            let output = at(0.0, 0.0);
            let kx = (at(h, 0.0).fx - at(-h, 0.0).fx) / (2.0 * h);
            let ky = -(at(0.0, h).fy - at(0.0, -h).fy) / (2.0 * h);
            assert!((kx / output.kx - 1.0).abs() < 1e-6, "{file}: {kx} {}", output.kx);
            assert!((ky / output.ky - 1.0).abs() < 1e-6, "{file}: {ky} {}", output.ky);
        }
    }
}

#[test]
fn relaxation_lengths_are_those_of_the_file() {
    // Closed forms at the nominal load.
    let van = law("mf_185_80R14.tir");
    let output = van.forces(&van.straight_ahead(3800.0));
    let sigma_alpha = 1.8473 * 0.376 * 2.0 * (1.0 / 1.9465) / (1.0 + 1.0 / (1.9465 * 1.9465));
    assert!((output.sigma_kappa - 1.9021 * 0.376).abs() < 1e-12);
    assert!((output.sigma_alpha - sigma_alpha).abs() < 1e-12);
    assert!((output.kx - 3800.0 * 19.733).abs() < 1e-9 && (output.mu_x - 1.09).abs() < 1e-12);
}

#[test]
fn nothing_acts_without_load_and_forces_grow_in_proportion_beyond_the_range() {
    for file in FILES {
        let law = law(file);
        let slip = Input { kappa: 0.1, alpha: -0.1, gamma: 0.05, ..law.straight_ahead(0.0) };
        for load in [0.0, -100.0] {
            assert_eq!(values(&law.forces(&Input { load, ..slip }))[..7].iter().map(|f| f.abs()).sum::<f64>(), 0.0);
        }
        for load in [1e-9, 1e6] {
            let [one, two] = [load, 2.0 * load].map(|load| values(&law.forces(&Input { load, ..slip })));
            for (one, two) in one.iter().zip(two).take(7) {
                assert!((two - 2.0 * one).abs() <= 1e-12 * two.abs(), "{file}: {one} {two}");
            }
        }
    }
}

#[test]
fn every_finite_input_gives_finite_forces() {
    let extremes = [-1e300, -1e3, -1.0, -1e-12, 0.0, 1e-12, 1.0, 1e3, 1e300];
    for file in FILES {
        let law = law(file);
        for load in extremes.into_iter().filter(|load| *load < 1e200) {
            for (kappa, alpha) in extremes.into_iter().flat_map(|kappa| extremes.map(|alpha| (kappa, alpha))) {
                for gamma in extremes {
                    for (friction, rolling) in [(0.0, 0.0), (1.0, 1.0), (1e300, -1e300)] {
                        let input = Input {
                            load,
                            kappa,
                            alpha,
                            gamma,
                            speed: 1e300,
                            pressure: 1e300,
                            friction,
                            rolling,
                            turn_slip: gamma,
                        };
                        let output = law.forces(&input);
                        assert!(values(&output).iter().all(|value| value.is_finite()), "{file} {input:?} {output:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn friction_of_the_road_scales_the_largest_force_but_not_the_stiffness() {
    let law = law("mf_185_80R14.tir");
    let at = |friction, alpha| law.forces(&Input { friction, alpha, ..law.straight_ahead(3800.0) });
    let largest = |friction| (0..200).map(|i| -at(friction, 0.005 * f64::from(i)).fy).fold(0.0, larger);
    assert!((largest(0.5) / largest(1.0) - 0.5).abs() < 1e-3);
    assert_eq!(at(0.5, 0.0).ky, at(1.0, 0.0).ky);
}

#[test]
fn vertical_stiffness_and_energy_are_derivative_and_integral_of_the_load() {
    for file in FILES {
        let law = law(file);
        let input = VerticalInput { spin: 40.0, fx: 500.0, fy: -800.0, gamma: 0.05, pressure: 0.0 };
        for deflection in [0.004, 0.0213, 0.045, 0.12] {
            let h = 1e-7;
            let [below, at, above] = [-h, 0.0, h].map(|d| law.vertical(deflection + d, 0.0, &input));
            let slope = (above.elastic - below.elastic) / (2.0 * h);
            let power = (above.energy - below.energy) / (2.0 * h);
            assert!((slope / at.stiffness - 1.0).abs() < 1e-6, "{file} {deflection}: {slope} {at:?}");
            assert!((power / at.elastic - 1.0).abs() < 1e-6, "{file} {deflection}: {power} {at:?}");
        }
    }
}

#[test]
fn the_nominal_load_has_the_stiffness_of_the_file() {
    for (file, stiffness) in [("mf_185_80R14.tir", 1.75e5), ("mf61_205_60R16.tir", 209651.0)] {
        let mut properties = properties(file);
        properties.coefficients.inflpres = properties.coefficients.nompres;
        let law = Law::new(&properties, Side::Left);
        let deflection = law.static_deflection(law.nominal_load(), 0.0);
        let vertical = law.vertical(deflection, 0.0, &Default::default());
        assert!((vertical.force / law.nominal_load() - 1.0).abs() < 1e-12, "{file}: {vertical:?}");
        assert!((vertical.stiffness / stiffness - 1.0).abs() < 1e-12, "{file}: {vertical:?}");
    }
}

#[test]
fn a_tabulated_tyre_follows_its_table_and_then_its_rim() {
    let law = law("sparse.tir");
    let load = |deflection| law.vertical(deflection, 0.0, &Default::default()).force;
    assert!((load(0.005) - 3500.0).abs() < 1e-6 && (load(0.04) - 38000.0).abs() < 1e-6);
    assert!((load(0.11) - (49000.0 + 0.06 * 1.1e6 + 30000.0)).abs() < 1e-6);
    assert!((law.static_deflection(17000.0, 0.0) - 0.02).abs() < 1e-12);
    assert_eq!(load(-0.01), 0.0);
}

#[test]
fn a_tyre_never_pulls() {
    let law = law("mf_185_80R14.tir");
    let vertical = law.vertical(1e-5, -1e3, &Default::default());
    assert_eq!((vertical.force, vertical.damping), (0.0, -vertical.elastic));
    assert_eq!(law.vertical(-1e-5, 1e3, &Default::default()), Vertical::default());
}

#[test]
fn an_evaluation_allocates_nothing() {
    for file in FILES {
        let law = law(file);
        let inputs = grid(&law);
        let (count, sum) = crate::counting::allocations_in(|| {
            let evaluate = |input: &Input| {
                let vertical = law.vertical(0.02, 0.1, &VerticalInput { spin: 30.0, ..Default::default() });
                law.forces(input).fy + law.pure(input).mz + vertical.force + law.effective_radius(input.load, 30.0, 0.0)
            };
            inputs.iter().map(evaluate).sum::<f64>()
        });
        assert!(count == 0 && sum.is_finite(), "{file}: {count} calls of the allocator");
    }
}
