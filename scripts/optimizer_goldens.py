#!/usr/bin/env python3
"""Computes the goldens of the optimizers, schedules and gradient transformations of rlx-optim.

    python scripts/optimizer_goldens.py [schedules] [clipping] [meta] [hessian] [optimizers]

Needs jax, optax, torch and numpy. Writes crates/rlx-optim/tests/goldens/*.safetensors, in which the text of the cases is metadata. All numbers are
f64: optax and PyTorch run in f64 on parameters, gradients and learning rates that f32 can represent, so one golden checks f64 closely
and f32 within its rounding. Every case names its reference. Where a shortcut in optax would cost digits, two things follow the methods'
papers: Adafactor's decay is computed in f64 (optax rounds it to f32), and Sophia gets its estimates as inputs.
"""

import json
import os
import sys
from pathlib import Path

os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
import torch  # noqa: E402
from optax import contrib  # noqa: E402
from safetensors.numpy import save_file  # noqa: E402

GOLDENS = Path(__file__).parent.parent / "crates" / "rlx-optim" / "tests" / "goldens"
SHAPES = {"wide": (3, 5), "tall": (4, 3), "vector": (5,), "scalar": (), "cube": (2, 3, 2)}
STEPS = 20
LR = float(np.float32(0.01))


def f32(x):
    """Numbers that f32 can represent, as f64."""
    return np.asarray(x).astype(np.float32).astype(np.float64)


def problem():
    """Parameters, gradients of every step and estimates of the Hessian's diagonal."""
    rng = np.random.default_rng(7)
    params = {k: f32(rng.normal(size=s)) for k, s in SHAPES.items()}
    # Magnitudes vary between steps and between elements, and one step has no gradient at all.
    scale = {k: np.exp(rng.normal(size=s)) for k, s in SHAPES.items()}
    grads = [{k: f32(rng.normal(size=s) * scale[k] * np.exp(rng.normal())) for k, s in SHAPES.items()} for _ in range(STEPS)]
    grads[5] = {k: np.zeros(s) for k, s in SHAPES.items()}
    hessians = [{k: f32(rng.normal(size=s) * 3 + 1) for k, s in SHAPES.items()} for _ in range(STEPS)]
    return params, grads, hessians


PARAMS, GRADS, HESSIANS = problem()


def trajectory(transform):
    """The parameters after each step of an optax transformation."""
    params = {k: jnp.asarray(v) for k, v in PARAMS.items()}
    state = transform.init(params)
    update = jax.jit(transform.update)
    out = []
    for grads in GRADS:
        updates, state = update({k: jnp.asarray(v) for k, v in grads.items()}, state, params)
        params = optax.apply_updates(params, updates)
        out.append({k: np.asarray(v) for k, v in params.items()})
    return out


def torch_trajectory(make):
    """The parameters after each step of a PyTorch optimizer."""
    params = {k: torch.tensor(v, dtype=torch.float64) for k, v in PARAMS.items()}
    optimizer = make(list(params.values()))
    out = []
    for grads in GRADS:
        for k, p in params.items():
            p.grad = torch.tensor(grads[k], dtype=torch.float64)
        optimizer.step()
        out.append({k: v.detach().numpy().copy() for k, v in params.items()})
    return out


def estimates(interval):
    """Sophia's estimator: returns the given estimates in turn."""

    def update(grads, state, params=None, **_):
        del grads, params
        taken = {k: jnp.stack([jnp.asarray(h[k]) for h in HESSIANS[::interval]])[state] for k in SHAPES}
        return taken, state + 1

    return optax.GradientTransformationExtraArgs(lambda params: jnp.zeros([], jnp.int32), update)


