//! Tyre on a road: contact, slip with relaxation, standstill, twin tyres.
//!
//! # Frames
//!
//! Forces act at the contact point in the axes of [`contact`] (ISO 8855, W). V_x and V_sy are the velocities of the
//! wheel's centre along x and of the contact point along y, Ω the speed of the wheel about its axis, R_e the effective
//! rolling radius. Slip velocities: V_sx = V_x − R_e Ω and V_sy.
//!
//! # Law
//!
//! Normal force: stiffness and bottoming of the property file, plus damping, which increases over the first [`DAMPED`]
//! m of deflection and never pulls. Tangential forces and moments: the Magic Formula ([`crate::tyre`]) at the slips κ =
//! u/σ_κ and tan α = w/σ_α of the deflections u and w of the carcass, two states per tyre (first-order relaxation;
//! Pacejka, Tyre and Vehicle Dynamics, sections 7.2 and 8.6):
//!
//! ```text
//!     u̇ = −V_sx − |V_x| u/σ_κ − (1 − φ) (|V_sx| u/u_max + r(u)/T)
//!     ẇ =  V_sy − |V_x| w/σ_α − (1 − φ) (|V_sy| w/w_max + r(w)/T).
//! ```
//!
//! Steady rolling above the speed VXLOW of the file gives κ = −V_sx/|V_x|, tan α = V_sy/|V_x|. Below it φ = 3c² − 2c³
//! with c = |V_x|/VXLOW falls to 0: then the deflections are those of springs of stiffness K/σ for small ones that
//! slide at u_max = μ F_z σ/K, at most `DEEPEST` of the radius: relaxation lengths of files give a fully loaded carcass
//! as much as 0.1 m, with which a vehicle that stops would rock. At u_max the formula is evaluated at the slip 3 μ
//! F_z/K of a sliding brush; below, at a cubic of u. r is the part of u beyond u_max, T = `RETURN`: a locked wheel has
//! u = σ while the vehicle is fast. Dampers (ratio [`DAMPING`] for the load that the tyre carries) damp the vehicle at
//! rest, and the forces without slip (ply steer, conicity, rolling resistance) fade out. So a vehicle stops, remains on
//! a slope and starts again without switching between two models.
//!
//! With turn slip the contact patch is twisted too, by the angle t/R₀ about the normal n of the road, the third state:
//!
//! ```text
//!     ṫ = R₀ ω_n − |V_x| t/σ_φ − (1 − φ) (R₀ |ω_n| t/t_max + r(t)/T)      ω_n = ω·n − ε Ω sin γ,
//! ```
//!
//! with which the formula has the turn slip t/(R₀ σ_φ), rolling, and standing that of a torsion spring K_φ/σ_φ that
//! slides at M_∞ ([`crate::tyre`], `turn`), at a twist of 15° at the latest: over the angle ψ of a wheel that is
//! steered at one place t = t_max (1 − e^(−ψ R₀/t_max)), as of any bristle here, and once it rolls the torque is lost
//! over the length σ_φ.
//!
//! # Energy
//!
//! Potential: of the normal deflection. All other power from the wheel to the road counts as dissipated: slip, damping,
//! and the energy that the carcass stores and returns. A road height from an input moves the road; its work is not in
//! the balance.
//!
//! # Limits
//!
//! Without turn slip a steered wheel at rest has only the torque of the trail. No belt dynamics (the motion up to about
//! 8 Hz in the road's plane), a point contact, or two cams ([`enveloping`]). The relaxation lengths are kept above
//! [`SHORTEST`] m: with V_x = 40 m/s the states decay at 2000/s, which Runge-Kutta 4 takes at 1 ms.
//!
//! # Tests
//!
//! Below, with `check.rs`: balance of powers, steady slip, standstill, twin tyres, mirror;
//! tests/motion/vehicles/verification/mod.rs.

#![expect(non_snake_case, reason = "monogram notation of frames")]

pub mod contact;
pub mod enveloping;

use alloc::{string::String, sync::Arc};
use core::ops::Range;

