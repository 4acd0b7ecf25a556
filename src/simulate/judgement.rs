//! Judgement of a run: gaps of its loops, change of its energy balance, number of steps near a singular position.
//! Figures are evaluated at every output point, and counters are updated at every step. Nothing allocates, and the
//! motion does not depend on any figure.
//!
//! **Energy.** Kinetic + potential + dissipated energy − input work is constant in every motion that the equations
//! allow. Its change is compared with the *exchanged* energy: the widest range that kinetic energy, potential energy,
//! dissipated energy and input work went through each. A relative change ε is an error of about ε/2 in the speeds of
//! the participating motions. If nothing but the change itself is exchanged, the change is compared with the kinetic
//! energy. A fast rotor holds much more energy than it exchanges. An error of 1e-6 of its energy is an error of 5e-7 in
//! its speed, so a change of that size is also allowed.
//!
//! **Cause.** A change has three causes ([`EnergyCause`]). The first is the error of the step. The second is the
//! numerical damping of `generalized_alpha`, which damps motions that the step does not resolve and causes losses only.
//! The third is formulations that do not conserve energy, independent of the step: the omitted work is computed along
//! the motion ([`LeftOut`]). A run alone computes the third and presumes one of the others. Runs with shorter steps
//! measure the first, and a run without numerical damping the second.
//!
//! If a tunable parameter changes during the run, energies change without work. The balance then continues from the
//! next output point without that change.
//!
//! **Limits** ([`Judgement::findings`]): see the constants.

use std::fmt;

use super::bending::{Bending, Shapes};
use super::driving::{Driving, Roads};
use super::left_out::LeftOut;
use super::passing::Passing;
use super::spinning::Spinning;
use crate::dynamics::observe::Summary;
use crate::math::{larger, quotient};
use crate::system::{Figure, State, System, Workspace};

/// Change of the energy balance, as a fraction of the exchanged energy, above which a run is questionable: speeds are
/// wrong by 0.05 %, the resolution of a measurement. Rigid models of the gallery are below 2e-5 at their own steps,
/// flexible models that shorter steps confirm below 8e-4.
pub(crate) const ENERGY: f64 = 1e-3;
/// Allowed change as a fraction of the largest kinetic energy, which a rotor may hold without exchanging it.
pub(crate) const KINETIC_TOLERANCE: f64 = 1e-6;
/// The motion is wrong if the step changes the energy by more than this fraction of the exchanged energy: speeds are
/// wrong by 5 %.
pub(crate) const MAX_ENERGY_ERROR: f64 = 0.1;
/// Depth of a centre of mass below the road, m, from which the run is wrong: more than the radius of a wheel. Parts of
/// an axle may be a little below it.
const MAX_DEPTH_BELOW_ROAD: f64 = 0.3;
/// Speed, m/s, of the whole mass whose energy counts as zero: a system at rest has only round-off in its energies.
pub(crate) const REST_SPEED: f64 = 1e-6;
/// Energies below this, J, count as zero.
pub(crate) const ENERGY_TOLERANCE: f64 = 1e-30;
/// Round-off of an energy as a fraction of its largest value: a thousand roundings of at most 1.1e-16, all of one sign.
const ROUND_OFF_TOLERANCE: f64 = 1e-13;
/// Gap as a fraction of the size of the largest loop: a hundred times the tolerance of the closure's own iterations, so
/// that only directions that were left alone near a singular position can exceed it.
pub(crate) const MAX_GAP: f64 = 1e-8;
/// Velocity gap as a fraction of the fastest speed, √(2 · largest kinetic energy / mass). Velocities are closed to
/// round-off.
pub(crate) const VELOCITY_GAP: f64 = 1e-6;
/// Fraction of the steps that may be near singular: a motion passes a singular position in a few steps; a motion that
/// remains there is not determined by the equations.
pub(crate) const MAX_NEAR_SINGULAR: f64 = 0.1;
/// Changes of coordinates per step: one choice serves a good part of a turn, and each change costs a factorisation.
pub(crate) const MAX_CHANGES: f64 = 0.05;
/// A change of the balance falls with the step if half of the step leaves less than this fraction of it: a scheme of
/// order 1 leaves a half.
const MAX_FALL_RATIO: f64 = 0.75;
/// A change above this fraction of the exchanged energy is no evidence about the step if half of the step gives the
/// same: no more than all energy can be lost.
const SATURATION_FRACTION: f64 = 0.5;
/// Largest number of runs with shorter steps that measure a cause.
pub const MAX_HALVINGS: usize = 3;
/// ω h up to which `generalized_alpha` follows a mode: beyond, its prediction is off by half the amplitude and more.
const MAX_RESOLVED_PHASE: f64 = 1.0;
/// Steps before energy and counts are judged during a run: at its start little energy was exchanged, and a transient of
/// the first steps would have too much weight.
pub(crate) const MIN_JUDGED_STEPS: f64 = 1000.0;

