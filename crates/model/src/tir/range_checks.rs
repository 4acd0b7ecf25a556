//! Values of a file that make a radius, a stiffness or a divisor of the laws non-positive over the range of use.
//!
//! Loads go up to `FZMAX` or twice `FNOMIN`, speeds up to [`SPEEDS`] times `LONGVL`. The laws limit values that only
//! the pressure, Fx, Fy or loads far from the nominal load make non-positive; these get a note.

use ballesta_solver::tyre::{Coefficients, Law, VerticalInput};

/// Largest speed as a multiple of `LONGVL`.
const SPEEDS: f64 = 5.0;
/// Largest inclination angle for the stiffness, rad.
const CAMBER: f64 = 0.2;
/// Number of loads and deflections that are checked.
const SAMPLES: u32 = 50;
/// Smallest fraction of the nominal load at which the carcass is checked.
const MIN_LOAD_FRACTION: f64 = 0.5;

/// Relative rounding of the radii.
const ROUNDING: f64 = 1e-12;

/// A value of a file that is impossible for a tyre.
pub(super) struct Finding {
    /// Keys that cause it: the message names the first of these in the file.
    pub keys: &'static [&'static str],
    pub found: String,
    pub expected: &'static str,
}

fn finding(keys: &'static [&'static str], found: impl Into<String>, expected: &'static str) -> Finding {
    Finding { keys, found: found.into(), expected }
}

fn parts() -> impl Iterator<Item = f64> {
    (1..=SAMPLES).map(|part| f64::from(part) / f64::from(SAMPLES))
}

/// Values with which the laws cannot be evaluated: errors of the file.
pub(super) fn errors(law: &Law, c: &Coefficients) -> Vec<Finding> {
    let mut found = signs(c);
    found.extend(radii(law, c));
    found.extend(stiffnesses(law, c));
    found
}

/// Values that have one sign.
fn signs(c: &Coefficients) -> Vec<Finding> {
    let positive = "write a positive number, or remove the key";
    // Quantities that are physically not negative.
    let negative: [(&'static [&'static str], f64); 11] = [
        (&["rim_radius"], c.rim_radius),
        (&["bottoming_radius"], c.bottoming_radius),
        (&["bottom_stiff"], c.bottom_stiff),
        (&["inflpres"], c.inflpres),
        (&["nompres"], c.nompres),
        (&["vertical_damping"], c.vertical_damping),
        (&["longitudinal_stiffness"], c.longitudinal_stiffness),
        (&["lateral_stiffness"], c.lateral_stiffness),
        (&["lsgkp"], c.lsgkp),
        (&["lsgal"], c.lsgal),
        (&["pty2"], c.pty2),
    ];
    let signs = negative.into_iter().filter(|(_, value)| *value < 0.0);
    let mut findings: Vec<Finding> =
        signs.map(|(keys, value)| finding(keys, format!("the value {value} is negative"), positive)).collect();
    // The slip stiffness needs a positive sign, which PKY1 and its factor share.
    if c.pky1 < 0.0 && c.lky <= 0.0 {
        findings.push(finding(&["lky"], format!("the factor {} of PKY1 is not positive", c.lky), positive));
    }
    // The law is evaluated about zero slip and camber.
    let ranges: [(&'static [&'static str], f64, f64); 3] = [
        (&["kpumin", "kpumax"], c.kpumin, c.kpumax),
        (&["alpmin", "alpmax"], c.alpmin, c.alpmax),
        (&["cammin", "cammax"], c.cammin, c.cammax),
    ];
    for (keys, least, most) in ranges.into_iter().filter(|(_, least, most)| *least > 0.0 || *most < 0.0) {
        findings.push(finding(
            keys,
            format!("the range from {least} to {most} does not include 0"),
            "write a range that \
                                                                                            includes 0",
        ));
    }
    findings
}