use super::road::Road;
use super::{
    BodyIx, Coefficient, Connections, CoordinateIx, Direction, ForceElement, ForceLaw, Loads, Quantity, Surroundings,
    Tangent, Values,
};
use crate::math::elementary::atan;
use crate::math::scalar::{Scalar, lift};
use crate::math::{Vec3, at_least, larger, limited, maximum, minimum, quotient, within};
use crate::tyre::{Input, Law, Vertical, VerticalInput};
use contact::{Wheel, WheelContact};
pub use enveloping::Envelope;

/// Deflection over which the normal damping increases to its full value, m.
pub(crate) const DAMPED: f64 = 0.002;
/// Damping ratio of the tyre at standstill, longitudinal and lateral.
pub(crate) const DAMPING: f64 = 0.35;
/// Shortest relaxation length, m.
pub const SHORTEST: f64 = 0.02;
/// Time constant with which the carcass returns in the air, s.
pub const RETURN: f64 = 0.01;
/// Sliding begins at this multiple of μ F_z / K (brush model; Pacejka, section 3.2).
const SLIDING: f64 = 3.0;
/// A standing carcass slides at this part of the free radius, where relaxation length over slip stiffness would let it
/// go further.
const DEEPEST: f64 = 0.05;
/// A standing tyre slides about its normal at this part of the free radius, a twist of 15°, at the latest.
const TWISTED: f64 = 0.26;
/// Torque of twisting speed over torque of twist of a standing tyre, s.
const CALMED: f64 = 0.01;
/// Slip stiffnesses are at least this part of the largest force per slip: what a file extrapolates to nothing or below
/// would let a carcass go without end.
const SOFTEST: f64 = 1e-3;
/// Acceleration of gravity that turns the load into a mass for the damping, m/s².
const GRAVITY: f64 = 9.81;
/// Smallest distance from its range of camber that counts for a wheel off its tread, as a fraction of the range.
const OFF_TREAD: f64 = 0.5;

/// A tyre or a pair of twin tyres.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Tyre {
    /// Name in the model file.
    pub name: String,
    /// The wheel.
    pub wheel: BodyIx,
    /// Coordinate of its revolute joint.
    pub coordinate: CoordinateIx,
    /// Its centre in the wheel's frame, m.
    pub centre: Vec3,
    /// Its spin axis in the wheel's frame, to the left, unit length.
    pub axis: Vec3,
    /// World coordinates of the model's origin, m.
    pub origin: Vec3,
    /// The formula, for the side of the vehicle.
    pub law: Arc<Law>,
    /// The road.
    pub road: Arc<Road>,
    /// The cams with which it envelops short obstacles.
    pub envelope: Option<Envelope>,
    /// Distances of the tyres from the wheel's centre along the axis, m; the second only for twin tyres.
    pub offsets: [f64; 2],
    /// 1, or 2 for twin tyres.
    pub count: usize,
    /// Inflation pressure, Pa; 0: the pressure of the file.
    pub pressure: f64,
    /// Offset of the road height, m.
    pub road_height: Coefficient,
    /// Factor on the road's friction.
    pub friction: Coefficient,
    /// Its first state among the auxiliary states: u and w of every tyre of a pair, then with turn slip t of every one.
    pub first: usize,
    /// Its first place in [`Loads::patches`], one per tyre of a pair.
    pub patch: usize,
}

/// Quantities of a tyre for outputs. For twin tyres, forces and moments are sums about the middle of their contact
/// points, and the rest are means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TyreReadout<S = f64> {
    /// F_x, F_y, F_z, N.
    pub force: Vec3<S>,
    /// M_x, M_y, M_z, N m.
    pub torque: Vec3<S>,
    /// Contact point in W, m.
    pub contact: Vec3<S>,
    /// κ.
    pub longitudinal_slip: S,
    /// α, rad.
    pub slip_angle: S,
    /// γ, rad.
    pub camber: S,
    /// δ, m.
    pub deflection: S,
    /// R_l, m.
    pub loaded_radius: S,
}

/// One tyre on the road at one instant, from its deflection.
struct Touch<S = f64> {
    wheel: Wheel<S>,
    /// Speed about the spin axis, rad/s.
    rolling_spin: S,
    /// From the centre of the wheel, also for twin tyres.
    contact: WheelContact<S>,
    /// Velocity of the wheel at the contact point C, m/s.
    v_C_W: Vec3<S>,
    /// Fraction of the damping in effect, 0 to 1.
    reach: S,
    vertical: Vertical<S>,
    /// ∂(energy)/∂(cos γ) by the tread that leaves the road, J.
    tipping: S,
}

