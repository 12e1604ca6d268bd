"""Instruction forms whose results are difficult to get right, and operands to test them with.

A form is a piece of PTX with typed register names: %r_a0 is input 0 in a 32-bit register, %fd_d1 output 1 in a 64-bit float register (p
predicate, h 16, r 32, rd 64 bits, f and fd floats). %m is the address of 64 bytes of the row's own global memory, %mask the row's lane mask
(warp forms only).
"""
import random
import struct
from dataclasses import dataclass, field

INT = {"u16": "h", "s16": "h", "u32": "r", "s32": "r", "u64": "rd", "s64": "rd", "b16": "h", "b32": "r", "b64": "rd"}
FLOAT = {"f32": "f", "f64": "fd", "f16": "h", "bf16": "h", "f16x2": "r", "bf16x2": "r"}
REGISTER = {**INT, **FLOAT}
ROUND = ("rn", "rz", "rm", "rp")
ROUND_INT = ("rni", "rzi", "rmi", "rpi")


@dataclass
class Form:
    text: str
    inputs: list  # the kind of value of each input, a key of VALUES
    rows: int = 24
    approx: bool = False
    warp: bool = False
    fixed: list = field(default_factory=list)  # rows to try before the random ones


def f32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def f64(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def specials(bits):
    top = 1 << bits
    out = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, top - 1, top - 2, top // 2, top // 2 - 1, top // 2 + 1, 0x7F, 0x80, 0xFF, 0x100]
    out += [0x7FFF, 0x8000, 0x8001, 0xFFFF]
    if bits >= 32:
        out += [0x10000, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0x12345678, 0xDEADBEEF, 0xAAAAAAAA, 0xFF7F8000]
        out += [16777217, 16777219, 0x7FFFFFBF, 0x7FFFFFC0, 0xFFFFFF7F, 0xFFFFFF80]
    if bits == 64:
        out += [0x100000000, 0x7FFFFFFF00000000, 0xFFFFFFFF00000000, 0xFFFFFFFF80000000, 0xFFFFFFFF7FFFFFFF, 0x0123456789ABCDEF]
        out += [(1 << 53) + 1, (1 << 53) + 3, 0x7FFFFFFFFFFFFDFF, 0x7FFFFFFFFFFFFE00, 0xFFFFFFFFFFFFFC00, 0x7FFFFF4000000001]
    return sorted({x & (top - 1) for x in out})


F32 = [0, 0x80000000, 0x3F800000, 0xBF800000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000, 0x7F7FFFFF,
       0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFC12345, 0x7FFFFFFF] + [f32(x) for x in (
           0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.1, -0.1, 3.14159265, 0.49999997, 0.50000006, 0.99999994, 8388607.5, 8388609.0, 16777216.0,
           127.5, 128.0, -128.5, -129.0, 255.5, 256.0, -0.75, 32767.5, 32768.0, -32768.5, -32769.0, 65535.5, 65536.0, 65504.0, 65519.0,
           65520.0, 2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0, 4294967040.0, 4294967296.0, 9.2233715e18, 9.223372e18,
           -9.223372e18, 1.8446743e19, 1.8446744e19, 448.0, 463.9, 464.0, 480.0, 57344.0, 61440.0, 5.9604645e-8, 2.9802322e-8,
           2.98023259e-8, 6.1035156e-5, 6.0975552e-5, 1e-40, -1e-40, 0.0019531, 0.00097656, 1.0000001, 3.3895314e38, 1.00390625, 1.01171875,
           4096.0, -4097.5, 88.7, -103.5, 1e10, 17.0, 240.0, 1.0625)]
F64 = [0, 1 << 63, 1, (1 << 63) | 1, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x7FF0000000000000,
       0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001, 0xFFF8000012345678] + [f64(x) for x in (
           1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.1, -0.1, 3.141592653589793, 0.49999999999999994, 0.9999999999999999, 4503599627370495.5,
           9007199254740993.0, 127.5, 128.0, -128.5, 255.5, 32767.5, -32768.5, 65535.5, 65519.999, 65520.0, 2147483647.5, 2147483648.0,
           -2147483648.5, -2147483649.0, 4294967295.5, 4294967296.0, 9.223372036854775e18, 9.223372036854776e18, -9.223372036854778e18,
           1.844674407370955e19, 1.8446744073709552e19, 3.4028234663852886e38, 3.4028235677973366e38, 3.4028235677973362e38, 1.1754943508222875e-38,
           1.1754942807573643e-38, 1.401298464324817e-45, 7.006492321624085e-46, 7.006492321624087e-46, 1.00000005960464477, 1.000000059604645,
           1.0000001788139343, 1e-310, -1e-310, 1e300, 16777217.0, 5.960464477539063e-08, 2.9802322387695312e-08, 65504.0, 1e-40)]
F16 = [0, 0x8000, 1, 0x8001, 0x03FF, 0x0400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7C01, 0x7FFF, 0xFD55, 0x3C00, 0xBC00, 0x3800,
       0xB800, 0x3E00, 0xBE00, 0x4100, 0xC100, 0x2E66, 0x4248, 0x3BFF, 0x3C01, 0x57F8, 0x5800, 0x5BF8, 0x5C00, 0x77FF, 0x7800, 0xD808, 0xF800,
       0x5F00, 0x5F80, 0x6400, 0x6401, 0x67FF, 0x2000, 0x1400]
BF16 = [0, 0x8000, 1, 0x8001, 0x007F, 0x0080, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0xFFC0, 0x7F81, 0x7FFF, 0xFF95, 0x3F80, 0xBF80, 0x3F00,
        0xBF00, 0x3FC0, 0xBFC0, 0x4020, 0xC020, 0x3DCD, 0x4049, 0x3F7F, 0x3F81, 0x42FF, 0x4300, 0x437F, 0x4380, 0x4700, 0x4780, 0x4F00, 0xCF00,
        0x4F80, 0x5F00, 0x5F80, 0xDF00, 0x4B80, 0x4B81]
SHIFTS = [0, 1, 4, 7, 8, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 127, 128, 255, 256, 257, 0x10001, 0x80000000, 0xFFFFFFFF]
ANGLES = F32[:19] + [f32(x) for x in (0.1, -0.5, 1.0, 1.5707964, 3.1415927, -3.1415927, 6.2831855, 10.0, 100.5, 1e5, -1e9, 0.25, 2.5, -2.25, 88.7,
                                      -103.5, 127.99, 128.0, -126.0, -126.5, -149.5, -150.0, 1e-5, 0.7, 0.9999, 1.0001, 1024.0, 3.7e20)]


def random_float(rng, exponent_bits, mantissa_bits, anything):
    """A number near 1 unless `anything`, so that sums round and neither vanish nor overflow."""
    bias = (1 << (exponent_bits - 1)) - 1
    exponent = rng.randrange(1 << exponent_bits) if anything else bias + rng.randrange(-6, 7)
    return (rng.getrandbits(1) << (exponent_bits + mantissa_bits)) | (exponent << mantissa_bits) | rng.getrandbits(mantissa_bits)


def pick_float(values, exponent_bits, mantissa_bits):
    def pick(rng):
        roll = rng.random()
        if roll < 0.55:
            return rng.choice(values)
        return random_float(rng, exponent_bits, mantissa_bits, roll < 0.7)
    return pick


def pick_int(bits):
    values = specials(bits)
    return lambda rng: rng.choice(values) if rng.random() < 0.7 else rng.getrandbits(bits)


def pair_of(pick):
    return lambda rng: pick(rng) | pick(rng) << 16


# Kind of value -> (a systematic list, a random choice)
VALUES = {
    "i16": (specials(16), pick_int(16)), "i32": (specials(32), pick_int(32)), "i64": (specials(64), pick_int(64)),
    "f32": (F32, pick_float(F32, 8, 23)), "f64": (F64, pick_float(F64, 11, 52)),
    "f16": (F16, pick_float(F16, 5, 10)), "bf16": (BF16, pick_float(BF16, 8, 7)),
    "f16x2": (None, pair_of(pick_float(F16, 5, 10))), "bf16x2": (None, pair_of(pick_float(BF16, 8, 7))),
    "shift": (SHIFTS, lambda rng: rng.choice(SHIFTS) if rng.random() < 0.8 else rng.randrange(80)),
    "byte": (list(range(256)), lambda rng: rng.getrandbits(8)),
    "bytes2": ([a | (a ^ 0x5B) << 8 for a in range(256)], lambda rng: rng.getrandbits(16)),
    "angle": (ANGLES, lambda rng: rng.choice(ANGLES) if rng.random() < 0.5 else f32(rng.uniform(-20, 20))),
    "bool": ([0, 1], lambda rng: rng.getrandbits(1)),
    "nibbles": (None, lambda rng: rng.getrandbits(16)),
}
KIND = {"u16": "i16", "s16": "i16", "u32": "i32", "s32": "i32", "u64": "i64", "s64": "i64", "b16": "i16", "b32": "i32", "b64": "i64",
        "u8": "i32", "s8": "i32", **{f: f for f in FLOAT}}


def rows_of(form):
    rng = random.Random("drywarp " + form.text)
    rows = [tuple(r) for r in form.fixed]
    if len(form.inputs) == 1 and VALUES[form.inputs[0]][0]:
        values = VALUES[form.inputs[0]][0]
        most = len(values) if form.approx or form.inputs[0] == "bytes2" else 20 if form.inputs[0][0] == "i" else 30
        if len(values) > most:  # a different part of them for every form
            values = sorted(rng.sample(values, most))
        rows += [(v,) for v in values]
        rows += [(VALUES[form.inputs[0]][1](rng),) for _ in range(4)]
    else:
        rows += [tuple(VALUES[k][1](rng) for k in form.inputs) for _ in range(max(form.rows - len(rows), 8))]
    return rows


def op(name, types, dest=None, **more):
    """name d0, a0, a1, ... over the given operand types."""
    registers = ", ".join(f"%{REGISTER[t]}_a{i}" for i, t in enumerate(types))
    return Form(f"{name} %{REGISTER[dest or types[0]]}_d0, {registers};", [KIND[t] for t in types], **more)


INTS = ("u16", "s16", "u32", "s32", "u64", "s64")


def integer_forms():
    corner = {16: [(0x8000, 0xFFFF), (1, 0), (0, 0), (0x8000, 0), (0xFFFF, 0xFFFF)],
              32: [(0x80000000, 0xFFFFFFFF), (1, 0), (0, 0), (0x80000000, 0), (0xFFFFFFFF, 0xFFFFFFFF), (7, 0xFFFFFFFE)],
              64: [(1 << 63, (1 << 64) - 1), (1, 0), (0, 0), (1 << 63, 0), ((1 << 64) - 1, (1 << 64) - 1), (5, 0x100000000)]}
    for t in INTS:
        bits = int(t[1:])
        yield op(f"div.{t}", [t, t], fixed=corner[bits], rows=36)
        yield op(f"rem.{t}", [t, t], fixed=corner[bits], rows=36)
        for name in ("add", "sub", "mul.lo", "mul.hi", "min", "max"):
            yield op(f"{name}.{t}", [t, t], fixed=corner[bits][:1])
        yield op(f"mad.lo.{t}", [t] * 3)
        yield op(f"mad.hi.{t}", [t] * 3)
        yield op(f"sad.{t}", [t] * 3)
        if bits < 64:
            wide = f"{t[0]}{bits * 2}"
            yield op(f"mul.wide.{t}", [t, t], dest=wide)
            yield op(f"mad.wide.{t}", [t, t, wide], dest=wide)
        if t[0] == "s":
            yield op(f"abs.{t}", [t])
            yield op(f"neg.{t}", [t])
    yield op("add.sat.s32", ["s32", "s32"], fixed=[(0x7FFFFFFF, 1), (0x80000000, 0xFFFFFFFF)])
    yield op("sub.sat.s32", ["s32", "s32"], fixed=[(0x7FFFFFFF, 0xFFFFFFFF), (0x80000000, 1), (0, 0x80000000)])
    yield op("mad.hi.sat.s32", ["s32"] * 3)
    for t in ("u16x2", "s16x2"):
        for name in ("add", "min", "max"):
            yield Form(f"{name}.{t} %r_d0, %r_a0, %r_a1;", ["i32", "i32"])
    for name in ("min.relu.s16x2", "max.relu.s16x2", "min.relu.s32", "max.relu.s32"):
        yield Form(f"{name} %r_d0, %r_a0, %r_a1;", ["i32", "i32"])
    for half in ("lo", "hi"):
        for t in ("u32", "s32"):
            yield op(f"mul24.{half}.{t}", [t, t])
            yield op(f"mad24.{half}.{t}", [t] * 3)
    yield op("mad24.hi.sat.s32", ["s32"] * 3)
    for t, r in (("u32", "r"), ("s32", "r"), ("u64", "rd"), ("s64", "rd")):
        k = KIND[t]
        for a, b in (("add", "addc"), ("sub", "subc")):
            yield Form(f"{a}.cc.{t} %{r}_d0, %{r}_a0, %{r}_a1; {b}.{t} %{r}_d1, %{r}_a2, %{r}_a3;", [k] * 4, rows=32)
            yield Form(f"{a}.cc.{t} %{r}_d0, %{r}_a0, %{r}_a1; {b}.cc.{t} %{r}_d1, %{r}_a2, %{r}_a3; {b}.{t} %{r}_d2, %{r}_a0, %{r}_a3;",
                       [k] * 4, rows=32)
        yield Form(f"mad.lo.cc.{t} %{r}_d0, %{r}_a0, %{r}_a1, %{r}_a2; madc.hi.{t} %{r}_d1, %{r}_a0, %{r}_a1, %{r}_a3;", [k] * 4, rows=32)
        yield Form(f"mad.hi.cc.{t} %{r}_d0, %{r}_a0, %{r}_a1, %{r}_a2; madc.lo.cc.{t} %{r}_d1, %{r}_a0, %{r}_a1, %{r}_a3; "
                   f"addc.{t} %{r}_d2, %{r}_a2, 0;", [k] * 4, rows=32)
    yield Form("sub.cc.u32 %r_d0, %r_a0, %r_a1; addc.u32 %r_d1, %r_a2, %r_a3;", ["i32"] * 4, rows=32)
    yield Form("add.cc.u32 %r_d0, %r_a0, %r_a1; subc.u32 %r_d1, %r_a2, %r_a3;", ["i32"] * 4, rows=32)
    for a in ("u32", "s32"):
        for b in ("u32", "s32"):
            yield Form(f"dp4a.{a}.{b} %r_d0, %r_a0, %r_a1, %r_a2;", ["i32"] * 3)
            for half in ("lo", "hi"):
                yield Form(f"dp2a.{half}.{a}.{b} %r_d0, %r_a0, %r_a1, %r_a2;", ["i32"] * 3)


def bit_forms():
    for t, r in (("b32", "r"), ("b64", "rd")):
        for name in ("popc", "clz"):
            yield Form(f"{name}.{t} %r_d0, %{r}_a0;", [KIND[t]])
        yield Form(f"brev.{t} %{r}_d0, %{r}_a0;", [KIND[t]])
    for t in ("u32", "s32", "u64", "s64"):
        r = INT[t]
        yield Form(f"bfind.{t} %r_d0, %{r}_a0;", [KIND[t]])
        yield Form(f"bfind.shiftamt.{t} %r_d0, %{r}_a0;", [KIND[t]])
        yield Form(f"bfe.{t} %{r}_d0, %{r}_a0, %r_a1, %r_a2;", [KIND[t], "shift", "shift"], rows=60)
    for t in ("b32", "b64"):
        r = INT[t]
        yield Form(f"bfi.{t} %{r}_d0, %{r}_a0, %{r}_a1, %r_a2, %r_a3;", [KIND[t], KIND[t], "shift", "shift"], rows=60)
    yield Form("fns.b32 %r_d0, %r_a0, %r_a1, %r_a2;", ["i32", "shift", "i32"], rows=64,
               fixed=[(0xF0F0F0F0, b & 31, n & 0xFFFFFFFF) for b in (0, 4, 7, 15, 31) for n in (-4, -2, -1, 0, 1, 2, 5)])
    for mode in ("clamp", "wrap"):
        yield Form(f"bmsk.{mode}.b32 %r_d0, %r_a0, %r_a1;", ["shift", "shift"], rows=48)
        for t in ("u32", "s32"):
            yield Form(f"szext.{mode}.{t} %r_d0, %r_a0, %r_a1;", ["i32", "shift"], rows=48)
        for side in ("l", "r"):
            yield Form(f"shf.{side}.{mode}.b32 %r_d0, %r_a0, %r_a1, %r_a2;", ["i32", "i32", "shift"], rows=40)
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield Form(f"prmt.b32{mode} %r_d0, %r_a0, %r_a1, %r_a2;", ["i32", "i32", "nibbles"], rows=32,
                   fixed=[(0x83020100, 0x07868504, s) for s in (0x3210, 0x7654, 0xBA98, 0xFEDC, 0, 1, 2, 3, 0x10000, 0xFFFFFFFF)])
    for lut in (0x80, 0xFE, 0x96, 0xE8, 0xCA, 0x1B, 0x00, 0xFF):
        yield Form(f"lop3.b32 %r_d0, %r_a0, %r_a1, %r_a2, {lut:#x};", ["i32"] * 3, rows=10)
    yield Form("lop3.or.b32 %r_d0|%p_d1, %r_a0, %r_a1, %r_a2, 0x1b, %p_a3;", ["i32", "i32", "i32", "bool"])
    yield Form("lop3.and.b32 %r_d0|%p_d1, %r_a0, %r_a1, %r_a2, 0x80, %p_a3;", ["i32", "i32", "i32", "bool"])
    for t in ("b16", "b32", "b64"):
        r = INT[t]
        yield Form(f"shl.{t} %{r}_d0, %{r}_a0, %r_a1;", [KIND[t], "shift"], rows=40)
        for s in ("b", "u", "s"):
            yield Form(f"shr.{s}{t[1:]} %{r}_d0, %{r}_a0, %r_a1;", [KIND[t], "shift"], rows=40)
        yield Form(f"not.{t} %{r}_d0, %{r}_a0;", [KIND[t]])
        yield Form(f"cnot.{t} %{r}_d0, %{r}_a0;", [KIND[t]])


def compare_forms():
    for t in INTS:
        names = ("eq", "ne", "lt", "le", "gt", "ge") + (("lo", "ls", "hi", "hs") if t[0] == "u" else ())
        for c in names:
            yield Form(f"setp.{c}.{t} %p_d0, %{INT[t]}_a0, %{INT[t]}_a1;", [KIND[t]] * 2, rows=12)
    nans = {"f32": (0x7FC00000, 0x3F800000, 0x80000000, 0x00000001, 0x7F800000), "f64": (0x7FF8 << 48, 0x3FF0 << 48, 1 << 63, 1, 0x7FF0 << 48),
            "f16": (0x7E00, 0x3C00, 0x8000, 1, 0x7C00), "bf16": (0x7FC0, 0x3F80, 0x8000, 1, 0x7F80)}
    for t, (nan, one, negative_zero, tiny, inf) in nans.items():
        pairs = [(nan, one), (one, nan), (nan, nan), (one, one), (0, negative_zero), (negative_zero, 0), (tiny, 0), (0, tiny), (inf, inf), (one, inf)]
        r = FLOAT[t]
        for c in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
            for ftz in ("", ".ftz") if t in ("f32", "f16") else ("",):
                yield Form(f"setp.{c}{ftz}.{t} %p_d0, %{r}_a0, %{r}_a1;", [t, t], rows=14, fixed=pairs)
    for b in ("and", "or", "xor"):
        yield Form(f"setp.lt.{b}.f32 %p_d0|%p_d1, %f_a0, %f_a1, %p_a2;", ["f32", "f32", "bool"], rows=20)
        yield Form(f"setp.gt.{b}.s32 %p_d0|%p_d1, %r_a0, %r_a1, !%p_a2;", ["i32", "i32", "bool"], rows=20)
        yield Form(f"set.geu.{b}.u32.f32 %r_d0, %f_a0, %f_a1, %p_a2;", ["f32", "f32", "bool"], rows=20)
    yield Form("setp.lt.f16x2 %p_d0|%p_d1, %r_a0, %r_a1;", ["f16x2", "f16x2"], rows=32)
    yield Form("setp.neu.bf16x2 %p_d0|%p_d1, %r_a0, %r_a1;", ["bf16x2", "bf16x2"], rows=32)
    for d, r in (("u32", "r"), ("s32", "r"), ("f32", "f")):
        for s in ("s32", "u32", "u64", "s16", "f32", "f64"):
            for c in ("lt", "ne"):
                yield Form(f"set.{c}.{d}.{s} %{r}_d0, %{REGISTER[s]}_a0, %{REGISTER[s]}_a1;", [KIND[s]] * 2, rows=12)
    for c in ("le", "gtu", "nan"):
        yield Form(f"set.{c}.ftz.u32.f32 %r_d0, %f_a0, %f_a1;", ["f32", "f32"], rows=20)
        yield Form(f"set.{c}.f16.f16 %h_d0, %h_a0, %h_a1;", ["f16", "f16"], rows=20)
        yield Form(f"set.{c}.f16x2.f16x2 %r_d0, %r_a0, %r_a1;", ["f16x2", "f16x2"], rows=20)
        yield Form(f"set.{c}.u16.f16 %h_d0, %h_a0, %h_a1;", ["f16", "f16"], rows=20)
        yield Form(f"set.{c}.bf16.bf16 %h_d0, %h_a0, %h_a1;", ["bf16", "bf16"], rows=20)
    for t in ("b16", "b32", "u64", "f32", "f64"):
        r = REGISTER[t]
        yield Form(f"selp.{t} %{r}_d0, %{r}_a0, %{r}_a1, %p_a2;", [KIND[t], KIND[t], "bool"], rows=8)
        yield Form(f"slct.{t}.s32 %{r}_d0, %{r}_a0, %{r}_a1, %r_a2;", [KIND[t], KIND[t], "i32"], rows=16)
        yield Form(f"slct.{t}.f32 %{r}_d0, %{r}_a0, %{r}_a1, %f_a2;", [KIND[t], KIND[t], "f32"], rows=40)
    yield Form("slct.ftz.u32.f32 %r_d0, %r_a0, %r_a1, %f_a2;", ["i32", "i32", "f32"], rows=40, fixed=[(1, 2, 0x80000001), (1, 2, 0x80000000)])
    for t in ("f32", "f64"):
        for c in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield Form(f"testp.{c}.{t} %p_d0, %{FLOAT[t]}_a0;", [t])
        yield op(f"copysign.{t}", [t, t])


def float_forms():
    inf_pairs = {"f32": [(0, 0x7F800000), (0x7F800000, 0xFF800000), (0x7F800000, 0x7F800000), (0x3F800000, 0xBF800000), (0x7F7FFFFF, 0x7F7FFFFF),
                         (0x00800000, 0x80000001), (0, 0x80000000), (0x80000000, 0x80000000), (0x00000001, 0x3F000000), (0x7FC12345, 0x7FC54321)],
                 "f64": [(0, 0x7FF0 << 48), (0x7FF0 << 48, 0xFFF0 << 48), (0x3FF0 << 48, 0xBFF0 << 48), (0, 1 << 63), (1 << 63, 1 << 63),
                         (0x7FEFFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFF), (0x7FF8000012345678, 0x7FF8000087654321)]}
    triples = [(0, 0x7F800000, 0x3F800000), (0x7F800000, 0x3F800000, 0xFF800000), (0x3F800001, 0x3F800001, 0xBF800002), (0x00800000, 0x3F000000, 0),
               (0x3F800000, 0x3F800000, 0xBF800000), (0xBF800000, 0x3F800000, 0x3F800000), (0x1F800000, 0x1F800001, 0x00000001),
               (0x7F7FFFFF, 0x40000000, 0xFF7FFFFF), (0x7FC11111, 0x7FC22222, 0x7FC33333)]
    for rounding in ROUND:
        for ftz in ("", ".ftz"):
            for sat in ("", ".sat"):
                for name in ("add", "sub", "mul"):
                    yield op(f"{name}.{rounding}{ftz}{sat}.f32", ["f32", "f32"], fixed=inf_pairs["f32"], rows=28)
                yield op(f"fma.{rounding}{ftz}{sat}.f32", ["f32"] * 3, fixed=triples, rows=32)
            yield op(f"div.{rounding}{ftz}.f32", ["f32", "f32"], fixed=inf_pairs["f32"], rows=48)
            yield op(f"rcp.{rounding}{ftz}.f32", ["f32"])
            yield op(f"sqrt.{rounding}{ftz}.f32", ["f32"])
        for name in ("add", "sub", "mul", "div"):
            yield op(f"{name}.{rounding}.f64", ["f64", "f64"], fixed=inf_pairs["f64"], rows=32)
        yield op(f"fma.{rounding}.f64", ["f64"] * 3, rows=32)
        yield op(f"rcp.{rounding}.f64", ["f64"])
        yield op(f"sqrt.{rounding}.f64", ["f64"])
    yield op("mad.rn.f32", ["f32"] * 3, fixed=triples)
    for ftz in ("", ".ftz"):
        for name in ("min", "max"):
            for nan in ("", ".NaN"):
                for sign in ("", ".xorsign.abs"):
                    yield op(f"{name}{ftz}{nan}{sign}.f32", ["f32", "f32"], rows=32, fixed=[(0, 0x80000000), (0x80000000, 0), (0x7FC00001, 0x3F800000),
                             (0x3F800000, 0x7F800001), (0x7FC00001, 0xFFC00002), (0x00000001, 0x80000001), (0x80000001, 0), (0xBF800000, 0x40000000)])
        for name in ("abs", "neg"):
            yield op(f"{name}{ftz}.f32", ["f32"])
    for name in ("min", "max"):
        yield op(f"{name}.f64", ["f64", "f64"], rows=32, fixed=[(0, 1 << 63), (1 << 63, 0), (0x7FF8000000000001, 0x3FF0 << 48), (0x3FF0 << 48, 0xFFF8 << 48)])
    for name in ("abs", "neg"):
        yield op(f"{name}.f64", ["f64"])
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        brain = t.startswith("b")
        for name in ("add", "sub", "mul"):
            for modifier in ("", ".ftz", ".sat", ".ftz.sat") if not brain else ("",):
                yield op(f"{name}.rn{modifier}.{t}", [t, t], rows=32)
                if not modifier:
                    yield op(f"{name}.{t}", [t, t], rows=12)
        for modifier in ("", ".ftz", ".sat", ".ftz.sat", ".relu", ".ftz.relu") if not brain else ("", ".relu"):
            yield op(f"fma.rn{modifier}.{t}", [t] * 3, rows=40)
        for name in ("min", "max"):
            for modifier in ("", ".ftz", ".NaN", ".NaN.xorsign.abs", ".xorsign.abs") if not brain else ("", ".NaN", ".NaN.xorsign.abs"):
                yield op(f"{name}{modifier}.{t}", [t, t], rows=40)
        for name in ("abs", "neg"):
            yield op(f"{name}.{t}", [t], rows=24)
    yield op("abs.ftz.f16", ["f16"])
    yield op("neg.ftz.f16", ["f16"])
    # Approximations of the multi-function unit.
    for ftz in ("", ".ftz"):
        for name in ("div.approx", "div.full"):
            yield op(f"{name}{ftz}.f32", ["f32", "f32"], fixed=inf_pairs["f32"], rows=64, approx=True)
        for name in ("rcp", "sqrt", "rsqrt"):
            yield op(f"{name}.approx{ftz}.f32", ["f32"], approx=True)
        for name in ("sin", "cos", "ex2", "lg2"):
            text = f"{name}.approx{ftz}.f32 %f_d0, %f_a0;"
            yield Form(text, ["angle"], approx=True)
    yield Form("tanh.approx.f32 %f_d0, %f_a0;", ["angle"], approx=True)
    yield op("rsqrt.approx.f64", ["f64"], approx=True)
    yield op("rsqrt.approx.ftz.f64", ["f64"], approx=True)
    yield op("rcp.approx.ftz.f64", ["f64"], approx=True)
    for name, t in (("ex2.approx.f16", "f16"), ("tanh.approx.f16", "f16"), ("ex2.approx.ftz.bf16", "bf16"), ("tanh.approx.bf16", "bf16"),
                    ("ex2.approx.f16x2", "f16x2"), ("tanh.approx.f16x2", "f16x2"), ("tanh.approx.bf16x2", "bf16x2"), ("ex2.approx.ftz.bf16x2", "bf16x2")):
        yield op(name, [t], approx=True)


def convert_forms():
    sizes = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")

    def register(t):
        return "r" if t in ("u8", "s8") else INT[t]

    for d in sizes:
        for s in sizes:
            if d == s:
                continue
            for sat in ("", ".sat"):
                yield Form(f"cvt{sat}.{d}.{s} %{register(d)}_d0, %{register(s)}_a0;", ["i32" if s in ("u8", "s8") else KIND[s]])
    for s in ("f32", "f64", "f16", "bf16"):
        for d in sizes:
            for rounding in ROUND_INT:
                for ftz in ("", ".ftz") if s == "f32" and rounding in ("rni", "rpi") else ("",):
                    yield Form(f"cvt.{rounding}{ftz}.{d}.{s} %{register(d)}_d0, %{FLOAT[s]}_a0;", [s])
            yield Form(f"cvt.rzi.sat.{d}.{s} %{register(d)}_d0, %{FLOAT[s]}_a0;", [s])
    for d in ("f32", "f64", "f16", "bf16"):
        for s in sizes:
            for rounding in ROUND:
                yield Form(f"cvt.{rounding}.{d}.{s} %{FLOAT[d]}_d0, %{register(s)}_a0;", ["i32" if s in ("u8", "s8") else KIND[s]])
        yield Form(f"cvt.rn.sat.{d}.s32 %{FLOAT[d]}_d0, %r_a0;", ["i32"])
    for rounding in ROUND:
        for ftz in ("", ".ftz"):
            for sat in ("", ".sat"):
                yield Form(f"cvt.{rounding}{ftz}{sat}.f32.f64 %f_d0, %fd_a0;", ["f64"])
        for sat in ("", ".sat"):
            yield Form(f"cvt.{rounding}{sat}.f16.f32 %h_d0, %f_a0;", ["f32"])
            yield Form(f"cvt.{rounding}{sat}.f16.f64 %h_d0, %fd_a0;", ["f64"])
        yield Form(f"cvt.{rounding}.ftz.f16.f32 %h_d0, %f_a0;", ["f32"])
        yield Form(f"cvt.{rounding}.bf16.f32 %h_d0, %f_a0;", ["f32"])
        yield Form(f"cvt.{rounding}.bf16.f64 %h_d0, %fd_a0;", ["f64"])
        yield Form(f"cvt.{rounding}.bf16.f16 %h_d0, %h_a0;", ["f16"])
        yield Form(f"cvt.{rounding}.f16.bf16 %h_d0, %h_a0;", ["bf16"])
        for relu in ("", ".relu", ".satfinite", ".relu.satfinite"):
            for d in ("f16", "bf16"):
                yield Form(f"cvt.{rounding}{relu}.{d}x2.f32 %r_d0, %f_a0, %f_a1;", ["f32", "f32"], rows=40)
                yield Form(f"cvt.{rounding}{relu}.{d}.f32 %h_d0, %f_a0;", ["f32"])
            yield Form(f"cvt.{rounding}{relu}.tf32.f32 %r_d0, %f_a0;", ["f32"])
    yield Form("cvt.rna.tf32.f32 %r_d0, %f_a0;", ["f32"])
    yield Form("cvt.rna.satfinite.tf32.f32 %r_d0, %f_a0;", ["f32"])
    for modifier in ("", ".ftz", ".sat", ".ftz.sat"):
        yield Form(f"cvt{modifier}.f64.f32 %fd_d0, %f_a0;", ["f32"])
        yield Form(f"cvt{modifier}.f32.f16 %f_d0, %h_a0;", ["f16"])
        yield Form(f"cvt{modifier}.f32.f32 %f_d0, %f_a0;", ["f32"])
        yield Form(f"cvt{modifier}.f32.bf16 %f_d0, %h_a0;", ["bf16"])
    for modifier in ("", ".sat"):
        yield Form(f"cvt{modifier}.f64.f16 %fd_d0, %h_a0;", ["f16"])
        yield Form(f"cvt{modifier}.f64.bf16 %fd_d0, %h_a0;", ["bf16"])
        yield Form(f"cvt{modifier}.f64.f64 %fd_d0, %fd_a0;", ["f64"])
        yield Form(f"cvt{modifier}.f16.f16 %h_d0, %h_a0;", ["f16"])
    for rounding in ROUND_INT:
        for modifier in ("", ".ftz", ".sat"):
            yield Form(f"cvt.{rounding}{modifier}.f32.f32 %f_d0, %f_a0;", ["f32"])
        yield Form(f"cvt.{rounding}.f64.f64 %fd_d0, %fd_a0;", ["f64"])
        yield Form(f"cvt.{rounding}.f16.f16 %h_d0, %h_a0;", ["f16"])
        yield Form(f"cvt.{rounding}.bf16.bf16 %h_d0, %h_a0;", ["bf16"])
    for eight in ("e4m3x2", "e5m2x2"):
        for relu in ("", ".relu"):
            yield Form(f"cvt.rn.satfinite{relu}.{eight}.f32 %h_d0, %f_a0, %f_a1;", ["f32", "f32"], rows=80)
            yield Form(f"cvt.rn.satfinite{relu}.{eight}.f16x2 %h_d0, %r_a0;", ["f16x2"], rows=60)
            yield Form(f"cvt.rn{relu}.f16x2.{eight} %r_d0, %h_a0;", ["bytes2"])
    for d in ("u16", "s16"):
        yield Form(f"cvt.pack.sat.{d}.s32 %r_d0, %r_a0, %r_a1;", ["i32", "i32"], rows=32)
    for d in ("u8", "s8", "u4", "s4", "u2", "s2"):
        yield Form(f"cvt.pack.sat.{d}.s32.b32 %r_d0, %r_a0, %r_a1, %r_a2;", ["i32"] * 3, rows=32)


def video_forms():
    pairs = [("s32", "s32", "s32"), ("u32", "u32", "u32"), ("s32", "u32", "s32"), ("u32", "s32", "u32")]
    for name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for d, a, b in pairs:
            for sat in ("", ".sat"):
                yield Form(f"{name}.{d}.{a}.{b}{sat} %r_d0, %r_a0, %r_a1;", ["i32", "i32"], rows=16)
            yield Form(f"{name}.{d}.{a}.{b}.sat %r_d0, %r_a0.b1, %r_a1.h1;", ["i32", "i32"], rows=12)
            for second in ("add", "min", "max"):
                yield Form(f"{name}.{d}.{a}.{b}.{second} %r_d0, %r_a0.b3, %r_a1.h0, %r_a2;", ["i32"] * 3, rows=12)
        yield Form(f"{name}.s32.s32.s32 %r_d0.b2, %r_a0.h0, %r_a1.b0, %r_a2;", ["i32"] * 3, rows=12)
        yield Form(f"{name}.s32.s32.s32.sat %r_d0.h1, %r_a0, %r_a1, %r_a2;", ["i32"] * 3, rows=12)
    for name in ("vshl", "vshr"):
        for d, a in (("s32", "s32"), ("u32", "u32"), ("s32", "u32"), ("u32", "s32")):
            for mode in ("clamp", "wrap"):
                yield Form(f"{name}.{d}.{a}.u32.{mode} %r_d0, %r_a0, %r_a1;", ["i32", "shift"], rows=24)
                yield Form(f"{name}.{d}.{a}.u32.sat.{mode} %r_d0, %r_a0, %r_a1;", ["i32", "shift"], rows=24)
        yield Form(f"{name}.u32.u32.u32.clamp.add %r_d0, %r_a0.h0, %r_a1.b0, %r_a2;", ["i32", "shift", "i32"], rows=16)
    for t in ("s32", "u32"):
        for scale in ("", ".shr7", ".shr15"):
            yield Form(f"vmad.{t}.{t}.{t}{scale} %r_d0, %r_a0, %r_a1, %r_a2;", ["i32"] * 3, rows=16)
            yield Form(f"vmad.{t}.{t}.{t}.sat{scale} %r_d0, %r_a0.h0, %r_a1.h1, %r_a2;", ["i32"] * 3, rows=16)
        yield Form(f"vmad.{t}.{t}.{t}.po %r_d0, %r_a0.h0, %r_a1.b1, %r_a2;", ["i32"] * 3, rows=16)
    yield Form("vmad.s32.s32.s32 %r_d0, -%r_a0, %r_a1, %r_a2;", ["i32"] * 3, rows=16)
    yield Form("vmad.s32.s32.s32 %r_d0, %r_a0, %r_a1, -%r_a2;", ["i32"] * 3, rows=16)
    for c in ("eq", "ne", "lt", "le", "gt", "ge"):
        yield Form(f"vset.s32.u32.{c} %r_d0, %r_a0, %r_a1;", ["i32", "i32"], rows=12)
        yield Form(f"vset.u32.u32.{c}.add %r_d0, %r_a0.b0, %r_a1.b1, %r_a2;", ["i32"] * 3, rows=12)
    for lanes, mask in (("2", ".h10"), ("4", ".b3210")):
        for name in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
            for d, a, b in pairs:
                yield Form(f"{name}{lanes}.{d}.{a}.{b} %r_d0, %r_a0, %r_a1, %r_a2;", ["i32"] * 3, rows=14)
                if name != "vavrg":
                    yield Form(f"{name}{lanes}.{d}.{a}.{b}.sat %r_d0, %r_a0, %r_a1, %r_a2;", ["i32"] * 3, rows=14)
                yield Form(f"{name}{lanes}.{d}.{a}.{b}.add %r_d0, %r_a0, %r_a1, %r_a2;", ["i32"] * 3, rows=14)
            part = ".h1" if lanes == "2" else ".b20"
            yield Form(f"{name}{lanes}.u32.u32.u32 %r_d0{part}, %r_a0, %r_a1, %r_a2;", ["i32"] * 3, rows=10)
        swizzle = (".h03", ".h32") if lanes == "2" else (".b7531", ".b0426")
        yield Form(f"vadd{lanes}.u32.u32.u32 %r_d0{mask}, %r_a0{swizzle[0]}, %r_a1{swizzle[1]}, %r_a2;", ["i32"] * 3, rows=14)
        for c in ("eq", "lt", "ge"):
            for t in ("u32", "s32"):
                yield Form(f"vset{lanes}.{t}.{t}.{c} %r_d0, %r_a0, %r_a1, %r_a2;", ["i32"] * 3, rows=12)
            yield Form(f"vset{lanes}.u32.u32.{c}.add %r_d0, %r_a0, %r_a1, %r_a2;", ["i32"] * 3, rows=12)


def memory_forms():
    for t in ("u8", "s8", "u16", "s16"):
        for r, k in (("r", "i32"), ("rd", "i64")):
            yield Form(f"st.global.b64 [%m], %rd_a0; ld.global.{t} %{r}_d0, [%m];", ["i64"])
    yield Form("st.global.b64 [%m], %rd_a0; st.global.u8 [%m+3], %r_a1; ld.global.b64 %rd_d0, [%m];", ["i64", "i32"], rows=8)
    start = "st.global.b64 [%m], %rd_a0; "
    end = " ld.global.b64 %rd_d1, [%m];"
    for name, types in (("add", ("u32", "s32", "u64")), ("min", ("u32", "s32", "u64", "s64")), ("max", ("u32", "s32", "u64", "s64")),
                        ("inc", ("u32",)), ("dec", ("u32",)), ("and", ("b32", "b64")), ("or", ("b32", "b64")), ("xor", ("b32", "b64")),
                        ("exch", ("b32", "b64"))):
        for t in types:
            r = INT[t]
            pairs = [(5, 5), (5, 4), (4, 5), (0, 5), (0, 0), (0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0), (0x80000000, 0x7FFFFFFF)]
            yield Form(f"{start}atom.global.{name}.{t} %{r}_d0, [%m], %{r}_a1;{end}", ["i64", KIND[t]], fixed=pairs)
    for t in ("b16", "b32", "b64"):
        r = INT[t]
        yield Form(f"{start}atom.global.cas.{t} %{r}_d0, [%m], %{r}_a1, %{r}_a2;{end}", ["i64", KIND[t], KIND[t]], rows=16,
                   fixed=[(v, v & ((1 << int(t[1:])) - 1), 77) for v in (0, 5, 0xFFFFFFFFFFFFFFFF)])
    for name, t, k in (("add.f32", "f", "f32"), ("add.noftz.f16", "h", "f16"), ("add.noftz.f16x2", "r", "f16x2"), ("add.noftz.bf16", "h", "bf16"),
                       ("add.noftz.bf16x2", "r", "bf16x2"), ("add.f64", "fd", "f64")):
        store = {"f": "st.global.f32", "h": "st.global.b16", "r": "st.global.b32", "fd": "st.global.f64"}[t]
        load = store.replace("st.", "ld.", 1)
        yield Form(f"{store} [%m], %{t}_a0; atom.global.{name} %{t}_d0, [%m], %{t}_a1; {load} %{t}_d1, [%m];", [k, k], rows=40)
    for space in ("global", "shared", "local", "const"):
        yield Form(f"isspacep.{space} %p_d0, %m;", ["bool"])
    yield Form("mov.b32 {%h_d0, %h_d1}, %r_a0;", ["i32"])
    yield Form("mov.b64 {%h_d0, %h_d1, %h_d2, %h_d3}, %rd_a0;", ["i64"])
    yield Form("mov.b64 %rd_d0, {%r_a0, %r_a1};", ["i32", "i32"], rows=8)


def warp_forms():
    for mode in ("idx", "up", "down", "bfly"):
        for control in ("0x1f", "0", "0x1c1f", "0x1c00", "0x181f", "0x1007", "0x1f1f", "0x071f"):
            yield Form(f"shfl.sync.{mode}.b32 %r_d0|%p_d1, %r_a0, %r_a1, {control}, %mask;", ["i32", "lane"], warp=True)
    yield Form("shfl.sync.idx.b32 %r_d0|%p_d1, %r_a0, %r_a1, %r_a2, 0xffffffff;", ["i32", "lane", "clamp"], warp=True)
    for mode in ("all", "any", "uni"):
        yield Form(f"vote.sync.{mode}.pred %p_d0, %p_a0, %mask;", ["vote"], warp=True)
        yield Form(f"vote.sync.{mode}.pred %p_d0, !%p_a0, %mask;", ["vote"], warp=True)
    yield Form("vote.sync.ballot.b32 %r_d0, %p_a0, %mask;", ["vote"], warp=True)
    yield Form("vote.sync.ballot.b32 %r_d0, !%p_a0, %mask;", ["vote"], warp=True)
    for t, r in (("b32", "r"), ("b64", "rd")):
        yield Form(f"match.any.sync.{t} %r_d0, %{r}_a0, %mask;", ["few"], warp=True)
        yield Form(f"match.all.sync.{t} %r_d0|%p_d1, %{r}_a0, %mask;", ["few"], warp=True)
    for name, types in (("add", ("u32", "s32")), ("min", ("u32", "s32")), ("max", ("u32", "s32")), ("and", ("b32",)), ("or", ("b32",)), ("xor", ("b32",))):
        for t in types:
            yield Form(f"redux.sync.{name}.{t} %r_d0, %r_a0, %mask;", ["i32"], warp=True)
    yield Form("activemask.b32 %r_d0; xor.b32 %r_d0, %r_d0, %r_a0;", ["zero"], warp=True)
    yield Form("elect.sync %r_d0|%p_d1, %mask;", ["zero"], warp=True)
    for s in ("eq", "le", "lt", "ge", "gt"):
        yield Form(f"mov.u32 %r_d0, %lanemask_{s}; xor.b32 %r_d0, %r_d0, %r_a0;", ["zero"], warp=True)


WARP_MASKS = (0xFFFFFFFF, 0x0000FFFF, 0xFFFF0000, 0x55555555, 0x00000001, 0x80000000, 0x7FFFFFFF, 0x12345678)


def warp_rows(form):
    """(mask, lanes of input 0, lanes of input 1, ...) for each row."""
    rng = random.Random("drywarp " + form.text)
    shuffle = "shfl" in form.text
    for number, mask in enumerate(WARP_MASKS[:1] * 4 if shuffle else WARP_MASKS * 3):
        lanes = [i for i in range(32) if mask >> i & 1]
        columns = []
        for kind in form.inputs:
            if kind == "i32":
                column = [rng.getrandbits(32) for _ in range(32)]
                if number % 3 == 1:
                    column = [rng.choice((0, 1, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF)) for _ in range(32)]
            elif kind == "lane":
                same = rng.randrange(40)
                column = [same if number < 2 else rng.choice((rng.randrange(32), 31, 0, 32, 33, 63, 64, 0xFFFFFFFF)) for _ in range(32)]
            elif kind == "clamp":
                column = [rng.getrandbits(5) | rng.getrandbits(5) << 8 for _ in range(32)]
            elif kind == "vote":
                yes = {0: 0xFFFFFFFF, 1: 0}.get(number % 4, rng.getrandbits(32))
                if number % 4 == 2 and lanes:
                    yes = 1 << rng.choice(lanes)
                column = [yes >> i & 1 for i in range(32)]
            elif kind == "few":
                values = (7,) if number % 3 == 0 else (7, 0x700000007, 0x80000000)[: 1 + number % 3]
                column = [rng.choice(values) for _ in range(32)]
            else:
                column = [0] * 32
            columns.append(column)
        yield mask, columns


def all_forms():
    seen = set()
    for group in (integer_forms, bit_forms, compare_forms, float_forms, convert_forms, video_forms, memory_forms, warp_forms):
        for form in group():
            if form.text not in seen:
                seen.add(form.text)
                yield form
