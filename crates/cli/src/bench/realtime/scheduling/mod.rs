//! Clock, sleeps and scheduling of the thread that keeps the beat.
//!
//! Everything is asked of the calling thread (memory: of the process), and what came of it is read back from the
//! system, so that a report says what was in force and not what was requested. A refusal names what was tried, the
//! system's reason, and what would permit it. Threads that an FMU has started before keep their own scheduling.
//! On systems other than Linux the steps are paced all the same, by ordinary sleeps, and every request is refused.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Monotonic, apply, thread_time};
#[cfg(target_os = "linux")]
pub use linux::{Monotonic, apply, thread_time};

use serde::Serialize;

/// What the thread is to be given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Priority under SCHED_FIFO, 1 to 99; `None`: the policy stays.
    pub priority: Option<u8>,
    /// The only CPU to run on.
    pub cpu: Option<u16>,
    /// Keep all memory of the process, present and future, in RAM.
    pub lock_memory: bool,
}

/// What is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InForce {
    /// Scheduling policy by its name in the C library.
    pub policy: &'static str,
    /// Its static priority, 0 for policies without.
    pub priority: i32,
    /// CPUs that the thread may run on.
    pub cpus: Vec<usize>,
    /// Whether the memory of the process is locked.
    pub memory_locked: bool,
    /// By how much the system may wake the thread later to save wake-ups, in ns. It does not with SCHED_FIFO.
    pub timer_slack_ns: u64,
    /// What was asked for and not permitted, in words.
    pub refused: Vec<String>,
}
