//! Fuzzing of *ballesta* with libFuzzer; see `shared`.

pub mod shared;

use shared::mutation::{self, Random};
use shared::targets::{ALL, Target};

/// The target of that name.
pub fn target(name: &str) -> &'static Target {
    ALL.iter().find(|target| target.name == name).expect("a target of that name")
}

/// One mutation in place of libFuzzer's own: of the tokens when the input is a text. Returns the new length.
///
/// * `data`: the input in the first `size` bytes, room up to the end
/// * `default`: libFuzzer's mutation, which is every fourth one
pub fn mutate(
    target: &Target,
    data: &mut [u8],
    size: usize,
    seed: u32,
    default: impl FnOnce(&mut [u8], usize) -> usize,
) -> usize {
    let mut random = Random(seed.into());
    let changed = match std::str::from_utf8(&data[..size]) {
        Ok(text) if target.is_text && size > 0 && random.below(4) > 0 => mutation::text(text, &mut random, data.len()),
        _ => return default(data, size),
    };
    data[..changed.len()].copy_from_slice(changed.as_bytes());
    changed.len()
}

/// The entry points of libFuzzer for the target of that name.
#[cfg(feature = "libfuzzer")]
#[macro_export]
macro_rules! fuzz {
    ($name:literal) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ($crate::target($name).run)(bytes));
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            let room = max_size.min(data.len());
            let default = |data: &mut [u8], size| libfuzzer_sys::fuzzer_mutate(data, size, room);
            $crate::mutate($crate::target($name), &mut data[..room], size.min(room), seed, default)
        });
    };
}
