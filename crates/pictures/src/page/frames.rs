//! The motion of a run, for the page: poses of all bodies, elastic coordinates and loads at up to 60 points per second.
//!
//! The recorder looks at states between communication steps and evaluates them in scratch memory of its own: it changes
//! no bit of the run, and no communication point is added.

use super::encode::{Series, ranged, series};
use super::parts::Extent;
use ballesta::dynamics::{evaluate, load_stage};
use ballesta::force::{Element, Loads};
use ballesta::math::rotation::quaternion;
use ballesta::math::spatial::Wrench;
use ballesta::math::{Mat3, Vec3};
use ballesta::system::{State, System, Workspace};
use serde::Serialize;
use std::sync::Arc;

/// Frames per simulated second.
const RATE: f64 = 60.0;
/// Frames of a short run, at least, as far as it has communication points.
const FEWEST: f64 = 600.0;
/// Frames of a long run, at most.
const MOST: f64 = 6000.0;
/// Resolution of positions, as a part of the size of the mechanism.
const POSITION: f64 = 1e-5;
/// Resolution of the four components of a rotation.
const ROTATION: f64 = 1.0 / 32768.0;
/// Steps within the range of a load, an elastic coordinate.
const STEPS: f64 = 16384.0;

/// Where a load acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadKind {
    /// `[[force]]`, aerodynamic drag.
    Force,
    /// `[[torque]]`.
    Torque,
    /// Of the road on a tyre, or what a wheel port brings.
    Contact,
    /// Of a bushing or leaf spring on its second body.
    Connection,
}

/// Loads of one force element.
struct LoadSeries {
    element: usize,
    kind: LoadKind,
    body: usize,
    /// Where it acts from the body's origin, in its frame; of tyres the contact point in the world.
    point: Vec3,
    places: Vec<Vec3>,
    values: Vec<Vec3>,
}

/// A load of the page.
#[derive(Serialize)]
pub struct Load {
    /// Name of the element.
    #[serde(skip)]
    pub name: String,
    /// Its row in the tree.
    pub i: usize,
    /// What it is.
    pub kind: LoadKind,
    /// Body it acts on.
    pub b: usize,
    /// Where, in the body's frame; none where it moves through the world.
    pub p: Option<[f64; 3]>,
    /// Its place in the world where that is no point of the body.
    pub at: Option<[Series; 3]>,
    /// N or N m, world axes.
    pub v: [Series; 3],
}

/// What was recorded.
#[derive(Serialize)]
pub struct Frames {
    /// Times in s, as a series.
    pub times: Series,
    /// Their number.
    pub count: usize,
    /// Per body, the ground included: x, y, z in m and the rotation w, x, y, z.
    pub poses: Vec<Vec<Series>>,
    /// Per flexible body its elastic coordinates.
    pub elastic: Vec<Vec<Series>>,
    /// Spring forces by element name: N or N m, tension positive.
    pub tensions: Vec<(usize, Series)>,
    /// From and to of what was computed near singular positions, s.
    pub singular: Vec<[f64; 2]>,
    /// When and why it stopped early.
    pub fault: Option<(f64, String)>,
    /// When coordinates were chosen anew, s.
    pub choices: Vec<f64>,
}

impl Frames {
    /// One frame without loads.
    pub fn at_rest(poses: Vec<Vec<Series>>, elastic: Vec<Vec<Series>>) -> Frames {
        Frames {
            times: Series::Constant(0.0),
            count: 1,
            poses,
            elastic,
            tensions: Vec::new(),
            singular: Vec::new(),
            fault: None,
            choices: Vec::new(),
        }
    }
}

/// The motion as it was taken.
pub struct Track<'a> {
    /// Times, s.
    pub times: &'a [f64],
    /// Per body, the ground included, and frame: x, y, z in m and the rotation w, x, y, z, continuous in sign.
    pub poses: &'a [[Vec<f64>; 7]],
    /// Per flexible body, elastic coordinate and frame.
    pub elastic: &'a [Vec<Vec<f64>>],
}

/// Takes frames.
pub struct Recorder {
    system: Arc<System>,
    ws: Workspace,
    /// Evaluation of the first frame.
    first: Workspace,
    /// Communication points from one frame to the next.
    every: usize,
    /// Communication points until the next frame.
    left: usize,
    stop: f64,
    times: Vec<f64>,
    poses: Vec<[Vec<f64>; 7]>,
    elastic: Vec<Vec<Vec<f64>>>,
    loads: Vec<LoadSeries>,
    tensions: Vec<(usize, Vec<f64>)>,
    singular: Vec<[f64; 2]>,
    choices: Vec<f64>,
    repartitions: Option<u32>,
    last: Option<f64>,
    wrenches: Vec<Wrench>,
    efforts: Vec<f64>,
    rates: Vec<f64>,
    patches: Vec<Option<ballesta::force::tyre::Patch>>,
}

