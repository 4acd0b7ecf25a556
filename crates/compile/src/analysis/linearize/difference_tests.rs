//! Comparison of the matrices with differences of complete evaluations, extrapolated to zero from three step lengths.

use super::*;
use crate::check::numbers::{Random, larger};
use crate::compile;
use ballesta_model as model;
use ballesta_solver::dynamics::close_stage;
use ballesta_solver::force::Element;
use std::path::PathBuf;

/// Lengths of the differences in units of the coordinates, m/s, ..., each half the previous one.
const LENGTHS: [f64; 4] = [4e-4, 2e-4, 1e-4, 5e-5];

/// One column of A below the kinematics with C beneath, or of B with D, and its error bound.
fn column(
    point: &OperatingPoint,
    ws: &mut Workspace,
    filters: &[usize],
    variable: Variable,
    unit: f64,
) -> Option<Vec<(f64, f64)>> {
    let system = point.system;
    let mut side = |amount: f64| -> Option<Vec<f64>> {
        let outputs = outputs_beside(point, ws, variable, amount).ok()?;
        let mut values: Vec<f64> = point.coordinates.iter().map(|&v| ws.accelerations.zdd[v]).collect();
        values.extend(filters.iter().map(|&index| ws.rates.auxiliary[index]));
        values.extend(outputs.iter().zip(&system.interface.outputs).map(|(value, output)| match output.kind {
            ScalarKind::Real => *value,
            _ => 0.0,
        }));
        Some(values)
    };
    let mut quotients = Vec::new();
    for length in LENGTHS {
        let (ahead, behind) = (side(length * unit)?, side(-length * unit)?);
        let difference = ahead.iter().zip(&behind).map(|(ahead, behind)| (ahead - behind) / (2.0 * length * unit));
        let rounding = ahead.iter().zip(&behind).map(|(a, b)| 1e-15 * (a.abs() + b.abs()) / (length * unit));
        quotients.push((difference.collect::<Vec<f64>>(), rounding.collect::<Vec<f64>>()));
    }
    let extrapolated = |i: usize| {
        let mut row: [f64; 4] = std::array::from_fn(|k| quotients[k].0[i]);
        let mut before = row[3];
        for (length, order) in [(3, 4.0), (2, 16.0), (1, 64.0)] {
            before = row[length];
            (0..length).for_each(|k| row[k] = row[k + 1] + (row[k + 1] - row[k]) / (order - 1.0));
        }
        (row[0], 10.0 * (row[0] - before).abs() + 200.0 * quotients[3].1[i])
    };
    Some((0..quotients[0].0.len()).map(extrapolated).collect())
}

