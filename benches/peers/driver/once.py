"""Runs a command once, with what stands on standard input, and says how long it took and the most memory that it had.

A process of its own: the system counts what the process that starts a command holds as the command's, and the driver holds much.
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
