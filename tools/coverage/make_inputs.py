#!/usr/bin/env python3
"""Makes small inputs for programs of HeCBench whose own are not in its repository.

    tools/coverage/make_inputs.py HeCBench/src

The files have the names and formats that the programs read, and numbers from a generator with a fixed seed: the same on every machine.
They stand in for the real inputs only where a program takes any data: it then checks its results as with its own."""
import heapq
import os
import pathlib
import random
import struct
import sys

chosen = random.Random(1)


def number(low=0.0, high=1.0):
    return f"{chosen.uniform(low, high):.6f}"


def graph(nodes, degree):
    """Neighbours of each node; a ring is among the edges, so that all are connected."""
    return [[(v + 1) % nodes] + [chosen.randrange(nodes) for _ in range(chosen.randrange(1, degree))] for v in range(nodes)]


def distances(edges, costs, source):
    """Of each node from the source."""
    found, waiting = {}, [(0, source)]
    while waiting:
        distance, v = heapq.heappop(waiting)
        if v not in found:
            found[v] = distance
            for w, cost in zip(edges[v], costs[v]):
                heapq.heappush(waiting, (distance + cost, w))
    return found


def rodinia_graph(edges, costs, with_total):
    lines, first = [f"{len(edges)}"], 0
    starts = []
    for around in edges:
        starts.append(f"{first} {len(around)}")
        first += len(around)
    lists = [f"{w} {cost}" for around, paid in zip(edges, costs) for w, cost in zip(around, paid)]
    if with_total:  # sssp: nodes, edges and source first
        return "\n".join(lines + [f"{first}", "0"] + starts + lists) + "\n"
    return "\n".join(lines + starts + ["0", f"{first}"] + lists) + "\n"


def rows(count, *columns, separator=" ", digits=None):
    """`columns` are pairs of bounds."""
    show = number if digits is None else lambda low, high: f"{chosen.uniform(low, high):.{digits}f}"
    return "".join(separator.join(show(*bounds) for bounds in columns) + "\n" for _ in range(count))


def bitmap(width, height):
    pixels = bytes(chosen.randrange(256) for _ in range(3 * width * height))
    header = struct.pack("<2sIHHI", b"BM", 54 + len(pixels), 0, 0, 54)
    return header + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(pixels), 2835, 2835, 0, 0) + pixels


def portable_pixels(width, height):
    return b"P6\n%d %d\n255\n" % (width, height) + bytes(chosen.randrange(256) for _ in range(3 * width * height))


def sequence(letters, length):
    return "".join(chosen.choice(letters) for _ in range(length))


def similar(text, letters):
    """With about every twelfth letter another."""
    return "".join(chosen.choice(letters) if chosen.random() < 1 / 12 else c for c in text)


def sequences_of(texts):
    return "".join(f">{i}\n{text}\n" for i, text in enumerate(texts))


def weighted_csr(edges):
    ends, lists = [0], []
    for around in edges:
        lists += sorted(set(around))
        ends.append(len(lists))
    weights = [chosen.randrange(1, 100) for _ in lists]
    return struct.pack(f"<ii{len(ends)}i{len(lists)}i{len(lists)}i", len(edges), len(lists), *ends, *lists, *weights)


def digits_of(images):
    count = struct.pack(">I", images)
    return (struct.pack(">I", 2051) + count + struct.pack(">II", 28, 28) + bytes(chosen.randrange(256) for _ in range(784 * images)),
            struct.pack(">I", 2049) + count + bytes(chosen.randrange(10) for _ in range(images)))


def matrix(n):
    """Symmetric and positive definite: its lower triangle."""
    entries = {(i, i): 8.0 for i in range(n)}
    for i in range(1, n):
        for _ in range(3):
            entries.setdefault((i, chosen.randrange(i)), chosen.uniform(-1, 1))
    lines = [f"{i + 1} {j + 1} {value:.6f}" for (i, j), value in sorted(entries.items())]
    return f"%%MatrixMarket matrix coordinate real symmetric\n%\n{n} {n} {len(lines)}\n" + "\n".join(lines) + "\n"


