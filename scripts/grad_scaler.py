#!/usr/bin/env python3
"""Prints how PyTorch's GradScaler behaves over a series of good and bad steps: the expected values of a test of rlx-train."""

import torch

scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
seen = []
for good in [True, True, True, False, True, True, True, True, False, False]:
    optimizer.zero_grad()
    scaler.scale((weight * (1.0 if good else float("inf"))).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    seen.append(scaler.get_scale())
print(seen)
