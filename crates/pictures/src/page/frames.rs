//! The motion of a run, for the page: poses of all bodies, elastic coordinates and loads at up to 60 points per second.
//!
//! The recorder evaluates states between communication steps in its own workspace. It does not change the run and adds
//! no communication point.

use super::encode::{Series, ranged, series};
use super::parts::Extent;
use ballesta::dynamics::{evaluate, load_stage};
use ballesta::math::Vec3;
use ballesta::system::{State, System, Workspace};
use ballesta_live::frame::{LoadKind, Observer};
use ballesta_run::recovered_run::{MonitoredBody, RecoveredBody};
use serde::Serialize;
use std::sync::Arc;

pub use ballesta_live::frame::pose;

/// Frames per simulated second.
const RATE: f64 = 60.0;
/// Minimum number of frames of a short run, limited by its communication points.
const MIN_FRAMES: f64 = 600.0;
/// Maximum number of frames of a long run.
const MAX_FRAMES: f64 = 6000.0;
/// Resolution of positions, as a fraction of the size of the mechanism.
const POSITION: f64 = 1e-5;
/// Resolution of the four components of a rotation.
const ROTATION: f64 = 1.0 / 32768.0;
/// Number of steps within the range of a load or an elastic coordinate.
const STEPS: f64 = 16384.0;
/// Number of steps up to the largest stress of a run, more than the number of colours.
const STRESS_STEPS: f64 = 1024.0;

/// Loads of one force element: the point of action if it moves in the world, and the components.
#[derive(Clone, Default)]
struct LoadSeries {
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
    /// Kind.
    pub kind: LoadKind,
    /// Body it acts on.
    pub b: usize,
    /// Point of action in the body's frame; `None` if it moves in the world.
    pub p: Option<[f64; 3]>,
    /// Point of action in the world if it is not a point of the body.
    pub at: Option<[Series; 3]>,
    /// N or N m, world axes.
    pub v: [Series; 3],
}

/// The recording.
#[derive(Serialize)]
pub struct Frames {
    /// Times in s, as a series.
    pub times: Series,
    /// Number of times.
    pub count: usize,
    /// Per body, including the ground: x, y, z in m and the rotation w, x, y, z.
    pub poses: Vec<Vec<Series>>,
    /// Per flexible body its elastic coordinates.
    pub elastic: Vec<Vec<Series>>,
    /// Per flexible body of a recovery file, by their numbers, the stress of every section, then of every tensor, Pa.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stresses: Vec<(usize, Vec<Series>)>,
    /// Spring forces by element name: N or N m, tension positive.
    pub tensions: Vec<(usize, Series)>,
    /// Start and end of the intervals near singular positions, s.
    pub singular: Vec<[f64; 2]>,
    /// Time and reason of an early end.
    pub fault: Option<(f64, String)>,
    /// Times of new choices of coordinates, s.
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
            stresses: Vec::new(),
            tensions: Vec::new(),
            singular: Vec::new(),
            fault: None,
            choices: Vec::new(),
        }
    }
}

/// The recorded motion.
pub struct Track<'a> {
    /// Times, s.
    pub times: &'a [f64],
    /// Per body, including the ground, and frame: x, y, z in m and the rotation w, x, y, z, continuous in sign.
    pub poses: &'a [[Vec<f64>; 7]],
    /// Per flexible body, elastic coordinate and frame.
    pub elastic: &'a [Vec<Vec<f64>>],
}

/// Recorder of frames.
pub struct Recorder {
    eye: Observer,
    /// Evaluation of the first frame.
    first: Workspace,
    /// Number of communication points between frames.
    every: usize,
    /// Number of communication points until the next frame.
    left: usize,
    stop: f64,
    times: Vec<f64>,
    poses: Vec<[Vec<f64>; 7]>,
    elastic: Vec<Vec<Vec<f64>>>,
    loads: Vec<LoadSeries>,
    tensions: Vec<Vec<f64>>,
    singular: Vec<[f64; 2]>,
    choices: Vec<f64>,
    repartitions: Option<u32>,
    last: Option<f64>,
    /// Bodies of recovery files, and per section and frame the stress.
    watched: Vec<(MonitoredBody, Vec<Vec<f64>>)>,
}

