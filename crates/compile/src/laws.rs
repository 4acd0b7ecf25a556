//! Laws of couplers from the file: cubic splines through tables, segments of cams, Geneva drives.

use ballesta_model::schema::{CamMotion, Coupler, Geneva, Number};
use ballesta_solver::joint::{Law, Piece};
use ballesta_solver::math::elementary::sin;
use ballesta_solver::math::interpolation::{periodic_second_derivatives, second_derivatives};
use std::f64::consts::{PI, TAU};

/// The law of a validated coupler, if it has one.
pub(super) fn law(coupler: &Coupler, number: impl Fn(&Number) -> f64) -> Option<Law> {
    let periodic = coupler.periodic;
    if let Some(table) = &coupler.table {
        return Some(Law { pieces: spline(table, periodic), periodic, gain: 0.0 });
    }
    if let Some(geneva) = &coupler.geneva {
        return Some(drive(geneva));
    }
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut start, mut value) = (0.0, 0.0);
    for segment in coupler.cam.as_ref()? {
        let over = segment.over.as_ref().map(&number);
        let length = over.or_else(|| Some(number(segment.over_deg.as_ref()?).to_radians())).expect("validated");
        let rise = number(&segment.rise);
        pieces.push(Piece::motion(segment.motion, [start, length], value, rise));
        (start, value) = (start + length, value + rise);
    }
    Some(Law { pieces, periodic, gain: 0.0 })
}

/// Pin in the slot, then dwell. The pin enters along the slot: radius of the crank = distance of the axes · sin(π/n).
fn drive(geneva: &Geneva) -> Law {
    let step = PI / f64::from(geneva.slots);
    let sense = if geneva.internal { 1.0 } else { -1.0 };
    let slot = Piece::slot(-sense * sin(step), 0.5 * PI + sense * step);
    let dwell = [slot.start + slot.length, TAU - slot.length];
    let dwell = Piece::motion(CamMotion::Dwell, dwell, sense * step, 0.0);
    Law { pieces: vec![slot, dwell], periodic: true, gain: 2.0 * sense * step }
}

/// Cubic spline through rows with ascending first numbers: natural, or, where the last row closes the period, periodic.
fn spline(rows: &[[f64; 2]], periodic: bool) -> Vec<Piece> {
    let curvature =
        if periodic { periodic_second_derivatives(rows) } else { second_derivatives(rows.len(), |i| rows[i]) };
    let piece = |(pair, ends): (&[[f64; 2]], &[f64])| {
        let ([x0, y0], [x1, y1]) = (pair[0], pair[1]);
        let length = x1 - x0;
        let [c0, c1] = [ends[0], ends[1]].map(|curvature| curvature * length * length / 6.0);
        let coefficients = [y0, y1 - y0 - 2.0 * c0 - c1, 3.0 * c0, c1 - c0, 0.0, 0.0, 0.0, 0.0];
        Piece { start: x0, length, coefficients, wave: [0.0; 3], slot: 0.0 }
    };
    rows.windows(2).zip(curvature.windows(2)).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(pieces: &[Piece], periodic: bool, x: f64) -> [f64; 3] {
        Law { pieces: pieces.to_vec(), periodic, gain: 0.0 }.value(x)
    }

    #[test]
    fn splines_pass_through_their_rows_with_continuous_second_derivatives() {
        let rows = [[0.0, 1.0], [0.4, 1.3], [1.1, 0.2], [1.5, -0.4], [2.6, 0.7], [3.0, 1.0]];
        for periodic in [false, true] {
            let pieces = spline(&rows, periodic);
            let law = Law { pieces: pieces.clone(), periodic, gain: 0.0 };
            for (k, [x, y]) in rows.iter().copied().enumerate() {
                assert!((law.value(x)[0] - y).abs() < 1e-14, "{x}");
                let joint = (1..rows.len() - 1).contains(&k) || periodic;
                let [before, after] = [-1e-9, 1e-9].map(|step| law.value(x + step));
                if joint {
                    before.iter().zip(after).for_each(|(a, b)| assert!((a - b).abs() < 1e-6, "{x}: {a} {b}"));
                } else {
                    assert!(before[2].abs() + after[2].abs() < 1e-6, "{x}");
                }
            }
        }
    }

    #[test]
    fn a_periodic_spline_follows_a_sine_to_the_fourth_order() {
        let worst = |n: usize| {
            let at = |i: usize| std::f64::consts::TAU * i as f64 / n as f64;
            let rows: Vec<[f64; 2]> = (0..=n).map(|i| [at(i), if i == n { 0.0 } else { at(i).sin() }]).collect();
            let pieces = spline(&rows, true);
            (0..997)
                .map(|k| f64::from(k) / 997.0 * 7.0 - 0.3)
                .map(|x| (value(&pieces, true, x)[0] - x.sin()).abs())
                .fold(0.0, f64::max)
        };
        let (coarse, fine) = (worst(12), worst(24));
        assert!((14.0..18.0).contains(&(coarse / fine)) && fine < 2e-5, "{coarse} {fine}");
    }
}
