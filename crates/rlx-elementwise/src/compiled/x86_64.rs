//! Encodes loops for x86-64: AVX2 and AVX-512. The encodings are VEX and EVEX in Intel's *Software Developer's Manual*, volume 2. The code
//! calls nothing, and accesses only the memory at its pointers.
//!
//! `rdi` is the list of pointers, `rsi` the size of whole vectors in bytes, and `rdx` the lanes of the remainder: a mask or a pointer to
//! one. `rax` counts bytes. Registers 13 to 15 (AVX2), or 30 and 31 (AVX-512), hold values that are used within one step.

use super::schedule::{Action, MAX_MOVING, Schedule, schedule};
use super::{Arithmetic, LoopError, LoopSource, LoopSpec, MAX_STREAMS};
use crate::isa::{Cpu, Isa};

/// General registers for moving pointers, starting with those that need not be preserved.
const POINTERS: [u8; MAX_MOVING] = [1, 8, 9, 10, 11, 3, 5, 12, 13, 14, 15, 7];
/// How many of them need not be preserved.
const VOLATILE: usize = 5;
const RAX: u8 = 0;
const RDX: u8 = 2;
const RDI: u8 = 7;
/// The vector register that holds the lanes of a remainder with AVX2.
const MASK: u8 = 15;

/// The type of the compiled function: pointers, size of whole vectors in bytes, and the lanes of the remainder, or 0.
type Function = unsafe extern "sysv64" fn(streams: *const *const u8, bytes: usize, rest: usize);

/// Lanes of a remainder, by where they begin: −1 for each of its elements, then 0.
static LANES: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// A loop as machine code.
#[derive(Debug)]
pub struct MachineCode {
    memory: memmap2::Mmap,
    /// Size of an element and of a vector in bytes.
    element: usize,
    vector: usize,
}

impl MachineCode {
    pub(super) fn new(spec: &LoopSpec, cpu: Cpu) -> Result<MachineCode, LoopError> {
        let is_wide = match cpu.isa() {
            Isa::Avx512 | Isa::Amx => true,
            Isa::Avx2 => false,
            Isa::Baseline | Isa::Neon => return Err(LoopError::Processor(cpu.isa().name())),
        };
        let code = assemble(spec, is_wide).ok_or(LoopError::TooLarge)?;
        let mut memory = memmap2::MmapMut::map_anon(code.len()).map_err(LoopError::Memory)?;
        memory.copy_from_slice(&code);
        let memory = memory.make_exec().map_err(LoopError::Memory)?;
        let (element, vector) = (if spec.is_double { 8 } else { 4 }, if is_wide { 64 } else { 32 });
        Ok(MachineCode { memory, element, vector })
    }

    /// Runs the loop on `len` elements.
    ///
    /// # Safety
    /// `streams` are the pointers of the loop's specification: those that move are valid for `len` elements, the others for one. What is
    /// stored overlaps nothing else that is read or stored, or is exactly at the address of something that is read.
    #[inline]
    pub unsafe fn run(&self, streams: &[*const u8; MAX_STREAMS], len: usize) {
        let bytes = len * self.element;
        let rest = bytes % self.vector / self.element;
        let lanes = match rest {
            0 => 0,
            _ if self.vector == 64 => (1 << rest) - 1,
            _ => LANES[8 - rest * self.element / 4..].as_ptr() as usize,
        };
        // SAFETY: the memory holds a function of this type, whose instructions the processor has been proved to have; the caller vouches
        // for the pointers.
        unsafe {
            let function: Function = std::mem::transmute(self.memory.as_ptr());
            function(streams.as_ptr(), bytes - bytes % self.vector, lanes);
        }
    }
}

/// Returns the code of a loop, with vectors of 64 or of 32 bytes, or `None` if it has too many values or pointers.
fn assemble(spec: &LoopSpec, is_wide: bool) -> Option<Vec<u8>> {
    let (registers, scratch) = if is_wide { (30, [30, 31]) } else { (13, [13, 14]) };
    let schedule = schedule(spec, registers)?;
    let (code, is_double) = (Vec::new(), spec.is_double);
    let mut assembler = Assembler { code, is_wide, is_double, scratch, pointers: Vec::new() };
    assembler.function(&schedule);
    Some(assembler.code)
}

