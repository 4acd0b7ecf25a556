//! Reference measurement without a model: latencies of the system for a thread of this priority on this CPU.
//!
//! After the steps of the model, the same number of periods runs with arithmetic of constant length, as long as the
//! median step. In this measurement the system causes the latencies and all execution times beyond the median, by
//! interrupts, other threads, frequency changes or a hypervisor. If the steps take longer than that, the model is the
//! cause.

use super::pacing::Record;
use super::subject::RealtimeSubject;
use std::hint::black_box;
use std::time::Instant;

/// Rounds of a calibration batch, about 10 µs.
const BATCH: u64 = 10_000;
/// Number of batches; the fastest is used.
const BATCHES: usize = 50;

/// Arithmetic of constant length.
pub struct Arithmetic {
    rounds: u64,
    value: f64,
}

impl Arithmetic {
    /// Arithmetic as long as the median execution in `record`.
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

    /// Dependent sums, so that the time does not depend on instruction-level parallelism.
    fn compute(&mut self) {
        for _ in 0..self.rounds {
            self.value = black_box(0.5 * self.value + 1.0);
        }
    }
}

impl RealtimeSubject for Arithmetic {
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
        // Interruptions only make it longer. An upper bound would test the machine.
        assert!(fastest.fold(f64::INFINITY, f64::min) > 0.5e-3);
        assert!((arithmetic.value - 2.0).abs() < 1e-12);
    }
}
