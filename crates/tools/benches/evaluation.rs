//! Times of evaluations, steps, outputs, and steps with outputs: `cargo bench -p ballesta-tools --bench evaluation [--
//! FILTER]`.
//!
//! Quietest, quartiles and medians of batches of 0.3 ms, in µs; the quotients that follow are ratios of the minima.
//! There is no bench library, because the available ones take longer to compile than a test of this project may take.
//! `ballesta bench` gives distributions of single steps, benches/instructions gives counts that do not depend on the
//! load of the machine.

#[allow(dead_code)]
#[path = "../examples/instructions.rs"]
mod instructions;

use ballesta::compile;
use ballesta::simulate::Simulator;
use ballesta::system::{Fault, Workspace};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const MODELS: [&str; 5] = ["four_bar", "andrews", "four_bar_windows_10", "van", "truck"];
/// s, s.
const BATCH: f64 = 3e-4;
const WHOLE: f64 = 1.0;

/// Minimum, quartiles and median of the time of `work`, µs, ascending.
fn measure(mut work: impl FnMut() -> Result<(), Fault>) -> Result<[f64; 4], Fault> {
    let mut batch = |count: usize| {
        let clock = Instant::now();
        (0..count).try_for_each(|_| work())?;
        Ok(clock.elapsed().as_secs_f64() / count as f64)
    };
    batch(20)?;
    let count = ((BATCH / batch(20)?) as usize).max(1);
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.len() < 20 || start.elapsed().as_secs_f64() < WHOLE {
        times.push(batch(count)? * 1e6);
    }
    times.sort_by(f64::total_cmp);
    Ok([0, 1, 2, 3].map(|quarter| times[quarter * (times.len() - 1) / 4]))
}

fn bench(name: &str) -> Result<(), String> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("models").join(name);
    let mut document = ballesta::model::load(&folder).map_err(|diagnostics| diagnostics.to_string())?;
    document.model.experiment.trim = false;
    let values = document.model.parameter_values();
    let system = Arc::new(compile::compile(&document, &values).map_err(|diagnostics| diagnostics.to_string())?);
    let words = |fault: Fault| system.describe(&fault);
    let mut simulator = Simulator::new(system.clone());
    let mut ws = Workspace::new(&system);
    simulator.initialize(0.0).map_err(words)?;
    let t = instructions::predict(&system, simulator.state(), &mut ws).map_err(words)?;
    // Closing from the same position every time, as in a step.
    let (q, v) = (ws.stage.q.clone(), ws.stage.v.clone());
    let evaluation = measure(|| {
        ws.stage.q.copy_from_slice(&q);
        ws.stage.v.copy_from_slice(&v);
        instructions::evaluation(&system, simulator.state(), &mut ws, t)
    });
    let evaluation = evaluation.map_err(words)?;
    let mut out = vec![0.0; system.interface().outputs.len()];
    let outputs = measure(|| instructions::outputs(&mut simulator, &mut out)).map_err(words)?;
    let mut steps = 0;
    let mut begin = |simulator: &mut Simulator| -> Result<f64, Fault> {
        // Again after a second.
        if steps % 1000 == 0 {
            simulator.initialize(0.0)?;
        }
        steps += 1;
        Ok(((steps - 1) % 1000 + 1) as f64 * system.step())
    };
    let step = measure(|| {
        let end = begin(&mut simulator)?;
        instructions::step(&mut simulator, end)
    });
    let step = step.map_err(words)?;
    let complete = measure(|| {
        let end = begin(&mut simulator)?;
        instructions::complete_step(&mut simulator, end, &mut out)
    });
    let complete = complete.map_err(words)?;
    let cell = |[least, low, median, high]: [f64; 4]| format!("{least:8.3} {median:8.3} ({low:.3} to {high:.3})");
    println!("{name}");
    for (what, times) in
        [("evaluation", evaluation), ("outputs", outputs), ("step", step), ("step with outputs", complete)]
    {
        println!("  {what:18} {}", cell(times));
    }
    println!(
        "  outputs are {:.2} evaluations, the step with outputs {:.3} steps",
        outputs[0] / evaluation[0],
        complete[0] / step[0]
    );
    Ok(())
}

fn main() -> Result<(), String> {
    // Cargo passes --bench.
    let filter = std::env::args().skip(1).find(|word| !word.starts_with("--"));
    MODELS
        .iter()
        .filter(|name| filter.as_ref().is_none_or(|filter| name.contains(filter.as_str())))
        .try_for_each(|name| bench(name))
}
