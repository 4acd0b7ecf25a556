//! Ctrl-C and SIGTERM; on Windows Ctrl-C, Ctrl-Break and a closed console. An interrupted command removes temporary
//! files and unpacked FMUs and does not change files under their final names.
//!
//! A thread waits for the signals, independently of the solver. A simulation uses [`defer`] so that it can write its
//! rows, and checks [`Deferred::requested`] between communication steps. A second signal ends the program at once.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// A command writes its results before it ends.
static DEFERRED: AtomicBool = AtomicBool::new(false);
/// Signal received by such a command; 0 for none.
static RECEIVED_SIGNAL: AtomicU8 = AtomicU8::new(0);
/// The program is being ended.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Starts waiting for signals. If this fails, the default handling of the system remains.
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
        // Events of the system have no number. The number of Ctrl-C on other systems gives the same exit code.
        const SIGINT: i32 = 2;
        let _ = ctrlc::set_handler(|| receive(SIGINT));
    }
}

/// Ends the program, or passes the signal to a command that deferred it.
#[cfg(any(unix, windows))]
fn receive(signal: i32) {
    let number = u8::try_from(signal).unwrap_or(u8::MAX);
    if DEFERRED.load(Ordering::SeqCst) && RECEIVED_SIGNAL.swap(number, Ordering::SeqCst) == 0 {
        return;
    }
    ENDING.store(true, Ordering::SeqCst);
    ballesta_files::temporary::remove_all();
    // No message, because an unread pipe would block it, and no exit handlers, because the other threads still run.
    #[cfg(unix)]
    signal_hook::low_level::exit(128 + signal);
    // Ends the other threads first.
    #[cfg(windows)]
    std::process::exit(128 + signal);
}

/// Waits if the program is ending: results of a command whose files are being removed are invalid.
pub fn settle() {
    while ENDING.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

/// Guard: while it exists, the first signal does not end the program.
pub struct Deferred(());

/// Defers the first signal.
pub fn defer() -> Deferred {
    DEFERRED.store(true, Ordering::SeqCst);
    Deferred(())
}

impl Deferred {
    /// Number of the received signal.
    pub fn requested(&self) -> Option<u8> {
        Some(RECEIVED_SIGNAL.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
    }
}

impl Drop for Deferred {
    fn drop(&mut self) {
        DEFERRED.store(false, Ordering::SeqCst);
    }
}