/// One tyre on the road at one instant, complete: the result of an evaluation of the loads, also used by outputs.
#[derive(Clone, Copy, Debug)]
pub struct Patch<S = f64> {
    contact: WheelContact<S>,
    /// Forces F_x, F_y, F_z, N.
    force: Vec3<S>,
    /// Moments M_x, M_y, M_z, N m.
    torque: Vec3<S>,
    /// κ and α.
    slips: [S; 2],
    /// Rates of u, w and t, m/s.
    rates: [S; 3],
    /// Deflections u, w and t of steady slip, m.
    steady: [S; 3],
    /// Elastic part of F_z, N, and its energy, J.
    elastic: [S; 2],
    /// ∂F_z/∂δ, N/m, and ∂F_z/∂δ̇, N s/m.
    normal: [S; 2],
    /// Couple about x by which the tread leaves the road, N m, in `torque` too.
    tipping: S,
}

impl Tyre {
    /// Speed about the spin axis, rad/s: the present speed, and approximately the speed of free rolling (effective
    /// radius R₀ − δ/3). None in the air.
    pub fn rolling_speeds(&self, s: &Surroundings) -> Option<[f64; 2]> {
        let body = s.body(self.wheel);
        let patch = (0..self.count).filter_map(|index| self.patch(s, index)).find(|patch| patch.elastic[0] > 0.0)?;
        let speed = patch.contact.axes[0].dot(&body.velocity.at(&body.point(&self.centre)));
        let radius = patch.contact.loaded_radius + 2.0 / 3.0 * patch.contact.deflection;
        Some([body.velocity.ang.dot(&(body.rotation * self.axis)), speed / radius])
    }

    /// Velocity of the contact point across the wheel, to the left, m/s. None in the air.
    pub fn lateral_speed(&self, s: &Surroundings) -> Option<f64> {
        let body = s.body(self.wheel);
        let patch = (0..self.count).filter_map(|index| self.patch(s, index)).find(|patch| patch.elastic[0] > 0.0)?;
        let p_oC_W = body.point(&self.centre) + patch.contact.arm;
        Some(patch.contact.axes[1].dot(&body.velocity.at(&p_oC_W)))
    }

    /// All quantities for outputs; zero for a wheel that lies flat.
    pub fn measure<S: Scalar>(&self, s: &Surroundings<S>) -> TyreReadout<S> {
        let patches = [0, 1].map(|index| (index < self.count).then(|| self.patch(s, index)).flatten());
        self.readout_of(s, patches.each_ref().map(Option::as_ref))
    }

    /// As above, from [`Loads::patches`] of the evaluation of the loads at this instant.
    pub fn evaluated_readout<S: Scalar>(&self, s: &Surroundings<S>, patches: &[Option<Patch<S>>]) -> TyreReadout<S> {
        let own = &patches[self.patch..][..self.count];
        self.readout_of(s, [0, 1].map(|index| own.get(index).and_then(Option::as_ref)))
    }

    /// Energy of the normal deflection, J, from the patches of the evaluation of the loads at this instant.
    pub fn evaluated_potential<S: Scalar>(&self, patches: &[Option<Patch<S>>]) -> S {
        patches[self.patch..][..self.count].iter().flatten().map(|patch| patch.elastic[1]).sum()
    }

    /// See [`Element::place_patches`](super::Element::place_patches).
    pub(crate) fn place_patches(&mut self, first: usize) -> usize {
        self.patch = first;
        first + self.count
    }

