//! Detects whether the matrix unit (AMX) can be used. The processor must have it, and the operating system must let this process save its
//! registers.

/// Returns whether this process may use AMX-BF16. The first call asks the system for it.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(super) fn is_available() -> bool {
    use std::sync::OnceLock;
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| has_bf16() && permitted())
}

/// No other system is known to allow a process to use it.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub(super) fn is_available() -> bool {
    false
}

/// Returns whether the processor has tiles and products of bf16 tiles: leaf 7 of CPUID, bits 24 and 22 of EDX.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn has_bf16() -> bool {
    use std::arch::x86_64::__cpuid_count;
    // SAFETY: every x86-64 processor has the instruction. (Newer compilers know this.)
    #[allow(unused_unsafe)]
    let (highest, features) = unsafe { (__cpuid_count(0, 0).eax, __cpuid_count(7, 0).edx) };
    highest >= 7 && features >> 24 & 1 == 1 && features >> 22 & 1 == 1
}

/// Asks Linux for permission to use the registers: `arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA)`, see x86/xstate.rst in its
/// documentation. Linux refuses if it cannot save them.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn permitted() -> bool {
    const ARCH_REQ_XCOMP_PERM: usize = 0x1023;
    const XFEATURE_XTILEDATA: usize = 18;
    const SYS_ARCH_PRCTL: usize = 158;
    let result: isize;
    // SAFETY: the call takes two numbers and touches no memory of ours.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") SYS_ARCH_PRCTL => result,
            in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") XFEATURE_XTILEDATA,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result == 0
}
