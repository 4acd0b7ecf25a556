//! A quarter of a car on a double wishbone suspension. The frequency of its ride is compared with its stiffness.
//!
//! `cargo run --release -p ballesta-solver --example car_corner`

use ballesta_solver::dynamics::observe::calc_outputs;
use ballesta_solver::force::{Axes, Characteristic, Coefficient, Element, Force, Quantity, Spring};
use ballesta_solver::integrate::step;
use ballesta_solver::math::Vec3;
use ballesta_solver::mechanism::{BodyRef, ConnectionKind, Driven, Joint, Layout, Mechanism, Reading};
use ballesta_solver::system::{Guide, PointQuantity, Readout, System, SystemQuantity, Workspace};
use std::error::Error;
use std::f64::consts::TAU;

/// Mass on the suspension and mass that moves with the wheel, kg.
const SPRUNG: f64 = 320.0;
const UPRIGHT: f64 = 35.0;
/// Stiffness of the suspension spring and of the tyre, N/m.
const SPRING: f64 = 40e3;
const TYRE: f64 = 220e3;
const GRAVITY: f64 = 9.81;
/// Outputs: height of the chassis, travel of the wheel relative to it, length of the spring, constraint violation.
const OUTPUTS: usize = 4;

/// The corner in the design position, where the springs carry nearly its weight. `damping` in N s/m; `push`: a force on
/// the chassis, downward, N.
fn corner(damping: f64, push: f64) -> Result<System, Box<dyn Error>> {
    // Hardpoints in m: x forward, y outward, z up.
    let lower_pivot = Vec3::new(0.0, 0.35, 0.25);
    let upper_pivot = Vec3::new(0.0, 0.40, 0.48);
    let (lower_ball, upper_ball) = (Vec3::new(0.0, 0.70, 0.22), Vec3::new(0.0, 0.65, 0.50));
    let rack_and_arm = [Vec3::new(-0.12, 0.38, 0.29), Vec3::new(-0.12, 0.68, 0.27)];
    let (spring_top, spring_seat) = (Vec3::new(0.0, 0.45, 0.65), Vec3::new(0.0, 0.58, 0.23));
    let (centre, contact) = (Vec3::new(0.0, 0.75, 0.30), Vec3::new(0.0, 0.75, 0.0));

    let mut mechanism = Mechanism { gravity: Vec3::new(0.0, 0.0, -GRAVITY), ..Mechanism::default() };
    let chassis = mechanism.add_body("chassis", SPRUNG, Vec3::new(0.0, 0.0, 0.5), [30.0, 60.0, 60.0]);
    let lower = mechanism.add_body("lower arm", 4.0, (lower_pivot + lower_ball) * 0.5, [0.04, 0.01, 0.04]);
    let upper = mechanism.add_body("upper arm", 2.0, (upper_pivot + upper_ball) * 0.5, [0.02, 0.01, 0.02]);
    let upright = mechanism.add_body("upright and wheel", UPRIGHT, centre, [0.6, 1.0, 0.6]);
    let road = mechanism.add_body("road", 0.0, contact, [0.0; 3]);

    let heave = Joint::prismatic("heave", [BodyRef::Ground, chassis], Vec3::zeros(), Vec3::z());
    mechanism.add_joint(heave);
    mechanism.add_joint(Joint::revolute("lower pivot", [chassis, lower], lower_pivot, Vec3::x()));
    mechanism.add_joint(Joint::revolute("upper pivot", [chassis, upper], upper_pivot, Vec3::x()));
    mechanism.add_joint(Joint::spherical("lower ball", [lower, upright], lower_ball));
    mechanism.add_joint(Joint::spherical("upper ball", [upper, upright], upper_ball));
    mechanism
        .add_connection("tie rod", ConnectionKind::Rod { bodies: [chassis, upright], points: rack_and_arm, mass: 0.5 });
    // The road under the wheel is a driven platform, here at rest.
    let platform = Joint::prismatic("platform", [BodyRef::Ground, road], contact, Vec3::z());
    let coordinate = mechanism.add_joint(platform).coordinate(0);
    let guide = Guide::Motion { offset: 0.0, speed: 0.0, amplitude: 0.0, omega: 0.0, phase: 0.0 };
    mechanism.driven.push(Driven { name: "road profile".into(), coordinate, guide });

    let layout = mechanism.layout()?;
    let weight = (SPRUNG + UPRIGHT + 6.5) * GRAVITY;
    let tyre = spring(&layout, "tyre", [(road, contact), (upright, centre)], [TYRE, 0.0, weight]);
    // A lever of the lower arm: the spring is at 2/3 of the way to the ball joint, so it carries more than the weight.
    let load = SPRUNG * GRAVITY * 1.5;
    let strut = spring(&layout, "strut", [(chassis, spring_top), (lower, spring_seat)], [SPRING, damping, load]);
    let push = Force {
        name: "push".into(),
        point: layout.marker(chassis, &Vec3::zeros()),
        value: [0.0, 0.0, -push].map(Coefficient::Value),
        axes: Axes::World,
    };

    let position = |body, point| Readout::Point { body, point, quantity: PointQuantity::Position };
    let of_wheel = layout.marker(upright, &centre);
    let readings = vec![
        Reading::new("chassis", "m", position(layout.body(chassis).0, Vec3::zeros()), 2),
        Reading::new("wheel", "m", position(of_wheel.body.0, of_wheel.point), 2),
        Reading::new("spring", "m", Readout::Element { element: 1, quantity: Quantity::Length }, 0),
        Reading::new("gap", "m", Readout::System(SystemQuantity::Gap), 0),
    ];
    Ok(layout.build(vec![tyre, strut, Element::Force(push)], readings)?)
}