def calls_of_chains(count):
    lines = []
    for _ in range(count):
        n = chosen.randrange(100, 300)
        at = sorted(chosen.randrange(20000) for _ in range(n))
        lines += [f"{n} 15.0 5000 5000 500"] + [f"0 {x} 15 {x + chosen.randrange(200)}" for x in at] + ["EOR"]
    return "\n".join(lines) + "\n"


def mesh(cells):
    """Of Euler's equations: an area, and four neighbours with their normals."""
    lines = [f"{cells}"]
    for i in range(cells):
        around = [(i - 1) % cells, (i + 1) % cells, (i - 32) % cells, (i + 32) % cells]
        sides = [(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0)]
        lines.append("1.0 " + " ".join(f"{j + 1} {x} {y} {z}" for j, (x, y, z) in zip(around, sides)))
    return "\n".join(lines) + "\n"


def crystal(atoms):
    lines = ["25.832 25.832 25.832", "90 90 90", f"{atoms} 0", "made"]
    return "\n".join(lines + [f"{i + 1} {chosen.choice(['Zn', 'O', 'C', 'H'])} {number()} {number()} {number()}" for i in range(atoms)]) + "\n"


def places(count):
    """Records of 48 letters, with latitude and longitude in five each."""
    return "".join(f"{'storm':<28}{chosen.uniform(0, 60):5.1f}{chosen.uniform(0, 99):5.1f}{'':10}\n" for _ in range(count))


