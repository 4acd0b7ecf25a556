//! Steps an FMU for hours and says whether anything wears out: bits after a restore, memory, step times, loop gap.
//!
//! ```text
//! scripts/endurance.sh 1e6                                    makes five FMUs and soaks each
//! cargo run --release -p ballesta-cli --example endurance -- van.fmu 1e6 [--interval N] [--seconds S] [--repeat]
//! ```
//!
//! Steps are `fmi2DoStep` of 1 ms; the outputs that are judged are read after each. What moves the model:
//!
//! * A vehicle (inputs that end with `speed`, `angle` and `brake_torque`) drives a course of a minute again and again:
//!   a slalom between 6 m/s and 16 m/s, a stop with 2.5 m/s², some seconds at rest with the brakes on, and a start.
//!   Steering has a constant part, so that the minutes lie on a ring and the path stays bounded; a truck, which would
//!   tip over, steers half as much. Inputs are set every 10 ms.
//! * With `--repeat` the default experiment is run again and again through `fmi2Reset`.
//! * Any other model goes on by itself.
//!
//! Every N steps (a minute of simulated time unless given) are an interval, and one JSON object on stdout: percentiles
//! of step times, those of a constant piece of work, a matrix times a vector, after every hundred steps, resident
//! memory, largest gap. Times are those that the thread computed, on Linux; what the clock on the wall says stands
//! beside them. In every interval, each time somewhere else, the state is serialized, a tenth of the interval is
//! stepped, and the state serialized again. Then a new instance goes from the first state to the second: same bytes.
//! The last of these is repeated by another process. A step that was made twice counts with its shorter time in
//! `twice_max`, which interrupts hardly reach.
//!
//! The last line is the verdict, `judge`; what it finds ends the program with exit code 1. With `--seconds` a soak ends
//! early, after a whole interval; `steps` says how far it came.

use ballesta_cli::thread_time;
use ballesta_package::importer::{Causality, Fmu, Instance, Kind};
use serde_json::{Value, json};
use std::error::Error;
use std::f64::consts::TAU;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::LazyLock;
use std::time::Instant;

/// Communication step, s.
const STEP: f64 = 1e-3;
/// Steps of a minute.
const MINUTE: u64 = 60_000;
/// Steps between changes of inputs.
const STEPS_PER_INPUT: u64 = 10;
/// Steps between pieces of the work that step times are compared with; its size, and how often it is done in one piece.
const WORK: (u64, usize, usize) = (100, 64, 8);
/// Radius by which forces of the road become brake torques, m.
const RADIUS: f64 = 0.4;

/// What the driver and the road rig want at one instant.
struct Request {
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

/// The drive at step `k`.
fn request(k: u64) -> Request {
    let t = (k % MINUTE) as f64 * STEP;
    let start = if k < MINUTE { 1.0 } else { ramp(t, 0.0, 6.0) };
    let plan = start * (11.0 + 5.0 * (TAU * t / 22.0).cos());
    let going = 1.0 - ramp(t, 44.0, 0.5);
    let grip = (11.0 / plan.max(1.0)).powi(2).min(1.0);
    let angle = grip * start * going * (0.3 + 0.8 * (TAU * 0.2 * t).sin());
    let deceleration = 2.5 * (ramp(t, 44.0, 0.5) - ramp(t, 58.0, 1.0));
    Request { speed: if t < 44.0 { plan } else { 0.0 }, angle, deceleration }
}

/// Inputs of a vehicle.
struct Driver {
    speed: u32,
    /// Of the steering wheel.
    angle: u32,
    brakes: Vec<u32>,
    /// Vertical forces of the braked wheels.
    loads: Vec<u32>,
    /// Part of the angle that the vehicle is given.
    steering: f64,
}

impl Driver {
    /// None for an FMU that is no vehicle.
    fn new(fmu: &Fmu) -> Option<Driver> {
        let description = fmu.description();
        let inputs = |end: &'static str| {
            description.with_causality(Causality::Input).filter(move |input| input.name.ends_with(end))
        };
        let one = |end| Some(inputs(end).next()?.value_reference);
        let load = |brake: &str| Some(description.variable(&brake.replace("brake_torque", "tyre.Fz"))?.value_reference);
        let brakes: Vec<u32> = inputs("brake_torque").map(|input| input.value_reference).collect();
        Some(Driver {
            speed: one("speed")?,
            angle: one("angle")?,
            steering: if brakes.len() > 4 { 0.5 } else { 1.0 },
            brakes,
            loads: inputs("brake_torque").map(|input| load(&input.name)).collect::<Option<_>>()?,
        })
    }
}

