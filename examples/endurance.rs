//! Drives a vehicle's FMU for an hour and says whether anything wears out: loop gap, memory, step time, minute by minute.
//!
//! ```text
//! scripts/endurance.sh models/van                            makes the FMU, on a random road, and drives
//! cargo run --release --example endurance -- van.fmu [MINUTES]
//! ```
//!
//! Every minute of simulated time is a slalom between 6 m/s and 16 m/s, a stop with 2.5 m/s², some seconds at rest with the
//! brakes on, and a start. Inputs are set and outputs read every 10 ms; internal steps are those of the model.
//!
//! Half way the FMU state is saved. When the drive is over, this program starts itself as another process, which goes on from
//! that state to the end: both final states must have the same bytes.
//!
//! The FMU needs inputs that end with `speed` (held by a driver), `angle` (of the steering wheel) and `brake_torque` (one per
//! wheel), and outputs `gap`, `repartitions`, one that ends with `wheel.speed` and, for every braked wheel, `tyre.Fz`.

use ballesta::importer::{Causality, Fmu, Instance};
use std::error::Error;
use std::f64::consts::TAU;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Communication step, s.
const STEP: f64 = 1e-2;
/// Communication steps of a minute.
const MINUTE: u64 = 6_000;
/// Radius by which forces of the road become brake torques, m.
const RADIUS: f64 = 0.4;

/// What the driver and the road rig want at one instant.
struct Wish {
    speed: f64,
    /// Of the steering wheel, rad.
    angle: f64,
    /// m/s².
    deceleration: f64,
}

/// From 0 to 1 without a jump of the rate.
fn ramp(t: f64, start: f64, duration: f64) -> f64 {
    0.5 - 0.5 * (0.5 * TAU * ((t - start) / duration).clamp(0.0, 1.0)).cos()
}

/// The drive at communication step `k`.
fn wish(k: u64) -> Wish {
    let t = (k % MINUTE) as f64 * STEP;
    let start = if k < MINUTE { 1.0 } else { ramp(t, 0.0, 6.0) };
    let plan = start * (11.0 + 5.0 * (TAU * t / 22.0).cos());
    let going = 1.0 - ramp(t, 44.0, 0.5);
    let grip = (11.0 / plan.max(1.0)).powi(2).min(1.0);
    let angle = 0.8 * grip * start * going * (TAU * 0.2 * t).sin();
    let deceleration = 2.5 * (ramp(t, 44.0, 0.5) - ramp(t, 58.0, 1.0));
    Wish { speed: if t < 44.0 { plan } else { 0.0 }, angle, deceleration }
}

/// An instance of the vehicle and the variables that the drive touches.
struct Vehicle {
    instance: Instance,
    speed: u32,
    angle: u32,
    brakes: Vec<u32>,
    /// Brake torque per m/s², N m.
    shares: Vec<f64>,
    gap: u32,
    /// Speed of a wheel, rad/s.
    wheel: u32,
    repartitions: u32,
}