def adafactor(min_dim=128, scale=True, threshold=1.0, momentum=None, weight_decay=None, rate=0.8, eps=1e-30):
    """optax.adafactor, with its decay in f64."""
    decay = lambda i, exponent: 1.0 - (i + 1.0) ** -exponent  # noqa: E731
    parts = [
        optax.scale_by_factored_rms(min_dim_size_to_factor=min_dim, decay_rate=rate, decay_rate_fn=decay, epsilon=eps)
    ]
    if threshold is not None:
        parts.append(optax.clip_by_block_rms(threshold))
    parts.append(optax.scale_by_learning_rate(LR, flip_sign=False))
    if scale:
        parts.append(optax.scale_by_param_block_rms())
    if momentum is not None:
        parts.append(optax.ema(momentum, debias=False, accumulator_dtype=jnp.float64))
    if weight_decay is not None:
        parts.append(optax.add_decayed_weights(weight_decay))
    return optax.chain(*parts, optax.scale(-1))


def muon_out_in(**settings):
    """optax's Muon for matrices [out, in]."""
    axes = contrib.MuonDimensionNumbers(reduction_axis=1, output_axis=0)
    return contrib.muon(LR, muon_weight_dimension_numbers={k: axes if len(s) == 2 else None for k, s in SHAPES.items()}, **settings)


MATRICES = jax.tree.map(lambda p: p.ndim >= 2, PARAMS)
HALVED = {k: "half" if k == "vector" else "full" for k in SHAPES}

