//! What holds for every reduced model.

use super::support::{GALLERY, load, reduce, settings, try_reduce};
use crate::check::larger;
use ballesta::math::{Vec3, largest};
use ballesta::rom;
use ballesta_fem::comparison::compare;
use ballesta_fem::export::to_toml;
use ballesta_fem::reduction::{ModeChoice, ResidualLoads};

/// The digits of the matrices of another program limit what can be asked of them: 16 digits, but computed in another
/// order.
fn rigid_tolerance(name: &str) -> f64 {
    if name == "solid" { 1e-9 } else { 1e-10 }
}

#[test]
fn rigid_motions_meet_no_stiffness_and_there_are_exactly_six_or_three() {
    crate::root::at_root();
    for name in GALLERY {
        let (_, model) = load(name);
        let rom = reduce(&model, ModeChoice::Count(6)).rom;
        let checks = &rom.checks;
        println!("{name}: K·R full {:.1e}, reduced {:.1e}", checks.full_rigid_stiffness, checks.rigid_stiffness);
        assert!(checks.full_rigid_stiffness <= rigid_tolerance(name), "{name}: {:e}", checks.full_rigid_stiffness);
        assert!(checks.rigid_stiffness <= 1e-14, "{name}: {:e}", checks.rigid_stiffness);
        // Counted on the matrices alone, without knowing the rigid motions.
        let (k, m) = (rom.stiffness(), rom.mass());
        let l = m.clone().cholesky().expect("a positive definite mass").l();
        let half = l.solve_lower_triangular(&k).unwrap();
        let standard = l.solve_lower_triangular(&half.transpose()).unwrap();
        let mut squares: Vec<f64> =
            ((&standard + standard.transpose()) * 0.5).symmetric_eigenvalues().iter().copied().collect();
        squares.sort_by(f64::total_cmp);
        let first = (std::f64::consts::TAU * checks.free_frequencies_hz[0]).powi(2);
        let zeros = squares.iter().filter(|square| square.abs() < 1e-3 * first).count();
        assert_eq!(zeros, if rom.source.dimension == 2 { 3 } else { 6 }, "{name}: {squares:?}");
    }
}

#[test]
fn mass_centre_and_inertia_are_those_of_the_full_structure() {
    crate::root::at_root();
    for name in GALLERY {
        let (_, model) = load(name);
        let rom = reduce(&model, ModeChoice::Count(5)).rom;
        let full = model.rigid_motions(Vec3::zeros());
        let full = full.transpose() * model.mass.multiply(full.as_ref());
        let motions = rom.rigid_motions();
        let reduced = motions.transpose() * rom.mass() * &motions;
        let size = model.nodes.iter().fold(0.0_f64, |most, node| larger(most, node.position.norm()));
        for i in 0..6 {
            for j in 0..6 {
                let scale = rom.rigid.mass * size.powi(i32::from(i >= 3) + i32::from(j >= 3));
                let error = (reduced[(i, j)] - full[(i, j)]).abs() / scale;
                assert!(error < 1e-12, "{name} ({i}, {j}): {error:e}");
            }
        }
        // The centre of mass decouples translations and rotations.
        let central = model.rigid_motions(rom.rigid.centre.into());
        let central = central.transpose() * model.mass.multiply(central.as_ref());
        for (i, j) in (0..3).flat_map(|i| (3..6).map(move |j| (i, j))) {
            assert!(central[(i, j)].abs() < 1e-11 * rom.rigid.mass * size, "{name}: {:e}", central[(i, j)]);
        }
        assert!((central[(5, 5)] - rom.rigid.inertia[2]).abs() < 1e-12 * rom.rigid.mass * size * size, "{name}");
    }
}

#[test]
fn free_frequencies_are_never_below_those_of_the_full_structure_and_come_near() {
    crate::root::at_root();
    for name in GALLERY {
        let (_, model) = load(name);
        let reduction = reduce(&model, ModeChoice::Count(8));
        let pairs = compare(&model, &reduction, 6).expect("a sound structure");
        for (i, pair) in pairs.iter().enumerate() {
            // By order (Rayleigh, Courant): the i-th of the reduced model is not below the i-th of the full one.
            let error = reduction.rom.checks.free_frequencies_hz[i] / pair.full_hz - 1.0;
            assert!(error > -1e-9, "{name}, mode {i}: {error:e}");
            // The upper modes are where a reduction ends.
            assert!(i >= 3 || error < 5e-3, "{name}, mode {i}: {error:e}");
            assert!(i >= 3 || pair.assurance > 0.99, "{name}, mode {i}: MAC {}", pair.assurance);
        }
    }
}

#[test]
fn two_reductions_give_the_same_file_and_it_is_accepted() {
    crate::root::at_root();
    for name in GALLERY {
        let (_, model) = load(name);
        let mut wanted = settings(ModeChoice::Count(7));
        wanted.residual = ResidualLoads { gravity: true, rotation: true, cases: true };
        let texts = [(); 2]
            .map(|()| try_reduce(&model, &wanted).unwrap_or_else(|e| panic!("{name}: {e:?}")))
            .map(|made| to_toml(&made.rom));
        assert!(texts[0] == texts[1], "{name}");
        let read = rom::parse(&texts[0], "rom.toml").unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(ballesta_fem::export::to_toml(&read) == texts[0], "{name}");
    }
}

