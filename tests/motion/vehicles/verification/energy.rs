//! Energy over every manoeuvre, and the order of the integration on a smooth one.

use super::*;
use crate::check::larger;

/// A manoeuvre as a table of inputs over time.
pub struct Manoeuvre {
    inputs: Vec<String>,
    /// Time, then the inputs.
    rows: Vec<Vec<f64>>,
}

impl Manoeuvre {
    /// From `models/<vehicle>/manoeuvres/<name>.csv`.
    pub fn read(vehicle: &str, name: &str) -> Manoeuvre {
        let text = text(vehicle, &format!("manoeuvres/{name}.csv"));
        let mut lines = text.lines();
        let inputs = lines.next().expect("a header").split(',').skip(1).map(str::to_owned).collect();
        let rows = lines.map(|line| line.split(',').map(|x| x.parse().expect("a number")).collect()).collect();
        Manoeuvre { inputs, rows }
    }

    /// The column of the inputs whose name ends so.
    fn column(&self, end: &str) -> usize {
        1 + self.inputs.iter().position(|name| name.ends_with(end)).unwrap_or_else(|| panic!("no input {end}"))
    }

    /// Speed at the start, m/s.
    pub fn speed(&self) -> f64 {
        self.rows[0][self.column("target_speed")]
    }

    /// Turns the steering wheel the other way, and swaps the brakes of left and right.
    pub fn mirrored(mut self) -> Manoeuvre {
        let steering = self.column("steering_wheel.angle");
        self.rows.iter_mut().for_each(|row| row[steering] = -row[steering]);
        for name in &mut self.inputs {
            let swapped = name.replace(".left.", ".swap.").replace(".right.", ".left.").replace(".swap.", ".right.");
            *name = swapped;
        }
        self
    }

    /// With another input, given at the times of the rows.
    pub fn with(mut self, input: &str, value: impl Fn(f64) -> f64) -> Manoeuvre {
        self.inputs.push(input.into());
        self.rows.iter_mut().for_each(|row| row.push(value(row[0])));
        self
    }

    /// The inputs at a time; where two rows have that time, those of the later one if `after`.
    fn at(&self, time: f64, after: bool) -> Vec<f64> {
        let near = 1e-9;
        let behind = self.rows.iter().position(|row| if after { row[0] > time + near } else { row[0] >= time - near });
        let Some(next) = behind else { return self.rows[self.rows.len() - 1][1..].to_vec() };
        let (a, b) = (&self.rows[next.saturating_sub(1)], &self.rows[next]);
        let part = if b[0] > a[0] { (time - a[0]) / (b[0] - a[0]) } else { 1.0 };
        a[1..].iter().zip(&b[1..]).map(|(a, b)| a + (b - a) * part).collect()
    }

    /// Drives from the present time to `stop` s; inputs are linear between rows, which are at multiples of 10 ms; `see`
    /// gets the vehicle at the start and then every 10 ms.
    pub fn drive(&self, vehicle: &mut Vehicle, stop: f64, mut see: impl FnMut(&Vehicle)) {
        let inputs: Vec<usize> = self.inputs.iter().map(|name| vehicle.input(name)).collect();
        see(vehicle);
        let first = (100.0 * vehicle.simulator.time()).round() as usize;
        for i in first..(100.0 * stop).round() as usize {
            let (start, end) = (0.01 * i as f64, 0.01 * (i + 1) as f64);
            let (now, then) = (self.at(start, true), self.at(end, false));
            for (k, &input) in inputs.iter().enumerate() {
                vehicle.simulator.set_input(input, now[k]);
                vehicle.simulator.set_input_derivative(input, (then[k] - now[k]) / 0.01);
            }
            vehicle.advance(end);
            see(vehicle);
        }
    }

    /// Time of the last row, s.
    fn end(&self) -> f64 {
        self.rows[self.rows.len() - 1][0]
    }
}

/// Names of the manoeuvres of a vehicle, sorted.
fn manoeuvres(vehicle: &str) -> Vec<String> {
    let files = std::fs::read_dir(folder(vehicle).join("manoeuvres")).expect("manoeuvres");
    let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter_map(|name| name.strip_suffix(".csv").map(str::to_owned)).collect();
    names.sort();
    names
}

/// What the energies did over a run.
#[derive(Default)]
struct Audit {
    start: Option<[f64; 4]>,
    /// Largest change of kinetic + potential + dissipated − work, J.
    error: f64,
    /// Largest changes of kinetic, potential and dissipated energy and of work, J.
    changes: [f64; 4],
}

impl Audit {
    fn see(&mut self, vehicle: &Vehicle) {
        let names = ["kinetic", "potential", "dissipated", "input_work"];
        let now = names.map(|name| vehicle.get(&format!("energy.{name}")));
        let start = *self.start.get_or_insert(now);
        let change = [0, 1, 2, 3].map(|k| now[k] - start[k]);
        self.error = larger(self.error, (change[0] + change[1] + change[2] - change[3]).abs());
        self.changes = [0, 1, 2, 3].map(|k| larger(self.changes[k], change[k].abs()));
    }

    /// Energy exchanged: the sum of the largest changes, J.
    fn exchanged(&self) -> f64 {
        self.changes.iter().sum()
    }
}

