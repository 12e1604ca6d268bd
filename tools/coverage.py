#!/usr/bin/env python3
"""Builds and runs programs that lie beside the project, and prints which run right and why the others do not.

    tools/coverage.py --drywarp build/bin/drywarp --root FOLDER names.txt

A line of names.txt is `name | folder | arguments | flags`; all but the name may be left out. The folder, under --root, is the name unless
given. All CUDA, C++ and C files in the folder are compiled together by `drywarp nvcc` with the flags; `default-flags: ...` holds for all.
Words that end in .cu, .cpp, .cc or .c are the sources, in place of all. `@` in flags and arguments is the root. A program runs right if it
ends with 0 (or, with `exit:N` among the arguments, with N) and prints none of the words that such programs print when their own check
fails. With `'until:TEXT'` among the arguments it is ended when it prints a line with TEXT: what follows its checks are a thousand repetitions."""
import argparse
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time

SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c")
FAILED = re.compile(r"^(?!drywarp: |.*(\b0 (fail|error|mismatch)|no error|as expected|\b0\.\d+\(%\) of bytes|Assertion `|error[^a-z]*[:=] *[0-9.e+-]+ *$))"
                    r".*(\bFAIL(ED|URE)?\b|\b(test|verification|validation|comparison|check)\b.* failed|mismatch|doesn't match|incorrect"
                    r"|\b(non-matching|misses)\b.*: *[1-9])", re.I)
# What a compiler or a program says that lacks something: a pattern and the reason in words.
REASONS = [
    (r"'(?:cublas\w*|cublasLt)\.(?:h|hpp)' file not found|-lcublas", "cuBLAS"),
    (r"'cusolver\w*\.h' file not found|-lcusolver", "cuSOLVER"),
    (r"'cusparse\w*\.h' file not found|-lcusparse", "cuSPARSE"),
    (r"'cufft\w*\.h' file not found|-lcufft", "cuFFT"),
    (r"'curand\w*\.h' file not found|-lcurand", "cuRAND"),
    (r"'(?:npp\w*|nppi)\.h' file not found|-lnpp", "NPP"),
    (r"'nvrtc\w*\.h(?:pp)?' file not found|-lnvrtc|nvrtc_helper", "NVRTC"),
    (r"'nvjpeg\w*\.h' file not found|-lnvjpeg", "nvJPEG"),
    (r"'nvml\.h' file not found", "NVML"),
    (r"'(?:nvvm|nvJitLink|libnvvm)\w*\.h' file not found", "libNVVM"),
    (r"'(?:GL|GLES\w*|EGL|helper_gl|cuda_gl_interop|GLFW|vulkan|d3d\w*|DirectX\w*)[/\w.]*' file not found|windows\.h",
     "a display"),
    (r"(?:OpenGL|freeglut|GLUT|GLEW|X11|Vulkan|GLFW|D3D\w*|EGL|GLES)[\w ]*not found", "a display"),
    (r"(FreeImage|MPI|NvSci\w*|OpenMP|NVVM|cuDLA|QNX)[\w ]*not found", "{0}"),
    (r"'(?:cudla|nvscibuf|nvscisync|nvmedia\w*|cuda_?egl\w*)[\w/.]*' file not found", "Tegra"),
    (r"'(?:thrust|cub|cuda/std|cuda|cooperative_groups)/[\w/.-]*' file not found", "a header of CCCL"),
    (r"'mpi\.h' file not found", "MPI"),
    (r"'([\w/.+-]+)' file not found", "{0}"),
]


def reason(text):
    """The first of a compiler's or a program's lines that says why, and whether a library is what is missing."""
    text = re.sub(r"fatal error: ([\w/.+-]+): No such file or directory", r"'\1' file not found", text)
    for pattern, words in REASONS:
        found = re.search(pattern, text)
        if found:
            return "needs " + words.format(*found.groups()), True
    for line in text.splitlines():
        if re.search(r"error|undefined|unresolved|cannot|not supported", line, re.I):
            return re.sub(r"^\S*?([\w.+-]+:\d+)(:\d+)?:", r"\1:", line.strip())[:140], False
    lines = text.strip().splitlines()
    return (lines[-1].strip()[:140] if lines else "no word"), False


def programs(file):
    default = []
    for number, line in enumerate(open(file, encoding="utf-8"), 1):
        line = line.split("#")[0].strip()
        if line.startswith("default-flags:"):
            default = shlex.split(line.split(":", 1)[1])
        elif line:
            fields = [field.strip() for field in line.split("|")] + ["", "", ""]
            if not fields[0]:
                sys.exit(f"{file}:{number}: a line begins with the program's name")
            yield fields[0], fields[1] or fields[0], shlex.split(fields[2]), default + shlex.split(fields[3])


def judge(run, expected):
    if run.returncode != expected:
        ended = f"signal {-run.returncode}" if run.returncode < 0 else f"exit code {run.returncode}"
        why, library = reason(run.stderr + "\n" + run.stdout)
        return f"{ended}: {why}", library
    for line in (run.stdout + run.stderr).splitlines():
        if FAILED.match(line):
            return "says: " + line.strip()[:120], False
    return "", False