    fn readout_of<S: Scalar>(&self, s: &Surroundings<S>, patches: [Option<&Patch<S>>; 2]) -> TyreReadout<S> {
        let body = s.body(self.wheel);
        // M is the centre of the wheel.
        let p_WM = body.point(&self.centre) + body.reference + lift(&self.origin);
        let number = patches.iter().flatten().count();
        let mut readout = TyreReadout::default();
        if number == 0 {
            return readout;
        }
        // Mean of the tyres with contact; `middle` is the middle of their contact points from M.
        let share = S::from_f64(1.0 / number as f64);
        let middle: Vec3<S> = patches.iter().flatten().map(|patch| patch.contact.arm * share).sum();
        for patch in patches.iter().flatten() {
            // Moments of the forces about the middle, in the axes of each contact.
            let moment = (patch.contact.arm - middle).cross(&patch.in_world(&patch.force));
            readout.force += patch.force;
            readout.torque += patch.torque + Vec3::from(patch.contact.axes.map(|axis| axis.dot(&moment)));
            readout.contact += (p_WM + patch.contact.arm) * share;
            readout.longitudinal_slip += patch.slips[0] * share;
            readout.slip_angle += patch.slips[1] * share;
            readout.camber += patch.contact.camber * share;
            readout.deflection += patch.contact.deflection * share;
            readout.loaded_radius += patch.contact.loaded_radius * share;
        }
        readout
    }

    /// By how much its tyres with load are outside of the ranges of the file at most, in widths of the range
    /// ([`Law::beyond`]), from what the evaluation of the loads has left. A wheel off its tread is outside by half a
    /// range of its camber at least.
    pub fn beyond(&self, patches: &[Option<Patch>]) -> [f64; 4] {
        let own = patches.get(self.patch..).into_iter().flatten().take(self.count).flatten();
        own.filter(|patch| patch.force.z > 0.0).fold([0.0; 4], |worst, patch| {
            let mut excess = self.law.beyond(patch.force.z, patch.contact.camber, patch.slips);
            if patch.contact.tread[0] < 1.0 {
                excess[1] = larger(excess[1], OFF_TREAD);
            }
            [0, 1, 2, 3].map(|k| larger(worst[k], excess[k]))
        })
    }

    /// Contact and normal force of the tyre `index` of the pair; none for a wheel that lies flat.
    #[inline(always)]
    fn touch<S: Scalar>(&self, s: &Surroundings<S>, index: usize) -> Option<Touch<S>> {
        let body = s.body(self.wheel);
        // The wheel; T is the centre of this tyre, M the centre of the wheel.
        let e_W = body.rotation * lift(&self.axis);
        let p_MT_W = e_W * S::from_f64(self.offsets[index]);
        let p_oT_W = body.point(&self.centre) + p_MT_W;
        let spin = body.velocity.ang.dot(&e_W);
        let wheel = Wheel {
            centre: p_oT_W + body.reference + lift(&self.origin),
            axis: e_W,
            velocity: body.velocity.at(&p_oT_W),
            spin: body.velocity.ang,
            radius: self.law.free_radius(spin),
        };
        // Plane of contact, below the cams or below the wheel.
        let rise = s.value(&self.road_height);
        let mut contact = match &self.envelope {
            Some(envelope) if !self.road.is_plane() => envelope.contact(&self.road, rise, &wheel)?,
            _ => WheelContact::new(&self.road, rise, &wheel)?,
        };
        // For twin tyres the arm is from the wheel's centre.
        let v_C_W = wheel.velocity + wheel.spin.cross(&contact.arm);
        contact.arm += p_MT_W;
        // Normal force; the damping begins smoothly with the deflection.
        let input = VerticalInput { spin, gamma: contact.camber, pressure: self.pressure, ..Default::default() };
        let reach = within(contact.deflection / DAMPED, 0.0, 1.0);
        let reach = reach * reach * (S::from_f64(3.0) - reach * 2.0);
        let mut vertical = self.law.vertical(contact.deflection, reach * contact.rate, &input);
        // A wheel off its tread keeps the share w of force and energy.
        let [tread, change] = contact.tread;
        let mut tipping = S::zero();
        if tread < 1.0 {
            tipping = vertical.energy * change;
            let all = [&mut vertical.force, &mut vertical.elastic, &mut vertical.damping, &mut vertical.stiffness];
            all.into_iter().chain([&mut vertical.energy]).for_each(|part| *part *= tread);
        }
        Some(Touch { wheel, rolling_spin: spin, contact, v_C_W, reach, vertical, tipping })
    }