/// A spring and damper with the given stiffness, damping and compressive load in the design position.
fn spring(layout: &Layout, name: &str, ends: [(BodyRef, Vec3); 2], [stiffness, damping, load]: [f64; 3]) -> Element {
    let linear = |value| Characteristic::Linear(Coefficient::Value(value));
    Element::Spring(Spring {
        name: name.into(),
        ends: ends.map(|(body, point)| layout.marker(body, &point)),
        stiffness: linear(stiffness),
        damping: linear(damping),
        free_length: Coefficient::Value((ends[1].1 - ends[0].1).norm()),
        preload: Coefficient::Value(-load),
    })
}

/// Time in s, and the outputs.
type Row = (f64, [f64; OUTPUTS]);

/// The rows at the start and after every step until `end`, s.
fn run(system: &System, end: f64) -> Result<Vec<Row>, Box<dyn Error>> {
    let (mut state, mut workspace) = (system.initial().clone(), Workspace::new(system));
    let mut rows = Vec::new();
    let mut values = [0.0; OUTPUTS];
    loop {
        calc_outputs(system, &state, &mut workspace, &mut values)?;
        rows.push((state.time, values));
        if state.time >= end {
            return Ok(rows);
        }
        step(system, &mut state, &mut workspace, system.step())?;
    }
}

/// Results of the drop from the design position.
pub struct Ride {
    /// Travel of the wheel relative to the chassis from the design position to rest, m.
    pub travel: f64,
    /// Change of the spring's length per travel of the wheel.
    pub motion_ratio: f64,
    /// Frequency of the ride, Hz: simulated, and by the stiffness of the chassis at rest.
    pub frequencies: [f64; 2],
    /// Largest constraint violation, m.
    pub gap: f64,
}

/// Drops the corner with a strong damper to find its rest and its stiffness, and without damper to measure its
/// frequency.
pub fn ride() -> Result<Ride, Box<dyn Error>> {
    const PUSH: f64 = 50.0;
    let settled = run(&corner(4000.0, 0.0)?, 8.0)?;
    let ([chassis, wheel, length, _], (_, rest)) = (settled[0].1, settled[settled.len() - 1]);
    let travel = (rest[1] - rest[0]) - (wheel - chassis);
    let motion_ratio = (rest[2] - length).abs() / travel.abs();

    let pushed = run(&corner(4000.0, PUSH)?, 8.0)?;
    let stiffness = PUSH / (rest[0] - pushed[pushed.len() - 1].1[0]);

    let free = run(&corner(0.0, 0.0)?, 6.0)?;
    let mut upward = Vec::new();
    for pair in free.windows(2) {
        let [before, after] = [0, 1].map(|k| pair[k].1[0] - rest[0]);
        if before < 0.0 && after >= 0.0 {
            upward.push(pair[1].0 - (pair[1].0 - pair[0].0) * after / (after - before));
        }
    }
    let simulated = (upward.len() - 1) as f64 / (upward[upward.len() - 1] - upward[0]);
    let expected = (stiffness / SPRUNG).sqrt() / TAU;
    let gap = free.iter().chain(&settled).map(|(_, values)| values[3]).fold(0.0, |a, b| if a > b { a } else { b });
    Ok(Ride { travel, motion_ratio, frequencies: [simulated, expected], gap })
}

fn main() -> Result<(), Box<dyn Error>> {
    let Ride { travel, motion_ratio, frequencies: [simulated, expected], gap } = ride()?;
    println!("wheel travel from the design position to rest: {:.1} mm", 1e3 * travel);
    println!("motion ratio of the spring: {motion_ratio:.3}");
    println!("ride frequency: simulated {simulated:.3} Hz, by the stiffness at rest {expected:.3} Hz");
    println!("largest constraint violation: {gap:.1e} m");
    Ok(())
}
