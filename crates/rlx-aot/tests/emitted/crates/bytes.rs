//! Elements as bytes, for programs that run emitted crates on files.

pub trait Element: Copy {
    const ZERO: Self;
    const SIZE: usize;
    fn read(bytes: &[u8]) -> Self;
    fn write(self, out: &mut Vec<u8>);
}

macro_rules! number {
    ($($t:ty),*) => {$(impl Element for $t {
        const ZERO: Self = 0 as $t;
        const SIZE: usize = size_of::<$t>();
        fn read(bytes: &[u8]) -> Self { <$t>::from_le_bytes(bytes.try_into().unwrap()) }
        fn write(self, out: &mut Vec<u8>) { out.extend(self.to_le_bytes()) }
    })*};
}
number!(f32, f64, i8, i16, i32, i64, u8, u16, u32, u64);

impl Element for bool {
    const ZERO: Self = false;
    const SIZE: usize = 1;
    fn read(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
    fn write(self, out: &mut Vec<u8>) {
        out.push(u8::from(self))
    }
}

impl<T: Element> Element for [T; 2] {
    const ZERO: Self = [T::ZERO; 2];
    const SIZE: usize = 2 * T::SIZE;
    fn read(bytes: &[u8]) -> Self {
        [T::read(&bytes[..T::SIZE]), T::read(&bytes[T::SIZE..])]
    }
    fn write(self, out: &mut Vec<u8>) {
        self.into_iter().for_each(|x| x.write(out))
    }
}

pub fn take<T: Element>(input: &mut &[u8], count: usize) -> Vec<T> {
    let (bytes, rest) = input.split_at(count * T::SIZE);
    *input = rest;
    bytes.chunks_exact(T::SIZE).map(T::read).collect()
}

pub fn new<T: Element>(count: usize) -> Vec<T> {
    vec![T::ZERO; count]
}

pub fn give<T: Element>(output: &mut Vec<u8>, values: &[T]) {
    values.iter().for_each(|x| x.write(output))
}
