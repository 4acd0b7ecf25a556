//! A tyre on the road, against closed forms and symmetries.

use crate::check::elements::{self, Collected, Scene, close, close_vector};
use ballesta_solver::force::Element;
use ballesta_solver::force::road::Road;
use ballesta_solver::force::tyre::*;
use ballesta_solver::force::{BodyIx, Coefficient, CoordinateIx, ForceElement, ForceLaw, Loads, Surroundings};
use ballesta_solver::math::Vec3;
use ballesta_solver::math::scalar::{Dual, lift_matrix};
use ballesta_solver::math::scalar::{Scalar, lift};
use ballesta_solver::math::spatial::{BodyMotion, Motion, Wrench};
use ballesta_solver::math::{Mat3, rotation};
use ballesta_solver::tyre::{Input, Law};
use ballesta_solver::tyre::{Side, SpinGrip};
use std::sync::Arc;

const RADIUS: f64 = 0.376;
/// Speed of the wheel's centre, m/s.
const SPEED: f64 = 20.0;

fn law(side: Side) -> Arc<Law> {
    let text = include_str!("../../../../tests/tyres/mf_185_80R14.tir");
    let properties = ballesta_model::tir::read(text, "tyre.tir").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    Arc::new(Law::new(&properties, side))
}

/// A tyre about the y axis of body 1.
fn tyre(side: Side) -> Tyre {
    Tyre {
        name: "tyre".into(),
        wheel: BodyIx(1),
        coordinate: CoordinateIx { position: 2, velocity: 1 },
        centre: Vec3::zeros(),
        axis: Vec3::y(),
        origin: Vec3::zeros(),
        law: law(side),
        road: Arc::new(Road::flat()),
        envelope: None,
        offsets: [0.0; 2],
        count: 1,
        pressure: 0.0,
        road_height: Coefficient::Value(0.0),
        friction: Coefficient::Value(1.0),
        first: 0,
        patch: 0,
    }
}

/// The same with turn slip.
fn turning(side: Side) -> Tyre {
    let law = Law::clone(&law(side)).with_turn_slip(true);
    Tyre { law: Arc::new(law), ..tyre(side) }
}

fn loads(tyre: &Tyre, scene: &Scene) -> Collected {
    scene.loads(&Element::Tyre(Box::new(tyre.clone())))
}

/// The wheel stands with its tyre pressed in by `deflection` m.
fn standing(deflection: f64) -> Scene {
    let mut scene = Scene::at_rest();
    scene.bodies[1].position = Vec3::new(0.0, 0.0, RADIUS - deflection);
    scene
}

/// It rolls with the slip velocities `slip` along and across, m/s.
fn rolling(tyre: &Tyre, slip: [f64; 2]) -> Scene {
    let mut scene = standing(0.03);
    let load = loads(tyre, &scene).wrenches[1].force.z;
    let radius = tyre.law.effective_radius(load, SPEED / RADIUS, 0.0);
    let body = &mut scene.bodies[1];
    body.velocity.ang = Vec3::new(0.0, (SPEED - slip[0]) / radius, 0.0);
    // About the body's reference point, which is on the road.
    body.velocity.lin = Vec3::new(SPEED, slip[1], 0.0) - body.velocity.ang.cross(&body.position);
    scene
}

/// The scene with the carcass settled.
fn settled(tyre: &Tyre, mut scene: Scene) -> Scene {
    let mut auxiliary = scene.auxiliary.clone();
    tyre.settle(&scene.surroundings(), &mut auxiliary);
    scene.auxiliary = auxiliary;
    scene
}

#[test]
fn powers_balance_in_any_motion() {
    for tyre in [tyre(Side::Left), turning(Side::Right)] {
        elements::powers_balance(&Element::Tyre(Box::new(tyre)));
    }
}

#[test]
fn a_wheel_in_the_air_carries_nothing_and_its_carcass_goes_back() {
    let mut scene = standing(-0.01);
    scene.bodies[1].velocity.lin = Vec3::new(5.0, 1.0, -2.0);
    scene.auxiliary[..2].copy_from_slice(&[0.002, -0.003]);
    let found = loads(&tyre(Side::Left), &scene);
    close_vector(&found.wrenches[1].force, &Vec3::zeros(), 0.0);
    close_vector(&found.wrenches[1].moment, &Vec3::zeros(), 0.0);
    close(found.rates[0], -0.002 / RETURN, 1e-12);
    close(found.rates[1], 0.003 / RETURN, 1e-12);
}

