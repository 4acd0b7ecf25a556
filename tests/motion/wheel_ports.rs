//! `[[wheel_port]]`: the van with its tyres computed outside moves like the van with its tyres inside.

use crate::check::larger;
use crate::models;
use ballesta::force::road::Road;
use ballesta::force::{BodyIx, Coefficient, CoordinateIx, ForceLaw, Loads, Surroundings, Tyre};
use ballesta::math::Vec3;
use ballesta::math::rotation;
use ballesta::math::spatial::{BodyMotion, Motion, Wrench};
use ballesta::model::schema::{PerCoordinate, Side};
use ballesta::model::{Document, wheel_ports};
use ballesta::simulate::Simulator;
use ballesta::tyre::{self, Law};
use std::sync::Arc;

const SPEED: f64 = 20.0;
const PORTS: [(&str, &str); 4] =
    [("wheel_FL", "axle1.left"), ("wheel_FR", "axle1.right"), ("wheel_RL", "axle2.left"), ("wheel_RR", "axle2.right")];
const BODIES: [&str; 3] = ["chassis.position.x", "chassis.position.y", "chassis.position.z"];

fn load(path: &str) -> Document {
    models::load(path)
}

/// A model that starts in the design position, with wheels that roll.
struct Model {
    simulator: Simulator,
    outputs: Vec<String>,
    inputs: Vec<String>,
    values: Vec<f64>,
}

impl Model {
    fn new(mut document: Document, step: f64) -> Model {
        document.model.experiment.trim = false;
        document.model.general.step = step;
        for parameter in document.model.parameters.iter_mut().filter(|parameter| parameter.name == "speed") {
            parameter.value = SPEED;
        }
        for joint in &mut document.model.joints {
            if PORTS.iter().any(|(_, place)| joint.name == format!("{place}.wheel")) {
                joint.speed = Some(PerCoordinate::One((SPEED / 0.337).into()));
            }
        }
        let system = Arc::new(models::compiled(&document));
        let interface = system.interface();
        let outputs: Vec<String> = interface.outputs.iter().map(|output| output.name.clone()).collect();
        let inputs = interface.inputs.iter().map(|input| input.name.clone()).collect();
        let values = vec![0.0; outputs.len()];
        let mut simulator = Simulator::new(Arc::clone(&system));
        simulator.initialize(0.0).expect("it assembles");
        Model { simulator, outputs, inputs, values }
    }

    fn input(&self, name: &str) -> usize {
        self.inputs.iter().position(|known| known == name).unwrap_or_else(|| panic!("no input {name}"))
    }

    fn read(&mut self) {
        self.simulator.outputs(&mut self.values).expect("outputs");
    }

    fn output(&self, name: &str) -> f64 {
        self.values[self.outputs.iter().position(|known| known == name).unwrap_or_else(|| panic!("no output {name}"))]
    }

    fn vector(&self, name: &str) -> Vec3 {
        Vec3::from(["x", "y", "z"].map(|axis| self.output(&format!("{name}.{axis}"))))
    }

    /// What a port says of its wheel, with the wheel's centre as reference.
    fn hub(&self, port: &str) -> BodyMotion {
        let [e0, e1, e2, e3] = [0, 1, 2, 3].map(|i| self.output(&format!("{port}.rot.e{i}")));
        BodyMotion {
            rotation: rotation::matrix(&[e0, e1, e2, e3]),
            position: Vec3::zeros(),
            reference: self.vector(&format!("{port}.pos")),
            velocity: Motion {
                lin: self.vector(&format!("{port}.lin_vel")),
                ang: self.vector(&format!("{port}.ang_vel")),
            },
        }
    }

    fn set(&mut self, port: &str, vector: &str, value: &Vec3) {
        for axis in 0..3 {
            let input = self.input(&wheel_ports::input_name(port, vector, axis));
            self.simulator.set_input(input, value[axis]);
        }
    }

    /// Steers into a lane change.
    fn steer(&mut self) {
        let t = self.simulator.time();
        let input = self.input("steering_wheel.angle");
        self.simulator.set_input(input, 0.6 * (3.0 * t).sin());
        let input = self.input("target_speed");
        self.simulator.set_input(input, SPEED);
    }
}

/// A tyre of the van on its own, with the states of its carcass.
struct Outside {
    tyre: Tyre,
    states: Vec<f64>,
}

impl Outside {
    fn new(document: &Document, place: &str) -> Outside {
        let index = document.model.tyres.iter().position(|tyre| tyre.name == format!("{place}.tyre")).expect("a tyre");
        let table = &document.model.tyres[index];
        let side = if table.side == Side::Left { tyre::Side::Left } else { tyre::Side::Right };
        let half = table.twin_spacing.as_ref().map(|number| 0.5 * document.model.resolve(number, &[]));
        let count = 1 + usize::from(half.is_some());
        let tyre = Tyre {
            name: table.name.clone(),
            wheel: BodyIx(1),
            coordinate: CoordinateIx { position: 0, velocity: 0 },
            centre: Vec3::zeros(),
            axis: Vec3::y(),
            origin: Vec3::zeros(),
            law: Arc::new(Law::new(&document.tyres[index], side)),
            envelope: None,
            road: Arc::new(Road::flat()),
            offsets: half.map_or([0.0; 2], |half| [half, -half]),
            count,
            pressure: 0.0,
            road_height: Coefficient::Value(0.0),
            friction: Coefficient::Value(1.0),
            first: 0,
            patch: 0,
        };
        Outside { tyre, states: vec![0.0; 2 * count] }
    }

