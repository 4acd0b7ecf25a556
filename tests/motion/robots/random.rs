//! Seeded random numbers, the same on every machine.

use nalgebra::{Rotation3, Unit, Vector3};

/// SplitMix64.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    /// A sequence of its own for every `seed` of every `stream`.
    pub fn new(stream: &str, seed: u64) -> Random {
        let mut state = 0xcbf2_9ce4_8422_2325u64;
        for byte in stream.bytes() {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        let mut random = Random(state ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.bits();
        random
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform between `low` and `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform between -`size` and `size`.
    pub fn about(&mut self, size: f64) -> f64 {
        self.between(-size, size)
    }

    /// One of 0 … `count` - 1.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count.max(1) as u64) as usize
    }

    /// True with the probability `part`.
    pub fn chance(&mut self, part: f64) -> bool {
        self.between(0.0, 1.0) < part
    }

    /// A vector in the cube of half side `size`.
    pub fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::new(self.about(size), self.about(size), self.about(size))
    }

    /// A direction, uniform on the sphere.
    pub fn direction(&mut self) -> Vector3<f64> {
        loop {
            let vector = self.vector(1.0);
            if (0.05..1.0).contains(&vector.norm()) {
                return vector.normalize();
            }
        }
    }

    /// A rotation about a random axis by up to `angle`.
    pub fn rotation(&mut self, angle: f64) -> Rotation3<f64> {
        let axis = Unit::new_normalize(self.direction());
        Rotation3::from_axis_angle(&axis, self.about(angle))
    }

    /// Changes the order of `items`.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
