//! Spatial (6-D) vectors with the linear part first, as in Hidalgo & García de Jalón (2013), and rigid inertias about a
//! common reference point.
//!
//! All quantities of one branch of the mechanism refer to the same inertial point o (theory: the point where the
//! branch's root is now), in world axes, so they add without transformations.

use super::scalar::{Scalar, lift, lift_matrix, matrix_product, times};
use super::{Mat3, Vec3, larger};
use core::ops::Mul;

/// Spatial velocity Z = (ṡ; ω), acceleration Ż or column b: ṡ is the velocity of the body-fixed point now at o.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<S = f64> {
    /// Linear part, m/s (or m/s²).
    pub lin: Vec3<S>,
    /// Angular part, rad/s (or rad/s²).
    pub ang: Vec3<S>,
}

/// Spatial force (f; n): force f in N, moment n about o in N m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench<S = f64> {
    /// Force.
    pub force: Vec3<S>,
    /// Moment about o.
    pub moment: Vec3<S>,
}

impl<S: Scalar> Motion<S> {
    /// No motion.
    pub fn zero() -> Self {
        Motion { lin: Vec3::zeros(), ang: Vec3::zeros() }
    }
    /// A motion from six numbers.
    #[inline]
    pub(crate) fn from_six(six: &SixNumbers<S>) -> Self {
        let [x, y, z, a, b, c] = *six;
        Motion { lin: Vec3::new(x, y, z), ang: Vec3::new(a, b, c) }
    }
    /// Velocity of the body-fixed point now at `r` from o.
    pub fn at(&self, r: &Vec3<S>) -> Vec3<S> {
        self.lin + self.ang.cross(r)
    }
    /// (v; w) ⨯ (a; c) = (w × a + v × c ; w × c), the rate of a column that moves with this velocity.
    pub(crate) fn cross(&self, other: &Motion<S>) -> Motion<S> {
        Motion { lin: self.ang.cross(&other.lin) + self.lin.cross(&other.ang), ang: self.ang.cross(&other.ang) }
    }
    /// (v; w) ⨯* (f; n) = (w × f ; w × n + v × f), the rate of a wrench that moves with this velocity.
    pub(crate) fn cross_force(&self, f: &Wrench<S>) -> Wrench<S> {
        Wrench { force: self.ang.cross(&f.force), moment: self.ang.cross(&f.moment) + self.lin.cross(&f.force) }
    }
    /// As six numbers.
    #[inline]
    pub(crate) fn six(&self) -> SixNumbers<S> {
        [self.lin.x, self.lin.y, self.lin.z, self.ang.x, self.ang.y, self.ang.z]
    }
    /// Power of a wrench on this motion.
    pub fn dot(&self, f: &Wrench<S>) -> S {
        self.lin.dot(&f.force) + self.ang.dot(&f.moment)
    }
}

impl<S: Scalar> Wrench<S> {
    /// No load.
    pub fn zero() -> Self {
        Wrench { force: Vec3::zeros(), moment: Vec3::zeros() }
    }
    /// The wrench of `force` at the point `r` from o.
    pub(crate) fn at(r: &Vec3<S>, force: Vec3<S>) -> Self {
        Wrench { force, moment: r.cross(&force) }
    }
    /// The wrench of a couple.
    pub(crate) fn couple(moment: Vec3<S>) -> Self {
        Wrench { force: Vec3::zeros(), moment }
    }
    /// As six numbers.
    #[inline]
    pub(crate) fn six(&self) -> SixNumbers<S> {
        [self.force.x, self.force.y, self.force.z, self.moment.x, self.moment.y, self.moment.z]
    }
    /// Moment about the point `r` from o.
    pub fn moment_about(&self, r: &Vec3<S>) -> Vec3<S> {
        self.moment - r.cross(&self.force)
    }
}

