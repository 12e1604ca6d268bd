#!/usr/bin/env python3
"""Compares drywarp with the figures that the course gives for its kernels, as ratios of times on device files of that time: the transpose
(naive, shared, padded) with its nvprof metrics, and tiled versus simple matrix multiplication on an early device. Also compares it with the
transposes that NVIDIA published for two GPUs.

    course.py [--drywarp PROGRAM] [--transpose-device NAME] [--matmul-device NAME] [--size N] [--width N]

The course names neither the GPU nor the size. The script prints which ones its figures allow: the fastest transpose reads and writes every
element once, so time and size give a bandwidth that a GPU of that time must have had. Nothing is fitted: ratios that differ are printed
with an explanation.
"""

import argparse
import csv
import json
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# Slides on the transpose: milliseconds, and nvprof's gld_efficiency, gst_efficiency, shared_efficiency in percent.
COURSE = {
    "naive": (525.530, 25, 100, None),
    "shared": (2.342, 100, 100, 11.8),
    "padded": (1.783, 100, 99.1, 100),
}
KERNELS = {"naive": "naive_read<double>", "shared": "shared<double>", "padded": "padded<double>"}
METRICS = ("gld_efficiency", "gst_efficiency", "shared_efficiency")
# nvprof has these metrics for compute capability 2.0 to 7.2. An efficiency of 25 % means 8 of 32 bytes: doubles, in a
# memory system with sectors of 32 bytes. Fermi's L1 has none.
OF_THE_DAY = ["gtx680", "k40", "gtx750ti", "gtx970", "p100", "gtx1080", "titanv", "v100"]
USUAL_SHARE = (0.60, 0.95)  # of the peak, for a good copy
# "An Efficient Matrix Transpose in CUDA C/C++", developer.nvidia.com/blog, 2013: GB/s, a Tesla M2050 and a Tesla K20c,
# ECC on. Each with the most similar device that has a file.
PUBLISHED = {
    "gtx480": ("Tesla M2050", {"copy": 105.2, "shared copy": 104.6, "naive": 18.8, "shared": 51.3, "padded": 99.5}),
    "k40": ("Tesla K20c", {"copy": 136.0, "shared copy": 152.3, "naive": 55.3, "shared": 97.6, "padded": 144.3}),
}
PUBLISHED_KERNELS = {"copy": "copy", "shared copy": "through_tile<0, false>", "naive": "naive", "shared": "through_tile<0, true>",
                     "padded": "through_tile<1, true>"}
TILED = 30.0  # "up to 30 times faster than the simple kernel", on an early device


def profile(drywarp, device, source, arguments, options=()):
    """The kernels of a program on a device: {name: element of `kernels` in the JSON report}."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [drywarp, "profile", "--device", device, "--format", "json", "--output", report.name, *options, source,
                   "--", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True)
        try:
            kernels = json.load(open(report.name))["kernels"]
        except (OSError, ValueError, KeyError):
            raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return {k["name"]: k for k in kernels}


def find(kernels, name):
    for full, kernel in kernels.items():
        if name + "(" in full:
            return kernel
    return None


def milliseconds(kernel):
    """(modelled time of one launch or None, why not)"""
    if kernel is None:
        return None, "the kernel did not run"
    if kernel["time"] is None:
        return None, "; ".join(kernel["untimed"]) or "not modelled"
    return kernel["time"]["avg"] * 1e3, ""


def ratio_line(what, course, slow, fast):
    a, why_a = milliseconds(slow)
    b, why_b = milliseconds(fast)
    if a is None or b is None:
        print(f"  {what:34} {course:10.2f} {'not available':>10}   {why_a or why_b}")
        return None
    ours = a / b
    print(f"  {what:34} {course:10.2f} {ours:10.2f} {100 * (ours / course - 1):+9.0f} %")
    return ours


def plausible(drywarp):
    """Which devices could have had the padded transpose's bandwidth, by size."""
    listed = json.loads(subprocess.run([drywarp, "devices", "--format", "json"], capture_output=True, text=True, check=True).stdout)
    peaks = {d["id"]: d["dram_bytes_per_second"] for d in listed["devices"]}
    print("Where it could have run: doubles in and out in 1.783 ms are")
    for size in (2048, 4096, 8192):
        rate = 2 * 8 * size * size / (COURSE["padded"][0] * 1e-3)
        fits = [f"{d} ({100 * rate / peaks[d]:.0f} %)" for d in OF_THE_DAY
                if peaks.get(d) and USUAL_SHARE[0] <= rate / peaks[d] <= USUAL_SHARE[1]]
        print(f"  {size} x {size}: {rate * 1e-9:6.1f} GB/s; as 60 to 95 % of the peak: {', '.join(fits) or 'none of these'}")
    return peaks


