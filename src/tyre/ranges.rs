//! How far a tyre runs outside of what its file was measured for.

use super::law::Law;

/// A tyre with less than this part of its nominal load does not count: it carries next to nothing, whatever its slip.
const LIGHT: f64 = 0.1;

/// What a file gives a range of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranged {
    /// Load, `FZMAX`.
    Load,
    /// Inclination angle, `CAMMIN` and `CAMMAX`.
    Camber,
    /// Longitudinal slip, `KPUMIN` and `KPUMAX`.
    LongitudinalSlip,
    /// Slip angle, `ALPMIN` and `ALPMAX`.
    SlipAngle,
}

impl Ranged {
    /// All of them.
    pub const ALL: [Ranged; 4] = [Ranged::Load, Ranged::Camber, Ranged::LongitudinalSlip, Ranged::SlipAngle];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Ranged::Load => "load (FZMAX)",
            Ranged::Camber => "camber (CAMMIN, CAMMAX)",
            Ranged::LongitudinalSlip => "longitudinal slip (KPUMIN, KPUMAX)",
            Ranged::SlipAngle => "slip angle (ALPMIN, ALPMAX)",
        }
    }
}

impl Law {
    /// By how much each of [`Ranged::ALL`] is outside of its range, in widths of the range; 0 inside. The lower end of
    /// loads is no limit: a wheel that lifts passes it. The range of loads grows with the nominal load, by `LFZO`.
    ///
    /// * `load`: N, of a wheel on the road; `camber` and `slips` (κ, α): in the axes of the vehicle, rad
    pub fn beyond(&self, load: f64, camber: f64, slips: [f64; 2]) -> [f64; 4] {
        let c = &self.c;
        if !(load >= LIGHT * c.fnomin) {
            return [0.0; 4];
        }
        // Left and right, forward and backward exchange the signs of angles.
        let outside = |value: f64, least: f64, most: f64| {
            let (reach, width) = (crate::math::larger(-least, most), most - least);
            if width > 0.0 { (value.abs() - reach).max(0.0) / width } else { 0.0 }
        };
        let most = c.fzmax * c.lfzo;
        [
            if most > 0.0 { (load / most - 1.0).max(0.0) } else { 0.0 },
            outside(camber, c.cammin, c.cammax),
            outside(slips[0], c.kpumin, c.kpumax),
            outside(slips[1], c.alpmin, c.alpmax),
        ]
    }
}
