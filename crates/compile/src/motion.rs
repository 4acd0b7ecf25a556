//! Prescribed motion: driven coordinates, and the design position with the initial requests.

use super::elements::Lookup;
use super::names::Names;
use ballesta_model::schema::{self, PerCoordinate};
use ballesta_solver::force::CoordinateIx;
use ballesta_solver::joint::TreeJoint;
use ballesta_solver::joint::coordinates::Measure;
use ballesta_solver::system::{ENERGIES, Guide, Guided, Requests, Spline};
use std::f64::consts::TAU;

/// Driven coordinates.
pub(super) struct Guides {
    pub(super) guided: Vec<Guided>,
    /// End of their auxiliary states.
    pub(super) states: usize,
}

impl Guides {
    /// The driven coordinates of the file, then the modes that are too fast for the step, which are held.
    pub(super) fn new(names: &Names) -> Guides {
        let mut states = ENERGIES.end;
        let of_file = |item: &schema::Guided| {
            let coordinate = names.coordinate(&item.joint, item.coordinate.as_deref());
            Guided { name: item.name.clone(), coordinate, guide: guide(names, item, &mut states) }
        };
        let mut guided: Vec<Guided> = names.model.guided.iter().map(of_file).collect();
        for body in &names.numbering.flexible {
            for k in body.modes() - body.residual..body.modes() {
                let coordinate = CoordinateIx { position: body.q.start + k, velocity: body.v.start + k };
                let name = format!("{} mode {}", body.name, k + 1);
                guided.push(Guided { name, coordinate, guide: Guide::Residual { state: states } });
                // Its position and its last change.
                states += 2;
            }
        }
        Guides { guided, states }
    }
}

/// A driven coordinate of the file; `states`: number of auxiliary states, to which it adds its own.
fn guide(names: &Names, item: &schema::Guided, states: &mut usize) -> Guide {
    let input = |name: &str| names.model.inputs.iter().position(|input| input.name == name).expect("validated");
    let gain = item.gain.as_ref().map_or(1.0, |number| names.number(number));
    if let Some(motion) = &item.motion {
        Guide::Motion {
            offset: names.number(&motion.offset),
            speed: names.number(&motion.speed),
            amplitude: names.number(&motion.amplitude),
            omega: TAU * names.number(&motion.frequency),
            phase: names.number(&motion.phase),
        }
    } else if let Some(spin_up) = &item.spin_up {
        Guide::SpinUp { speed: names.number(&spin_up.speed), time: names.number(&spin_up.time) }
    } else if let Some(table) = &item.table {
        Guide::Table(Spline::new(table.clone()))
    } else if let Some(inputs) = &item.inputs {
        Guide::Inputs { index: [input(&inputs[0]), input(&inputs[1]), input(&inputs[2])], gain }
    } else {
        let frequency = names.number(item.filter_frequency.as_ref().expect("validated"));
        let state = *states;
        *states += 3;
        Guide::Filtered { input: input(item.input.as_deref().expect("validated")), gain, omega: TAU * frequency, state }
    }
}

/// Start of the assembly.
pub(super) struct Start {
    /// The design position with the requests.
    pub(super) q: Vec<f64>,
    /// One list per kind.
    pub(super) requests: Requests,
}

impl Start {
    pub(super) fn new(names: &Names) -> Start {
        let numbering = names.numbering;
        let mut start = Start { q: vec![0.0; numbering.nq], requests: Requests::default() };
        for joint in &numbering.joints {
            if let Some(iq) = joint.kind.quaternion() {
                start.q[joint.q + iq] = 1.0;
            }
        }
        for (joint, place) in names.model.joints.iter().zip(&numbering.joint_places) {
            if let Some(tree) = place.tree {
                start.request(names, joint, &numbering.joints[tree]);
            }
        }
        start
    }

    fn request(&mut self, names: &Names, joint: &schema::Joint, tree: &TreeJoint) {
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
            self.q[tree.q + index] = value;
            self.requests.positions.push((tree.q + index, value));
        }
        tree.normalize(&mut self.q);
        if !positions.is_empty() {
            self.requests.placed.extend(tree.v_range());
        }
        let speeds = joint.speed.as_ref().map_or(vec![], list);
        self.requests.speeds.extend(speeds.iter().enumerate().map(|(index, &value)| (tree.v + index, value)));
    }
}
