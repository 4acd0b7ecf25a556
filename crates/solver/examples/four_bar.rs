//! A motor turns the crank of a four-bar linkage. The swing of the rocker is compared with the law of cosines.
//!
//! `cargo run --release -p ballesta-solver --example four_bar`

use ballesta_solver::dynamics::observe::calc_outputs;
use ballesta_solver::integrate::step;
use ballesta_solver::math::{Vec3, larger};
use ballesta_solver::mechanism::{BodyRef, Driven, Joint, Mechanism, Reading};
use ballesta_solver::system::{Guide, Readout, SystemQuantity, Workspace};
use ballesta_solver::topology::Request;
use std::error::Error;
use std::f64::consts::TAU;

/// Results of one turn of the crank.
pub struct Turn {
    /// Largest constraint violation, m.
    pub gap: f64,
    /// Swing of the rocker, rad: simulated, and by the law of cosines.
    pub swings: [f64; 2],
    /// Largest error of the energy balance, as a fraction of the largest kinetic energy.
    pub balance: f64,
}

/// One turn of the crank in 1 s.
pub fn turn() -> Result<Turn, Box<dyn Error>> {
    // Crank A-B, coupler B-C, rocker D-C, all in the plane y = 0.
    let [a, b, c, d] = [[0.0, 0.0], [0.0, 0.2], [0.45, 0.4], [0.5, 0.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    let mut mechanism = Mechanism::default();
    let mut bar = |name: &str, from: Vec3, to: Vec3| {
        let mass = 2.0 * (to - from).norm();
        let second = mass * (to - from).norm_squared() / 12.0;
        mechanism.add_body(name, mass, (from + to) * 0.5, [second; 3])
    };
    let (crank, coupler, rocker) = (bar("crank", a, b), bar("coupler", b, c), bar("rocker", d, c));
    let mut revolute = |name: &str, first: BodyRef, second: BodyRef, point: Vec3| {
        mechanism.add_joint(Joint::revolute(name, [first, second], point, Vec3::y()))
    };
    let motor = revolute("A", BodyRef::Ground, crank, a);
    revolute("B", crank, coupler, b);
    revolute("C", coupler, rocker, c);
    let pivot = revolute("D", BodyRef::Ground, rocker, d);
    // The rocker's angle is read, so its joint must not be the one that opens the loop.
    mechanism.joints[pivot.0].request = Request::Tree;
    let guide = Guide::Motion { offset: 0.0, speed: TAU, amplitude: 0.0, omega: 0.0, phase: 0.0 };
    mechanism.driven.push(Driven { name: "motor".into(), coordinate: motor.coordinate(0), guide });

    let layout = mechanism.layout()?;
    let angle = layout.coordinate(pivot.coordinate(0)).ok_or("joint D is cut")?;
    let readings = vec![
        Reading::new("gap", "m", Readout::System(SystemQuantity::Gap), 0),
        Reading::new("kinetic", "J", Readout::System(SystemQuantity::KineticEnergy), 0),
        Reading::new("balance", "J", Readout::System(SystemQuantity::EnergyBalance), 0),
        Reading::new("angle", "rad", Readout::Position(angle.position), 0),
    ];
    let system = layout.build(Vec::new(), readings)?;

    let (mut state, mut workspace) = (system.initial().clone(), Workspace::new(&system));
    let mut values = [0.0; 4];
    calc_outputs(&system, &state, &mut workspace, &mut values)?;
    let (start, [mut gap, mut kinetic, mut balance], mut range) = (values[2], [0.0f64; 3], [values[3]; 2]);
    for _ in 0..1000 {
        step(&system, &mut state, &mut workspace, system.step())?;
        calc_outputs(&system, &state, &mut workspace, &mut values)?;
        gap = larger(gap, values[0]);
        kinetic = larger(kinetic, values[1]);
        balance = larger(balance, (values[2] - start).abs());
        range = [range[0].min(values[3]), range[1].max(values[3])];
    }

    // The rocker turns back where crank and coupler are in line: A-C is their sum or their difference.
    let [crank, coupler, rocker, ground] = [b - a, c - b, c - d, d - a].map(|bar| bar.norm());
    let angle_at = |reach: f64| ((ground * ground + rocker * rocker - reach * reach) / (2.0 * ground * rocker)).acos();
    let exact = angle_at(coupler + crank) - angle_at(coupler - crank);
    Ok(Turn { gap, swings: [range[1] - range[0], exact], balance: balance / kinetic })
}

fn main() -> Result<(), Box<dyn Error>> {
    let Turn { gap, swings: [simulated, exact], balance } = turn()?;
    println!("largest constraint violation: {gap:.1e} m");
    println!("swing of the rocker: simulated {simulated:.6} rad, law of cosines {exact:.6} rad");
    println!("error of the energy balance: {balance:.1e} of the largest kinetic energy");
    Ok(())
}
