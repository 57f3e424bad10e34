//! Reads a model from bytes of unknown origin, within a limit on memory (READ-1).

use prost::Message;
use rlx_driver::machine_memory;
use rlx_mil::message::Model;

/// The bytes of memory that one byte of a message may become, at most: a message of two bytes is a structure of its own, and lists of them
/// are held twice while they grow.
const MOST_GROWTH: u64 = 512;

/// Why bytes are no model.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// They are no message of the kind.
    #[error("it is no CoreML model: {0}")]
    Message(#[from] prost::DecodeError),
    /// Reading them could take more memory than there is.
    #[error(
        "the model has {bytes} bytes without its weights, which could become {MOST_GROWTH} times as many in memory; this machine has {memory}"
    )]
    TooLarge {
        /// Its bytes.
        bytes: u64,
        /// The bytes of memory of the machine.
        memory: u64,
    },
}

/// A model from its bytes.
///
/// # Errors
/// A [`DecodeError`]; of a large model also where it is sound, and the machine small.
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

    /// No message that lists hold takes more than its share: twice the structure for two bytes.
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
