//! Ctrl-C and SIGTERM; on Windows Ctrl-C, Ctrl-Break and a console that is closed. A command that is told to end leaves
//! nothing half done behind: temporary files and unpacked FMUs are removed, and no file under its final name is touched
//! any more.
//!
//! A thread waits for the signals; the solver knows nothing of them. A simulation whose rows are worth keeping asks for
//! the time to write them with [`defer`] and looks at [`Deferred::requested`] between communication steps. A second
//! signal ends the program at once all the same.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// A command writes what it has before it ends.
static DEFERRED: AtomicBool = AtomicBool::new(false);
/// The signal that such a command got, 0 for none.
static REQUESTED: AtomicU8 = AtomicU8::new(0);
/// The program is being ended.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Starts to wait for signals. Where that fails, the system's own handling stays.
pub fn watch() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return };
        let _ = std::thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                receive(signal);
            }
        });
    }
    #[cfg(windows)]
    {
        // What the system calls an event has no number; that of Ctrl-C elsewhere gives the same exit code.
        const SIGINT: i32 = 2;
        let _ = ctrlc::set_handler(|| receive(SIGINT));
    }
}

/// Ends the program, or hands the signal to the command that asked for it.
#[cfg(any(unix, windows))]
fn receive(signal: i32) {
    let number = u8::try_from(signal).unwrap_or(u8::MAX);
    if DEFERRED.load(Ordering::SeqCst) && REQUESTED.swap(number, Ordering::SeqCst) == 0 {
        return;
    }
    ENDING.store(true, Ordering::SeqCst);
    ballesta_experiment::temporary::remove_all();
    // Without a message, since a pipe that nobody reads would hold it up, and without the routines that run at an
    // ordinary end: the other threads are still at work.
    #[cfg(unix)]
    signal_hook::low_level::exit(128 + signal);
    // Ends the other threads first.
    #[cfg(windows)]
    std::process::exit(128 + signal);
}

/// Where the program is being ended, waits for that: what a command found while its files were taken from it is no
/// result.
pub fn settle() {
    while ENDING.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

/// While this lives, the first signal does not end the program.
pub struct Deferred(());

/// Takes over the first signal.
pub fn defer() -> Deferred {
    DEFERRED.store(true, Ordering::SeqCst);
    Deferred(())
}

impl Deferred {
    /// Number of the signal that came.
    pub fn requested(&self) -> Option<u8> {
        Some(REQUESTED.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
    }
}

impl Drop for Deferred {
    fn drop(&mut self) {
        DEFERRED.store(false, Ordering::SeqCst);
    }
}
