"""Builds CUDA programs with given PTX files as device code: clang compiles only the host code, once for all."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def compile_host(source, compiled, optimize="-O2"):
    """Compiles the host code, with a placeholder for device code, to the object file `compiled`."""
    with open(compiled + ".image", "wb") as image:
        image.write(b"\0")
    subprocess.run(["clang++-19", "-x", "cuda", source, "--cuda-host-only", "-c", "-o", compiled, "-nocudainc", "-nocudalib",
                    "--cuda-path=/nonexistent", "-Xclang", "-target-sdk-version=12.5", "-Xclang", "-fcuda-include-gpubinary",
                    "-Xclang", compiled + ".image", optimize, "-std=c++17", "-w", "-include", "drywarp_prelude.h",
                    "-isystem", os.path.join(ROOT, "include")], check=True)


def link(drywarp, compiled, ptx, built):
    """Links the executable `built` with that PTX and that drywarp's libcudart."""
    library = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(drywarp))), "lib")
    with open(ptx, "rb") as text, open(built + ".image", "wb") as image:
        image.write(text.read().rstrip(b"\0") + b"\0")  # the runtime needs the terminating NUL
    subprocess.run(["objcopy", "--update-section", f".nv_fatbin={built}.image", compiled, built + ".o"], check=True)
    subprocess.run(["clang++-19", built + ".o", "-o", built, os.path.join(library, "libcudart.so.13"), "-Wl,-rpath," + library],
                   check=True)