#[test]
fn steady_rolling_slips_as_the_definitions_say_and_gives_the_forces_of_the_formula() {
    let tyre = tyre(Side::Left);
    for slip in [[0.5, 0.0], [-0.8, 0.0], [0.0, 0.7], [0.4, -0.9]] {
        let scene = settled(&tyre, rolling(&tyre, slip));
        let found = loads(&tyre, &scene);
        let s = scene.surroundings();
        let (kappa, alpha) = (-slip[0] / SPEED, (slip[1] / SPEED).atan());
        // The spin was chosen with the effective radius of the load at rest; MF 5.2 has no other.
        close(tyre.measure(&s).longitudinal_slip, kappa, 1e-6);
        close(tyre.measure(&s).slip_angle, alpha, 1e-12);
        close(found.rates[0], 0.0, 1e-12);
        close(found.rates[1], 0.0, 1e-12);
        let force = tyre.measure(&s).force;
        let output = tyre.law.forces(&Input { kappa, alpha, speed: SPEED, ..tyre.law.straight_ahead(force.z) });
        close(force.x, output.fx, 1e-4 * force.z);
        close(force.y, output.fy, 1e-4 * force.z);
    }
}

#[test]
fn a_standing_tyre_is_a_spring_of_slip_stiffness_over_relaxation_length() {
    let tyre = tyre(Side::Left);
    let mut scene = standing(0.03);
    let load = loads(&tyre, &scene).wrenches[1].force.z;
    let grip = tyre.law.prepare(&Input { speed: 0.0, rolling: 0.0, ..tyre.law.straight_ahead(load) }).grip();
    let small = 1e-6;
    for k in 0..2 {
        let stiffness = grip.stiffness[k] / grip.relaxation[k].max(SHORTEST);
        let force = |scene: &Scene| loads(&tyre, scene).wrenches[1].force[k];
        scene.auxiliary[k] = small;
        let ahead = force(&scene);
        scene.auxiliary[k] = -small;
        let slope = (ahead - force(&scene)).abs() / (2.0 * small);
        scene.auxiliary[k] = 0.0;
        assert!((slope / stiffness - 1.0).abs() < 0.02, "{k}: {slope} N/m, {stiffness} N/m");
    }
    // Undeformed it gives no force along or across, whatever the file says of ply steer and conicity.
    let force = loads(&tyre, &scene).wrenches[1].force;
    close_vector(&force, &Vec3::new(0.0, 0.0, load), 1e-9 * load);
    // The carcass follows the ground, without creep.
    scene.bodies[1].velocity.lin = Vec3::new(1e-7, 2e-7, 0.0);
    let rates = loads(&tyre, &scene).rates;
    close(rates[0], -1e-7, 1e-12);
    close(rates[1], 2e-7, 1e-12);
}

#[test]
fn twin_tyres_are_two_tyres() {
    let mut twins = tyre(Side::Left);
    (twins.offsets, twins.count) = ([0.15, -0.15], 2);
    let mut scene = rolling(&tyre(Side::Left), [0.4, -0.5]);
    scene.bodies[1].rotation = ballesta_solver::math::rotation::about(&Vec3::x(), 0.03);
    scene.bodies[1].velocity.ang += Vec3::new(0.1, 0.0, 0.3);
    scene.auxiliary[..4].copy_from_slice(&[0.001, 0.002, -0.003, 0.004]);
    let found = loads(&twins, &scene);
    let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
    for (first, y) in [(0, 0.15), (2, -0.15)] {
        let single = Tyre { centre: Vec3::new(0.0, y, 0.0), first, ..tyre(Side::Left) };
        let one = loads(&single, &scene);
        force += one.wrenches[1].force;
        moment += one.wrenches[1].moment;
        for k in first..first + 2 {
            close(found.rates[k], one.rates[k], 1e-12);
        }
    }
    close_vector(&found.wrenches[1].force, &force, 1e-9);
    close_vector(&found.wrenches[1].moment, &moment, 1e-9);
}

