//! Displayed state at one instant: poses of all bodies, elastic coordinates, loads and tensions.
//!
//! A state is evaluated in separate memory, so the display does not change the bits of a run.

use ballesta::dynamics::{calc_reactions, evaluate, load_stage};
use ballesta::force::tyre::Patch;
use ballesta::force::{Element, Loads};
use ballesta::math::rotation::quaternion;
use ballesta::math::spatial::Wrench;
use ballesta::math::{Mat3, Vec3};
use ballesta::system::{State, System, Workspace};
use serde::Serialize;
use std::sync::Arc;

/// Kind of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadKind {
    /// `[[force]]`, aerodynamic drag.
    Force,
    /// `[[torque]]`.
    Torque,
    /// Load of the road on a tyre, or of a wheel port.
    Contact,
    /// Contact of two bodies.
    Touch,
    /// Load of a bushing or leaf spring on its second body.
    Connection,
}

/// A drawn load.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Its force element.
    pub element: usize,
    /// Kind.
    pub kind: LoadKind,
    /// Body it acts on.
    pub body: usize,
    /// Point of action relative to the body's origin, in its frame; tyres use the contact point in the world.
    pub point: Vec3,
    /// Whether it acts at a fixed position in the world ([`Observer::load`]), not at a point of the body.
    pub moves: bool,
    /// Index of the touch of a contact.
    pub touch: Option<usize>,
}

/// Largest number of drawn touches per contact.
const MAX_TOUCHES: usize = 64;

/// Evaluates states of a system.
pub struct Observer {
    system: Arc<System>,
    ws: Workspace,
    loads: Vec<Load>,
    tensions: Vec<usize>,
    wrenches: Vec<Wrench>,
    efforts: Vec<f64>,
    rates: Vec<f64>,
    patches: Vec<Option<Patch>>,
}

/// World coordinates of the origin of a body's frame, and its rotation.
pub fn pose(system: &System, ws: &Workspace, body: usize) -> (Vec3, Mat3) {
    let motion = &ws.kinematics.bodies[body];
    (motion.position + motion.reference + system.origin, motion.rotation)
}

impl Observer {
    /// Evaluator for a system.
    pub fn new(system: Arc<System>) -> Observer {
        let ws = Workspace::new(&system);
        let loads = system.elements.iter().enumerate().flat_map(|(element, of)| {
            let acts = match of {
                Element::Force(force) => Some((LoadKind::Force, force.point.body.0, force.point.point)),
                Element::Torque(torque) => Some((LoadKind::Torque, torque.body.0, Vec3::zeros())),
                Element::AerodynamicDrag(drag) => Some((LoadKind::Force, drag.point.body.0, drag.point.point)),
                Element::Tyre(_) => of.bodies().first().map(|wheel| (LoadKind::Contact, wheel.0, Vec3::zeros())),
                Element::WheelPort(port) => Some((LoadKind::Contact, port.wheel.0, Vec3::zeros())),
                Element::Bushing(bushing) => {
                    Some((LoadKind::Connection, bushing.ends[1].body.0, bushing.ends[1].point))
                }
                Element::LeafSpring(leaf) => Some((LoadKind::Connection, leaf.seats[1].body.0, leaf.seats[1].point)),
                _ => None,
            };
            let moves = matches!(of, Element::Tyre(_));
            let one = acts.map(|(kind, body, point)| Load { element, kind, body, point, moves, touch: None });
            let touches = (0..MAX_TOUCHES).map_while(move |k| Some((k, of.touching(k)?)));
            let touches = touches.map(move |(k, [first, second])| Load {
                element,
                kind: LoadKind::Touch,
                body: if second.0 == 0 { first.0 } else { second.0 },
                point: Vec3::zeros(),
                moves: true,
                touch: Some(k),
            });
            one.into_iter().chain(touches).filter(|load| load.body != 0)
        });
        let lines = system.elements.iter().enumerate().filter(|(_, of)| is_line(of));
        Observer {
            loads: loads.collect(),
            tensions: lines.map(|(element, _)| element).collect(),
            wrenches: vec![Wrench::zero(); system.bodies.len()],
            efforts: vec![0.0; system.nv],
            rates: vec![0.0; ws.rates.auxiliary.len()],
            patches: ws.loads.patches.clone(),
            ws,
            system,
        }
    }

    /// The system.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }

    /// Drawn loads.
    pub fn loads(&self) -> &[Load] {
        &self.loads
    }

