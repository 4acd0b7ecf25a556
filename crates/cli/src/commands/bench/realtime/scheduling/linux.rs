//! Linux, through its C library.

use super::{ActiveSettings, Request};
use crate::commands::bench::realtime::pacing::Clock;
use std::io;
use std::mem::MaybeUninit;
use std::time::Duration;

/// Applies `request`, and the minimal timer slack, which needs no permission.
pub fn apply(request: &Request) -> ActiveSettings {
    let mut refused = Vec::new();
    let mut memory_locked = false;
    // SAFETY: plain numbers; only the slack of this thread's own timers changes.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64) };
    if request.lock_memory {
        // SAFETY: the call has flags only, and locking pages does not change their content.
        match succeeded(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) }) {
            Ok(()) => memory_locked = true,
            Err(error) => refused.push(format!(
                "--lock-memory: mlockall failed: {error}; raise the limit of locked memory (`ulimit -l`, or memlock in \
                 /etc/security/limits.conf), or grant the program the capability CAP_IPC_LOCK"
            )),
        }
    }
    if let Some(cpu) = request.cpu {
        let allowed = affinity();
        if let Err(error) = set_affinity(cpu) {
            refused.push(format!("--cpu {cpu}: sched_setaffinity failed: {error}; allowed CPUs: {allowed:?}"));
        }
    }
    if let Some(priority) = request.priority {
        let parameters = libc::sched_param { sched_priority: priority.into() };
        // SAFETY: the structure is initialised and only read; 0 is the calling thread.
        if let Err(error) = succeeded(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) }) {
            refused.push(format!(
                "--priority {priority}: sched_setscheduler(SCHED_FIFO) failed: {error}; raise the limit of real-time \
                 priorities (`ulimit -r`, or rtprio in /etc/security/limits.conf), or grant the program the capability \
                 CAP_SYS_NICE; a container needs it too"
            ));
        }
    }
    let (policy, priority) = policy();
    // SAFETY: the call only returns a number.
    let slack = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) };
    let timer_slack_ns = u64::try_from(slack).unwrap_or(0);
    ActiveSettings { policy, priority, cpus: affinity(), memory_locked, timer_slack_ns, refused }
}

/// Computing time of the calling thread, without waiting and interruptions by other threads.
pub fn thread_time() -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is initialised and written to during the call only.
    succeeded(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }).ok()?;
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

fn succeeded(status: libc::c_int) -> Result<(), io::Error> {
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn set_affinity(cpu: u16) -> Result<(), io::Error> {
    let cpu = usize::from(cpu);
    if cpu >= libc::CPU_SETSIZE as usize {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    // SAFETY: a set of CPUs is an array of integers; all zeros is the empty set.
    let mut set: libc::cpu_set_t = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: the number is within the set.
    unsafe { libc::CPU_SET(cpu, &mut set) };
    // SAFETY: the set is initialised, of the size given, and only read; 0 is the calling thread.
    succeeded(unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) })
}

/// CPUs of this thread; empty if unknown.
fn affinity() -> Vec<usize> {
    // SAFETY: as in `set_affinity`.
    let mut set: libc::cpu_set_t = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: the set has the size given and is written to; 0 is the calling thread.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) } != 0 {
        return Vec::new();
    }
    // SAFETY: all numbers are within the set.
    (0..libc::CPU_SETSIZE as usize).filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, &set) }).collect()
}

fn policy() -> (&'static str, i32) {
    let mut parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the structure is written to; 0 is the calling thread.
    let policy = unsafe {
        libc::sched_getparam(0, &raw mut parameters);
        libc::sched_getscheduler(0)
    };
    let name = match policy & !libc::SCHED_RESET_ON_FORK {
        libc::SCHED_OTHER => "SCHED_OTHER",
        libc::SCHED_FIFO => "SCHED_FIFO",
        libc::SCHED_RR => "SCHED_RR",
        libc::SCHED_BATCH => "SCHED_BATCH",
        libc::SCHED_IDLE => "SCHED_IDLE",
        _ => "unknown",
    };
    (name, parameters.sched_priority)
}

/// CLOCK_MONOTONIC with absolute sleeps.
#[derive(Default)]
pub struct Monotonic;

impl Monotonic {
    /// The clock of the system.
    pub fn new() -> Monotonic {
        Monotonic
    }
}

impl Clock for Monotonic {
    fn now(&mut self) -> u64 {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the structure is written to. The call cannot fail: every Linux has this clock.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }

    fn sleep_until(&mut self, time: u64) {
        let time = libc::timespec { tv_sec: (time / 1_000_000_000) as _, tv_nsec: (time % 1_000_000_000) as _ };
        let sleep = || {
            // SAFETY: the time is initialised and only read; the remainder of an interrupted sleep is not requested.
            unsafe {
                libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &raw const time, std::ptr::null_mut())
            }
        };
        // A handled signal ends the sleep, not the wait.
        while sleep() == libc::EINTR {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sleep_ends_before_its_time() {
        let mut clock = Monotonic::new();
        let time = clock.now() + 2_000_000;
        clock.sleep_until(time);
        assert!(clock.now() >= time);
        clock.sleep_until(time - 1_000_000);
    }

    #[test]
    fn what_is_in_force_is_read_from_the_system() {
        // A separate thread, so that the other tests keep their scheduling.
        std::thread::spawn(|| {
            let before = apply(&Request::default());
            assert!(!before.cpus.is_empty() && before.refused.is_empty() && !before.memory_locked, "{before:?}");
            assert_eq!(before.timer_slack_ns, 1);
            let cpu = before.cpus[0] as u16;
            let bound = apply(&Request { cpu: Some(cpu), ..Request::default() });
            assert_eq!((bound.cpus, bound.refused), (vec![usize::from(cpu)], vec![]));
            let refused = apply(&Request { cpu: Some(1023), ..Request::default() }).refused;
            assert!(refused[0].contains("--cpu 1023: sched_setaffinity failed: Invalid argument"), "{refused:?}");
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_priority_is_in_force_or_refused_with_its_remedy() {
        std::thread::spawn(|| {
            let found = apply(&Request { priority: Some(1), ..Request::default() });
            match found.refused.as_slice() {
                [] => assert_eq!((found.policy, found.priority), ("SCHED_FIFO", 1)),
                [refusal] => assert!(refusal.contains("CAP_SYS_NICE") && found.policy != "SCHED_FIFO", "{found:?}"),
                more => panic!("{more:?}"),
            }
        })
        .join()
        .unwrap();
    }
}