# Text of the optimizer, options of the parameters, reference, trajectory.
OPTIMIZERS = [
    ("sgd", {}, "optax", lambda: trajectory(optax.sgd(LR))),
    ("sgd(momentum=0.9)", {}, "optax", lambda: trajectory(optax.sgd(LR, momentum=0.9))),
    ("sgd(momentum=0.9)", {}, "torch", lambda: torch_trajectory(lambda p: torch.optim.SGD(p, lr=LR, momentum=0.9))),
    ("nesterov", {}, "optax", lambda: trajectory(optax.sgd(LR, momentum=0.9, nesterov=True))),
    ("nesterov", {}, "torch", lambda: torch_trajectory(lambda p: torch.optim.SGD(p, lr=LR, momentum=0.9, nesterov=True))),
    ("adam", {}, "optax", lambda: trajectory(optax.adam(LR))),
    ("adam(b1=0.0, b2=0.95, eps=0.001)", {}, "optax", lambda: trajectory(optax.adam(LR, b1=0.0, b2=0.95, eps=1e-3))),
    ("adam", {}, "torch", lambda: torch_trajectory(lambda p: torch.optim.Adam(p, lr=LR))),
    ("adamw", {}, "optax", lambda: trajectory(optax.adamw(LR))),
    ("adamw(weight_decay=0.1)", {}, "torch", lambda: torch_trajectory(lambda p: torch.optim.AdamW(p, lr=LR, weight_decay=0.1))),
    (
        "adamw(weight_decay=0.1)",
        {"decay_min_rank": 2},
        "optax",
        lambda: trajectory(optax.adamw(LR, weight_decay=0.1, mask=MATRICES)),
    ),
    (
        "adam",
        {"lr_factor": {"vector": 0.5}},
        "optax",
        lambda: trajectory(optax.partition({"half": optax.adam(LR * 0.5), "full": optax.adam(LR)}, HALVED)),
    ),
    ("lion", {}, "optax", lambda: trajectory(optax.lion(LR))),
    ("muon", {}, "optax", lambda: trajectory(contrib.muon(LR))),
    (
        "muon(nesterov=false, ns_steps=3, weight_decay=0.1, consistent_rms=0.2, adam_weight_decay=0.05)",
        {},
        "optax",
        lambda: trajectory(
            contrib.muon(LR, nesterov=False, ns_steps=3, weight_decay=0.1, consistent_rms=0.2, adam_weight_decay=0.05)
        ),
    ),
    (
        "sophia",
        {"hessian_interval": 4},
        "optax",
        lambda: trajectory(contrib.sophia(LR, update_interval=4, hessian_diagonal_fn=estimates(4))),
    ),
    (
        "sophia(clip_threshold=inf, gamma=0.5, weight_decay=0.0, eps=0.1)",
        {"hessian_interval": 4},
        "optax",
        lambda: trajectory(
            contrib.sophia(
                LR, update_interval=4, hessian_diagonal_fn=estimates(4), clip_threshold=None, gamma=0.5, weight_decay=0.0, eps=0.1
            )
        ),
    ),
    ("lamb", {}, "optax", lambda: trajectory(optax.lamb(LR))),
    ("lamb(weight_decay=0.1)", {}, "optax", lambda: trajectory(optax.lamb(LR, weight_decay=0.1))),
    ("adafactor", {}, "optax", lambda: trajectory(adafactor())),
    (
        "adafactor(min_dim_size_to_factor=3, clipping_threshold=1.5, momentum=0.9, weight_decay=0.001)",
        {},
        "optax",
        lambda: trajectory(adafactor(min_dim=3, threshold=1.5, momentum=0.9, weight_decay=1e-3)),
    ),
    (
        "adafactor(min_dim_size_to_factor=2, multiply_by_parameter_scale=false, clipping_threshold=inf)",
        {},
        "optax",
        lambda: trajectory(adafactor(min_dim=2, scale=False, threshold=None)),
    ),
    ("muon", {"layout": "out_in"}, "optax", lambda: trajectory(muon_out_in())),
    (
        "muon(consistent_rms=0.3, weight_decay=0.1)",
        {"layout": "out_in"},
        "optax",
        lambda: trajectory(muon_out_in(consistent_rms=0.3, weight_decay=0.1)),
    ),
    ("nesterov(momentum=0.5)", {}, "torch", lambda: torch_trajectory(lambda p: torch.optim.SGD(p, lr=LR, momentum=0.5, nesterov=True))),
    (
        "adamw(b1=0.8, b2=0.9, eps=0.01, weight_decay=0.3)",
        {},
        "torch",
        lambda: torch_trajectory(lambda p: torch.optim.AdamW(p, lr=LR, betas=(0.8, 0.9), eps=0.01, weight_decay=0.3)),
    ),
    ("lion(b1=0.8, b2=0.9, weight_decay=0.1)", {}, "optax", lambda: trajectory(optax.lion(LR, b1=0.8, b2=0.9, weight_decay=0.1))),
    (
        "muon(beta=0.8, eps=0.01, adam_b1=0.8, adam_b2=0.9)",
        {},
        "optax",
        lambda: trajectory(contrib.muon(LR, beta=0.8, eps=0.01, adam_b1=0.8, adam_b2=0.9)),
    ),
    (
        "sophia(b1=0.9, b2=0.8, clip_threshold=0.5, weight_decay=0.1, update_interval=3)",
        {"hessian_interval": 3},
        "optax",
        lambda: trajectory(
            contrib.sophia(
                LR, b1=0.9, b2=0.8, clip_threshold=0.5, weight_decay=0.1, update_interval=3, hessian_diagonal_fn=estimates(3)
            )
        ),
    ),
    (
        "lamb(b1=0.8, b2=0.9, eps=0.01, weight_decay=0.2)",
        {},
        "optax",
        lambda: trajectory(optax.lamb(LR, b1=0.8, b2=0.9, eps=0.01, weight_decay=0.2)),
    ),
    (
        "adafactor(min_dim_size_to_factor=3, decay_rate=0.5, eps=0.01)",
        {},
        "optax",
        lambda: trajectory(adafactor(min_dim=3, rate=0.5, eps=0.01)),
    ),
]


def versions():
    return {"jax": jax.__version__, "optax": optax.__version__, "torch": torch.__version__}


def write(name, tensors, about):
    """Tensors, and the text about them as JSON."""
    path = GOLDENS / f"{name}.safetensors"
    path.parent.mkdir(parents=True, exist_ok=True)
    tensors = {k: np.asarray(v, dtype=np.float64) for k, v in tensors.items()}
    about = {k: json.dumps(v) for k, v in (versions() | about).items()}
    save_file(tensors, path, metadata=about)
    print(f"{path.name}: {path.stat().st_size} bytes")


def stacked(trees, prefix):
    """One tensor per name, with the steps as the first axis."""
    return {f"{prefix}.{k}": np.stack([t[k] for t in trees]) for k in SHAPES}


