//! Splits text into words before pairs are merged: one row per pre-tokenizer, with its names in `tokenizer.ggml.pre`.
//!
//! The patterns are those of the `tokenizer.json` that belongs to each name. All of them are matched in time linear
//! in the length of the text.

use super::vocab::Spelling;
use regex_automata::{Anchored, Input, meta::Regex};

/// A pre-tokenizer: a way to split text into words.
struct SplitRow {
    names: &'static [&'static str],
    /// Each stage splits the pieces of the previous one into what it matches and what is in between. A stage is a
    /// list of alternatives, and the first one that matches counts.
    stages: &'static [&'static [&'static str]],
    /// Whether a word that is a token becomes that token, whatever merges would make of it.
    whole_words: bool,
    /// Whether texts begin with the token for the beginning of a sequence, if the file does not say.
    adds_bos: bool,
    spelling: Spelling,
}

const ROW: SplitRow =
    SplitRow { names: &[], stages: &[], whole_words: false, adds_bos: false, spelling: Spelling::Bytes };

/// Spaces except for the last one before other text, which belongs to that text; all spaces at the end of a text.
const SPACES: &str = r"\s+(?!\S)";
/// The remaining spaces.
const SPACE: &str = r"\s+";
const BREAKS: &str = r"\s*[\r\n]+";
const CONTRACTIONS: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const LETTERS: &str = r"[^\r\n\p{L}\p{N}]?\p{L}+";
const SIGNS: &str = r" ?[^\s\p{L}\p{N}]+[\r\n]*";
const SIGNS_OF_PATHS: &str = r" ?[^\s\p{L}\p{N}]+[\r\n/]*";
const CAMEL: [&str; 2] = [
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
];
const CAMEL_CONTRACTED: [&str; 2] = [
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
];
const GPT_4O: &[&[&str]] =
    &[&[CAMEL_CONTRACTED[0], CAMEL_CONTRACTED[1], r"\p{N}{1,3}", SIGNS_OF_PATHS, BREAKS, SPACES, SPACE]];
const NOT_HAN: [&str; 2] = [
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
];
const GPT2: &[&str] =
    &[r"'s|'t|'re|'ve|'m|'ll|'d", r" ?\p{L}+", r" ?\p{N}+", r" ?[^\s\p{L}\p{N}]+", SPACES, SPACE];
const LLAMA3: &[&str] = &[CONTRACTIONS, LETTERS, r"\p{N}{1,3}", SIGNS, BREAKS, SPACES, SPACE];
const QWEN2: &[&str] = &[CONTRACTIONS, LETTERS, r"\p{N}", SIGNS, BREAKS, SPACES, SPACE];
const CJK: &str = r"[一-龥぀-ゟ゠-ヿ]+";
const DEEPSEEK: [&str; 2] =
    [r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"##, r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"];
/// Letters of scripts that distinguish upper and lower case.
const CASED: &str = r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+";

