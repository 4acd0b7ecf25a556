//! Stress stiffening by the body's own inertia: a cantilever that rotates about its root.

use super::support::{parse, reduce};
use ballesta::rom::elastic_modes::unpack;
use ballesta_fem::reduction::ModeChoice;

/// First flap frequency ω √(ρA L⁴ / EI) for γ = Ω √(ρA L⁴ / EI) = 0 … 6, hub radius 0.
const FLAP: [f64; 7] = [3.5160, 3.6816, 4.1373, 4.7973, 5.5850, 6.4495, 7.3604];

fn blade(interfaces: &str) -> String {
    format!(
        r#"
        [structure]
        name = "blade"
        [nodes]
        root = [0, 0, 0]
        tip = [2, 0, 0]
        [[material]]
        name = "steel"
        youngs_modulus = 2.1e11
        density = 7800
        [[section]]
        name = "bar"
        shape = "rectangle"
        width = 0.02
        height = 0.01
        [[beam]]
        name = "blade"
        nodes = ["root", "tip"]
        material = "steel"
        section = "bar"
        divisions = 24
        {interfaces}
        "#
    )
}

#[test]
fn flap_frequencies_of_a_rotating_cantilever_are_those_of_the_literature() {
    crate::root::at_root();
    let root = "[[interface]]\nname = \"root\"\nnode = \"root\"";
    let tip = "[[interface]]\nname = \"tip\"\nnode = \"tip\"";
    for interfaces in [root.to_string(), format!("{root}\n{tip}")] {
        let rom = reduce(&parse(&blade(&interfaces)), ModeChoice::Count(16)).rom;
        let stiffening = rom.stiffening.as_ref().expect("own elements");
        // Root held; rotation about z, bending along z.
        let free: Vec<usize> = (6..rom.size()).collect();
        let part = |matrix: nalgebra::DMatrix<f64>| matrix.select_rows(&free).select_columns(&free);
        let (k, m) = (part(rom.stiffness()), part(rom.mass()));
        let stiff = part(unpack(&stiffening.angular_velocity[2], rom.size()));
        let unit = (2.1e11 * 0.02 * 0.01_f64.powi(3) / 12.0 / (7800.0 * 0.02 * 0.01 * 2.0_f64.powi(4))).sqrt();
        for (gamma, expected) in FLAP.iter().enumerate() {
            let total = &k + &stiff * (gamma as f64 * unit).powi(2);
            let squares = m.clone().cholesky().unwrap().solve(&total).complex_eigenvalues();
            // The blade is twice as stiff against lag as against flap: the lowest mode is a flap.
            let lowest = squares.iter().map(|square| square.re).fold(f64::INFINITY, f64::min).sqrt() / unit;
            println!("γ = {gamma}: {lowest:.4} ({expected})");
            assert!((lowest / expected - 1.0).abs() < 5e-4, "γ = {gamma}: {lowest} {expected}");
        }
    }
}

#[test]
fn stiffening_by_acceleration_is_that_of_the_axial_force_it_causes() {
    crate::root::at_root();
    // Pulled along its axis by its root at a, the blade is under N(x) = −ρA (L − x) a: it buckles at 7.8373 EI / L² of
    // weight.
    let rom = reduce(&parse(&blade("[[interface]]\nname = \"root\"\nnode = \"root\"")), ModeChoice::Count(16)).rom;
    let stiffening = rom.stiffening.as_ref().expect("own elements");
    let free: Vec<usize> = (6..rom.size()).collect();
    let part = |matrix: nalgebra::DMatrix<f64>| matrix.select_rows(&free).select_columns(&free);
    let k = part(rom.stiffness());
    let stiff = part(unpack(&stiffening.translation[0], rom.size()));
    let factors = k.cholesky().unwrap().solve(&stiff).complex_eigenvalues();
    let most = factors.iter().map(|factor| factor.re).fold(f64::INFINITY, f64::min);
    let critical = -1.0 / most;
    let bending = 2.1e11 * 0.02 * 0.01_f64.powi(3) / 12.0;
    let expected = 7.8373 * bending / 4.0 / rom.rigid.mass;
    assert!((critical / expected - 1.0).abs() < 1e-3, "{critical} {expected}");
}
