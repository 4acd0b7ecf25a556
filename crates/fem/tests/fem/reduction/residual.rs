//! Residual vectors of load cases: statically exact, whatever the load bends and stretches.

use super::support::{parse, settings, try_reduce};
use ballesta::math::larger;
use ballesta_fem::model::FiniteElementModel;
use ballesta_fem::reduction::{ModeChoice, ResidualLoads, Settings};
use nalgebra::{DMatrix, DVector};

/// Section forces under the load case of the structure, its first interface held.
fn section_forces(model: &FiniteElementModel, settings: &Settings) -> Vec<f64> {
    let reduction = try_reduce(model, settings).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    let rom = &reduction.rom;
    let free: Vec<usize> = (6..rom.size()).collect();
    let load = |q: usize| model.loads[0].forces.iter().map(|(dof, force)| reduction.basis[(*dof, q)] * force).sum();
    let load = DVector::from_iterator(free.len(), free.iter().map(|q| load(*q)));
    let stiffness: DMatrix<f64> = rom.stiffness().select_rows(&free).select_columns(&free);
    let q = stiffness.cholesky().expect("held").solve(&load);
    let row = |row: &Vec<f64>| free.iter().zip(q.iter()).map(|(column, value)| row[*column] * value).sum::<f64>();
    rom.sections.iter().flat_map(|section| section.displacement.iter().map(row)).collect()
}

#[test]
fn a_load_case_that_mostly_bends_has_its_axial_forces_too() {
    crate::root::at_root();
    // A random frame of slender beams: what five modes miss of the load moves 4e-7 of it and carries 5 % of a force.
    let model = parse(include_str!("bent_and_stretched.toml"));
    let boundary: usize = model.interfaces.iter().map(|interface| interface.dofs.iter().flatten().count()).sum();
    let all = section_forces(&model, &settings(ModeChoice::Count(model.size() - boundary)));
    let residual = ResidualLoads { gravity: true, cases: true, ..ResidualLoads::default() };
    for modes in [1, 5] {
        let few = section_forces(&model, &Settings { residual, ..settings(ModeChoice::Count(modes)) });
        let size = all.iter().fold(0.0, |most, force| larger(most, force.abs()));
        let off = all.iter().zip(&few).fold(0.0, |most, (all, few)| larger(most, (all - few).abs()));
        assert!(size > 100.0 && off <= 1e-6 * size, "{modes} modes: {off:e} of {size:e}");
    }
}
