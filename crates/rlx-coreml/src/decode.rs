//! Reads a model from untrusted bytes, within a limit on memory (READ-1).

use prost::Message;
use rlx_driver::machine_memory;
use rlx_mil::message::Model;

/// Maximum bytes of memory for one byte of a message: two bytes may become a whole structure, and lists of structures take twice their size
/// while they grow.
const MOST_GROWTH: u64 = 512;

/// Why bytes are not a model.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// They are not a message of this kind.
    #[error("not a CoreML model: {0}")]
    Message(#[from] prost::DecodeError),
    /// Reading them could take more memory than the machine has.
    #[error(
        "the model has {bytes} bytes without its weights, which could take {MOST_GROWTH} times as many in memory; this machine has {memory}"
    )]
    TooLarge {
        /// The size of the model in bytes.
        bytes: u64,
        /// The memory of the machine in bytes.
        memory: u64,
    },
}

/// Decodes a model.
///
/// # Errors
/// Returns a [`DecodeError`]. A large model may also be refused on a machine with little memory, although it is valid.
pub fn decode(bytes: &[u8]) -> Result<Model, DecodeError> {
    decode_within(bytes, machine_memory().map_or(u64::MAX, |memory| memory.0))
}

fn decode_within(bytes: &[u8], memory: u64) -> Result<Model, DecodeError> {
    let len = bytes.len() as u64;
    if len.saturating_mul(MOST_GROWTH) > memory {
        return Err(DecodeError::TooLarge { bytes: len, memory });
    }
    Ok(Model::decode(bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_mil::message::{Block, NamedValueType, Operation, Value};

    /// Checks that no message in a list takes more than its share: twice the structure for two bytes.
    #[test]
    fn structures_are_as_small_as_is_counted_with() {
        let largest = [
            size_of::<Operation>(),
            size_of::<NamedValueType>(),
            size_of::<Value>(),
            size_of::<Block>(),
            size_of::<rlx_mil::message::FeatureDescription>(),
        ];
        for size in largest {
            assert!(3 * size as u64 / 2 <= MOST_GROWTH, "{size}");
        }
    }

    #[test]
    fn a_model_that_could_fill_the_memory_is_refused() {
        let bytes = Model::default().encode_to_vec();
        assert_eq!(decode(&bytes), Ok(Model::default()));
        let long = [bytes, vec![0x7a; 4096]].concat();
        assert!(matches!(decode(&long), Err(DecodeError::Message(_))));
        let error = decode_within(&long, 1 << 20).unwrap_err();
        assert_eq!(error, DecodeError::TooLarge { bytes: 4096, memory: 1 << 20 });
    }
}