/// World coordinates of the origin of a body's frame, and its rotation.
pub fn pose(system: &System, ws: &Workspace, body: usize) -> (Vec3, Mat3) {
    let motion = &ws.kinematics.bodies[body];
    (motion.position + motion.reference + system.origin, motion.rotation)
}

impl Recorder {
    /// For a run from `start` to `stop` with communication points every `step`, s.
    pub fn new(system: Arc<System>, start: f64, stop: f64, step: f64) -> Recorder {
        let span = stop - start;
        let every = (1.0 / RATE).min(span / FEWEST).max(span / MOST);
        // Whole communication steps, so that the frames have equal distances.
        let every = (every / step).round().clamp(1.0, 1e9) as usize;
        let (ws, first) = (Workspace::new(&system), Workspace::new(&system));
        let loads = system.elements.iter().enumerate().filter_map(|(element, of)| {
            let (kind, body, point) = match of {
                Element::Force(force) => (LoadKind::Force, force.point.body.0, force.point.point),
                Element::Torque(torque) => (LoadKind::Torque, torque.body.0, Vec3::zeros()),
                Element::AerodynamicDrag(drag) => (LoadKind::Force, drag.point.body.0, drag.point.point),
                Element::Tyre(_) => (LoadKind::Contact, of.bodies().first()?.0, Vec3::zeros()),
                Element::WheelPort(port) => (LoadKind::Contact, port.wheel.0, Vec3::zeros()),
                Element::Bushing(bushing) => (LoadKind::Connection, bushing.ends[1].body.0, bushing.ends[1].point),
                Element::LeafSpring(leaf) => (LoadKind::Connection, leaf.seats[1].body.0, leaf.seats[1].point),
                _ => return None,
            };
            (body != 0).then(|| LoadSeries { element, kind, body, point, places: Vec::new(), values: Vec::new() })
        });
        let loads: Vec<LoadSeries> = loads.collect();
        let tensions = system.elements.iter().enumerate().filter(|(_, of)| is_line(of));
        let tensions = tensions.map(|(element, _)| (element, Vec::new())).collect();
        Recorder {
            every,
            left: 0,
            stop,
            times: Vec::new(),
            poses: system.bodies.iter().map(|_| Default::default()).collect(),
            elastic: system.flexible.iter().map(|body| vec![Vec::new(); body.modes()]).collect(),
            loads,
            tensions,
            singular: Vec::new(),
            choices: Vec::new(),
            repartitions: None,
            last: None,
            wrenches: vec![Wrench::zero(); system.bodies.len()],
            efforts: vec![0.0; system.nv],
            rates: vec![0.0; ws.rates.auxiliary.len()],
            patches: ws.loads.patches.clone(),
            ws,
            first,
            system,
        }
    }

    /// Looks at the state of a communication point.
    pub fn look(&mut self, state: &State) {
        let time = state.time;
        let before = self.last.replace(time).unwrap_or(time);
        if state.near_singular != 0 {
            match self.singular.last_mut() {
                Some(range) if range[1] >= before => range[1] = time,
                _ => self.singular.push([before, time]),
            }
        }
        if self.repartitions.replace(state.repartitions).is_some_and(|known| known != state.repartitions) {
            self.choices.push(time);
        }
        if self.left == 0 || time >= self.stop {
            self.take(state);
            self.left = self.every;
        }
        self.left -= 1;
    }

    /// Looks at the state in which a run stopped, which may lie between communication points, and takes it as the last
    /// frame.
    pub fn look_at_end(&mut self, state: &State) {
        self.last = Some(state.time);
        if self.times.last().is_none_or(|last| *last < state.time) {
            self.take(state);
        }
    }

    /// Takes a frame of `state`.
    fn take(&mut self, state: &State) {
        let Recorder { system, ws, .. } = self;
        load_stage(system, state, ws, state.time);
        if evaluate(system, state, ws, state.time).is_err() {
            return;
        }
        if self.times.is_empty() {
            load_stage(system, state, &mut self.first, state.time);
            let _ = evaluate(system, state, &mut self.first, state.time);
        }
        self.times.push(state.time);
        for (body, series) in self.poses.iter_mut().enumerate() {
            let (at, rotation) = pose(system, ws, body);
            let q = quaternion(&rotation);
            let along: f64 = (0..4).map(|k| q[k] * series[3 + k].last().copied().unwrap_or(q[k])).sum();
            let sign = if along < 0.0 { -1.0 } else { 1.0 };
            for k in 0..3 {
                series[k].push(at[k]);
            }
            for k in 0..4 {
                series[3 + k].push(sign * q[k]);
            }
        }
        for (body, series) in system.flexible.iter().zip(&mut self.elastic) {
            series.iter_mut().zip(&ws.stage.q[body.q.clone()]).for_each(|(series, value)| series.push(*value));
        }
        self.take_loads(state);
    }

