//! Design of experiments: sample points of distributions in the unit cube.
//!
//! * **Sobol**: the sequence of the crate `sobol` (directions of Joe and Kuo, "new-joe-kuo-6"), in the order of Gray
//!   codes, including its first point (the origin), because omitting it would spoil the balance (Owen, *On dropping the
//!   first Sobol' point*, 2020). Every coordinate is exclusive-ored with 64 random bits of its dimension (random
//!   digital shift). The points keep their balance, each has the right distribution, and they depend on the seed. Point
//!   i is the exclusive or of the directions of the bits of i ⊕ i/2; previous points are not needed.
//! * **Latin hypercube**: point i is in stratum π(i) of every dimension, with a separate random permutation π (Fisher
//!   and Yates), at a random position in the stratum. A permutation takes 4 bytes per run and dimension.
//! * **Random**: independent points.
//!
//! The random generator is PCG XSL RR 128/64 (O'Neill 2014, crate `rand_pcg`), one stream per purpose. The stream of
//! the positions can be started anywhere. Only its 64-bit words are used, so that the values do not depend on a
//! library's conversion to doubles.

use super::study_schema::Sampling;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;
use sobol::Sobol;
use sobol::params::JoeKuoD6;

/// Maximum number of dimensions, for which the program contains directions.
pub const MAX_DIMENSIONS: usize = 100;
/// Maximum number of points.
pub const MAX_POINTS: u64 = 100_000_000;

/// Maximum number of strata of a Latin hypercube in all dimensions: 1 GB.
pub const MAX_STRATA: u64 = 250_000_000;

/// Streams of random bits, one per purpose.
const SHIFTS: u128 = 1;
const PLACES: u128 = 2;
const PERMUTATIONS: u128 = 3;

/// Points in the unit cube, with random access.
pub struct Design {
    dimensions: usize,
    points: u64,
    seed: u64,
    kind: Kind,
}

enum Kind {
    Sobol {
        /// 64-bit directions of every dimension.
        directions: Vec<Vec<u64>>,
        /// Shift of every dimension.
        shifts: Vec<u64>,
    },
    LatinHypercube {
        /// Stratum of every point, one permutation per dimension.
        strata: Vec<Vec<u32>>,
    },
    Random,
}

impl Design {
    /// `points` ≤ 100 000 000 points in `dimensions` ≤ 100 dimensions; reading a study rejects more.
    pub fn new(sampling: Sampling, dimensions: usize, points: u64, seed: u64) -> Design {
        let kind = match sampling {
            Sampling::Sobol => {
                let directions = Sobol::<u64>::init_direction_vals::<u32>(dimensions, 64, &JoeKuoD6::minimal());
                let mut bits = stream(seed, SHIFTS, 0);
                Kind::Sobol { directions, shifts: (0..dimensions).map(|_| bits.next_u64()).collect() }
            }
            Sampling::LatinHypercube => {
                let mut bits = stream(seed, PERMUTATIONS, 0);
                Kind::LatinHypercube {
                    strata: (0..dimensions).map(|_| permutation(points as u32, &mut bits)).collect(),
                }
            }
            Sampling::Random => Kind::Random,
        };
        Design { dimensions, points, seed, kind }
    }

    /// Point `index`, one number in (0, 1) per dimension.
    pub fn point(&self, index: u64) -> Vec<f64> {
        match &self.kind {
            Kind::Sobol { directions, shifts } => {
                let gray = index ^ (index >> 1);
                let coordinate = |(directions, shift): (&Vec<u64>, &u64)| {
                    let chosen = directions.iter().enumerate().filter(|(bit, _)| gray >> bit & 1 == 1);
                    unit(chosen.fold(*shift, |sum, (_, direction)| sum ^ direction))
                };
                directions.iter().zip(shifts).map(coordinate).collect()
            }
            Kind::LatinHypercube { strata } => {
                let places = self.places(index);
                let coordinate = |(strata, place): (&Vec<u32>, f64)| {
                    // A position at the end of the last stratum may round to 1.
                    ((f64::from(strata[index as usize]) + place) / self.points as f64).min(1.0 - f64::EPSILON / 2.0)
                };
                strata.iter().zip(places).map(coordinate).collect()
            }
            Kind::Random => self.places(index),
        }
    }

    fn places(&self, index: u64) -> Vec<f64> {
        let mut bits = stream(self.seed, PLACES, u128::from(index) * self.dimensions as u128);
        (0..self.dimensions).map(|_| unit(bits.next_u64())).collect()
    }
}

/// The random bits of a purpose, after `skipped` words of them.
fn stream(seed: u64, purpose: u128, skipped: u128) -> Pcg64 {
    let mut bits = Pcg64::new(u128::from(seed), purpose);
    bits.advance(skipped);
    bits
}