const ROWS: &[SplitRow] = &[
    SplitRow {
        names: &[
            "llama-bpe",
            "llama3",
            "llama-v3",
            "falcon3",
            "falcon-h1",
            "pixtral",
            "midm-2.0",
            "lfm2",
            "jina-v5-nano",
        ],
        stages: &[LLAMA3],
        whole_words: true,
        adds_bos: true,
        ..ROW
    },
    SplitRow { names: &["dbrx", "smaug-bpe", "chatglm-bpe"], stages: &[LLAMA3], ..ROW },
    SplitRow { names: &["glm4", "glm5"], stages: &[LLAMA3], whole_words: true, ..ROW },
    SplitRow {
        names: &[
            "qwen2",
            "deepseek-r1-qwen",
            "kormo",
            "f2llmv2",
            "megrez",
            "stablelm2",
            "hunyuan",
            "solar-open",
            "grok-2",
        ],
        stages: &[QWEN2],
        ..ROW
    },
    SplitRow {
        names: &["qwen35"],
        stages: &[&[
            CONTRACTIONS,
            r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+",
            r"\p{N}",
            r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*",
            BREAKS,
            SPACES,
            SPACE,
        ]],
        ..ROW
    },
    SplitRow {
        names: &[
            "gpt-2",
            "phi-2",
            "jina-es",
            "jina-de",
            "jina-v2-es",
            "jina-v2-de",
            "jina-v1-en",
            "jina-v2-code",
            "roberta-bpe",
            "gigachat",
            "a.x-4.0",
            "mellum",
            "modern-bert",
            "mpt",
            "olmo",
            "jais",
            "exaone4",
            "trillion",
            "granite-docling",
        ],
        stages: &[GPT2],
        ..ROW
    },
    SplitRow {
        names: &[
            "starcoder",
            "refact",
            "command-r",
            "smollm",
            "codeshell",
            "exaone",
            "minerva-7b",
            "mellum2",
        ],
        stages: &[&[r"\p{N}"], GPT2],
        ..ROW
    },
    SplitRow { names: &["falcon"], stages: &[&[r"[\p{P}$+<=>^~|`]+"], GPT2, &[r"[0-9][0-9][0-9]"]], ..ROW },
    SplitRow {
        names: &["default"],
        stages: &[&[r"[\p{P}$+<=>^~|]+"], GPT2, &[r"\p{N}+"], &[r"[0-9][0-9][0-9]"]],
        ..ROW
    },
    SplitRow {
        names: &["deepseek-llm"],
        stages: &[
            &[r"[\r\n]"],
            &[CASED],
            &[r"\s?[!-/:-~！-／：-～‘-‟　-。]+"],
            &[r"\s+$"],
            &[r"[一-龥ࠀ-一가-퟿]+"],
            &[r"\p{N}+"],
        ],
        ..ROW
    },
    SplitRow {
        names: &["deepseek-coder"],
        stages: &[&[r"[\r\n]"], &[r"\s?\p{L}+"], &[r"\s?\p{P}+"], &[r"[一-龥ࠀ-一가-퟿]+"], &[r"\p{N}"]],
        ..ROW
    },
    SplitRow {
        names: &["deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"],
        stages: &[
            &[r"\p{N}{1,3}"],
            &[CJK],
            &[DEEPSEEK[0], DEEPSEEK[1], r" ?[\p{P}\p{S}]+[\r\n]*", BREAKS, SPACES, SPACE],
        ],
        ..ROW
    },
    SplitRow {
        names: &["spark2_5"],
        stages: &[
            &[r"\p{N}{1,3}"],
            &[CJK],
            &[DEEPSEEK[0], DEEPSEEK[1], r" ?[\p{P}\p{S}]+", r"[\r\n]", SPACES, SPACE],
            &[r"\p{N}"],
        ],
        ..ROW
    },
    SplitRow {
        names: &["tekken"],
        stages: &[&[CAMEL[0], CAMEL[1], r"\p{N}", SIGNS_OF_PATHS, BREAKS, SPACES, SPACE]],
        whole_words: true,
        adds_bos: true,
        ..ROW
    },
    SplitRow { names: &["gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"], stages: GPT_4O, ..ROW },
    SplitRow { names: &["granite-embed-multi-97m"], stages: GPT_4O, whole_words: true, ..ROW },
    SplitRow {
        names: &["youtu"],
        stages: &[
            &[r"[가-힣ㄱ-ㆎ]+", r"[！…“”‘’—：；，、-〿︰-﹏]+", r"[ㄅ-ㄯ]+", CJK],
            &[CAMEL_CONTRACTED[0], CAMEL_CONTRACTED[1], r"\p{N}", SIGNS_OF_PATHS, BREAKS, SPACES, SPACE],
        ],
        whole_words: true,
        ..ROW
    },
    SplitRow {
        names: &["kimi-k2"],
        stages: &[&[r"\p{Han}+", NOT_HAN[0], NOT_HAN[1], r"\p{N}{1,3}", SIGNS, BREAKS, SPACES, SPACE]],
        ..ROW
    },
    SplitRow {
        names: &["bailingmoe", "bailingmoe2", "llada-moe"],
        stages: &[&[r"'(?i:[sdmt]|ll|ve|re)", LETTERS, r"\p{N}", SIGNS, r"\s*[\r\n]", SPACES, SPACE]],
        ..ROW
    },
    SplitRow {
        names: &["seed-coder"],
        stages: &[&[CONTRACTIONS, LETTERS, r"\p{N}", r" ?[^\s\p{L}\p{N}\r\n]+", BREAKS, SPACES, SPACE]],
        ..ROW
    },
    SplitRow { names: &["ufakzeka"], stages: &[&[LETTERS, r"\p{N}", SIGNS, BREAKS, SPACES, SPACE]], ..ROW },
    SplitRow { names: &["laguna"], stages: &[&[r"[^\n]+", r"\n+"], QWEN2], ..ROW },
    SplitRow {
        names: &["exaone-moe"],
        stages: &[&[
            CONTRACTIONS,
            r"[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+",
            r"\p{N}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]?",
            r"\s*[\r\n]",
            SPACES,
            SPACE,
        ]],
        ..ROW
    },
    SplitRow {
        names: &["minicpm5"],
        stages: &[&[r"\p{N}{1,3}"], &[CONTRACTIONS, LETTERS, r"\p{N}+", SIGNS, BREAKS, SPACES, SPACE]],
        whole_words: true,
        ..ROW
    },
    SplitRow {
        names: &["poro-chat", "bloom", "gpt3-finnish"],
        stages: &[&[r" ?[^(\s|.,!?…。，、।۔،)]+"]],
        ..ROW
    },
    SplitRow { names: &["viking"], stages: &[&[r" ?[^(\s|.,!?…。，、।۔،)]+"], &[r"\p{N}"]], ..ROW },
    SplitRow {
        names: &["gemma4", "granite-embed-multi-311m", "sarvam-moe"],
        stages: &[&[r"[^\n]+", r"\n+"]],
        spelling: Spelling::Escaped,
        ..ROW
    },
];

