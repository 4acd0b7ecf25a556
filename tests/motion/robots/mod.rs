//! Random parallel robots and linkages: energy, faults, and the same motion whichever way they are solved.

mod judge;
mod kinds;
mod linkages;
mod mechanism;
mod random;
mod rows;
mod table;

use judge::Run;
use kinds::{KINDS, robot};
use mechanism::Variant;
use random::Random;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{Kind, Start};

/// Length of every run, s.
const STOP: f64 = 3.0;
/// Steps of the runs and of those beside which the poor ones are judged, s.
const STEP: f64 = 1e-3;
const FINE: f64 = 5e-5;
/// Starts per kind: always, and for the table.
const SAMPLE: u64 = 5;
const ALL: u64 = 84;

/// The environment variable `ROBOTS_<name>`, read as a `T`.
fn asked<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(format!("ROBOTS_{name}")).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Model file of start `seed` of `kind`, solved as `variant` says.
fn text(kind: &str, seed: u64, variant: Variant, step: f64) -> String {
    let mut random = Random::new("variants", seed);
    robot(kind, seed).varied(variant, &mut random).toml(&format!("{kind}_{seed}"), step, STOP)
}

fn simulate(kind: &str, seed: u64, variant: Variant, step: f64) -> Run {
    simulate_to(STOP, kind, seed, variant, step, false)
}

fn simulate_to(stop: f64, kind: &str, seed: u64, variant: Variant, step: f64, sigma: bool) -> Run {
    match judge::compile(&text(kind, seed, variant, step), kind) {
        Ok(system) => judge::run(&system, stop, sigma),
        Err(error) => Run { fault: Some((0.0, error)), ..Run::default() },
    }
}

/// `work` for every number below `count` on two threads, in order.
fn parallel<T: Send>(count: u64, work: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let next = AtomicU64::new(0);
    let one = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return done;
            }
            done.push((number, work(number)));
        }
    };
    let threads = asked("THREADS", 2usize);
    let mut all: Vec<(u64, T)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    all.sort_unstable_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, result)| result).collect()
}

/// Every start of every kind, `count` each, with the fine motion beside the poor ones.
fn judged(count: u64) -> Vec<Kind> {
    let kinds = KINDS.map(|(name, _)| name);
    let starts = parallel(count * kinds.len() as u64, |number| {
        let (kind, seed) = (kinds[(number / count) as usize], number % count);
        let run = simulate(kind, seed, Variant::Plain, STEP);
        // What comes after the failure is no reason for it.
        let fine = Start::poor(&run).then(|| simulate_to(run.failed(STOP), kind, seed, Variant::Plain, FINE, true));
        Start { seed, run, fine }
    });
    let mut starts = starts.into_iter();
    kinds.into_iter().map(|name| Kind { name, starts: starts.by_ref().take(count as usize).collect() }).collect()
}

fn expect_sound(kinds: &[Kind]) {
    let (complaints, [right, broken]) = table::verdict(kinds);
    println!("{}{:.2} % right, {:.2} % broken", table::table(kinds), 100.0 * right, 100.0 * broken);
    assert!(complaints.is_empty(), "wrong, and nothing said:\n  {}", complaints.join("\n  "));
    assert!(right >= table::SHARE, "{right} of all starts are right");
    assert!(broken <= table::BROKEN, "{broken} of all starts end or are wrong away from singular positions");
}

#[test]
fn random_robots_keep_their_energy_or_say_why_not() {
    expect_sound(&judged(SAMPLE));
}

#[test]
#[ignore = "a minute: scripts/long.sh; writes the table of docs/verification.md with BALLESTA_REWRITE"]
fn a_thousand_random_robots_keep_their_energy_or_say_why_not() {
    let kinds = judged(ALL);
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/verification.md");
        let text = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = text.split_once("<!-- generated: robots -->\n").unwrap();
        let (_, after) = rest.split_once("<!-- end -->").unwrap();
        let text = format!("{before}<!-- generated: robots -->\n{}<!-- end -->{after}", table::table(&kinds));
        std::fs::write(&path, text).unwrap();
    }
    expect_sound(&kinds);
}

