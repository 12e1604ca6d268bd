#!/usr/bin/env python3
"""The page of a profile of 1,000 launches: its size, and the time to write it. Fails beyond 20 MB."""
import argparse
import os
import subprocess
import sys
import tempfile
import time

LIMIT_MB = 20
HERE = os.path.dirname(os.path.abspath(__file__))


def timed(command):
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drywarp", required=True, help="the program")
    parser.add_argument("--keep", metavar="FOLDER", help="leave the profile and the page there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        profile = os.path.join(folder, "many_launches.dwprof")
        seconds = timed([options.drywarp, "profile", "-o", profile, os.path.join(HERE, "many_launches.cu")])
        print(f"profile of 1,000 launches    {os.path.getsize(profile) / 1e6:8.2f} MB   made in    {seconds:6.2f} s")
        sizes = {}
        for name, arguments in (("page", []), ("json", ["--format", "json"]), ("perfetto", ["--format", "perfetto"])):
            file = os.path.join(folder, "many_launches." + ("html" if name == "page" else name))
            seconds = min(timed([options.drywarp, "report", profile, "-o", file] + arguments) for _ in range(3))
            sizes[name] = os.path.getsize(file) / 1e6
            print(f"{name:<28} {sizes[name]:8.2f} MB   written in {seconds:6.2f} s")
    return f"the page has more than {LIMIT_MB} MB" if sizes["page"] > LIMIT_MB else 0


if __name__ == "__main__":
    sys.exit(main())
