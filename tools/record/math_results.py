#!/usr/bin/env python3
"""Reads the output of math_results.cu, and joins all variants of a GPU into one file.

    math_results.py join OUT.xz VARIANT=FILE ...     e.g. default=r0 fast=r1
"""

import lzma
import sys
from array import array

# Types of results: bytes each, array's letter for their bits, mantissa bits (none for integers).
TYPES = {"float": (4, "I", 23), "int": (4, "I", None), "double": (8, "Q", 52), "__half": (2, "H", 10), "__nv_bfloat16": (2, "H", 7)}


def planes(data, size):
    """Groups bytes of equal weight, which compresses better."""
    return b"".join(data[i::size] for i in range(size))


def joined(data, size):
    count = len(data) // size
    result = bytearray(len(data))
    for i in range(size):
        result[i::size] = data[i * count:(i + 1) * count]
    return bytes(result)


def split(blob):
    head, _, values = blob.partition(b"\n\n")
    at = 0
    for line in head.decode().splitlines():
        words = line.split()
        size = TYPES[words[-2]][0]
        length = size * int(words[-1])
        yield words, values[at:at + length]
        at += length


def read_results(path):
    """{name: (type, bits)} of the program's output."""
    with open(path, "rb") as file:
        return {name: (kind, array(TYPES[kind][1], data)) for (name, _, kind, _), data in split(file.read())}


def read_recorded(path):
    """{variant: {name: (type, bits)}} of the recorded file."""
    with lzma.open(path) as file:
        blob = file.read()
    recorded = {}
    for (variant, name, _, kind, _), data in split(blob):
        bits = array(TYPES[kind][1], joined(data, TYPES[kind][0]))
        recorded.setdefault(variant, {})[name] = (kind, bits)
    return recorded


def join(out, sources):
    variants = {}
    for source in sources:
        variant, _, path = source.partition("=")
        with open(path, "rb") as file:
            variants[variant] = list(split(file.read()))
    head, values = [], []
    # Put the variants of a function together: most are equal.
    for function in zip(*variants.values()):
        for variant, (words, data) in zip(variants, function):
            head.append(" ".join([variant, *words]))
            values.append(planes(data, TYPES[words[-2]][0]))
    blob = "\n".join(head).encode() + b"\n\n" + b"".join(values)
    with open(out, "wb") as file:
        file.write(lzma.compress(blob, preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] != "join":
        sys.exit(__doc__)
    join(sys.argv[2], sys.argv[3:])