    /// Places of u, w and t of the tyre `index` of the pair among the auxiliary states; t only with turn slip.
    fn places(&self, index: usize) -> impl Iterator<Item = usize> + use<> {
        let (slips, spin) = (self.first + 2 * index, self.first + 2 * self.count + index);
        (slips..slips + 2).chain(self.law.turns().then_some(spin))
    }

    /// The tyre `index` of the pair; none for a wheel that lies flat.
    fn patch<S: Scalar>(&self, s: &Surroundings<S>, index: usize) -> Option<Patch<S>> {
        let Touch { wheel, rolling_spin: spin, contact, v_C_W, reach, vertical, tipping } = self.touch(s, index)?;
        // Deflections u, w and t of the carcass.
        let mut u = [S::zero(); 3];
        for (u, place) in u.iter_mut().zip(self.places(index)) {
            *u = s.auxiliary[place];
        }
        // In the air the carcass returns.
        if !(vertical.force > 0.0) {
            let rates = u.map(|u| -u / RETURN);
            let (zero, none) = (Vec3::zeros(), [S::zero(); 2]);
            let elastic = [vertical.elastic, vertical.energy];
            return Some(Patch {
                contact,
                force: zero,
                torque: zero,
                slips: none,
                rates,
                steady: [S::zero(); 3],
                elastic,
                normal: none,
                tipping: S::zero(),
            });
        }
        // Slip speeds along and across, with the effective rolling radius.
        let speed = contact.axes[0].dot(&wheel.velocity);
        let rolling = self.law.rolling(speed);
        let slow = S::one() - rolling.abs();
        let radius = self.law.effective_radius(vertical.force, spin, self.pressure);
        let slip_speeds = [radius * spin - speed, contact.axes[1].dot(&v_C_W)];
        // The formula at this load, camber and friction.
        let pressure = if self.pressure > 0.0 { self.pressure } else { self.law.pressure() };
        let input = Input {
            load: vertical.force,
            kappa: S::zero(),
            alpha: S::zero(),
            gamma: contact.camber,
            speed,
            pressure,
            friction: contact.friction * at_least(s.value(&self.friction), 0.0),
            rolling,
            turn_slip: S::zero(),
        };
        let mut prepared = self.law.prepare(&input);
        let grip = prepared.grip();
        let (mut slips, mut rates, mut steady) = ([S::zero(); 2], [S::zero(); 3], [S::zero(); 3]);
        // Relaxation: slip, rate and steady deflection of the carcass along x and y.
        let ground = Ground { speed: speed.abs(), slow };
        for k in 0..2 {
            let length = at_least(grip.relaxation[k], SHORTEST);
            let softest = grip.peak[k] * SOFTEST * vertical.force;
            let stiffness = at_least(maximum(grip.stiffness[k], softest), f64::MIN_POSITIVE);
            let largest = grip.peak[k] * SLIDING * vertical.force / stiffness;
            let damper = (vertical.force / GRAVITY / (stiffness * length)).sqrt() * (2.0 * DAMPING);
            let carcass = Carcass { length, largest, deepest: wheel.radius * DEEPEST, damper };
            [slips[k], rates[k], steady[k]] = carcass.slip(u[k], slip_speeds[k], &ground);
        }
        // Turn slip: the twist of the carcass about the normal.
        if self.law.turns() {
            let grip = prepared.spin_grip(&self.law);
            let length = at_least(grip.relaxation, SHORTEST);
            let carcass = Carcass {
                length,
                largest: quotient(grip.largest * SLIDING, grip.stiffness),
                deepest: S::from_f64(grip.radius * TWISTED),
                damper: S::from_f64(CALMED) / length,
            };
            let normal = &contact.axes[2];
            let spins = wheel.spin.dot(normal) - grip.camber_reduction * spin * wheel.axis.dot(normal);
            let turning: S;
            [turning, rates[2], steady[2]] = carcass.slip(u[2], spins * grip.radius, &ground);
            prepared = prepared.spinning(&self.law, turning);
        }
        // Forces and moments of the formula.
        let slip_angle = atan(slips[1]);
        let output = self.law.forces_at(&prepared, slips[0], slip_angle);
        let mut torque = Vec3::new(output.mx, output.my, output.mz);
        // −∂(energy)/∂γ: sin γ is e · n, so d(cos γ) = −sin γ/cos γ (ω × e) · n dt, and x = e × n / cos γ.
        let tipping = if tipping > 0.0 { tipping * wheel.axis.dot(&contact.axes[2]) } else { S::zero() };
        if tipping != 0.0 {
            torque.x += tipping;
        }
        Some(Patch {
            contact,
            force: Vec3::new(output.fx, output.fy, vertical.force),
            torque,
            slips: [slips[0], slip_angle],
            rates,
            steady,
            elastic: [vertical.elastic, vertical.energy],
            normal: [vertical.stiffness, reach * contact.tread[0] * self.law.damping()],
            tipping,
        })
    }
}

