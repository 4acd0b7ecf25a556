//! The reference trajectory inside an FMU: all outputs over the default experiment with inputs and parameters at their
//! start values, computed by [`Simulator`] without an FMU.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use ballesta::model::schema::Model;
use ballesta::simulate::Simulator;
use ballesta::system::{Fault, System};
use ballesta_files::csv::CsvWriter;

/// A trajectory as CSV, and the reason for an early end.
pub struct Reference {
    /// Header `time,<output names>`, then one row per communication point.
    pub csv: Vec<u8>,
    /// The fault that stopped the experiment, as text.
    pub fault: Option<String>,
}

/// Default limit of the computing time of a trajectory, s.
pub const DEFAULT_SECONDS: f64 = 60.0;

/// Time limit of a trajectory, and the observer of its progress.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Limit of the computing time, s; rows up to the limit are kept.
    seconds: f64,
    /// The clock of the limit, s.
    now: fn() -> f64,
    progress: &'a dyn Fn(u64, u64),
}

impl<'a> Budget<'a> {
    /// At most `seconds` of computing time. `progress` is called for every row with its number from 0 and the number
    /// of rows.
    pub fn within(seconds: f64, progress: &'a dyn Fn(u64, u64)) -> Budget<'a> {
        Budget { seconds, now: seconds_of_process, progress }
    }

    /// Any computing time, measured by no clock: WebAssembly has none.
    pub fn unlimited(progress: &'a dyn Fn(u64, u64)) -> Budget<'a> {
        Budget { seconds: f64::INFINITY, now: || 0.0, progress }
    }
}

impl Default for Budget<'_> {
    fn default() -> Self {
        Budget::within(DEFAULT_SECONDS, &|_, _| ())
    }
}

/// Time since the first call in this process, s.
fn seconds_of_process() -> f64 {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    FIRST.elapsed().as_secs_f64()
}

/// Communication points start + i·step up to `stop`, inclusive. A shorter last step gives one more point at `stop`,
/// unless it is below 1e-9 of a step. FMPy uses the same points with the same rounding.
pub fn communication_points(start: f64, stop: f64, step: f64) -> impl Iterator<Item = f64> {
    let steps = (stop - start) / step;
    let whole = (steps + 1e-9).floor().max(0.0);
    let rest = (steps - whole > 1e-9).then_some(stop);
    (0..=whole as u64).map(move |i| start + i as f64 * step).chain(rest)
}

/// Computes the trajectory of the model's default experiment within `budget`.
pub fn compute(model: &Model, system: Arc<System>, budget: &Budget) -> Reference {
    let names: Vec<String> = system.interface().outputs.iter().map(|output| output.name.clone()).collect();
    let mut csv = CsvWriter::new(Vec::new(), names.iter().map(String::as_str)).expect(IN_MEMORY);
    let mut simulator = Simulator::new(Arc::clone(&system));
    let done = run(model, &mut simulator, names.len(), &mut csv, budget).map_err(|fault| system.describe(&fault));
    let csv = csv.finish().expect(IN_MEMORY);
    let stop = model.experiment.stop;
    let fault = match done {
        Ok(End::Stop) => None,
        Ok(End::Room) => {
            Some(format!("the rest of the {stop} s is omitted: the trajectory has reached its size limit"))
        }
        Ok(End::Budget) => Some(format!(
            "at t = {:.4} s of {stop} s, after {} s of computing time; `--reference-seconds` sets this limit, \
             `--no-reference` omits the trajectory",
            simulator.time(),
            budget.seconds
        )),
        Err(fault) => Some(fault),
    };
    Reference { csv, fault }
}

/// Limits of a trajectory in bytes and in internal steps.
const MAX_TRAJECTORY_BYTES: usize = 8 << 20;
const MAX_STEPS: f64 = 2e6;

/// Largest size of an FMU with a trajectory, in bytes; the libraries of five platforms have 13.8 MB.
const MAX_FMU_BYTES: usize = 15_000_000;
/// Upper limit of the documentation page, which is written last, in bytes.
const MAX_PAGE_BYTES: usize = 50_000;
/// Bytes that are always available for a trajectory.
const MIN_TRAJECTORY_BYTES: usize = 250_000;

/// Largest trajectory, packed, in bytes, for an FMU that has `rest` bytes without it.
pub fn room(rest: usize) -> usize {
    rest.min(MAX_FMU_BYTES.saturating_sub(rest + MAX_PAGE_BYTES).max(MIN_TRAJECTORY_BYTES))
}

/// The first rows of `csv` that `fits`, and a message about omitted rows.
pub fn fitting<E>(csv: Vec<u8>, fits: impl Fn(&[u8]) -> Result<bool, E>) -> Result<(Vec<u8>, Option<String>), E> {
    if fits(&csv)? {
        return Ok((csv, None));
    }
    let ends: Vec<usize> = csv.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    // The header is always kept. More rows need more space, except for some bytes of compression.
    let (mut low, mut high) = (1, ends.len());
    while high - low > 1 {
        let middle = low.midpoint(high);
        if fits(&csv[..ends[middle - 1]])? { low = middle } else { high = middle }
    }
    let rows = ends.len() - 1;
    let cut = format!(
        "{} of {rows} rows are omitted: the trajectory must not exceed the size of the other files, and the FMU must \
         not exceed 15 MB",
        rows + 1 - low
    );
    Ok((csv[..ends[low - 1]].to_vec(), Some(cut)))
}

const IN_MEMORY: &str = "writing to a Vec cannot fail";

/// End of a trajectory.
enum End {
    /// At the stop time.
    Stop,
    /// At the largest size.
    Room,
    /// At the limit of its computing time.
    Budget,
}

/// Computes the experiment up to its limits.
fn run(
    model: &Model,
    simulator: &mut Simulator,
    outputs: usize,
    csv: &mut CsvWriter<Vec<u8>>,
    budget: &Budget,
) -> Result<End, Fault> {
    let begin = (budget.now)();
    let experiment = &model.experiment;
    let step = experiment.step.unwrap_or(model.general.step);
    let mut values = vec![0.0; outputs];
    simulator.initialize(experiment.start)?;
    // 18 characters per number.
    let rows = MAX_TRAJECTORY_BYTES / (18 * (outputs + 1));
    let internal = model.general.step.min(step);
    let points = || communication_points(experiment.start, experiment.stop, step);
    let of = points().take(rows).count() as u64;
    for (row, time) in points().enumerate() {
        if row >= rows || (time - experiment.start) / internal > MAX_STEPS {
            return Ok(End::Room);
        }
        if time > experiment.start {
            let mut steps = simulator.internal_steps(time)?;
            while simulator.make_internal_step(&mut steps)? {
                if (budget.now)() - begin > budget.seconds {
                    return Ok(End::Budget);
                }
            }
        }
        simulator.outputs(&mut values)?;
        csv.row(time, &values).expect(IN_MEMORY);
        (budget.progress)(row as u64, of);
    }
    Ok(End::Stop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ballesta::model::schema::Experiment;
    use ballesta_run::Grid;

    #[test]
    fn a_trajectory_is_cut_behind_the_last_row_that_fits() {
        let csv = b"time,a\n0,1\n1,2\n2,3\n".to_vec();
        let within = |size: usize| fitting::<()>(csv.clone(), |csv| Ok(csv.len() <= size)).unwrap();
        assert_eq!(within(100), (csv.clone(), None));
        let (kept, cut) = within(16);
        assert_eq!(kept, b"time,a\n0,1\n1,2\n");
        assert!(cut.unwrap().starts_with("1 of 3 rows"));
        assert_eq!(within(14).0, b"time,a\n0,1\n");
        assert_eq!(within(3).0, b"time,a\n");
    }

    #[test]
    fn a_trajectory_gets_as_much_room_as_the_rest_up_to_15_megabytes_in_all() {
        assert_eq!([300, 2_000_000, 7_475_000].map(room), [300, 2_000_000, 7_475_000]);
        assert_eq!([7_475_001, 14_500_000].map(room), [7_474_999, 450_000]);
        assert_eq!([14_900_000, 18_000_000].map(room), [250_000; 2]);
    }

    #[test]
    fn communication_points_end_at_the_stop_time() {
        let points = |start, stop, step| communication_points(start, stop, step).collect::<Vec<f64>>();
        assert_eq!(points(0.0, 1.0, 0.25), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(points(1.0, 1.6, 0.25), [1.0, 1.25, 1.5, 1.6]);
        assert_eq!(points(2.0, 2.0, 0.25), [2.0]);
        assert_eq!(points(0.0, 10.0, 0.01).len(), 1001);
        assert_eq!(points(0.0, 0.3, 0.1), [0.0, 0.1, 0.2, 3.0 * 0.1]);
    }

    #[test]
    fn the_points_are_those_of_a_run() {
        for (stop, step) in [(2.0, 0.3), (1.3, 0.1), (1.0, 0.1), (11.0, 1e-3), (1.5, 0.7), (1.0 + 1e-12, 0.1)] {
            let experiment = Experiment { start: 1.0, stop, step: Some(step), trim: false };
            let grid = Grid::new(&experiment, 1e-3, None, None).unwrap();
            let points: Vec<f64> = (0..=grid.intervals()).map(|i| grid.point(i)).collect();
            assert_eq!(points, communication_points(1.0, stop, step).collect::<Vec<f64>>());
        }
    }
}
