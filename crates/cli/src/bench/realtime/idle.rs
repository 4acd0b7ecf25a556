//! A measurement without a model: what the system alone does to a thread of this priority on this CPU.
//!
//! After the steps of the model the same number of periods is paced with arithmetic of a fixed length in their place,
//! as long as the median step. Its wake-up latencies are the system's, and so is whatever its execution takes beyond
//! its own median: interrupts, other threads, changes of frequency, a hypervisor. What the model's steps take beyond
//! that is the model's.

use super::pacing::Record;
use super::subject::Driven;
use std::hint::black_box;
use std::time::Instant;

/// Rounds of a batch of the calibration, which takes some 10 µs.
const BATCH: u64 = 10_000;
/// Batches; the fastest counts.
const BATCHES: usize = 50;

/// Arithmetic of a fixed length.
pub struct Arithmetic {
    rounds: u64,
    value: f64,
}

impl Arithmetic {
    /// As long as the median execution in `record`.
    pub fn like(record: &Record) -> Arithmetic {
        let mut batch = Arithmetic { rounds: BATCH, value: 0.0 };
        let fastest = (0..BATCHES).map(|_| {
            let clock = Instant::now();
            batch.compute();
            clock.elapsed().as_nanos().max(1) as u64
        });
        let fastest = fastest.min().unwrap_or(1);
        let rounds = (record.execution.value_at_quantile(0.5).saturating_mul(BATCH) / fastest).max(1);
        Arithmetic { rounds, value: 0.0 }
    }

    /// Sums that each wait for the one before, so that their time does not depend on what else the processor could do.
    fn compute(&mut self) {
        for _ in 0..self.rounds {
            self.value = black_box(0.5 * self.value + 1.0);
        }
    }
}

impl Driven for Arithmetic {
    fn step(&mut self, _begin: f64, _end: f64) -> Result<(), String> {
        self.compute();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arithmetic_takes_at_least_about_as_long_as_the_median_step() {
        let mut record = Record::default();
        record.execution.record_n(2_000_000, 9).unwrap();
        record.execution.record(900_000_000).unwrap();
        let mut arithmetic = Arithmetic::like(&record);
        let fastest = (0..20).map(|_| {
            let clock = Instant::now();
            arithmetic.step(0.0, 0.0).unwrap();
            clock.elapsed().as_secs_f64()
        });
        // Interruptions make it longer, nothing makes it much shorter; an upper bound would be one on the machine.
        assert!(fastest.fold(f64::INFINITY, f64::min) > 0.5e-3);
        assert!((arithmetic.value - 2.0).abs() < 1e-12);
    }
}
