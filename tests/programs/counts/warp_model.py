"""The cost of a warp's accesses from first principles: the independent side of the count tests.

A kernel's model is a function that replays, warp by warp, the addresses of its source; `Model` adds up sectors
(aligned 32 bytes), wavefronts (passes through 32 banks of 4 bytes) and branches that split a warp.
"""

WARP = 32
SECTOR = 32
BANKS = 32
WORD = 4


class Lane:
    """One thread: its indices, and its number in the block."""

    __slots__ = ("block", "thread", "linear")

    def __init__(self, block, thread, linear):
        self.block, self.thread, self.linear = block, thread, linear

    def global_x(self, block_x):
        return self.block[0] * block_x + self.thread[0]


def triple(extent):
    extent = tuple(extent) if isinstance(extent, (tuple, list)) else (extent,)
    return extent + (1,) * (3 - len(extent))


def warps(grid, block):
    """Every warp of a launch, as a list of Lanes; x fastest, then y, then z, cut every 32 threads."""
    gx, gy, gz = triple(grid)
    bx, by, bz = triple(block)
    threads = [(x, y, z) for z in range(bz) for y in range(by) for x in range(bx)]
    for z in range(gz):
        for y in range(gy):
            for x in range(gx):
                for first in range(0, len(threads), WARP):
                    yield [Lane((x, y, z), t, first + k) for k, t in enumerate(threads[first:first + WARP])]


def sectors(addresses, size):
    return len({s for a in addresses for s in range(a // SECTOR, (a + size - 1) // SECTOR + 1)})


def distinct_bytes(addresses, size):
    return len(set(addresses)) * size  # no partial overlaps in these programs


def wavefronts(addresses, size):
    """Passes through the banks, and the most words that one bank delivers. 8 bytes a lane: half warps; 16: quarters."""
    lanes_a_pass = WARP if size <= 4 else WARP * 4 // size
    total = ways = 0
    for first in range(0, len(addresses), lanes_a_pass):
        banks = {}
        for a in addresses[first:first + lanes_a_pass]:
            if a is None:
                continue
            for word in range(a // WORD, (a + size - 1) // WORD + 1):
                banks.setdefault(word % BANKS, set()).add(word)
        if banks:
            passes = max(len(words) for words in banks.values())
            total += passes
            ways = max(ways, passes)
    return total, ways


class Access:
    def __init__(self):
        self.requests = self.units = self.ideal = self.bytes = self.ways = 0


class Atomics:
    def __init__(self):
        self.requests = self.rounds = self.addresses = 0


class Model:
    def __init__(self):
        self.global_load, self.global_store = Access(), Access()
        self.shared_load, self.shared_store = Access(), Access()
        self.global_atomic, self.shared_atomic = Atomics(), Atomics()
        self.divergent = 0
        self.barriers = 0

    def _global(self, access, addresses, size, times):
        addresses = [a for a in addresses if a is not None]
        if addresses:
            access.requests += times
            access.units += times * sectors(addresses, size)
            access.bytes += times * distinct_bytes(addresses, size)

    def load(self, addresses, size=4, times=1):
        self._global(self.global_load, addresses, size, times)

    def store(self, addresses, size=4, times=1):
        self._global(self.global_store, addresses, size, times)

    def _shared(self, access, addresses, size, times):
        active = [a for a in addresses if a is not None]
        if active:
            units, ways = wavefronts(addresses, size)
            access.requests += times
            access.units += times * units
            access.bytes += times * distinct_bytes(active, size)
            access.ways = max(access.ways, ways)

    def shared_read(self, addresses, size=4, times=1):
        self._shared(self.shared_load, addresses, size, times)

    def shared_write(self, addresses, size=4, times=1):
        self._shared(self.shared_store, addresses, size, times)

    def atomic(self, atomics, addresses):
        addresses = [a for a in addresses if a is not None]
        if addresses:
            atomics.requests += 1
            atomics.addresses += len(set(addresses))
            atomics.rounds += max(addresses.count(a) for a in set(addresses))

    def branch(self, conditions, times=1):
        """One conditional branch; `conditions` of the active lanes. True if it splits the warp."""
        split = any(conditions) and not all(conditions)
        self.divergent += times * split
        return split

    def barrier(self, warps_of_block=1):
        self.barriers += warps_of_block

    # drywarp's names of these counts.
    def metrics(self):
        out = {}
        for nvprof, word, a in (("gld", "load", self.global_load), ("gst", "store", self.global_store)):
            out[f"global_{word}_requests"] = a.requests
            out[f"{nvprof}_transactions"] = a.units
            if a.units:
                out[f"{nvprof}_transactions_per_request"] = a.units / a.requests
                out[f"{nvprof}_efficiency"] = 100 * a.bytes / (SECTOR * a.units)
        for word, a in (("load", self.shared_load), ("store", self.shared_store)):
            out[f"shared_{word}_requests"] = a.requests
            out[f"shared_{word}_transactions"] = a.units
            if a.requests:
                out[f"shared_{word}_max_ways"] = a.ways
        passes = self.shared_load.units + self.shared_store.units
        if passes:
            out["shared_efficiency"] = 100 * (self.shared_load.bytes + self.shared_store.bytes) / (WORD * BANKS * passes)
        for word, a in (("global", self.global_atomic), ("shared", self.shared_atomic)):
            out[f"atomic_{word}_requests"] = a.requests
            if a.requests:
                out[f"atomic_{word}_rounds"] = a.rounds
                out[f"atomic_{word}_addresses"] = a.addresses
        out["ptx__branches_divergent.sum"] = self.divergent
        out["ptx__barriers.sum"] = self.barriers
        return out