/// The parts that identify an instruction, with the numbers that VEX and EVEX give them: the map of opcodes, the prefix before it, and so
/// on.
#[derive(Clone, Copy)]
struct Encoding {
    map: u8,
    prefix: u8,
    w: bool,
    opcode: u8,
    /// Whether the instruction operates on whole vectors rather than on 16 bytes.
    is_whole: bool,
}

impl Encoding {
    /// An instruction in opcode map `0F` or a later one, with the prefix `66`.
    fn with_66(map: u8, w: bool, opcode: u8) -> Encoding {
        Encoding { map, prefix: 1, w, opcode, is_whole: true }
    }
}

/// The location of an instruction's last operand.
#[derive(Clone, Copy)]
enum LastOperand {
    Register(u8),
    /// The memory at the address in a general register plus `rax`.
    Moving(u8),
    /// The memory at the address in a general register.
    Fixed(u8),
}

/// Which lanes an instruction writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lanes {
    All,
    /// The lanes of the remainder, in mask register 1; the others are not changed.
    Rest,
    /// The lanes of mask register 2; the others are not changed.
    Chosen,
}

struct Assembler {
    code: Vec<u8>,
    is_wide: bool,
    is_double: bool,
    scratch: [u8; 2],
    /// The moving pointers and the registers that hold them.
    pointers: Vec<(usize, u8)>,
}

impl Assembler {
    fn function(&mut self, schedule: &Schedule) {
        let saved: Vec<u8> = POINTERS[..schedule.moving.len()].iter().skip(VOLATILE).copied().collect();
        saved.iter().filter(|&&r| r != RDI).for_each(|&r| self.push(r));
        for &(register, source) in &schedule.lasting {
            match source {
                LoopSource::Constant(bits) => self.number(register, bits),
                LoopSource::Uniform(stream) | LoopSource::Moving(stream) => {
                    self.pointer(RAX, stream);
                    self.broadcast(register, LastOperand::Fixed(RAX));
                }
            }
        }
        for (&stream, register) in schedule.moving.iter().zip(POINTERS) {
            self.pointer(register, stream);
            self.pointers.push((stream, register));
        }
        self.bytes(&[0x31, 0xC0]); // xor eax, eax
        self.bytes(&[0x48, 0x85, 0xF6]); // test rsi, rsi
        let no_whole = self.jump_if_zero();
        let start = self.code.len();
        schedule.actions.iter().for_each(|&action| self.action(action, Lanes::All));
        self.bytes(&[0x48, 0x83, 0xC0, if self.is_wide { 64 } else { 32 }]); // add rax, vector
        self.bytes(&[0x48, 0x39, 0xF0]); // cmp rax, rsi
        self.bytes(&[0x0F, 0x82]); // jb start
        let back = start as i32 - (self.code.len() as i32 + 4);
        self.bytes(&back.to_le_bytes());
        self.land(no_whole);
        self.bytes(&[0x48, 0x85, 0xD2]); // test rdx, rdx
        let no_rest = self.jump_if_zero();
        if self.is_wide {
            self.bytes(&[0xC5, 0xF8, 0x92, 0xCA]); // kmovw k1, edx
        } else {
            self.float(0x10, MASK, 0, LastOperand::Fixed(RDX), Lanes::All); // vmovups ymm15, [rdx]
        }
        schedule.actions.iter().for_each(|&action| self.action(action, Lanes::Rest));
        self.land(no_rest);
        self.bytes(&[0xC5, 0xF8, 0x77]); // vzeroupper
        saved.iter().rev().filter(|&&r| r != RDI).for_each(|&r| self.pop(r));
        self.bytes(&[0xC3]); // ret
    }

    fn action(&mut self, action: Action, lanes: Lanes) {
        match action {
            Action::Load { to, stream } => self.access([0x10, 0x2C], to, stream, lanes),
            Action::Store { from, stream } => self.access([0x11, 0x2E], from, stream, lanes),
            Action::Compute { arithmetic, to, of: [a, b] } => self.compute(arithmetic, to, a, b),
        }
    }

