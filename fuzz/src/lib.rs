//! Fuzzing of *ballesta* with libFuzzer; see `shared`.

pub mod shared;

#[cfg(feature = "libfuzzer")]
use std::sync::atomic::{AtomicU64, Ordering};

use shared::mutation::{self, Random};
use shared::targets::{ALL, Target};

/// The target with that name.
pub fn target(name: &str) -> &'static Target {
    ALL.iter().find(|target| target.name == name).expect("a target of that name")
}

/// One mutation that replaces libFuzzer's, see [`mutation::changed`]. Returns the new length.
///
/// * `data`: the input in the first `size` bytes, room up to the end
/// * `default`: libFuzzer's mutation, which is used for every fourth one
pub fn mutate(
    target: &Target,
    data: &mut [u8],
    size: usize,
    seed: u32,
    default: impl FnOnce(&mut [u8], usize) -> usize,
) -> usize {
    let mut random = Random(seed.into());
    if size == 0 || random.below(4) == 0 {
        return default(data, size);
    }
    let changed = mutation::changed(&data[..size], target.form, &mut random, data.len());
    data[..changed.len()].copy_from_slice(&changed);
    changed.len()
}

/// Largest processor time of one input, s. Wall-clock time would depend on the load of the machine. Under the
/// sanitizer, with counters at every edge and overflow checks, the start of the van takes 2.2 s instead of 0.07 s: an
/// input that takes 1 s in the program exceeds this limit here.
#[cfg(feature = "libfuzzer")]
const MAX_CPU_TIME_S: f64 = 10.0;

/// Runs a target, and panics if it takes too long. Writes the time of the slowest input so far into the file given by
/// the variable `FUZZ_SLOWEST`.
#[cfg(feature = "libfuzzer")]
pub fn run(name: &str, bytes: &[u8]) {
    static SLOWEST: AtomicU64 = AtomicU64::new(0);
    let begin = processor_time();
    (target(name).run)(bytes);
    let seconds = processor_time() - begin;
    // Non-negative numbers have the same order as their bits.
    if SLOWEST.fetch_max(seconds.to_bits(), Ordering::Relaxed) < seconds.to_bits()
        && let Some(file) = std::env::var_os("FUZZ_SLOWEST")
    {
        std::fs::write(file, format!("{seconds:.3}")).expect("the file of FUZZ_SLOWEST is written");
    }
    assert!(seconds <= MAX_CPU_TIME_S, "the input took {seconds} s of processor time");
}

/// Processor time of this thread, in which libFuzzer runs all inputs, s.
#[cfg(feature = "libfuzzer")]
fn processor_time() -> f64 {
    ballesta_cli::thread_time().expect("a clock for processor time").as_secs_f64()
}

/// The entry points of libFuzzer for the target with that name.
#[cfg(feature = "libfuzzer")]
#[macro_export]
macro_rules! fuzz {
    ($name:literal) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::run($name, bytes));
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            let room = max_size.min(data.len());
            let default = |data: &mut [u8], size| libfuzzer_sys::fuzzer_mutate(data, size, room);
            $crate::mutate($crate::target($name), &mut data[..room], size.min(room), seed, default)
        });
    };
}
