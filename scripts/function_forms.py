"""Writes crates/rlx-stablehlo/src/import/restored/functions.txt: how JAX lowers functions with custom derivatives.

A row has a name, and numbers that describe the lowered program independently of shapes (the crate's example `function_forms` computes
them). Each function is lowered on scalars and on tensors, and with one value as several arguments, in f16, bf16, f32 and f64. Run with
JAX, in the root of the repository:

    python scripts/function_forms.py
"""

import os
import subprocess

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np

TARGET = "crates/rlx-stablehlo/src/import/restored/functions.txt"

# Name (of each result), function, number of arguments, types of the arguments that are not floats.
FUNCTIONS = [
    (["i0e"], special.i0e, 1, {}),
    (["i0"], jnp.i0, 1, {}),
    (["dawsn"], special.dawsn, 1, {}),
    (["erfcx"], special.erfcx, 1, {}),
    (["log_ndtr"], special.log_ndtr, 1, {}),
    (["fresnel.0", "fresnel.1"], special.fresnel, 1, {}),
    (["sici.0", "sici.1"], special.sici, 1, {}),
    (["expi"], special.expi, 1, {}),
    (["expn"], special.expn, 2, {0: [np.int32, np.int64, float]}),
    (["spence"], special.spence, 1, {}),
    (["poch"], special.poch, 2, {}),
    (["owens_t"], special.owens_t, 2, {}),
    (["sinc"], jnp.sinc, 1, {}),
    (["frexp"], lambda x: jnp.frexp(x)[0], 1, {}),
    (["betainc"], special.betainc, 3, {}),
    (["gammainc"], special.gammainc, 2, {}),
    (["gammaincc"], special.gammaincc, 2, {}),
    (["hyp1f1"], special.hyp1f1, 3, {}),
    (["hyp2f1"], special.hyp2f1, 4, {}),
]


# Found by their ops alone, and so distinguished if several arguments are the same value.
MERGED = {"betainc", "gammainc", "gammaincc", "poch", "owens_t"}


def partitions(count):
    """The ways in which arguments can be the same value: for each argument, the argument that it equals."""
    if count == 0:
        return [()]
    return [rest + (i,) for rest in partitions(count - 1) for i in [*sorted(set(rest)), count - 1]]


def variants(count, types, dtype):
    """Combinations of arguments: all scalars, all tensors of one shape (with one axis or two), and one of them different from the others."""
    kinds = [types.get(i, [float]) for i in range(count)]
    for choice in range(max(map(len, kinds))):
        dtypes = [kind[min(choice, len(kind) - 1)] for kind in kinds]
        dtypes = [dtype if kind is float else kind for kind in dtypes]
        shapes = [[()] * count, [(5,)] * count, [(5, 7)] * count]
        if count > 1:
            for shape in [(5,), (5, 7)]:
                shapes += [[shape if i == j else () for i in range(count)] for j in range(count)]
                shapes += [[() if i == j else shape for i in range(count)] for j in range(count)]
        for of in shapes:
            yield [jnp.full(shape, 1, kind) for shape, kind in zip(of, dtypes)]


def merged(function, equal):
    """A function of the remaining arguments, and for each argument of the original function, the remaining argument that it is."""
    values = sorted(set(equal))
    groups = " ".join(",".join(str(i) for i, to in enumerate(equal) if to == value) for value in values)
    return (lambda *args: function(*[args[values.index(to)] for to in equal])), len(values), groups


def main():
    programs = []
    for dtype in [np.float16, jnp.bfloat16, np.float32, np.float64]:
        jax.config.update("jax_enable_x64", dtype == np.float64)
        for names, function, count, types in FUNCTIONS:
            types = {i: [kind for kind in kinds if kind != np.int64 or dtype == np.float64] for i, kinds in types.items()}
            for equal in partitions(count) if names[0] in MERGED else [tuple(range(count))]:
                of_values, values, groups = merged(function, equal)
                for arguments in variants(values, types, dtype):
                    try:
                        text = jax.jit(of_values).lower(*arguments).as_text()
                    except TypeError:  # some functions refuse narrow types
                        continue
                    programs.append(f"// {' '.join(names)} | {groups}\n{text}")
    command = ["cargo", "test", "-q", "-p", "rlx-stablehlo", "--example", "function_forms"]
    made = subprocess.run(command, input="".join(programs), capture_output=True, text=True)
    if made.returncode:
        raise SystemExit(made.stderr)
    print(made.stderr, end="")
    rows = list(dict.fromkeys(made.stdout.splitlines()))
    with open(TARGET, "w") as file:
        file.write(f"# name, op at the end, number of its first nodes, how many nodes, number, which arguments each leaf is: scripts/function_forms.py, JAX {jax.__version__}\n")
        file.write("\n".join(rows) + "\n")
    print(f"{len(rows)} rows of {len(programs)} programs")


main()