    /// Loads or stores with `vmovups`, or with `vmaskmovps` for the remainder with AVX2.
    fn access(&mut self, [whole, masked]: [u8; 2], register: u8, stream: usize, lanes: Lanes) {
        let Some(&(_, pointer)) = self.pointers.iter().find(|p| p.0 == stream) else { return };
        if lanes == Lanes::Rest && !self.is_wide {
            let opcode = masked + u8::from(self.is_double);
            let encoding = Encoding::with_66(2, false, opcode);
            self.instruction(encoding, register, MASK, LastOperand::Moving(pointer), Lanes::All);
        } else {
            self.float(whole, register, 0, LastOperand::Moving(pointer), lanes);
        }
    }

    fn compute(&mut self, arithmetic: Arithmetic, to: u8, a: u8, b: u8) {
        let opcode = match arithmetic {
            Arithmetic::Sqrt => return self.float(0x51, to, 0, LastOperand::Register(a), Lanes::All),
            Arithmetic::Maximum => return self.extremum(0x5F, 0x54, to, a, b),
            Arithmetic::Minimum => return self.extremum(0x5D, 0x56, to, a, b),
            Arithmetic::Add => 0x58,
            Arithmetic::Mul => 0x59,
            Arithmetic::Sub => 0x5C,
            Arithmetic::Div => 0x5E,
            Arithmetic::And => 0x54,
            Arithmetic::Xor => 0x57,
        };
        self.float(opcode, to, a, LastOperand::Register(b), Lanes::All);
    }

    /// The instruction for extrema returns its second operand if both are zeros or one is NaN. So it is executed with both orders of
    /// operands, and the bits of the results are combined, which is right for zeros. If one is NaN, the result is the sum.
    fn extremum(&mut self, opcode: u8, join: u8, to: u8, a: u8, b: u8) {
        let [first, second] = self.scratch;
        self.float(opcode, first, a, LastOperand::Register(b), Lanes::All);
        self.float(opcode, second, b, LastOperand::Register(a), Lanes::All);
        self.float(join, to, first, LastOperand::Register(second), Lanes::All);
        const UNORDERED: u8 = 3;
        if self.is_wide {
            self.float(0xC2, 2, a, LastOperand::Register(b), Lanes::All); // vcmpps k2
            self.bytes(&[UNORDERED]);
            self.float(0x58, to, a, LastOperand::Register(b), Lanes::Chosen); // vaddps to{k2}
        } else {
            self.float(0x58, first, a, LastOperand::Register(b), Lanes::All); // vaddps
            self.float(0xC2, second, a, LastOperand::Register(b), Lanes::All); // vcmpps
            self.bytes(&[UNORDERED]);
            let opcode = 0x4A + u8::from(self.is_double); // vblendvps
            self.instruction(
                Encoding::with_66(3, false, opcode),
                to,
                to,
                LastOperand::Register(first),
                Lanes::All,
            );
            self.bytes(&[second << 4]);
        }
    }

    /// Writes a constant to all lanes.
    fn number(&mut self, register: u8, bits: u64) {
        if self.is_double {
            self.bytes(&[0x48, 0xB8]); // mov rax, bits
            self.bytes(&bits.to_le_bytes());
        } else {
            self.bytes(&[0xB8]); // mov eax, bits
            self.bytes(&(bits as u32).to_le_bytes());
        }
        let first_lane = Encoding { is_whole: false, ..Encoding::with_66(1, self.is_double, 0x6E) };
        self.instruction(first_lane, register, 0, LastOperand::Register(RAX), Lanes::All); // vmovd, vmovq
        self.broadcast(register, LastOperand::Register(register));
    }

    /// Copies a number to all lanes.
    fn broadcast(&mut self, register: u8, from: LastOperand) {
        let opcode = 0x18 + u8::from(self.is_double);
        let encoding = Encoding::with_66(2, self.is_double && self.is_wide, opcode);
        self.instruction(encoding, register, 0, from, Lanes::All);
    }

