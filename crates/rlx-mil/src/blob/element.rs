//! The element types of weights files.

use std::fmt;

macro_rules! blob_types {
    ($($variant:ident $code:literal $bits:literal $name:literal)*) => {
        /// The element type of a blob. The names say how many bits an element has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum BlobType {
            $(#[doc = concat!("`", $name, "`, code ", $code, ".")] $variant,)*
        }

        impl BlobType {
            /// All types, by code.
            pub const ALL: &[BlobType] = &[$(BlobType::$variant),*];

            /// Returns the code of the type in files.
            pub fn code(self) -> u32 {
                match self { $(BlobType::$variant => $code,)* }
            }

            /// Returns the type with a code.
            pub fn of_code(code: u32) -> Option<BlobType> {
                match code { $($code => Some(BlobType::$variant),)* _ => None }
            }

            /// Returns the number of bits of an element.
            pub fn bits(self) -> u32 {
                match self { $(BlobType::$variant => $bits,)* }
            }

            /// Returns the name of the type in programs.
            pub fn name(self) -> &'static str {
                match self { $(BlobType::$variant => $name,)* }
            }
        }
    };
}

blob_types! {
    F16 1 16 "fp16"
    F32 2 32 "fp32"
    U8 3 8 "uint8"
    I8 4 8 "int8"
    BF16 5 16 "bf16"
    I16 6 16 "int16"
    U16 7 16 "uint16"
    I4 8 4 "int4"
    U1 9 1 "uint1"
    U2 10 2 "uint2"
    U4 11 4 "uint4"
    U3 12 3 "uint3"
    U6 13 6 "uint6"
    I32 14 32 "int32"
    U32 15 32 "uint32"
    F8E4M3FN 16 8 "fp8e4m3fn"
    F8E5M2 17 8 "fp8e5m2"
}

impl BlobType {
    /// Returns the number of bytes that elements of this type take.
    pub(crate) fn bytes_of(self, elements: u64) -> u128 {
        (u128::from(elements) * u128::from(self.bits())).div_ceil(8)
    }

    /// Packs elements as in files: the low [`bits`](Self::bits) of each number, with the first element in the lowest bits of the first
    /// byte; unused bits of the last byte are zero. Returns `None` if an element has more than 8 bits.
    pub fn pack(self, elements: impl IntoIterator<Item = u8>) -> Option<Vec<u8>> {
        let bits = self.bits();
        if bits > 8 {
            return None;
        }
        let elements = elements.into_iter();
        let mut bytes = Vec::with_capacity((elements.size_hint().0 / 8).saturating_mul(bits as usize));
        let (mut pending, mut filled) = (0u16, 0);
        for element in elements {
            pending |= (u16::from(element) & ((1 << bits) - 1)) << filled;
            filled += bits;
            if filled >= 8 {
                bytes.push(pending as u8);
                pending >>= 8;
                filled -= 8;
            }
        }
        if filled > 0 {
            bytes.push(pending as u8);
        }
        Some(bytes)
    }

    /// Unpacks the bytes that [`pack`](Self::pack) made, with each element in the low bits of a number: as many elements as fit in the
    /// bytes. Returns `None` if an element has more than 8 bits.
    pub fn unpack(self, bytes: &[u8]) -> Option<impl Iterator<Item = u8>> {
        let bits = self.bits() as usize;
        let all = bytes.len().saturating_mul(8) / bits;
        let element = move |i: usize| {
            let (byte, shift) = (i * bits / 8, i * bits % 8);
            let next = bytes.get(byte + 1).copied().unwrap_or(0);
            let pair = u16::from_le_bytes([bytes[byte], next]);
            ((pair >> shift) & ((1 << bits) - 1)) as u8
        };
        (bits <= 8).then(|| (0..all).map(element))
    }
}

impl fmt::Display for BlobType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_counted_from_one() {
        for (i, &blob_type) in BlobType::ALL.iter().enumerate() {
            assert_eq!(blob_type.code() as usize, i + 1);
            assert_eq!(BlobType::of_code(blob_type.code()), Some(blob_type));
        }
        assert_eq!(BlobType::ALL.len(), 17);
        assert_eq!((BlobType::of_code(0), BlobType::of_code(18)), (None, None));
    }

    #[test]
    fn packing_fills_bytes_from_their_low_bits() {
        assert_eq!(BlobType::U3.pack([1, 2, 3, 4, 5]).unwrap(), [0xD1, 0x58]);
        assert_eq!(BlobType::I4.pack([-1i8, -8, 7].map(|v| v as u8)).unwrap(), [0x8F, 0x07]);
        assert_eq!(BlobType::U8.pack([3, 255]).unwrap(), [3, 255]);
        assert!(BlobType::F16.pack([1]).is_none() && BlobType::F16.unpack(&[1, 2]).is_none());
        for &blob_type in BlobType::ALL.iter().filter(|t| t.bits() <= 8) {
            for count in 0..40u8 {
                let mask = ((1u16 << blob_type.bits()) - 1) as u8;
                let elements: Vec<u8> =
                    (0..count).map(|i| i.wrapping_mul(151).wrapping_add(7) & mask).collect();
                let bytes = blob_type.pack(elements.iter().copied()).unwrap();
                assert_eq!(bytes.len() as u128, blob_type.bytes_of(count.into()));
                let back = blob_type.unpack(&bytes).unwrap().take(count.into());
                assert_eq!(back.collect::<Vec<u8>>(), elements, "{blob_type}");
            }
        }
    }
}
