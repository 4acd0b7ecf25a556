//! Cable over points of several bodies, with one tension along its whole length.
//!
//! # Law
//!
//! The cable runs in straight sections between n points, each fixed in a body, and slides in the points without
//! friction. With the number of strands w_j of section j (0: the section does not belong to the cable), its length and
//! its rate are
//!
//! ```text
//!     l = Σ w_j |r_j|,    l̇ = Σ w_j u_j · (v_j+1 − v_j),        r_j: from point j to point j + 1, u_j = r_j / |r_j|
//! ```
//!
//! With e = l − l₀ the tension is
//!
//! ```text
//!     T = k e + c l̇ + gain · value,   within the limits
//! ```
//!
//! A cable that acts only in tension has k e + c l̇ = 0 where e ≤ 0 or the sum is negative; one that acts only in
//! compression where e ≥ 0 or the sum is positive. Each section pulls its two points together with the force w_j T.
//!
//! # Energy
//!
//! Potential ½ k e² where the cable acts. Dissipated power c l̇², or the part of k e l̇ that is released and not
//! returned. Input power: the rest.
//!
//! # Limits
//!
//! The points guide the cable; it does not wrap around surfaces. A section of zero length has no direction and no
//! force. Implicit schemes treat the tension implicitly for up to three bodies.
//!
//! # Tests
//!
//! Below, with `check.rs`: gradient, balance of powers, action = reaction, invariances, a tackle by hand, tangents.

use super::line::Line;
use super::{
    BodyIx, Coefficient, Connections, Direction, ForceElement, ForceLaw, Loads, Marker, Quantity, SpringReadout,
    Surroundings, Tangent,
};
use crate::math::scalar::Scalar;
use crate::math::spatial::Wrench;
use alloc::{string::String, vec::Vec};

/// Cable over points.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Cable {
    /// Name in the model file.
    pub name: String,
    /// The points, at least two.
    pub points: Vec<Marker>,
    /// w: strands of each section, one fewer than the points.
    pub strands: Vec<f64>,
    /// The sense in which spring and damper act.
    pub acts: CableSense,
    /// k, N/m.
    pub stiffness: Coefficient,
    /// c, N s/m.
    pub damping: Coefficient,
    /// l₀, m.
    pub free_length: Coefficient,
    /// Additional tension before the gain, N.
    pub value: Coefficient,
    /// Its gain.
    pub gain: Coefficient,
    /// Smallest and largest tension, N.
    pub limits: [Option<Coefficient>; 2],
}

/// Sense in which spring and damper of a cable act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum CableSense {
    /// Only in tension: a rope.
    Tension,
    /// Only in compression: a stop at the shortest length.
    Compression,
    /// Both.
    Both,
}

/// Parts of the tension.
struct Tension<S> {
    elastic: S,
    damping: S,
    /// With the additional tension, within the limits.
    total: S,
    /// Whether no limit applies.
    free: bool,
}

impl Cable {
    /// Section number `j`: its line and strands.
    fn section<S: Scalar>(&self, s: &Surroundings<S>, j: usize) -> (Line<S>, [Marker; 2], f64) {
        let ends = [self.points[j], self.points[j + 1]];
        (Line::between(&ends, s), ends, self.strands[j])
    }

    /// Length and its rate.
    fn motion<S: Scalar>(&self, s: &Surroundings<S>) -> (S, S) {
        let mut sums = (S::zero(), S::zero());
        for j in 0..self.strands.len() {
            let (line, _, strands) = self.section(s, j);
            sums = (sums.0 + line.length * strands, sums.1 + line.speed * strands);
        }
        sums
    }

    /// Whether the spring acts at the elongation e.
    fn acts_at<S: Scalar>(&self, e: S) -> bool {
        match self.acts {
            CableSense::Tension => e > 0.0,
            CableSense::Compression => e < 0.0,
            CableSense::Both => true,
        }
    }

