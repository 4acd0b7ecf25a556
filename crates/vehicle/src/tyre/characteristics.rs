//! Characteristics for the comparison of tyres, at one load.

use super::{Point, Tyre};
use ballesta::tyre::VerticalInput;
use serde::Serialize;

/// Samples of a curve before its peak is refined.
const SAMPLES: usize = 400;
/// Number of golden-section steps for a peak; 1e-8 of the bracket remains.
const REFINEMENTS: usize = 40;
/// Step of the differences for stiffnesses and trail, rad.
const STEP: f64 = 1e-5;
/// Largest slip of the friction search: a locked wheel.
const MAX_SLIP: f64 = 1.0;
/// Largest slip angle of the tyre law, rad.
const MAX_SLIP_ANGLE: f64 = 1.5;

/// Friction for one sign of one slip, at zero camber and without the other slip.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Friction {
    /// Largest force over load.
    pub peak: f64,
    /// Slip at the largest force: κ, or α in rad.
    pub peak_slip: f64,
    /// Whether the force decreases beyond the peak; otherwise it rises to the end of the range.
    pub falls: bool,
    /// Force over load at the end of the range.
    pub sliding: f64,
    /// End of the range, at most κ = ±1.
    pub sliding_slip: f64,
}

/// A tyre at one load, at zero camber, rolling at `LONGVL`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Characteristics {
    /// Load, N.
    pub load_n: f64,
    /// Deflection at standstill, m.
    pub deflection_m: f64,
    /// Height of the wheel centre at standstill, m.
    pub loaded_radius_m: f64,
    /// Speed over spin without longitudinal slip, m.
    pub effective_radius_m: f64,
    /// Slope of the load over the deflection, N/m.
    pub vertical_stiffness_n_per_m: f64,
    /// κ > 0; `None` if the file disables Fx.
    pub driving: Option<Friction>,
    /// κ < 0.
    pub braking: Option<Friction>,
    /// α > 0, force to the right; `None` if the file disables Fy.
    pub alpha_positive: Option<Friction>,
    /// α < 0, force to the left.
    pub alpha_negative: Option<Friction>,
    /// ∂Fx/∂κ, N.
    pub longitudinal_stiffness_n: f64,
    /// −∂Fy/∂α, N/rad.
    pub cornering_stiffness_n_per_rad: f64,
    /// −∂Fy/∂γ without slip, N/rad: positive if a tyre that leans to the right is pushed to the right.
    pub camber_stiffness_n_per_rad: f64,
    /// −∂Mz/∂α over ∂Fy/∂α without slip, m.
    pub pneumatic_trail_m: Option<f64>,
    /// σκ, m.
    pub relaxation_length_kappa_m: f64,
    /// σα, m.
    pub relaxation_length_alpha_m: f64,
    /// −My over load and free radius, without slip.
    pub rolling_resistance: f64,
}

/// Changes the slip or slip angle of a point.
type Change = fn(&mut Point, f64);

