#!/usr/bin/env python3
"""Keeps the rows of a recording of occupancy.cu that decide something: thin_occupancy.py < recorded.csv > occupancy_h200.csv

The recording asks 18,360 random questions, and most of them lie far from where an answer changes. Rows are put into classes,
and of each class the rows are kept that lie nearest to a change:

- Blocks a multiprocessor: a class is what limits (warps, blocks, registers, shared memory, barriers, or several), the answer
  and the carve-out. For each resource that limits, the row whose block takes most of it is kept, and the one that takes least.
- The carve-out: a class is the percentage that was asked for, the size that came of it and the blocks that fit into it. The
  row that leaves least of it free is kept, and the one that lacks least for one more block.
- Opting in: a class is whether the kernel opted in for as much as it asked. The rows with the least and the most shared
  memory on either side of the default limit are kept.
- Available dynamic memory: a class is the number of blocks wanted, what decides the answer and the carve-out. The row with
  the most static memory is kept.

Thinning a thinned file keeps it as it is.
"""

import csv
import sys

# Compute capability 9.0, from the CUDA programming guide and NVIDIA's cuda_occupancy.h.
WARPS, BLOCKS, BARRIERS = 64, 32, 64
REGISTERS, REGISTER_UNIT, PARTITIONS = 65536, 256, 4
SHARED, SHARED_UNIT, RESERVED, OPTIN, DEFAULT = 233472, 128, 1024, 232448, 49152
CARVEOUTS = [1024 * k for k in (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)]


def up(value, unit):
    return -(-value // unit) * unit


def shared_memory(row):
    """(what a block asks for, what it takes, whether it may, the carve-out in effect)"""
    asked = row["static_shared"] + row["dynamic_shared"]
    taken = up(asked + RESERVED, SHARED_UNIT)
    allowed = asked <= OPTIN and (row["dynamic_shared"] <= row["max_dynamic"] or asked <= DEFAULT)
    wanted = SHARED * row["carveout_percent"]
    fitting = (c for c in CARVEOUTS if c * 100 >= wanted and c >= taken)
    return asked, taken, allowed, SHARED if wanted < 0 else next(fitting, SHARED)


def limits(row):
    """{resource: (blocks that it allows, what a block takes of it)}"""
    warps = up(row["block"], 32) // 32
    per_warp = up(row["registers"] * 32, REGISTER_UNIT)
    fits = per_warp * up(warps, PARTITIONS) <= REGISTERS
    asked, taken, allowed, carveout = shared_memory(row)
    return {
        "warps": (WARPS // warps, row["block"]),
        "blocks": (BLOCKS, 0),
        "registers": (REGISTERS // PARTITIONS // per_warp * PARTITIONS // warps if fits else 0, row["registers"] * warps),
        "shared": (carveout // taken if allowed else 0, asked),
        "barriers": (BARRIERS // row["barriers"], row["barriers"]),
    }


def classes(row):
    """(class, key) pairs: of each class the row with the smallest key is kept."""
    by = limits(row)
    least = min(blocks for blocks, _ in by.values())
    limiting = tuple(resource for resource, (blocks, _) in by.items() if blocks == least)
    for resource in limiting:
        kind = ("blocks", resource, limiting, row["blocks"], row["carveout_percent"])
        yield (*kind, "most"), -by[resource][1]
        yield (*kind, "least"), by[resource][1]
    asked, taken, allowed, carveout = shared_memory(row)
    if "shared" in limiting and allowed:
        kind = ("carve-out", row["carveout_percent"], carveout, least)
        yield (*kind, "left"), carveout - least * taken
        yield (*kind, "lacking"), (least + 1) * taken - carveout
    kind = ("opting in", row["dynamic_shared"] <= row["max_dynamic"], asked <= DEFAULT, asked <= OPTIN)
    yield (*kind, "most"), -asked
    yield (*kind, "least"), asked
    answer = row["available_dynamic"]
    decided = "none" if answer < 0 else "max_dynamic" if answer == row["max_dynamic"] else "shared"
    yield ("available", row["wanted_blocks"], decided, row["carveout_percent"]), -row["static_shared"]


def main():
    reader = csv.DictReader(sys.stdin)
    rows = [{name: int(cell) for name, cell in row.items()} for row in reader]
    kept = {}
    for place, row in enumerate(rows):
        for kind, key in classes(row):
            kept[kind] = min(kept.get(kind, (key, place)), (key, place))
    out = csv.DictWriter(sys.stdout, reader.fieldnames, lineterminator="\n")
    out.writeheader()
    out.writerows(rows[place] for place in sorted({place for _, place in kept.values()}))


if __name__ == "__main__":
    main()
