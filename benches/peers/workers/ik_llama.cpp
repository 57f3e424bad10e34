// ik_llama.cpp through functions that pass no structures, since their layout changes: `ik_llama.py` builds it against the headers of a
// build of ik_llama.cpp and loads it.

#include "llama.h"

#include <cstdint>

namespace {
struct Opened {
    llama_model *model;
    llama_context *context;
    // Tokens in the cache.
    int32_t held;
};

void errors_alone(ggml_log_level level, const char *text, void *) {
    if (level == GGML_LOG_LEVEL_ERROR) {
        fputs(text, stderr);
    }
}
} // namespace

extern "C" {
void *ik_open(const char *path, int32_t context_tokens, int32_t threads) {
    llama_log_set(errors_alone, nullptr);
    llama_model_params of_model = llama_model_default_params();
    // Weights are repacked as they are loaded (`-rtr 1`), which needs additional memory.
    of_model.repack_tensors = true;
    of_model.use_mmap = false;
    llama_model *model = llama_model_load_from_file(path, of_model);
    if (!model) {
        return nullptr;
    }
    llama_context_params of_context = llama_context_default_params();
    of_context.n_ctx = context_tokens;
    of_context.n_batch = of_context.n_ubatch = 512;
    of_context.n_threads = of_context.n_threads_batch = threads;
    of_context.flash_attn = false;
    llama_context *context = llama_init_from_model(model, of_context);
    if (!context) {
        llama_free_model(model);
        return nullptr;
    }
    return new Opened{model, context, 0};
}

void ik_close(void *handle) {
    Opened *opened = static_cast<Opened *>(handle);
    llama_free(opened->context);
    llama_free_model(opened->model);
    delete opened;
}

// Forgets all tokens from `tokens` on.
void ik_forget(void *handle, int32_t tokens) {
    Opened *opened = static_cast<Opened *>(handle);
    llama_kv_cache_seq_rm(opened->context, 0, tokens, -1);
    opened->held = tokens;
}

// Reads tokens, and returns the logits after the last one, or null.
const float *ik_read(void *handle, int32_t *tokens, int32_t count) {
    Opened *opened = static_cast<Opened *>(handle);
    if (llama_decode(opened->context, llama_batch_get_one(tokens, count, opened->held, 0))) {
        return nullptr;
    }
    opened->held += count;
    return llama_get_logits(opened->context);
}
}
