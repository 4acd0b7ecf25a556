//! Systems without absolute sleeps on a monotonic clock: ordinary sleeps, and the scheduling as it is.

use super::{InForce, Request};
use crate::bench::realtime::pacing::Clock;
use std::time::{Duration, Instant};

/// Refuses whatever is asked for.
pub fn apply(request: &Request) -> InForce {
    let asked = [
        ("--lock-memory", request.lock_memory),
        ("--cpu", request.cpu.is_some()),
        ("--priority", request.priority.is_some()),
    ];
    let refuse = |(option, _)| format!("{option}: only known on Linux; scheduling stays as the system has it");
    InForce {
        policy: "unchanged",
        priority: 0,
        cpus: Vec::new(),
        memory_locked: false,
        timer_slack_ns: 0,
        refused: asked.into_iter().filter(|(_, asked)| *asked).map(refuse).collect(),
    }
}

/// Not known here.
pub fn thread_time() -> Option<Duration> {
    None
}

/// The monotonic clock of the standard library, in ns since the first look at it.
#[derive(Default)]
pub struct Monotonic(Option<Instant>);

impl Monotonic {
    /// A clock that has not been looked at.
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