/// Smallest and largest value so far.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    least: f64,
    most: f64,
}

impl Range {
    fn of(value: f64) -> Range {
        Range { least: value, most: value }
    }

    /// A NaN is kept.
    fn take(&mut self, value: f64) {
        self.most = larger(self.most, value);
        self.least = -larger(-self.least, -value);
    }

    fn width(self) -> f64 {
        self.most - self.least
    }
}

/// Figures of one run, from its start to the present output point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Output points.
    points: f64,
    /// Internal steps, and internal steps that passed a singular position.
    steps: f64,
    near_singular_steps: f64,
    /// Steps that were halved.
    halved_steps: f64,
    /// Changes of coordinates.
    changes: f64,
    /// Largest closure error in m and largest rate in m/s over all rows.
    gaps: [f64; 2],
    /// Kinetic, potential and dissipated energy, and input work, J.
    energies: [Range; 4],
    /// Reference of the balance, and its deviations, J.
    reference: f64,
    deviation: Range,
    /// The deviation at the last point.
    last: f64,
    /// 1 if parameters changed since the last point.
    disturbed: f64,
    /// Bending of flexible bodies.
    bending: Bending,
    /// Rotation of flexible bodies without stiffening.
    spinning: Spinning,
    /// Bodies below the road, tyres outside of their ranges.
    driving: Driving,
    /// Possible passage through a contact.
    passing: Passing,
    /// Energy that the formulation of flexible bodies leaves out of the balance.
    left_out: LeftOut,
}

/// Constant data of a system for the judgement.
pub(super) struct Fixed {
    shapes: Shapes,
    roads: Roads,
}

impl Fixed {
    /// For a system.
    pub(super) fn new(system: &System) -> Fixed {
        Fixed { shapes: Shapes::new(system), roads: Roads::new(system) }
    }
}

/// A reason why a run is questionable.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Finding {
    /// A figure is not a number.
    NotFinite,
    /// Loops had a gap of `gap` m.
    Open { gap: f64, limit: f64 },
    /// Loops had a velocity gap of `rate` m/s.
    Parting { rate: f64, limit: f64 },
    /// The balance changed by `change` J, with `exchanged` J exchanged.
    Energy { change: f64, exchanged: f64, cause: EnergyCause },
    /// `steps` of `all` steps were near a singular position.
    NearSingular { steps: f64, all: f64 },
    /// The coordinates were chosen anew `changes` times in `all` steps.
    Restless { changes: f64, all: f64 },
}

/// Cause of a change of the energy balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnergyCause {
    /// The error of the step.
    Step,
    /// Numerical damping of motions that the step does not resolve, or the error of the step.
    Damping,
    /// Terms that the formulation of flexible bodies leaves out, independent of the step.
    Formulation,
    /// None of these: shorter steps do not change it.
    Other,
}

impl EnergyCause {
    /// Name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            EnergyCause::Step => "step",
            EnergyCause::Damping => "numerical_damping",
            EnergyCause::Formulation => "formulation",
            EnergyCause::Other => "other",
        }
    }
}

impl Judgement {
    /// Number of numbers of [`Judgement::numbers`].
    pub const NUMBERS: usize = 38 + LeftOut::NUMBERS;

    /// For a run that begins.
    pub(crate) fn new() -> Judgement {
        Judgement {
            points: 0.0,
            steps: 0.0,
            near_singular_steps: 0.0,
            halved_steps: 0.0,
            changes: 0.0,
            gaps: [0.0; 2],
            energies: [Range::of(0.0); 4],
            reference: 0.0,
            deviation: Range::of(0.0),
            last: 0.0,
            disturbed: 0.0,
            bending: Bending::default(),
            spinning: Spinning::default(),
            driving: Driving::default(),
            passing: Passing::default(),
            left_out: LeftOut::default(),
        }
    }