impl ForceLaw for Tyre {
    /// Adds the load on the wheel, its power, and the rates of the carcass. The result is stored among the patches.
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let body = s.body(self.wheel);
        let p_oM_W = body.point(&self.centre);
        for index in 0..self.count {
            let patch = self.patch(s, index);
            if let Some(place) = loads.patches.get_mut(self.patch + index) {
                *place = patch;
            }
            let Some(patch) = patch else {
                for k in self.places(index) {
                    loads.rates[k] = -s.auxiliary[k] / RETURN;
                }
                continue;
            };
            // Rates of the carcass.
            for (place, rate) in self.places(index).zip(patch.rates) {
                loads.rates[place] = rate;
            }
            // Wrench on the wheel at C; what its power does not store is dissipated.
            let p_oC_W = p_oM_W + patch.contact.arm;
            let (f_W, t_W) = (patch.in_world(&patch.force), patch.in_world(&patch.torque));
            loads.add_force(self.wheel, &p_oC_W, f_W);
            loads.add_torque(self.wheel, t_W);
            let power = f_W.dot(&body.velocity.at(&p_oC_W)) + t_W.dot(&body.velocity.ang);
            let mut stored = patch.elastic[0] * patch.contact.rate;
            if patch.tipping != 0.0 {
                stored -= patch.tipping * patch.contact.axes[0].dot(&body.velocity.ang);
            }
            loads.dissipated_power -= power + stored;
        }
    }

    /// Energy of the normal deflection, J.
    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        (0..self.count).filter_map(|index| self.touch(s, index)).map(|touch| touch.vertical.energy).sum()
    }

    fn read<S: Scalar>(&self, s: &Surroundings<S>, patches: &[Option<Patch<S>>], values: &mut Values<S>) {
        let readout = self.evaluated_readout(s, patches);
        values.set_own_vector(Quantity::Force, readout.force);
        values.set_own_vector(Quantity::Torque, readout.torque);
        values.set_vector(Quantity::ContactPoint, readout.contact);
        values.set(Quantity::LongitudinalSlip, readout.longitudinal_slip);
        values.set(Quantity::SlipAngle, readout.slip_angle);
        values.set(Quantity::Camber, readout.camber);
        values.set(Quantity::Deflection, readout.deflection);
        values.set(Quantity::LoadedRadius, readout.loaded_radius);
    }
}

impl ForceElement for Tyre {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        &[
            Quantity::Force,
            Quantity::Torque,
            Quantity::ContactPoint,
            Quantity::LongitudinalSlip,
            Quantity::SlipAngle,
            Quantity::Camber,
            Quantity::Deflection,
            Quantity::LoadedRadius,
        ]
    }

    /// Normal stiffness and damping against the ground.
    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let body = s.body(self.wheel);
        for patch in (0..self.count).filter_map(|index| self.patch(s, index)) {
            let p_oC_W = body.point(&self.centre) + patch.contact.arm;
            let p_oC_ground_W = p_oC_W + body.reference - s.body(BodyIx(0)).reference;
            let direction = Direction::force([BodyIx(0), self.wheel], &[p_oC_ground_W, p_oC_W], &patch.contact.axes[2]);
            let [stiffness, damping] = patch.normal;
            visit(&Tangent { direction, stiffness, damping });
        }
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies([self.wheel]);
        list.add_coefficients([self.road_height, self.friction]);
    }

    /// u and w of every tyre, and t.
    fn states(&self) -> Range<usize> {
        self.first..self.first + (2 + usize::from(self.law.turns())) * self.count
    }

    /// The deflection of a carcass is some centimetres.
    fn state_size(&self) -> (&'static str, f64) {
        ("m", 0.01)
    }

    /// Carcass deflections of steady slip; zero for a vehicle at rest.
    fn settle(&self, s: &Surroundings, auxiliary: &mut [f64]) {
        for index in 0..self.count {
            let steady = self.patch(s, index).map_or([0.0; 3], |patch| patch.steady);
            self.places(index).zip(steady).for_each(|(place, steady)| auxiliary[place] = steady);
        }
    }

    fn place_states(&mut self, first: usize) {
        self.first = first;
    }
}

