//! Checks `tokenizer_config.json` and `generation_config.json`, which may be next to `config.json`. As in
//! `config.json`, each key is known by name: it is read, has no effect, is refused, or is reported as a setting
//! without effect.

use rlx_models::fields::{ConfigError, Fields};
use rlx_models::known::{NO, NONE, ONE, is_one_of, unknown};
use serde_json::Value;
use std::path::Path;

/// A setting that has no effect here but would elsewhere: its name, and the values, as JSON, that have no effect
/// elsewhere either.
type TurnedOff = (&'static str, &'static [&'static str]);

/// What is known about the keys of a file.
struct Companion {
    file: &'static str,
    /// Keys that are read, or that do not affect anything that is computed here.
    harmless: &'static [&'static str],
    /// Keys that are reported unless they have one of these values.
    told: &'static [TurnedOff],
    /// What decides in place of the reported keys.
    instead: &'static str,
    /// Keys that are errors unless they have one of these values, and the reason.
    refused: &'static [(&'static str, &'static [&'static str], &'static str)],
}

const ZERO: &[&str] = &["0"];
const EMPTY: &[&str] = &["[]", "{}", "\"\""];

/// The keys that `transformers` 5 and older versions write, and those of the tokenizers of the families.
const TOKENIZER: Companion = Companion {
    file: "tokenizer_config.json",
    harmless: &[
        "add_bos_token",
        "add_eos_token",
        "bos_token",
        "chat_template",
        "eos_token",
        "pad_token",
        "sep_token",
        "tokenizer_class",
        "unk_token",
        // `tokenizer.json` was made from these settings and contains their effect.
        "add_prefix_space",
        "added_tokens_decoder",
        "additional_special_tokens",
        "clean_text",
        "cls_token",
        "do_basic_tokenize",
        "do_lower_case",
        "extra_special_tokens",
        "from_slow",
        "keep_accents",
        "legacy",
        "mask_token",
        "merges",
        "merges_file",
        "model_specific_special_tokens",
        "never_split",
        "remove_space",
        "sp_model_kwargs",
        "special_tokens_map_file",
        "strip_accents",
        "tokenize_chinese_chars",
        "tokenizer_file",
        "trim_offsets",
        "vocab",
        "vocab_file",
        // Settings of other tools, of batches, and of inputs other than text.
        "add_dummy_prefix_space",
        "audio_token",
        "auto_map",
        "backend",
        "boi_token",
        "eoi_token",
        "errors",
        "fix_mistral_regex",
        "image_token",
        "is_local",
        "local_files_only",
        "max_length",
        "mode",
        "model_input_names",
        "model_max_length",
        "name_or_path",
        "pad_to_multiple_of",
        "pad_token_type_id",
        "padding",
        "padding_side",
        "processor_class",
        "response_schema",
        "return_token_type_ids",
        "spaces_between_special_tokens",
        "stride",
        "truncation_side",
        "truncation_strategy",
        "use_default_system_prompt",
        "use_fast",
        "verbose",
        "video_token",
        "vision_bos_token",
        "vision_eos_token",
    ],
    told: &[("clean_up_tokenization_spaces", NO)],
    instead: "tokens are decoded exactly as they are spelled",
    refused: &[(
        "split_special_tokens",
        NO,
        "each special token in a text becomes one token; tokenizers that split special tokens are not supported",
    )],
};