    /// Load on the wheel about its centre, and rates of the states.
    fn load(&self, hub: &BodyMotion, states: &[f64]) -> (Wrench, Vec<f64>) {
        let ground = BodyMotion {
            rotation: rotation::matrix(&[1.0, 0.0, 0.0, 0.0]),
            position: Vec3::zeros(),
            reference: Vec3::zeros(),
            velocity: Motion { lin: Vec3::zeros(), ang: Vec3::zeros() },
        };
        let zero = Wrench { force: Vec3::zeros(), moment: Vec3::zeros() };
        let (mut wrenches, mut rates) = ([zero, zero], vec![0.0; states.len()]);
        let bodies = [ground, *hub];
        let s = Surroundings {
            bodies: &bodies,
            q: &[],
            v: &[],
            parameters: &[],
            inputs: &[],
            auxiliary: states,
            time: 0.0,
        };
        let mut loads = Loads {
            wrenches: &mut wrenches,
            efforts: &mut [],
            dissipated_power: 0.0,
            input_power: 0.0,
            rates: &mut rates,
            patches: &mut [],
        };
        self.tyre.add_loads(&s, &mut loads);
        (wrenches[1], rates)
    }

    /// One step of the carcass (midpoint rule) under a hub that moves as it does now.
    fn advance(&mut self, hub: &BodyMotion, step: f64) {
        let moved = |rates: &[f64], h: f64, states: &[f64]| -> Vec<f64> {
            states.iter().zip(rates).map(|(state, rate)| state + h * rate).collect()
        };
        let half = moved(&self.load(hub, &self.states).1, 0.5 * step, &self.states);
        self.states = moved(&self.load(hub, &half).1, step, &self.states);
    }
}

/// The path of the chassis of the van with its tyres inside, at every 10 ms.
fn inside(duration: f64) -> Vec<Vec<f64>> {
    let mut van = Model::new(load("models/van"), 0.25e-3);
    let mut path = Vec::new();
    for k in 0..(duration / 0.25e-3).round() as usize {
        van.steer();
        van.simulator.advance((k + 1) as f64 * 0.25e-3).expect("it drives");
        if (k + 1) % 40 == 0 {
            van.read();
            path.push(BODIES.map(|name| van.output(name)).to_vec());
        }
    }
    path
}

/// The same with tyres outside, coupled every `step`.
fn outside(duration: f64, step: f64) -> Vec<Vec<f64>> {
    let full = load("models/van");
    let mut van = Model::new(load("models/van/hubs.toml"), step);
    let mut tyres = PORTS.map(|(_, place)| Outside::new(&full, place));
    van.read();
    // Carcasses start as those of a wheel that has rolled like this for a while.
    for (tyre, (port, _)) in tyres.iter_mut().zip(PORTS) {
        let hub = van.hub(port);
        (0..2000).for_each(|_| tyre.advance(&hub, 0.25e-3));
    }
    let mut path = Vec::new();
    let often = (10e-3 / step).round() as usize;
    for k in 0..(duration / step).round() as usize {
        van.steer();
        for (tyre, (port, _)) in tyres.iter_mut().zip(PORTS) {
            let hub = van.hub(port);
            let (load, _) = tyre.load(&hub, &tyre.states);
            van.set(port, "point", &hub.reference);
            // The load goes along with the hub.
            for axis in 0..3 {
                let input = van.input(&wheel_ports::input_name(port, "point", axis));
                van.simulator.set_input_derivative(input, hub.velocity.lin[axis]);
            }
            van.set(port, "force", &load.force);
            van.set(port, "moment", &load.moment);
            tyre.advance(&hub, step);
        }
        van.simulator.advance((k + 1) as f64 * step).expect("it drives");
        van.read();
        if (k + 1) % often == 0 {
            path.push(BODIES.map(|name| van.output(name)).to_vec());
        }
    }
    path
}

fn largest_difference(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, larger)
}

#[test]
fn the_van_with_tyres_outside_moves_like_the_van_with_tyres_inside_up_to_the_coupling() {
    const DURATION: f64 = 1.0;
    let expected = inside(DURATION);
    let errors = [1e-3, 0.5e-3, 0.25e-3].map(|step| largest_difference(&outside(DURATION, step), &expected));
    println!("largest differences of the chassis' place: {errors:?} m at 1, 0.5, 0.25 ms");
    // First order: a hold of one step, and half the error with half of it.
    assert!(errors[0] < 5e-3, "{errors:?}");
    assert!(errors.windows(2).all(|pair| pair[1] < 0.6 * pair[0]), "{errors:?}");
}

#[test]
fn a_port_takes_the_place_of_the_tyre_and_of_its_outputs() {
    let (with, without) = (load("models/van"), load("models/van/hubs.toml"));
    assert_eq!((with.model.tyres.len(), without.model.tyres.len()), (4, 0));
    assert!(without.files.iter().all(|file| !file.path.ends_with(".tir")));
    let system = models::compiled(&without);
    let names = |end: &str| system.interface().outputs.iter().filter(|output| output.name.contains(end)).count();
    assert_eq!((names(".tyre."), names("wheel_FL.")), (0, 13));
    let inputs = system.interface().inputs.iter().filter(|input| input.name.starts_with("wheel_")).count();
    assert_eq!(inputs, 4 * 9);
}
