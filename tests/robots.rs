//! Random parallel robots and linkages: energy, faults, and the same motion whichever way they are solved.

#[path = "robots/mod.rs"]
mod robots;

use robots::judge::{self, Run};
use robots::kinds::{KINDS, robot};
use robots::mechanism::Variant;
use robots::random::Random;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Length of every run, s.
const STOP: f64 = 3.0;

/// The environment variable `ROBOTS_<name>`, read as a `T`.
fn asked<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(format!("ROBOTS_{name}")).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Model file of start `seed` of `kind`, solved as `variant` says.
fn text(kind: &str, seed: u64, variant: Variant, step: f64) -> String {
    let mut random = Random::new("variants", seed);
    robot(kind, seed).varied(variant, &mut random).toml(&format!("{kind}_{seed}"), step, STOP)
}

fn simulate(kind: &str, seed: u64, variant: Variant, step: f64, sigma: bool) -> Run {
    match judge::compile(&text(kind, seed, variant, step), kind) {
        Ok(system) => judge::run(&system, STOP, sigma),
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

fn variant() -> Variant {
    let name: String = asked("VARIANT", "Plain".into());
    *Variant::ALL.iter().find(|variant| format!("{variant:?}") == name).unwrap_or_else(|| panic!("no variant {name}"))
}

/// One line per kind; see /tmp/robots-usage.md.
#[test]
#[ignore = "a study, chosen by environment variables"]
fn study() {
    let (kinds, count): (String, u64) = (asked("KIND", "all".into()), asked("COUNT", 20));
    let (seed, step, variant): (u64, f64, Variant) = (asked("SEED", 0), asked("STEP", 1e-3), variant());
    let (list, fine): (u64, f64) = (asked("LIST", 0), asked("FINE", 0.0));
    println!(
        "{:18} {:>5} {:>6} {:>6} {:>6} {:>9} {:>6}  near  repart  gap",
        "kind", "runs", "faults", ">1e-3", ">1e-4", "worst", "seed"
    );
    for (kind, _) in KINDS {
        if kinds != "all" && !kinds.split(',').any(|name| name == kind) {
            continue;
        }
        let clock = std::time::Instant::now();
        let runs = parallel(count, |number| {
            let run = simulate(kind, seed + number, variant, step, false);
            let poor = run.fault.is_some() || !(run.relative() <= 1e-3);
            let beside = (fine > 0.0 && poor).then(|| simulate(kind, seed + number, variant, fine, true));
            (run, beside)
        });
        let count_if = |wanted: &dyn Fn(&Run) -> bool| runs.iter().filter(|(run, _)| wanted(run)).count();
        let ended = |run: &Run| run.fault.is_none();
        let (mut worst, mut at) = (0.0, 0);
        for (number, (run, _)) in runs.iter().enumerate() {
            if ended(run) && !(run.relative() <= worst) {
                (worst, at) = (run.relative(), number);
            }
        }
        println!(
            "{kind:18} {:5} {:6} {:6} {:6} {worst:9.1e} {:6}  {:4} {:7.0} {:.0e}  {:.0} s",
            runs.len(),
            count_if(&|run| !ended(run)),
            count_if(&|run| ended(run) && !(run.relative() <= 1e-3)),
            count_if(&|run| ended(run) && !(run.relative() <= 1e-4)),
            seed + at as u64,
            count_if(&|run| run.near_singular > 0),
            runs.iter().map(|(run, _)| run.repartitions).sum::<f64>(),
            runs.iter().fold(0.0, |most, (run, _)| judge::worst(most, run.gaps[0])),
            clock.elapsed().as_secs_f64(),
        );
        for (number, (run, beside)) in runs.iter().enumerate() {
            let poor = run.fault.is_some() || !(run.relative() <= 1e-3);
            if !(list > 1 || poor && (list > 0 || beside.is_some())) {
                continue;
            }
            print!("    {:5}: {:9.1e}", seed + number as u64, run.relative());
            print!(" of {:.1e} J, lost {:?}, near {}, ", run.scale, run.lost, run.near_singular);
            print!("repart {}, fault {:?}", run.repartitions, run.fault);
            if let Some(fine) = beside {
                print!(" | fine {:9.1e} sigma {:?} fault {:?}", fine.relative(), fine.sigma, fine.fault);
            }
            println!();
        }
    }
}

/// Writes the model file of one start.
#[test]
#[ignore = "writes a file, chosen by environment variables"]
fn write() {
    let kind: String = asked("KIND", "hexapod_bodies".into());
    let path: PathBuf = asked("OUT", "/tmp/robot.toml".into());
    std::fs::write(&path, text(&kind, asked("SEED", 0), variant(), asked("STEP", 1e-3))).unwrap();
    println!("wrote {}", path.display());
}