macro_rules! linear_operations {
    ($type:ident, $first:ident, $second:ident) => {
        impl<S: Scalar> core::ops::Add for $type<S> {
            type Output = $type<S>;
            fn add(self, other: $type<S>) -> $type<S> {
                $type { $first: self.$first + other.$first, $second: self.$second + other.$second }
            }
        }
        impl<S: Scalar> core::ops::Sub for $type<S> {
            type Output = $type<S>;
            fn sub(self, other: $type<S>) -> $type<S> {
                $type { $first: self.$first - other.$first, $second: self.$second - other.$second }
            }
        }
        impl<S: Scalar> core::ops::Neg for $type<S> {
            type Output = $type<S>;
            fn neg(self) -> $type<S> {
                $type { $first: -self.$first, $second: -self.$second }
            }
        }
        impl<S: Scalar> core::ops::Mul<S> for $type<S> {
            type Output = $type<S>;
            fn mul(self, factor: S) -> $type<S> {
                $type { $first: self.$first * factor, $second: self.$second * factor }
            }
        }
        impl<S: Scalar> core::ops::AddAssign for $type<S> {
            fn add_assign(&mut self, other: $type<S>) {
                self.$first += other.$first;
                self.$second += other.$second;
            }
        }
        impl<S: Scalar> core::ops::SubAssign for $type<S> {
            fn sub_assign(&mut self, other: $type<S>) {
                self.$first -= other.$first;
                self.$second -= other.$second;
            }
        }
    };
}
linear_operations!(Motion, lin, ang);
linear_operations!(Wrench, force, moment);

/// Rigid inertia about o: M̄ = [ m I , −h̃ ; h̃ , I_o ] with h = m g (g: centre of mass from o).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(bound = "S: nalgebra::Scalar + serde::Serialize + serde::de::DeserializeOwned")
)]
pub struct Inertia<S = f64> {
    /// Mass in kg.
    pub mass: S,
    /// First moment h = m g in kg m.
    pub first: Vec3<S>,
    /// Second moment about o, I_o = J − m g̃ g̃, in kg m².
    pub second: Mat3<S>,
}

impl<C: nalgebra::Scalar + Copy> Inertia<C> {
    /// The inertia `self` about the origin of a frame, in its axes, as inertia about o, world axes: `rotation` of the
    /// frame, `position` of its origin from o.
    pub(crate) fn about<S: Scalar + Mul<C, Output = S>>(&self, rotation: &Mat3<S>, position: &Vec3<S>) -> Inertia<S> {
        let (h, p) = (times(rotation, &self.first), position);
        let mass = S::one() * self.mass;
        let first = p * mass + h;
        // R J Rᵀ + (m p² + 2 p·h) 1 − m p pᵀ − p hᵀ − h pᵀ, symmetric.
        let (turned, diagonal) = (matrix_product(rotation, &self.second), p.dot(&first) + p.dot(&h));
        let entry = |i: usize, j: usize| {
            let (t, r) = (&turned, rotation);
            let own: S = t[(i, 0)] * r[(j, 0)] + t[(i, 1)] * r[(j, 1)] + t[(i, 2)] * r[(j, 2)];
            own - p[i] * first[j] - h[i] * p[j]
        };
        Inertia { mass, first, second: symmetric(diagonal, entry) }
    }
}

impl<S: Scalar> Inertia<S> {
    /// No inertia.
    pub fn zero() -> Self {
        Inertia { mass: S::zero(), first: Vec3::zeros(), second: Mat3::zeros() }
    }
    /// A constant inertia.
    pub(crate) fn lift(constant: &Inertia) -> Self {
        let Inertia { mass, first, second } = constant;
        Inertia { mass: S::from_f64(*mass), first: lift(first), second: lift_matrix(second) }
    }
    /// Body of mass m, centre of mass g from o, inertia `j` about the centre of mass, world axes.
    pub fn new(mass: S, g: &Vec3<S>, j: &Mat3<S>) -> Self {
        let steiner = Mat3::identity() * g.dot(g) - g * g.transpose();
        Inertia { mass, first: g * mass, second: j + steiner * mass }
    }
    /// Coupling of the points p and q relative to o, with J Z = v + ω × r: weight (J_Pᵀ J_Q + J_Qᵀ J_P).
    pub(crate) fn coupling(weight: S, p: &Vec3<S>, q: &Vec3<S>) -> Self {
        // −(p̃ q̃ + q̃ p̃) = 2 (p·q) 1 − p qᵀ − q pᵀ.
        let entry = |i: usize, j: usize| -weight * (p[i] * q[j] + q[i] * p[j]);
        Inertia { mass: weight * 2.0, first: (p + q) * weight, second: symmetric(weight * 2.0 * p.dot(q), entry) }
    }
    /// M̄ Z.
    pub(crate) fn apply(&self, z: &Motion<S>) -> Wrench<S> {
        Wrench {
            force: z.lin * self.mass - self.first.cross(&z.ang),
            moment: self.first.cross(&z.lin) + times(&self.second, &z.ang),
        }
    }
}

