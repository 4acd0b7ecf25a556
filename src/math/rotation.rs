//! Rotations: axis-angle matrices and unit quaternions.

use super::elementary::{atan2, sin_cos};
use super::{Mat3, Vec3};

/// ũ with ũ v = u × v.
pub(crate) fn skew(u: &Vec3) -> Mat3 {
    Mat3::new(0.0, -u.z, u.y, u.z, 0.0, -u.x, -u.y, u.x, 0.0)
}

/// Rotation by `angle` (rad) about the unit vector `axis` (Rodrigues).
pub fn about(axis: &Vec3, angle: f64) -> Mat3 {
    let (s, c) = sin_cos(angle);
    let k = axis * (1.0 - c);
    let (x, y, z) = (axis.x, axis.y, axis.z);
    Mat3::new(
        c + k.x * x,
        k.x * y - s * z,
        k.x * z + s * y,
        k.y * x + s * z,
        c + k.y * y,
        k.y * z - s * x,
        k.z * x - s * y,
        k.z * y + s * x,
        c + k.z * z,
    )
}

/// Unit quaternion (w, x, y, z).
pub(crate) type Quaternion = [f64; 4];

/// a ∘ b: first the rotation b, then a.
pub fn product(a: &Quaternion, b: &Quaternion) -> Quaternion {
    let ([w, x, y, z], [p, q, r, s]) = (*a, *b);
    [
        w * p - x * q - y * r - z * s,
        w * q + x * p + y * s - z * r,
        w * r - x * s + y * p + z * q,
        w * s + x * r - y * q + z * p,
    ]
}

/// Unit quaternion of the rotation by `angle` (rad) about the unit vector `axis`; −1 times itself after a full turn.
pub(crate) fn quaternion_about(axis: &Vec3, angle: f64) -> Quaternion {
    let (sine, cosine) = sin_cos(0.5 * angle);
    [cosine, sine * axis.x, sine * axis.y, sine * axis.z]
}

/// Rotation matrix of a unit quaternion.
pub fn matrix(q: &Quaternion) -> Mat3 {
    let [w, x, y, z] = *q;
    Mat3::new(
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )
}

/// Quaternion of a rotation matrix, w ≥ 0 (Shepperd's method: the largest component is computed first).
pub fn quaternion(r: &Mat3) -> Quaternion {
    let squares = [
        1.0 + r[(0, 0)] + r[(1, 1)] + r[(2, 2)],
        1.0 + r[(0, 0)] - r[(1, 1)] - r[(2, 2)],
        1.0 - r[(0, 0)] + r[(1, 1)] - r[(2, 2)],
        1.0 - r[(0, 0)] - r[(1, 1)] + r[(2, 2)],
    ];
    let mut largest = 0;
    for i in 1..4 {
        if squares[i] > squares[largest] {
            largest = i;
        }
    }
    let (wx, wy, wz) = (r[(2, 1)] - r[(1, 2)], r[(0, 2)] - r[(2, 0)], r[(1, 0)] - r[(0, 1)]);
    let (xy, xz, yz) = (r[(0, 1)] + r[(1, 0)], r[(0, 2)] + r[(2, 0)], r[(1, 2)] + r[(2, 1)]);
    let four = 2.0 * squares[largest].sqrt();
    let mut q = match largest {
        0 => [four / 4.0, wx / four, wy / four, wz / four],
        1 => [wx / four, four / 4.0, xy / four, xz / four],
        2 => [wy / four, xy / four, four / 4.0, yz / four],
        _ => [wz / four, xz / four, yz / four, four / 4.0],
    };
    if q[0] < 0.0 {
        q = q.map(|c| -c);
    }
    q
}

/// Roll φ, pitch θ and yaw ψ of a rotation R = R_z(ψ) R_y(θ) R_x(φ), rad (ISO 8855). At θ = ±π/2, where only the sum or
/// difference of φ and ψ is determined, what comes out is one of many.
pub(crate) fn roll_pitch_yaw(r: &Mat3) -> Vec3 {
    let level = (r[(0, 0)] * r[(0, 0)] + r[(1, 0)] * r[(1, 0)]).sqrt();
    Vec3::new(atan2(r[(2, 1)], r[(2, 2)]), atan2(-r[(2, 0)], level), atan2(r[(1, 0)], r[(0, 0)]))
}

/// Rate of a unit quaternion whose frame turns with `omega` given in its *own* (inner) axes: q̇ = ½ q ∘ (0, ω).
pub(crate) fn quaternion_rate(q: &Quaternion, omega: &Vec3) -> Quaternion {
    let [w, x, y, z] = *q;
    [
        -0.5 * (omega.x * x + omega.y * y + omega.z * z),
        0.5 * (omega.x * w + omega.z * y - omega.y * z),
        0.5 * (omega.y * w + omega.x * z - omega.z * x),
        0.5 * (omega.z * w + omega.y * x - omega.x * y),
    ]
}

/// q ∘ exp(u / 2): the quaternion after a turn by the rotation vector `u`, in its own (inner) axes.
pub(crate) fn turned(q: &Quaternion, u: &Vec3) -> Quaternion {
    let half = 0.5 * u.norm();
    let (sine, cosine) = sin_cos(half);
    // sin(x) / x; its series where the quotient would lose digits or divide by zero.
    let quotient = if half < 1e-4 { 1.0 - half * half / 6.0 } else { sine / half };
    let [w, x, y, z] = *q;
    let v = u * (0.5 * quotient);
    [
        w * cosine - x * v.x - y * v.y - z * v.z,
        x * cosine + w * v.x + y * v.z - z * v.y,
        y * cosine + w * v.y + z * v.x - x * v.z,
        z * cosine + w * v.z + x * v.y - y * v.x,
    ]
}