impl Tyre {
    /// Characteristics of the tyre at a point without slip.
    pub fn characteristics(&self, point: &Point) -> Characteristics {
        let (properties, input) = (&self.properties, self.input(point));
        let (load, c) = (input.load, &properties.coefficients);
        // Central differences of force and moment.
        let at = |change: Change, by: f64| {
            let mut point = *point;
            change(&mut point, by);
            self.output(&point)
        };
        let slope = |change: Change| {
            let (below, above) = (at(change, -STEP), at(change, STEP));
            [above.fy - below.fy, above.mz - below.mz].map(|difference| difference / (2.0 * STEP))
        };
        let [fy_by_alpha, mz_by_alpha] = slope(|point, by| point.alpha += by);
        let [fy_by_camber, _] = slope(|point, by| point.camber += by);
        // Largest force relative to the load, in each direction in which the law acts.
        let friction = |acts: bool, end: f64, change: Change, along: bool| {
            let force = |slip: f64| {
                let output = at(change, slip);
                let force = if along { output.fx } else { -output.fy };
                force * end.signum() / load
            };
            acts.then(|| friction(end, force))
        };
        let along: Change = |point, slip| point.kappa = slip;
        let across: Change = |point, slip| point.alpha = slip;
        let [least, most] = self.alpha_range().map(|end| end.clamp(-MAX_SLIP_ANGLE, MAX_SLIP_ANGLE));
        // Vertical deflection at the load, without rotation.
        let straight = self.output(point);
        let deflection = self.law.static_deflection(load, input.pressure);
        let vertical = VerticalInput { pressure: input.pressure, ..VerticalInput::default() };
        Characteristics {
            load_n: load,
            deflection_m: deflection,
            loaded_radius_m: c.q_re0 * c.unloaded_radius - deflection,
            effective_radius_m: self.effective_radius(load, input.speed, input.pressure),
            vertical_stiffness_n_per_m: self.law.vertical(deflection, 0.0, &vertical).stiffness,
            driving: friction(properties.mode.acts[0], c.kpumax.min(MAX_SLIP), along, true),
            braking: friction(properties.mode.acts[0], c.kpumin.max(-MAX_SLIP), along, true),
            alpha_positive: friction(properties.mode.acts[1], most, across, false),
            alpha_negative: friction(properties.mode.acts[1], least, across, false),
            longitudinal_stiffness_n: straight.kx,
            cornering_stiffness_n_per_rad: straight.ky,
            camber_stiffness_n_per_rad: -fy_by_camber,
            pneumatic_trail_m: (fy_by_alpha != 0.0).then(|| -mz_by_alpha / fy_by_alpha),
            relaxation_length_kappa_m: straight.sigma_kappa,
            relaxation_length_alpha_m: straight.sigma_alpha,
            rolling_resistance: -straight.my / (load * c.unloaded_radius),
        }
    }

    /// Effective rolling radius at a speed, for the spin of free rolling.
    pub(super) fn effective_radius(&self, load: f64, speed: f64, pressure: f64) -> f64 {
        let spin_at = |radius: f64| if radius > 0.0 { speed / radius } else { 0.0 };
        let mut radius = self.properties.coefficients.unloaded_radius;
        // The radius grows by some thousandths with the spin: each iteration gains three digits.
        for _ in 0..8 {
            radius = self.law.effective_radius(load, spin_at(radius), pressure);
        }
        radius
    }
}

/// Peak and end value of the force over load `force` for slips from 0 to `end`.
fn friction(end: f64, force: impl Fn(f64) -> f64) -> Friction {
    // Finer near zero, where stiff tyres have their peak.
    let slip = |i: usize| {
        let part = i as f64 / SAMPLES as f64;
        end * part * part
    };
    let sliding = force(end);
    let (mut best, mut peak) = (0, f64::NEG_INFINITY);
    for i in 0..=SAMPLES {
        let value = force(slip(i));
        if value > peak {
            (best, peak) = (i, value);
        }
    }
    let (mut low, mut high) = (slip(best.saturating_sub(1)), slip((best + 1).min(SAMPLES)));
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..REFINEMENTS {
        let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
        if force(left) > force(right) {
            high = right;
        } else {
            low = left;
        }
    }
    let mut peak_slip = 0.5 * (low + high);
    let refined = force(peak_slip);
    if refined > peak {
        peak = refined;
    } else {
        peak_slip = slip(best);
    }
    Friction { peak, peak_slip, falls: sliding < peak * (1.0 - 1e-9), sliding, sliding_slip: end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_of_a_sine_is_found_and_a_line_has_none() {
        let found = friction(-2.0, |slip| -f64::sin(1.7 * slip));
        let exact = std::f64::consts::FRAC_PI_2 / 1.7;
        assert!((found.peak - 1.0).abs() < 1e-14 && (found.peak_slip + exact).abs() < 1e-7, "{found:?}");
        assert!(found.falls && found.sliding == f64::sin(3.4) && found.sliding_slip == -2.0, "{found:?}");
        let line = friction(0.5, |slip| 2.0 * slip);
        assert!(!line.falls && line.peak == 1.0 && line.peak_slip == 0.5, "{line:?}");
    }
}
