#!/usr/bin/env python3
"""Checks that the #includes under src/ follow the order of the rooms.

The table is in src/CMakeLists.txt: drywarp_room(<wing/room> "purpose" [USES <rooms>...] [INSIDE <folders>...]), in the order of the data
flow. A room may include the rooms that it USES, and theirs. INSIDE lists the folders of a room in order ("." is the room's own files); a
folder may include only earlier ones. The check fails on any other include, on a file outside all rooms, on LLVM outside the rooms that
generate code, on cycles between headers, and on a room that USES a later one.

    tools/check_layers.py [source folder]      check; exit code 1 and one line a fault if something is wrong
    tools/check_layers.py --test               check the check
"""

import re
import sys
import tempfile
from pathlib import Path

LLVM_ROOMS = {"engine/jit", "faces/device_passes", "faces/check_passes"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
ROOM = re.compile(r'^drywarp_room\(\s*(\S+)\s+"([^"]*)"([^)]*)\)', re.MULTILINE)


class Room:
    def __init__(self, purpose, words):
        self.purpose, self.uses, self.inside = purpose, [], []
        into = None
        for word in words:
            if word in ("USES", "INSIDE"):
                into = self.uses if word == "USES" else self.inside
            elif into is self.inside or (into is self.uses and "/" in word):  # others are libraries outside the project
                into.append(word)


def read_table(text):
    return {name: Room(purpose, rest.split()) for name, purpose, rest in ROOM.findall(text)}


def closure(rooms):
    """For each room, all rooms that it may include; SystemExit if a room uses a later one."""
    allowed = {}
    for name, room in rooms.items():
        backwards = [used for used in room.uses if used not in allowed]
        if backwards:
            sys.exit(f"check_layers.py: the table lets {name} include {', '.join(backwards)}, which comes later or nowhere")
        allowed[name] = {name}.union(*(allowed[used] for used in room.uses))
    return allowed


def place(path, rooms):
    """(room, folder inside it) of a path below src/; (None, None) outside of all rooms."""
    parts = path.split("/")
    room = "/".join(parts[:2])
    return (room, "/".join(parts[2:-1]) or ".") if len(parts) > 2 and room in rooms else (None, None)


def sources(root):
    return sorted(path for path in root.rglob("*") if path.suffix in {".h", ".cpp", ".def", ".inc", ".S"})


def faults(root):
    rooms = read_table((root / "CMakeLists.txt").read_text(encoding="utf-8"))
    allowed = closure(rooms)
    found, graph = [], {}
    for path in sources(root):
        relative = str(path.relative_to(root))
        room, folder = place(relative, rooms)
        if room is None:
            found.append(f"{relative}: lies in no room of src/CMakeLists.txt")
            continue
        inside = rooms[room].inside
        if inside and folder not in inside:
            found.append(f"{relative}: {room} has no folder {folder} in its INSIDE of src/CMakeLists.txt")
        text = path.read_text(encoding="utf-8", errors="replace")
        graph[relative] = []
        for match in INCLUDE.finditer(text):
            name = match.group(1)
            line = text.count("\n", 0, match.start(1)) + 1
            if name.split("/")[0] in ("llvm", "llvm-c", "clang", "lld") and room not in LLVM_ROOMS:
                found.append(f"{relative}:{line}: includes <{name}>: only {' and '.join(sorted(LLVM_ROOMS))} name LLVM")
            target, target_folder = place(name, rooms)
            if target is None or not (root / name).exists():
                continue
            graph[relative].append(name)
            if target not in allowed[room]:
                found.append(f'{relative}:{line}: includes "{name}": {room} may include '
                             f"{', '.join(sorted(allowed[room] - {room}))}")
            elif target == room and inside and folder in inside and target_folder in inside[inside.index(folder) + 1:]:
                found.append(f'{relative}:{line}: includes "{name}": inside {room}, {folder} comes before {target_folder}')
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
    table = """drywarp_room(base/a "first")
drywarp_room(base/b "second" USES base/a fmt::fmt INSIDE in .)
drywarp_room(engine/jit "third"
             USES base/b)
"""
    cases = [
        ({"base/a/x.h": '#include "base/b/y.h"', "base/b/y.h": ""}, ["base/a/x.h:1"]),
        ({"base/a/x.cpp": "\n#include <llvm/IR/Module.h>"}, ["base/a/x.cpp:2"]),
        ({"engine/jit/x.cpp": "#include <llvm/IR/Module.h>"}, []),
        ({"base/a/x.h": '#include "base/a/y.h"', "base/a/y.h": '#include "base/a/x.h"'}, ["cycle of includes: base/a/x.h"]),
        ({"engine/jit/x.h": '#include "base/a/y.h"\n#include "base/b/z.h"', "base/a/y.h": "", "base/b/z.h": ""}, []),
        ({"base/surprise/x.h": ""}, ["base/surprise/x.h"]),
        ({"base/b/in/x.h": '#include "base/b/y.h"', "base/b/y.h": ""}, ["base/b/in/x.h:1"]),
        ({"base/b/x.h": '#include "base/b/in/y.h"', "base/b/in/y.h": ""}, []),
        ({"base/b/other/x.h": ""}, ["base/b/other/x.h"]),
    ]
    for files, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**files, "CMakeLists.txt": table}.items():
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
    print(f"{len(sources(root))} files keep to the order of the rooms")


if __name__ == "__main__":
    main()
