//! Systems without absolute sleeps on a monotonic clock: ordinary sleeps and unchanged scheduling.

use super::{ActiveSettings, Request};
use crate::commands::bench::realtime::pacing::Clock;
use std::time::{Duration, Instant};

/// Rejects every request.
pub fn apply(request: &Request) -> ActiveSettings {
    let asked = [
        ("--lock-memory", request.lock_memory),
        ("--cpu", request.cpu.is_some()),
        ("--priority", request.priority.is_some()),
    ];
    let refuse = |(option, _)| format!("{option}: supported on Linux only; scheduling is unchanged");
    ActiveSettings {
        policy: "unchanged",
        priority: 0,
        cpus: Vec::new(),
        memory_locked: false,
        timer_slack_ns: 0,
        refused: asked.into_iter().filter(|(_, asked)| *asked).map(refuse).collect(),
    }
}

/// Not available on this system.
pub fn thread_time() -> Option<Duration> {
    None
}

/// The monotonic clock of the standard library, in ns since its creation.
#[derive(Default)]
pub struct Monotonic(Option<Instant>);

impl Monotonic {
    /// A new clock.
    pub fn new() -> Monotonic {
        Monotonic(None)
    }
}

impl Clock for Monotonic {
    fn now(&mut self) -> u64 {
        self.0.get_or_insert_with(Instant::now).elapsed().as_nanos() as u64
    }

    fn sleep_until(&mut self, time: u64) {
        let now = self.now();
        if time > now {
            std::thread::sleep(Duration::from_nanos(time - now));
        }
    }
}
