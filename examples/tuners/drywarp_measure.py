"""One configuration's modelled time, by `drywarp measure`: what a tuner calls instead of a GPU.

    python3 examples/tuners/drywarp_measure.py examples/sweeps/matmul.cu TILE=16 COARSE=2
"""
import json
import os
import subprocess
import sys


class Failed(Exception):
    """The configuration does not compile, does not fit, crashes, or prints a wrong result."""


def measure(program, macros=None, arguments=(), **more):
    """The measurement of docs/sweep.md as a dictionary. `more`: device, kernel, verify, stage, limit_seconds."""
    request = {"program": program, "macros": macros or {}, "arguments": list(arguments), **more}
    drywarp = os.environ.get("DRYWARP", "drywarp")
    answer = subprocess.run([drywarp, "measure", "--json"], input=json.dumps(request), capture_output=True, text=True)
    if answer.returncode not in (0, 123):  # 123: the configuration failed, and the answer says why
        raise RuntimeError(answer.stderr.strip())
    measurement = json.loads(answer.stdout)
    if measurement["outcome"] != "ok":
        raise Failed(f"{measurement['outcome']}: {measurement['reason']}")
    return measurement


if __name__ == "__main__":
    try:
        macros = dict(word.split("=", 1) for word in sys.argv[2:])
        print(f"{measure([sys.argv[1]], macros)['seconds'] * 1e6:.2f} us")
    except Failed as problem:
        sys.exit(str(problem))