    /// Counts the last step, which led to `state`.
    pub(super) fn count_step(&mut self, system: &System, state: &State, ws: &Workspace) {
        if self.points > 0.0 {
            self.left_out.follow(system, state);
        }
        self.steps += 1.0;
        self.near_singular_steps += f64::from(u8::from(ws.events.near_singular));
        self.halved_steps += f64::from(u8::from(ws.events.halved));
    }

    /// Records that a parameter has another value from now on.
    pub(super) fn disturb(&mut self) {
        self.disturbed = 1.0;
    }

    /// Updates the figures with an output point.
    pub(super) fn take(&mut self, system: &System, point: (&State, &Workspace, &Summary), fixed: &mut Fixed) {
        self.changes = f64::from(point.0.repartitions);
        self.take_point(system, point, fixed);
    }

    /// Updates gaps, energies, bending and driving at the end of a step of another integrator; such steps are not
    /// counted.
    pub(super) fn take_point(
        &mut self,
        system: &System,
        (state, ws, summary): (&State, &Workspace, &Summary),
        fixed: &mut Fixed,
    ) {
        self.bending.track(system, state, &mut fixed.shapes);
        self.spinning.track(system, state, ws);
        self.driving.track(system, state, ws, &fixed.roads);
        self.passing.track(system, state, ws);
        self.gaps = [0, 1].map(|k| larger(self.gaps[k], summary.gaps[k]));
        let (energies, balance) = (summary.energies, summary.balance());
        if self.points == 0.0 {
            self.energies = energies.map(Range::of);
            self.reference = balance;
            self.left_out = LeftOut::begin(system, state);
        } else {
            self.left_out.follow(system, state);
            self.energies.iter_mut().zip(energies).for_each(|(range, energy)| range.take(energy));
        }
        if self.disturbed > 0.0 {
            self.reference = balance - self.last;
            self.disturbed = 0.0;
        }
        self.last = balance - self.reference;
        self.deviation.take(self.last);
        self.left_out.take(self.last);
        self.points += 1.0;
    }

    /// Internal steps.
    pub fn steps(&self) -> f64 {
        self.steps
    }

    /// Steps that passed a singular position.
    pub fn near_singular_steps(&self) -> f64 {
        self.near_singular_steps
    }

    /// Steps that were halved.
    pub fn halved_steps(&self) -> f64 {
        self.halved_steps
    }

    /// Changes of coordinates.
    pub fn changes(&self) -> f64 {
        self.changes
    }

    /// Largest closure error of all output points and rows, m.
    pub fn gap(&self) -> f64 {
        self.gaps[0]
    }

    /// Largest rate of a closure error, m/s.
    pub fn velocity_gap(&self) -> f64 {
        self.gaps[1]
    }

    /// The largest deviation of the energy balance from its start, with its sign, J.
    pub fn energy_change(&self) -> f64 {
        let Range { least, most } = self.deviation;
        if -least > most { least } else { most }
    }

    /// Energy that the formulation of flexible bodies leaves out of the balance.
    pub fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    /// The widest range of kinetic energy, potential energy, dissipated energy and input work, J.
    pub fn energy_exchanged(&self) -> f64 {
        self.energies.iter().map(|range| range.width()).fold(0.0, larger)
    }

    /// Round-off of the energies, J: of the potential energy far from its zero, and of work that goes in and out.
    pub fn energy_round_off(&self) -> f64 {
        ROUND_OFF_TOLERANCE
            * self.energies.iter().map(|range| larger(range.most.abs(), range.least.abs())).fold(0.0, larger)
    }

    /// The largest kinetic energy, J.
    pub fn largest_kinetic(&self) -> f64 {
        self.energies[0].most
    }

    /// Bending of flexible bodies.
    pub fn bending(&self) -> &Bending {
        &self.bending
    }

    /// Rotation of flexible bodies without stiffening.
    pub fn spinning(&self) -> &Spinning {
        &self.spinning
    }