/// The quaternion scaled to unit length.
pub fn normalized(q: &Quaternion) -> Quaternion {
    let scale = 1.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    q.map(|c| c * scale)
}

/// Two unit vectors that complete the unit vector `u` to a right-handed orthonormal triad (u, first, second).
pub fn complement(u: &Vec3) -> (Vec3, Vec3) {
    let a = u.abs();
    let helper = if a.x <= a.y && a.x <= a.z {
        Vec3::x()
    } else if a.y <= a.z {
        Vec3::y()
    } else {
        Vec3::z()
    };
    let first = u.cross(&helper).normalize();
    (first, u.cross(&first))
}

/// Angle (rad, squared) below which the coefficients of the exponential map are summed from their series.
const SMALL: f64 = 1e-2;

/// exp(θ̃): rotation by |θ| about the direction of the rotation vector θ (rad).
pub fn exponential(theta: &Vec3) -> Mat3 {
    let square = theta.dot(theta);
    let (a, sinc) = if square < SMALL {
        let series = |c: [f64; 4]| c[0] + square * (c[1] + square * (c[2] + square * c[3]));
        (
            series([1.0 / 2.0, -1.0 / 24.0, 1.0 / 720.0, -1.0 / 40320.0]),
            series([1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0]),
        )
    } else {
        let angle = square.sqrt();
        let (s, c) = sin_cos(angle);
        ((1.0 - c) / square, s / angle)
    };
    let k = skew(theta);
    Mat3::identity() + k * sinc + k * k * a
}

/// T(θ) with ω = T θ̇: angular velocity of exp(θ̃) in the axes of the outer frame. T = I + a θ̃ + b θ̃².
pub(crate) fn exponential_tangent(theta: &Vec3) -> Mat3 {
    let ([a, b], _) = tangent_coefficients(theta.dot(theta));
    let k = skew(theta);
    Mat3::identity() + k * a + k * k * b
}

/// Ṫ θ̇: what the angular acceleration in the axes of the outer frame has besides T θ̈.
pub(crate) fn exponential_bias(theta: &Vec3, rate: &Vec3) -> Vec3 {
    let ([_, b], [da, db]) = tangent_coefficients(theta.dot(theta));
    let turn = theta.cross(rate);
    let double = 2.0 * theta.dot(rate);
    turn * (da * double) + theta.cross(&turn) * (db * double) + rate.cross(&turn) * b
}

/// a = (1 − cos φ)/φ², b = (φ − sin φ)/φ³ and their derivatives with respect to φ², for φ² = `square`.
fn tangent_coefficients(square: f64) -> ([f64; 2], [f64; 2]) {
    if square < SMALL {
        let series = |c: [f64; 4]| c[0] + square * (c[1] + square * (c[2] + square * c[3]));
        let slope = |c: [f64; 4]| c[1] + square * (2.0 * c[2] + square * 3.0 * c[3]);
        let a = [1.0 / 2.0, -1.0 / 24.0, 1.0 / 720.0, -1.0 / 40320.0];
        let b = [1.0 / 6.0, -1.0 / 120.0, 1.0 / 5040.0, -1.0 / 362880.0];
        return ([series(a), series(b)], [slope(a), slope(b)]);
    }
    let angle = square.sqrt();
    let (s, c) = sin_cos(angle);
    let a = (1.0 - c) / square;
    let b = (angle - s) / (square * angle);
    // d/dφ² = (1/2φ) d/dφ.
    let da = (s / angle - 2.0 * a) / (2.0 * square);
    let db = (a - 3.0 * b) / (2.0 * square);
    ([a, b], [da, db])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roll_pitch_and_yaw_give_the_rotation_back() {
        for angles in [Vec3::new(0.3, -0.7, 2.9), Vec3::new(-2.1, 1.5, -0.4), Vec3::zeros()] {
            let turned = about(&Vec3::z(), angles.z) * about(&Vec3::y(), angles.y) * about(&Vec3::x(), angles.x);
            assert!((roll_pitch_yaw(&turned) - angles).norm() < 1e-14, "{angles}");
        }
    }

    #[test]
    fn the_tangent_map_is_the_derivative_of_the_exponential_map() {
        for scale in [1e-3, 0.05, 0.0999, 0.1001, 0.7, 2.0] {
            let (theta, rate) = (Vec3::new(0.6, -0.7, 0.39) * scale, Vec3::new(0.3, 0.5, -1.1));
            let h = 1e-5;
            let [before, after] = [-h, h].map(|h| exponential(&(theta + rate * h)));
            let spin = (after - before) / (2.0 * h) * exponential(&theta).transpose();
            let omega = exponential_tangent(&theta) * rate;
            assert!((spin - skew(&omega)).norm() < 1e-9, "{scale}");
            let [before, after] = [-h, h].map(|h| exponential_tangent(&(theta + rate * h)) * rate);
            let bias = exponential_bias(&theta, &rate);
            assert!(((after - before) / (2.0 * h) - bias).norm() < 1e-9, "{scale}");
            assert!((exponential(&theta) - about(&theta.normalize(), theta.norm())).norm() < 1e-15, "{scale}");
        }
    }
}