/// The number of entries of the matrices at `state` that were compared with differences, and the entries that deviate
/// by more than 1e-9 of their row (with tyres 1e-4, by shorter differences) beyond the error bound of the differences.
fn compare(system: &System, state: &State, ws: &mut Workspace) -> Option<(usize, Vec<String>)> {
    let model = linearize(system, state, ws).ok()?;
    let point = OperatingPoint::new(system, state, ws, false).ok()?;
    let (n, filters) = (model.size(), other_states(system));
    // Tyres have corners some 0.1 mm away, so the differences are shorter and less accurate.
    let (part, shorter) = if has_tyres(system) { (1e-4, 0.03) } else { (1e-9, 1.0) };
    let (states, open, interface) = (model.states.len(), system.open_outputs(), system.interface());
    let (mut count, mut apart) = (0, Vec::new());
    let size = |row: &[f64], unit: &dyn Fn(usize) -> f64| -> f64 {
        row.iter().enumerate().map(|(j, value)| (value * unit(j)).abs()).fold(0.0, larger)
    };
    let tunable: Vec<usize> =
        (0..interface.parameters.len()).filter(|&index| interface.parameters[index].tunable).collect();
    let of_parameters = states + model.inputs.len();
    for j in 0..of_parameters + tunable.len() {
        let unit = |j: usize| if j < 2 * n { model.units[j % n] } else { 1.0 };
        let (variable, length) = match j {
            _ if j < n => (Variable::Position(point.coordinates[j]), unit(j)),
            _ if j < 2 * n => (Variable::Speed(point.coordinates[j - n]), unit(j)),
            _ if j < states => {
                let state = filters[j - 2 * n];
                (Variable::Auxiliary(state), larger(1.0, point.state.auxiliary[state].abs()))
            }
            _ if j < of_parameters => (Variable::Input(j - states), if loads(system, j - states) { 1e4 } else { 1.0 }),
            _ => {
                let parameter = tunable[j - of_parameters];
                (Variable::Parameter(parameter), larger(1e-3, state.parameters[parameter].abs()))
            }
        };
        // At its limit an input can change in one direction only.
        let at_limit = |input: usize| interface.inputs[input].min == Some(state.inputs[input]);
        if (states..of_parameters).contains(&j) && at_limit(j - states) {
            continue;
        }
        let Some(found) = column(&point, ws, &filters, variable, shorter * length) else { continue };
        // Forces in stiff parts cancel in coordinates that are not moved.
        let most = found.iter().map(|(value, _)| value.abs()).fold(0.0, larger);
        let (top, bottom, at) = match j {
            _ if j < states => (&model.a, &model.c, j),
            _ if j < of_parameters => (&model.b, &model.d, j - states),
            _ => (&model.e, &model.f, j - of_parameters),
        };
        for (i, (row, (value, doubt))) in top[n..].iter().chain(bottom).zip(found).enumerate() {
            // These rows do not contain the kinematic terms of a rotating body in the rates of positions.
            let whole = size(row, &|j| if top.len() == model.a.len() && j < states { unit(j) } else { 1.0 });
            let scale = if j < 2 * n { length } else { 1.0 };
            let error = ((row[at] - value).abs() - doubt) * scale;
            // Differences that do not converge cross a corner of a law.
            if doubt * scale > 1e-5 * whole + 1e-6 {
                continue;
            }
            count += 1;
            let is_open = i + n >= top.len() && open.contains(&(i + n - top.len()));
            if !(error <= part * whole + 1e-7 + 1e-10 * most) && !is_open {
                let name = match i < top.len() - n {
                    true => &model.states[n + i],
                    false => &model.outputs[i + n - top.len()],
                };
                let by = model.states.iter().chain(&model.inputs).chain(&model.parameters).nth(j)?;
                apart.push(format!("{name} by {by}: {} and {value} ± {doubt} of {whole}", row[at]));
            }
        }
    }
    Some((count, apart))
}

/// Whether an input is a force or a torque, on which everything depends linearly.
fn loads(system: &System, input: usize) -> bool {
    ["N", "N.m"].contains(&system.interface().inputs[input].unit.as_str())
}

/// A state near the initial one in which nothing is symmetric or at rest: at corners of a law a central difference is
/// the mean of both sides.
fn disturbed(system: &System, ws: &mut Workspace) -> Option<State> {
    let point = OperatingPoint::new(system, &system.initial, ws, false).ok()?;
    let mut random = Random(11);
    let change: Vec<f64> = point.coordinates.iter().map(|&v| 2e-3 * random.number() * point.units[v]).collect();
    point.load(ws);
    point.displace(ws, &change);
    for &v in &point.coordinates {
        ws.stage.v[v] += 3e-2 * random.number() * point.units[v];
    }
    close_stage(system, &point.state, ws, point.state.time).ok()?;
    let mut state = point.state.clone();
    for line in system.elements.iter().filter(|element| matches!(element, Element::BrakeLine(_))) {
        line.states().for_each(|pressure| state.auxiliary[pressure] += 0.1);
    }
    state.q.copy_from_slice(&ws.stage.q);
    state.v.copy_from_slice(&ws.stage.v);
    Some(state)
}

#[test]
fn matrices_of_all_models_are_the_limits_of_differences() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut entries = 0;
    for path in paths.iter().filter(|path| path.join("model.toml").exists()) {
        let document = model::load(&path.join("model.toml")).unwrap_or_else(|errors| panic!("{errors}"));
        let parameters: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
        let system = compile(&document, &parameters).unwrap_or_else(|errors| panic!("{errors}"));
        let mut ws = Workspace::new(&system);
        // If this distant position cannot be closed: the initial one.
        let state = disturbed(&system, &mut ws).unwrap_or_else(|| system.initial.clone());
        match compare(&system, &state, &mut ws) {
            Some((count, apart)) => {
                assert!(apart.is_empty(), "{}: {}", path.display(), apart.join("\n"));
                entries += count;
            }
            None => println!("{}: in a singular position", path.display()),
        }
    }
    assert!(entries > 45_000, "{entries}");
}