/// What is read after each step.
struct Watched {
    gap: Option<u32>,
    /// Horizontal position of a body.
    place: Option<[u32; 2]>,
    near_singular: Option<u32>,
    repartitions: Option<u32>,
}

/// An FMU and how it is moved.
struct Soak {
    fmu: Fmu,
    driver: Option<Driver>,
    /// Steps after which the experiment begins again.
    period: Option<u64>,
    watched: Watched,
}

/// What the outputs of an interval showed.
#[derive(Default)]
struct Seen {
    /// Longest step on the wall's clock, µs.
    wall_max: f64,
    gap: f64,
    /// Largest distance from the origin, m.
    place: f64,
    near_singular: u64,
    repartitions: i32,
}

/// An instance on its way.
struct Rider<'a> {
    soak: &'a Soak,
    instance: Instance,
    /// Brake torque per m/s², N m.
    shares: Vec<f64>,
}

impl Soak {
    fn new(path: &Path, repeat: bool) -> Result<Soak, Box<dyn Error>> {
        let fmu = Fmu::open(path)?;
        let description = fmu.description();
        let outputs = |kind| {
            description
                .with_causality(Causality::Output)
                .filter(move |output| output.kind == kind)
                .map(|output| (output.name.as_str(), output.value_reference))
        };
        let named = |kind, name: &str| outputs(kind).find(|output| output.0 == name).map(|output| output.1);
        let place = outputs(Kind::Real).find_map(|(name, x)| {
            let body = name.strip_suffix(".x")?;
            Some([x, named(Kind::Real, &format!("{body}.y"))?])
        });
        let experiment = description.experiment;
        let length = experiment.stop.unwrap_or(0.0) - experiment.start.unwrap_or(0.0);
        Ok(Soak {
            driver: Driver::new(&fmu),
            period: repeat.then_some((length / STEP).round() as u64).filter(|steps| *steps > 0),
            watched: Watched {
                gap: named(Kind::Real, "gap"),
                place,
                near_singular: named(Kind::Boolean, "near_singular"),
                repartitions: named(Kind::Integer, "repartitions"),
            },
            fmu,
        })
    }

    fn rider(&self) -> Result<Rider<'_>, Box<dyn Error>> {
        let mut instance = self.fmu.instantiate("endurance", false)?;
        instance.initialize(0.0, None)?;
        let loads = self.driver.as_ref().map_or(&[][..], |driver| &driver.loads);
        let mut shares = vec![0.0; loads.len()];
        instance.get_real(loads, &mut shares)?;
        shares.iter_mut().for_each(|load| *load *= RADIUS / 9.81);
        Ok(Rider { soak: self, instance, shares })
    }
}