impl Vehicle {
    fn new(fmu: &Fmu) -> Result<Vehicle, Box<dyn Error>> {
        let description = fmu.description();
        let reference = |name: &str| match description.variable(name) {
            Some(variable) => Ok(variable.value_reference),
            None => Err(format!("the FMU has no variable {name}")),
        };
        let inputs = |end: &'static str| {
            description.with_causality(Causality::Input).filter(move |input| input.name.ends_with(end))
        };
        let one =
            |end| inputs(end).next().map(|input| input.value_reference).ok_or(format!("no input ends with {end}"));
        let mut loads = Vec::new();
        for brake in inputs("brake_torque") {
            loads.push(reference(&brake.name.replace("brake_torque", "tyre.Fz"))?);
        }
        let mut instance = fmu.instantiate("endurance", false)?;
        instance.initialize(0.0, None)?;
        let mut shares = vec![0.0; loads.len()];
        instance.get_real(&loads, &mut shares)?;
        shares.iter_mut().for_each(|load| *load *= RADIUS / 9.81);
        Ok(Vehicle {
            instance,
            speed: one("speed")?,
            angle: one("angle")?,
            brakes: inputs("brake_torque").map(|input| input.value_reference).collect(),
            shares,
            gap: reference("gap")?,
            wheel: description
                .with_causality(Causality::Output)
                .find(|output| output.name.ends_with("wheel.speed"))
                .map(|output| output.value_reference)
                .ok_or("no output ends with wheel.speed")?,
            repartitions: reference("repartitions")?,
        })
    }

    /// Drives from one communication step to another and prints a line per minute.
    fn drive(&mut self, steps: std::ops::Range<u64>) -> Result<(), Box<dyn Error>> {
        let (mut times, mut gap) = (Vec::with_capacity(MINUTE as usize), 0.0f64);
        let mut wheel = [f64::INFINITY, 0.0f64];
        for k in steps {
            let wish = wish(k);
            self.instance.set_real(&[self.speed, self.angle], &[wish.speed, wish.angle])?;
            for (brake, share) in self.brakes.iter().zip(&self.shares) {
                self.instance.set_real(&[*brake], &[wish.deceleration * share])?;
            }
            let begin = Instant::now();
            self.instance.do_step(k as f64 * STEP, (k + 1) as f64 * STEP - k as f64 * STEP)?;
            times.push(begin.elapsed().as_nanos() as f64 * 1e-3);
            let mut values = [0.0; 2];
            self.instance.get_real(&[self.gap, self.wheel], &mut values)?;
            gap = gap.max(values[0]);
            wheel = [wheel[0].min(values[1].abs()), wheel[1].max(values[1].abs())];
            if (k + 1) % MINUTE == 0 {
                let mut repartitions = [0];
                self.instance.get_integer(&[self.repartitions], &mut repartitions)?;
                times.sort_by(f64::total_cmp);
                let part = |p: f64| times[(p * (times.len() - 1) as f64) as usize];
                let mean = times.iter().sum::<f64>() / times.len() as f64;
                println!(
                    "{:6} {:8.0} {:8.0} {:8.0} {:8.0} {:10.1e} {:7} {:10}   {:.3} to {:.1}",
                    (k + 1) / MINUTE,
                    part(0.5),
                    mean,
                    part(0.99),
                    part(0.999),
                    gap,
                    repartitions[0],
                    resident_kilobytes().map_or("?".into(), |size| size.to_string()),
                    wheel[0],
                    wheel[1]
                );
                times.clear();
                (gap, wheel) = (0.0, [f64::INFINITY, 0.0]);
            }
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<u8>, Box<dyn Error>> {
        let saved = self.instance.get_state()?;
        let bytes = self.instance.serialize_state(saved)?;
        self.instance.free_state(saved)?;
        Ok(bytes)
    }
}

/// Memory of this process, where the system says it.
fn resident_kilobytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn heading(what: &str) {
    println!(
        "{what}; computing times of 10 ms\nminute   p50/µs  mean/µs   p99/µs p99.9/µs      gap/m repart.  memory/kB   wheel/(rad/s)"
    );
}

/// Drives the first half, saves the state, drives the second half, lets another process repeat that, and compares.
fn whole(path: &Path, minutes: u64) -> Result<(), Box<dyn Error>> {
    let (half, end) = (minutes / 2 * MINUTE, minutes * MINUTE);
    let (half_file, end_file) = (path.with_extension("half.state"), path.with_extension("end.state"));
    let mut vehicle = Vehicle::new(&Fmu::open(path)?)?;
    heading(&format!("{}: {minutes} minutes", path.display()));
    vehicle.drive(0..half)?;
    let saved = vehicle.state()?;
    std::fs::write(&half_file, &saved)?;
    vehicle.drive(half..end)?;
    let there = vehicle.state()?;
    drop(vehicle);
    let again = Command::new(std::env::current_exe()?)
        .args([path, &half_file, &end_file].map(Path::as_os_str))
        .arg(minutes.to_string())
        .status()?;
    let same = again.success() && std::fs::read(&end_file)? == there;
    println!("State of {} bytes saved at {} minutes, at the end {} bytes", saved.len(), minutes / 2, there.len());
    if !same {
        return Err("the other process, started from the saved state, came to another end".into());
    }
    println!("The other process, started from the saved state, came to the same end, bit for bit.");
    Ok(())
}

/// What the other process does.
fn second_half(path: &Path, half_file: &Path, end_file: &Path, minutes: u64) -> Result<(), Box<dyn Error>> {
    let mut vehicle = Vehicle::new(&Fmu::open(path)?)?;
    let saved = vehicle.instance.deserialize_state(&std::fs::read(half_file)?)?;
    vehicle.instance.set_state(saved)?;
    heading("Again, from the state saved half way, in another process");
    vehicle.drive(minutes / 2 * MINUTE..minutes * MINUTE)?;
    std::fs::write(end_file, vehicle.state()?)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [fmu] => whole(Path::new(fmu), 60),
        [fmu, minutes] => whole(Path::new(fmu), minutes.parse()?),
        [fmu, half, end, minutes] => second_half(Path::new(fmu), Path::new(half), Path::new(end), minutes.parse()?),
        _ => Err("usage: endurance FMU [MINUTES]".into()),
    }
}
