//! Excess of a tyre's operating conditions over the measured ranges of its file.

use super::law::Law;

/// A tyre with less than this fraction of its nominal load is ignored, because it carries almost no force at any slip.
const MIN_LOAD_FRACTION: f64 = 0.1;

/// Quantity with a range in the file.
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
    /// All quantities.
    pub const ALL: [Ranged; 4] = [Ranged::Load, Ranged::Camber, Ranged::LongitudinalSlip, Ranged::SlipAngle];

    /// Description.
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
    /// Excess of each of [`Ranged::ALL`] over its range, as a fraction of the width of the range; 0 inside. The lower
    /// end of the load range is no limit, because a wheel that lifts off passes it. The range of loads grows with the
    /// nominal load, by `LFZO`.
    ///
    /// * `load`: N, of a wheel on the road; `camber` and `slips` (κ, α): in the axes of the vehicle, rad
    pub fn beyond(&self, load: f64, camber: f64, slips: [f64; 2]) -> [f64; 4] {
        let c = &self.c;
        if !(load >= MIN_LOAD_FRACTION * c.fnomin) {
            return [0.0; 4];
        }
        // A change of side or of rolling direction changes the signs of angles.
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