/// Relative tolerance for rounding: slender rods are exactly at the limit of the triangle inequality.
const ROUNDING: f64 = 1e-9;

/// Principal moments, ascending, of an inertia that is impossible for a mass distribution (one is negative, or exceeds
/// the sum of the others), and whether one is negative.
pub fn impossible_moments(inertia: &Mat3) -> Option<([f64; 3], bool)> {
    let mut moments: [f64; 3] = inertia.symmetric_eigenvalues().into();
    moments.sort_by(f64::total_cmp);
    let [small, middle, large] = moments;
    let allowance = ROUNDING * larger(large.abs(), small.abs());
    // Written so that NaN is not reported.
    let (negative, broken) = (small < -allowance, small + middle < large - allowance);
    (negative || broken).then_some((moments, negative))
}

/// The symmetric matrix with these entries plus `diagonal` times the identity.
#[inline]
fn symmetric<S: Scalar>(diagonal: S, entry: impl Fn(usize, usize) -> S) -> Mat3<S> {
    let (xy, xz, yz) = (entry(0, 1), entry(0, 2), entry(1, 2));
    let (xx, yy, zz) = (entry(0, 0) + diagonal, entry(1, 1) + diagonal, entry(2, 2) + diagonal);
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

impl<S: Scalar> core::ops::AddAssign for Inertia<S> {
    fn add_assign(&mut self, other: Inertia<S>) {
        self.mass += other.mass;
        self.first += other.first;
        self.second += other.second;
    }
}

/// A motion (lin, ang) or wrench (force, moment) as six numbers, for sums over many vectors.
pub(crate) type SixNumbers<S = f64> = [S; 6];

/// Power of a wrench on a motion.
#[inline]
pub(crate) fn dot(a: &SixNumbers, b: &SixNumbers) -> f64 {
    (a[0] * b[0] + a[2] * b[2] + a[4] * b[4]) + (a[1] * b[1] + a[3] * b[3] + a[5] * b[5])
}

/// out ← out + factor · x.
#[inline]
pub(crate) fn add_scaled(out: &mut SixNumbers, factor: f64, x: &SixNumbers) {
    for (out, x) in out.iter_mut().zip(x) {
        *out += factor * x;
    }
}

/// Articulated inertia about o: a symmetric 6 × 6 matrix of the order (lin, ang), column by column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Articulated([SixNumbers; 6]);

impl Articulated {
    /// A matrix with all entries equal.
    pub(crate) fn repeat(value: f64) -> Self {
        Articulated([[value; 6]; 6])
    }
    /// The inertia of a rigid body.
    pub(crate) fn rigid(inertia: &Inertia) -> Self {
        let (m, h, j) = (inertia.mass, &inertia.first, &inertia.second);
        Articulated([
            [m, 0.0, 0.0, 0.0, h.z, -h.y],
            [0.0, m, 0.0, -h.z, 0.0, h.x],
            [0.0, 0.0, m, h.y, -h.x, 0.0],
            [0.0, -h.z, h.y, j[(0, 0)], j[(1, 0)], j[(2, 0)]],
            [h.z, 0.0, -h.x, j[(0, 1)], j[(1, 1)], j[(2, 1)]],
            [-h.y, h.x, 0.0, j[(0, 2)], j[(1, 2)], j[(2, 2)]],
        ])
    }
    /// I Z.
    #[inline]
    pub(crate) fn apply(&self, z: &SixNumbers) -> SixNumbers {
        let mut out = [0.0; 6];
        for (column, z) in self.0.iter().zip(z) {
            add_scaled(&mut out, *z, column);
        }
        out
    }
    /// Whether every entry is zero. It tests the diagonal only, which is sufficient for a sum of inertias and squares.
    #[inline]
    pub(crate) fn is_zero(&self) -> bool {
        (0..6).all(|k| self.0[k][k] == 0.0)
    }
    /// I ← I + weight w wᵀ.
    #[inline]
    pub(crate) fn add_square(&mut self, weight: f64, w: &SixNumbers) {
        for (column, factor) in self.0.iter_mut().zip(w) {
            add_scaled(column, weight * factor, w);
        }
    }
    /// I ← I + other + Σ weight w wᵀ, with one weight per direction w.
    #[inline(always)]
    pub(crate) fn add_reduced(&mut self, other: &Articulated, weights: &[f64], directions: &[SixNumbers]) {
        for (j, (column, other)) in self.0.iter_mut().zip(&other.0).enumerate() {
            let mut sum = *column;
            add_scaled(&mut sum, 1.0, other);
            for (weight, w) in weights.iter().zip(directions) {
                add_scaled(&mut sum, weight * w[j], w);
            }
            *column = sum;
        }
    }
}

/// Pose and velocity of one body at an instant, the input of force elements and constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMotion<S = f64> {
    /// R_WB: rotation from the body frame B to the world frame W (identity in the design position).
    pub rotation: Mat3<S>,
    /// Origin of B (the body's centre of mass) from the branch's reference point o, world axes, m.
    pub position: Vec3<S>,
    /// o from the model's origin, world axes, m. Equal for all bodies of a branch.
    pub reference: Vec3<S>,
    /// Spatial velocity Z about o.
    pub velocity: Motion<S>,
}