impl Recorder {
    /// Recorder for a run from `start` to `stop` with communication points every `step`, s.
    pub fn new(system: Arc<System>, start: f64, stop: f64, step: f64) -> Recorder {
        let span = stop - start;
        let every = (1.0 / RATE).min(span / MIN_FRAMES).max(span / MAX_FRAMES);
        // Whole communication steps, so the frames have equal intervals.
        let every = (every / step).round().clamp(1.0, 1e9) as usize;
        let (eye, first) = (Observer::new(system.clone()), Workspace::new(&system));
        Recorder {
            every,
            left: 0,
            stop,
            times: Vec::new(),
            poses: system.bodies.iter().map(|_| Default::default()).collect(),
            elastic: system.flexible.iter().map(|body| vec![Vec::new(); body.modes()]).collect(),
            loads: vec![LoadSeries::default(); eye.loads().len()],
            tensions: vec![Vec::new(); eye.tensions().len()],
            singular: Vec::new(),
            choices: Vec::new(),
            repartitions: None,
            last: None,
            watched: Vec::new(),
            first,
            eye,
        }
    }

    /// The recorder with displacements and stresses of recovery files.
    pub fn watching(mut self, recovered: &[RecoveredBody]) -> Recorder {
        let watched = |of: &RecoveredBody| (MonitoredBody::new(of), vec![Vec::new(); of.sections + of.tensors.len()]);
        self.watched = recovered.iter().map(watched).collect();
        self
    }

    /// Bodies of recovery files.
    pub fn watched(&self) -> impl Iterator<Item = &MonitoredBody> {
        self.watched.iter().map(|(watched, _)| watched)
    }