#[test]
fn the_mirrored_motion_of_a_tyre_for_the_other_side_gives_mirrored_loads() {
    let mirror = Mat3::from_diagonal(&Vec3::new(1.0, -1.0, 1.0));
    let mut scene = rolling(&tyre(Side::Left), [0.4, -0.5]);
    scene.bodies[1].rotation = ballesta_solver::math::rotation::about(&Vec3::new(0.6, 0.0, 0.8), 0.05);
    scene.bodies[1].velocity.ang += Vec3::new(0.1, 0.2, 0.3);
    scene.auxiliary[..3].copy_from_slice(&[0.003, 0.004, 0.002]);
    let mut other = scene.clone();
    let body = &mut other.bodies[1];
    body.rotation = mirror * body.rotation * mirror;
    body.velocity.lin = mirror * body.velocity.lin;
    body.velocity.ang = -(mirror * body.velocity.ang);
    other.auxiliary[1..3].copy_from_slice(&[-0.004, -0.002]);
    for of in [tyre, turning] {
        let (left, right) = (loads(&of(Side::Left), &scene), loads(&of(Side::Right), &other));
        close_vector(&right.wrenches[1].force, &(mirror * left.wrenches[1].force), 1e-9);
        close_vector(&right.wrenches[1].moment, &-(mirror * left.wrenches[1].moment), 1e-9);
        for (k, sign) in [1.0, -1.0, -1.0].into_iter().enumerate() {
            close(right.rates[k], sign * left.rates[k], 1e-12);
        }
    }
}

/// M_z over the angle of a wheel that is steered at one place, rad; and M_∞ and K_φ.
fn parking(tyre: &Tyre, angles: &[f64]) -> (Vec<f64>, SpinGrip) {
    let mut scene = standing(0.03);
    let load = loads(tyre, &scene).wrenches[1].force.z;
    let still = Input { speed: 0.0, rolling: 0.0, ..tyre.law.straight_ahead(load) };
    let grip = tyre.law.prepare(&still).spin_grip(&tyre.law);
    // Slow, so that the damper has no effect.
    let (speed, mut angle, mut torques) = (1e-3, 0.0, Vec::new());
    scene.bodies[1].velocity.ang = Vec3::new(0.0, 0.0, speed);
    for end in angles {
        let steps = (2000.0 * (end - angle)).ceil();
        for _ in 0..steps as usize {
            let (before, dt) = (scene.auxiliary[2], (end - angle) / steps / speed);
            scene.auxiliary[2] = before + 0.5 * dt * loads(tyre, &scene).rates[2];
            scene.auxiliary[2] = before + dt * loads(tyre, &scene).rates[2];
        }
        angle = *end;
        torques.push(loads(tyre, &scene).wrenches[1].moment.z);
    }
    (torques, grip)
}

#[test]
fn a_tyre_that_is_steered_at_one_place_twists_as_a_spring_and_slides_at_the_torque_of_its_file() {
    for side in [Side::Left, Side::Right] {
        let tyre = turning(side);
        let (torques, grip) = parking(&tyre, &[1e-3, 0.1, 0.3, 1.0]);
        let spring = grip.stiffness * grip.radius / grip.relaxation;
        assert!((torques[0] / (-1e-3 * spring) - 1.0).abs() < 0.02, "{} of {}", torques[0], -1e-3 * spring);
        assert!(torques.windows(2).all(|pair| pair[1] < pair[0]), "{torques:?}");
        // A brush at three times the slip with which it begins to slide: sin atan 3.
        assert!((torques[3] / -grip.largest / 3f64.atan().sin() - 1.0).abs() < 1e-3, "{torques:?}");
        assert!(torques[2] / torques[3] > 0.9, "{torques:?}");
    }
}

#[test]
fn the_parking_torque_is_lost_over_half_of_the_contact_length_of_rolling() {
    let tyre = turning(Side::Left);
    let mut scene = rolling(&tyre, [0.0, 0.0]);
    let load = loads(&tyre, &scene).wrenches[1].force.z;
    let length = tyre.law.prepare(&tyre.law.straight_ahead(load)).spin_grip(&tyre.law).relaxation;
    scene.auxiliary[2] = 0.01;
    close(loads(&tyre, &scene).rates[2], -0.01 * SPEED / length, 1e-9);
    // R0 (Q_RA1 √x + Q_RA2 x) of a spring: x is the deflection over the radius.
    let x: f64 = load / (1.75e5 * RADIUS);
    close(length, RADIUS * (0.5 * x.sqrt() + x), 1e-12);
}

#[test]
fn without_spin_turn_slip_changes_nothing_but_what_camber_did() {
    let scene = settled(&tyre(Side::Left), rolling(&tyre(Side::Left), [0.4, -0.5]));
    let [with, without] = [turning, tyre].map(|of| loads(&of(Side::Left), &scene).wrenches[1]);
    close_vector(&with.force, &without.force, 1e-9);
    close_vector(&with.moment, &without.moment, 1e-6);
}

