#!/usr/bin/env bash
# Everything that docs/mlx.md says is checked, in one command: on a Mac on its GPU, on Linux on MLX's CPU (RLX_MLX_DEVICE names another).
#
#     scripts/check_mlx.sh [FOLDER OF STABLEHLO'S OWN TEST PROGRAMS]
#
# It goes on behind a failure, and names what failed at the end. Needs MLX (`pip install mlx` on a Mac, `pip install mlx-cpu` on Linux).
set -uo pipefail
cd "$(dirname "$0")/.."
failed=()

check() {
    echo "== $1"
    shift
    "$@" || failed+=("$*")
}

# The command's own text on this device and on the CPU.
same_text() {
    local on=target/release/rlx options=(generate -n 200 --temp 0 -p "In the beginning")
    [ "$("$on" "${options[@]}" --device mlx)" = "$("$on" "${options[@]}" --device cpu)" ]
}

# Embeddings of a sentence, the digits that are printed.
same_embedding() {
    local on=target/release/rlx text="Shall I compare thee to a summer's day?"
    [ "$("$on" embed --device mlx "$text")" = "$("$on" embed --device cpu "$text")" ]
}

check "the command" cargo build --release --features mlx
if ! target/release/rlx devices | grep "^mlx *present"; then
    target/release/rlx devices | grep "^mlx" >&2
    exit 1
fi
check "sizes, states, threads, modes, forks, errors" cargo test -p rlx-mlx -p rlx-mlx-sys
check "twenty steps of training" cargo test -p rlx-train --test mlx
check "a language model" cargo test -p rlx-llm --test mlx
check "the conformance table" cargo xtask conformance --device mlx
check "derivatives" cargo xtask conformance transforms --device mlx --small
check "random graphs" cargo xtask conformance --random 2000 --device mlx
if [ $# -gt 0 ]; then
    check "StableHLO's programs" cargo xtask conformance stablehlo --dir "$1" --device mlx
fi
check "text" same_text
check "embeddings" same_embedding
check "calibration" target/release/rlx devices --calibrate
check "how long graphs take to be made" cargo run --release -p rlx-mlx --example building

if [ ${#failed[@]} -gt 0 ]; then
    printf 'failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
echo "all of it holds"