    /// Bodies below the road, tyres outside of their ranges.
    pub fn driving(&self) -> &Driving {
        &self.driving
    }

    /// Motion of contacts in a step.
    pub fn passing(&self) -> &Passing {
        &self.passing
    }

    /// Warnings about bodies and tyres outside of their range of validity, in words; also for a run that ended with a
    /// fault. Allocates.
    #[expect(clippy::disallowed_methods, reason = "texts, between steps")]
    pub fn beyond(&self, system: &System) -> Option<String> {
        let flexible = self.bending.warning(system).into_iter().chain(self.spinning.warning(system));
        let touching = self.driving.warning(system).into_iter().chain(self.passing.warning(system));
        let found: Vec<String> = flexible.chain(touching).collect();
        (!found.is_empty()).then(|| found.join("; "))
    }

    /// The figure of an output.
    pub(super) fn figure(&self, figure: Figure, system: &System) -> f64 {
        match figure {
            Figure::LargestGap => self.gap(),
            Figure::LargestVelocityGap => self.velocity_gap(),
            Figure::EnergyChange => self.energy_change(),
            Figure::EnergyExchanged => self.energy_exchanged(),
            Figure::NearSingularSteps => self.near_singular_steps,
            Figure::HalvedSteps => self.halved_steps,
            Figure::Questionable => f64::from(u8::from(self.is_questionable(system, false))),
        }
    }

    /// Whether there are findings; `over`: at the end of a run, otherwise during the run.
    pub fn is_questionable(&self, system: &System, over: bool) -> bool {
        self.bending.is_far()
            || self.spinning.is_fast()
            || self.driving.is_lost()
            || self.passing.is_far()
            || self.findings(system, over).iter().any(Option::is_some)
    }

    /// Reference of a change of the balance, J: the exchanged energy, or the largest kinetic energy if nothing but the
    /// change itself is exchanged, for example by a body that turns freely.
    fn energy_scale(&self) -> f64 {
        let others = self.energies[1..].iter().map(|range| range.width()).fold(0.0, larger);
        let nothing_else = others <= MAX_ENERGY_ERROR * self.energy_change().abs();
        larger(self.energy_exchanged(), if nothing_else { self.largest_kinetic() } else { 0.0 })
    }

    /// The allowed change of the balance for this fraction of the exchanged energy, J.
    fn energy_limit(&self, system: &System, share: f64) -> f64 {
        let rest = ENERGY_TOLERANCE + 0.5 * system.mass() * REST_SPEED * REST_SPEED;
        share * self.energy_scale() + KINETIC_TOLERANCE * self.largest_kinetic() + self.energy_round_off() + rest
    }

    /// Whether the balance changed by more than a conservative formulation and a good step allow.
    pub fn has_energy_error(&self, system: &System) -> bool {
        // Written so that a NaN is reported.
        !(self.energy_change().abs() <= self.energy_limit(system, ENERGY))
    }

    /// Whether the balance stays within its limit without the work of forces that the formulation leaves out and, with
    /// `with_bound`, without the largest work that loads may have done on quasi-static modes.
    fn is_of_formulation(&self, system: &System, with_bound: bool) -> bool {
        let bound = if with_bound { self.left_out.bound } else { 0.0 };
        self.left_out.rest().abs() <= self.energy_limit(system, ENERGY) + bound && self.has_energy_error(system)
    }

    /// The cause that one run suggests: computed for the formulation, presumed for the others.
    pub fn presumed_cause(&self, system: &System) -> EnergyCause {
        if self.is_of_formulation(system, true) {
            EnergyCause::Formulation
        } else if self.left_out.rest() < 0.0 && system.undamped().is_some() {
            EnergyCause::Damping
        } else {
            EnergyCause::Step
        }
    }

    /// The change in another run as a fraction of that in this one, without what the formulation leaves out.
    fn ratio(&self, rest: f64) -> f64 {
        quotient(rest.abs(), self.left_out.rest().abs())
    }

