//! Clock, sleeps and scheduling of the paced thread.
//!
//! Settings apply to the calling thread (memory: to the process). They are read back from the system, so the report has
//! the settings in force. A denied setting is reported with the system's reason and the remedy. Threads that an FMU
//! started earlier keep their scheduling. Systems other than Linux use ordinary sleeps and reject every request.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Monotonic, apply, thread_time};
#[cfg(target_os = "linux")]
pub use linux::{Monotonic, apply, thread_time};

use serde::Serialize;

/// Requested settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Priority under SCHED_FIFO, 1 to 99; `None` keeps the policy.
    pub priority: Option<u8>,
    /// CPU to run on.
    pub cpu: Option<u16>,
    /// Keep all memory of the process, present and future, in RAM.
    pub lock_memory: bool,
}

/// Settings in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActiveSettings {
    /// Scheduling policy by its name in the C library.
    pub policy: &'static str,
    /// Static priority; 0 for policies without one.
    pub priority: i32,
    /// CPUs that the thread may run on.
    pub cpus: Vec<usize>,
    /// Whether the memory of the process is locked.
    pub memory_locked: bool,
    /// Largest delay with which the system may wake the thread to save wake-ups, in ns. Unused with SCHED_FIFO.
    pub timer_slack_ns: u64,
    /// Denied requests, as text.
    pub refused: Vec<String>,
}
