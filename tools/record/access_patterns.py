#!/usr/bin/env python3
"""Warp access patterns to record on a GPU.

    access_patterns.py list FAMILY > patterns.txt     one pattern a line: op size mask 32 offsets | description
    access_patterns.py join FAMILY patterns.txt ncu.csv > rows.csv

A family is a group of operations whose counters one run of Nsight Compute collects. Offsets are bytes from a base that is aligned to 512
bytes. The seed is fixed, so the list is the same everywhere.
"""
import csv
import random
import sys

WARP = range(32)
FULL = 0xFFFFFFFF
SIZES = (1, 2, 4, 8, 16)

# family -> operation -> sizes
FAMILIES = {
    "global": {"ld": SIZES, "st": SIZES},
    "shared": {"ld": SIZES, "st": SIZES},
    "local": {"ld": SIZES, "st": SIZES},
    "global_atomic": {
        "red.add.u32": (4,), "atom.add.u32": (4,), "red.add.f32": (4,), "atom.add.f32": (4,), "red.add.u64": (8,), "atom.add.u64": (8,), "red.add.f64": (8,),
        "atom.cas.b64": (8,), "red.add.noftz.f16x2": (4,),
    },
    "shared_atomic": {
        "red.add.u32": (4,), "atom.add.u32": (4,), "atom.min.s32": (4,), "atom.exch.b32": (4,), "atom.cas.b32": (4,),
        "atom.cas.b64": (8,), "atom.exch.b64": (8,), "atom.add.f32": (4,),
    },
    "async_copy": {"cp.async.ca": (4, 8, 16), "cp.async.cg": (16,)},
    # Generic addresses, and a guarded access instead of a branch around it.
    "generic_global": {"ld": (4, 16), "st": (4,)},
    "generic_shared": {"ld": (4, 16), "st": (4,)},
    "guarded_global": {"ld": (4,), "st": (4,)},
    "guarded_shared": {"ld": (4,), "st": (4,)},
}

METRICS = {
    "global": """l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
        l1tex__t_requests_pipe_lsu_mem_global_op_st.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum""",
    "shared": """l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
        l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
        smsp__inst_executed_op_shared_ld.sum smsp__inst_executed_op_shared_st.sum""",
    "local": """l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum
        l1tex__t_requests_pipe_lsu_mem_local_op_st.sum l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum
        smsp__inst_executed_op_local_ld.sum smsp__inst_executed_op_local_st.sum""",
    "global_atomic": """l1tex__t_requests_pipe_lsu_mem_global_op_red.sum l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum
        l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum
        lts__t_requests_srcunit_tex_op_red.sum lts__t_sectors_srcunit_tex_op_red.sum
        lts__t_requests_srcunit_tex_op_atom.sum lts__t_sectors_srcunit_tex_op_atom.sum
        smsp__inst_executed_op_global_red.sum smsp__inst_executed_op_global_atom.sum""",
    "shared_atomic": """l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum
        l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
        l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
        l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
        smsp__inst_executed_op_shared_atom.sum smsp__inst_executed_op_shared_ld.sum""",
    "async_copy": """smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum
        smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum
        smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum smsp__inst_executed_op_ldgsts.sum""",
}

VARIANT_METRICS = """l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
    l1tex__t_requests_pipe_lsu_mem_global_op_st.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
    l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
    smsp__inst_executed_op_GUARD_ld.sum smsp__inst_executed_op_GUARD_st.sum"""
for kind in ("generic", "guarded"):
    for memory in ("global", "shared"):
        METRICS[f"{kind}_{memory}"] = VARIANT_METRICS.replace("GUARD", "generic" if kind == "generic" else memory)

# These need instrumented code, which is slow, so only every SASS_STEP-th pattern is recorded.
SASS_STEP = 9
SASS_METRICS = {
    "global": """smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct
        smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum
        smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum
        smsp__sass_l1tex_tags_mem_global.sum smsp__sass_l1tex_m_xbar2l1tex_read_sectors_mem_global_op_ld.sum""",
    "shared": """smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct
        smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_ld.pct
        smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_st.pct
        smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared.sum
        smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_ideal.sum
        smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared.sum""",
}

