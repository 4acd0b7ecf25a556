//! Assembly of a system in its design position, and its start. Offline: allocates, iterates without a time bound.
//!
//! [`assemble`] closes the loops, determines the ranks of the closure equations and computes the initial state.
//! [`initialize`] computes the initial state again for other inputs, parameters and start times. [`place`] moves a
//! running mechanism to other coordinates.
//!
//! Verified by: tests/motion/assembly.rs and crates/solver/tests/mechanisms.

mod assembly_report;
mod deformation;
mod extent;
mod frames;
mod guides;
mod placing;
mod ranks;
mod relax;
mod requests;
mod start;
pub mod sticking;
mod undetermined;
mod unweighted;

pub use assembly_report::report;
pub use placing::place;
pub use start::initialize;

use crate::dynamics::kinematics::calc_positions;
use crate::dynamics::{observe, pieces};
use crate::math::larger;
use crate::system::workspace::Reactions;
use crate::system::{Block, Fault, System, Workspace};
use alloc::{format, string::String, vec::Vec};
use core::fmt;
use relax::{elastic_columns, relax};

/// Largest number of iterations of the offline closure.
const MAX_ITERATIONS: usize = 200;
/// Pivots below this fraction of the largest are ignored during assembly.
const PIVOT_TOLERANCE: f64 = 1e-7;
/// A loop with a larger remaining gap (m) cannot be assembled.
pub const GAP_TOLERANCE: f64 = 1e-9;
/// Distance of the probes for the rank at regular positions, relative to the size of the block.
const PROBE_DISTANCE: f64 = 0.05;
/// Entries of a row of a Jacobian, or speeds, below this fraction of the largest entry or requested speed are
/// round-off.
const ROUND_OFF_TOLERANCE: f64 = 1e-12;
/// Rates of closure equations below this fraction of the size of the block per second are round-off, which is 1e-16 of
/// the speeds. Requested speeds that leave larger rates contradict the loop.
const CLOSURE_RATE_TOLERANCE: f64 = 1e-10;

/// Remarks about an assembly, for [`crate::system::Report`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssemblyRemarks {
    /// Requests that could not be kept, and other notes.
    pub notes: Vec<String>,
    /// Reasons why the motion may differ from the intended motion.
    pub warnings: Vec<String>,
    /// Names of the outputs that redundant equations leave undetermined.
    pub undetermined: Vec<String>,
}

/// A mechanism could not be assembled.
#[derive(Clone, Debug, PartialEq)]
pub struct AssemblyError {
    /// The reason, with indices of the system.
    pub cause: AssemblyCause,
    /// The reason for people.
    text: String,
}

/// The reason why a mechanism could not be assembled.
#[derive(Clone, Debug, PartialEq)]
pub enum AssemblyCause {
    /// Loops remain open: their constraints, with the gap of each in m.
    Open(Vec<(usize, f64)>),
    /// The start has no consistent state, or no accelerations.
    Start(Fault),
    /// Section forces that redundant equations leave undetermined, although the body needs them: indices of outputs.
    Undetermined(Vec<usize>),
    /// Frictions whose joint loads redundant equations leave undetermined: indices of elements.
    UndeterminedLoads(Vec<usize>),
}

impl fmt::Display for AssemblyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl core::error::Error for AssemblyError {}

impl AssemblyError {
    fn new(system: &System, cause: AssemblyCause) -> AssemblyError {
        let text = match &cause {
            AssemblyCause::Open(open) => {
                let line = |&(constraint, gap): &(usize, f64)| {
                    let name = &system.constraints[constraint].name;
                    format!("the loop closed by `{name}` cannot be assembled: a gap of {gap:.3e} m remains")
                };
                open.iter().map(line).collect::<Vec<_>>().join("\n")
            }
            AssemblyCause::Start(fault) => system.describe(fault),
            AssemblyCause::Undetermined(outputs) => {
                let name = |&output: &usize| format!("`{}`", system.interface.outputs[output].name);
                let names = outputs.iter().map(name).collect::<Vec<_>>().join(", ");
                format!("redundant loop equations do not determine {names}; keep all modes of the body")
            }
            AssemblyCause::UndeterminedLoads(elements) => {
                let name = |&element: &usize| format!("`{}`", system.elements[element].name());
                let names = elements.iter().map(name).collect::<Vec<_>>().join(", ");
                format!(
                    "redundant loop equations do not determine the joint load of {names}; remove redundant constraints"
                )
            }
        };
        AssemblyError { cause, text }
    }
}