/// The free, the loaded and the effective radius, and the distance to the rim.
fn radii(law: &Law, c: &Coefficients) -> Vec<Finding> {
    let mut findings = Vec::new();
    let free = law.free_radius(0.0);
    // The static deflection at the nominal load is the reference for the radii.
    let deflection = law.static_deflection(c.fnomin, 0.0);
    if !(free > 0.0) {
        let expected = "write 1; UNLOADED_RADIUS is the free radius";
        return vec![finding(&["q_re0"], format!("the free radius is {free} m"), expected)];
    }
    if !(free - deflection > 0.0) {
        let what = format!("the radius under FNOMIN is {} m: {free} m less {deflection} m", free - deflection);
        let keys: &[&str] =
            if c.q_re0 < 0.5 { &["q_re0"] } else { &["q_fz1", "vertical_stiffness", "unloaded_radius"] };
        return vec![finding(keys, what, "a larger radius or stiffness")];
    }
    let speeds = parts().map(|part| part * SPEEDS * c.longvl);
    let of_speed = |speed: f64| law.free_radius(speed / c.unloaded_radius);
    // Growth with the wheel speed (Q_V1) must not be negative enough to consume the radius.
    if let Some(speed) = speeds.into_iter().find(|speed| !(of_speed(*speed) > deflection)) {
        let what = format!("the radius under FNOMIN is not positive at {speed} m/s");
        findings.push(finding(&["q_v1"], what, "a smaller change of the radius"));
    }
    // The effective rolling radius must be positive up to the largest load, and at most the free radius.
    let most = c.fzmax.min(2.0 * c.fnomin);
    if let Some(load) = parts().map(|part| part * most).find(|load| !(law.effective_radius(*load, 0.0, 0.0) > 0.0)) {
        let what = format!("the effective rolling radius is not positive at a load of {load} N");
        findings.push(finding(&["freff", "dreff", "breff", "vertical_stiffness"], what, "smaller values"));
    }
    let rolling = law.effective_radius(c.fnomin, 0.0, 0.0);
    if rolling > free * (1.0 + ROUNDING) {
        let what = format!("the effective rolling radius at FNOMIN, {rolling} m, exceeds the free radius, {free} m");
        let keys: &'static [&'static str] = match c.dreff * c.breff < 0.0 {
            true if c.dreff < 0.0 => &["dreff", "breff"],
            true => &["breff"],
            false => &["freff"],
        };
        findings.push(finding(keys, what, "values with DREFF atan(BREFF) + FREFF ≥ 0"));
    }
    // The rim and the bottoming radius must be inside the free radius.
    if !(c.rim_radius < free) {
        let what = format!("the rim radius is {} m, but the free radius of the tyre is {free} m", c.rim_radius);
        findings.push(finding(&["rim_radius"], what, "a rim radius below the free radius"));
    } else if c.bottom_stiff > 0.0 && c.rim_radius > 0.0 && !(c.rim_radius + c.bottom_offst < free) {
        let what = "RIM_RADIUS and BOTTOM_OFFST reach the free radius, so the rim always touches the road";
        findings.push(finding(&["rim_radius", "bottom_offst"], what, "a rim radius below the free radius"));
    }
    if law.bottoming.is_some() && !(c.bottoming_radius < free) {
        let what = "BOTTOMING_RADIUS is not below the free radius, so the rim always touches the road";
        findings.push(finding(&["bottoming_radius"], what, "a radius below UNLOADED_RADIUS"));
    }
    if !(law.half_contact_length(c.fnomin) >= 0.0) {
        findings.push(finding(&["q_ra2", "q_ra1"], "the contact length at FNOMIN is negative", "larger values"));
    }
    findings
}

/// The vertical stiffness up to the deflection under the nominal load.
fn stiffnesses(law: &Law, c: &Coefficients) -> Vec<Finding> {
    let deflection = law.static_deflection(c.fnomin, 0.0);
    let upright = |part: f64| law.vertical(part * deflection, 0.0, &VerticalInput::default());
    if !(upright(1.0).elastic > 0.99 * c.fnomin) {
        let what = "the load does not reach FNOMIN at any deflection";
        return vec![finding(&["q_fz2", "q_fz1", "vertical_stiffness"], what, "larger values of Q_FZ1 and Q_FZ2")];
    }
    let has_curve = law.deflection_load.is_some();
    if !has_curve && let Some(part) = parts().find(|part| !(upright(*part).stiffness > 0.0)) {
        let what = format!("the vertical stiffness is not positive at a deflection of {} m", part * deflection);
        return vec![finding(&["q_fz2", "q_fz1"], what, "larger values")];
    }
    let camber = c.cammax.min(CAMBER);
    if !has_curve && !(c.q_fz1 + c.q_fz3 * camber * camber > 0.0) {
        let what = format!("the vertical stiffness is not positive at an inclination of {camber} rad");
        let keys = &["q_fz3", "q_fz1", "q_fz2", "vertical_stiffness", "fnomin"];
        return vec![finding(keys, what, "a larger value")];
    }
    Vec::new()
}

/// Values that the laws limit: notes.
pub(super) fn notes(c: &Coefficients) -> Vec<Finding> {
    let mut found = Vec::new();
    let limited = "limited to a tenth";
    if 1.0 + c.q_v2 * SPEEDS < 0.1 {
        found.push(finding(
            &["q_v2"],
            format!("the stiffness factor falls below a tenth at {SPEEDS} times LONGVL"),
            limited,
        ));
    }
    let pressures = [c.inflpres, c.presmin, c.presmax].into_iter().filter(|p| *p > 0.0 && *p < f64::MAX);
    let changes: Vec<f64> = pressures.filter(|_| c.nompres > 0.0).map(|p| p / c.nompres - 1.0).collect();
    let factors: [(&'static [&'static str], f64); 3] =
        [(&["pfz1"], c.pfz1), (&["pcfx3"], c.pcfx3), (&["pcfy3"], c.pcfy3)];
    for (keys, factor) in factors {
        if changes.iter().any(|change| 1.0 + factor * change < 0.1) {
            found.push(finding(
                keys,
                "the stiffness factor falls below a tenth within the pressure range of the file",
                limited,
            ));
        }
    }
    let carcass: [(&'static [&'static str], [f64; 2]); 2] =
        [(&["pcfx1", "pcfx2"], [c.pcfx1, c.pcfx2]), (&["pcfy1", "pcfy2"], [c.pcfy1, c.pcfy2])];
    for (keys, [first, second]) in carcass {
        // From half to twice the nominal load.
        let changes = parts().map(|part| MIN_LOAD_FRACTION - 1.0 + part * (2.0 - MIN_LOAD_FRACTION));
        if changes.into_iter().any(|dfz| 1.0 + first * dfz + second * dfz * dfz < 0.1) {
            let what = "the carcass stiffness factor falls below a tenth between half and twice FNOMIN";
            found.push(finding(keys, what, limited));
        }
    }
    found
}
