#!/usr/bin/env python3
"""Checks the rules of tests/golden/hardware/README.md against the recording, and prints how many rows each explains.

    access_rules.py tests/golden/hardware/access_patterns.csv
"""
import collections
import csv
import sys

GROUPS = {1: 32, 2: 32, 4: 32, 8: 16, 16: 8}  # lanes that one pass through the banks serves


def words(offset, size):
    return range(offset // 4, (offset + size - 1) // 4 + 1)


def sectors(active, size):
    return len({byte // 32 for _, o in active for byte in range(o, o + size)})


def local_sectors(active, size):
    return len({(byte // 4 * 128 + lane * 4 + byte % 4) // 32 for lane, o in active for byte in range(o, o + size)})


def atomic_sectors(active):
    by_sector = collections.defaultdict(collections.Counter)
    for _, o in active:
        by_sector[o // 32][o] += 1
    return sum(max(lanes.values()) for lanes in by_sector.values())


def wavefronts(active, size, group, by_lane=False):
    """Passes for each group of lanes; a bank serves one word a pass, or one lane with by_lane."""
    total = 0
    for first in range(0, 32, group):
        banks = collections.defaultdict(set)
        for lane, o in active:
            if first <= lane < first + group:
                for word in words(o, size):
                    banks[word % 32].add(lane if by_lane else word)
        total += max(map(len, banks.values()), default=0)
    return total


def neighbours_agree(active):
    """Whether in the whole warp every active lane and its neighbour read the same address, where the neighbour is always the next lane or
    always the next but one."""
    at = dict(active)
    return any(all(at.get(lane ^ step, o) == o for lane, o in active) for step in (1, 2))


def copied_past_l1(active):
    """cp.async.cg: one pass for each line and each kind of sector in it (whole, lower half, upper half)."""
    halves = collections.defaultdict(set)
    for _, o in active:
        halves[o // 32].add(o // 16 % 2)
    return len({(sector // 4, frozenset(which)) for sector, which in halves.items()})


def expected(row, active, size):
    memory, op = row["memory"], row["op"]
    one = 1 if active else 0
    if memory in ("global", "generic_global", "guarded_global"):
        return {"requests": one, "sectors": sectors(active, size)}
    if memory == "local":
        return {"requests": one * max(size // 4, 1), "sectors": local_sectors(active, size)}
    if memory == "global_atomic":
        return {"requests": one, "sectors": atomic_sectors(active)}
    if memory == "async_copy":
        passes = copied_past_l1(active) if op == "cp.async.cg" else wavefronts(active, size, GROUPS[size], by_lane=True)
        return {"requests": one, "sectors": sectors(active, size), "wavefronts": passes}
    if memory == "shared_atomic":
        passes = wavefronts(active, size, GROUPS[size], by_lane=True)
        return None if op == "atom.add.f32" else {"wavefronts": passes * (2 if "cas" in op else 1)}
    group = GROUPS[size]
    if op == "ld" and memory != "generic_shared" and size >= 8 and neighbours_agree(active):
        group *= 2
    want = {"wavefronts": wavefronts(active, size, group)}
    if row["conflicts"]:
        want["conflicts"] = want["wavefronts"] - len({lane // group for lane, _ in active})
    return want


def percentage(row, active, size):
    bytes_wanted = len({byte for _, o in active for byte in range(o, o + size)})
    moved = int(row["sectors"]) * 32 if row["memory"] == "global" else int(row["wavefronts"]) * 128
    return abs(float(row["data_bytes_pct"]) - 100 * bytes_wanted / moved) < 0.01


def main():
    right, rows = collections.Counter(), collections.Counter()
    for row in csv.DictReader(open(sys.argv[1])):
        mask, size = int(row["mask"], 16), int(row["size"])
        active = [(lane, int(o)) for lane, o in enumerate(row["offsets"].split()) if mask >> lane & 1]
        want = expected(row, active, size)
        if want is None:
            continue
        key = (row["memory"], row["op"])
        rows[key] += 1
        right[key] += all(int(row[column]) == value for column, value in want.items())
        if row["data_bytes_pct"]:
            rows[row["memory"], "data_bytes_pct"] += 1
            right[row["memory"], "data_bytes_pct"] += percentage(row, active, size)
    for key in rows:
        print(f"{right[key]:5} of {rows[key]:5}  {' '.join(key)}")


if __name__ == "__main__":
    main()
