//! Directional derivatives in Model Exchange: by states and inputs, of state derivatives and outputs.

use super::{gallery, integrated, moved, runge_kutta};
use crate::models;
use crate::support::{H, Resources, fmi2Error, fmi2OK};
use ballesta::fmi::variables::Binding;
use ballesta::simulate::Simulator;
use ballesta::simulate::derivatives::Known;
use ballesta::system::{ScalarKind, StatePlace};
use std::sync::Arc;

#[test]
fn derivatives_by_states_and_inputs_are_those_of_differences() {
    let resources = Resources::driven();
    let instance = integrated(&resources);
    assert_eq!(instance.set("torque", 0.75), fmi2OK);
    (0..50).for_each(|i| runge_kutta(&instance, f64::from(i) * H, H));
    let of = |wanted: fn(&Binding) -> bool| {
        let found = resources.variables.iter().filter(move |variable| wanted(&variable.binding));
        found.map(|variable| variable.name.clone()).collect::<Vec<_>>()
    };
    let rates = of(|binding| matches!(binding, Binding::Derivative(_)));
    let states = of(|binding| matches!(binding, Binding::State(_)));
    let (x, unknowns) = (instance.get_states(), rates.iter().map(String::as_str).chain(["left.acceleration", "B1.x"]));
    let unknowns: Vec<&str> = unknowns.collect();
    let values = || unknowns.iter().map(|name| instance.get(name)).collect::<Vec<_>>();
    for (k, name) in states.iter().enumerate() {
        let mut unit = vec![0.0; x.len()];
        unit[k] = 1.0;
        let side = |amount: f64| {
            assert_eq!(instance.set_states(&moved(&x, &unit, amount)), fmi2OK);
            values()
        };
        let sides = [-2e-4, -1e-4, 1e-4, 2e-4].map(side);
        assert_eq!(instance.set_states(&x), fmi2OK);
        for (i, unknown) in unknowns.iter().enumerate() {
            let quotient = (8.0 * (sides[2][i] - sides[1][i]) - (sides[3][i] - sides[0][i])) / 12e-4;
            let (status, found) = instance.directional(unknown, &[name], &[1.0]);
            assert_eq!(status, fmi2OK, "{}", instance.messages.text());
            assert!(
                (found - quotient).abs() < 1e-8 * quotient.abs().max(1.0),
                "{unknown} by {name}: {found} {quotient}"
            );
        }
    }
    // Seeds of several knowns add up, also of states with inputs.
    let along = |seed: [f64; 2]| instance.directional("left.acceleration", &["state.position.A0", "torque"], &seed).1;
    let sum = 2.0 * along([1.0, 0.0]) - 3.0 * along([0.0, 1.0]);
    assert!(sum != 0.0 && (along([2.0, -3.0]) - sum).abs() < 1e-9 * sum.abs());
    assert_eq!(instance.directional(&rates[0], &["damping"], &[1.0]).0, fmi2Error);
    assert!(instance.messages.text().contains("'damping' is neither an input nor a state"));
    // In Co-Simulation states are no knowns.
    assert_eq!(resources.initialized().directional("B1.x", &[&states[0]], &[1.0]).0, fmi2Error);
}

