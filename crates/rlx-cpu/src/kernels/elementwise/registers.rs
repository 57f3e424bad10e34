//! Allocates parts of a program's scratch memory to registers. Sizes and offsets are in bytes per element.

/// Registers of a program.
#[derive(Default, Debug)]
pub(crate) struct Registers {
    /// (offset, size) of free registers.
    free: Vec<(usize, usize)>,
    /// (offset, size) of registers that will be freed.
    taken: Vec<(usize, usize)>,
    size: usize,
}

impl Registers {
    /// Allocates a register with elements of `size` bytes.
    pub(crate) fn take(&mut self, size: usize) -> usize {
        let found = self.free.iter().rposition(|r| r.1 == size);
        let register = match found {
            Some(i) => self.free.swap_remove(i),
            None => (self.lasting(size), size),
        };
        self.taken.push(register);
        register.0
    }

    /// Allocates a register that is never freed.
    pub(crate) fn lasting(&mut self, size: usize) -> usize {
        self.size += size;
        self.size - size
    }

    /// Frees the register at `offset` if it can be freed and its size is wanted.
    pub(crate) fn give_back(&mut self, offset: usize, wanted: impl Fn(usize) -> bool) {
        if let Some(i) = self.taken.iter().position(|r| r.0 == offset && wanted(r.1)) {
            self.free.push(self.taken.swap_remove(i));
        }
    }

    /// Returns the bytes per element of all registers together.
    pub(crate) fn size(&self) -> usize {
        self.size
    }
}
