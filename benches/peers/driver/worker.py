"""The driver's side of a worker: a process that is stopped (SIGSTOP) when it is not its turn, so that it uses no processor time."""

import json
import os
import select
import signal
import subprocess
import time

TICK = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    """A worker that cannot continue, with the reason."""


class Worker:
    def __init__(self, name, command, env, log, patience):
        self.name, self.log, self.patience = name, log, patience
        self.stderr = open(log, "wb")
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr, env=env, start_new_session=True
        )
        self.pending = b""
        self.ready = self.read()["ready"]
        self.sleep()

    def ask(self, request):
        """Wakes the worker, sends the request, and stops the worker after its answer."""
        self.signal(signal.SIGCONT)
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed(self.reason("it ended")) from None
        reply = self.read()
        self.sleep()
        return reply

    def sleep(self):
        self.signal(signal.SIGSTOP)

    def signal(self, which):
        try:
            os.killpg(self.process.pid, which)
        except ProcessLookupError:
            pass

    def read(self):
        end = time.monotonic() + self.patience
        while b"\n" not in self.pending:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Failed(f"no answer in {self.patience:.0f} s")
            got = os.read(self.process.stdout.fileno(), 1 << 20)
            if not got:
                raise Failed(self.reason("it ended"))
            self.pending += got
        line, self.pending = self.pending.split(b"\n", 1)
        reply = json.loads(line)
        if "error" in reply:
            raise Failed(reply["error"])
        return reply

    def reason(self, what):
        """What happened, with the last line that the worker wrote to stderr."""
        code = self.process.wait()
        text = open(self.log, encoding="utf-8", errors="replace").read().strip().splitlines()
        return f"{what} with status {code}" + (f": {text[-1][:300]}" if text else "")

    def processor_seconds(self):
        """The processor time that all threads of the process have used so far."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def close(self):
        self.signal(signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.stderr):
            pipe.close()