impl Rider<'_> {
    /// Makes step `k`, adds to what is `seen`, and returns the time that the step computed, µs.
    fn step(&mut self, k: u64, seen: &mut Seen) -> Result<f64, Box<dyn Error>> {
        let local = self.soak.period.map_or(k, |period| k % period);
        if local == 0 && k > 0 {
            self.instance.reset()?;
            self.instance.initialize(0.0, None)?;
        }
        if let Some(driver) = self.soak.driver.as_ref().filter(|_| k.is_multiple_of(STEPS_PER_INPUT)) {
            let request = request(k);
            self.instance.set_real(&[driver.speed, driver.angle], &[request.speed, driver.steering * request.angle])?;
            for (brake, share) in driver.brakes.iter().zip(&self.shares) {
                self.instance.set_real(&[*brake], &[request.deceleration * share])?;
            }
        }
        let (begin, end) = (local as f64 * STEP, (local + 1) as f64 * STEP);
        let (wall, clock) = (Instant::now(), now());
        self.instance.do_step(begin, end - begin)?;
        let time = now() - clock;
        seen.wall_max = seen.wall_max.max(wall.elapsed().as_nanos() as f64 * 1e-3);
        let watched = &self.soak.watched;
        if let Some(gap) = watched.gap {
            let mut value = [0.0];
            self.instance.get_real(&[gap], &mut value)?;
            seen.gap = larger(seen.gap, value[0])?;
        }
        if let Some(place) = watched.place {
            let mut value = [0.0; 2];
            self.instance.get_real(&place, &mut value)?;
            seen.place = larger(seen.place, value[0].hypot(value[1]))?;
        }
        if let Some(flag) = watched.near_singular {
            let mut value = [0];
            self.instance.get_boolean(&[flag], &mut value)?;
            seen.near_singular += u64::from(value[0] != 0);
        }
        Ok(time)
    }

    fn state(&mut self) -> Result<Vec<u8>, Box<dyn Error>> {
        let saved = self.instance.get_state()?;
        let bytes = self.instance.serialize_state(saved)?;
        self.instance.free_state(saved)?;
        Ok(bytes)
    }

    /// Goes on from a serialized state at step `first`, for `times.len()` steps; each time becomes the shorter one.
    fn repeat(&mut self, state: &[u8], first: u64, times: &mut [f64]) -> Result<Vec<u8>, Box<dyn Error>> {
        let saved = self.instance.deserialize_state(state)?;
        self.instance.set_state(saved)?;
        self.instance.free_state(saved)?;
        for (k, time) in (first..).zip(times) {
            *time = time.min(self.step(k, &mut Seen::default())?);
        }
        self.state()
    }
}

/// The larger one; an error where the output is not a number, which no comparison would show.
fn larger(known: f64, value: f64) -> Result<f64, Box<dyn Error>> {
    if value.is_finite() { Ok(known.max(value)) } else { Err("an output is not finite".into()) }
}

/// Work that is always the same: a matrix times a vector. It feels what a step feels: caches, and a core that is
/// shared.
struct Work {
    matrix: Vec<f64>,
    vector: Vec<f64>,
}

impl Work {
    fn new() -> Work {
        let number = |k: usize| 1.0 / (1.0 + k as f64);
        Work { matrix: (0..WORK.1 * WORK.1).map(number).collect(), vector: (0..WORK.1).map(number).collect() }
    }

    /// Computing time of one piece, µs.
    fn time(&mut self) -> f64 {
        let clock = now();
        for _ in 0..WORK.2 {
            let row = |row: &[f64]| row.iter().zip(&self.vector).map(|(a, x)| a * x).sum::<f64>();
            let product: Vec<f64> = self.matrix.chunks_exact(WORK.1).map(row).collect();
            // It stays of one size, so that no piece meets other numbers than the last.
            let size = product.iter().fold(0.0f64, |a, x| a.max(x.abs()));
            self.vector.iter_mut().zip(&product).for_each(|(x, y)| *x = black_box(y / size));
        }
        now() - clock
    }
}

/// Computing time of this thread, or the time since the start where the system does not tell it, µs.
fn now() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    thread_time().unwrap_or_else(|| START.elapsed()).as_nanos() as f64 * 1e-3
}

/// Memory of this process in kB, where the system says it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The smallest value that the given part of the sorted `values` does not exceed.
fn percentile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(part * (values.len() - 1) as f64) as usize]
}

/// What an interval left. Times in µs.
#[derive(Clone, Debug, Default)]
struct Interval {
    p50: f64,
    p99: f64,
    max: f64,
    /// The longest of the steps that were made twice, the shorter of both times counted.
    twice_max: f64,
    work_p50: f64,
    work_p99: f64,
    /// kB.
    memory: Option<u64>,
    /// m.
    gap: f64,
    same_bits: bool,
}

