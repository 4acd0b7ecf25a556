//! Rotations: axis-angle matrices and unit quaternions.

use super::elementary::{atan2, sin_cos};
use super::scalar::{Scalar, lift, norm};
use super::{Mat3, Vec3};

/// ũ with ũ v = u × v.
pub(crate) fn skew<S: Scalar>(u: &Vec3<S>) -> Mat3<S> {
    let zero = S::zero();
    Mat3::new(zero, -u.z, u.y, u.z, zero, -u.x, -u.y, u.x, zero)
}

/// Rotation by `angle` (rad) about the unit vector `axis` (Rodrigues).
pub fn about<S: Scalar>(axis: &Vec3, angle: S) -> Mat3<S> {
    let (s, c) = sin_cos(angle);
    let axis = lift::<S>(axis);
    let k = axis * (S::one() - c);
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
pub type Quaternion<S = f64> = [S; 4];

/// a ∘ b: first the rotation b, then a.
pub fn product<S: Scalar>(a: &Quaternion<S>, b: &Quaternion<S>) -> Quaternion<S> {
    let ([w, x, y, z], [p, q, r, s]) = (*a, *b);
    [
        w * p - x * q - y * r - z * s,
        w * q + x * p + y * s - z * r,
        w * r - x * s + y * p + z * q,
        w * s + x * r - y * q + z * p,
    ]
}

/// Unit quaternion of the rotation by `angle` (rad) about the unit vector `axis`; −1 times itself after a full turn.
pub fn quaternion_about<S: Scalar>(axis: &Vec3, angle: S) -> Quaternion<S> {
    let (sine, cosine) = sin_cos(angle * 0.5);
    [cosine, sine * axis.x, sine * axis.y, sine * axis.z]
}

/// Rotation matrix of a unit quaternion.
pub fn matrix<S: Scalar>(q: &Quaternion<S>) -> Mat3<S> {
    let one = S::one();
    let [w, x, y, z] = *q;
    Mat3::new(
        one - (y * y + z * z) * 2.0,
        (x * y - w * z) * 2.0,
        (x * z + w * y) * 2.0,
        (x * y + w * z) * 2.0,
        one - (x * x + z * z) * 2.0,
        (y * z - w * x) * 2.0,
        (x * z - w * y) * 2.0,
        (y * z + w * x) * 2.0,
        one - (x * x + y * y) * 2.0,
    )
}

/// Quaternion of a rotation matrix, w ≥ 0 (Shepperd's method: the largest component is computed first).
pub fn quaternion<S: Scalar>(r: &Mat3<S>) -> Quaternion<S> {
    let one = S::one();
    let squares = [
        one + r[(0, 0)] + r[(1, 1)] + r[(2, 2)],
        one + r[(0, 0)] - r[(1, 1)] - r[(2, 2)],
        one - r[(0, 0)] + r[(1, 1)] - r[(2, 2)],
        one - r[(0, 0)] - r[(1, 1)] + r[(2, 2)],
    ];
    let mut largest = 0;
    for i in 1..4 {
        if squares[i] > squares[largest] {
            largest = i;
        }
    }
    let (wx, wy, wz) = (r[(2, 1)] - r[(1, 2)], r[(0, 2)] - r[(2, 0)], r[(1, 0)] - r[(0, 1)]);
    let (xy, xz, yz) = (r[(0, 1)] + r[(1, 0)], r[(0, 2)] + r[(2, 0)], r[(1, 2)] + r[(2, 1)]);
    let four = squares[largest].sqrt() * 2.0;
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

/// Roll φ, pitch θ and yaw ψ of a rotation R = R_z(ψ) R_y(θ) R_x(φ), rad (ISO 8855). At θ = ±π/2 only the sum or
/// difference of φ and ψ is determined, so the result is not unique.
pub(crate) fn roll_pitch_yaw<S: Scalar>(r: &Mat3<S>) -> Vec3<S> {
    let level = (r[(0, 0)] * r[(0, 0)] + r[(1, 0)] * r[(1, 0)]).sqrt();
    Vec3::new(atan2(r[(2, 1)], r[(2, 2)]), atan2(-r[(2, 0)], level), atan2(r[(1, 0)], r[(0, 0)]))
}

/// Rate of a unit quaternion whose frame turns with `omega` given in the *inner* (body) axes: q̇ = ½ q ∘ (0, ω).
pub(crate) fn quaternion_rate<S: Scalar>(q: &Quaternion<S>, omega: &Vec3<S>) -> Quaternion<S> {
    let [w, x, y, z] = *q;
    [
        (omega.x * x + omega.y * y + omega.z * z) * -0.5,
        (omega.x * w + omega.z * y - omega.y * z) * 0.5,
        (omega.y * w + omega.x * z - omega.z * x) * 0.5,
        (omega.z * w + omega.y * x - omega.x * y) * 0.5,
    ]
}

/// q ∘ exp(u / 2): the quaternion after a turn by the rotation vector `u`, given in the inner (body) axes.
pub(crate) fn turned(q: &Quaternion, u: &Vec3) -> Quaternion {
    let half = 0.5 * u.norm();
    let (sine, cosine) = sin_cos(half);
    // sin(x) / x, or its series if the quotient would lose digits or divide by zero.
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
pub fn normalized<S: Scalar>(q: &Quaternion<S>) -> Quaternion<S> {
    let scale = S::one() / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    q.map(|c| c * scale)
}

/// Two unit vectors that complete the unit vector `u` to a right-handed orthonormal triad (u, first, second).
pub fn complement<S: Scalar>(u: &Vec3<S>) -> (Vec3<S>, Vec3<S>) {
    let a = u.map(|c| c.value().abs());
    let helper = if a.x <= a.y && a.x <= a.z {
        Vec3::x()
    } else if a.y <= a.z {
        Vec3::y()
    } else {
        Vec3::z()
    };
    let first = u.cross(&helper);
    let first = first / norm(&first);
    (first, u.cross(&first))
}

/// Angle (rad, squared) below which the coefficients of the exponential map are summed from their series.
const SERIES_ANGLE_SQUARED: f64 = 1e-2;

/// Σ c_k xᵏ.
fn series<S: Scalar>(x: S, c: [f64; 4]) -> S {
    x * (x * (x * c[3] + c[2]) + c[1]) + c[0]
}

/// exp(θ̃): rotation by |θ| about the direction of the rotation vector θ (rad).
pub fn exponential<S: Scalar>(theta: &Vec3<S>) -> Mat3<S> {
    let square = theta.dot(theta);
    let (a, sinc) = if square < SERIES_ANGLE_SQUARED {
        (
            series(square, [1.0 / 2.0, -1.0 / 24.0, 1.0 / 720.0, -1.0 / 40320.0]),
            series(square, [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0]),
        )
    } else {
        let angle = square.sqrt();
        let (s, c) = sin_cos(angle);
        ((S::one() - c) / square, s / angle)
    };
    let k = skew(theta);
    Mat3::identity() + k * sinc + k * k * a
}

/// T(θ) with ω = T θ̇: angular velocity of exp(θ̃) in the axes of the outer frame. T = I + a θ̃ + b θ̃².
pub(crate) fn exponential_tangent<S: Scalar>(theta: &Vec3<S>) -> Mat3<S> {
    let ([a, b], _) = tangent_coefficients(theta.dot(theta));
    let k = skew(theta);
    Mat3::identity() + k * a + k * k * b
}

/// Ṫ θ̇: the angular acceleration in the axes of the outer frame minus T θ̈.
pub(crate) fn exponential_bias<S: Scalar>(theta: &Vec3<S>, rate: &Vec3<S>) -> Vec3<S> {
    let ([_, b], [da, db]) = tangent_coefficients(theta.dot(theta));
    let turn = theta.cross(rate);
    let double = theta.dot(rate) * 2.0;
    turn * (da * double) + theta.cross(&turn) * (db * double) + rate.cross(&turn) * b
}

/// a = (1 − cos φ)/φ², b = (φ − sin φ)/φ³ and their derivatives with respect to φ², for φ² = `square`.
fn tangent_coefficients<S: Scalar>(square: S) -> ([S; 2], [S; 2]) {
    if square < SERIES_ANGLE_SQUARED {
        let slope = |c: [f64; 4]| square * (square * 3.0 * c[3] + 2.0 * c[2]) + c[1];
        let a = [1.0 / 2.0, -1.0 / 24.0, 1.0 / 720.0, -1.0 / 40320.0];
        let b = [1.0 / 6.0, -1.0 / 120.0, 1.0 / 5040.0, -1.0 / 362880.0];
        return ([series(square, a), series(square, b)], [slope(a), slope(b)]);
    }
    let angle = square.sqrt();
    let (s, c) = sin_cos(angle);
    let a = (S::one() - c) / square;
    let b = (angle - s) / (square * angle);
    // d/dφ² = (1/2φ) d/dφ.
    let da = (s / angle - a * 2.0) / (square * 2.0);
    let db = (a - b * 3.0) / (square * 2.0);
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