    /// The cause of the change, from the changes ([`LeftOut::rest`]) in runs with shorter steps. The first has half of
    /// the step of this run, each further one half of the step before. `None`: another run with half of the last step
    /// is needed. [`EnergyCause::Damping`] is presumed: [`Judgement::is_damped`] confirms it.
    pub fn measured_cause(&self, system: &System, shorter: &[f64]) -> Option<EnergyCause> {
        if self.is_of_formulation(system, false) {
            return Some(EnergyCause::Formulation);
        }
        let falls = |change: &f64| self.ratio(*change) < MAX_FALL_RATIO;
        let stays = |change: &f64| (MAX_FALL_RATIO..1.0 / MAX_FALL_RATIO).contains(&self.ratio(*change));
        let last = shorter.last()?;
        // Numerical damping may remove all energy of motions that the step does not resolve.
        let saturated = self.presumed_cause(system) == EnergyCause::Step
            && self.left_out.rest().abs() >= SATURATION_FRACTION * self.energy_scale();
        match () {
            _ if shorter.iter().any(falls) => Some(EnergyCause::Step),
            // Steps that are far too long lose or gain about the same, or all energy.
            _ if shorter.len() < MAX_HALVINGS && (saturated || !stays(last)) => None,
            _ => Some(match self.presumed_cause(system) {
                EnergyCause::Step => EnergyCause::Other,
                cause => cause,
            }),
        }
    }

    /// Whether numerical damping caused the change, from the change ([`LeftOut::rest`]) in a run with the same step and
    /// without that damping ([`System::undamped`]).
    pub fn is_damped(&self, undamped: f64) -> bool {
        self.ratio(undamped) < MAX_FALL_RATIO
    }

    /// Whether the run is known to be wrong: a figure is not finite, a body was far below the road, or the step changed
    /// the energy by more than a tenth of the exchanged energy. `cause` is the measured cause; without it the cause is
    /// presumed.
    pub fn is_wrong(&self, system: &System, cause: Option<EnergyCause>) -> bool {
        let cause = cause.unwrap_or_else(|| self.presumed_cause(system));
        let lost =
            cause == EnergyCause::Step && self.energy_change().abs() > self.energy_limit(system, MAX_ENERGY_ERROR);
        lost || self.driving().depth > MAX_DEPTH_BELOW_ROAD
            || self.findings(system, true).contains(&Some(Finding::NotFinite))
    }

    /// Findings that make the run questionable, apart from [`Judgement::beyond`]. `over` is set at the end of the run;
    /// before, energies and counts are judged after `MIN_JUDGED_STEPS` steps.
    pub fn findings(&self, system: &System, over: bool) -> [Option<Finding>; 5] {
        self.findings_with(system, over, None)
    }

    /// As [`Judgement::findings`], with the measured `cause` of a change of the energy balance.
    pub fn findings_with(&self, system: &System, over: bool, cause: Option<EnergyCause>) -> [Option<Finding>; 5] {
        let size = system.blocks.iter().map(|block| block.size).fold(0.0, larger);
        let mass = system.mass();
        let speed = quotient(2.0 * self.largest_kinetic(), mass).sqrt();
        let judged = over || self.steps >= MIN_JUDGED_STEPS;
        let (gap, rate, change) = (self.gap(), self.velocity_gap(), self.energy_change());
        let exchanged = self.energy_exchanged();
        let cause = cause.unwrap_or_else(|| self.presumed_cause(system));
        let limit = self.energy_limit(system, ENERGY);
        // Written so that a NaN is reported.
        let finite = (gap + rate + change + exchanged + limit).is_finite();
        let (gap_limit, rate_limit) = (MAX_GAP * size, VELOCITY_GAP * (speed + size));
        let (steps, near, changes) = (self.steps, self.near_singular_steps, self.changes);
        [
            (!finite).then_some(Finding::NotFinite),
            (gap > gap_limit)
                .then_some(Finding::Open { gap, limit: gap_limit })
                .or((rate > rate_limit).then_some(Finding::Parting { rate, limit: rate_limit })),
            (judged && change.abs() > limit).then_some(Finding::Energy { change, exchanged, cause }),
            (judged && near > MAX_NEAR_SINGULAR * steps).then_some(Finding::NearSingular { steps: near, all: steps }),
            (judged && changes > 1.0 + MAX_CHANGES * steps).then_some(Finding::Restless { changes, all: steps }),
        ]
    }

    /// All findings in one line of text with their remedies, if there are any. Allocates.
    pub fn warning(&self, system: &System, over: bool) -> Option<String> {
        self.warning_with(system, over, None)
    }