/// Converts 64 bits to the midpoint of their interval of length 2⁻⁵², a number in (0, 1).
fn unit(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

/// A random permutation of 0 … count − 1.
fn permutation(count: u32, bits: &mut Pcg64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count).collect();
    for last in (1..order.len()).rev() {
        // A product of 64 and 32 bits: the probabilities of two entries differ by less than 2⁻³².
        let choices = last as u128 + 1;
        let chosen = (u128::from(bits.next_u64()) * choices) >> 64;
        order.swap(last, chosen as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(sampling: Sampling, dimensions: usize, count: u64, seed: u64) -> Vec<Vec<f64>> {
        let design = Design::new(sampling, dimensions, count, seed);
        (0..count).map(|i| design.point(i)).collect()
    }

    #[test]
    fn every_point_of_the_sobol_sequence_is_that_of_the_crate_shifted() {
        let design = Design::new(Sampling::Sobol, 7, 1000, 5);
        let Kind::Sobol { shifts, .. } = &design.kind else { panic!("another design") };
        for (i, point) in Sobol::<u64>::new(7, &JoeKuoD6::minimal()).take(300).enumerate() {
            let shifted: Vec<f64> = point.iter().zip(shifts).map(|(bits, shift)| unit(bits ^ shift)).collect();
            assert_eq!(design.point(i as u64), shifted, "point {i}");
        }
    }

    /// `scipy.stats.qmc.Sobol(8, scramble=False)`, times 512: an independent implementation with the same directions.
    #[test]
    fn without_the_shift_the_points_are_those_of_scipy() {
        let mut design = Design::new(Sampling::Sobol, 8, 1000, 1);
        let Kind::Sobol { shifts, .. } = &mut design.kind else { panic!("another design") };
        shifts.fill(0);
        let at = |index| design.point(index).iter().map(|u| (u * 512.0).floor()).collect::<Vec<f64>>();
        assert_eq!(at(5), [448.0, 448.0, 64.0, 192.0, 448.0, 320.0, 448.0, 192.0]);
        assert_eq!(at(100), [212.0, 132.0, 396.0, 372.0, 452.0, 380.0, 12.0, 244.0]);
        assert_eq!(at(299), [251.0, 343.0, 83.0, 239.0, 103.0, 463.0, 67.0, 143.0]);
    }

    #[test]
    fn every_stratum_has_one_point() {
        // A Latin hypercube in all strata; a Sobol sequence of 2ᵏ points too, after any digital shift.
        for sampling in [Sampling::LatinHypercube, Sampling::Sobol] {
            let points = points(sampling, 5, 256, 3);
            for dimension in 0..5 {
                let mut strata: Vec<u64> = points.iter().map(|point| (point[dimension] * 256.0) as u64).collect();
                strata.sort();
                assert_eq!(strata, (0..256).collect::<Vec<u64>>(), "{sampling:?}, dimension {dimension}");
            }
        }
    }

    /// Centred discrepancy in L₂, Hickernell (1998), equation (4.9).
    fn discrepancy(points: &[Vec<f64>]) -> f64 {
        let (n, dimensions) = (points.len() as f64, points[0].len() as i32);
        let z = |x: &f64| (x - 0.5).abs();
        let single: f64 =
            points.iter().map(|x| x.iter().map(|x| 1.0 + 0.5 * z(x) - 0.5 * z(x) * z(x)).product::<f64>()).sum();
        let pair = |x: &Vec<f64>, y: &Vec<f64>| {
            x.iter().zip(y).map(|(x, y)| 1.0 + 0.5 * z(x) + 0.5 * z(y) - 0.5 * (x - y).abs()).product::<f64>()
        };
        let pairs: f64 = points.iter().flat_map(|x| points.iter().map(move |y| pair(x, y))).sum();
        ((13.0_f64 / 12.0).powi(dimensions) - 2.0 / n * single + pairs / (n * n)).sqrt()
    }

    #[test]
    fn sobol_points_are_more_even_than_a_latin_hypercube_and_that_more_than_random_points() {
        let [sobol, hypercube, random] = [Sampling::Sobol, Sampling::LatinHypercube, Sampling::Random]
            .map(|sampling| (1..6).map(|seed| discrepancy(&points(sampling, 3, 256, seed))).sum::<f64>());
        assert!(3.0 * sobol < hypercube && 1.3 * hypercube < random, "{sobol} {hypercube} {random}");
    }

    #[test]
    fn a_seed_gives_the_same_points_and_another_one_others() {
        for sampling in [Sampling::Sobol, Sampling::LatinHypercube, Sampling::Random] {
            let of = |seed| points(sampling, 2, 64, seed);
            assert_eq!(of(1), of(1));
            assert_ne!(of(1), of(2));
            assert!(of(1).iter().flatten().all(|u| *u > 0.0 && *u < 1.0));
        }
        assert_eq!(points(Sampling::Sobol, MAX_DIMENSIONS, 4, 1)[3].len(), MAX_DIMENSIONS);
        // Published words of the generator, which new versions of the crate must reproduce.
        assert_eq!(stream(42, 54, 0).next_u64(), 0x86b1_da1d_7206_2b68);
    }
}