#[test]
fn robots_of_other_hands_keep_their_energy_and_the_order_of_the_scheme() {
    let count = rows::FILES.len() as u64;
    let rows = parallel(count, |number| {
        let (name, stop) = rows::FILES[number as usize];
        rows::row(name, stop)
    });
    for row in &rows {
        let changes: Vec<String> = row.runs.iter().map(|run| format!("{:.1e}", run.relative())).collect();
        let scale = row.runs[0].scale;
        println!("{}: {changes:?} of {scale:.2} J, orders {:.2} and {:.2}", row.name, row.energy, row.motion);
    }
    let complaints: Vec<String> = rows.iter().filter_map(|row| row.complaint()).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Largest distance of the positions of two runs at every sample that both have, and before it.
fn apart(a: &Run, b: &Run) -> Vec<f64> {
    let mut most = 0.0;
    let pairs = a.samples.iter().zip(&b.samples);
    let off = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0, |most, (a, b)| judge::worst(most, (a - b).abs()));
    pairs
        .map(|(a, b)| {
            most = judge::worst(most, off(a, b));
            most
        })
        .collect()
}

/// A start solved in another way: the largest part of its allowance that a sample takes, and the largest error
/// estimate.
struct Beside {
    name: String,
    part: f64,
    error: f64,
    until: f64,
    end: Option<String>,
}

/// Start `seed` of `kind` in every variant at 1 ms beside the plain one at a quarter of that: apart by no more than
/// the errors
/// that halved steps show.
fn beside(kind: &str, seed: u64) -> Vec<Beside> {
    let plain = [0.5, 0.25].map(|part| simulate(kind, seed, Variant::Plain, part * STEP));
    let own = apart(&plain[0], &plain[1]);
    let compare = |variant: Variant| {
        let runs = [1.0, 0.5].map(|part| simulate(kind, seed, variant, part * STEP));
        let (estimate, off) = (apart(&runs[0], &runs[1]), apart(&runs[0], &plain[1]));
        let mut beside =
            Beside { name: format!("{kind} {seed} {variant:?}"), part: 0.0, error: 0.0, until: 0.0, end: None };
        let all = runs.iter().chain(&plain);
        beside.end = all.filter_map(|run| run.fault.as_ref()).map(|(time, fault)| format!("{time} s: {fault}")).next();
        for ((off, estimate), own) in off.iter().zip(&estimate).zip(&own) {
            // Where errors grow beyond that, two runs of a chaotic motion have nothing in common.
            if *estimate > MEASURABLE {
                break;
            }
            beside.until += judge::SAMPLE;
            beside.part = judge::worst(beside.part, off / (FACTOR * estimate + own + FLOOR));
            beside.error = judge::worst(beside.error, *estimate);
        }
        beside
    };
    Variant::ALL.into_iter().map(compare).collect()
}

/// The Richardson estimate of a fourth-order scheme is 16/15 of the difference to half the step; twice that is
/// allowed.
const FACTOR: f64 = 2.0;
/// What rounding grows to in 3 s, m.
const FLOOR: f64 = 1e-8;
/// Samples are compared until the error estimate is above this, m, and so long at least, s.
const MEASURABLE: f64 = 1e-3;
const COMPARED: f64 = 0.5;

#[test]
fn another_cut_tree_order_or_request_gives_the_same_motion_within_its_error() {
    let each: u64 = asked("BESIDE", 1);
    let rows = parallel(each * KINDS.len() as u64, |number| beside(KINDS[(number / each) as usize].0, number % each));
    let rows: Vec<Beside> = rows.into_iter().flatten().collect();
    let mut complaints = Vec::new();
    for row in &rows {
        println!("{:28} {:8.2} of its allowance to {:.2} s {:?}", row.name, row.part, row.until, row.end);
        if row.end.is_some() || !(row.part <= 1.0) || !(row.until >= COMPARED) {
            complaints.push(format!(
                "{}: {:.2}, error {:.1e} m to {:.2} s {:?}",
                row.name, row.part, row.error, row.until, row.end
            ));
        }
    }
    assert!(complaints.is_empty(), "{} of {}:\n  {}", complaints.len(), rows.len(), complaints.join("\n  "));
}
