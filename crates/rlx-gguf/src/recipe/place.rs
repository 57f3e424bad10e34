//! Determines where a tensor is in a model, from its name in GGUF files.

use super::ModelFacts;

/// The role of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// The output projection, or a token table that also is the output projection.
    Output,
    /// The token table.
    Tokens,
    Query,
    Key,
    Value,
    /// Queries, keys and values in one matrix, or a matrix that keys and values are computed from.
    Joined,
    AttentionOutput,
    Up,
    Gate,
    Down,
    Other,
}

/// Names of tensors, and parts of names, in the order in which they are tried.
const PARTS: [(&str, Role); 9] = [
    ("attn_qkv.weight", Role::Joined),
    ("attn_kv_b.weight", Role::Joined),
    ("attn_v.weight", Role::Value),
    ("attn_k.weight", Role::Key),
    ("attn_q.weight", Role::Query),
    ("attn_output.weight", Role::AttentionOutput),
    ("ffn_up", Role::Up),
    ("ffn_gate", Role::Gate),
    ("ffn_down", Role::Down),
];

/// Parts of the names of matrices that are too small, or matter too much, to be quantized.
const NOT_QUANTIZED: [&str; 35] = [
    "_norm.weight",
    "ffn_gate_inp.weight",
    "ffn_gate_tid2eid.weight",
    "altup",
    "laurel",
    "per_layer_model_proj",
    "ssm_conv1d",
    "shortconv.conv.weight",
    "indexer.k_proj.weight",
    "indexer.q_proj.weight",
    "time_mix_first.weight",
    "time_mix_w0.weight",
    "time_mix_w1.weight",
    "time_mix_w2.weight",
    "time_mix_v0.weight",
    "time_mix_v1.weight",
    "time_mix_v2.weight",
    "time_mix_a0.weight",
    "time_mix_a1.weight",
    "time_mix_a2.weight",
    "time_mix_g1.weight",
    "time_mix_g2.weight",
    "time_mix_decay_w1.weight",
    "time_mix_decay_w2.weight",
    "time_mix_lerp_fused.weight",
    "attn_rel_b.weight",
    ".position_embd",
    "sam.pos_embd",
    "sam.neck.",
    "sam.net_",
    ".rel_pos",
    ".patch_embd",
    ".patch_merger",
    "a.rvq.codebook",
    "mm.a.code_embd",
];

/// Names of tables that are not quantized.
const TABLES: [&str; 2] = ["position_embd.weight", "token_types.weight"];

/// Whether a recipe decides the format of a tensor.
pub fn is_matrix(name: &str, shape: &[usize]) -> bool {
    // Leading dimensions of 1 do not count.
    let dimensions = shape.iter().skip_while(|&&n| n == 1).count();
    dimensions > 1
        && name.ends_with("weight")
        && !TABLES.contains(&name)
        && !NOT_QUANTIZED.iter().any(|part| name.contains(part))
}

/// Returns the number of the layer that a tensor belongs to.
pub(super) fn layer(name: &str) -> Option<usize> {
    name.strip_prefix("blk.")?.split_once('.')?.0.parse().ok()
}

impl Role {
    /// Returns the role of the tensor with this name. `tied` says whether the token table is also the output
    /// projection.
    pub(super) fn of(name: &str, tied: bool) -> Role {
        match name {
            "output.weight" => Role::Output,
            "token_embd.weight" | "per_layer_token_embd.weight" if tied => Role::Output,
            "token_embd.weight" | "per_layer_token_embd.weight" => Role::Tokens,
            _ => PARTS.iter().find(|(part, _)| name.contains(part)).map_or(Role::Other, |(_, role)| *role),
        }
    }

    /// Whether the matrix computes the values of attention.
    pub(super) fn is_value(self) -> bool {
        matches!(self, Role::Value | Role::Joined)
    }
}

/// The position of a matrix in the model.
pub(super) struct TensorPlace {
    pub(super) role: Role,
    /// How many matrices of this role precede it, and how many of them the model has.
    pub(super) seen: usize,
    pub(super) of: usize,
    /// The index of the layer, and the number of layers. For mixtures of experts, the index comes from the name;
    /// otherwise it is the number of preceding matrices of this role.
    pub(super) layer: usize,
    pub(super) layers: usize,
    /// Values in a row.
    pub(super) row: usize,
    /// Whether it holds the matrices of several experts.
    pub(super) stacked: bool,
    /// Whether there is an importance matrix.
    pub(super) importance: bool,
}

/// How many tensors of each role have been seen.
pub(super) struct Counts {
    values: usize,
    layers: usize,
    by_name: bool,
    seen: Vec<(Role, usize)>,
}

impl Counts {
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n str>, facts: &ModelFacts) -> Counts {
        let values = names.filter(|name| Role::of(name, false).is_value()).count();
        Counts { values, layers: facts.layers, by_name: facts.experts > 1, seen: Vec::new() }
    }

    /// Returns the position of the next tensor.
    pub(super) fn place(&mut self, role: Role, name: &str, shape: &[usize], importance: bool) -> TensorPlace {
        // All matrices that compute values are counted together.
        let counted = if role.is_value() { Role::Value } else { role };
        if !self.seen.iter().any(|(known, _)| *known == counted) {
            self.seen.push((counted, 0));
        }
        let mut seen = 0;
        for (_, count) in self.seen.iter_mut().filter(|(known, _)| *known == counted) {
            (seen, *count) = (*count, *count + 1);
        }
        TensorPlace {
            role,
            seen,
            of: if role.is_value() { self.values } else { self.layers },
            layer: if self.by_name { layer(name).unwrap_or(seen) } else { seen },
            layers: self.layers,
            row: shape.last().copied().unwrap_or(1),
            stacked: shape.len() > 2 && shape[shape.len() - 3] > 1,
            importance,
        }
    }
}
