//! Counting heap allocations of one thread, for `ballesta bench`.
//!
//! The binary installs [`Counting`] as its global allocator. It forwards every request to the system allocator and
//! counts the requests of a thread only while [`count`] runs on it. The library of an FMU has its own allocator, so its
//! requests are not counted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Requests of this thread so far; `None` while counting is off. Const-initialised and without a destructor, so
    /// reading it never allocates and works while a thread ends.
    static REQUESTS: Cell<Option<u64>> = const { Cell::new(None) };
}

/// System allocator with a counter.
pub struct Counting;

fn note_request() {
    // `try_with` fails only while the thread's storage is destroyed; counting is off then.
    let _ = REQUESTS.try_with(|requests| requests.set(requests.get().map(|n| n + 1)));
}

// SAFETY: every method forwards its arguments unchanged to `System`, which fulfils the contract of `GlobalAlloc`; the
// counter touches only a thread-local `Cell` and neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note_request();
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of `dealloc`; the block came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note_request();
        // SAFETY: the caller upholds the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note_request();
        // SAFETY: the caller upholds the contract of `realloc`; the block came from `System`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Runs `work` and counts the allocations (and reallocations) of this thread during it; `None` when [`Counting`] is
/// not the global allocator of this program. Not to be nested.
pub fn count<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    let start = || REQUESTS.with(|requests| requests.set(Some(0)));
    let stop = || REQUESTS.with(|requests| requests.take()).unwrap_or(0);
    start();
    drop(std::hint::black_box(Box::new(0_u64)));
    let installed = stop() > 0;
    start();
    let value = work();
    let counted = stop();
    (value, installed.then_some(counted))
}
