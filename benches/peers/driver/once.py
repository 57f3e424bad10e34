"""Runs a command once with the given standard input, and reports its time and peak memory.

This is a separate process, because the system counts memory of the process that starts a command as the command's, and the driver uses a lot.
"""

import json
import os
import subprocess
import sys
import time

text = sys.stdin.buffer.read()
start = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
child.stdin.write(text)
child.stdin.close()
_, status, usage = os.wait4(child.pid, 0)
elapsed = (time.perf_counter() - start) * 1e3
child.returncode = os.waitstatus_to_exitcode(status)
if child.returncode != 0:
    sys.exit(child.returncode)
print(json.dumps({"ms": elapsed, "bytes": usage.ru_maxrss * 1024}))