def optimizers():
    tensors = {f"params.{k}": v for k, v in PARAMS.items()} | stacked(GRADS, "grads") | stacked(HESSIANS, "hessians")
    cases = []
    for i, (text, options, judge, run) in enumerate(OPTIMIZERS):
        tensors |= stacked(run(), f"case{i}")
        cases.append({"optimizer": text, "judge": judge, "options": options})
    write("optimizers", tensors, {"lr": LR, "steps": STEPS, "cases": cases})


# Text of the schedule, reference, the schedule. Inverse square roots are optax's linear warmup joined with the paper's formula.
SCHEDULES = [
    ("constant(value=0.1)", "optax", optax.constant_schedule(0.1)),
    ("linear(from=0.0, to=0.5, steps=40)", "optax", optax.linear_schedule(0.0, 0.5, 40)),
    ("linear(from=1.0, to=0.25, steps=30, begin=10)", "optax", optax.linear_schedule(1.0, 0.25, 30, 10)),
    ("polynomial(from=0.3, to=0.01, power=2.5, steps=50, begin=7)", "optax", optax.polynomial_schedule(0.3, 0.01, 2.5, 50, 7)),
    ("cosine(from=0.1, steps=60)", "optax", optax.cosine_decay_schedule(0.1, 60)),
    ("cosine(from=0.1, to=0.02, steps=60, exponent=1.5)", "optax", optax.cosine_decay_schedule(0.1, 60, alpha=0.2, exponent=1.5)),
    ("warmup_cosine(peak=0.3, warmup=10, steps=80)", "optax", optax.warmup_cosine_decay_schedule(0.0, 0.3, 10, 80)),
    (
        "warmup_cosine(from=0.01, peak=0.3, to=0.05, warmup=10, steps=80, exponent=2.0)",
        "optax",
        optax.warmup_cosine_decay_schedule(0.01, 0.3, 10, 80, 0.05, 2.0),
    ),
    ("exponential(from=0.1, rate=0.5, steps=20)", "optax", optax.exponential_decay(0.1, 20, 0.5)),
    (
        "exponential(from=0.1, rate=0.5, steps=20, begin=5, staircase=true, end=0.02)",
        "optax",
        optax.exponential_decay(0.1, 20, 0.5, 5, True, 0.02),
    ),
    ("exponential(from=0.1, rate=1.5, steps=20, end=0.4)", "optax", optax.exponential_decay(0.1, 20, 1.5, end_value=0.4)),
    ("exponential(from=0.1, rate=1.5, steps=20)", "optax", optax.exponential_decay(0.1, 20, 1.5)),
    ("piecewise(from=1.0, factors=20:0.5 60:0.1)", "optax", optax.piecewise_constant_schedule(1.0, {20: 0.5, 60: 0.1})),
    ("one_cycle(peak=0.4, steps=90)", "optax", optax.cosine_onecycle_schedule(90, 0.4)),
    (
        "linear_one_cycle(peak=0.4, steps=90, start=0.25, end=0.7, div=10.0, final_div=100.0)",
        "optax",
        optax.linear_onecycle_schedule(90, 0.4, 0.25, 0.7, 10.0, 100.0),
    ),
    (
        "inverse_sqrt(peak=0.2, warmup=16)",
        "formula",
        optax.join_schedules([optax.linear_schedule(0.0, 0.2, 16), lambda t: 0.2 * jnp.sqrt(16 / (t + 16))], [16]),
    ),
    (
        "join(phases=linear(to=0.1, steps=10) until 10 then cosine(from=0.1, steps=30) until 50 then constant(value=0.01))",
        "optax",
        optax.join_schedules(
            [optax.linear_schedule(0.0, 0.1, 10), optax.cosine_decay_schedule(0.1, 30), optax.constant_schedule(0.01)], [10, 50]
        ),
    ),
]
SCHEDULE_STEPS = list(range(100)) + [1000, 100000]


def schedules():
    steps = jnp.asarray(SCHEDULE_STEPS, jnp.int64)
    values = {f"case{i}": jax.vmap(lambda t, f=f: jnp.asarray(f(t), jnp.float64))(steps) for i, (_, _, f) in enumerate(SCHEDULES)}
    cases = [{"schedule": text, "judge": judge} for text, judge, _ in SCHEDULES]
    write("schedules", values | {"steps": SCHEDULE_STEPS}, {"cases": cases})