/// Motion of a tyre over the ground.
struct Ground<S> {
    /// |V_x|, m/s.
    speed: S,
    /// 1 − φ.
    slow: S,
}

/// One deflection of the carcass: along, across, or about the normal.
struct Carcass<S> {
    /// Relaxation length, m.
    length: S,
    /// Slip of a sliding brush, at which a standing tyre slides.
    largest: S,
    /// A standing carcass slides at this deflection at the latest, m.
    deepest: S,
    /// Slip over slip speed of the damper of a standing tyre, s/m.
    damper: S,
}

impl<S: Scalar> Carcass<S> {
    /// Slip, rate and deflection of steady slip, at the deflection `u` (m) and the slip speed (m/s).
    #[inline(always)]
    fn slip(&self, u: S, slip_speed: S, ground: &Ground<S>) -> [S; 3] {
        let Carcass { length, largest, .. } = *self;
        let Ground { speed, slow } = *ground;
        // The deflection of a spring with the same force, at most the limit of a carcass, and the excess.
        let carried = minimum(largest / SLIDING * length, self.deepest);
        let sliding = quotient(slow * slip_speed.abs(), carried);
        let beyond = u - limited(u, carried);
        let rate = slip_speed - (speed / length + sliding) * u - slow * beyond / RETURN;
        let steady = if slow < 1.0 { length * slip_speed * (S::one() - slow) / speed } else { S::zero() };
        let damped = slow * limited(self.damper * slip_speed, largest);
        let standing = standing_slip(u, carried, largest, length);
        [u / length * (S::one() - slow) + slow * standing + damped, rate, steady]
    }
}

/// The slip at which the formula is evaluated for a carcass at rest with the deflection `u`, m: as for a spring at
/// small deflections, `largest` where it slides, at `carried` m.
fn standing_slip<S: Scalar>(u: S, carried: S, largest: S, length: S) -> S {
    let size = u.abs();
    if size >= carried {
        let slip = maximum(largest, size / length);
        return if u.value().is_sign_negative() { -slip } else { slip };
    }
    let share = size / carried;
    (u / length) * ((largest * length / carried - 1.0) * share * share + 1.0)
}

impl<S: Scalar> Default for TyreReadout<S> {
    /// Zeros.
    fn default() -> Self {
        let (vector, zero) = (Vec3::zeros(), S::zero());
        TyreReadout {
            force: vector,
            torque: vector,
            contact: vector,
            longitudinal_slip: zero,
            slip_angle: zero,
            camber: zero,
            deflection: zero,
            loaded_radius: zero,
        }
    }
}

impl<S: Scalar> Patch<S> {
    /// Every number the same.
    pub(crate) fn repeat(value: S) -> Self {
        let (vector, pair) = (Vec3::repeat(value), [value; 2]);
        Patch {
            contact: WheelContact {
                arm: vector,
                axes: [vector; 3],
                deflection: value,
                rate: value,
                loaded_radius: value,
                camber: value,
                friction: value,
                tread: pair,
            },
            force: vector,
            torque: vector,
            slips: pair,
            rates: [value; 3],
            steady: [value; 3],
            elastic: pair,
            normal: pair,
            tipping: value,
        }
    }

    /// Components along the axes of the contact as a vector in world axes.
    fn in_world(&self, components: &Vec3<S>) -> Vec3<S> {
        let [x, y, z] = &self.contact.axes;
        x * components.x + y * components.y + z * components.z
    }
}