#[test]
fn static_answers_to_interface_forces_are_exact_without_any_mode() {
    crate::root::at_root();
    for name in ["frame", "space_frame", "slender_beam"] {
        let (_, model) = load(name);
        let exact = reduce(&model, ModeChoice::Count(20)).rom;
        let coarse = reduce(&model, ModeChoice::Count(0)).rom;
        let b = coarse.boundary();
        let (fine, coarse) = (exact.stiffness(), coarse.stiffness());
        let difference = largest(&(fine.view((0, 0), (b, b)) - coarse.view((0, 0), (b, b))));
        assert!(difference <= 1e-12 * coarse.amax(), "{name}: {difference:e}");
        assert!(fine.view((b, 0), (fine.nrows() - b, b)).iter().all(|entry| *entry == 0.0), "{name}");
    }
}

#[test]
fn stiffening_blocks_are_symmetric_in_the_sense_that_tension_stiffens_and_compression_softens() {
    crate::root::at_root();
    let (_, model) = load("slender_beam");
    let rom = reduce(&model, ModeChoice::Count(6)).rom;
    let stiffening = rom.stiffening.as_ref().expect("own elements");
    assert_eq!(stiffening.support, "root");
    let tip = |direction: &str| {
        let load = stiffening.loads.iter().find(|load| load.interface == "tip" && load.direction == direction);
        rom::elastic_modes::unpack(&load.unwrap_or_else(|| panic!("{direction}")).stiffness, rom.size())
    };
    // A pull along the rod (0.8, 0.6, 0) of 1 N resists a lateral unit displacement of the tip by N/L · 6/5, in both
    // directions.
    let pull = tip("x") * 0.8 + tip("y") * 0.6;
    let q = rom.interfaces[1].columns().start;
    let lateral = |v: [f64; 3]| {
        (0..3).flat_map(|i| (0..3).map(move |j| (i, j))).map(|(i, j)| v[i] * pull[(q + i, q + j)] * v[j]).sum::<f64>()
    };
    for direction in [[-0.6, 0.8, 0.0], [0.0, 0.0, 1.0]] {
        let stiffness = lateral(direction);
        assert!((stiffness / (1.2 / 10.0) - 1.0).abs() < 1e-3, "{direction:?}: {stiffness}");
    }
    assert!(lateral([0.8, 0.6, 0.0]).abs() < 1e-9);
}

#[test]
fn mass_integrals_of_rigid_motions_are_mass_first_and_second_moments() {
    crate::root::at_root();
    for name in GALLERY {
        let (_, model) = load(name);
        let rom = reduce(&model, ModeChoice::Count(4)).rom;
        let (inertia, motions, mass) = (&rom.inertia, rom.rigid_motions(), rom.rigid.mass);
        let size = model.nodes.iter().fold(0.0_f64, |most, node| larger(most, node.position.norm()));
        let plane = rom.source.dimension == 2;
        let first = Vec3::from(inertia.first);
        for axis in (0..3).filter(|axis| *axis < 2 || !plane) {
            let error = (first[axis] - mass * rom.rigid.centre[axis]).abs() / (mass * size);
            assert!(error < 1e-11, "{name}: {error:e}");
        }
        let row =
            |row: &[f64], column: usize| row.iter().zip(motions.column(column).iter()).map(|(a, b)| a * b).sum::<f64>();
        for a in 0..3 {
            for c in (0..6).filter(|c| motions.column(*c).amax() > 0.0) {
                let unit = Vec3::ith(c % 3, 1.0);
                let (expected, scale) = match c < 3 {
                    true => (if a == c { mass } else { 0.0 }, mass),
                    false => (unit.cross(&first)[a], mass * size),
                };
                let found = row(&inertia.translation[a], c);
                assert!((found - expected).abs() < 1e-10 * scale, "{name} ∫Φ_{a} dm, motion {c}: {found} {expected}");
            }
        }
        // A turn about z moves x by −y: ∫ x_a (e_z × x)_b dm are second moments.
        let [xx, yy, _, xy, ..] = inertia.second;
        let turn = [(0, -xy), (1, xx), (3, -yy), (4, xy)];
        for (ab, expected) in turn {
            let found = row(&inertia.position[ab], 5);
            assert!((found - expected).abs() < 1e-10 * mass * size * size, "{name} {ab}: {found} {expected}");
        }
        // ∫ Φ_aᵀ Φ_a dm over rigid translations is the mass, ∫ Φ_xᵀ Φ_y dm mixes x with y only.
        let square = rom::elastic_modes::unpack(&inertia.square[0], rom.size());
        let x = motions.column(0);
        assert!(((x.transpose() * square * x)[0] / mass - 1.0).abs() < 1e-10, "{name}");
        let product = nalgebra::DMatrix::from_row_slice(rom.size(), rom.size(), &inertia.product[0]);
        let y = motions.column(1);
        assert!(((x.transpose() * &product * y)[0] / mass - 1.0).abs() < 1e-10, "{name}");
        assert!((y.transpose() * &product * x)[0].abs() < 1e-10 * mass, "{name}");
    }
}
