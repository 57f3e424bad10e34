"""`rlx bench update` as a worker: each burst is a separate process, which gives a median."""

import json
import subprocess

import numpy as np

from worker import Failed

# Steps per burst, and warm-up steps that the command does not count.
STEPS, WARM_UP = 30, 2
# Steps after which the parameters are compared with PyTorch's.
CHECKED = 8


class Cli:
    def __init__(self, command, env, threads):
        self.env = env
        self.command = [*command, "bench", "update", "--threads", str(threads), "--json"]
        self.ready = {"version": "RLX", "notes": "rlx bench update"}

    def ask(self, request):
        if request["do"] == "prepare":
            self.command += ["--weights", f"{request['data']}/train.safetensors"]
            magnitude = self.bench(CHECKED - WARM_UP)["magnitude"]
            np.float32([magnitude / 1e6]).tofile(request["output"])
            return {"facts": {}}
        return {"times_ms": [self.bench(STEPS)["median_ms"]]}

    def bench(self, steps):
        command = [*self.command, "--steps", str(steps)]
        done = subprocess.run(command, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise Failed(done.stderr.strip()[-300:])
        return json.loads(done.stdout)

    def processor_seconds(self):
        return 0.0

    def close(self):
        pass
