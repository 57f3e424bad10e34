//! Options of a compile: XLA's `CompileOptionsProto` in protobuf's wire format.
//!
//! Fields by number, from `xla/pjrt/proto/compile_options.proto`: 3 is `executable_build_options`, in which 1 is
//! `device_ordinal`, 4 `num_replicas`, 5 `num_partitions` and 9 `device_assignment` (1 replicas, 2 computations, 3 for each computation
//! a message of the numbers of its devices, field 1); 7 is the map `env_option_overrides` from names of XLA's
//! debug options to values, in which 2 is a boolean.

/// A message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    /// Appends an integer in base 128, least significant digit first.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Field `number` as an integer. Negative ones are the 64-bit two's complement.
    fn integer(mut self, number: u64, value: i64) -> Self {
        self.varint(number << 3);
        self.varint(value as u64);
        self
    }

    /// Field `number` as bytes: text, or a message inside.
    fn bytes(mut self, number: u64, bytes: &[u8]) -> Self {
        self.varint(number << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }
}

/// XLA's debug options that every compile sets: results of narrow types are rounded where the program says so (XLA may
/// otherwise leave out a conversion to a narrower type and back), and a maximum with NaN is NaN on CPUs.
const OVERRIDES: &[(&str, bool)] =
    &[("xla_allow_excess_precision", false), ("xla_cpu_enable_fast_min_max", false)];

/// Compile for one device: the one of this number among all of the platform, or one that the plugin chooses.
pub(crate) fn one_device(id: Option<i32>) -> Vec<u8> {
    let mut build = Message::default().integer(1, -1).integer(4, 1).integer(5, 1);
    if let Some(id) = id {
        let computation = Message::default().integer(1, i64::from(id));
        let assignment = Message::default().integer(1, 1).integer(2, 1).bytes(3, &computation.0);
        build = build.bytes(9, &assignment.0);
    }
    OVERRIDES
        .iter()
        .fold(Message::default().bytes(3, &build.0), |options, (name, value)| {
            let value = Message::default().integer(2, i64::from(*value));
            let entry = Message::default().bytes(1, name.as_bytes()).bytes(2, &value.0);
            options.bytes(7, &entry.0)
        })
        .0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_written_as_protobuf_says() {
        assert_eq!(Message::default().integer(1, 150).0, [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().bytes(2, b"testing").0, b"\x12\x07testing");
        let mut minus_one = vec![0x08];
        minus_one.extend([0xff; 9]);
        minus_one.push(0x01);
        assert_eq!(Message::default().integer(1, -1).0, minus_one);
    }
}
