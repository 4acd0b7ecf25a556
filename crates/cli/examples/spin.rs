//! Steps of a vehicle's FMU beside a spin loop of the same length on the same core: what of the tail is the solver's?
//!
//! ```text
//! benches/spin/run.sh models/van                      makes the FMU and runs this on one core
//! cargo run --release -p ballesta-cli --example spin -- van.fmu [STEPS [OUT.svg]]
//! ```
//!
//! By turns one `fmi2DoStep` of 1 ms, outputs left alone, and a spin loop that was calibrated to the median step: first
//! while the vehicle drives on at its start speed, then, after braking, at rest, with a tenth of the steps. Whatever
//! holds up the core (interrupts, other programs, the host of a virtual machine) hits both alike; a step that is slow
//! of itself does not hit the spin loop. States that decay to denormals would show as slow steps at rest.
//!
//! The FMU needs inputs that end with `speed` (held by a driver) and `brake_torque` (one per wheel), and outputs
//! `tyre.Fz` for every braked wheel and one that ends with `wheel.speed`.

use ballesta_package::importer::{Causality, Fmu, Instance};
use ballesta_pictures::plot::plot_drawing::{LEFT, RIGHT, TOP, WIDTH, class, line, page, text};
use hdrhistogram::Histogram;
use std::error::Error;
use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// Communication step, s.
const STEP: f64 = 1e-3;
/// Deceleration of the stop, m/s², and the radius by which forces of the road become brake torques, m.
const BRAKING: (f64, f64) = (2.5, 0.4);
/// Simulated time from driving to rest, s.
const STOPPING_TIME_S: u64 = 20_000;
/// A wheel below this speed stands, rad/s.
const REST_SPEED: f64 = 1e-3;

/// The driving vehicle.
struct Vehicle {
    instance: Instance,
    steps: u64,
}

impl Vehicle {
    fn step(&mut self) -> Result<(), Box<dyn Error>> {
        let (begin, end) = (self.steps as f64 * STEP, (self.steps + 1) as f64 * STEP);
        self.instance.do_step(begin, end - begin)?;
        self.steps += 1;
        Ok(())
    }
}

/// Computes nothing, one dependent multiplication after the other.
fn spin(rounds: u64) {
    let mut value = 1u64;
    for _ in 0..rounds {
        value = black_box(value.wrapping_mul(6364136223846793005).wrapping_add(1));
    }
    black_box(value);
}

fn nanoseconds(work: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<u64, Box<dyn Error>> {
    let clock = Instant::now();
    work()?;
    Ok(clock.elapsed().as_nanos() as u64)
}

/// Times of steps and of the spins between them, ns.
struct Pair {
    name: &'static str,
    step: Histogram<u64>,
    spin: Histogram<u64>,
}

impl Pair {
    /// Calibrates the spin loop with a hundredth of the steps, then measures.
    fn measure(name: &'static str, vehicle: &mut Vehicle, count: u64) -> Result<Pair, Box<dyn Error>> {
        let histogram = || Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 3);
        let (mut step, mut trial) = (histogram()?, histogram()?);
        const ROUNDS: u64 = 20_000;
        for _ in 0..(count / 100).clamp(200, 5000) {
            step.saturating_record(nanoseconds(|| vehicle.step())?);
            trial.saturating_record(nanoseconds(|| {
                spin(ROUNDS);
                Ok(())
            })?);
        }
        let rounds = ROUNDS * step.value_at_quantile(0.5) / trial.value_at_quantile(0.5).max(1);
        let mut pair = Pair { name, step: histogram()?, spin: histogram()? };
        for _ in 0..count {
            pair.step.saturating_record(nanoseconds(|| vehicle.step())?);
            pair.spin.saturating_record(nanoseconds(|| {
                spin(rounds);
                Ok(())
            })?);
        }
        Ok(pair)
    }

    fn rows(&self) -> String {
        let row = |what: String, times: &Histogram<u64>| {
            let at = |part: f64| format!("{:.1}", times.value_at_quantile(part) as f64 / 1e3);
            let cells = [0.5, 0.99, 0.999, 0.9999, 1.0].map(at).join(" | ");
            format!("| {what} | {} | {cells} |\n", times.len())
        };
        row(format!("step, {}", self.name), &self.step)
            + &row(format!("spin loop beside it, {}", self.name), &self.spin)
    }

    /// What p99.99 of the steps exceeds that of the spin loop by, in median steps.
    fn excess(&self) -> f64 {
        let at = |times: &Histogram<u64>, part| times.value_at_quantile(part) as f64;
        (at(&self.step, 0.9999) - at(&self.spin, 0.9999)) / at(&self.step, 0.5)
    }
}

