"""CUDA programs with random nested divergence that compare device and host results; a seed determines the program."""

import random

HEAD = """#include <cstdio>
#include <vector>
"""
MAIN = """
__global__ void kernel(unsigned* out) { work(out, blockIdx.x * blockDim.x + threadIdx.x); }
int main() {
  constexpr unsigned n = 256;
  unsigned* device;
  cudaMalloc(&device, n * 4);
  cudaMemset(device, 0, n * 4);
  kernel<<<2, 128>>>(device);
  std::vector<unsigned> got(n), want(n);
  if (cudaMemcpy(got.data(), device, n * 4, cudaMemcpyDeviceToHost) != cudaSuccess) return 6;
  for (unsigned t = 0; t < n; ++t) work(want.data(), t);
  for (unsigned t = 0; t < n; ++t)
    if (got[t] != want[t]) return std::printf("thread %u: %u, not %u\\n", t, got[t], want[t]), 1;
}
"""


class Writer:
    def __init__(self, seed, size, variables):
        self.random = random.Random(seed)
        self.size, self.length, self.lines = size, 0, []
        self.names = [f"v{i}" for i in range(variables)]

    def emit(self, depth, text):
        line = "  " * depth + text
        self.lines.append(line)
        self.length += len(line) + 1

    def name(self):
        return self.random.choice(self.names)

    def expression(self):
        return f"{self.name()} {self.random.choice('+-*^&|')} ({self.name()} + {self.random.randrange(1, 1000)}u)"

    def condition(self):
        k = self.random.randrange(2, 9)
        return f"(({self.name()} >> {self.random.randrange(8)}) + t) % {k}u == {self.random.randrange(k)}u"

    def statements(self, depth, nesting, in_branch, in_loop):
        for _ in range(self.random.randrange(1, 4)):
            if self.length > self.size:
                return
            kind = self.random.random()
            if nesting > 0 and kind < 0.45:
                self.emit(depth, f"if ({self.condition()}) {{")
                self.statements(depth + 1, nesting - 1, True, in_loop)
                if self.random.random() < 0.6:
                    self.emit(depth, "} else {")
                    self.statements(depth + 1, nesting - 1, True, in_loop)
                self.emit(depth, "}")
            elif nesting > 0 and kind < 0.7:
                self.emit(depth, f"for (unsigned i{depth} = 0; i{depth} < ({self.name()} & 3u); ++i{depth}) {{")
                self.statements(depth + 1, nesting - 1, in_branch, True)
                self.emit(depth, "}")
            elif in_branch and kind < 0.73:
                self.emit(depth, f"if ({self.condition()}) return;")
            elif in_loop and kind < 0.8:
                self.emit(depth, f"if ({self.condition()}) {self.random.choice(['break', 'continue'])};")
            elif kind < 0.88:
                self.emit(depth, f"out[t] += {self.expression()};")
            else:
                self.emit(depth, f"{self.name()} = {self.expression()};")


def program(seed, size, variables=16, nesting=8):
    """The function has about `size` characters."""
    w = Writer(seed, size, variables)
    w.emit(0, "__host__ __device__ void work(unsigned* out, unsigned t) {")
    w.emit(1, "unsigned " + ", ".join(f"{n} = t * {17 + 6 * i}u + {i}u" for i, n in enumerate(w.names)) + ";")
    while w.length < size:
        w.statements(1, nesting, False, False)
    w.emit(1, "out[t] += " + " ^ ".join(w.names) + ";")
    w.emit(0, "}")
    return HEAD + "\n".join(w.lines) + MAIN