/// Largest ratios of the last third of the intervals to the first one, medians both: step times in pieces of work.
const DRIFTS: [(&str, f64); 3] = [("p50", 1.2), ("p99", 1.5), ("twice_max", 2.0)];
/// Growth of memory that is none, kB: what an allocator keeps back differs by some blocks of an instance.
const GROWTH: f64 = 360.0;

/// What is wrong with a soak; empty where nothing is. The first interval warms up and is left out but for its bits.
///
/// Step times are compared as multiples of the constant work at the same percentile (the median for `twice_max`), so
/// that a machine that has become slower, or busier, does not count.
fn judge(intervals: &[Interval]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (index, _) in intervals.iter().enumerate().filter(|(_, interval)| !interval.same_bits) {
        wrong.push(format!("interval {index}: other bits after the restore"));
    }
    let warm = intervals.get(1..).unwrap_or_default();
    let third = warm.len() / 3;
    if third < 3 {
        wrong.push(format!("{} intervals are too few to see a drift, at least 10 are needed", intervals.len()));
        return wrong;
    }
    let (first, last) = (&warm[..third], &warm[warm.len() - third..]);
    for (name, limit) in DRIFTS {
        let median = |part: &[Interval]| {
            let of = |interval: &Interval| match name {
                "p50" => interval.p50 / interval.work_p50,
                "p99" => interval.p99 / interval.work_p99,
                _ => interval.twice_max / interval.work_p50,
            };
            percentile(&mut part.iter().map(of).collect::<Vec<f64>>(), 0.5)
        };
        let ratio = median(last) / median(first);
        if !(ratio <= limit) {
            wrong.push(format!("{name} of the last third is {ratio:.2} times that of the first, more than {limit}"));
        }
    }
    // The instances of the restores come and go, and an allocator gives their memory back now or later: medians here
    // too.
    let memory = |part: &[Interval]| {
        let known: Option<Vec<f64>> = part.iter().map(|interval| Some(interval.memory? as f64)).collect();
        Some(percentile(&mut known?, 0.5))
    };
    if let (Some(before), Some(after)) = (memory(first), memory(last))
        && after > before + GROWTH
    {
        wrong.push(format!("memory grew from {before} kB to {after} kB"));
    }
    let gap = |part: &[Interval]| part.iter().map(|interval| interval.gap).fold(0.0, f64::max);
    if !(gap(last) <= 10.0 * gap(first) + 1e-9) {
        wrong.push(format!("the loop gap grew from {:.1e} m to {:.1e} m", gap(first), gap(last)));
    }
    wrong
}

/// What was typed.
struct Wanted {
    path: PathBuf,
    steps: u64,
    interval: u64,
    seconds: f64,
    repeat: bool,
}