def first_touch():
    """How far apart the course's kernels were on an H200 whose managed memory the host wrote last, 4096 x 4096 doubles."""
    with open(os.path.join(HERE, "data", "h200-first-touch.csv"), encoding="utf-8") as file:
        row = next(r for r in csv.DictReader(file) if (r["size"], r["memory"]) == ("4096", "managed"))
    first, again, shared, padded = (float(row[f"{name} ms"]) for name in ("naive first", "naive again", "shared", "padded"))
    return {"shared": first / shared, "padded": first / padded, "again": again / shared, "again padded": again / padded}


def transpose(options):
    peaks = plausible(options.drywarp)
    device, size = options.transpose_device, options.size
    source = os.path.join(ROOT, "examples", "transpose.cu")
    kernels = profile(options.drywarp, device, source, [size],
                      ["--time", "all", "--kernel", "(naive_read|shared|padded)<double>", "--metrics", ",".join(METRICS)])
    print(f"\nTranspose of {size} x {size} doubles, {device}")
    print(f"  {'':34} {'course':>10} {'ours':>10} {'difference':>11}")
    found = {name: find(kernels, KERNELS[name]) for name in COURSE}
    least = 2 * 8 * size * size / peaks[device] * 1e3
    naive = ratio_line("naive / shared", COURSE["naive"][0] / COURSE["shared"][0], found["naive"], found["shared"])
    ratio_line("naive / padded", COURSE["naive"][0] / COURSE["padded"][0], found["naive"], found["padded"])
    ratio_line("shared / padded", COURSE["shared"][0] / COURSE["padded"][0], found["shared"], found["padded"])
    for name, (ms, *metrics) in COURSE.items():
        ours, why = milliseconds(found[name])
        print(f"  {name + ', ms (no ratio: size unknown)':34} {ms:10.3f} {'not available' if ours is None else f'{ours:10.3f}'}")
        if ours is not None and ours < least:
            print(f"    faster than the {least:.3f} ms that the pins need for {2 * 8 * size * size * 1e-6:.0f} MB; what still lies in the L2 has not passed them")
        for metric, course in zip(METRICS, metrics):
            if course is None or found[name] is None:
                continue
            value = found[name]["totals"].get(metric, {}).get("value")
            text = "not available" if value is None else f"{value:10.1f} {value - course:+9.1f} points"
            print(f"    {metric + ', %':32} {course:10.1f} {text}")
    touched = first_touch()
    moved, rate = 2 * 8 * size * size, 2 * 8 * size * size / (COURSE["naive"][0] * 1e-3)
    print(f"""
  Why they differ
  - naive: 525.530 ms for {moved * 1e-6:.0f} MB are {rate * 1e-9:.2f} GB/s, less than PCI Express carries; coalescing does not make a factor
    of 224. A column read
    that uses 8 of every 32 bytes moves (32 + 8) / (8 + 8) = 2.5 times as much as a good transpose if no cache keeps the rest of a
    sector for the next warp; ours is {'%.1f times' % naive if naive else 'not available beside'} the shared kernel's time. What does make
    such a factor is to be the first kernel over
    managed memory: on an H200 the same three, in this order, are {touched['shared']:.0f} and {touched['padded']:.0f} apart (first_touch.cu,
    data/h200-first-touch.csv), and {touched['again']:.2f} and {touched['again padded']:.2f} when the naive one runs again. Here kernels
    find their data on the GPU.
    The size is not known either: 4096 is ours.
  - shared / padded: both move the same bytes. What 32 wavefronts instead of 2 cost depends on whether the multiprocessors' shared
    memory or DRAM is the slower of the two on that GPU; which it was is not known.
  - shared_efficiency 11.8 % = (2 + 2) / (2 + 32) is exact: banks of 4 bytes, and 2 wavefronts for a warp of doubles. Kepler's banks
    of 8 bytes would need one, so the GPU was a Maxwell or later.
  - 99.1 % stores of the padded kernel: some of its stores were not whole. Ours are; a size that is no multiple of 32 makes such.""")


