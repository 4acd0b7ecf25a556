//! The floating-point environment of a call.
//!
//! A host may round in another direction, flush subnormal numbers to zero, or trap exceptions, on purpose or because a
//! library that it has loaded does so. Results must not depend on that, and a trap would end the host. So
//! [`in_default`] surrounds every call. It sets rounding to nearest, keeps subnormal numbers and masks all exceptions
//! before the first floating-point operation. At the end it restores the register of the host as a whole, exception
//! flags included: no call raises one for the host. Callbacks run in the environment of the host
//! ([`Environment::run`]); afterwards the environment of the call is restored.
//!
//! | instruction set | register |
//! |---|---|
//! | x86-64 | MXCSR |
//! | AArch64 | FPCR and FPSR |
//! | others | none is set |
//!
//! The control word of the x87 unit is unchanged: on x86-64 Rust computes with SSE alone, and the harness verifies that
//! the library contains no x87 instruction.
//!
//! The compiler assumes the default environment everywhere and may move operations across assembly. They cannot leave a
//! function that is not inlined, so the work is in such a function.
//!
//! Proof: `tests/harness/test_hosts.py`, which calls every function in every mode.

/// Contents of the control and status register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Environment(register::Word);

impl Environment {
    /// Rounding to nearest, subnormal numbers kept, all exceptions masked, none raised.
    pub(crate) const DEFAULT: Environment = Environment(register::DEFAULT);

    /// Runs `work` in this environment and restores the present one, also after a panic.
    pub(crate) fn run<T>(self, work: impl FnOnce() -> T) -> T {
        let _before = Restored(register::read());
        register::write(self.0);
        apart(work)
    }
}

/// Runs `work` in the default environment and passes it the environment of the caller.
pub(crate) fn in_default<T>(work: impl FnOnce(Environment) -> T) -> T {
    let host = Environment(register::read());
    Environment::DEFAULT.run(|| work(host))
}

#[inline(never)]
fn apart<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Writes the register when dropped.
struct Restored(register::Word);

impl Drop for Restored {
    fn drop(&mut self) {
        register::write(self.0);
    }
}

#[cfg(target_arch = "x86_64")]
mod register {
    use std::arch::asm;

    pub(super) type Word = u32;
    pub(super) const DEFAULT: Word = 0x1f80;

    pub(super) fn read() -> Word {
        let mut word = 0;
        // SAFETY: `stmxcsr` writes four bytes, which `word` has.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
        word
    }

    pub(super) fn write(word: Word) {
        // SAFETY: `ldmxcsr` reads four bytes, which `word` has. They are the default or were read from the register, so
        // no reserved bit is set, which would be a fault. Only the host computes in another environment than the
        // default: `run` and `apart` keep all work of this library inside the default one.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod register {
    use std::arch::asm;

    pub(super) type Word = (u64, u64);
    pub(super) const DEFAULT: Word = (0, 0);

    pub(super) fn read() -> Word {
        let control: u64;
        let status: u64;
        // SAFETY: both registers can be read by every program.
        unsafe {
            asm!("mrs {}, fpcr", out(reg) control, options(nostack, preserves_flags));
            asm!("mrs {}, fpsr", out(reg) status, options(nostack, preserves_flags));
        }
        (control, status)
    }

    pub(super) fn write((control, status): Word) {
        // SAFETY: both registers can be written by every program. The values are zero or were read from the registers.
        // Only the host computes in another environment than the default: `run` and `apart` keep all work of this
        // library inside the default one.
        unsafe { asm!("msr fpcr, {}", "msr fpsr, {}", in(reg) control, in(reg) status, options(nostack)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_family = "wasm")))]
compile_error!("write how this processor sets its floating-point environment");

// WebAssembly has only the default environment.
#[cfg(target_family = "wasm")]
mod register {
    pub(super) type Word = ();
    pub(super) const DEFAULT: Word = ();

    pub(super) fn read() -> Word {}

    pub(super) fn write((): Word) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_restores_the_environment() {
        let before = register::read();
        let caught = std::panic::catch_unwind(|| in_default(|_| panic!("on purpose")));
        assert!(caught.is_err());
        assert_eq!(register::read(), before);
    }
}