impl<S: Scalar> BodyMotion<S> {
    /// The body-fixed point `p_b` (coordinates in B, m), from o, world axes.
    pub fn point(&self, p_b: &Vec3) -> Vec3<S> {
        self.position + times(&self.rotation, p_b)
    }
    /// Vector from point `r_a` (from the o of `a`) to point `r_b` (from the o of `b`), exact when both share o.
    pub(crate) fn between(a: &BodyMotion<S>, r_a: &Vec3<S>, b: &BodyMotion<S>, r_b: &Vec3<S>) -> Vec3<S> {
        (r_b - r_a) + (b.reference - a.reference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::numbers::Random;

    fn close_six(a: &SixNumbers, b: &Wrench) {
        for (a, b) in a.iter().zip(b.six()) {
            assert!((a - b).abs() < 1e-14, "{a} and {b}");
        }
    }

    #[test]
    fn articulated_inertia_of_a_rigid_body_gives_its_momentum_and_rods_couple_the_velocities_of_their_ends() {
        let mut random = Random(5);
        let mut vector = || Vec3::new(random.number(), random.number(), random.number());
        let z = Motion { lin: vector(), ang: vector() };
        let (g, p, q, w) = (vector(), vector(), vector(), Wrench { force: vector(), moment: vector() });
        let inertia = Inertia::new(2.0, &g, &Mat3::new(0.3, 0.1, 0.0, 0.1, 0.4, -0.1, 0.0, -0.1, 0.5));
        let mut articulated = Articulated::rigid(&inertia);
        close_six(&articulated.apply(&z.six()), &inertia.apply(&z));
        articulated.add_square(-0.4, &w.six());
        close_six(&articulated.apply(&z.six()), &(inertia.apply(&z) - w * (0.4 * z.dot(&w))));
        assert!((dot(&z.six(), &w.six()) - z.dot(&w)).abs() < 1e-15);
        let coupling = Articulated::rigid(&Inertia::coupling(0.7, &p, &q));
        close_six(&coupling.apply(&z.six()), &(Wrench::at(&q, z.at(&p) * 0.7) + Wrench::at(&p, z.at(&q) * 0.7)));
    }
}
