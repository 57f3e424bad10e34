#!/usr/bin/env python3
"""Prints the parameters of crates/rlx-train/tests/optimizers.rs after 25 steps of optax's Sophia, which estimates the Hessian itself.

    python scripts/sophia_training.py

Needs jax, optax and numpy. The Hessian of the loss is diagonal, so Hutchinson's estimate is exact for any signs.
"""

import jax
import jax.numpy as jnp
import numpy as np
from optax import apply_updates, contrib

TARGET = jnp.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.5]], jnp.float32)
STEPS = 25


def curvature(step):
    """The factors in the batch of a step."""
    return jnp.array([[(1 + (step * 7 + 3 * i) % 5) * 0.5 for i in range(3 * r, 3 * r + 3)] for r in range(2)], jnp.float32)


def loss(w, a):
    return 0.5 * jnp.sum(a * (w - TARGET) ** 2)


for settings in [{}, {"update_interval": 4, "gamma": 1.0, "b2": 0.5, "clip_threshold": 4.0}]:
    optimizer = contrib.sophia(0.05, **settings)
    w = jnp.zeros((2, 3), jnp.float32)
    state = optimizer.init(w)
    for step in range(STEPS):
        a = curvature(step)
        updates, state = optimizer.update(jax.grad(loss)(w, a), state, w, obj_fn=lambda w, a=a: loss(w, a))
        w = apply_updates(w, updates)
    print(settings, np.asarray(w).ravel().tolist())