    /// Records the state of a communication point.
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
        let takes = self.left == 0 || time >= self.stop;
        // The largest stress may occur between two frames.
        if !self.watched.is_empty() && !takes && self.eye.look(state) {
            self.watch(state);
        }
        if takes {
            self.take(state);
            self.left = self.every;
        }
        self.left -= 1;
    }

    /// Records the state in which a run stopped, which may be between communication points, as the last frame.
    pub fn look_at_end(&mut self, state: &State) {
        self.last = Some(state.time);
        if self.times.last().is_none_or(|last| *last < state.time) {
            self.take(state);
        }
    }

    /// Records displacements and stresses of the evaluated `state`.
    fn watch(&mut self, state: &State) {
        let system = self.eye.system().clone();
        let ws = self.eye.with_reactions(state);
        self.watched.iter_mut().for_each(|(watched, _)| watched.look(&system, ws, state.time));
    }

    /// Records a frame of `state`.
    fn take(&mut self, state: &State) {
        // A state that cannot be observed has no frame.
        let eye = &mut self.eye;
        if !eye.look(state) {
            return;
        }
        // The first evaluated state is the base for the static parts of the drawing.
        if self.times.is_empty() {
            load_stage(eye.system(), state, &mut self.first, state.time);
            let _ = evaluate(eye.system(), state, &mut self.first, state.time);
        }
        self.times.push(state.time);
        // q and −q are the same rotation; the sign with continuous components compresses and interpolates better.
        for (body, series) in self.poses.iter_mut().enumerate() {
            let (position, q) = eye.pose(body);
            let product: f64 = (0..4).map(|k| q[k] * series[3 + k].last().copied().unwrap_or(q[k])).sum();
            let sign = if product < 0.0 { -1.0 } else { 1.0 };
            for k in 0..3 {
                series[k].push(position[k]);
            }
            for k in 0..4 {
                series[3 + k].push(sign * q[k]);
            }
        }
        // Modal coordinates, loads, tensions and recovered stresses.
        for (body, series) in self.elastic.iter_mut().enumerate() {
            series.iter_mut().zip(eye.elastic(body)).for_each(|(series, value)| series.push(*value));
        }
        for (k, load) in self.loads.iter_mut().enumerate() {
            let (value, place) = eye.load(state, k);
            load.values.push(value);
            load.places.push(place);
        }
        for (k, values) in self.tensions.iter_mut().enumerate() {
            values.push(eye.tension(state, k));
        }
        if !self.watched.is_empty() {
            self.watch(state);
        }
        for (watched, series) in &mut self.watched {
            series.iter_mut().zip(&watched.stresses).for_each(|(series, stress)| series.push(*stress));
        }
    }

    /// The motion so far.
    pub fn track(&self) -> Track<'_> {
        Track { times: &self.times, poses: &self.poses, elastic: &self.elastic }
    }

    /// The system.
    pub fn system(&self) -> &Arc<System> {
        self.eye.system()
    }

    /// Scratch with the evaluation of the first frame.
    pub fn first(&self) -> &Workspace {
        &self.first
    }

    /// Corners in x and y of the ground below the motion, with a margin.
    pub fn ground(&self, extent: &Extent) -> ([f64; 2], [f64; 2]) {
        let size = extent.size();
        let around = |k: usize, pick: fn(f64, f64) -> f64, from: f64| {
            self.poses.iter().skip(1).flat_map(|pose| pose[k].iter().copied()).fold(from, pick)
        };
        let corner =
            |pick: fn(f64, f64) -> f64, from: Vec3, margin: f64| [0, 1].map(|k| around(k, pick, from[k]) + margin);
        (corner(f64::min, extent.low, -0.5 * size), corner(f64::max, extent.high, 0.5 * size))
    }

    /// Without contact there is no position. An arrow that appears in the next frame grows at its new position; an
    /// arrow that disappears shrinks at its last position.
    fn place_touches(&mut self) {
        for (_, series) in self.eye.loads().iter().zip(&mut self.loads).filter(|(load, _)| load.touch.is_some()) {
            let touches = |k: usize| series.values.get(k).is_some_and(|value| *value != Vec3::zeros());
            for k in (0..series.places.len()).filter(|k| !touches(*k)) {
                series.places[k] = if touches(k + 1) || k == 0 {
                    series.places.get(k + 1).copied().unwrap_or_default()
                } else {
                    series.places[k - 1]
                };
            }
        }
    }

    /// The complete recording; `size`: size of the mechanism in m.
    pub fn finish(mut self, size: f64, fault: Option<String>) -> (Frames, Vec<Load>) {
        self.place_touches();
        // Values are rounded to a resolution below the visible size to shorten the page.
        let three = |vectors: &[Vec3], resolution: f64| {
            std::array::from_fn(|k| series(&vectors.iter().map(|v| v[k]).collect::<Vec<f64>>(), resolution))
        };
        // Forces whose point moves on the body need a point per frame; other forces have one point.
        let loads = self.eye.loads().iter().zip(&self.loads).map(|(load, series)| {
            let largest = series.values.iter().fold(0.0_f64, |largest, value| largest.max(value.norm()));
            Load {
                name: self.eye.system().elements[load.element].name().to_string(),
                i: 0,
                kind: load.kind,
                b: load.body,
                p: (!load.moves).then(|| load.point.into()),
                at: load.moves.then(|| three(&series.places, POSITION * size)),
                v: three(&series.values, largest / STEPS),
            }
        });
        let loads = loads.collect();
        // Poses, modal coordinates and recovered stresses, each with its own resolution.
        let poses = self.poses.iter().map(|pose| {
            let resolution = |k: usize| if k < 3 { POSITION * size } else { ROTATION };
            pose.iter().enumerate().map(|(k, values)| series(values, resolution(k))).collect()
        });
        let elastic = self.elastic.iter().map(|body| body.iter().map(|values| ranged(values, STEPS)).collect());
        let stresses = self.watched.iter().map(|(watched, values)| {
            let resolution = watched.stress.value / STRESS_STEPS;
            (watched.recovered.body, values.iter().map(|values| series(values, resolution)).collect())
        });
        // A fault is shown at the time of the last valid frame.
        let span = self.times.last().zip(self.times.first()).map_or(0.0, |(last, first)| last - first);
        let frames = Frames {
            times: series(&self.times, 1e-7 * span),
            count: self.times.len(),
            poses: poses.collect(),
            elastic: elastic.collect(),
            stresses: stresses.collect(),
            tensions: self
                .eye
                .tensions()
                .iter()
                .zip(&self.tensions)
                .map(|(element, values)| (*element, ranged(values, STEPS)))
                .collect(),
            singular: self.singular,
            fault: fault.map(|fault| (self.last.unwrap_or(0.0), fault)),
            choices: self.choices,
        };
        (frames, loads)
    }
}