    /// As [`Judgement::warning`], with the measured `cause` of a change of the energy balance. Allocates.
    #[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "texts, between steps")]
    pub fn warning_with(&self, system: &System, over: bool, cause: Option<EnergyCause>) -> Option<String> {
        let found = self.findings_with(system, over, cause);
        let modes = self.unresolved_modes(system, &found);
        let found = found.into_iter().flatten().map(|finding| finding.to_string());
        let findings: Vec<String> = self.beyond(system).into_iter().chain(found).chain(modes).collect();
        (!findings.is_empty()).then(|| format!("{}: {}", system.name(), findings.join("; ")))
    }

    /// The remedy for energy that `generalized_alpha` gains with modes that the step does not resolve: their
    /// oscillation shifts the prediction about which the equations are linearized. Allocates.
    #[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "texts, between steps")]
    fn unresolved_modes(&self, system: &System, found: &[Option<Finding>]) -> Option<String> {
        let gained = |finding: &Finding| {
            matches!(finding, Finding::Energy { change, cause, .. }
                if *change > 0.0 && *cause != EnergyCause::Formulation)
        };
        if !system.integrator.is_linearly_implicit() || !found.iter().flatten().any(gained) {
            return None;
        }
        let resolved = |stiffness: &f64| stiffness.max(0.0).sqrt() * system.step <= MAX_RESOLVED_PHASE;
        let (body, kept) = system.flexible.iter().find_map(|body| {
            let kept = body.stiffness.iter().filter(|stiffness| resolved(stiffness)).count();
            (kept < body.modes()).then_some((body, kept))
        })?;
        let modes = match kept {
            0 => String::new(),
            kept => format!("`modes = {kept}` (modes with ω h ≤ {MAX_RESOLVED_PHASE}) or "),
        };
        Some(format!(
            "{} of the {} modes of flexible body `{}` are too fast for the step and oscillate from the start; set \
             {modes}`deformation = \"static\"`",
            body.modes() - kept,
            body.modes(),
            body.name
        ))
    }

    /// All figures, for storage.
    pub fn numbers(&self) -> [f64; Judgement::NUMBERS] {
        let [kinetic, potential, dissipated, work] = self.energies;
        let [time, power, left_out, bound, least, most] = self.left_out.numbers();
        // The order is part of the format of a saved state; `from_numbers` reads the same order.
        [
            self.points,
            self.steps,
            self.near_singular_steps,
            self.changes,
            self.gaps[0],
            self.gaps[1],
            kinetic.least,
            kinetic.most,
            potential.least,
            potential.most,
            dissipated.least,
            dissipated.most,
            work.least,
            work.most,
            self.reference,
            self.deviation.least,
            self.deviation.most,
            self.last,
            self.disturbed,
            self.halved_steps,
            self.bending.ratio,
            self.bending.body as f64,
            self.bending.time,
            self.spinning.ratio,
            self.spinning.body as f64,
            self.spinning.time,
            self.driving.depth,
            self.driving.body as f64,
            self.driving.depth_time,
            self.driving.beyond,
            self.driving.tyre as f64,
            self.driving.what as f64,
            self.driving.beyond_time,
            self.passing.share,
            self.passing.speed,
            self.passing.thickness,
            self.passing.contact as f64,
            self.passing.time,
            time,
            power,
            left_out,
            bound,
            least,
            most,
        ]
    }

    /// Restores the figures from [`Judgement::numbers`].
    pub fn from_numbers(numbers: &[f64; Judgement::NUMBERS]) -> Judgement {
        // The indices follow `numbers`.
        let range = |index: usize| Range { least: numbers[index], most: numbers[index + 1] };
        Judgement {
            points: numbers[0],
            steps: numbers[1],
            near_singular_steps: numbers[2],
            changes: numbers[3],
            gaps: [numbers[4], numbers[5]],
            energies: [range(6), range(8), range(10), range(12)],
            reference: numbers[14],
            deviation: range(15),
            last: numbers[17],
            disturbed: numbers[18],
            halved_steps: numbers[19],
            bending: Bending { ratio: numbers[20], body: numbers[21] as usize, time: numbers[22] },
            spinning: Spinning { ratio: numbers[23], body: numbers[24] as usize, time: numbers[25] },
            driving: Driving {
                depth: numbers[26],
                body: numbers[27] as usize,
                depth_time: numbers[28],
                beyond: numbers[29],
                tyre: numbers[30] as usize,
                what: numbers[31] as usize,
                beyond_time: numbers[32],
            },
            passing: Passing {
                share: numbers[33],
                speed: numbers[34],
                thickness: numbers[35],
                contact: numbers[36] as usize,
                time: numbers[37],
            },
            left_out: LeftOut::from_numbers(std::array::from_fn(|k| numbers[38 + k])),
        }
    }
}

