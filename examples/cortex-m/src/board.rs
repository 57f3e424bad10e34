//! The startup code of a Cortex-M4 for `Networks::judge`, and a debugger's console (semihosting), which QEMU provides.

use crate::Networks;
use core::arch::{asm, global_asm};
use core::fmt::{self, Write};

// The start of the processor: its stack, its first instruction, and one handler for all faults.
global_asm!(
    ".section .vectors, \"a\"",
    ".word stack_top",
    ".word start",
    ".rept 14",
    ".word fault",
    ".endr",
);

// Enables floating point, copies initial values to RAM, clears zero-initialized memory, and fills the stack with a
// pattern that later shows how much of it was used.
global_asm!(
    ".section .text.start, \"ax\"",
    ".global start",
    ".thumb_func",
    "start:",
    "ldr r0, =0xe000ed88",
    "ldr r1, [r0]",
    "orr r1, r1, #0xf00000",
    "str r1, [r0]",
    "dsb",
    "isb",
    "ldr r0, =data_start",
    "ldr r1, =data_end",
    "ldr r2, =data_source",
    "1: cmp r0, r1",
    "beq 2f",
    "ldr r3, [r2], #4",
    "str r3, [r0], #4",
    "b 1b",
    "2: ldr r1, =bss_end",
    "mov r3, #0",
    "3: cmp r0, r1",
    "beq 4f",
    "str r3, [r0], #4",
    "b 3b",
    "4: ldr r1, =stack_top",
    "ldr r3, =0x5afe5afe",
    "5: cmp r0, r1",
    "beq 6f",
    "str r3, [r0], #4",
    "b 5b",
    "6: bl run",
    ".global fault",
    ".thumb_func",
    "fault:",
    "bl stopped",
    ".ltorg",
);

const PAINT: u32 = 0x5afe_5afe;

unsafe extern "C" {
    static bss_end: u32;
    static stack_top: u32;
}

/// Makes a semihosting request to the debugger (an ARM convention).
fn ask(operation: u32, argument: u32) -> u32 {
    let answer;
    // SAFETY: the debugger reads the argument, and does not change memory in the operations used here.
    unsafe { asm!("bkpt #0xab", inlateout("r0") operation => answer, in("r1") argument) };
    answer
}

/// The debugger's console.
struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            // SYS_WRITEC takes the address of a character.
            ask(3, &raw const byte as u32);
        }
        Ok(())
    }
}

/// Ends the emulation. `good` determines the exit status.
fn exit(good: bool) -> ! {
    // SYS_EXIT: ADP_Stopped_ApplicationExit, or ADP_Stopped_InternalError.
    ask(0x18, if good { 0x20026 } else { 0x20024 });
    loop {}
}

/// The processor's own timer, SysTick, as a 24-bit clock.
mod timer {
    const CONTROL: *mut u32 = 0xe000_e010 as *mut u32;
    const RELOAD: *mut u32 = 0xe000_e014 as *mut u32;
    const VALUE: *mut u32 = 0xe000_e018 as *mut u32;
    const MOST: u32 = 0xff_ffff;

    /// Starts the timer with the processor's clock.
    pub fn start() {
        // SAFETY: every Cortex-M has these registers here, and nothing else uses them.
        unsafe {
            RELOAD.write_volatile(MOST);
            VALUE.write_volatile(0);
            CONTROL.write_volatile(0b101);
        }
    }

    /// The timer's value, which counts down from the start.
    pub fn ticks() -> u32 {
        // SAFETY: as above.
        MOST - unsafe { VALUE.read_volatile() }
    }
}

/// Instructions per tick: QEMU counts one nanosecond per instruction (`-icount shift=0`), and the clock of its board
/// runs at 25 MHz.
const INSTRUCTIONS_PER_TICK: u64 = 40;

/// Bytes of the stack that were written to since the start.
fn stack_bytes() -> usize {
    let (bottom, top) = (&raw const bss_end, &raw const stack_top);
    let mut at = bottom;
    // SAFETY: both are ends of the stack, which is aligned memory that is never freed. Reads are volatile, since the
    // stack is in use.
    while at < top && unsafe { at.read_volatile() } == PAINT {
        at = at.wrapping_add(1);
    }
    top as usize - at as usize
}

#[unsafe(no_mangle)]
extern "C" fn run() -> ! {
    static mut NETWORKS: Networks = Networks::new();
    // SAFETY: this function runs once, and nothing else names the static.
    let networks = unsafe { &mut *&raw mut NETWORKS };
    timer::start();
    let Ok(ticks) = networks.judge(&mut Console, timer::ticks) else { exit(false) };
    let _ = writeln!(Console, "instructions: {}", ticks * INSTRUCTIONS_PER_TICK);
    let _ = writeln!(Console, "stack: {} bytes", stack_bytes());
    exit(true)
}

#[unsafe(no_mangle)]
extern "C" fn stopped() -> ! {
    let _ = writeln!(Console, "the processor faulted");
    exit(false)
}

#[panic_handler]
fn panicked(panic: &core::panic::PanicInfo<'_>) -> ! {
    let _ = writeln!(Console, "{panic}");
    exit(false)
}