    fn take_loads(&mut self, state: &State) {
        let surroundings = self.ws.surroundings(state);
        for load in &mut self.loads {
            let element = &self.system.elements[load.element];
            self.wrenches.fill(Wrench::zero());
            element.add_loads(
                &surroundings,
                &mut Loads {
                    wrenches: &mut self.wrenches,
                    efforts: &mut self.efforts,
                    dissipated_power: 0.0,
                    input_power: 0.0,
                    rates: &mut self.rates,
                    patches: &mut self.patches,
                },
            );
            let wrench = &self.wrenches[load.body];
            load.values.push(if load.kind == LoadKind::Torque { wrench.moment } else { wrench.force });
            if let Element::Tyre(tyre) = element {
                load.places.push(tyre.evaluated_readout(&surroundings, &self.patches).contact);
            }
        }
        for (element, values) in &mut self.tensions {
            values.push(self.system.elements[*element].readout(&surroundings).force);
        }
    }

    /// The motion so far.
    pub fn track(&self) -> Track<'_> {
        Track { times: &self.times, poses: &self.poses, elastic: &self.elastic }
    }

    /// The system.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }

    /// Scratch with the evaluation of the first frame.
    pub fn first(&self) -> &Workspace {
        &self.first
    }

    /// Corners in x and y of the ground below the motion, with a margin around it.
    pub fn ground(&self, extent: &Extent) -> ([f64; 2], [f64; 2]) {
        let size = extent.size();
        let around = |k: usize, pick: fn(f64, f64) -> f64, from: f64| {
            self.poses.iter().skip(1).flat_map(|pose| pose[k].iter().copied()).fold(from, pick)
        };
        let corner =
            |pick: fn(f64, f64) -> f64, from: Vec3, margin: f64| [0, 1].map(|k| around(k, pick, from[k]) + margin);
        (corner(f64::min, extent.low, -0.5 * size), corner(f64::max, extent.high, 0.5 * size))
    }

    /// Everything, with `size` the size of the mechanism in m.
    pub fn finish(self, size: f64, fault: Option<String>) -> (Frames, Vec<Load>) {
        let three = |vectors: &[Vec3], resolution: f64| {
            std::array::from_fn(|k| series(&vectors.iter().map(|v| v[k]).collect::<Vec<f64>>(), resolution))
        };
        let loads = self.loads.iter().map(|load| {
            let largest = load.values.iter().fold(0.0_f64, |largest, value| largest.max(value.norm()));
            let moves = !load.places.is_empty();
            Load {
                name: self.system.elements[load.element].name().to_string(),
                i: 0,
                kind: load.kind,
                b: load.body,
                p: (!moves).then(|| load.point.into()),
                at: moves.then(|| three(&load.places, POSITION * size)),
                v: three(&load.values, largest / STEPS),
            }
        });
        let loads = loads.collect();
        let poses = self.poses.iter().map(|pose| {
            let resolution = |k: usize| if k < 3 { POSITION * size } else { ROTATION };
            pose.iter().enumerate().map(|(k, values)| series(values, resolution(k))).collect()
        });
        let elastic = self.elastic.iter().map(|body| body.iter().map(|values| ranged(values, STEPS)).collect());
        let span = self.times.last().zip(self.times.first()).map_or(0.0, |(last, first)| last - first);
        let frames = Frames {
            times: series(&self.times, 1e-7 * span),
            count: self.times.len(),
            poses: poses.collect(),
            elastic: elastic.collect(),
            tensions: self.tensions.iter().map(|(element, values)| (*element, ranged(values, STEPS))).collect(),
            singular: self.singular,
            fault: fault.map(|fault| (self.last.unwrap_or(0.0), fault)),
            choices: self.choices,
        };
        (frames, loads)
    }
}

/// Whether the element acts along a line or a coordinate and has a tension.
fn is_line(element: &Element) -> bool {
    matches!(
        element,
        Element::Spring(_)
            | Element::Damper(_)
            | Element::AirSpring(_)
            | Element::BumpStop(_)
            | Element::AntiRollBar(_)
            | Element::JointSpring(_)
            | Element::TorsionBar(_)
            | Element::LeafSpring(_)
    )
}