/// Soaks, prints, and returns what is wrong.
fn soak(wanted: &Wanted) -> Result<Vec<String>, Box<dyn Error>> {
    let soak = Soak::new(&wanted.path, wanted.repeat)?;
    let length = wanted.interval;
    let window = (length / 10 / STEPS_PER_INPUT).max(1) * STEPS_PER_INPUT;
    let (clock, name) = (Instant::now(), soak.fmu.description().model_name.clone());
    let mut rider = soak.rider()?;
    println!("{}", json!({ "model": name, "memory_kb_at_start": resident(), "steps_wanted": wanted.steps }));
    let mut intervals = Vec::new();
    let mut times = Vec::with_capacity(length as usize);
    let (mut work, mut pieces) = (Work::new(), Vec::with_capacity((length / WORK.0) as usize + 1));
    let mut made = Vec::with_capacity(window as usize);
    let (mut last, mut done) = (None, 0);
    while done + length <= wanted.steps && clock.elapsed().as_secs_f64() < wanted.seconds {
        times.clear();
        pieces.clear();
        made.clear();
        let mut seen = Seen::default();
        let number = intervals.len() as u64;
        // Each time somewhere else in the interval: seven tenths on, and some steps more every tenth time.
        let latest = (length - window) / STEPS_PER_INPUT;
        let saved_at =
            done + (number * 7 % 10 * window / STEPS_PER_INPUT + number / 10 * 7) % (latest + 1) * STEPS_PER_INPUT;
        let (mut saved, mut reached) = (Vec::new(), Vec::new());
        for k in done..done + length {
            if k == saved_at {
                saved = rider.state()?;
            }
            let time = rider.step(k, &mut seen).map_err(|error| format!("step {k}: {error}"))?;
            times.push(time);
            if (saved_at..saved_at + window).contains(&k) {
                made.push(time);
                if k + 1 == saved_at + window {
                    reached = rider.state()?;
                }
            }
            if k % WORK.0 == 0 {
                pieces.push(work.time());
            }
        }
        done += length;
        let again = soak.rider()?.repeat(&saved, saved_at, &mut made)?;
        if let Some(repartitions) = soak.watched.repartitions {
            let mut value = [0];
            rider.instance.get_integer(&[repartitions], &mut value)?;
            seen.repartitions = value[0];
        }
        let interval = Interval {
            p50: percentile(&mut times, 0.5),
            p99: percentile(&mut times, 0.99),
            max: percentile(&mut times, 1.0),
            twice_max: percentile(&mut made, 1.0),
            work_p50: percentile(&mut pieces, 0.5),
            work_p99: percentile(&mut pieces, 0.99),
            memory: resident(),
            gap: seen.gap,
            same_bits: again == reached,
        };
        println!("{}", line(done, saved_at, &interval, &seen));
        intervals.push(interval);
        last = Some((saved, saved_at, reached));
    }
    let mut wrong = judge(&intervals);
    if let Some((saved, saved_at, reached)) = last
        && !elsewhere(wanted, &saved, saved_at, window, &reached)?
    {
        wrong.push("another process came from the last saved state to another one".into());
    }
    let verdict = json!({
        "model": name, "steps": done, "seconds": clock.elapsed().as_secs_f64().round(), "restores": intervals.len(),
        "wrong": wrong,
    });
    println!("{verdict}");
    Ok(wrong)
}

fn line(done: u64, saved_at: u64, interval: &Interval, seen: &Seen) -> Value {
    let two = |value: f64| (value * 100.0).round() / 100.0;
    json!({
        "steps": done,
        "step_us": {
            "p50": two(interval.p50), "p99": two(interval.p99), "max": two(interval.max),
            "twice_max": two(interval.twice_max),
        },
        "work_us": { "p50": two(interval.work_p50), "p99": two(interval.work_p99) },
        "wall_max_us": two(seen.wall_max),
        "memory_kb": interval.memory,
        "gap_m": interval.gap,
        "place_m": two(seen.place),
        "near_singular": seen.near_singular,
        "repartitions": seen.repartitions,
        "restored_from_step": saved_at,
        "same_bits": interval.same_bits,
    })
}

