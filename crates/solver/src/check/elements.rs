//! Properties required of every force element, checked on deterministic pseudo-random scenes.
//!
//! A scene has the ground and two bodies, each with a reference point of its own, four coordinates and four velocities
//! with different indices, two parameters and two inputs. The gradient is formed by moving bodies and coordinates and
//! differencing the potential, so it shares only the law with the elements' forces.

use super::numbers::{Random, derivative, larger};
use crate::force::{Element, Loads, Surroundings, Value, Values};
use crate::math::rotation;
use crate::math::scalar::{Dual, lift, lift_matrix};
use crate::math::spatial::{BodyMotion, Motion, Wrench};
use crate::math::{Mat3, Vec3};

const SCENES: u64 = 60;
/// Tolerance of these differences, relative to the magnitude of the loads.
const DIFFERENCE: f64 = 2e-7;
/// Tolerance for rounding, relative to the magnitude of the loads.
const ROUNDING: f64 = 2e-13;

/// Number of auxiliary states of a scene.
const AUXILIARY: usize = 6;

/// The coordinate that elements under test use.
const COORDINATE: (usize, usize) = (2, 1);

/// A state of two bodies and the ground.
#[derive(Clone, Debug)]
pub struct Scene {
    pub bodies: Vec<BodyMotion>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub parameters: Vec<f64>,
    pub inputs: Vec<f64>,
    pub auxiliary: Vec<f64>,
    pub time: f64,
}

/// Contributions of an element.
#[derive(Clone, Debug)]
pub struct Collected {
    pub wrenches: Vec<Wrench>,
    pub efforts: Vec<f64>,
    pub dissipated_power: f64,
    pub input_power: f64,
    /// Rates of the auxiliary states.
    pub rates: Vec<f64>,
}

impl Random {
    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }
    fn rotation(&mut self) -> Mat3 {
        let axis = self.vector();
        rotation::about(&axis.normalize(), std::f64::consts::PI * self.number())
    }
}

impl Scene {
    /// Design position with zero velocities, inputs and parameters.
    pub fn at_rest() -> Scene {
        let body = BodyMotion {
            rotation: Mat3::identity(),
            position: Vec3::zeros(),
            reference: Vec3::zeros(),
            velocity: Motion::zero(),
        };
        Scene {
            bodies: vec![body; 3],
            q: vec![0.0; 4],
            v: vec![0.0; 4],
            parameters: vec![0.0; 2],
            inputs: vec![0.0; 2],
            auxiliary: vec![0.0; AUXILIARY],
            time: 0.0,
        }
    }

    /// Poses and velocities of order 1; any relative rotation.
    pub fn random(seed: u64) -> Scene {
        let mut random = Random(seed);
        let mut bodies = Vec::new();
        for _ in 0..3 {
            bodies.push(BodyMotion {
                rotation: random.rotation(),
                position: random.vector(),
                reference: random.vector(),
                velocity: Motion { lin: random.vector(), ang: random.vector() },
            });
        }
        Scene {
            bodies,
            q: random.numbers(4),
            v: random.numbers(4),
            parameters: random.numbers(2),
            inputs: random.numbers(2),
            auxiliary: random.numbers(AUXILIARY),
            time: random.number(),
        }
    }

    pub fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            bodies: &self.bodies,
            q: &self.q,
            v: &self.v,
            parameters: &self.parameters,
            inputs: &self.inputs,
            auxiliary: &self.auxiliary,
            time: self.time,
        }
    }

    pub fn loads(&self, element: &Element) -> Collected {
        let mut wrenches = vec![Wrench::zero(); self.bodies.len()];
        let mut efforts = vec![0.0; self.v.len()];
        let mut rates = vec![0.0; AUXILIARY];
        let mut loads = Loads {
            wrenches: &mut wrenches,
            efforts: &mut efforts,
            dissipated_power: 0.0,
            input_power: 0.0,
            rates: &mut rates,
            patches: &mut [],
        };
        element.add_loads(&self.surroundings(), &mut loads);
        let (dissipated_power, input_power) = (loads.dissipated_power, loads.input_power);
        Collected { wrenches, efforts, dissipated_power, input_power, rates }
    }

    fn without_velocity(mut self) -> Scene {
        self.bodies.iter_mut().for_each(|body| body.velocity = Motion::zero());
        self.v.fill(0.0);
        self
    }

    /// The scene after the time `dt` with the body's constant spatial velocity about its (unmoved) o.
    fn move_body(&mut self, index: usize, velocity: &Motion, dt: f64) {
        let body = &mut self.bodies[index];
        let angle = velocity.ang.norm() * dt;
        let turn = velocity.ang.try_normalize(0.0).map_or(Mat3::identity(), |axis| rotation::about(&axis, angle));
        body.rotation = turn * body.rotation;
        body.position = turn * body.position + velocity.lin * dt;
    }

    /// The scene after the time `dt` with its velocities.
    pub fn moved(&self, dt: f64) -> Scene {
        let mut scene = self.clone();
        for (index, body) in self.bodies.iter().enumerate() {
            scene.move_body(index, &body.velocity, dt);
        }
        scene.q[COORDINATE.0] += self.v[COORDINATE.1] * dt;
        scene
    }

    fn potential(&self, element: &Element) -> f64 {
        element.potential(&self.surroundings())
    }
}

