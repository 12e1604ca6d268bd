#!/usr/bin/env python3
"""Records a GPU's results of difficult instructions.

    semantics.py build FOLDER            forms.ptx (one kernel a form) and cases.txt; forms that ptxas rejects are left out and listed
    semantics.py join FOLDER OUTPUT      answers.txt -> semantics.txt and semantics_warp.txt
"""
import re
import subprocess
import sys

import semantics_forms as source

DECLARE = {"p": ".pred", "h": ".b16", "r": ".b32", "rd": ".b64", "f": ".f32", "fd": ".f64"}
USE = re.compile(r"%(p|h|rd|r|fd|f)_([ad])(\d)")


def registers(text):
    return sorted({m.groups() for m in USE.finditer(text)}, key=lambda g: (g[1], g[2]))


def kernel(number, form):
    """Each thread has four 64-bit inputs and four 64-bit outputs."""
    out = [f".visible .entry form_{number}(.param .u64 in, .param .u64 out, .param .u64 masks, .param .u64 scratch)\n{{"]
    used = registers(form.text)
    out += [f"  .reg {DECLARE[t]} %{t}_{role}{i};" for t, role, i in used]
    out += ["  .reg .b64 %in, %out, %masks, %scratch, %x, %wide, %m; .reg .b32 %t, %c, %bit, %mask, %low; .reg .pred %off;",
            "  mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x;",
            "  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %masks, [masks]; ld.param.u64 %scratch, [scratch];",
            "  mad.wide.u32 %masks, %c, 4, %masks; ld.global.u32 %mask, [%masks]; mad.lo.u32 %low, %c, 32, %t;",
            "  mad.wide.u32 %in, %low, 32, %in; mad.wide.u32 %out, %low, 32, %out; mad.wide.u32 %m, %low, 64, %scratch;",
            "  shr.u32 %bit, %mask, %t; and.b32 %bit, %bit, 1; setp.eq.u32 %off, %bit, 0; @%off bra DONE;"]
    for t, role, i in used:
        if role == "d":
            continue
        name = f"%{t}_a{i}"
        out.append(f"  ld.global.u64 %wide, [%in+{int(i) * 8}];")
        out.append({"p": f"  setp.ne.u64 {name}, %wide, 0;", "h": f"  cvt.u16.u64 {name}, %wide;", "r": f"  cvt.u32.u64 {name}, %wide;",
                    "rd": f"  mov.b64 {name}, %wide;", "f": f"  cvt.u32.u64 %low, %wide; mov.b32 {name}, %low;",
                    "fd": f"  mov.b64 {name}, %wide;"}[t])
    out.append("  " + form.text)
    for t, role, i in used:
        if role == "a":
            continue
        name = f"%{t}_d{i}"
        out.append({"p": f"  selp.u64 %wide, 1, 0, {name};", "h": f"  cvt.u64.u16 %wide, {name};", "r": f"  cvt.u64.u32 %wide, {name};",
                    "rd": f"  mov.b64 %wide, {name};", "f": f"  mov.b32 %low, {name}; cvt.u64.u32 %wide, %low;",
                    "fd": f"  mov.b64 %wide, {name};"}[t])
        out.append(f"  st.global.u64 [%out+{int(i) * 8}], %wide;")
    out.append("DONE:\n  ret;\n}\n")
    return "\n".join(out)


def module(forms):
    """The text, and the form of each line."""
    lines, owner = [".version 8.6", ".target sm_90", ".address_size 64"], [None] * 3
    for number, form in forms.items():
        added = kernel(number, form).split("\n")
        lines += added
        owner += [number] * len(added)
    return "\n".join(lines) + "\n", owner


def accepted(folder, forms):
    while True:
        text, owner = module(forms)
        with open(f"{folder}/forms.ptx", "w") as f:
            f.write(text)
        ran = subprocess.run(["ptxas", "-arch=sm_90", "-o", f"{folder}/forms.cubin", f"{folder}/forms.ptx"], capture_output=True, text=True)
        if ran.returncode == 0:
            return forms
        wrong = {}
        for line, message in re.findall(r"line (\d+); (?:error|fatal)\s*: (.*)", ran.stderr):
            wrong.setdefault(owner[int(line) - 1], message)
        if not wrong or None in wrong:
            sys.exit(ran.stderr[:2000])
        for number, message in wrong.items():
            print(f"left out: {forms[number].text}  ({message})", file=sys.stderr)
            del forms[number]


def warps_of(form):
    """(mask, one tuple of inputs a lane) for each warp to launch."""
    if form.warp:
        for mask, columns in source.warp_rows(form):
            yield mask, list(zip(*columns))
        return
    rows = source.rows_of(form)
    for at in range(0, len(rows), 32):
        some = rows[at:at + 32]
        yield (1 << len(some)) - 1, some + [(0,) * len(form.inputs)] * (32 - len(some))


def build(folder):
    forms = {i: f for i, f in enumerate(source.all_forms())}
    texts = [f.text for f in forms.values()]
    assert len(set(texts)) == len(texts), [t for t in texts if texts.count(t) > 1][:3]
    forms = accepted(folder, forms)
    with open(f"{folder}/cases.txt", "w") as f:
        for number, form in forms.items():
            warps = list(warps_of(form))
            print(number, len(warps), file=f)
            for mask, lanes in warps:
                print(f"{mask:x}", *(f"{v:x}" for lane in lanes for v in (lane + (0,) * 4)[:4]), file=f)
    print(len(forms), "forms", file=sys.stderr)


def join(folder, output):
    forms = list(source.all_forms())
    answers = iter(open(f"{folder}/answers.txt").read().split("\n"))
    cases = iter(open(f"{folder}/cases.txt").read().split("\n"))
    single = open(f"{output}/semantics.txt", "w")
    warp = open(f"{output}/semantics_warp.txt", "w")
    for head in cases:
        if not head:
            break
        number, count = map(int, head.split())
        form = forms[number]
        outputs = [int(i) for _, role, i in registers(form.text) if role == "d"]
        print(form.text + ("  // approx" if form.approx else ""), file=warp if form.warp else single)
        for _ in range(count):
            mask, *values = next(cases).split()
            got = next(answers).split()
            active = [i for i in range(32) if int(mask, 16) >> i & 1]
            if form.warp:
                print("  mask", mask, file=warp)
                for k in range(len(form.inputs)):
                    print(f"  a{k}", *values[k::4], file=warp)
                for k in outputs:
                    print(f"  d{k}", *(got[i * 4 + k] if i in active else "-" for i in range(32)), file=warp)
                continue
            for i in active:
                print(" ", *values[i * 4:i * 4 + len(form.inputs)], "->", *(got[i * 4 + k] for k in outputs), file=single)


if __name__ == "__main__":
    build(sys.argv[2]) if sys.argv[1] == "build" else join(*sys.argv[2:])