    fn tension<S: Scalar>(&self, s: &Surroundings<S>, length: S, speed: S) -> Tension<S> {
        let e = length - s.value(&self.free_length);
        let (mut elastic, mut damping) = (S::zero(), S::zero());
        if self.acts_at(e) {
            (elastic, damping) = (s.value(&self.stiffness) * e, s.value(&self.damping) * speed);
            let sum = elastic + damping;
            let reversed = match self.acts {
                CableSense::Tension => sum < 0.0,
                CableSense::Compression => sum > 0.0,
                CableSense::Both => false,
            };
            if reversed {
                damping = -elastic;
            }
        }
        let total = elastic + damping + s.value(&self.gain) * s.value(&self.value);
        let [least, most] = &self.limits;
        let below = least.as_ref().map(|least| s.value(least)).filter(|least| total < *least);
        let above = most.as_ref().map(|most| s.value(most)).filter(|most| total > *most);
        let limited = below.or(above);
        Tension { elastic, damping, total: limited.unwrap_or(total), free: limited.is_none() }
    }
}

impl ForceLaw for Cable {
    /// Adds the tension at all points, and the powers.
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let (length, speed) = self.motion(s);
        let tension = self.tension(s, length, speed);
        for j in 0..self.strands.len() {
            let (line, ends, strands) = self.section(s, j);
            line.add_tension(&ends, tension.total * strands, loads);
        }
        loads.dissipated_power += tension.damping * speed;
        loads.input_power += (tension.elastic + tension.damping - tension.total) * speed;
    }

    /// Stored energy, J; zero at the free length.
    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let e = self.motion(s).0 - s.value(&self.free_length);
        if self.acts_at(e) { s.value(&self.stiffness) * e * e * 0.5 } else { S::zero() }
    }

    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let (length, speed) = self.motion(s);
        SpringReadout { length, speed, force: self.tension(s, length, speed).total }
    }
}

