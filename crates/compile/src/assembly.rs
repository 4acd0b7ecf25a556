//! [`compile`]: the system of a document, assembled and checked at its start. Offline: allocates, iterates without a
//! time bound.

use super::{build, flexible_bodies, mechanism};
use crate::analysis::{impacts, stability, sticking};
use ballesta_model::flexible_names::{FloatingFrame, MEAN_AXIS};
use ballesta_model::rom::Rom;
use ballesta_model::schema::{self, FlexibleBody};
use ballesta_model::{Diagnostic, Diagnostics, Document, tyres};
use ballesta_solver::assembly::{AssemblyCause, AssemblyRemarks, GAP_TOLERANCE, assemble, report};
use ballesta_solver::system::{Fault, Flexible, FlexibleReport, ModeReport, State, System, Workspace};

/// Compiles a document with the values of its parameters (one per `[[parameter]]`, in file order) and assembles the
/// initial position. Loops that cannot be assembled and motions without inertia cause diagnostics that name them.
pub fn compile(document: &Document, parameters: &[f64]) -> Result<System, Diagnostics> {
    let document = &*document.with_runners(parameters);
    let mut system = build::build(document, parameters)?;
    let mut ws = Workspace::new(&system);
    let mut remarks = AssemblyRemarks { notes: tyres::notes(document), ..AssemblyRemarks::default() };
    remarks.warnings.extend(flexible_bodies::unknown_inertia(document));
    remarks.warnings.extend(flexible_bodies::unknown_geometric_forces(document));
    let mut remarks =
        assemble(&mut system, &mut ws, remarks).map_err(|error| diagnostics(&system, document, &error.cause))?;
    refuse_unstable_step(&system, &system.initial, &mut ws, document, &mut remarks.notes)?;
    if let Some(refusal) = sticking::refusal(&system, &system.initial, &mut ws, document) {
        return Err(Diagnostics(vec![refusal]));
    }
    remarks.warnings.extend(impacts::short(&system, &system.initial, &mut ws));
    system.report = report(&system, &ws, remarks);
    system.report.flexible = flexible_reports(&system, document);
    Ok(system)
}

/// The reason why a system could not be assembled, at its place in the file.
fn diagnostics(system: &System, document: &Document, cause: &AssemblyCause) -> Diagnostics {
    Diagnostics(match cause {
        AssemblyCause::Open(open) => open.iter().map(|&(index, gap)| open_loop(system, document, index, gap)).collect(),
        AssemblyCause::Start(fault) => vec![explain(system, document, fault)],
        AssemblyCause::Undetermined(outputs) => undetermined(system, document, outputs),
        AssemblyCause::UndeterminedLoads(elements) => {
            elements.iter().map(|&element| undetermined_load(document, system.elements[element].name())).collect()
        }
    })
}

/// A loop that cannot be closed in the design position.
fn open_loop(system: &System, document: &Document, index: usize, gap: f64) -> Diagnostic {
    let constraint = &system.constraints[index];
    document.source.at(
        mechanism::constraint_key(&document.model, constraint),
        format!("the loop closed by `{}` cannot be assembled: a gap of {gap:.3e} m remains", constraint.name),
        format!(
            "make the points and axes of its joints ({}) consistent to {GAP_TOLERANCE:e} m, or remove \
             redundant constraints",
            constraint.joints.join(", ")
        ),
    )
}

/// A friction whose joint load is not determined.
fn undetermined_load(document: &Document, name: &str) -> Diagnostic {
    let index = document.model.frictions.iter().position(|friction| friction.name == name).unwrap_or_default();
    document.source.at(
        format!("friction[{index}].coefficient"),
        format!("redundant loop equations do not determine the joint load of `{name}` uniquely"),
        "remove redundant constraints of the loop, such as a spherical or universal joint in place of a revolute joint; \
         without `bearing_distance` and `thrust_radius` only the force across the axis must be determined",
    )
}

/// Outputs of section forces that are not determined, each output of the file once.
fn undetermined(system: &System, document: &Document, outputs: &[usize]) -> Vec<Diagnostic> {
    let mut refused = vec![false; document.model.outputs.len()];
    let mut diagnostics = Vec::new();
    for &index in outputs {
        let (output, info) = (&system.outputs[index], &system.interface.outputs[index]);
        let of_file = |of: &schema::Output| {
            info.name == of.name || info.name.strip_prefix(of.name.as_str()).is_some_and(|r| r.starts_with('.'))
        };
        let Some(file) = document.model.outputs.iter().position(of_file) else { continue };
        if std::mem::replace(&mut refused[file], true) {
            continue;
        }
        let body = output.readout.section().map_or("", |(body, _)| &system.flexible[body].name);
        diagnostics.push(document.source.at(
            format!("output[{file}]"),
            format!(
                "`{}` needs the forces at the interfaces of \"{body}\", because `modes` omits some of its modes, but \
                 redundant loop equations do not determine these forces uniquely",
                info.name
            ),
            format!(
                "keep all modes of \"{body}\", or remove redundant constraints from the loop (see `ballesta check`)"
            ),
        ));
    }
    diagnostics
}