    /// Writes an instruction on floats of the loop's type.
    fn float(&mut self, opcode: u8, to: u8, a: u8, b: LastOperand, lanes: Lanes) {
        let w = self.is_double && self.is_wide;
        let encoding = Encoding { map: 1, prefix: u8::from(self.is_double), w, opcode, is_whole: true };
        self.instruction(encoding, to, a, b, lanes);
    }

    /// Writes an instruction with registers `to` and `a`, where `a` is 0 if there are only two operands, and the last operand.
    fn instruction(&mut self, encoding: Encoding, to: u8, a: u8, b: LastOperand, lanes: Lanes) {
        let (LastOperand::Register(rm) | LastOperand::Moving(rm) | LastOperand::Fixed(rm)) = b;
        if self.is_wide {
            self.evex(encoding, [to, a, rm], lanes);
        } else {
            self.vex(encoding, [to, a, rm]);
        }
        self.bytes(&[encoding.opcode]);
        self.operands(to, b);
    }

    /// The prefix of three bytes. The fourth bits of registers and the second operand are inverted.
    fn vex(&mut self, encoding: Encoding, [to, a, rm]: [u8; 3]) {
        let inverted = |register: u8| !register >> 3 & 1;
        let first = inverted(to) << 7 | 1 << 6 | inverted(rm) << 5 | encoding.map;
        let length = u8::from(encoding.is_whole) << 2;
        let second = u8::from(encoding.w) << 7 | (!a & 15) << 3 | length | encoding.prefix;
        self.bytes(&[0xC4, first, second]);
    }

    /// The prefix of four bytes, for 32 registers and masks. The fifth bit of the last operand is in the place of the fourth bit of an
    /// index register.
    fn evex(&mut self, encoding: Encoding, [to, a, rm]: [u8; 3], lanes: Lanes) {
        let inverted = |register: u8, bit: u8| !register >> bit & 1;
        let first = inverted(to, 3) << 7
            | inverted(rm, 4) << 6
            | inverted(rm, 3) << 5
            | inverted(to, 4) << 4
            | encoding.map;
        let second = u8::from(encoding.w) << 7 | (!a & 15) << 3 | 1 << 2 | encoding.prefix;
        let mask = match lanes {
            Lanes::All => 0,
            Lanes::Rest => 1,
            Lanes::Chosen => 2,
        };
        let length = if encoding.is_whole { 2 << 5 } else { 0 };
        self.bytes(&[0x62, first, second, length | inverted(a, 4) << 3 | mask]);
    }

    /// Writes the bytes that encode the first and the last operand.
    fn operands(&mut self, to: u8, place: LastOperand) {
        let field = (to & 7) << 3;
        match place {
            LastOperand::Register(r) => self.bytes(&[0xC0 | field | r & 7]),
            // With a displacement of 0, because then every register may be a base.
            LastOperand::Moving(r) => self.bytes(&[0x44 | field, RAX << 3 | r & 7, 0]),
            LastOperand::Fixed(r) => self.bytes(&[0x40 | field | r & 7, 0]),
        }
    }

    /// Reads a pointer from the list.
    fn pointer(&mut self, register: u8, stream: usize) {
        let rex = 0x48 | (register >> 3) << 2;
        self.bytes(&[rex, 0x8B, 0x80 | (register & 7) << 3 | RDI]); // mov register, [rdi + 8·stream]
        self.bytes(&(8 * stream as u32).to_le_bytes());
    }

    fn push(&mut self, register: u8) {
        self.bytes(&[0x40 | register >> 3, 0x50 | register & 7]);
    }

    fn pop(&mut self, register: u8) {
        self.bytes(&[0x40 | register >> 3, 0x58 | register & 7]);
    }

    /// Writes a jump forward, and returns where its distance is stored.
    fn jump_if_zero(&mut self) -> usize {
        self.bytes(&[0x0F, 0x84, 0, 0, 0, 0]);
        self.code.len() - 4
    }

    /// Makes a jump go to the next instruction.
    fn land(&mut self, jump: usize) {
        let distance = (self.code.len() - jump - 4) as i32;
        self.code[jump..jump + 4].copy_from_slice(&distance.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.code.extend_from_slice(bytes);
    }
}
