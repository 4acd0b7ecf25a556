//! Many simulations of one model at once, in threads.

use crate::convert::Signals;
use crate::errors;
use crate::model::{Compiled, Model};
use crate::state::State;
use ballesta::simulate::Simulator as Solver;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Data shared by all instances.
struct Task<'a> {
    compiled: &'a Compiled,
    states: &'a [Arc<Py<State>>],
    /// Inputs that are set: their indices, and values (1 or instances) × steps × inputs.
    inputs: &'a [usize],
    values: &'a [f64],
    rows: usize,
    steps: usize,
    h: f64,
    /// Kept outputs.
    outputs: &'a [usize],
}

/// Final state of one instance.
struct Done {
    state: State,
    fault: Option<String>,
    warning: Option<String>,
}

impl Task<'_> {
    /// Simulates instance `index`; writes its outputs to `rows`, steps × outputs. `None` after a request to stop.
    fn simulate(
        &self,
        index: usize,
        solver: &mut Solver,
        scratch: &mut [f64],
        rows: &mut [f64],
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Done>, String> {
        let state = &self.states[index.min(self.states.len() - 1)];
        state.get().put(self.compiled, solver)?;
        let (begin, count) = (solver.time(), self.inputs.len());
        let first = index.min(self.rows.saturating_sub(1)) * self.steps * count;
        let mut fault = None;
        for step in 0..self.steps {
            if stop() {
                return Ok(None);
            }
            let values = &self.values[first + step * count..][..count];
            for (&input, &value) in self.inputs.iter().zip(values) {
                solver.set_input(input, value);
            }
            let end = begin + (step + 1) as f64 * self.h;
            if let Err(found) = solver.advance(end).and_then(|()| solver.outputs(scratch)) {
                fault = Some(solver.describe(&found));
                rows[step * self.outputs.len()..].fill(f64::NAN);
                break;
            }
            let row = &mut rows[step * self.outputs.len()..][..self.outputs.len()];
            row.iter_mut().zip(self.outputs).for_each(|(value, &output)| *value = scratch[output]);
        }
        let warning = match fault {
            None => solver.judgement().warning(&self.compiled.system, true),
            Some(_) => solver.judgement().beyond(&self.compiled.system),
        };
        Ok(Some(Done { state: State::of(self.compiled, solver), fault, warning }))
    }
}

/// Simulates instances from `states` (one, or one per instance) with constant inputs during each step of `h` s. Returns
/// a dictionary with `data` (instances × steps × outputs), `states`, `faults` and `warnings`.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn rollout<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    states: Vec<Py<State>>,
    instances: usize,
    steps: usize,
    inputs: Vec<usize>,
    values: PyReadonlyArray3<'py, f64>,
    h: f64,
    outputs: Vec<usize>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let compiled = &model.get().compiled;
    let interface = compiled.system.interface();
    let shape = values.as_array().dim();
    let fits = (shape.0 == 1 || shape.0 == instances) && shape.1 == steps && shape.2 == inputs.len();
    let known = inputs.iter().all(|index| *index < interface.inputs.len())
        && outputs.iter().all(|index| *index < interface.outputs.len());
    if !fits || !known || states.is_empty() || !(states.len() == 1 || states.len() == instances) {
        return Err(errors::usage(py, "rollout: states, inputs and outputs have inconsistent sizes"));
    }
    let size = instances.checked_mul(steps).and_then(|size| size.checked_mul(outputs.len()));
    let Some(size) = size.filter(|size| *size <= MAX_NUMBERS) else {
        let message = format!(
            "rollout: {instances} instances × {steps} steps × {} outputs exceed {MAX_NUMBERS:e} numbers; keep \
             fewer outputs",
            outputs.len()
        );
        return Err(errors::usage(py, message));
    };
    let values: Vec<f64> = values.as_array().iter().copied().collect();
    let states: Vec<Arc<Py<State>>> = states.into_iter().map(Arc::new).collect();
    let task = Task {
        compiled,
        states: &states,
        inputs: &inputs,
        values: &values,
        rows: shape.0,
        steps,
        h,
        outputs: &outputs,
    };
    let mut signals = Signals::new();
    let (data, done) = py.detach(|| simulate_all(&task, instances, size, threads, &mut signals));
    if let Some(raised) = signals.raised {
        return Err(raised);
    }
    let (list, mut faults, mut warnings) = (PyList::empty(py), Vec::new(), Vec::new());
    for one in done {
        let one = match one {
            Some(Ok(one)) => one,
            Some(Err(wrong)) => return Err(errors::usage(py, wrong)),
            None => return Err(errors::usage(py, "rollout: an instance was not simulated")),
        };
        list.append(Py::new(py, one.state)?)?;
        faults.push(one.fault);
        warnings.push(one.warning);
    }
    let found = PyDict::new(py);
    found.set_item("data", PyArray1::from_vec(py, data).reshape([instances, steps, outputs.len()])?)?;
    found.set_item("states", list)?;
    found.set_item("faults", faults)?;
    found.set_item("warnings", warnings)?;
    Ok(found)
}
/// Largest number of kept values, 8 GB.
const MAX_NUMBERS: usize = 1_000_000_000;

/// Result of every instance; `None` if it was not simulated.
type All = Vec<Option<Result<Done, String>>>;

/// Each thread processes the next instance. Every instance starts from its own state, and a simulator keeps no data of
/// the previous instance. The bits therefore depend neither on the number of threads nor on their order.
fn simulate_all(task: &Task, instances: usize, size: usize, threads: usize, signals: &mut Signals) -> (Vec<f64>, All) {
    let mut data = vec![0.0; size];
    let mut done: All = (0..instances).map(|_| None).collect();
    let length = task.steps * task.outputs.len();
    // `chunks_mut` does not accept a length of zero.
    let mut rows: Vec<&mut [f64]> = match length {
        0 => (0..instances).map(|_| Default::default()).collect(),
        _ => data.chunks_mut(length).collect(),
    };
    let work = Mutex::new(rows.drain(..).zip(done.iter_mut()).enumerate());
    let ended = AtomicBool::new(false);
    let run = |stop: &mut dyn FnMut() -> bool| {
        let mut solver = Solver::new(task.compiled.system.clone());
        let mut scratch = vec![0.0; task.compiled.system.interface().outputs.len()];
        loop {
            let next = work.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((index, (rows, place))) = next else { break };
            let found = task.simulate(index, &mut solver, &mut scratch, rows, stop).transpose();
            *place = found;
            if place.is_none() {
                break;
            }
        }
    };
    let mut told = || {
        let stop = signals.stop();
        if stop {
            ended.store(true, Ordering::Relaxed);
        }
        stop
    };
    std::thread::scope(|scope| {
        // If a thread cannot be created, the others do its work.
        let other =
            |_| std::thread::Builder::new().spawn_scoped(scope, || run(&mut || ended.load(Ordering::Relaxed))).ok();
        let others: Vec<_> = (1..threads.min(instances)).map_while(other).collect();
        run(&mut told);
        // The other threads finish their instances; signals are still checked.
        while others.iter().any(|other| !other.is_finished()) {
            told();
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    drop(work);
    drop(rows);
    (data, done)
}
