"""Each example's launches as its source describes them, replayed by the warp model: (program, arguments, expectations)."""

from profile_run import Expected
from warp_model import Model, warps

BASE = 1 << 20  # any address with an allocation's alignment; a second one for another array
OTHER = 1 << 24


def pick(metrics, *names):
    return {n: metrics[n] for n in names if n in metrics}


def without(metrics, *prefixes):
    return {n: v for n, v in metrics.items() if not n.startswith(prefixes)}


# ---- transpose -------------------------------------------------------------------------------------------------------

TILE = 32


def transpose_launch(name, size, rows, columns):
    over_output = name == "naive_read"
    x_tiles, y_tiles = -(-columns // TILE), -(-rows // TILE)
    grid = (y_tiles, x_tiles, 1) if over_output else (x_tiles, y_tiles, 1)
    pitch = {"shared": TILE, "padded": TILE + 1}.get(name)
    m = Model()

    def inside(lane, x, y, width, height):
        return x < width and y < height

    for warp in warps(grid, (TILE, TILE)):
        x0, y0 = warp[0].block[0] * TILE, warp[0].block[1] * TILE
        at = [(x0 + l.thread[0], y0 + l.thread[1], l) for l in warp]
        if pitch:
            turned = [(y0 + l.thread[0], x0 + l.thread[1], l) for l in warp]
            m.load([BASE + size * (y * columns + x) if x < columns and y < rows else None for x, y, l in at], size)
            m.shared_write([size * (l.thread[1] * pitch + l.thread[0]) if x < columns and y < rows else None for x, y, l in at], size)
            m.barrier()
            m.shared_read([size * (l.thread[0] * pitch + l.thread[1]) if x < rows and y < columns else None for x, y, l in turned], size)
            m.store([OTHER + size * (y * rows + x) if x < rows and y < columns else None for x, y, l in turned], size)
        elif over_output:
            ok = [x < rows and y < columns for x, y, l in at]
            m.load([BASE + size * (x * columns + y) if o else None for o, (x, y, l) in zip(ok, at)], size)
            m.store([OTHER + size * (y * rows + x) if o else None for o, (x, y, l) in zip(ok, at)], size)
        else:
            ok = [x < columns and y < rows for x, y, l in at]
            m.load([BASE + size * (y * columns + x) if o else None for o, (x, y, l) in zip(ok, at)], size)
            to = (lambda x, y: y * columns + x) if name == "copy" else (lambda x, y: x * rows + y)
            m.store([OTHER + size * to(x, y) if o else None for o, (x, y, l) in zip(ok, at)], size)
    return grid, m.metrics()


def transpose(rows, columns):
    out = []
    for type_name, size in (("float", 4), ("double", 8)):
        for name in ("copy", "naive_write", "naive_read", "shared", "padded"):
            grid, metrics = transpose_launch(name, size, rows, columns)
            # The compiler chooses how many branches guard the edge.
            out.append(Expected(f"{name}<{type_name}>", without(metrics, "ptx__branches"), grid, (TILE, TILE, 1)))
    return out


# The figures on the course's slides, which whole tiles make exact. In float the unpadded tile has 32-way conflicts.
TRANSPOSE_FIGURES = {
    "copy<float>": {"gld_efficiency": 100.0, "gst_efficiency": 100.0},
    "naive_write<float>": {"gld_efficiency": 100.0, "gst_efficiency": 12.5, "gst_transactions_per_request": 32.0},
    "naive_read<float>": {"gld_efficiency": 12.5, "gst_efficiency": 100.0, "gld_transactions_per_request": 32.0},
    "shared<float>": {"gld_efficiency": 100.0, "gst_efficiency": 100.0, "shared_load_max_ways": 32, "shared_efficiency": 100 * 2 / 33},
    "padded<float>": {"gld_efficiency": 100.0, "gst_efficiency": 100.0, "shared_load_max_ways": 1, "shared_efficiency": 100.0},
    "copy<double>": {"gld_efficiency": 100.0, "gst_efficiency": 100.0},
    "naive_write<double>": {"gld_efficiency": 100.0, "gst_efficiency": 25.0},
    "naive_read<double>": {"gld_efficiency": 25.0, "gst_efficiency": 100.0},
    "shared<double>": {"gld_efficiency": 100.0, "gst_efficiency": 100.0, "shared_efficiency": 100 * 4 / 34},  # 11.8 %
    "padded<double>": {"gld_efficiency": 100.0, "gst_efficiency": 100.0, "shared_efficiency": 100.0},
}


def transpose_figures():
    return [Expected(name, figures) for name, figures in TRANSPOSE_FIGURES.items()]


# ---- matmul ----------------------------------------------------------------------------------------------------------

def matmul(width):
    out = []
    tiles = width // TILE
    lanes = range(32)
    row = lambda base, first: [base + 4 * (first + l) for l in lanes]
    column = lambda base: [base + 4 * l * width for l in lanes]
    one = lambda base: [base] * 32
    all_warps = tiles * tiles * 32

    def simple(name, a, b, p):
        m = Model()
        m.load(a, times=all_warps * width)
        m.load(b, times=all_warps * width)
        m.store(p, times=all_warps)
        out.append(Expected(name, m.metrics(), (tiles, tiles, 1), (32, 32, 1)))

    def tiled(name, factor, turned=False):
        m = Model()
        some_warps = all_warps // factor
        m.load(row(BASE, 0), times=some_warps * tiles * (1 + factor))
        m.shared_write(row(0, 0), times=some_warps * tiles * (1 if turned else 1 + factor))
        if turned:  # n_tile[tx][ty], 33 words a row
            m.shared_write([4 * 33 * l for l in lanes], times=some_warps * tiles)
        m.store(row(OTHER, 0), times=some_warps * factor)
        m.barrier(some_warps * tiles * 2)
        # The compiler may read four words of m_tile at once: the test checks that shared loads have no conflicts, not their number.
        metrics = without(m.metrics(), "shared_load", "shared_efficiency")
        metrics["shared_ld_bank_conflict"] = 0
        metrics["shared_st_bank_conflict"] = 0
        out.append(Expected(name, metrics, (tiles // factor, tiles, 1), (32, 32, 1)))

    simple("simple", one(BASE), row(BASE, 0), row(OTHER, 0))
    simple("uncoalesced", column(BASE), one(BASE), column(OTHER))
    tiled("tiled", 1)
    tiled("coarse_1x2", 2)
    tiled("coarse_1x4", 4)
    simple("simple_column_n", one(BASE), column(BASE), row(OTHER, 0))
    tiled("tiled_column_n", 1, turned=True)
    return out


# ---- reduction -------------------------------------------------------------------------------------------------------

def reduction(log2_n, block):
    n = 1 << log2_n
    out = []

    def rounds_neighbored(t, lanes, s):
        return [(l.linear if l.linear % (2 * s) == 0 else None) for l in lanes]

    def rounds_rearranged(t, lanes, s):
        return [(2 * s * l.linear if 2 * s * l.linear < block else None) for l in lanes]

    def rounds_interleaved(t, lanes, s):
        return [(l.linear if l.linear < s else None) for l in lanes]

    rising = [1 << k for k in range(block.bit_length() - 1)]
    falling = rising[::-1]

    def tree(m, lanes, index, strides, read, write):
        """data[i] += data[i + s], each round followed by a barrier."""
        for s in strides:
            i = index(None, lanes, s)
            m.branch([k is not None for k in i])
            read([None if k is None else 4 * (k + s) for k in i])
            read([None if k is None else 4 * k for k in i])
            write([None if k is None else 4 * k for k in i])
            m.barrier()

    def last(m, lanes, read):
        """if (t == 0) out[block] = data[0];"""
        first = [l.linear == 0 for l in lanes]
        m.branch(first)
        read([0 if f else None for f in first])
        m.store([OTHER + 4 * lanes[0].block[0] if f else None for f in first])

    def launch(kernel, elements, body, drop=()):
        m = Model()
        blocks = n // (block * elements)
        for lanes in warps(blocks, block):
            body(m, lanes)
        out.append(Expected(kernel, without(m.metrics(), *drop), (blocks, 1, 1), (block, 1, 1)))

    def in_global(kernel, index, strides):
        def body(m, lanes):
            base = BASE + 4 * lanes[0].block[0] * block
            shift = lambda addresses: [None if a is None else base + a for a in addresses]
            tree(m, lanes, index, strides, lambda a: m.load(shift(a)), lambda a: m.store(shift(a)))
            last(m, lanes, lambda a: m.load(shift(a)))
        launch(kernel, 1, body)

    def load_sum(m, lanes, elements):
        for e in range(elements):
            m.load([BASE + 4 * (l.block[0] * block * elements + e * block + l.linear) for l in lanes])

    def in_shared(kernel, elements, index, strides):
        def body(m, lanes):
            load_sum(m, lanes, elements)
            m.shared_write([4 * l.linear for l in lanes])
            m.barrier()
            tree(m, lanes, index, strides, m.shared_read, m.shared_write)
            last(m, lanes, m.shared_read)
        launch(kernel, elements, body)

    def last_warp(kernel, volatile, looped):
        def body(m, lanes):
            load_sum(m, lanes, 8)
            m.shared_write([4 * l.linear for l in lanes])
            m.barrier()
            tree(m, lanes, rounds_interleaved, [s for s in falling if s > 32], m.shared_read, m.shared_write)
            if lanes[0].linear == 0:
                own = [4 * l.linear for l in lanes]
                if not volatile:
                    m.shared_read(own)
                for s in (32, 16, 8, 4, 2, 1):
                    m.shared_read([a + 4 * s for a in own])
                    if volatile:
                        m.shared_read(own)
                    m.shared_write(own)
            last(m, lanes, m.shared_read)
        launch(kernel, 8, body)

    def shuffle():
        def body(m, lanes):
            load_sum(m, lanes, 8)
            m.branch([l.linear % 32 == 0 for l in lanes])
            m.shared_write([4 * (l.linear // 32) if l.linear % 32 == 0 else None for l in lanes])
            m.barrier()
            if lanes[0].linear == 0:
                m.shared_read([4 * l.linear if l.linear < block // 32 else None for l in lanes])
                m.store([OTHER + 4 * lanes[0].block[0]] + [None] * 31)
        # `lane < warps ? warps[lane] : 0` may be a branch or a predicated load.
        launch("shuffle", 8, body, drop=("ptx__branches",))

    in_global("neighbored", rounds_neighbored, rising)
    in_global("rearranged", rounds_rearranged, rising)
    in_global("interleaved", rounds_interleaved, falling)
    in_shared("neighbored_shared", 1, rounds_neighbored, rising)
    in_shared("rearranged_shared", 1, rounds_rearranged, rising)
    in_shared("interleaved_shared", 1, rounds_interleaved, falling)
    for elements in (2, 4, 8):
        in_shared(f"unroll<{elements}>", elements, rounds_interleaved, falling)
    last_warp("warp_volatile", True, True)
    last_warp("warp_sync", False, True)
    last_warp(f"complete<{block}u>", False, False)
    shuffle()
    return out


def reduction_figures(log2_n, block):
    """Divergent branches of a block, as the course says: in every round, or in the last five. One more: `if (t == 0)`."""
    blocks = (1 << log2_n) // block
    block_warps = block // 32
    neighbored = 0
    s = 1
    while s < block:  # a warp splits if it has a working and an idle thread: some do in every round
        neighbored += block_warps if 2 * s <= 32 else block // (2 * s)
        s *= 2
    out = []
    for name, a_block in (("neighbored", neighbored), ("rearranged", 5), ("interleaved", 5), ("neighbored_shared", neighbored),
                          ("rearranged_shared", 5), ("interleaved_shared", 5)):
        out.append(Expected(name, {"ptx__branches_divergent.sum": blocks * (a_block + 1)}))
    return out


# ---- access patterns -------------------------------------------------------------------------------------------------

def access_patterns(width):
    count = width * width
    all_warps = count // 32
    lanes = range(32)
    plain = [OTHER + 4 * l for l in lanes]
    out = []
    for k in (0, 1, 4, 8, 16, 31):
        m = Model()
        m.load([BASE + 4 * (l + k) for l in lanes], times=all_warps)
        m.store(plain, times=all_warps)
        out.append(Expected(f"offset<{k}>", m.metrics()))
    for k in (1, 2, 3, 4, 8, 16, 32):
        m = Model()
        m.load([BASE + 4 * l * k for l in lanes], times=all_warps)
        m.store(plain, times=all_warps)
        out.append(Expected(f"stride<{k}>", m.metrics()))
    for name, step in (("row_major", 1), ("column_major", width)):
        m = Model()
        m.load([BASE + 4 * l * step for l in lanes], times=all_warps)
        m.store([OTHER + 4 * l * step for l in lanes], times=all_warps)
        out.append(Expected(name, m.metrics()))
    m = Model()
    m.load([BASE + 16 * l for l in lanes], 16, all_warps // 4)
    m.store([OTHER + 16 * l for l in lanes], 16, all_warps // 4)
    out.append(Expected("vector4", m.metrics()))
    for name, step in (("column_sums", 1), ("row_sums", width)):
        m = Model()
        m.load([BASE + 4 * l * step for l in lanes], times=width // 32 * width)
        m.store(plain, times=width // 32)
        out.append(Expected(name, m.metrics()))
    return out


# ---- divergence ------------------------------------------------------------------------------------------------------

def divergence(count):
    lanes = range(32)
    out = []

    m = Model()
    m.branch([l % 2 == 0 for l in lanes], times=count)
    # Each side may have its own store, or both may share one after reconvergence.
    out.append(Expected("odd_even", pick(m.metrics(), "ptx__branches_divergent.sum")))

    m = Model()
    m.store([OTHER + 4 * l for l in lanes], times=count)
    out.append(Expected("by_warp", m.metrics()))

    # 6, 7 or 8 trips: the warp makes 8, the 7th and the 8th with the lanes that need them.
    m = Model()
    threads = count * 32
    for w in range(count):
        ids = [w * 32 + l for l in lanes]
        trips = [6 + i % 3 for i in ids]
        m.load([BASE + 4 * i for i in ids])
        for k in range(8):
            m.load([OTHER + 4 * (k * threads + i) if k < n else None for i, n in zip(ids, trips)])
            m.branch([k + 1 < n for n in trips if k < n])
        m.store([BASE + 4 * i for i in ids])
    out.append(Expected("trips", m.metrics()))

    # if (i < n): one warp of 4, 32 and 313 diverges, the last.
    for n in (100, 1000, 10000):
        blocks = -(-n // 128)
        m = Model()
        working = 0
        for w in range(blocks * 4):
            inside = [w * 32 + l < n for l in lanes]
            m.branch(inside)
            working += any(inside)
            m.load([BASE + 4 * (w * 32 + l) if i else None for l, i in zip(lanes, inside)])
            m.store([OTHER + 4 * (w * 32 + l) if i else None for l, i in zip(lanes, inside)])
        metrics = m.metrics()
        assert metrics["ptx__branches_divergent.sum"] == 1 and working == {100: 4, 1000: 32, 10000: 313}[n]
        assert metrics["global_load_requests"] == working
        out.append(Expected("guard", metrics, (blocks, 1, 1), (128, 1, 1)))
    return out


# ---- banks -----------------------------------------------------------------------------------------------------------

def banks(repeats):
    lanes = range(32)
    blocks, block_warps = 264, 2
    cases = [("stride<1>", 4, 4, 1), ("stride<2>", 8, 4, 2), ("stride<3>", 12, 4, 1), ("stride<4>", 16, 4, 4), ("stride<32>", 128, 4, 32),
             ("broadcast", 0, 4, 1), ("column<32>", 128, 4, 32), ("column<33>", 132, 4, 1), ("wide<float2>", 8, 8, 1),
             ("wide<float4>", 16, 16, 1)]
    out = []
    for kernel, step, size, ways in cases:
        m = Model()
        m.shared_read([step * l for l in lanes], size, blocks * block_warps * repeats)
        m.shared_write([4 * l for l in lanes], times=blocks * block_warps * 2048 // 64)
        m.store([OTHER + 4 * l for l in lanes], times=blocks * block_warps)
        m.barrier(blocks * block_warps)
        metrics = m.metrics()
        assert metrics["shared_load_max_ways"] == ways
        out.append(Expected(kernel, metrics))
    return out


# ---- histogram, vector addition --------------------------------------------------------------------------------------

def histogram(log2_n, values):
    n = 1 << log2_n
    data = [((i * 2654435761 & 0xffffffff) >> 13) % values for i in range(n)]
    per_warp = [data[i:i + 32] for i in range(0, n, 32)]

    def global_atomics():
        m = Model()
        for warp in per_warp:
            m.atomic(m.global_atomic, warp)
        m.load([BASE + l for l in range(32)], 1, n // 32)
        return m.metrics()

    def private(elements):
        """One shared atomic an element; then a global one for each bin that is not empty, 32 neighbouring bins a warp."""
        m = Model()
        for warp in per_warp:
            m.atomic(m.shared_atomic, warp)
        blocks = n // (256 * elements)
        for b in range(blocks):
            own = set()
            for e in range(elements):
                first = e * blocks * 256 + b * 256
                own.update(data[first:first + 256])
            for first in range(0, 256, 32):
                m.atomic(m.global_atomic, [v if v in own else None for v in range(first, first + 32)])
        return {k: v for k, v in m.metrics().items() if k.startswith("atomic")}

    aggregated = Model()
    for warp in per_warp:
        aggregated.atomic(aggregated.global_atomic, list(dict.fromkeys(warp)))
    return [
        Expected("global_atomics", pick(global_atomics(), "atomic_global_requests", "atomic_global_rounds", "atomic_global_addresses",
                                        "atomic_shared_requests", "global_load_requests", "gld_transactions")),
        Expected("privatised", private(1)),
        Expected("coarsened", private(16)),
        Expected("aggregated", {k: v for k, v in aggregated.metrics().items() if k.startswith("atomic")}),
    ]


def vector_add(n, block):
    m = Model()
    for lanes in warps(-(-n // block), block):
        ids = [l.global_x(block) for l in lanes]
        inside = [i < n for i in ids]
        m.branch(inside)
        for _ in range(2):
            m.load([BASE + 4 * i if ok else None for i, ok in zip(ids, inside)])
        m.store([OTHER + 4 * i if ok else None for i, ok in zip(ids, inside)])
    return [Expected("vector_add", m.metrics(), (-(-n // block), 1, 1), (block, 1, 1))]


# name of the test -> (program, its arguments, a function that returns the expectations)
TESTS = {
    "transpose": ("transpose", (96, 64), lambda: transpose(96, 64)),
    "transpose_odd": ("transpose", (100, 45), lambda: transpose(100, 45)),
    "transpose_figures": ("transpose", (256,), lambda: transpose_figures()),
    "matmul": ("matmul", (128,), lambda: matmul(128)),
    "matmul_256": ("matmul", (256,), lambda: matmul(256)),
    "reduction": ("reduction", (14, 128), lambda: reduction(14, 128)),
    "reduction_512": ("reduction", (14, 512), lambda: reduction(14, 512)),
    "reduction_figures": ("reduction", (15, 128), lambda: reduction_figures(15, 128)),
    "access_patterns": ("access_patterns", (96,), lambda: access_patterns(96)),
    "divergence": ("divergence", (64,), lambda: divergence(64)),
    "banks": ("banks", (40,), lambda: banks(40)),
    "histogram": ("histogram", (13, 256), lambda: histogram(13, 256)),
    "histogram_few": ("histogram", (13, 5), lambda: histogram(13, 5)),
    "vector_add": ("vector_add", (1000, 256), lambda: vector_add(1000, 256)),
    "vector_add_odd": ("vector_add", (777, 96), lambda: vector_add(777, 96)),
}
