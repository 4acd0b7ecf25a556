//! The fuzz targets of `fuzz/` on a stable compiler: seeds from the gallery, changed from fixed seeds of random
//! numbers, a bounded number of cases. `scripts/fuzz.sh` goes on from there with libFuzzer.
//!
//! `FUZZED_TIMES=100 cargo test --release -p ballesta-project --test project fuzzed` runs a hundred times as many
//! cases.

#[path = "../../../../fuzz/src/shared/mod.rs"]
pub mod fuzz;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;
use std::time::Instant;

use fuzz::mutation::{self, Random};
use fuzz::targets::{ALL, Target};

thread_local! {
    /// Panics of this thread, those that the C boundary catches included.
    static PANICS: Cell<u32> = const { Cell::new(0) };
}

fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.with(|panics| panics.set(panics.get() + 1));
            print(panic);
        }));
    });
}

/// The target of that name.
fn target(name: &str) -> &'static Target {
    ALL.iter().find(|target| target.name == name).expect("a target of that name")
}

/// Runs the seeds of a target and `cases` changed ones. An input that fails is left in `target/fuzzed/`, also when it
/// ends the process.
fn holds(name: &str, cases: u64) {
    count_panics();
    let target = target(name);
    let seeds = fuzz::seeds::of(target);
    assert!(!seeds.is_empty(), "no seeds for {name}");
    let times = std::env::var("FUZZED_TIMES").map_or(1, |times| times.parse().expect("FUZZED_TIMES is a number"));
    let changed = (0..cases * times).map(|case| {
        let mut random = Random(case);
        let seed = random.pick(&seeds).expect("there are seeds");
        mutation::changed(seed, target.form, &mut random, target.longest)
    });
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("target/fuzzed");
    std::fs::create_dir_all(&folder).unwrap();
    let under_way = folder.join(format!("{name}.under_way"));
    let (mut failed, mut count, mut slowest) = (Vec::new(), 0, 0.0);
    for input in seeds.iter().cloned().chain(changed) {
        std::fs::write(&under_way, &input).unwrap();
        let (before, begin) = (PANICS.get(), Instant::now());
        let end = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        let seconds = begin.elapsed().as_secs_f64();
        if seconds > slowest {
            slowest = seconds;
            std::fs::copy(&under_way, folder.join(format!("{name}.slowest"))).unwrap();
        }
        if end.is_err() || PANICS.get() > before {
            let kept = folder.join(format!("{name}.{count}"));
            std::fs::write(&kept, &input).unwrap();
            failed.push(kept);
        }
        count += 1;
    }
    std::fs::remove_file(under_way).unwrap();
    println!("{name}: {count} inputs, the slowest {slowest:.3} s");
    assert!(failed.is_empty(), "{} of {count} inputs of {name} panic: {failed:#?}", failed.len());
}

#[test]
fn changed_model_files_are_refused_or_run() {
    crate::root::at_root();
    holds("model", 600);
}

#[test]
fn changed_structures_are_refused_or_built() {
    crate::root::at_root();
    holds("structure", 600);
}

#[test]
fn changed_reduced_models_are_refused_or_read() {
    crate::root::at_root();
    holds("rom", 200);
}

#[test]
fn changed_recovery_files_are_refused_or_have_finite_outputs() {
    crate::root::at_root();
    holds("recovery", 200);
}

#[test]
fn changed_matrices_are_refused_or_read() {
    crate::root::at_root();
    holds("matrices", 600);
}

#[test]
fn changed_tyre_files_are_refused_or_give_finite_forces() {
    crate::root::at_root();
    holds("tyre", 2000);
}

#[test]
fn changed_inputs_are_refused_or_finite() {
    crate::root::at_root();
    holds("inputs", 1000);
}

#[test]
fn changed_height_maps_are_refused_or_read() {
    crate::root::at_root();
    holds("height_map", 2000);
}

#[test]
fn changed_meshes_are_refused_or_read() {
    crate::root::at_root();
    holds("mesh", 3000);
}

#[test]
fn changed_adjacency_matrices_are_refused_or_analysed() {
    crate::root::at_root();
    holds("adjacency", 2000);
}

#[test]
fn changed_manoeuvres_are_refused_or_have_signals() {
    holds("manoeuvre", 1000);
}

#[test]
fn changed_studies_are_refused_or_run() {
    crate::root::at_root();
    holds("study", 300);
}

#[test]
fn changed_archives_and_descriptions_of_fmus_are_refused_or_read() {
    crate::root::at_root();
    holds("fmu_archive", 500);
    holds("fmu_description", 1000);
}

#[test]
fn changed_states_of_fmus_are_refused_or_continued() {
    crate::root::at_root();
    for state in fuzz::seeds::of(target("fmu_state")) {
        assert!(fuzz::fmu::is_taken(&state), "a state that was not changed is taken");
    }
    holds("fmu_state", 400);
}

#[test]
fn any_sequence_of_calls_returns_and_leaves_an_instance_that_starts_anew() {
    crate::root::at_root();
    holds("fmu_calls", 400);
}

#[test]
fn any_sequence_of_integrator_calls_returns_and_leaves_derivatives_that_start_anew() {
    crate::root::at_root();
    holds("fmu_exchange", 400);
}

#[test]
fn mutations_are_deterministic_and_change_texts() {
    crate::root::at_root();
    let seed = "[[body]]\nname = \"crank\"\nmass = 1.5\ncom = [0, 0.5, 0]\n";
    let changed: Vec<String> = (0..500).map(|case| mutation::text(seed, &mut Random(case), 1 << 16)).collect();
    let again: Vec<String> = (0..500).map(|case| mutation::text(seed, &mut Random(case), 1 << 16)).collect();
    assert_eq!(changed, again);
    let different: BTreeSet<&String> = changed.iter().filter(|text| *text != seed).collect();
    assert!(different.len() > 300, "only {} different texts", different.len());
    for part in ["nan", "mass = 1e308", "name = \"\"", "[[body]]\n[[body]]"] {
        assert!(changed.iter().any(|text| text.contains(part)), "no change gives {part}");
    }
}

#[test]
fn every_target_has_its_file_and_its_test() {
    crate::root::at_root();
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let own = std::fs::read_to_string(root.join("crates/project/tests/project/fuzzed.rs")).unwrap();
    let manifest = std::fs::read_to_string(root.join("fuzz/Cargo.toml")).unwrap();
    for name in ALL.iter().map(|target| target.name) {
        let text = std::fs::read_to_string(root.join(format!("fuzz/fuzz_targets/{name}.rs"))).unwrap();
        assert!(text.contains(&format!("fuzz!(\"{name}\")")), "fuzz_targets/{name}.rs runs another target");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is no binary of fuzz/Cargo.toml");
        assert!(own.contains(&format!("holds(\"{name}\",")), "{name} has no test");
    }
}
