//! Turns the settings of a model into keys of a GGUF file, or into changes of weights where that is exact. The result
//! is read back and compared, and every setting that the file would lose is an error that names it.

use super::differences::{Difference, differences, near};
use super::tensors::{Joined, OUTPUT, TOKENS};
use crate::error::LlmError;
use crate::families::{Family, GgufForm, GgufHeader, Keys, Limits, OutputMatrix, translate};
use crate::spec::{AttentionSpec, DecoderSpec, MixerSpec, RopeSpec};
use rlx_gguf::MetaValue;
use rlx_models::fields::{ConfigError, Fields};
use std::borrow::Cow;
use std::path::Path;

/// The header of a file that is about to be written.
struct HeaderOfKeys<'a> {
    keys: &'a [(String, MetaValue<'static>)],
    numbers: &'a [(&'static str, Vec<f32>)],
    tensors: &'a [Joined],
}

impl GgufHeader for HeaderOfKeys<'_> {
    fn value(&self, key: &str) -> Option<MetaValue<'_>> {
        self.keys.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
    }

    fn shape(&self, tensor: &str) -> Option<Vec<usize>> {
        self.tensors.iter().find(|known| known.name == tensor).map(Joined::shape)
    }

    fn numbers(&self, tensor: &str) -> Option<Cow<'_, [f32]>> {
        self.numbers.iter().find(|(known, _)| *known == tensor).map(|(_, numbers)| numbers[..].into())
    }
}

/// Returns the spec that readers of a file with these keys and tensors would build.
fn read_back(
    form: &GgufForm,
    keys: &Keys<'_>,
    tensors: &[Joined],
    path: &Path,
) -> Result<DecoderSpec, ConfigError> {
    let header = HeaderOfKeys { keys: &keys.list, numbers: &keys.tensors, tensors };
    let settings = translate(&header, form, path);
    match Family::of_architecture(form.architecture) {
        Some(reader) => reader.spec(&settings),
        None => Err(settings.missing("model_type")),
    }
}

/// Returns the keys of the file. Settings that have no key become part of the weights if possible.
///
/// # Errors
/// Returns an error that names the settings that the file would lose, with their values.
pub(super) fn keys<'a>(
    spec: &'a DecoderSpec,
    fields: &'a Fields,
    form: &'static GgufForm,
    tensors: &mut Vec<Joined>,
) -> Result<Keys<'a>, LlmError> {
    let refused = |problem: &str| LlmError::Export {
        path: fields.path().to_path_buf(),
        problem: format!("{NOTHING} {}: {problem}", form.architecture),
    };
    let mut keys = Keys::new(fields, spec, form.architecture);
    (form.written.keys)(&mut keys);
    keys.complete();
    let problems = limits(form, spec, fields);
    if !problems.is_empty() {
        return Err(refused(&problems.join("; ")));
    }
    let mut kept = spec.clone();
    output_matrix(form, &mut kept, tensors);
    // Dropping the rows of the token table that have no tokens does not change the vocabulary.
    let table = tensors.iter().find(|tensor| tensor.name == TOKENS).map(Joined::shape);
    kept.vocab = table.and_then(|shape| shape.first().copied()).unwrap_or(kept.vocab);
    let mut written = read_back(form, &keys, tensors, fields.path())?;
    if let ([rope], true) = (&spec.ropes[..], form.written.limits.divisors)
        && differences(&kept, &written).iter().any(Difference::is_of_rope)
    {
        keys.exact_rope(rope);
        written = read_back(form, &keys, tensors, fields.path())?;
    }
    scale_queries(&mut kept, &written, tensors);
    let lost: Vec<String> =
        differences(&kept, &written).iter().map(|difference| difference.text(fields)).collect();
    if lost.is_empty() { Ok(keys) } else { Err(refused(&lost.join("; "))) }
}

const NOTHING: &str = "not written, because it would be a different model as a GGUF file of the architecture";

/// Returns the properties of the model that llama.cpp cannot load.
fn limits(form: &GgufForm, spec: &DecoderSpec, fields: &Fields) -> Vec<String> {
    let Limits { output, output_bias, square, whole_heads, divisors: _ } = form.written.limits;
    let mut problems = Vec::new();
    if output == OutputMatrix::Table && !spec.tied {
        let stated = fields.get("tie_word_embeddings").map_or("not set".into(), ToString::to_string);
        problems.push(format!(
            "tie_word_embeddings is {stated}, but files have no output projection besides the token table"
        ));
    }
    let attentions = spec.layers.iter().filter_map(|layer| match &layer.mixer {
        MixerSpec::Attention(attention) => Some(attention),
        _ => None,
    });
    for attention in attentions {
        let &AttentionSpec { heads, head_size, .. } = attention;
        if attention.output_bias && !output_bias {
            problems.push("attention_bias is true, but files have no bias for attention's output".into());
        }
        if square && heads.saturating_mul(head_size) != spec.width {
            problems.push(format!(
                "{heads} heads of head_dim = {head_size} are not as wide as hidden_size = {}, which llama.cpp requires for this architecture",
                spec.width
            ));
        }
        let rotated = attention.rope.and_then(|rope| spec.ropes.get(rope)).map(RopeSpec::rotary_dims);
        if let (true, Some(dims)) = (whole_heads, rotated.filter(|&dims| dims != head_size)) {
            problems.push(format!(
                "partial_rotary_factor: {dims} of the {head_size} elements of a head rotate, but in files all of them do"
            ));
        }
    }
    problems.dedup();
    problems.truncate(MOST_PROBLEMS);
    problems
}

/// The maximum number of problems of layers that a message lists.
const MOST_PROBLEMS: usize = 4;

/// Adds a copy of the token table if files must have an output projection.
fn output_matrix(form: &GgufForm, kept: &mut DecoderSpec, tensors: &mut Vec<Joined>) {
    if form.written.limits.output == OutputMatrix::Needed && kept.tied {
        let copy = tensors.iter().find(|tensor| tensor.name == TOKENS).map(|table| table.copy(OUTPUT));
        tensors.extend(copy);
        kept.tied = false;
    }
}

/// If files imply a different factor of scores, moves the quotient into the norm of the queries or into their
/// projection.
fn scale_queries(kept: &mut DecoderSpec, written: &DecoderSpec, tensors: &mut [Joined]) {
    for (i, (layer, other)) in kept.layers.iter_mut().zip(&written.layers).enumerate() {
        let (MixerSpec::Attention(attention), MixerSpec::Attention(other)) = (&mut layer.mixer, &other.mixer)
        else {
            continue;
        };
        if near(attention.scale, other.scale) {
            continue;
        }
        let parts: &[&str] = match attention.head_norm {
            Some(_) => &["attn_q_norm.weight"],
            None => &["attn_q.weight", "attn_q.bias"],
        };
        let names: Vec<String> = parts.iter().map(|part| format!("blk.{i}.{part}")).collect();
        let mut scaled = 0;
        for tensor in tensors.iter_mut().filter(|tensor| names.contains(&tensor.name)) {
            tensor.scale(attention.scale / other.scale);
            scaled += 1;
        }
        // If queries share a tensor with others, the factor remains a difference.
        if scaled > 0 {
            attention.scale = other.scale;
        }
    }
}