/// Forces and energy of a tyre on a bump as functions of three coordinates of its wheel, eight speeds and states, and
/// two inputs.
fn all<S: Scalar>(tyre: &Tyre, of: &[S; 13]) -> Vec<S> {
    let [x, z, turn, vx, vy, vz, roll, spin, u, w, t, rise, friction] = *of;
    let ground = Scene::at_rest().bodies[0];
    let still = |v: &Vec3| lift::<S>(v);
    let ground = BodyMotion {
        rotation: lift_matrix(&ground.rotation),
        position: still(&ground.position),
        reference: still(&ground.reference),
        velocity: Motion::zero(),
    };
    let wheel = BodyMotion {
        rotation: rotation::about(&Vec3::z(), turn) * rotation::about(&Vec3::x(), turn * 0.3),
        position: Vec3::new(x, S::zero(), z),
        reference: Vec3::zeros(),
        velocity: Motion { lin: Vec3::new(vx, vy, vz), ang: Vec3::new(roll, spin, roll * 0.5) },
    };
    let (bodies, zero) = ([ground, wheel], S::zero());
    let (mut wrenches, mut rates, mut patches) = ([Wrench::zero(); 2], [zero; 3], [None]);
    let s = Surroundings {
        bodies: &bodies,
        q: &[],
        v: &[],
        parameters: &[],
        inputs: &[rise, friction],
        auxiliary: &[u, w, t],
        time: zero,
    };
    let mut loads = Loads {
        wrenches: &mut wrenches,
        efforts: &mut [],
        dissipated_power: zero,
        input_power: zero,
        rates: &mut rates,
        patches: &mut patches,
    };
    tyre.add_loads(&s, &mut loads);
    let power = loads.dissipated_power;
    let shown = tyre.evaluated_readout(&s, &patches);
    let vectors = [wrenches[1].force, wrenches[1].moment, shown.contact];
    let numbers = [shown.longitudinal_slip, shown.slip_angle, shown.camber, shown.deflection, shown.loaded_radius];
    let mut all: Vec<S> = vectors.iter().flatten().copied().chain(numbers).chain(rates).collect();
    all.extend([power, tyre.potential(&s), tyre.evaluated_potential(&patches)]);
    all
}

#[test]
fn dual_numbers_carry_the_derivatives_of_a_tyre_on_a_bump_rolling_and_standing() {
    let text = "[model]\nname = \"m\"\n[[road]]\nname = \"r\"\n[[road.bump]]\nkind = \"round\"\nstart = 0\nlength = 3.7\n\
        height = 0.1";
    let document = ballesta_model::parse(text, "road.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    let road =
        crate::elements::road(&document.model.roads[0], [None, None], &|number| document.model.resolve(number, &[]));
    let (road_height, friction) = (Coefficient::Input(0), Coefficient::Input(1));
    let road = Arc::new(road);
    for tyre in [tyre, turning].map(|of| Tyre { road: road.clone(), road_height, friction, ..of(Side::Right) }) {
        derivatives_hold(&tyre);
    }
}

fn derivatives_hold(tyre: &Tyre) {
    for (x, z, speed) in [(1.85, 0.45, 20.0), (1.3, 0.44, 20.0), (2.4, 0.42, -9.0), (2.1, 0.45, 0.1), (1.0, 0.9, 3.0)] {
        let at = [x, z, 0.05, speed, 0.02 * speed, 0.1, 0.2, 2.5 * speed, 0.002, -0.003, 0.004, 0.001, 0.9];
        let dual = std::array::from_fn(|k| Dual::new(at[k], std::array::from_fn(|i| f64::from(u8::from(i == k)))));
        let (found, plain) = (all::<Dual<13>>(tyre, &dual), all(tyre, &at));
        for k in 0..13 {
            let moved = |d: f64| {
                let mut at = at;
                at[k] += d;
                all(tyre, &at)
            };
            // A carcass that stands is bent over some mm: extrapolated from two lengths.
            let [coarse, fine] = [1.0, 0.5].map(|part| crate::check::numbers::derivative(|d| moved(part * d)));
            for (i, (coarse, fine)) in coarse.into_iter().zip(fine).enumerate() {
                let change = 2.0 * fine + (2.0 * fine - coarse) / 3.0;
                assert_eq!(found[i].value.to_bits(), plain[i].to_bits(), "{i}");
                let bound = 1e-6 * (1.0 + change.abs() + 0.1 * plain[i].abs());
                assert!(
                    (found[i].slopes[k] - change).abs() < bound,
                    "{i} by {k} at {x}: {} {change}",
                    found[i].slopes[k]
                );
            }
        }
    }
}