def matmul(options):
    device, width = options.matmul_device, options.width
    source = os.path.join(ROOT, "examples", "matmul.cu")
    print(f"\nMatrix multiplication, {width} x {width}, tiles of 16 x 16, {device}")
    print(f"  {'':34} {'course':>10} {'ours':>10} {'difference':>11}")
    kernels = profile(options.drywarp, device, source, [width],
                      ["--time", "all", "--kernel", "^(simple|uncoalesced|tiled)\\(", "-DTILE=16"])
    tiled = find(kernels, "tiled")
    ratio_line("simple / tiled (up to)", TILED, find(kernels, "simple"), tiled)
    ratio_line("uncoalesced / tiled", TILED, find(kernels, "uncoalesced"), tiled)
    print("""
  Why they differ
  - 30 times is the course's "up to", on the first GPUs for CUDA. Compute capability 1.0 and 1.1 made a transfer of its own for each of 16
    threads unless they read 16 neighbouring words in order, so that the simple kernel's reads of M, one word for a whole half-warp,
    took 16 transfers. There is no device file of those: of G80 neither latencies nor bandwidths are published well enough. The GTX 280
    (1.3) moves one segment of 32 bytes instead; that its own ratio is smaller for that reason is not tested.
  - The code that is timed is what a compiler of today makes for a later GPU; see docs/device-files.md on older generations.""")


def published(options):
    source = os.path.join(ROOT, "bench", "accuracy", "published_transpose.cu")
    print("\nTranspose of 1024 x 1024 floats as NVIDIA published it; a GB/s counts each element once in and once out")
    for device, (theirs, rates) in PUBLISHED.items():
        kernels = profile(options.drywarp, device, source, [], ["--time", "all"])
        found = {name: find(kernels, kernel) for name, kernel in PUBLISHED_KERNELS.items()}
        print(f"  {device + ' beside a ' + theirs:34} {'published':>10} {'ours':>10} {'difference':>11}")
        for name, rate in rates.items():
            ms, why = milliseconds(found[name])
            ours = why if ms is None else f"{2 * 4 * 1024 * 1024 / ms * 1e-6:10.1f}"
            print(f"  {name + ', GB/s':34} {rate:10.1f} {ours}")
        for slow, fast in (("naive", "padded"), ("shared", "padded"), ("padded", "copy")):
            ratio_line(f"{slow} / {fast}, of times", rates[fast] / rates[slow], found[slow], found[fast])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--drywarp", default=os.path.join(ROOT, "build", "bin", "drywarp"))
    p.add_argument("--transpose-device", default="gtx970", help="the course's own example of a GPU, and one that fits")
    p.add_argument("--matmul-device", default="gtx280")
    p.add_argument("--size", type=int, default=4096)
    p.add_argument("--width", type=int, default=512, help="a multiple of 128")
    options = p.parse_args()
    transpose(options)
    matmul(options)
    published(options)


if __name__ == "__main__":
    main()