/// Returns the known names in order.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = ROWS.iter().flat_map(|row| row.names).copied().collect();
    names.sort_unstable();
    names
}

/// A row that is ready for use.
#[derive(Clone, Debug)]
pub(super) struct PreTokenizer {
    stages: Vec<Stage>,
    pub(super) whole_words: bool,
    /// Whether a run of line breaks that is a token becomes that token.
    pub(super) whole_breaks: bool,
    pub(super) adds_bos: bool,
    pub(super) spelling: Spelling,
}

#[derive(Clone, Debug)]
struct Stage {
    regex: Regex,
    /// The index of the alternative [`SPACES`].
    spaces: Option<usize>,
}

impl PreTokenizer {
    /// Returns the row with this name.
    pub(super) fn named(name: &str) -> Option<Result<Self, String>> {
        let row = ROWS.iter().find(|row| row.names.contains(&name))?;
        let stages = row.stages.iter().map(|alternatives| Stage::new(alternatives)).collect();
        Some(Ok(PreTokenizer {
            stages: match stages {
                Ok(stages) => stages,
                Err(error) => return Some(Err(error)),
            },
            whole_words: row.whole_words,
            whole_breaks: row.spelling == Spelling::Escaped,
            adds_bos: row.adds_bos,
            spelling: row.spelling,
        }))
    }

    /// Passes the words of a text, in order, to `word`.
    pub(super) fn words(&self, text: &str, word: &mut dyn FnMut(&str)) {
        cut(&self.stages, text, word);
    }
}

fn cut(stages: &[Stage], text: &str, word: &mut dyn FnMut(&str)) {
    match stages.split_first() {
        Some((stage, rest)) => stage.cut(text, &mut |piece| cut(rest, piece, word)),
        None => word(text),
    }
}

impl Stage {
    fn new(alternatives: &[&str]) -> Result<Self, String> {
        // A linear-time matcher cannot look ahead, so all spaces are matched and the last one is given back.
        let spaces = alternatives.iter().position(|pattern| *pattern == SPACES);
        let patterns: Vec<&str> =
            alternatives.iter().map(|p| if *p == SPACES { SPACE } else { *p }).collect();
        let regex = Regex::new_many(&patterns).map_err(|e| e.to_string())?;
        Ok(Stage { regex, spaces })
    }

    /// Passes what the stage matches, and what is in between, to `piece`.
    fn cut(&self, text: &str, piece: &mut dyn FnMut(&str)) {
        let mut done = 0;
        while done < text.len() {
            let input = Input::new(text).span(done..text.len()).anchored(Anchored::No);
            let Some(found) = self.regex.find(input).filter(|found| !found.is_empty()) else { break };
            if done < found.start() {
                piece(&text[done..found.start()]);
            }
            let mut end = found.end();
            if self.spaces == Some(found.pattern().as_usize()) && end < text.len() {
                let last = text[..end].chars().next_back().map_or(0, char::len_utf8);
                end = if end - last > found.start() { end - last } else { end };
            }
            piece(&text[found.start()..end]);
            done = end;
        }
        if done < text.len() {
            piece(&text[done..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(name: &str, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        let pre = PreTokenizer::named(name).expect("a row").expect("patterns");
        pre.words(text, &mut |word| words.push(word.to_string()));
        words
    }

    #[test]
    fn all_rows_have_patterns_that_cover_any_text() {
        let text = "I'LL don't  1234 \t\n x²  Äé\u{301} 語 한국 CamelCase… \u{a0} a/b/\n\n ";
        for name in names() {
            assert_eq!(words(name, text).concat(), text, "{name}");
        }
        let mut unique = names();
        unique.dedup();
        assert_eq!(unique.len(), names().len());
    }

    #[test]
    fn the_last_space_belongs_to_the_word() {
        assert_eq!(words("gpt-2", "a   b  "), ["a", "  ", " b", "  "]);
        assert_eq!(words("llama-bpe", "it's 12345\n\n x"), ["it", "'s", " ", "123", "45", "\n\n", " x"]);
        assert_eq!(words("qwen2", "a\u{a0}\u{a0}b"), ["a", "\u{a0}", "\u{a0}b"]);
        assert_eq!(words("gpt-2", "a\n b\nc"), ["a", "\n", " b", "\n", "c"]);
    }

    #[test]
    fn long_runs_take_linear_time() {
        for text in ["a".repeat(1 << 20), " ".repeat(1 << 20), "\u{301}".repeat(1 << 18), "1".repeat(1 << 20)]
        {
            for name in ["llama-bpe", "gpt-2", "tekken", "deepseek-llm"] {
                assert_eq!(words(name, &text).concat().len(), text.len());
            }
        }
    }
}
