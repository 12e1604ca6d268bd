#!/usr/bin/env python3
"""Holds the #includes under src/ to the order of the folders.

LAYERS is the one table: folders in the order in which data flows, each with the folders it may include besides support/.
What those may include, it may include as well. The check fails on an include of any other folder, on a folder the table
does not know, on LLVM outside jit/, on cycles between headers, and on a table that looks backwards itself.

    tools/check_layers.py [source folder]      check; exit code 1 and one line a fault if something is wrong
    tools/check_layers.py --test               check the check
"""

import re
import sys
import tempfile
from pathlib import Path

LAYERS = {
    "support": [],
    "device": [],
    "events": ["device"],
    "machine": [],
    "ptx": [],
    "ir": ["ptx"],
    "analysis": ["ir"],
    "jit": ["ir", "analysis", "events"],
    "lowering": ["machine", "analysis", "events", "device"],
    "exec": ["jit", "ir", "analysis", "events", "device"],
    "memsys": ["events", "device"],
    "timing": ["machine", "memsys", "events", "device"],
    "metrics": ["timing", "device"],
    "advice": ["metrics", "device"],
    "report": ["metrics", "advice"],
    "explain": ["timing", "report"],
    "store": ["report"],
    "fatbin": [],
    "session": ["exec", "lowering", "timing", "fatbin", "store"],
    "cudart": ["session"],
    "frontend": [],
    "calibrate": ["device"],
    "device_passes": [],
    "cli": ["session", "report", "store", "fatbin", "frontend", "calibrate", "explain"],
}
LLVM_FOLDERS = {"jit", "device_passes"}  # device_passes: a plug-in for clang, includes nothing of ours
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def closure(layers):
    """For each folder all that it may include; SystemExit if the table itself looks backwards."""
    seen, allowed = [], {}
    for folder, direct in layers.items():
        backwards = [name for name in direct if name not in seen]
        if backwards:
            sys.exit(f"check_layers.py: the table lets {folder}/ include {', '.join(backwards)}, which comes later")
        allowed[folder] = {folder, "support"}.union(*(allowed[name] for name in direct)) if direct else {folder, "support"}
        seen.append(folder)
    return allowed


def sources(root):
    return sorted(path for path in root.rglob("*") if path.suffix in {".h", ".cpp", ".def", ".inc", ".S"})


def faults(root, layers=LAYERS):
    allowed = closure(layers)
    found, graph = [], {}
    for path in sources(root):
        relative = path.relative_to(root)
        folder = relative.parts[0]
        if len(relative.parts) == 1:
            continue
        if folder not in layers:
            found.append(f"{relative}: the folder {folder}/ is not in the table of tools/check_layers.py")
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        graph[str(relative)] = []
        for match in INCLUDE.finditer(text):
            name = match.group(1)
            line = text.count("\n", 0, match.start(1)) + 1
            target = name.split("/")[0]
            if target in ("llvm", "llvm-c", "clang", "lld") and folder not in LLVM_FOLDERS:
                found.append(f"{relative}:{line}: includes <{name}>: only {' and '.join(sorted(LLVM_FOLDERS))} name LLVM")
            if "/" not in name or target not in layers or not (root / name).exists():
                continue
            graph[str(relative)].append(name)
            if target not in allowed[folder]:
                found.append(f'{relative}:{line}: includes "{name}": {folder}/ may include '
                             f"{', '.join(sorted(allowed[folder] - {folder}))}")
    return found + cycles(graph)


def cycles(graph):
    found, state, stack = [], {}, []

    def visit(node):
        state[node] = "open"
        stack.append(node)
        for target in graph.get(node, []):
            if state.get(target) == "open" and target != node:
                found.append("cycle of includes: " + " -> ".join(stack[stack.index(target):] + [target]))
            elif target not in state:
                visit(target)
        stack.pop()
        state[node] = "done"

    for node in graph:
        if node not in state:
            visit(node)
    return found


def self_test():
    cases = [
        ({"ptx/a.h": '#include "ir/b.h"', "ir/b.h": ""}, ["ptx/a.h:1"]),
        ({"exec/a.cpp": "\n#include <llvm/IR/Module.h>"}, ["exec/a.cpp:2"]),
        ({"jit/a.cpp": "#include <llvm/IR/Module.h>"}, []),
        ({"ir/a.h": '#include "ir/b.h"', "ir/b.h": '#include "ir/a.h"'}, ["cycle of includes: ir/a.h"]),
        ({"ir/a.h": '#include "ptx/b.h"\n#include "support/c.h"', "ptx/b.h": "", "support/c.h": ""}, []),
        ({"report/a.h": '#include "ptx/b.h"', "ptx/b.h": ""}, ["report/a.h:1"]),
        ({"surprise/a.h": ""}, ["surprise/a.h"]),
    ]
    for files, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            found = faults(Path(folder))
        same = len(found) == len(expected) and all(got.startswith(want) for got, want in zip(found, expected))
        if not same:
            sys.exit(f"check_layers.py --test: {files}: expected {expected}, found {found}")
    print(f"{len(cases)} cases as expected")


def main():
    if sys.argv[1:] == ["--test"]:
        return self_test()
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "src"
    found = faults(root)
    for fault in found:
        print(fault)
    if found:
        sys.exit(1)
    print(f"{len(sources(root))} files keep to the order of the folders")


if __name__ == "__main__":
    main()
