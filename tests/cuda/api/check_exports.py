#!/usr/bin/env python3
"""check_exports.py LIBRARY INCLUDE: checks that the library exports every function of the CUDA APIs that our headers declare.

Otherwise only a program's linker would find a missing definition. Static inline and device functions are left out. A name that a header
maps to another (#define cuMemAlloc cuMemAlloc_v2) counts as that one.
"""

import pathlib
import re
import subprocess
import sys

HEADERS = ["drywarp/api/*.h", "drywarp/driver/*.h", "nvToolsExt.h", "cuda_profiler_api.h", "cudaProfiler.h"]
RESULTS = r"(?:cudaError_t|CUresult|const char\*|struct cudaChannelFormatDesc|cudaChannelFormatDesc|unsigned)"


def declared(include):
    text, names = "", {}
    for pattern in HEADERS:
        for path in sorted(include.glob(pattern)):
            content = path.read_text(encoding="utf-8")
            content = re.sub(r"//.*", "", content)
            names.update(re.findall(r"^#define (cu\w+) (cu\w+)$", content, re.M))
            text += content
    found = set()
    for match in re.finditer(r"^" + RESULTS + r"\s+((?:__)?cu[a-zA-Z]\w*)\s*\(", text, re.M):
        found.add(names.get(match.group(1), match.group(1)))
    return found


def exported(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines()}


def main():
    library, include = sys.argv[1], pathlib.Path(sys.argv[2])
    wanted = declared(include)
    if len(wanted) < 400:
        print(f"only {len(wanted)} declarations found: this check does not understand the headers")
        return 1
    missing = sorted(wanted - exported(library))
    for name in missing:
        print(f"{name} is declared and not exported")
    print(f"{len(wanted)} functions declared, {len(missing)} missing")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
