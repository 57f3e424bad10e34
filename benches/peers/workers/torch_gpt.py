"""The training step of gpt.py in PyTorch, with fused AdamW; and AdamW alone."""

import gpt
import torch
import torch.nn.functional as F


def loss_of(params, ids):
    linear = lambda x, at: F.linear(x, params[f"{at}.weight"], params[f"{at}.bias"])
    norm = lambda x, at: F.layer_norm(x, (gpt.WIDTH,), params[f"{at}.weight"], params[f"{at}.bias"])
    heads = lambda x: x.view(gpt.BATCH, gpt.SEQ, gpt.HEADS, gpt.WIDTH // gpt.HEADS).transpose(1, 2)
    inputs, targets = ids[:, :-1], ids[:, 1:]
    x = params["tokens.weight"][inputs] + params["positions.weight"][: gpt.SEQ]
    for layer in range(gpt.LAYERS):
        at = f"layers.{layer}"
        h = norm(x, f"{at}.norm1")
        q, k, v = (heads(linear(h, f"{at}.attention.{p}")) for p in ("query", "key", "value"))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + linear(a.transpose(1, 2).reshape(gpt.BATCH, gpt.SEQ, gpt.WIDTH), f"{at}.attention.output")
        h = norm(x, f"{at}.norm2")
        x = x + linear(F.gelu(linear(h, f"{at}.up")), f"{at}.down")
    logits = norm(x, "norm") @ params["tokens.weight"].T
    return F.cross_entropy(logits.view(-1, gpt.VOCAB), targets.reshape(-1))


def adamw(params, **kind):
    return torch.optim.AdamW(params, lr=gpt.LR, betas=(gpt.B1, gpt.B2), eps=gpt.EPS, weight_decay=gpt.DECAY, **kind)


def stepper(weights, tokens, compiled=False):
    """A function that takes step i and returns its loss."""
    params = {name: torch.nn.Parameter(torch.from_numpy(value.copy())) for name, value in weights.items()}
    tokens = torch.from_numpy(tokens.astype("int64"))
    optimizer = adamw(params.values(), fused=True)
    loss_fn = torch.compile(loss_of) if compiled else loss_of

    def step(i):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_fn(params, tokens[i % gpt.EXAMPLES])
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    return step


def updater(weights, **kind):
    """A function that takes a step of AdamW alone, and the parameters. The gradient of each parameter is its initial value."""
    params = [torch.nn.Parameter(torch.from_numpy(value.copy())) for value in weights.values()]
    for p in params:
        p.grad = p.detach().clone()
    return adamw(params, **kind).step, params
