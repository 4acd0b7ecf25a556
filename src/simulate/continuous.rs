//! The equations of motion for an external integrator: states in, derivatives out. Model Exchange of FMI is based on
//! it.
//!
//! **States.** x holds all relative coordinates without prescribed motion, their speeds and all auxiliary states
//! ([`crate::compile`], `continuous`): more than the degrees of freedom where there are loops, and always the same
//! ones.
//!
//! **Derivatives.** P(x) is the closed state of x. Driven coordinates follow their prescribed motions, and quaternions
//! have length 1. In every loop the dependent coordinates and speeds follow from the independent ones, which are
//! unchanged; near a singular position all coordinates of the loop change by least change. With the rates f of one
//! evaluation of the solver there,
//!
//! ```text
//!     ẋ = f(P(x)) + κ (P(x) − x),      κ = RETURN_FRACTION / step
//! ```
//!
//! On the closed positions P(x) = x, and this is the motion. An integrator leaves them by its tolerance. The
//! independent coordinates then are still integrated by an ordinary differential equation in themselves alone, so the
//! drift of the dependent coordinates enters no derivative of the motion: drift is neutral. The second term removes it.
//! Without this term the dependent states would start from their accumulated errors when the choice of coordinates
//! changes, or a loop comes near a singular position. It is zero for independent coordinates. States are returned as
//! they were set, since an integrator's own history belongs to them; outputs are evaluated at P(x), so the loops of
//! every output are closed.
//!
//! Least change of all coordinates, as at the end of the solver's own steps, is not used here. It would move
//! independent coordinates too, and ẋ = f(P(x)) would no longer be the motion of P(x) where the closed positions are
//! curved. A lasting drift would change the speed along them by the same fraction. Events that reset the states are not
//! used either, because each would restart a multistep scheme.
//!
//! **Choice of coordinates.** P is smooth as long as the choice of independent coordinates is unchanged, and so are
//! differences of derivatives, from which implicit integrators build their matrices. The choice is checked when the
//! integrator has completed a step, as the solver does after its own steps; another choice changes P(x) by no more than
//! the drift. Turns of output angles are counted there as well; the step is rejected if a body turns too far in one
//! step to be counted ([`Completed::TurnedTooFar`]).
//!
//! **Limits.** Derivatives are continuous except at discontinuities of elements (road contact, dry friction at e = 1)
//! and of inputs. Next to a singular position they are the derivatives of the solver's stages, which do not change one
//! direction there.
//!
//! The integrator of the model file has no effect here: derivatives are the same for all integrators.
//! Quasi-static modes (above `model.resolution`) are set to their equilibrium once per solver step. They cannot be
//! continuous states; [`crate::system::Interface::not_continuous`] reports them.
//!
//! Real time. One evaluation per call, bounded as a stage of a step is; no allocation.
//!
//! Verified by: tests/fmi/exchange, tests/harness/test_exchange.py.

use super::Simulator;
use crate::dynamics::{choice, close_stage, evaluate, load_stage, observe};
use crate::system::{Angles, Fault, StatePlace, System};

/// Fraction of its offset by which a dependent state returns in the time of one internal step.
pub(super) const RETURN_FRACTION: f64 = 0.02;
/// Largest rotation of a body with output angles between two completed steps, rad: two thirds of half a turn. Beyond
/// half a turn the turns cannot be counted.
const MAX_COUNTED_ROTATION: f64 = 2.0;

/// Result of a completed step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Completed {
    /// Done.
    Done,
    /// Body number `body` may have turned by `turn` rad, too far for its turns to be counted.
    TurnedTooFar { body: usize, turn: f64 },
}

impl Simulator {
    /// Moves to time `time`, s; inputs hold their values.
    pub fn set_time(&mut self, time: f64) {
        self.state.time = time;
        self.state.input_times.fill(time);
    }

    /// The continuous states as they were set, in the order of [`crate::system::Interface::states`].
    pub fn continuous_states(&self, x: &mut [f64]) {
        for (value, info) in x.iter_mut().zip(&self.system.interface.states) {
            *value = self.continuous_state(info.place);
        }
    }

    /// One continuous state.
    pub(crate) fn continuous_state(&self, place: StatePlace) -> f64 {
        match place {
            StatePlace::Position(i) => self.state.q[i],
            StatePlace::Speed(i) => self.state.v[i],
            StatePlace::Auxiliary(i) => self.state.auxiliary[i],
        }
    }