impl ForceElement for Cable {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_SPRINGS
    }

    /// k and c along the whole cable, for up to three bodies; across each section the tension turns with it.
    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let (length, speed) = self.motion(s);
        let tension = self.tension(s, length, speed);
        let mut ends: [(BodyIx, Wrench); 3] = [(BodyIx(0), Wrench::zero()); 3];
        let (mut count, mut fits) = (0, true);
        for j in 0..self.strands.len() {
            let (line, markers, strands) = self.section(s, j);
            line.visit_tangents(&markers, [0.0, 0.0, strands * tension.total], visit);
            for (marker, (r, sense)) in markers.iter().zip(line.ends.iter().zip([-strands, strands])) {
                let wrench = Wrench::at(r, line.direction * sense);
                match ends[..count].iter_mut().find(|end| end.0 == marker.body) {
                    Some(end) => end.1 += wrench,
                    None if count < 3 => {
                        ends[count] = (marker.body, wrench);
                        count += 1;
                    }
                    None => fits = false,
                }
            }
        }
        let acts = fits && tension.free && self.acts_at(length - s.value(&self.free_length));
        let direction = match count {
            2 => Direction::Bodies([ends[0].0, ends[1].0], [ends[0].1, ends[1].1]),
            3 => Direction::Three(ends.map(|end| end.0), ends.map(|end| end.1)),
            _ => return,
        };
        if acts {
            visit(&Tangent { direction, stiffness: s.value(&self.stiffness), damping: s.value(&self.damping) });
        }
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies(self.points.iter().map(|point| point.body));
        list.add_coefficients([self.stiffness, self.damping, self.free_length, self.value, self.gain]);
        list.add_coefficients(self.limits.iter().flatten().copied());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::Element;
    use crate::math::Vec3;

    fn at(body: usize, x: f64, y: f64, z: f64) -> Marker {
        Marker { body: BodyIx(body), point: Vec3::new(x, y, z) }
    }

    fn cable(acts: CableSense) -> Cable {
        let number = Coefficient::Value;
        Cable {
            name: "rope".into(),
            points: vec![at(0, 0.5, 0.2, 0.1), at(1, 0.3, -0.2, 0.5), at(2, -0.4, 0.1, 0.2), at(1, -0.1, 0.6, 0.0)],
            strands: vec![1.0, 2.0, 0.5],
            acts,
            stiffness: number(80.0),
            damping: number(6.0),
            free_length: number(6.0),
            value: number(3.0),
            gain: number(2.0),
            limits: [None; 2],
        }
    }

    #[test]
    fn force_is_the_negative_gradient_and_powers_balance() {
        for acts in [CableSense::Tension, CableSense::Compression, CableSense::Both] {
            let passive = Cable { value: Coefficient::Value(0.0), ..cable(acts) };
            elements::force_is_the_negative_gradient(&Element::Cable(passive.clone().into()));
            elements::dissipates(&Element::Cable(passive.into()));
            let limits = [Some(Coefficient::Value(-20.0)), Some(Coefficient::Value(40.0))];
            elements::powers_balance(&Element::Cable(cable(acts).into()));
            elements::powers_balance(&Element::Cable(Cable { limits, ..cable(acts) }.into()));
        }
    }

    #[test]
    fn action_equals_reaction_and_nothing_depends_on_frames() {
        let element = Element::Cable(cable(CableSense::Both).into());
        elements::action_equals_reaction(&element);
        elements::independent_of_reference_points(&element);
    }

    #[test]
    fn tackle_lifts_with_the_force_of_all_strands() {
        // From the ceiling down to the load, up over a pulley on the ceiling, and down to the hand.
        let number = Coefficient::Value;
        let tackle = Cable {
            points: vec![at(0, 0.0, 0.0, 2.0), at(1, 0.0, 0.0, 0.0), at(0, 0.0, 0.0, 2.0), at(0, 0.0, 0.0, 1.0)],
            strands: vec![1.0, 1.0, 1.0],
            acts: CableSense::Tension,
            stiffness: number(0.0),
            damping: number(0.0),
            value: number(50.0),
            gain: number(1.0),
            ..cable(CableSense::Tension)
        };
        let mut scene = Scene::at_rest();
        scene.bodies[1].velocity.lin = Vec3::new(0.0, 0.0, -0.25);
        let loads = scene.loads(&Element::Cable(tackle.clone().into()));
        elements::close_vector(&loads.wrenches[1].force, &Vec3::new(0.0, 0.0, 100.0), 1e-12);
        elements::close(loads.input_power, -25.0, 1e-12);
        let readout = tackle.readout(&scene.surroundings());
        assert_eq!((readout.length, readout.speed, readout.force), (5.0, 0.5, 50.0));
    }

    #[test]
    fn rope_is_slack_below_its_length_and_never_pushes() {
        let rope = Cable { value: Coefficient::Value(0.0), ..cable(CableSense::Tension) };
        let (mut slack, mut cut) = (0, 0);
        for seed in 0..300 {
            let scene = Scene::random(seed);
            let readout = rope.readout(&scene.surroundings());
            assert!(readout.force >= 0.0);
            slack += usize::from(readout.length < 6.0);
            cut += usize::from(readout.length > 6.0 && readout.force == 0.0);
        }
        assert!(slack > 10 && cut > 3, "{slack} slack, {cut} cut");
    }

    #[test]
    fn tangents_of_the_length_are_those_of_the_tension() {
        let cable = Cable { strands: vec![1.0, 2.0, 0.0], ..cable(CableSense::Both) };
        for seed in 0..20 {
            let scene = Scene::random(seed);
            let (mut sum, speed) = (0.0, cable.readout(&scene.surroundings()).speed);
            cable.visit_tangents(&scene.surroundings(), &mut |tangent| {
                let rate = tangent.direction.speed(&scene.bodies, &scene.v);
                sum += tangent.damping * rate * rate;
            });
            elements::close(sum, 6.0 * speed * speed, 1e-11 * (1.0 + sum));
        }
    }
}