/// A fault of the first evaluation as a diagnostic at the joint or loop that it names.
fn explain(system: &System, document: &Document, fault: &Fault) -> Diagnostic {
    // Each fault names the element of the file to change; other faults concern the whole model.
    match *fault {
        Fault::NoInertia { joint, .. } => {
            let name = system.joint_name(joint as usize);
            let body = &system.bodies[joint as usize + 1].name;
            let key = system.joint_of_tree[joint as usize].map_or("model".into(), |file| format!("joint[{file}]"));
            document.source.at(
                key,
                format!(
                    "the motion of joint `{name}` has no inertia: body `{body}` and all bodies that it carries are \
                     massless in that direction"
                ),
                "give the body a mass or an inertia, or prescribe, couple or fix the joint",
            )
        }
        Fault::LoopOpen { block, gap, time } => {
            let constraint = &system.constraints[system.blocks[block as usize].constraints[0]];
            document.source.at(
                mechanism::constraint_key(&document.model, constraint),
                system.describe_open_loop(block, gap, time),
                "start the prescribed motions where the loop can be closed",
            )
        }
        Fault::SpeedsContradict { block, rate, time } => {
            let constraint = &system.constraints[system.blocks[block as usize].constraints[0]];
            document.source.at(
                mechanism::constraint_key(&document.model, constraint),
                system.describe_contradiction(block, rate, time),
                "prescribe fewer coordinates of the loop, because it moves the others, or prescribe consistent motions",
            )
        }
        Fault::BeyondCurve { joint, .. } => {
            let key = system.joint_of_tree[joint as usize].map_or("model".into(), |file| format!("joint[{file}]"));
            let found = format!("joint `{}` starts beyond an end of its curve", system.joint_name(joint as usize));
            document.source.at(key, found, "start within the curve, or make the curve longer")
        }
        _ => document.source.at("model", system.describe(fault), "check masses, lengths and initial speeds"),
    }
}

/// With flexible bodies an explicit scheme must be stable at the start. A reduced model always has modes that are too
/// fast for some step, and the model file does not show them.
fn refuse_unstable_step(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    document: &Document,
    notes: &mut Vec<String>,
) -> Result<(), Diagnostics> {
    if system.flexible.is_empty() || !system.integrator.scheme().explicit {
        return Ok(());
    }
    match stability::explicit_limit(system, state, ws) {
        Ok(limit) => match limit.refusal(document, system) {
            Some(refusal) => Err(Diagnostics(vec![refusal])),
            None => Ok(()),
        },
        Err(error) => {
            notes.push(format!("the stability of the step was not checked: {error}"));
            Ok(())
        }
    }
}

fn flexible_reports(system: &System, document: &Document) -> Vec<FlexibleReport> {
    let of = |((body, file), rom): ((&Flexible, &FlexibleBody), &Rom)| {
        let n = body.modes();
        let mode = |k: usize| {
            let omega = body.stiffness[k].sqrt();
            ModeReport {
                frequency_hz: omega / std::f64::consts::TAU,
                damping_ratio: body.damping[k * n + k] / (2.0 * omega),
                omega_h: omega * system.step,
                quasi_static: k >= n - body.residual,
            }
        };
        FlexibleReport {
            name: body.name.clone(),
            rom: file.rom.clone(),
            frame: match file.floating_frame(rom) {
                Some(FloatingFrame::Interface(index)) => rom.interfaces[index].name.clone(),
                _ => MEAN_AXIS.into(),
            },
            stiffening: body.model.word().into(),
            modes: (0..n).map(mode).collect(),
        }
    };
    system.flexible.iter().zip(&document.model.flexible_bodies).zip(&document.roms).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ballesta_model::load;
    use ballesta_solver::joint::Row;
    use ballesta_solver::math::Vec3;

    #[test]
    fn a_gap_that_is_not_a_number_is_told_at_its_loop() {
        let document = load("../../models/four_bar".as_ref()).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let mut system = build::build(&document, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        // A point of the first closure row that is not a number; the other rows are closed.
        let Row::Along { p_first, .. } = &mut system.rows[0] else { panic!("a cut begins with its point") };
        *p_first = Vec3::repeat(f64::NAN);
        let mut ws = Workspace::new(&system);
        let error = assemble(&mut system, &mut ws, AssemblyRemarks::default()).expect_err("a gap remains");
        let diagnostics = diagnostics(&system, &document, &error.cause);
        assert_eq!(diagnostics.0.len(), 1, "{diagnostics}");
        assert!(diagnostics.0[0].key.starts_with("joint["), "{diagnostics}");
    }
}
