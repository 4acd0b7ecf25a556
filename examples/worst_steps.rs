//! Step times of models, including the longest, and loading times:
//!
//! ```text
//! cargo run --release --example worst_steps -- models/four_bar_windows_10 models/four_bar
//! ```
//!
//! Every model runs over its own experiment `ROUNDS` times, with the inputs' start values, and every internal step is
//! timed separately. The steps of all rounds have the same bits, so differences between the rounds are caused by the
//! machine: the minimum over the rounds is used for every step. Prints one row of a Markdown table per model.
//!  Columns: internal steps; steps with a block closed by least change at their end, and steps flagged as near
//! singular; p50, p99 and maximum in µs; maximum divided by p50; time in ms to read and compile the model, the minimum
//! over the rounds.

use ballesta::compile;
use ballesta::simulate::Simulator;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Number of runs of every model, and number of times it is loaded; once if loading takes longer than a second.
const ROUNDS: usize = 5;
/// Largest number of internal steps of a run.
const MAX_STEPS: usize = 20_000;

fn main() -> Result<(), String> {
    println!("| model | steps | least change | flagged | p50 µs | p99 µs | max µs | max / p50 | load ms |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for path in std::env::args().skip(1) {
        println!("{}", measure(&path).map_err(|error| format!("{path}: {error}"))?);
    }
    Ok(())
}

/// The row of one model.
fn measure(path: &str) -> Result<String, String> {
    let (mut loading, mut loadings) = (f64::INFINITY, 0);
    let (document, system) = loop {
        let begin = Instant::now();
        let document = ballesta::model::load(Path::new(path)).map_err(|diagnostics| diagnostics.to_string())?;
        let values = document.model.parameter_values();
        let system = compile::compile(&document, &values).map_err(|diagnostics| diagnostics.to_string())?;
        loading = loading.min(begin.elapsed().as_secs_f64());
        loadings += 1;
        if loadings == ROUNDS || loading > 1.0 {
            break (document, Arc::new(system));
        }
    };
    let experiment = &document.model.experiment;
    let span = experiment.stop - experiment.start;
    let count = ((span / system.step()).round() as usize).clamp(1, MAX_STEPS);
    let mut least = vec![f64::INFINITY; count];
    let (mut changes, mut flagged) = (0, 0);
    for round in 0..ROUNDS {
        let mut simulator = Simulator::new(system.clone());
        let words = |fault| system.describe(&fault);
        simulator.initialize(experiment.start).map_err(words)?;
        for (k, least) in least.iter_mut().enumerate() {
            let end = experiment.start + (k + 1) as f64 * system.step();
            let begin = Instant::now();
            simulator.advance(end).map_err(words)?;
            *least = least.min(begin.elapsed().as_secs_f64());
            if round == 0 {
                changes += usize::from(simulator.state().least_change.iter().any(|&least| least != 0));
                flagged += usize::from(simulator.state().near_singular != 0);
            }
        }
    }
    least.sort_by(f64::total_cmp);
    let at = |part: f64| 1e6 * least[((count - 1) as f64 * part).round() as usize];
    let name = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
    Ok(format!(
        "| {name} | {count} | {changes} | {flagged} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} |",
        at(0.5),
        at(0.99),
        at(1.0),
        at(1.0) / at(0.5),
        1e3 * loading
    ))
}