/// Error relative to the energy exchanged, at `step` s.
fn audit(document: &Document, manoeuvre: &Manoeuvre, set: &[(&str, f64)], step: f64, stop: f64) -> (f64, Audit) {
    let mut vehicle = Vehicle::new(document, manoeuvre.speed(), step, set);
    let mut audit = Audit::default();
    manoeuvre.drive(&mut vehicle, stop.min(manoeuvre.end()), |vehicle| audit.see(vehicle));
    (audit.error / audit.exchanged(), audit)
}

/// Below this an error is rounding, of the energy exchanged.
const ROUNDING: f64 = 1e-12;

fn check_all(vehicle: &str, stop: f64) {
    let plain = document(vehicle, &text(vehicle, "model.toml"));
    for name in manoeuvres(vehicle) {
        let set = if name == "tank_slapper" { UNLOADED } else { &[] };
        let manoeuvre = Manoeuvre::read(vehicle, &name);
        let (coarse, _) = audit(&plain, &manoeuvre, set, 1e-3, stop);
        let (fine, audit) = audit(&plain, &manoeuvre, set, 5e-4, stop);
        println!(
            "{vehicle}, {name}: {coarse:.1e} at 1 ms, {fine:.1e} at 0.5 ms of {:.3e} J exchanged ({:.2e} J)",
            audit.exchanged(),
            audit.error
        );
        assert!(fine <= 1e-5, "{name}");
        assert!(fine < 0.5 * coarse || fine < ROUNDING, "{name}: {coarse:.1e}, {fine:.1e}");
    }
}

#[test]
fn energy_of_the_van_is_balanced_over_every_manoeuvre() {
    check_all("van", 12.0);
}

#[test]
fn energy_of_the_truck_is_balanced_over_every_manoeuvre() {
    check_all("truck", 8.0);
}

#[test]
fn energy_of_the_van_is_balanced_over_speed_bumps() {
    // What is left does not fall with the step: the rate of the deflection leaves out the turning of the road's normal.
    let bumps = document("van", &text("van", "bumps.toml"));
    let speed = 30.0 / 3.6;
    let straight = Manoeuvre { inputs: vec!["target_speed".into()], rows: vec![vec![0.0, speed], vec![5.0, speed]] };
    let (found, audit) = audit(&bumps, &straight, &[], 5e-4, 5.0);
    println!("van, bumps: {found:.1e} at 0.5 ms of {:.3e} J exchanged ({:.2e} J)", audit.exchanged(), audit.error);
    assert!(found <= 1e-5);
}

#[test]
fn runge_kutta_4_has_order_4_on_a_smooth_manoeuvre() {
    // Steering on in a left turn: nothing changes its sign. Without the friction of the leaves, and with dampers of one
    // constant.
    let mut document = document("van", &text("van", "model.toml"));
    let model = &mut document.model;
    model.leaf_springs.iter_mut().for_each(|spring| spring.friction_coefficient = 0.0.into());
    for damper in &mut model.dampers {
        (damper.bump_damping, damper.rebound_damping) = (8000.0.into(), 8000.0.into());
        (damper.bump_degressivity, damper.rebound_degressivity) = (0.0.into(), 0.0.into());
    }
    let mut settled = Vehicle::new(&document, 20.0, 1e-3, &[]);
    settled.ramp("steering_wheel.angle", 0.6, 1.0);
    settled.advance(4.0);
    let start = settled.simulator.state().clone();
    let (interval, duration) = (8e-3, 0.4);
    let path = |step: f64| -> Vec<Vec<f64>> {
        let mut vehicle = Vehicle::new(&document, 20.0, step, &[]);
        vehicle.simulator.set_state(&start);
        let steering = vehicle.input("steering_wheel.angle");
        let angle = |t: f64| 0.6 + 0.3 * (1.0 - (std::f64::consts::PI * t / duration).cos());
        let intervals = (duration / interval).round() as usize;
        (0..intervals)
            .map(|i| {
                let t = i as f64 * interval;
                vehicle.simulator.set_input(steering, angle(t));
                vehicle.simulator.set_input_derivative(steering, (angle(t + interval) - angle(t)) / interval);
                vehicle.advance(4.0 + t + interval);
                let state = vehicle.simulator.state();
                state.q.iter().chain(&state.v).copied().collect()
            })
            .collect()
    };
    let reference = path(1.25e-4);
    // Root mean square over times of the largest differences of coordinates and speeds.
    let error = |step: f64| {
        let found = path(step);
        let squares = found
            .iter()
            .zip(&reference)
            .map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, larger).powi(2));
        (squares.sum::<f64>() / reference.len() as f64).sqrt()
    };
    let errors = [4e-3, 2e-3, 1e-3, 5e-4].map(error);
    let orders: Vec<f64> = errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect();
    let shown = errors.map(|error| format!("{error:.2e}")).join(", ");
    println!("van, smooth steering: errors {shown} at 4, 2, 1, 0.5 ms, orders {orders:.3?}");
    // The longest step is not yet short enough for its highest power to be all.
    assert!(orders[0] > 3.8 && orders[1..].iter().all(|order| (3.8..4.2).contains(order)), "{orders:?}");
}
