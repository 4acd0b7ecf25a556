//! What moves the mechanism besides forces: guided coordinates and initial requests.

use super::names::Names;
use crate::force::Lookup;
use crate::model::coordinates::Measure;
use crate::model::schema::PerCoordinate;
use crate::system::{ENERGIES, Guide, Guided, Requests, Spline};

pub(super) fn guided(names: &Names) -> Vec<Guided> {
    let mut state = ENERGIES.end;
    let input = |name: &str| names.model.inputs.iter().position(|input| input.name == name).unwrap_or(0);
    let tau = std::f64::consts::TAU;
    names
        .model
        .guided
        .iter()
        .map(|item| {
            let gain = item.gain.as_ref().map_or(1.0, |number| names.number(number));
            let guide = if let Some(motion) = &item.motion {
                Guide::Motion {
                    offset: names.number(&motion.offset),
                    speed: names.number(&motion.speed),
                    amplitude: names.number(&motion.amplitude),
                    omega: tau * names.number(&motion.frequency),
                    phase: names.number(&motion.phase),
                }
            } else if let Some(spin_up) = &item.spin_up {
                Guide::SpinUp { speed: names.number(&spin_up.speed), time: names.number(&spin_up.time) }
            } else if let Some(table) = &item.table {
                Guide::Table(Spline::new(table.clone()))
            } else if let Some(inputs) = &item.inputs {
                Guide::Inputs { index: [input(&inputs[0]), input(&inputs[1]), input(&inputs[2])], gain }
            } else {
                let frequency = item.filter_frequency.as_ref().map_or(1.0, |number| names.number(number));
                let filter = Guide::Filtered {
                    input: input(item.input.as_deref().unwrap_or("")),
                    gain,
                    omega: tau * frequency,
                    state,
                };
                state += 3;
                filter
            };
            let coordinate = names.coordinate(&item.joint, item.coordinate.as_deref());
            Guided { name: item.name.clone(), coordinate, guide }
        })
        .collect()
}

/// Initial requests, one list per kind.
pub(super) fn requests(names: &Names, q: &mut [f64]) -> Requests {
    let mut requests = Requests::default();
    for (file, joint) in names.model.joints.iter().enumerate() {
        let Some(tree) = names.joint_places[file].tree.map(|tree| &names.joints[tree]) else { continue };
        let list = |values: &PerCoordinate| match values {
            PerCoordinate::One(number) => vec![names.number(number)],
            PerCoordinate::Each(numbers) => numbers.iter().map(|number| names.number(number)).collect(),
        };
        let degrees = |(index, value): (usize, f64)| {
            let coordinate = tree.kind.coordinates().iter().find(|coordinate| coordinate.position == index);
            let angle = coordinate.is_some_and(|coordinate| coordinate.measure == Measure::Angle);
            if angle { value.to_radians() } else { value }
        };
        let positions = match (&joint.position, &joint.position_deg) {
            (Some(values), _) => list(values),
            (None, Some(values)) => list(values).into_iter().enumerate().map(degrees).collect(),
            (None, None) => vec![],
        };
        for (index, &value) in positions.iter().enumerate() {
            q[tree.q + index] = value;
            requests.positions.push((tree.q + index, value));
        }
        tree.normalize(q);
        if !positions.is_empty() {
            requests.placed.extend(tree.v_range());
        }
        let speeds = joint.speed.as_ref().map_or(vec![], list);
        requests.speeds.extend(speeds.iter().enumerate().map(|(index, &value)| (tree.v + index, value)));
    }
    requests
}