/// Does another process come from one state to the other?
fn elsewhere(wanted: &Wanted, saved: &[u8], first: u64, steps: u64, reached: &[u8]) -> Result<bool, Box<dyn Error>> {
    let (from, to) = (wanted.path.with_extension("from.state"), wanted.path.with_extension("to.state"));
    std::fs::write(&from, saved)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(&wanted.path).args([first, steps].map(|number| number.to_string())).arg(&from).arg(&to);
    if wanted.repeat {
        command.arg("--repeat");
    }
    Ok(command.status()?.success() && std::fs::read(&to)? == reached)
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    const USAGE: &str = "usage: endurance FMU STEPS [--interval STEPS] [--seconds SECONDS] [--repeat]";
    let (mut plain, mut interval, mut seconds, mut repeat) = (Vec::new(), MINUTE, f64::INFINITY, false);
    let mut words = std::env::args().skip(1);
    let number = |word: Option<String>| -> Result<f64, Box<dyn Error>> {
        Ok(word.ok_or(USAGE)?.parse::<f64>().map_err(|_| USAGE)?)
    };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--repeat" => repeat = true,
            "--interval" => interval = number(words.next())? as u64 / STEPS_PER_INPUT * STEPS_PER_INPUT,
            "--seconds" => seconds = number(words.next())?,
            _ => plain.push(word),
        }
    }
    if interval < 10 * STEPS_PER_INPUT {
        return Err("an interval needs at least 100 steps".into());
    }
    match plain.as_slice() {
        [path, steps] => {
            let steps = number(Some(steps.clone()))? as u64;
            let wrong = soak(&Wanted { path: PathBuf::from(path), steps, interval, seconds, repeat })?;
            wrong.iter().for_each(|reason| eprintln!("{path}: {reason}"));
            Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        // What the other process does.
        [path, first, steps, from, to] => {
            let soak = Soak::new(Path::new(path), repeat)?;
            let mut times = vec![0.0; steps.parse()?];
            let state = soak.rider()?.repeat(&std::fs::read(from)?, first.parse()?, &mut times)?;
            std::fs::write(to, state)?;
            Ok(ExitCode::SUCCESS)
        }
        _ => Err(USAGE.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty intervals of which the later ones are changed by `change`, which gets the number and the interval.
    fn intervals(change: impl Fn(u64, &mut Interval)) -> Vec<Interval> {
        let whole = Interval {
            p50: 50.0,
            p99: 60.0,
            max: 900.0,
            twice_max: 70.0,
            work_p50: 20.0,
            work_p99: 25.0,
            memory: Some(8000),
            gap: 1e-14,
            same_bits: true,
        };
        (0..20)
            .map(|number| {
                let mut interval = whole.clone();
                change(number, &mut interval);
                interval
            })
            .collect()
    }

    fn reasons(change: impl Fn(u64, &mut Interval)) -> String {
        judge(&intervals(change)).join("; ")
    }

    #[test]
    fn what_stays_is_right() {
        assert_eq!(reasons(|_, _| ()), "");
        // Warming up, a machine that becomes half as fast, and single slow intervals are no drift.
        assert_eq!(reasons(|number, interval| interval.p50 *= if number == 0 { 5.0 } else { 1.0 }), "");
        let slower = |number: u64, interval: &mut Interval| {
            let factor = if number > 10 { 2.0 } else { 1.0 };
            for time in [
                &mut interval.p50,
                &mut interval.p99,
                &mut interval.twice_max,
                &mut interval.work_p50,
                &mut interval.work_p99,
            ] {
                *time *= factor;
            }
        };
        assert_eq!(reasons(slower), "");
        assert_eq!(reasons(|number, interval| interval.p99 *= if number % 3 == 0 { 9.0 } else { 1.0 }), "");
        assert_eq!(reasons(|number, interval| interval.memory = Some(if number == 18 { 14_000 } else { 8000 })), "");
    }

    #[test]
    fn what_wears_out_is_named() {
        let of = |change: fn(u64, &mut Interval)| reasons(change);
        assert!(of(|number, interval| interval.same_bits = number != 7).contains("interval 7: other bits"));
        assert!(of(|number, interval| interval.p50 += 1.2 * number as f64).contains("p50 of the last third"));
        assert!(of(|number, interval| interval.p99 += 4.0 * number as f64).contains("p99 of the last third"));
        assert!(of(|number, interval| interval.twice_max += 9.0 * number as f64).contains("twice_max"));
        assert!(of(|number, interval| interval.memory = Some(8000 + 30 * number)).contains("memory grew"));
        assert!(of(|number, interval| interval.gap *= 4f64.powi(number as i32 * 2)).contains("gap grew"));
        assert!(of(|_, interval| interval.p50 = f64::NAN).contains("p50"));
        assert!(judge(&intervals(|_, _| ())[..9]).join("").contains("too few"));
    }
}