/// Times over percentiles, every further nine as wide as the one before.
fn picture(title: &str, pairs: &[Pair]) -> String {
    let (height, top, right) = (320.0, TOP + 24.0, WIDTH - RIGHT);
    let curves: Vec<(String, &Histogram<u64>)> = pairs
        .iter()
        .flat_map(|pair| {
            [(format!("step, {}", pair.name), &pair.step), (format!("spin loop, {}", pair.name), &pair.spin)]
        })
        .collect();
    let log = |time: u64| (time.max(1) as f64).log10();
    let low = curves.iter().map(|(_, times)| log(times.min())).fold(f64::INFINITY, f64::min).floor();
    let high = curves.iter().map(|(_, times)| log(times.max())).fold(0.0, f64::max).ceil();
    let y_of = |time: u64| top + height * (1.0 - ((log(time) - low) / (high - low)).clamp(0.0, 1.0));
    let nines = (pairs[0].step.len().max(10) as f64).log10();
    let x_of = |nine: f64| LEFT + (right - LEFT) * nine / nines;
    let mut body = String::new();
    for decade in low as i32..=high as i32 {
        let (time, y) = (10u64.pow(decade as u32), y_of(10u64.pow(decade as u32)));
        line(&mut body, &format!(r#"<path class="grid" d="M{LEFT} {y:.1}H{right}"/>"#));
        let label =
            if time < 1_000_000 { format!("{} µs", time as f64 / 1e3) } else { format!("{} ms", time / 1_000_000) };
        line(&mut body, &text(LEFT - 6.0, y + 4.0, "tick", &label));
    }
    let marks = [
        (0.0, "0 %"),
        (2f64.log10(), "50 %"),
        (1.0, "90 %"),
        (2.0, "99 %"),
        (3.0, "99.9 %"),
        (4.0, "99.99 %"),
        (5.0, "99.999 %"),
    ];
    for (nine, label) in marks.iter().filter(|(nine, _)| *nine <= nines) {
        line(&mut body, &format!(r#"<path class="grid" d="M{:.1} {top}v{height}"/>"#, x_of(*nine)));
        line(&mut body, &text(x_of(*nine), top + height + 17.0, "time", label));
    }
    line(&mut body, &text((LEFT + right) / 2.0, top + height + 36.0, "time", "part that does not take longer"));
    for (index, (name, times)) in curves.iter().enumerate() {
        let x = LEFT + 200.0 * index as f64;
        line(&mut body, &format!(r#"<path class="{}" d="M{x:.1} {:.1}h24"/>"#, class(index), TOP + 6.0));
        line(&mut body, &text(x + 30.0, TOP + 10.0, "name", name));
        let mut path = String::new();
        let last = (times.len() as f64).log10();
        for i in 0..=300 {
            let nine = last * f64::from(i) / 300.0;
            let time = times.value_at_quantile(if i == 300 { 1.0 } else { 1.0 - 10f64.powf(-nine) });
            let _ = write!(path, "{}{:.1} {:.1}", if i == 0 { 'M' } else { 'L' }, x_of(nine), y_of(time));
        }
        line(&mut body, &format!(r#"<path class="{}" d="{path}"/>"#, class(index)));
    }
    line(
        &mut body,
        &format!(r#"<rect class="frame" x="{LEFT}" y="{top}" width="{}" height="{height}"/>"#, right - LEFT),
    );
    page(
        title,
        "one fmi2DoStep of 1 ms and a spin loop of the same length by turns on one core",
        top + height + 46.0,
        &body,
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = arguments.first().ok_or("usage: spin FMU [STEPS [OUT.svg]]")?;
    let count: u64 = arguments.get(1).map_or(Ok(1_000_000), |word| word.parse())?;
    let fmu = Fmu::open(Path::new(file))?;
    let description = fmu.description();
    let ending = |causality, end: &'static str| {
        description.with_causality(causality).filter(move |variable| variable.name.ends_with(end))
    };
    let one = |causality, end| {
        let found = ending(causality, end).next().map(|variable| variable.value_reference);
        found.ok_or(format!("the FMU has no variable that ends with {end}"))
    };
    let (speed, wheel) = (one(Causality::Input, "speed")?, one(Causality::Output, "wheel.speed")?);
    let brakes: Vec<u32> = ending(Causality::Input, "brake_torque").map(|brake| brake.value_reference).collect();
    let mut loads = Vec::new();
    for brake in ending(Causality::Input, "brake_torque") {
        let name = brake.name.replace("brake_torque", "tyre.Fz");
        loads.push(description.variable(&name).ok_or(format!("no output {name}"))?.value_reference);
    }

    let mut vehicle = Vehicle { instance: fmu.instantiate("spin", false)?, steps: 0 };
    vehicle.instance.initialize(0.0, None)?;
    let mut forces = vec![0.0; loads.len()];
    vehicle.instance.get_real(&loads, &mut forces)?;
    let moving = Pair::measure("moving", &mut vehicle, count)?;

    vehicle.instance.set_real(&[speed], &[0.0])?;
    let torques: Vec<f64> = forces.iter().map(|force| force / 9.81 * BRAKING.0 * BRAKING.1).collect();
    vehicle.instance.set_real(&brakes, &torques)?;
    for _ in 0..STOPPING_TIME_S {
        vehicle.step()?;
    }
    let mut turning = [0.0];
    vehicle.instance.get_real(&[wheel], &mut turning)?;
    if turning[0].abs() > REST_SPEED {
        return Err(format!("the wheel still turns with {} rad/s", turning[0]).into());
    }
    let resting = Pair::measure("at rest", &mut vehicle, (count / 10).max(1000))?;

    println!("| µs | number | p50 | p99 | p99.9 | p99.99 | max |\n|---|---|---|---|---|---|---|");
    print!("{}{}", moving.rows(), resting.rows());
    let median = |pair: &Pair| pair.step.value_at_quantile(0.5) as f64;
    println!(
        "\np99.99 above that of the spin loop: {:.2} median steps moving, {:.2} at rest; median at rest / moving: \
         {:.3}",
        moving.excess(),
        resting.excess(),
        median(&resting) / median(&moving)
    );
    if let Some(path) = arguments.get(2) {
        std::fs::write(path, picture(&format!("{} beside a spin loop", description.model_name), &[moving, resting]))?;
    }
    Ok(())
}