def clipping():
    """The gradients of some steps, clipped, and the mean of several."""
    tensors = {}
    for name, limit, make in [("norm", 4.0, optax.clip_by_global_norm), ("value", 0.5, optax.clip)]:
        clipped = []
        for grads in GRADS:
            transform = make(limit)
            tree = {k: jnp.asarray(v) for k, v in grads.items()}
            clipped.append({k: np.asarray(v) for k, v in transform.update(tree, transform.init(tree))[0].items()})
        tensors |= stacked(clipped, name)
    tensors["global_norm"] = [optax.tree.norm(g) for g in GRADS]
    # The mean of the first four gradients. optax.MultiSteps, whose plain gradient step this is, sums in f32, so it
    # agrees only to 7 digits.
    multi = optax.MultiSteps(optax.sgd(1.0), 4)
    params = {k: jnp.zeros(s) for k, s in SHAPES.items()}
    state = multi.init(params)
    for grads in GRADS[:4]:
        updates, state = multi.update({k: jnp.asarray(v) for k, v in grads.items()}, state, params)
    for k, v in updates.items():
        tensors[f"mean.{k}"] = np.mean([g[k] for g in GRADS[:4]], axis=0)
        np.testing.assert_allclose(-np.asarray(v), tensors[f"mean.{k}"], rtol=1e-5, atol=1e-6)
    write("clipping", tensors, {"max_norm": 4.0, "limit": 0.5, "mean_of": 4})


def meta():
    """A loss after one update, and its derivatives by the parameter before it and by the learning rate."""
    rng = np.random.default_rng(11)
    given = {"x": (4, 3), "w": (3, 2), "y": (4, 2), "momentum": (3, 2), "m": (3, 2), "v": (3, 2)}
    given = {k: rng.normal(size=s) for k, s in given.items()} | {"lr": np.float64(0.05)}
    given["v"] = given["v"] ** 2 + 0.1
    loss = lambda w: jnp.mean((jnp.tanh(given["x"] @ w) - given["y"]) ** 2)  # noqa: E731
    trace = lambda s: s._replace(trace=jnp.asarray(given["momentum"]))  # noqa: E731
    adam = lambda s: s._replace(count=jnp.int32(2), mu=jnp.asarray(given["m"]), nu=jnp.asarray(given["v"]))  # noqa: E731
    cases = {
        "sgd": (optax.identity(), lambda s: s),
        "sgd(momentum=0.9)": (optax.trace(0.9), trace),
        "nesterov": (optax.trace(0.9, nesterov=True), trace),
        "adam": (optax.scale_by_adam(), adam),
    }
    tensors = dict(given)
    for i, (transform, filled) in enumerate(cases.values()):

        def after(w, lr, transform=transform, filled=filled):
            updates, _ = transform.update(jax.grad(loss)(w), filled(transform.init(w)), w)
            return loss(w - lr * updates)

        value, (by_w, by_lr) = jax.value_and_grad(after, (0, 1))(jnp.asarray(given["w"]), jnp.asarray(given["lr"]))
        tensors |= {f"case{i}.loss": value, f"case{i}.by_w": by_w, f"case{i}.by_lr": by_lr}
    write("meta", tensors, {"cases": list(cases)})


def hessian():
    """The Hessian of a loss by all its parameters, w then b, in row-major order."""
    rng = np.random.default_rng(12)
    given = {k: rng.normal(size=s) for k, s in {"x": (4, 3), "w": (3, 2), "b": (2,), "y": (4, 2)}.items()}

    def loss(flat):
        w, b = flat[:6].reshape(3, 2), flat[6:]
        return jnp.mean((jnp.tanh(given["x"] @ w + b) - given["y"]) ** 2)

    flat = jnp.concatenate([given["w"].ravel(), given["b"]])
    write("hessian", given | {"hessian": jax.hessian(loss)(flat)}, {})


if __name__ == "__main__":
    made = {"schedules": schedules, "clipping": clipping, "meta": meta, "hessian": hessian, "optimizers": optimizers}
    for name in sys.argv[1:] or made:
        made[name]()
