//! `ballesta._native`: the compiled part of the Python package.
//!
//! It provides models, runs, simulators and the analyses of the command line. It uses the same library functions
//! (`experiment`, `simulate`, `pictures`, `package`, `fem`), so Python gets the same bits. The global interpreter lock
//! is released during computations. Names, array shapes, tables, pictures and exceptions are implemented in Python, in
//! `python/ballesta`.
//!
//! | file | what |
//! |---|---|
//! | `model` | a compiled model, its experiment as a run, its variables |
//! | `simulator`, `state` | one instance that is stepped; its state to keep |
//! | `rollout` | many instances in threads |
//! | `sensitivity` | derivatives of runs |
//! | `questions` | check, verify, groups, modes, linearization, equilibrium, reduction, FMU |
//! | `import` | robots in URDF and MJCF |
//! | `tyre` | tyre files |
//! | `vehicle` | manoeuvres, kinematics and compliance |
//! | `study` | studies: runs by their number, rows that are stored |
//! | `errors`, `convert` | failures as exceptions; JSON, arrays and names |

mod convert;
mod errors;
mod import;
mod model;
mod questions;
mod reduction;
mod rollout;
mod sensitivity;
mod simulator;
mod state;
mod study;
mod tyre;
mod vehicle;

use pyo3::prelude::*;

/// Models, runs and simulators, compiled; use them through the package `ballesta`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<model::Inputs>()?;
    module.add_class::<simulator::Simulator>()?;
    module.add_class::<state::State>()?;
    module.add_class::<study::Study>()?;
    module.add_class::<study::Journal>()?;
    module.add_function(wrap_pyfunction!(rollout::rollout, module)?)?;
    module.add_function(wrap_pyfunction!(sensitivity::sensitivity, module)?)?;
    module.add_function(wrap_pyfunction!(import::import_robot, module)?)?;
    module.add_function(wrap_pyfunction!(tyre::tyre, module)?)?;
    module.add_function(wrap_pyfunction!(vehicle::kc, module)?)?;
    module.add_function(wrap_pyfunction!(vehicle::manoeuvre, module)?)?;
    module.add_function(wrap_pyfunction!(questions::suggestion, module)?)?;
    module.add_function(wrap_pyfunction!(questions::templates, module)?)?;
    module.add_function(wrap_pyfunction!(questions::template, module)?)?;
    module.add_function(wrap_pyfunction!(questions::write_picture, module)?)?;
    module.add_function(wrap_pyfunction!(questions::reduce, module)?)?;
    module.add_function(wrap_pyfunction!(questions::check, module)?)?;
    module.add_function(wrap_pyfunction!(questions::groups, module)?)?;
    module.add_function(wrap_pyfunction!(questions::verify, module)?)?;
    module.add_function(wrap_pyfunction!(questions::export_fmu, module)?)?;
    Ok(())
}
