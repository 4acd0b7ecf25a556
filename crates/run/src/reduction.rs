//! Reduction of a linearized model to fewer states: selection of channels, result, and error estimates.

use ballesta::analysis::linearize::Linearization;
use ballesta::analysis::modal::{Mode, Modes};
use ballesta::analysis::truncation::{self, Channel, Method, Peak, Reduced, ReductionError, Request, Target};
use ballesta::model::Document;
use ballesta::model::schema::Quantity;
use ballesta::system::System;
use ballesta_files::failure::Failure;
use ballesta_files::words::{count, nearest};
use serde::Serialize;
use std::f64::consts::TAU;

/// Largest error of an eigenvalue, as a fraction of its decay rate, for reliable Hankel singular values.
const MAX_DECAY_DOUBT: f64 = 0.1;
/// Fraction of the largest gain below which an error bound may be smaller than the rounding of the reduction.
const ROUNDING: f64 = 1e-7;
/// Relative difference below which Hankel singular values are a pair.
const PAIR_TOLERANCE: f64 = 0.05;

/// An input or output by its name, with its scale if one was given.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelSelection {
    pub name: String,
    pub scale: Option<f64>,
}

/// The requested reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct ReductionRequest {
    pub method: Method,
    pub target: Target,
    pub static_correction: bool,
    /// Inputs; empty: all.
    pub from: Vec<ChannelSelection>,
    /// Outputs; empty: all except work, which has no linear model.
    pub to: Vec<ChannelSelection>,
}

/// A reduced state space with names, and its error.
pub struct Reduction {
    pub states: Vec<String>,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub parameters: Vec<String>,
    pub system: Reduced,
    pub report: Report,
}

/// Accuracy of a reduced state space.
#[derive(Clone, Serialize)]
pub struct Report {
    /// `balanced` or `modal`.
    pub method: &'static str,
    /// Names of the states of the full system.
    pub full_states: Vec<String>,
    /// Whether D was corrected for the static gains of the removed states.
    pub static_correction: bool,
    /// Number of exactly kept states, which come first.
    pub kept_states: usize,
    /// Indices of the modes that are kept exactly, from 0, in the list of eigenvalues that `modes` prints.
    pub kept_modes: Vec<usize>,
    /// Hankel singular values of the stable part, descending.
    pub hankel_singular_values: Vec<f64>,
    /// Contribution of every mode for the method `modal`; null for a mode that does not decay.
    pub contributions: Vec<f64>,
    /// Upper bound of the H-infinity norm of the error; null if there is none.
    pub error_bound: Option<f64>,
    /// Largest error over frequency.
    pub error: Option<f64>,
    pub error_frequency_hz: Option<f64>,
    /// Largest gain of the stable part, without D.
    pub stable_gain: f64,
    pub stable_gain_frequency_hz: f64,
    /// Changes of the inputs and outputs that count as 1 in bound and errors.
    pub input_scales: Vec<f64>,
    pub output_scales: Vec<f64>,
    /// x ≈ T z.
    pub to_full: Vec<Vec<f64>>,
    /// z = S x.
    pub from_full: Vec<Vec<f64>>,
    pub warnings: Vec<String>,
}

/// Whether an output is or contains work done since the start, which has no linear model.
pub fn is_work(document: &Document, output: &str) -> bool {
    const WORK: [Quantity; 3] = [Quantity::DissipatedEnergy, Quantity::InputWork, Quantity::EnergyBalance];
    document.model.outputs.iter().any(|item| item.name == output && WORK.contains(&item.quantity))
}

/// Reduces the linearized model of a compiled `document`.
pub fn reduce(
    document: &Document,
    system: &System,
    model: &Linearization,
    modes: &Modes,
    wanted: &ReductionRequest,
) -> Result<Reduction, Failure> {
    // Work since the start is an integral over the run and has no linear model.
    let known: Vec<&str> = model.inputs.iter().map(String::as_str).collect();
    let inputs = channels("input", &wanted.from, &known, &|_| true)?;
    let known: Vec<&str> = model.outputs.iter().map(String::as_str).collect();
    let outputs = channels("output", &wanted.to, &known, &|name| !is_work(document, name))?;
    let ReductionRequest { method, target, static_correction, .. } = *wanted;
    let request = Request { method, target, static_correction, inputs, outputs };
    // Modes that cannot be separated are a numerical fault; other errors are wrong options.
    let reduced = truncation::reduce(model, modes, &request).map_err(|error| match error {
        ReductionError::NotSeparate | ReductionError::NoConvergence => Failure::Fault(error.to_string()),
        error => Failure::Usage(error.to_string()),
    })?;
    let names = |list: &[String], channels: &[Channel]| channels.iter().map(|c| list[c.index].clone()).collect();
    let scales = |channels: &[Channel]| channels.iter().map(|channel| channel.scale).collect();
    let state = |k: usize| match k.checked_sub(reduced.kept) {
        // The states that are kept exactly come first, the balanced states follow.
        None => format!("kept({})", k + 1),
        Some(k) => format!("balanced({})", k + 1),
    };
    let hertz = |peak: Peak| peak.omega / TAU;
    let report = Report {
        method: if method == Method::Modal { "modal" } else { "balanced" },
        full_states: model.states.clone(),
        static_correction,
        kept_states: reduced.kept,
        kept_modes: reduced.kept_modes.clone(),
        hankel_singular_values: reduced.hankel.clone(),
        contributions: reduced.contributions.clone(),
        error_bound: reduced.bound,
        error: reduced.error.map(|peak| peak.gain),
        error_frequency_hz: reduced.error.map(hertz),
        stable_gain: reduced.stable_gain.gain,
        stable_gain_frequency_hz: hertz(reduced.stable_gain),
        input_scales: scales(&request.inputs),
        output_scales: scales(&request.outputs),
        to_full: reduced.to_full.clone(),
        from_full: reduced.from_full.clone(),
        warnings: warnings(system, modes, &request, &reduced),
    };
    Ok(Reduction {
        states: (0..reduced.a.len()).map(state).collect(),
        inputs: names(&model.inputs, &request.inputs),
        outputs: names(&model.outputs, &request.outputs),
        parameters: model.parameters.clone(),
        system: reduced,
        report,
    })
}