def inputs():
    edges = graph(4096, 6)
    costs = [[chosen.randrange(1, 10) for _ in around] for around in edges]
    yield "data/bfs/graph1MW_6.txt", rodinia_graph(edges, costs, False)
    yield "sssp-cuda/input/NYR_input.dat", rodinia_graph(edges, costs, True)
    far = distances(edges, costs, 0)
    yield "sssp-cuda/output/NYR_bfs.out", f"{len(far)}\n" + "".join(f"{v} {far[v]}\n" for v in sorted(far))
    yield "data/cfd/fvcorr.domn.097K", mesh(1024)
    yield "data/hotspot/temp_512", rows(512 * 512, (320, 340))
    yield "data/hotspot/power_512", rows(512 * 512, (0, 0.01))
    yield "data/hotspot3D/temp_512x8", rows(512 * 512 * 8, (320, 340))
    yield "data/hotspot3D/power_512x8", rows(512 * 512 * 8, (0, 0.01))
    yield "data/b+tree/mil.txt", "20000\n" + "".join(f"{i}\n" for i in chosen.sample(range(20000), 20000))
    yield "data/b+tree/command.txt", "j 600 300 \nk 1000 \n\0"  # the program reads on until there is a zero
    for i in range(4):
        yield f"data/nn/cane4_{i}.db", places(1000)
    yield "urng-sycl/URNG_Input.bmp", bitmap(256, 128)
    yield "sobel-sycl/SobelFilter_Input.bmp", bitmap(256, 128)
    yield "recursiveGaussian-cuda/StoneRGB.ppm", portable_pixels(256, 128)
    yield "medianfilter-sycl/data/SierrasRGB.ppm", portable_pixels(256, 128)
    yield "tonemapping-sycl/input.hdr", "64 64\n" + rows(64 * 64, (0, 4), (0, 4), (0, 4), (1, 1))
    yield "d2q9-bgk-cuda/Inputs/input_256x256.params", "256\n256\n10\n256\n0.1\n0.005\n1.85\n"
    walls = [(x, y) for x in range(256) for y in range(256) if x in (0, 255) or y in (0, 255) or (100 < x < 120 and 60 < y < 90)]
    yield "d2q9-bgk-cuda/Obstacles/obstacles_256x256.dat", "".join(f"{x} {y} 1\n" for x, y in walls)
    yield "floydwarshall2-cuda/CollegeMsg.egr", weighted_csr(graph(200, 5))
    yield "gd-cuda/gisette_scale", "".join(
        f"{chosen.choice(['1', '-1'])} " + " ".join(f"{j}:{number(-1)}" for j in range(1, 51)) + "\n" for _ in range(200))
    yield "graphB+-cuda/graph.csv", "from,to,sign\n" + "".join(
        f"{v},{w},{chosen.choice([1, -1])}\n" for v, around in enumerate(graph(500, 4)) for w in around if v != w)
    yield "lanczos-cuda/data/social-large-800k.txt", "".join(f"{v} {w}\n{w} {v}\n" for v, around in enumerate(graph(2000, 5)) for w in around)
    yield "lr-sycl/assets/temperature.txt", rows(96453, (0, 30), (0, 30), separator="\t", digits=2)
    yield "lzss-cuda/QCLOUDf48.bin.f32.errctrl.1e-3", b"".join(bytes([i // 64 % 7]) * chosen.randrange(1, 9) for i in range(65536))[:262144]
    yield "minimap2-sycl/in-1k.txt", calls_of_chains(20)
    for name, count in (("train", 64), ("t10k", 32)):
        pictures, labels = digits_of(count)
        yield f"mnist-cuda/data/{name}-images.idx3-ubyte", pictures
        yield f"mnist-cuda/data/{name}-labels.idx1-ubyte", labels
    yield "mpc-cuda/msg_sp.trace.out", b"".join(struct.pack("<f", i / 100 + chosen.random() / 1000) for i in range(65536))
    samples, voxels = 256, 1024
    yield ("mriQ-cuda/datasets/128x128x128/input/128x128x128.bin", struct.pack("<ii", samples, voxels) +
           struct.pack(f"<{5 * samples + 3 * voxels}f", *(chosen.uniform(-1, 1) for _ in range(5 * samples + 3 * voxels))))
    yield "sa-cuda/genome.txt", sequence("ACGT", 10000)
    yield "ss-sycl/StringSearch_Input.txt", " ".join(chosen.choice(["clEnqueueNDRangeKernel", "clFinish", "the", "queue"]) for _ in range(20000))
    yield "svd3x3-cuda/Dataset_1M.txt", "4096\n" + rows(4096, *[(-1, 1)] * 9)
    yield "tpacf-cuda/data/small/Datapnts.1", rows(500, (0, 360), (-60, 60))
    for i in range(1, 3):
        yield f"tpacf-cuda/data/small/Randompnts.{i}", rows(500, (0, 360), (-60, 60))
    yield "gibbs-cuda/data.csv", "".join(f"{chosen.randrange(1, 50)} {number(1, 50)}\n" for _ in range(256))
    yield "henry-cuda/IRMOF-1.cssr", crystal(100)
    acids = "ARNDCQEGHILKMFPSTWYV"
    proteins = [sequence(acids, chosen.randrange(50, 200)) for _ in range(200)]
    yield "bsw-cuda/test-data/protein-reference.fasta", sequences_of(proteins)
    yield "bsw-cuda/test-data/protein-query.fasta", sequences_of([similar(p, acids) for p in proteins])
    reads = [sequence("ACGT", chosen.randrange(200, 400)) for _ in range(50)]
    yield "deredundancy-sycl/testData.fasta", sequences_of([similar(r, "ACGT") for r in reads for _ in range(4)])
    yield "bicgstab-cuda/TEM27623/TEM27623_M.mtx", matrix(500)
    yield "gmm-cuda/data", "a,b,c,d\n" + rows(1024, *[(0, 10)] * 4, separator=",")
    for i in range(4):
        yield f"ced-cuda/input/peppa/{i}.txt", "128\n192\n" + " ".join(str(chosen.randrange(256)) for _ in range(128 * 192)) + "\n"
    yield "geodesic-sycl/locations.txt", rows(2097152, (-90, 90), (-180, 180), digits=4)


def main():
    root = pathlib.Path(sys.argv[1])
    for name, content in inputs():
        path = root / name
        os.makedirs(path.parent, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


if __name__ == "__main__":
    main()