MASKS = {
    "lane 0": 1, "lane 31": 1 << 31, "lower half": 0xFFFF, "upper half": 0xFFFF0000, "even": 0x55555555,
    "odd": 0xAAAAAAAA, "nibbles": 0x0F0F0F0F, "every 4th": 0x11111111, "first 8": 0xFF, "bytes": 0x00FF00FF,
    "first 17": 0x1FFFF, "all but lane 5": FULL & ~(1 << 5), "quarters 1 and 3": 0xFF00FF00,
}


def structured(size):
    """(description, lane -> element index) of the regular patterns."""
    for k in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64):
        yield f"stride {k}", lambda l, k=k: l * k
    for b in (1, 2, 3, 4, 7, 8, 15, 16, 31):
        yield f"unit, {b} elements off", lambda l, b=b: l + b
    yield "reversed", lambda l: 31 - l
    for x in (1, 2, 4, 8, 16):
        yield f"lane xor {x}", lambda l, x=x: l ^ x
    yield "rotated by 5", lambda l: (l + 5) % 32
    for d in (2, 4, 8, 16):
        yield f"lane / {d}", lambda l, d=d: l // d
        yield f"lane % {d}", lambda l, d=d: l % d
        yield f"transposed {d}", lambda l, d=d: (l % d) * (32 // d) + l // d
        yield f"lane / {d}, 64 elements apart", lambda l, d=d: l // d * 64
        yield f"unit in groups of {d}, 64 elements apart", lambda l, d=d: l // d * 64 + l % d
        yield f"same unit in each group of {d}, 32 apart by parity", lambda l, d=d: l % d + (l // d % 2) * 32
    yield "two words of one bank by parity", lambda l: (l % 2) * 32
    yield "column of 33", lambda l: l * 33
    yield "row-major 8 x 4, padded", lambda l: (l // 8) * 9 + l % 8


def patterns_for(family, size, rng):
    """(description, mask, offsets) of one operation."""
    out = []
    few = family not in ("global", "shared", "global_atomic", "shared_atomic")
    span = 32768 if "shared" in family or family == "async_copy" else 1 << 20
    if family == "local":
        span = 1024

    def add(text, lanes, mask=FULL):
        offsets = [size * lanes(l) for l in WARP]
        if max(offsets) + size <= span:
            out.append((text, mask, offsets))

    everything = list(structured(size))
    atomic = family.endswith("atomic")
    if atomic:
        keep = ("stride 0", "stride 1", "stride 2", "stride 4", "stride 8", "stride 32", "stride 33", "unit, 3", "reversed",
                "lane /", "lane %", "two words")
        everything = [p for p in everything if p[0].startswith(keep) and "apart" not in p[0]]
    if family == "local":
        keep = ("stride 0", "stride 1", "stride 2", "stride 4", "unit, 1 ", "reversed", "lane / 8", "lane % 2", "lane / 16")
        everything = [p for p in everything if p[0].startswith(keep) and "apart" not in p[0]]
        for b in (1, 2, 3, 5):
            everything.append((f"the same element {b}", lambda l, b=b: b))
    if few and family != "local":
        everything = everything[:18]
    for text, lanes in everything:
        add(text, lanes)

    def table(values):
        return lambda l: values[l]

    def random_in(window):
        return [rng.randrange(window) for _ in WARP]

    def random_mask():
        return rng.getrandbits(32) or 1

    if family.startswith("guarded"):
        add("nobody", lambda l: l, 0)
    for text, mask in MASKS.items():
        add(f"unit, {text}", lambda l: l, mask)
        if not few:
            add(f"stride 2, {text}", lambda l: 2 * l, mask)
            if atomic:
                add(f"same, {text}", lambda l: 0, mask)
    for w in (32, 64, 128, 1024) if few else (4, 16, 32, 64, 128, 512, 2048):
        for _ in range(4 if family == "shared" else 2):
            if w * size <= span:
                add(f"random in {w}", table(random_in(w)))
        if w * size <= span:
            add(f"random in {w}, random mask", table(random_in(w)), random_mask())
            add(f"random in {w}, sparse mask", table(random_in(w)), random_mask() & random_mask() | 2)
    for _ in range(2 if few else 4):
        shuffled = list(WARP)
        rng.shuffle(shuffled)
        add("random permutation", table(shuffled))
        add("unit, random mask", lambda l: l, random_mask())
    return out


def all_patterns(family):
    rng = random.Random("drywarp " + family)
    for op, sizes in FAMILIES[family].items():
        for size in sizes:
            for text, mask, offsets in patterns_for(family, size, rng):
                yield op, size, mask, offsets, text


def listed_patterns(family):
    """`family` from the command line; the suffix ":sass" selects the patterns recorded with instrumented code."""
    name, _, sass = family.partition(":")
    return [p for i, p in enumerate(all_patterns(name)) if not sass or i % SASS_STEP == 0]


def metrics_of(family):
    name, _, sass = family.partition(":")
    return (SASS_METRICS if sass else METRICS)[name].split()


FULL_NAMES = ("global_atomic", "shared_atomic", "async_copy")

# Column of access_patterns.csv -> its counters, each with its families (or their first word). OP is ld, st, red or
# atom.
COLUMNS = {
    "requests": {"l1tex__t_requests_pipe_lsu_mem_global_op_OP.sum": ("global", "global_atomic", "generic", "guarded"),
                 "l1tex__t_requests_pipe_lsu_mem_local_op_OP.sum": ("local",),
                 "smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum": ("async_copy",)},
    "sectors": {"l1tex__t_sectors_pipe_lsu_mem_global_op_OP.sum": ("global", "global_atomic", "generic", "guarded"),
                "l1tex__t_sectors_pipe_lsu_mem_local_op_OP.sum": ("local",),
                "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum": ("async_copy",)},
    "wavefronts": {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_OP.sum": ("shared", "generic", "guarded"),
                   "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum": ("shared_atomic",),
                   "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum": ("async_copy",)},
    "all_wavefronts": {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": ("shared_atomic",)},
    "conflicts": {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_OP.sum": ("shared",),
                  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum": ("shared_atomic",)},
    "l2_requests": {"lts__t_requests_srcunit_tex_op_OP.sum": ("global_atomic",)},
    "l2_sectors": {"lts__t_sectors_srcunit_tex_op_OP.sum": ("global_atomic",)},
    "instructions": {"smsp__inst_executed_op_shared_OP.sum": ("shared", "guarded_shared"),
                     "smsp__inst_executed_op_global_OP.sum": ("guarded_global",),
                     "smsp__inst_executed_op_generic_OP.sum": ("generic",),
                     "smsp__inst_executed_op_local_OP.sum": ("local",),
                     "smsp__inst_executed_op_shared_atom.sum": ("shared_atomic",),
                     "smsp__inst_executed_op_ldgsts.sum": ("async_copy",)},
    "tags": {"smsp__sass_l1tex_tags_mem_global.sum": ("global:sass",)},
    "sass_sectors": {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_OP.sum": ("global:sass",)},
    "data_bytes_pct": {"smsp__sass_average_data_bytes_per_sector_mem_global_op_OP.pct": ("global:sass",),
                       "smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_OP.pct": ("shared:sass",)},
}


def join(family, listed, measured):
    """One row a pattern: its counters from ncu's raw page."""
    with open(measured, newline="") as f:
        lines = [l for l in f if l.startswith('"')]
    rows = list(csv.DictReader(lines))
    rows = [r for r in rows if r["ID"]]  # the row of units has none
    with open(listed) as f:
        patterns = [l.rstrip("\n") for l in f]
    if len(rows) != len(patterns):
        sys.exit(f"{len(patterns)} patterns, but {len(rows)} launches were measured")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["memory", "op", "size", "mask", "offsets", "pattern"] + list(COLUMNS))
    for pattern, row in zip(patterns, rows):
        head, text = pattern.split(" | ")
        op, size, mask, *offsets = head.split()
        values = []
        for places in COLUMNS.values():
            names = [m for m, families in places.items() if family in families or family.split("_")[0] in families and family not in FULL_NAMES]
            metric = names[0].replace("OP", op.split(".")[0]) if names else ""
            values.append(row.get(metric, "").replace(",", ""))
        out.writerow([family.partition(":")[0], op, size, mask, " ".join(offsets), text] + values)


if __name__ == "__main__":
    verb, family = sys.argv[1:3]
    if verb == "list":
        for op, size, mask, offsets, text in listed_patterns(family):
            print(op, size, f"{mask:08x}", *offsets, "|", text)
    elif verb == "metrics":
        print(",".join(metrics_of(family)))
    else:
        join(family, *sys.argv[3:])
