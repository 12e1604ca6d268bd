#!/usr/bin/env python3
"""Keeps the significant rows of a recording of occupancy.cu: thin_occupancy.py < recorded.csv > occupancy_h200.csv

The recording has 18,360 random queries, most of them far from any change of the answer. Rows are classified, and of each class the rows
nearest to a change are kept:

- Blocks a multiprocessor: a class is the limits (warps, blocks, registers, shared memory, barriers, or several), the answer and the
  carve-out. For each limiting resource, the rows whose blocks use most and least of it are kept.
- The carve-out: a class is the requested percentage, the resulting size and the blocks that fit. The row that leaves least free is kept,
  and the one that lacks least for one more block.
- Opting in: a class is whether the kernel opted in for its shared memory. The rows with the least and the most shared memory on either side
  of the default limit are kept.
- Available dynamic memory: a class is the requested number of blocks, the limit that decides the answer, and the carve-out. The row with
  the most static memory is kept.

Thinning a thinned file does not change it.
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
    """(requested shared memory of a block, allocated, whether allowed, the carve-out in effect)"""
    asked = row["static_shared"] + row["dynamic_shared"]
    taken = up(asked + RESERVED, SHARED_UNIT)
    allowed = asked <= OPTIN and (row["dynamic_shared"] <= row["max_dynamic"] or asked <= DEFAULT)
    wanted = SHARED * row["carveout_percent"]
    fitting = (c for c in CARVEOUTS if c * 100 >= wanted and c >= taken)
    return asked, taken, allowed, SHARED if wanted < 0 else next(fitting, SHARED)


def limits(row):
    """{resource: (blocks that it allows, use of a block)}"""
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
    """(class, key) pairs; the row with the smallest key of each class is kept."""
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