def run_in(where, command, limit):
    """A process that uses more seconds of a processor than `limit` is ended by SIGXCPU; waiting is limited, too, but to more."""
    run = subprocess.run(command, cwd=where, capture_output=True, text=True, errors="replace", timeout=10 * limit, stdin=subprocess.DEVNULL,
                         check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)))
    if run.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
        raise subprocess.TimeoutExpired(command, limit)
    return run


def run_until(where, command, limit, text):
    """Likewise, but the process is ended when it prints a line with the text; then it counts as one that ended with 0."""
    run = subprocess.Popen(["stdbuf", "-oL", *command], cwd=where, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors="replace", stdin=subprocess.DEVNULL, start_new_session=True,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)))
    said, found = "", False
    for line in run.stdout:
        said += line
        found = text in line
        if found:
            os.killpg(run.pid, signal.SIGKILL)
            break
    code = run.wait()
    if not found and code in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
        raise subprocess.TimeoutExpired(command, limit)
    return subprocess.CompletedProcess(command, 0 if found else code or 1, said, "")


def with_nvcc(options, where, flags, build):
    """The program that `drywarp nvcc` makes of the folder's sources, and what it said if it made none."""
    sources = [f for f in flags if f.endswith(SOURCES)] or sorted(f for f in os.listdir(where) if f.endswith(SOURCES))
    if not sources:
        return None, "no source files"
    program = os.path.join(build, "program")
    built = run_in(where, [options.drywarp, "nvcc", "-o", program, "-I.", *sources, *[f for f in flags if f not in sources]], options.limit)
    return (program, "") if built.returncode == 0 else (None, built.stderr)


def with_cmake(options, where, flags, build):
    """Likewise, with the folder's own CMakeLists.txt and drywarp's nvcc."""
    said = ""
    for command in (["cmake", "-S", where, "-B", build, f"-DCMAKE_CUDA_COMPILER={options.nvcc}", *flags], ["cmake", "--build", build]):
        built = run_in(where, command, options.limit)
        if built.returncode:
            return None, built.stderr + built.stdout
        said += built.stderr + built.stdout
    made = [os.path.join(folder, f) for folder, folders, files in os.walk(build) for f in files if "CMakeFiles" not in folder]
    made = [f for f in made if os.access(f, os.X_OK) and open(f, "rb").read(4) == b"\x7fELF" and ".so" not in f]
    return (min(made, key=len), "") if made else (None, said + "\nbuilds no program")


def attempt(options, folder, arguments, flags):
    """(compiles, runs, reason, lacks a library, seconds of the run)"""
    root = os.path.abspath(options.root)
    where = os.path.join(root, folder)
    if not os.path.isdir(where):
        return False, False, "no such folder", False, 0
    expected = next((int(a[5:]) for a in arguments if a.startswith("exit:")), 0)
    until = next((a[6:] for a in arguments if a.startswith("until:")), "")
    arguments = [a.replace("@", root) for a in arguments if not a.startswith(("exit:", "until:"))]
    flags = [flag.replace("@", root) for flag in flags]
    with tempfile.TemporaryDirectory() as build:
        program = None
        try:
            make = with_cmake if options.nvcc and os.path.exists(os.path.join(where, "CMakeLists.txt")) else with_nvcc
            program, said = make(options, where, flags, build)
            if not program:
                return False, False, *reason(said), 0
            start = time.monotonic()
            beside, command = os.path.dirname(program) if make == with_cmake else where, [options.drywarp, "run", program, *arguments]
            run = run_until(beside, command, options.limit, until) if until else run_in(beside, command, options.limit)
        except subprocess.TimeoutExpired:
            return program is not None, False, f"stopped after {options.limit} CPU s", False, options.limit
        why, library = judge(run, expected)
        return True, not why, why, library, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names")
    parser.add_argument("--drywarp", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--nvcc", help="drywarp's toolkit/bin/nvcc: folders with a CMakeLists.txt are built by CMake with it; flags are then CMake's")
    parser.add_argument("--limit", type=int, default=120, help="seconds of a processor for each process of a compilation, and for a run")
    parser.add_argument("--only", default="", help="programs whose names hold this")
    options = parser.parse_args()
    options.drywarp = os.path.abspath(options.drywarp)
    options.nvcc = options.nvcc and os.path.abspath(options.nvcc)
    print("| program | compiles | runs right | seconds | why not |\n|---|---|---|---|---|", flush=True)
    total = compiled = right = closed = 0
    for name, folder, arguments, flags in programs(options.names):
        if options.only not in name:
            continue
        compiles, runs, why, library, seconds = attempt(options, folder, arguments, flags)
        total, compiled, right, closed = total + 1, compiled + compiles, right + runs, closed + library
        cell = why.replace("|", "\\|")
        print(f"| {name} | {'yes' if compiles else 'no'} | {'yes' if runs else 'no'} | {f'{seconds:.1f}' if compiles else ''} | {cell} |", flush=True)
    others = total - closed
    print(f"\n{total} programs: {compiled} compile, {right} run right. {closed} lack a library; of the other {others}, "
          f"{100 * right / max(1, others):.0f} % run right.")


if __name__ == "__main__":
    main()