impl Default for Judgement {
    fn default() -> Judgement {
        Judgement::new()
    }
}

impl fmt::Display for Finding {
    #[expect(clippy::disallowed_macros, reason = "texts, between steps")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Each message states the value, its limit and a remedy.
        match *self {
            Finding::NotFinite => {
                write!(f, "a gap or an energy is not finite; the result is invalid; use a shorter step")
            }
            Finding::Open { gap, limit } => write!(
                f,
                "a loop had a gap of {gap:.3e} m (limit {limit:.1e} m); start away from singular positions and \
                 prescribe only motions that the mechanism can follow"
            ),
            Finding::Parting { rate, limit } => write!(
                f,
                "a loop had a velocity gap of {rate:.3e} m/s (limit {limit:.1e} m/s); prescribe speeds and start \
                 speeds that the mechanism can follow, away from singular positions"
            ),
            // The remedy depends on the cause, which was determined after the run.
            Finding::Energy { change, exchanged, cause } => {
                write!(f, "the energy balance error is {change:.3e} J")?;
                if exchanged > 0.0 {
                    let part = (change / exchanged).abs();
                    write!(f, ", {part:.2e} of the {exchanged:.3e} J exchanged (limit {ENERGY:.0e})")?;
                }
                f.write_str(match cause {
                    EnergyCause::Step => {
                        "; the cause is the discretization error of the step, including numerical damping: use a \
                         shorter step (`ballesta verify` finds it)"
                    }
                    EnergyCause::Damping => {
                        "; with generalized_alpha the cause is numerical damping of unresolved motions, or the error \
                         of the step: use a shorter step or a larger spectral_radius if these motions matter (see \
                         `ballesta verify`)"
                    }
                    EnergyCause::Formulation => {
                        "; the cause is the error of the flexible body's formulation, computed along the motion and \
                         independent of the step: use `stiffening = \"foreshortening\"` or `\"general\"`, and no \
                         `resolution`"
                    }
                    EnergyCause::Other => {
                        "; a shorter step does not change the error: an input or a prescribed motion jumps, or a \
                         force is not the derivative of its energy"
                    }
                })
            }
            Finding::NearSingular { steps, all } => write!(
                f,
                "{steps} of {all} steps were near a singular position, where the equations do not determine the \
                 motion; start from another position, or restrain the free motion by a spring or a prescribed motion"
            ),
            Finding::Restless { changes, all } => write!(
                f,
                "independent coordinates changed {changes} times in {all} steps; select better ones with `independent \
                 = true`"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;

    #[test]
    fn numbers_written_and_read_are_the_same() {
        let mut numbers = [0.0; Judgement::NUMBERS];
        numbers.iter_mut().enumerate().for_each(|(i, number)| *number = 1.0 + i as f64);
        assert_eq!(Judgement::from_numbers(&numbers).numbers(), numbers);
    }

    #[test]
    fn a_change_that_falls_with_the_step_is_of_the_step_and_one_that_stays_is_not() {
        let model = |integrator: &str| {
            let text = format!("[model]\nname = \"m\"\n{integrator}");
            let document = crate::model::parse(&text, "model.toml").unwrap_or_else(|errors| panic!("{errors}"));
            compile::compile(&document, &[]).unwrap_or_else(|errors| panic!("{errors}"))
        };
        let changed = |change: f64| {
            let mut judgement = Judgement::new();
            judgement.deviation.take(change);
            judgement.left_out.take(change);
            judgement.energies[0].take(1.0);
            judgement
        };
        let (explicit, implicit) = (model(""), model("integrator = \"generalized_alpha\""));
        let conservative = model("integrator = \"generalized_alpha\"\nspectral_radius = 1");
        for (system, change, shorter, cause) in [
            (&explicit, 0.2, &[0.1][..], Some(EnergyCause::Step)),
            (&explicit, 0.2, &[0.19], Some(EnergyCause::Other)),
            (&explicit, 0.2, &[1.0], None),
            (&explicit, 0.2, &[1.0, 0.01], Some(EnergyCause::Step)),
            (&explicit, 0.2, &[f64::NAN, f64::NAN, f64::NAN], Some(EnergyCause::Other)),
            (&implicit, -0.2, &[-0.19], Some(EnergyCause::Damping)),
            (&implicit, 0.2, &[0.19], Some(EnergyCause::Other)),
            (&conservative, -0.2, &[-0.19], Some(EnergyCause::Other)),
            (&conservative, -0.2, &[-0.05], Some(EnergyCause::Step)),
            // All energy is lost at any step, until the step is short enough.
            (&explicit, -0.9, &[-0.9], None),
            (&explicit, -0.9, &[-0.9, -0.2], Some(EnergyCause::Step)),
            (&explicit, -0.9, &[-0.9, -0.9, -0.9], Some(EnergyCause::Other)),
        ] {
            let judgement = changed(change);
            assert_eq!(judgement.measured_cause(system, shorter), cause, "{change} {shorter:?}");
            let known = cause.unwrap_or_else(|| judgement.presumed_cause(system));
            assert_eq!(judgement.is_wrong(system, cause), known == EnergyCause::Step, "{change} {shorter:?}");
        }
        assert!(!changed(0.05).is_wrong(&explicit, Some(EnergyCause::Step)));
        assert!(changed(0.05).has_energy_error(&explicit) && !changed(0.5e-3).has_energy_error(&explicit));
    }

    #[test]
    fn round_off_of_what_rests_is_no_energy_error() {
        let text = "[model]\nname = \"m\"\n[[body]]\nname = \"b\"\nmass = 2\ncom = [0, 0, 0]\ninertia = [1, 1, 1, 0, \
                    0, 0]\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbodies = [\"ground\", \"b\"]\npoint = [0, 0, \
                    0]\naxis = [0, 0, 1]\n";
        let document = crate::model::parse(text, "model.toml").unwrap_or_else(|errors| panic!("{errors}"));
        let system = compile::compile(&document, &[]).unwrap_or_else(|errors| panic!("{errors}"));
        for (energy, is_error) in [(3e-30, false), (1e-13, false), (1e-11, true)] {
            let mut judgement = Judgement::new();
            judgement.deviation.take(energy);
            judgement.energies[1].take(energy);
            assert_eq!(judgement.has_energy_error(&system), is_error, "{energy:e}");
        }
        // A body that turns freely has 1 J, and only the error of the step changes it.
        for (change, is_error) in [(1e-5, false), (2e-3, true)] {
            let mut judgement = Judgement::new();
            judgement.deviation.take(-change);
            judgement.energies[0] = Range { least: 1.0 - change, most: 1.0 };
            assert_eq!(judgement.has_energy_error(&system), is_error, "{change:e}");
        }
    }

    #[test]
    fn the_mass_of_flexible_bodies_counts_where_they_rest() {
        let model = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models/spinup_beam/paper_3.toml");
        let document = crate::model::load(&model).unwrap_or_else(|errors| panic!("{errors}"));
        let system = compile::compile(&document, &[]).unwrap_or_else(|errors| panic!("{errors}"));
        assert!((system.mass() - 12.0).abs() < 1e-9, "{}", system.mass());
        // One step of the spin-up has 7e-21 J.
        let mut judgement = Judgement::new();
        judgement.deviation.take(6.7e-21);
        judgement.energies[0].take(6.9e-21);
        assert!(!judgement.has_energy_error(&system));
    }

    #[test]
    fn a_range_keeps_a_nan() {
        let mut range = Range::of(1.0);
        for value in [-2.0, 3.0] {
            range.take(value);
        }
        assert_eq!((range.least, range.most, range.width()), (-2.0, 3.0, 5.0));
        for order in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
            let mut range = Range::of(0.0);
            order.into_iter().for_each(|value| range.take(value));
            assert!(range.least.is_nan() && range.most.is_nan() && range.width().is_nan());
        }
    }
}