/// Assembles a system in its design position with its outputs: closed loops, ranks, initial state. `remarks` of the
/// caller about the data are reported too.
pub fn assemble(
    system: &mut System,
    ws: &mut Workspace,
    remarks: AssemblyRemarks,
) -> Result<AssemblyRemarks, AssemblyError> {
    let AssemblyRemarks { mut notes, warnings: of_caller, .. } = remarks;
    // Close the loops in the design position.
    let open = assemble_first(system, ws, &mut notes);
    if !open.is_empty() {
        return Err(AssemblyError::new(system, AssemblyCause::Open(open)));
    }
    // Ranks of the closure equations, and warnings about the geometry.
    ranks::find_ranks(system, ws, &mut notes);
    pieces::choose(system, ws);
    let mut warnings = ranks::locks(system, ws);
    warnings.extend(extent::doubt(system));
    warnings.extend(extent::impossible_inertia(system));
    warnings.extend(frames::loose(system));
    warnings.extend(of_caller);
    warnings.extend(guides::dependent(system, ws));
    // Start values at the start time, and warnings that need an evaluation.
    let mut state = system.initial.clone();
    let failed = |system: &System, fault| AssemblyError::new(system, AssemblyCause::Start(fault));
    initialize(system, &mut state, ws, system.start_time).map_err(|fault| failed(system, fault))?;
    warnings.extend(extent::lost_digits(system, ws));
    // Reactions that redundant constraints leave undetermined.
    let unknown = undetermined::section_forces(system, ws);
    if !unknown.is_empty() {
        return Err(AssemblyError::new(system, AssemblyCause::Undetermined(unknown)));
    }
    let unknown = undetermined::friction_loads(system, ws);
    if !unknown.is_empty() {
        return Err(AssemblyError::new(system, AssemblyCause::UndeterminedLoads(unknown)));
    }
    let marked = undetermined::mark(system, &state);
    let undetermined = marked.map_err(|fault| failed(system, fault))?;
    if !system.shared.is_empty() {
        ws.reactions = Reactions::new(system);
        observe::settle_filters(system, &mut state, ws).map_err(|fault| failed(system, fault))?;
    }
    // The result is the initial state of the system.
    requests::note_lost(system, &state, &mut notes, &mut warnings);
    system.initial = state;
    Ok(AssemblyRemarks { notes, warnings, undetermined })
}

/// Assembles the design position with the requested coordinates held. If that fails, all coordinates are free. Returns
/// the constraints that remain open, with their gaps in m.
fn assemble_first(system: &mut System, ws: &mut Workspace, notes: &mut Vec<String>) -> Vec<(usize, f64)> {
    let mut open = Vec::new();
    ws.stage.q.copy_from_slice(&system.initial.q);
    calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    for block in &system.blocks {
        // Hold the requested coordinates and the elastic modes first.
        let elastic = elastic_columns(system, block);
        let mut held: Vec<usize> = (0..block.coordinates.len())
            .filter(|&column| system.requests.placed.contains(&block.coordinates[column]))
            .collect();
        let requested = !held.is_empty();
        held.extend(&elastic);
        let mut gap = relax(system, ws, block, &held);
        // If the loop remains open, release the requests, then the modes.
        if !(gap <= GAP_TOLERANCE) && requested {
            notes.push(format!(
                "the requested positions in the loop of {} are inconsistent; all its coordinates were adjusted",
                loop_names(system, block)
            ));
            gap = relax(system, ws, block, &elastic);
        }
        if !(gap <= GAP_TOLERANCE) && !elastic.is_empty() {
            notes.push(format!("the loop of {} can only be closed with deformed bodies", loop_names(system, block)));
            gap = relax(system, ws, block, &[]);
        }
        if !(gap <= GAP_TOLERANCE) {
            // Report the constraints that remain open.
            for &index in &block.constraints {
                let constraint = &system.constraints[index];
                let worst = constraint.rows.clone().map(|row| ws.closure.rows[row].gap.abs()).fold(0.0, larger);
                if !(worst <= GAP_TOLERANCE) {
                    open.push((index, worst));
                }
            }
        }
    }
    system.initial.q.copy_from_slice(&ws.stage.q);
    open
}

pub(super) fn loop_names(system: &System, block: &Block) -> String {
    block.constraints.iter().map(|&c| format!("`{}`", system.constraints[c].name)).collect::<Vec<_>>().join(", ")
}