/// The fields of `GenerationConfig` of `transformers` 5.24 and of versions before it.
const GENERATION: Companion = Companion {
    file: "generation_config.json",
    harmless: &[
        "eos_token_id",
        // The tokens that texts begin with come from the tokenizer; lengths and the form of the results are up to the
        // caller.
        "_from_model_config",
        "bos_token_id",
        "cache_config",
        "cache_implementation",
        "chat_format",
        "compile_config",
        "continuous_batching_config",
        "decoder_start_token_id",
        "disable_compile",
        "do_sample",
        "is_assistant",
        "low_memory",
        "max_cache_len",
        "max_length",
        "max_new_tokens",
        "max_time",
        "max_window_size",
        "num_return_sequences",
        "output_attentions",
        "output_hidden_states",
        "output_logits",
        "output_scores",
        "pad_token_id",
        "prefill_chunk_size",
        "remove_invalid_values",
        "return_dict_in_generate",
        "return_legacy_cache",
        "transformers_version",
        "use_cache",
        // Drafts from another model or from the prompt do not change the answer.
        "assistant_confidence_threshold",
        "assistant_early_exit",
        "assistant_ensemble_weight",
        "assistant_lookbehind",
        "max_matching_ngram_size",
        "num_assistant_tokens",
        "num_assistant_tokens_schedule",
        "prompt_lookup_num_tokens",
        "speculation_type",
        "target_lookbehind",
        "use_mtp",
        // Settings of beam search, which is reported if it is switched on.
        "diversity_penalty",
        "early_stopping",
        "length_penalty",
        "num_beam_groups",
        "renormalize_logits",
    ],
    told: &[
        ("temperature", ONE),
        ("top_k", &["0", "50"]),
        ("top_p", ONE),
        ("min_p", ZERO),
        ("typical_p", ONE),
        ("top_h", NONE),
        ("epsilon_cutoff", ZERO),
        ("eta_cutoff", ZERO),
        ("repetition_penalty", ONE),
        ("encoder_repetition_penalty", ONE),
        ("no_repeat_ngram_size", ZERO),
        ("encoder_no_repeat_ngram_size", ZERO),
        ("exponential_decay_length_penalty", NONE),
        ("min_length", ZERO),
        ("min_new_tokens", ZERO),
        ("num_beams", ONE),
        ("penalty_alpha", ZERO),
        ("dola_layers", NONE),
        ("guidance_scale", ONE),
        ("constraints", EMPTY),
        ("force_words_ids", EMPTY),
        ("bad_words_ids", EMPTY),
        ("suppress_tokens", EMPTY),
        ("begin_suppress_tokens", EMPTY),
        ("forced_bos_token_id", NONE),
        ("forced_eos_token_id", NONE),
        ("sequence_bias", EMPTY),
        ("stop_strings", EMPTY),
        ("token_healing", NO),
        ("watermarking_config", EMPTY),
    ],
    instead: "the sampling options of the run decide how tokens are chosen",
    refused: &[],
};

impl Companion {
    fn sentences(&self, folder: &Path, family: &str) -> Result<Vec<String>, ConfigError> {
        let path = folder.join(self.file);
        let Some(fields) = Fields::load_if_present(&path)? else { return Ok(Vec::new()) };
        let (mut without_effect, mut told) = (Vec::new(), Vec::new());
        for (key, value) in fields.unread() {
            if let Some((_, _, problem)) =
                self.refused.iter().find(|(name, allowed, _)| *name == key && !is_one_of(value, allowed))
            {
                return Err(fields.wrong(key, *problem));
            }
            match self.told.iter().find(|(name, _)| *name == key) {
                Some((_, neutral)) if is_one_of(value, neutral) => {}
                Some(_) => without_effect.push(format!("{key} = {}", short(value))),
                None if self.harmless.contains(&key) || self.refused.iter().any(|r| r.0 == key) => {}
                None => told.push(unknown(&fields, family, key, value)),
            }
        }
        if !without_effect.is_empty() {
            let (path, list, instead) = (path.display(), without_effect.join(", "), self.instead);
            told.insert(0, format!("{path}: {list}: no effect here; {instead}"));
        }
        Ok(told)
    }
}

/// Formats a value as JSON, shortened for a message.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => rlx_models::display::quoted(&format!("{}…", &text[..end])),
        None => text,
    }
}

/// Returns a sentence about the settings in a folder's `tokenizer_config.json` and `generation_config.json` that
/// would have an effect elsewhere but have none here, and a sentence for each unknown setting.
///
/// # Errors
/// Returns a [`ConfigError`] if a file cannot be read, or if a setting that changes what the model reads is not
/// supported.
pub(super) fn sentences(folder: &Path, family: &str) -> Result<Vec<String>, ConfigError> {
    let mut all = TOKENIZER.sentences(folder, family)?;
    all.extend(GENERATION.sentences(folder, family)?);
    Ok(all)
}
