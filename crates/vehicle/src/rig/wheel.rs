//! Figures of a wheel from its position and motion.
//!
//! The wheel is a disc with the centre c and the unit vector s along its spin axis, to the left. Its contact point is p
//! = c + r d, with the radius r and d, the unit vector in the plane of the wheel closest to downward. A motion is the
//! velocity of c and the angular velocity ω of the carrier per unit of the driving quantity. A carrier point at p moves
//! with v + ω × (p − c). Road forces act along this path, which determines roll centres and support angles.

use super::build::Wheel;
use ballesta::math::Vec3;
use ballesta::math::elementary::{atan2, sin_cos};
use ballesta::math::rotation;

/// Position of a wheel.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// 1 for a left wheel, −1 for a right wheel.
    pub side: f64,
    /// Centre c, m.
    pub centre: Vec3,
    /// Unit vector s.
    pub axis: Vec3,
    /// Contact point p, m.
    pub contact: Vec3,
}

impl Pose {
    /// Position of a wheel with its centre at `centre` and the rotation `q` (unit quaternion) from the design position.
    pub fn new(wheel: &Wheel, centre: Vec3, q: [f64; 4]) -> Pose {
        let axis = rotation::matrix(&rotation::normalized(&q)) * wheel.axis;
        let down = axis * axis.z - Vec3::z();
        Pose { side: wheel.side, centre, axis, contact: centre + down * (wheel.radius / down.norm()) }
    }

    /// Steer angle, to the left positive, rad.
    pub fn steer(&self) -> f64 {
        atan2(-self.axis.x, self.axis.y)
    }

    /// Toe angle, toe-in positive, rad.
    pub fn toe(&self) -> f64 {
        -self.side * self.steer()
    }

    /// Camber angle, top outward positive, rad.
    pub fn camber(&self) -> f64 {
        atan2(-self.side * self.axis.z, self.level())
    }

    fn level(&self) -> f64 {
        (self.axis.x * self.axis.x + self.axis.y * self.axis.y).sqrt()
    }

    /// Changes of steer angle and camber in a motion, rad.
    pub fn slopes(&self, twist: &Twist) -> [f64; 2] {
        let (s, rate, level) = (&self.axis, twist.turn.cross(&self.axis), self.level());
        [(s.x * rate.y - s.y * rate.x) / (level * level), -self.side * rate.z / level]
    }

    /// Motion of the carrier point at the contact.
    pub fn contact_motion(&self, twist: &Twist) -> Vec3 {
        twist.at(&(self.contact - self.centre))
    }

    /// Figures of the steering axis about which the carrier turns in the motion `twist`; `None` if it does not rotate.
    pub fn steering_axis(&self, twist: &Twist) -> Option<SteeringAxis> {
        let square = twist.turn.norm_squared();
        let up = if twist.turn.z < 0.0 { -twist.turn } else { twist.turn };
        if !(up.z * up.z > 1e-6 * square) {
            return None;
        }
        let through = self.centre + twist.turn.cross(&twist.velocity) / square;
        let ground = through + up * ((self.contact.z - through.z) / up.z);
        let level = Vec3::new(self.axis.x, self.axis.y, 0.0).normalize();
        let forward = Vec3::new(level.y, -level.x, 0.0);
        let offset = self.contact - ground;
        Some(SteeringAxis {
            caster: atan2(-up.x, up.z),
            inclination: atan2(-self.side * up.y, up.z),
            scrub_radius: self.side * offset.dot(&level),
            trail: -offset.dot(&forward),
            ground,
        })
    }
}

/// A steering axis relative to its wheel.
#[derive(Clone, Copy, Debug)]
pub struct SteeringAxis {
    /// Caster angle, top rearward positive, rad.
    pub caster: f64,
    /// Kingpin inclination, top inward positive, rad.
    pub inclination: f64,
    /// From the axis to the contact on the ground, along the wheel's axis, contact outward positive, m.
    pub scrub_radius: f64,
    /// From the contact to the axis on the ground, along the wheel's heading, axis ahead positive, m.
    pub trail: f64,
    /// Intersection with the ground, m.
    pub ground: Vec3,
}

/// A small motion of a carrier per unit of the driving quantity.
#[derive(Clone, Copy, Debug)]
pub struct Twist {
    /// Translation of the wheel centre.
    pub velocity: Vec3,
    /// Rotation, rad.
    pub turn: Vec3,
}

impl Twist {
    /// Motion from the change of a quaternion `q`.
    pub fn new(velocity: Vec3, q: [f64; 4], change: [f64; 4]) -> Twist {
        let [_, x, y, z] = rotation::product(&change, &[q[0], -q[1], -q[2], -q[3]]);
        Twist { velocity, turn: Vec3::new(x, y, z) * 2.0 }
    }

    /// Motion of the carrier point at `arm` from the wheel centre.
    pub fn at(&self, arm: &Vec3) -> Vec3 {
        self.velocity + self.turn.cross(arm)
    }

    /// This motion plus `part` times another.
    pub fn plus(&self, part: f64, other: &Twist) -> Twist {
        Twist { velocity: self.velocity + other.velocity * part, turn: self.turn + other.turn * part }
    }
}

/// Intersection (y, z), m, of the normals of the paths of two points in front view. For parallel normals: midway
/// between the points, at their mean height there.
pub fn roll_centre(points: [Vec3; 2], motions: [Vec3; 2]) -> [f64; 2] {
    let [a, b] = motions;
    let determinant = a.y * b.z - a.z * b.y;
    let size = (a.y * a.y + a.z * a.z) * (b.y * b.y + b.z * b.z);
    if !(determinant * determinant > 1e-16 * size) {
        let middle = 0.5 * (points[0].y + points[1].y);
        let height = |k: usize| points[k].z + (points[k].y - middle) * motions[k].y / motions[k].z;
        return [middle, 0.5 * (height(0) + height(1))];
    }
    let along = |k: usize| points[k].y * motions[k].y + points[k].z * motions[k].z;
    let (first, second) = (along(0), along(1));
    [(first * b.z - a.z * second) / determinant, (a.y * second - first * b.y) / determinant]
}

/// Ackermann steer angle of the inner wheel for the angle `outer` of the outer wheel (rad, positive). The other
/// arguments are the distance of the steering axes on the ground and the wheelbase, m.
pub fn ackermann(outer: f64, track: f64, wheelbase: f64) -> f64 {
    let (sine, cosine) = sin_cos(outer);
    atan2(sine, cosine - sine * track / wheelbase)
}