    /// Sets all continuous states. On an error nothing has changed; the error is the index of a value that is not
    /// finite.
    pub fn set_continuous_states(&mut self, x: &[f64]) -> Result<(), usize> {
        if let Some(index) = x.iter().position(|value| !value.is_finite()) {
            return Err(index);
        }
        for (&value, info) in x.iter().zip(&self.system.interface.states) {
            match info.place {
                StatePlace::Position(i) => self.state.q[i] = value,
                StatePlace::Speed(i) => self.state.v[i] = value,
                StatePlace::Auxiliary(i) => self.state.auxiliary[i] = value,
            }
        }
        Ok(())
    }

    /// ẋ at the present time, states and inputs; `derivatives` has an entry per state.
    pub fn derivatives(&mut self, derivatives: &mut [f64]) -> Result<(), Fault> {
        let t = self.state.time;
        self.check_inputs(t)?;
        let Simulator { system, state, workspace: ws, sides, .. } = self;
        load_stage(system, state, ws, t);
        match system.filters.is_empty() {
            true => evaluate(system, state, ws, t)?,
            // Rates of low-pass filters follow from outputs.
            false => observe::calc_stage_outputs(system, state, ws, t, &mut sides[0]).map(drop)?,
        }
        let back = RETURN_FRACTION / system.step;
        for (derivative, info) in derivatives.iter_mut().zip(&system.interface.states) {
            *derivative = match info.place {
                StatePlace::Position(i) => ws.rates.q[i] + back * (ws.stage.q[i] - state.q[i]),
                StatePlace::Speed(i) => ws.rates.v[i] + back * (ws.stage.v[i] - state.v[i]),
                StatePlace::Auxiliary(i) => ws.rates.auxiliary[i],
            };
            if !derivative.is_finite() {
                return Err(not_finite(system, info.place, t));
            }
        }
        Ok(())
    }

    /// All outputs at the present time, states and inputs. The run is not judged.
    pub fn continuous_outputs(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        self.outputs_of_closed(out, false)
    }

    fn outputs_of_closed(&mut self, out: &mut [f64], judged: bool) -> Result<(), Fault> {
        let t = self.state.time;
        self.check_inputs(t)?;
        let Simulator { system, state, workspace: ws, judgement, fixed, figures, .. } = self;
        load_stage(system, state, ws, t);
        let summary = observe::calc_stage_outputs(system, state, ws, t, out)?;
        if judged {
            judgement.take_point(system, (state, ws, &summary), fixed);
        }
        for &(index, figure) in figures.iter() {
            out[index] = judgement.figure(figure, system);
        }
        match out.iter().position(|value| !value.is_finite()) {
            Some(output) => Err(Fault::OutputNotFinite { output: output as u32, time: t }),
            None => Ok(()),
        }
    }

    /// The integrator has accepted the present states, `elapsed` s after the previous ones. Turns are counted,
    /// coordinates are chosen again if another choice is better, the quality figures are updated, and `out` gets the
    /// outputs.
    pub fn complete_step(&mut self, elapsed: f64, out: &mut [f64]) -> Result<Completed, Fault> {
        let t = self.state.time;
        let Simulator { system, state, workspace: ws, .. } = self;
        ws.events.near_singular = false;
        load_stage(system, state, ws, t);
        close_stage(system, state, ws, t)?;
        for output in &system.outputs {
            let bodies = match output.turns {
                None => continue,
                Some((Angles::OfBody(body), _)) => [0, body],
                Some((Angles::Relative(bodies), _)) => bodies,
            };
            let spin = |body: usize| ws.kinematics.bodies[body].velocity.ang;
            let turn = (spin(bodies[1]) - spin(bodies[0])).norm() * elapsed.abs();
            if turn > MAX_COUNTED_ROTATION {
                return Ok(Completed::TurnedTooFar { body: bodies[1], turn });
            }
        }
        observe::follow_angles(system, state, ws);
        let (mut tree, blocks) = ws.open_tree();
        choice::choose_coordinates(system, state, &mut tree, blocks, false);
        state.near_singular = u32::from(ws.events.near_singular);
        self.outputs_of_closed(out, true)?;
        Ok(Completed::Done)
    }
}

/// The fault of a state whose derivative is not finite at time `t`, s.
fn not_finite(system: &System, place: StatePlace, time: f64) -> Fault {
    let joint = match place {
        StatePlace::Position(i) => {
            let holds = |joint: &crate::joint::TreeJoint| joint.link.is_none() && joint.q_range().contains(&i);
            let elastic = |body: &&crate::system::Flexible| body.q.contains(&i);
            let frame = system.flexible.iter().find(elastic).map(|body| body.body - 1);
            system.joints.iter().position(holds).or(frame).unwrap_or(0)
        }
        StatePlace::Speed(i) => system.joint_of_coordinate(i),
        StatePlace::Auxiliary(state) => return Fault::StateNotFinite { state: state as u32, time },
    };
    Fault::NotFinite { joint: joint as u32, time }
}