/// Along a direction that moves everything, the derivatives of every model are those of differences with extrapolation;
/// the states have drifted off the closed positions.
#[test]
fn derivatives_along_a_direction_are_those_of_differences_for_all_models() {
    let (mut models, mut all, mut compared) = (0, 0, 0);
    for path in gallery() {
        let document = models::load(&path);
        let system = Arc::new(models::compiled(&document));
        let interface = system.interface();
        if interface.not_continuous.is_some() {
            continue;
        }
        let mut simulator = Simulator::new(system.clone());
        let (states, outputs) = (interface.states.len(), interface.outputs.len());
        let mut x = vec![0.0; states];
        simulator.continuous_states(&mut x);
        let wave = |k: usize| (1.3 * k as f64 + 0.7).sin();
        for (k, (x, info)) in x.iter_mut().zip(&interface.states).enumerate() {
            // Nothing at rest, where laws have corners; positions off the closed ones by little.
            let size = if matches!(info.place, StatePlace::Position(_)) { 1e-9 } else { 1e-2 };
            *x += size * info.nominal.min(1.0) * wave(3 * k);
        }
        let direction: Vec<f64> =
            interface.states.iter().enumerate().map(|(k, info)| info.nominal.min(1.0) * wave(k)).collect();
        simulator.set_continuous_states(&x).unwrap();
        let knowns = interface.states.iter().zip(&direction).map(|(info, &seed)| (Known::State(info.place), seed));
        let (mut of_outputs, mut of_rates) = (vec![0.0; outputs], vec![0.0; states]);
        if simulator.derivatives_along(knowns, &mut of_outputs, &mut of_rates).is_err() {
            continue;
        }
        let mut side = |amount: f64| -> Option<Vec<f64>> {
            let (mut rates, mut values) = (vec![0.0; states], vec![0.0; outputs]);
            simulator.set_continuous_states(&moved(&x, &direction, amount)).unwrap();
            simulator.derivatives(&mut rates).ok()?;
            simulator.continuous_outputs(&mut values).ok()?;
            rates.extend(values.iter().zip(&interface.outputs).map(|(value, output)| match output.kind {
                ScalarKind::Real => *value,
                _ => 0.0,
            }));
            Some(rates)
        };
        let quotient = |sides: [&Vec<f64>; 2], i: usize, length: f64| (sides[1][i] - sides[0][i]) / (2.0 * length);
        // A carcass slides after some micrometres.
        let short = if ["car", "truck", "van"].iter().any(|name| path.ends_with(name)) { 1e-7 } else { 1e-6 };
        let Some([a, b, c, z, d, e, f]) = [-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0]
            .map(|multiple| side(multiple * short))
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .and_then(|sides| <[Vec<f64>; 7]>::try_from(sides).ok())
        else {
            continue;
        };
        for (i, found) in of_rates.iter().chain(&of_outputs).enumerate() {
            // What redundant equations leave open has no derivative.
            let output = i.checked_sub(states).map(|output| &interface.outputs[output].name);
            if output.is_some_and(|name| system.report().undetermined.contains(name)) {
                assert!(found.is_nan(), "{}: {i}: {found}", path.display());
                continue;
            }
            let [fine, middle, coarse] =
                [(&c, &d, short), (&b, &e, 2.0 * short), (&a, &f, 4.0 * short)].map(|(p, q, l)| quotient([p, q], i, l));
            let extrapolated = fine + (fine - middle) / 3.0;
            // What rounding and corners make of differences shows in how they differ.
            let doubt = (fine - middle).abs() + (middle - coarse).abs();
            // At a corner, such as that of the magnitude of a camber of none, both sides have slopes of their own, and
            // differences their mean.
            let bend = (d[i] - 2.0 * z[i] + c[i]).abs() / short;
            let smooth = bend <= 1e-3 * extrapolated.abs() + 1e-5;
            all += 1;
            if smooth && doubt <= 1e-4 * extrapolated.abs() + 1e-6 {
                assert!(
                    (found - extrapolated).abs()
                        <= 1e-6 * extrapolated.abs() + 10.0 * doubt + bend + 1e-5 * c[i].abs() + 1e-6,
                    "{}: {i}: {found} and {extrapolated} ± {doubt}",
                    path.display()
                );
                compared += 1;
            }
        }
        models += 1;
    }
    assert!(models >= 45 && 10 * compared > 9 * all, "{compared} of {all} in {models} models");
}

/// What the list of a derivative leaves out moves it nowhere; most derivatives of positions have one.
#[test]
fn derivatives_of_states_depend_on_nothing_but_what_they_list() {
    let mut listed = 0;
    for path in gallery() {
        let document = models::load(&path);
        let system = Arc::new(models::compiled(&document));
        let interface = system.interface();
        let lists: Vec<_> = interface.states.iter().map(|state| state.rate.clone()).collect();
        listed += lists.iter().flatten().count();
        if lists.iter().flatten().count() == 0 {
            continue;
        }
        let (states, outputs) = (interface.states.len(), interface.outputs.len());
        let mut simulator = Simulator::new(system.clone());
        let (mut of_outputs, mut of_rates) = (vec![0.0; outputs], vec![0.0; states]);
        let inputs = (0..interface.inputs.len()).map(|input| (Known::Input(input), None, Some(input)));
        let by_states = interface.states.iter().enumerate().map(|(k, info)| (Known::State(info.place), Some(k), None));
        for (known, state, input) in by_states.chain(inputs).collect::<Vec<_>>() {
            let one = std::iter::once((known, 1.0));
            if simulator.derivatives_along(one, &mut of_outputs, &mut of_rates).is_err() {
                break;
            }
            for (i, (list, rate)) in lists.iter().zip(&of_rates).enumerate() {
                let Some(list) = list else { continue };
                let known = state.is_some_and(|state| list.states.contains(&state))
                    || input.is_some_and(|input| list.inputs.contains(&input));
                assert!(known || *rate == 0.0, "{}: {i} by {state:?} {input:?}: {rate}", path.display());
            }
        }
    }
    assert!(listed > 250, "{listed}");
}