    /// Force elements that act along a line or a coordinate and have a tension.
    pub fn tensions(&self) -> &[usize] {
        &self.tensions
    }

    /// Evaluates a state; `false` if this is impossible.
    pub fn look(&mut self, state: &State) -> bool {
        load_stage(&self.system, state, &mut self.ws, state.time);
        evaluate(&self.system, state, &mut self.ws, state.time).is_ok()
    }

    /// Evaluation of `state`, which was evaluated last, with the reactions for internal forces of flexible bodies.
    pub fn with_reactions(&mut self, state: &State) -> &Workspace {
        calc_reactions(&self.system, state, &mut self.ws);
        &self.ws
    }

    /// In the last evaluated state: world coordinates of the origin of a body's frame in m, and the rotation as a unit
    /// quaternion w, x, y, z.
    pub fn pose(&self, body: usize) -> (Vec3, [f64; 4]) {
        let (at, rotation) = pose(&self.system, &self.ws, body);
        let q = quaternion(&rotation);
        (at, [q[0], q[1], q[2], q[3]])
    }

    /// In the last evaluated state: elastic coordinates of a flexible body.
    pub fn elastic(&self, flexible: usize) -> &[f64] {
        &self.ws.stage.q[self.system.flexible[flexible].q.clone()]
    }

    /// Load number `k` in `state`, which was evaluated last, N or N m in world axes, and the contact point of a tyre or
    /// of bodies, m.
    pub fn load(&mut self, state: &State, k: usize) -> (Vec3, Vec3) {
        let load = &self.loads[k];
        let element = &self.system.elements[load.element];
        let surroundings = self.ws.surroundings(state);
        if let Some(touch) = load.touch {
            let Some((force, place)) = element.push_at(&surroundings, touch) else { return Default::default() };
            let on_second = element.touching(touch).is_some_and(|[_, second]| second.0 == load.body);
            return (if on_second { force } else { -force }, place + self.system.origin);
        }
        self.wrenches.fill(Wrench::zero());
        element.add_loads(
            &surroundings,
            &mut Loads {
                wrenches: &mut self.wrenches,
                efforts: &mut self.efforts,
                dissipated_power: 0.0,
                input_power: 0.0,
                rates: &mut self.rates,
                patches: &mut self.patches,
            },
        );
        let wrench = &self.wrenches[load.body];
        let value = if load.kind == LoadKind::Torque { wrench.moment } else { wrench.force };
        let place = match element {
            Element::Tyre(tyre) => tyre.evaluated_readout(&surroundings, &self.patches).contact,
            _ => Vec3::zeros(),
        };
        (value, place)
    }

    /// Tension number `k` in `state`, which was evaluated last, N or N m, tension positive.
    pub fn tension(&self, state: &State, k: usize) -> f64 {
        self.system.elements[self.tensions[k]].readout(&self.ws.surroundings(state)).force
    }

    /// Length of [`Observer::frame`].
    pub fn length(&self) -> usize {
        let elastic: usize = self.system.flexible.iter().map(|body| body.modes()).sum();
        7 * self.system.bodies.len() + elastic + 6 * self.loads.len() + self.tensions.len()
    }

    /// Writes `state` as one row. It has x, y, z and the rotation w, x, y, z per body, including the ground, and the
    /// elastic coordinates. Then follow three components and the position per load, and the tensions. Returns `false`
    /// without a change if the state cannot be evaluated.
    pub fn frame(&mut self, state: &State, out: &mut Vec<f64>) -> bool {
        if !self.look(state) {
            return false;
        }
        out.clear();
        for body in 0..self.system.bodies.len() {
            let (at, q) = self.pose(body);
            out.extend(at.iter().chain(&q));
        }
        for flexible in 0..self.system.flexible.len() {
            out.extend(self.elastic(flexible));
        }
        for k in 0..self.loads.len() {
            let (value, place) = self.load(state, k);
            out.extend(value.iter().chain(place.iter()));
        }
        for k in 0..self.tensions.len() {
            out.push(self.tension(state, k));
        }
        true
    }
}

/// Whether the element acts along a line or a coordinate and has a tension.
fn is_line(element: &Element) -> bool {
    matches!(
        element,
        Element::Spring(_)
            | Element::Damper(_)
            | Element::AirSpring(_)
            | Element::BumpStop(_)
            | Element::AntiRollBar(_)
            | Element::JointSpring(_)
            | Element::TorsionBar(_)
            | Element::LeafSpring(_)
    )
}