impl Collected {
    /// Largest number among the loads.
    fn size(&self) -> f64 {
        let wrench = |w: &Wrench| w.force.amax().max(w.moment.amax());
        let largest = self.wrenches.iter().map(wrench).fold(0.0, larger);
        self.efforts.iter().fold(largest, |largest, effort| larger(largest, effort.abs()))
    }

    fn power(&self, scene: &Scene) -> f64 {
        let bodies = scene.bodies.iter().zip(&self.wrenches).map(|(body, wrench)| body.velocity.dot(wrench));
        let coordinates = scene.v.iter().zip(&self.efforts).map(|(speed, effort)| speed * effort);
        bodies.sum::<f64>() + coordinates.sum::<f64>()
    }
}

#[track_caller]
pub fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected} within {tolerance}");
}

/// The state after `time` from `start` with these rates, by the classical Runge-Kutta method in steps of 1 ms.
pub fn after<const N: usize>(time: f64, start: [f64; N], rates: impl Fn([f64; N]) -> [f64; N]) -> [f64; N] {
    let h = 1e-3;
    let ahead = |y: [f64; N], k: [f64; N], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    let mut y = start;
    for _ in 0..(time / h).round() as usize {
        let k1 = rates(y);
        let k2 = rates(ahead(y, k1, 0.5 * h));
        let k3 = rates(ahead(y, k2, 0.5 * h));
        let k4 = rates(ahead(y, k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    y
}

#[track_caller]
pub fn close_vector(found: &Vec3, expected: &Vec3, tolerance: f64) {
    assert!((found - expected).amax() <= tolerance, "found {found}, expected {expected} within {tolerance}");
}

#[track_caller]
fn close_loads(found: &Collected, expected: &Collected, tolerance: f64) {
    for (found, expected) in found.wrenches.iter().zip(&expected.wrenches) {
        close_vector(&found.force, &expected.force, tolerance);
        close_vector(&found.moment, &expected.moment, tolerance);
    }
    for (found, expected) in found.efforts.iter().zip(&expected.efforts) {
        close(*found, *expected, tolerance);
    }
    close(found.dissipated_power, expected.dissipated_power, tolerance);
    close(found.input_power, expected.input_power, tolerance);
}

/// Runs the check on every scene and requires that the element acted in at least a third of them.
#[track_caller]
fn on_scenes(element: &Element, mut check: impl FnMut(&Scene)) {
    let mut acted = 0;
    for seed in 0..SCENES {
        let scene = Scene::random(seed);
        check(&scene);
        acted += u64::from(scene.loads(element).size() > 0.0);
    }
    assert!(3 * acted >= SCENES, "the element acted in {acted} of {SCENES} scenes");
}

/// Without velocity, every component of every wrench and effort is −∂potential/∂(that displacement).
#[track_caller]
pub fn force_is_the_negative_gradient(element: &Element) {
    on_scenes(element, |scene| {
        let scene = scene.clone().without_velocity();
        let loads = scene.loads(element);
        let tolerance = DIFFERENCE * loads.size().max(1.0);
        let slope = |change: &dyn Fn(&mut Scene, f64)| {
            let changed = |amount: f64| {
                let mut moved = scene.clone();
                change(&mut moved, amount);
                vec![moved.potential(element)]
            };
            derivative(changed)[0]
        };
        for (index, wrench) in loads.wrenches.iter().enumerate() {
            for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
                let translation = Motion { lin: axis, ang: Vec3::zeros() };
                let rotation = Motion { lin: Vec3::zeros(), ang: axis };
                close(-slope(&|s, dt| s.move_body(index, &translation, dt)), wrench.force.dot(&axis), tolerance);
                close(-slope(&|s, dt| s.move_body(index, &rotation, dt)), wrench.moment.dot(&axis), tolerance);
            }
        }
        for (index, effort) in loads.efforts.iter().enumerate() {
            let slope = if index == COORDINATE.1 { slope(&|s, dt| s.q[COORDINATE.0] += dt) } else { 0.0 };
            close(-slope, *effort, tolerance);
        }
    });
}

/// `read` sets every quantity that the element lists: outputs of one element follow those of another in the same
/// values.
#[track_caller]
fn writes_its_quantities(element: &Element, scene: &Scene) {
    // A tyre reads the patches of an evaluation.
    if matches!(element, Element::Tyre(_)) {
        return;
    }
    let mut values = Values::default();
    let listed = element.kind().quantities();
    listed.iter().for_each(|quantity| values.set(*quantity, f64::NAN));
    element.read(&scene.surroundings(), &[], &mut values);
    for quantity in listed {
        let written = match values.get(*quantity) {
            Value::Scalar(value) => !value.is_nan(),
            Value::World(value) | Value::Own(value) => value.iter().all(|part| !part.is_nan()),
        };
        assert!(written, "{quantity:?} of {}", element.name());
    }
}

/// Σ w · Z + Σ τ v = −d(potential)/dt − dissipated + input, along the scene's own motion and the motion of the
/// element's states.
#[track_caller]
pub fn powers_balance(element: &Element) {
    on_scenes(element, |scene| {
        writes_its_quantities(element, scene);
        let loads = scene.loads(element);
        let rate = derivative(|dt| {
            let mut moved = scene.moved(dt);
            moved.auxiliary.iter_mut().zip(&loads.rates).for_each(|(state, rate)| *state += rate * dt);
            vec![moved.potential(element)]
        })[0];
        let tolerance = DIFFERENCE * loads.size().max(1.0);
        close(loads.power(scene), -rate - loads.dissipated_power + loads.input_power, tolerance);
    });
}

/// The element absorbs power and never supplies it, apart from stored energy.
#[track_caller]
pub fn dissipates(element: &Element) {
    let mut largest: f64 = 0.0;
    on_scenes(element, |scene| {
        let loads = scene.loads(element);
        assert!(loads.dissipated_power >= 0.0);
        assert_eq!(loads.input_power, 0.0);
        largest = larger(largest, loads.dissipated_power);
    });
    assert!(largest > 0.1, "at most {largest} W were taken");
}

/// Forces of all bodies add to zero, and so do their moments about the model's origin.
#[track_caller]
pub fn action_equals_reaction(element: &Element) {
    on_scenes(element, |scene| {
        let loads = scene.loads(element);
        let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
        for (body, wrench) in scene.bodies.iter().zip(&loads.wrenches) {
            force += wrench.force;
            moment += wrench.moment_about(&-body.reference);
        }
        close_vector(&force, &Vec3::zeros(), ROUNDING * loads.size());
        close_vector(&moment, &Vec3::zeros(), ROUNDING * loads.size());
    });
}

/// Turning and moving the whole scene, ground included, turns the loads.
#[track_caller]
pub fn independent_of_world_frame(element: &Element) {
    let mut random = Random(1000);
    on_scenes(element, |scene| {
        let (turn, shift) = (random.rotation(), random.vector());
        let mut seen = scene.clone();
        let mut expected = scene.loads(element);
        for (body, wrench) in seen.bodies.iter_mut().zip(&mut expected.wrenches) {
            body.rotation = turn * body.rotation;
            body.position = turn * body.position;
            body.reference = turn * body.reference + shift;
            body.velocity = Motion { lin: turn * body.velocity.lin, ang: turn * body.velocity.ang };
            *wrench = Wrench { force: turn * wrench.force, moment: turn * wrench.moment };
        }
        let tolerance = ROUNDING * expected.size().max(1.0);
        close_loads(&seen.loads(element), &expected, tolerance);
        close(seen.potential(element), scene.potential(element), tolerance);
    });
}

/// A rigid motion of the whole scene, ground included, changes no load.
#[track_caller]
pub fn independent_of_common_motion(element: &Element) {
    let mut random = Random(2000);
    on_scenes(element, |scene| {
        let common = Motion { lin: random.vector(), ang: random.vector() };
        let mut carried = scene.clone();
        for body in &mut carried.bodies {
            body.velocity += Motion { lin: common.at(&body.reference), ang: common.ang };
        }
        let expected = scene.loads(element);
        close_loads(&carried.loads(element), &expected, ROUNDING * expected.size().max(1.0));
    });
}

/// Another reference point o for each body gives the same loads, written about the new o.
#[track_caller]
pub fn independent_of_reference_points(element: &Element) {
    let mut random = Random(3000);
    on_scenes(element, |scene| {
        let mut other = scene.clone();
        let mut expected = scene.loads(element);
        for (body, wrench) in other.bodies.iter_mut().zip(&mut expected.wrenches) {
            let shift = random.vector();
            body.position -= shift;
            body.reference += shift;
            body.velocity.lin = body.velocity.at(&shift);
            wrench.moment = wrench.moment_about(&shift);
        }
        let tolerance = ROUNDING * expected.size().max(1.0);
        close_loads(&other.loads(element), &expected, tolerance);
        close(other.potential(element), scene.potential(element), tolerance);
    });
}

/// If all bodies share one reference point, its distance from the model's origin does not change any bit of the result.
#[track_caller]
pub fn exact_far_from_the_origin(element: &Element) {
    on_scenes(element, |scene| {
        let mut near = scene.clone();
        near.bodies.iter_mut().for_each(|body| body.reference = Vec3::zeros());
        let mut far = near.clone();
        far.bodies.iter_mut().for_each(|body| body.reference = Vec3::new(1e5, -2e7, 3.0));
        close_loads(&far.loads(element), &near.loads(element), 0.0);
        assert_eq!(far.potential(element).to_bits(), near.potential(element).to_bits());
    });
}

/// The derivatives of efforts on coordinates, powers and rates of states match differences, along a change of speeds,
/// states and inputs.
#[track_caller]
pub fn derivatives_are_those_of_differences(element: &Element) {
    let mut random = Random(4000);
    on_scenes(element, |scene| {
        let changes = [&scene.v, &scene.auxiliary, &scene.inputs].map(|values| random.numbers(values.len()));
        let push = random.vector();
        let along = |amount: f64| {
            let mut moved = scene.clone();
            for (values, change) in [&mut moved.v, &mut moved.auxiliary, &mut moved.inputs].into_iter().zip(&changes) {
                values.iter_mut().zip(change).for_each(|(value, change)| *value += amount * change);
            }
            moved.bodies.iter_mut().for_each(|body| body.velocity.lin += push * amount);
            let found = moved.loads(element);
            let powers = [found.dissipated_power, found.input_power];
            [found.efforts, powers.to_vec(), found.rates].concat()
        };
        let seeded = |values: &[f64], change: &[f64]| -> Vec<Dual<1>> {
            values.iter().zip(change).map(|(value, change)| Dual::new(*value, [*change])).collect()
        };
        let bodies: Vec<BodyMotion<Dual<1>>> = scene
            .bodies
            .iter()
            .map(|body| BodyMotion {
                rotation: lift_matrix(&body.rotation),
                position: lift(&body.position),
                reference: lift(&body.reference),
                velocity: Motion {
                    lin: body.velocity.lin.zip_map(&push, |value, change| Dual::new(value, [change])),
                    ang: lift(&body.velocity.ang),
                },
            })
            .collect();
        let still = |values: &[f64]| seeded(values, &vec![0.0; values.len()]);
        let [v, auxiliary, inputs] = [&scene.v, &scene.auxiliary, &scene.inputs];
        let surroundings = Surroundings {
            bodies: &bodies,
            q: &still(&scene.q),
            v: &seeded(v, &changes[0]),
            parameters: &still(&scene.parameters),
            auxiliary: &seeded(auxiliary, &changes[1]),
            inputs: &seeded(inputs, &changes[2]),
            time: Dual::new(scene.time, [0.0]),
        };
        let mut wrenches = vec![Wrench::zero(); bodies.len()];
        let mut efforts = still(&vec![0.0; v.len()]);
        let mut rates = still(&[0.0; AUXILIARY]);
        let zero = Dual::default();
        let mut loads = Loads {
            wrenches: &mut wrenches,
            efforts: &mut efforts,
            dissipated_power: zero,
            input_power: zero,
            rates: &mut rates,
            patches: &mut [],
        };
        element.add_loads(&surroundings, &mut loads);
        let powers = [loads.dissipated_power, loads.input_power];
        let found = [efforts, powers.to_vec(), rates].concat();
        for ((found, value), slope) in found.iter().zip(along(0.0)).zip(derivative(along)) {
            assert_eq!(found.value, value);
            close(found.slopes[0], slope, 1e-5 * larger(1.0, slope.abs()));
        }
    });
}