/// The selected channels, or the channels of `default` if nothing is selected.
fn channels(
    kind: &str,
    selected: &[ChannelSelection],
    known: &[&str],
    default: &dyn Fn(&str) -> bool,
) -> Result<Vec<Channel>, Failure> {
    // By default all channels with scale 1.
    if selected.is_empty() {
        let all = (0..known.len()).filter(|&index| default(known[index]));
        return Ok(all.map(|index| Channel { index, scale: 1.0 }).collect());
    }
    // The scale weights the error of the channel.
    let mut channels: Vec<Channel> = Vec::new();
    for ChannelSelection { name, scale } in selected {
        let Some(index) = known.iter().position(|known| known == name) else {
            let hint = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => format!("the model has no {kind}"),
                None => format!("expected one of {}", known.join(", ")),
            };
            return Err(Failure::Usage(format!("`{name}`: no such {kind}; {hint}")));
        };
        if channels.iter().any(|channel| channel.index == index) {
            return Err(Failure::Usage(format!("`{name}`: the {kind} is selected twice")));
        }
        let scale = scale.unwrap_or(1.0);
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(Failure::Usage(format!("`{name}`: the scale {scale} is not a positive number")));
        }
        channels.push(Channel { index, scale });
    }
    Ok(channels)
}

/// Remarks about the reliability of the figures of a reduction.
fn warnings(system: &System, modes: &Modes, request: &Request, reduced: &Reduced) -> Vec<String> {
    let mut found = Vec::new();
    // Channels with different units and no scale.
    let mut mixed = |kind: &str, channels: &[Channel], unit: &dyn Fn(usize) -> String| {
        let mut units: Vec<String> = channels.iter().map(|channel| unit(channel.index)).collect();
        units.sort();
        units.dedup();
        if units.len() > 1 && channels.iter().all(|channel| channel.scale == 1.0) {
            found.push(format!(
                "{kind}s have different units ({}), which bound and error combine; select some, or give each a scale",
                units.join(", ")
            ));
        }
    };
    mixed("input", &request.inputs, &|index| system.interface().inputs[index].unit.clone());
    mixed("output", &request.outputs, &|index| system.interface().outputs[index].unit.clone());
    // Error bounds that do not exist or are close to rounding.
    if reduced.bound.is_none() {
        found.push(
            "undamped modes are removed: the error is infinite at their frequencies and has no bound".to_string(),
        );
    }
    let gain = reduced.stable_gain.gain;
    if let Some(bound) = reduced.bound
        && bound > 0.0
        && (bound < ROUNDING * gain || reduced.error.is_some_and(|error| error.gain > bound))
    {
        found.push(format!(
            "the error bound {bound:.1e} is close to rounding relative to the largest gain {gain:.1e}; keep fewer \
             states, or select fewer channels"
        ));
    }
    // Decay rates that are too inaccurate for Hankel singular values.
    let doubtful = |&(mode, persistent): &(&Mode, &bool)| {
        let size = mode.frequency_hz() * TAU;
        !persistent && !(mode.uncertainty * size <= MAX_DECAY_DOUBT * mode.eigenvalue.re.abs())
    };
    let doubts = modes.modes.iter().zip(&reduced.persistent).filter(doubtful).count();
    if doubts > 0 {
        found.push(format!(
            "{} accurate to less than one digit, and so are their Hankel singular values and the error bound",
            count(doubts, "decay rate") + if doubts == 1 { " is" } else { " are" }
        ));
    }
    // The requested order is too large or splits a pair.
    let order = reduced.a.len() - reduced.kept;
    if let (Method::Balanced, Target::Order(asked)) = (request.method, request.target) {
        if asked > reduced.a.len() {
            found.push(format!(
                "only {} of the {asked} requested states matter: the other Hankel singular values are rounding errors",
                reduced.a.len()
            ));
        } else if order > 0
            && let Some(next) = reduced.hankel.get(order)
            && *next > (1.0 - PAIR_TOLERANCE) * reduced.hankel[order - 1]
        {
            found.push(format!(
                "{asked} states split a pair of equal Hankel singular values, often one oscillation; use {} or {} \
                 states",
                asked + 1,
                asked - 1
            ));
        }
    }
    found
}
