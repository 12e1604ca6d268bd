# `make NVCC="drywarp nvcc"` builds and runs a project of several files.
source "$(dirname "$0")/common.sh"

mkdir -p src include
cat >include/scale.h <<'CU'
#pragma once
void scale(float* a, int n, float f);
CU
cat >src/scale.cu <<'CU'
#include "scale.h"
__global__ void kernel(float* a, int n, float f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= f;
}
void scale(float* a, int n, float f) { kernel<<<(n + 127) / 128, 128>>>(a, n, f); }
CU
cat >src/main.cpp <<'CU'
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>
#include "scale.h"
int main() {
  std::vector<float> host(1000, 2.0f);
  float* device = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&device), host.size() * 4) != cudaSuccess) return 2;
  cudaMemcpy(device, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
  scale(device, int(host.size()), 3.0f);
  cudaMemcpy(host.data(), device, host.size() * 4, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", host[0], host[999]);
  return host[999] == 6.0f ? 0 : 1;
}
CU
cat >Makefile <<'MK'
NVCC ?= nvcc
NVCCFLAGS = -O3 -std=c++17 -arch=sm_80 -lineinfo -Iinclude --expt-relaxed-constexpr -Xcompiler -Wall,-Wextra
OBJECTS = build/scale.o build/main.o
app: $(OBJECTS)
	$(NVCC) $(NVCCFLAGS) $^ -o $@ -lcudart -lm
build/%.o: src/%.cu
	mkdir -p build
	$(NVCC) $(NVCCFLAGS) -MMD -MP -c $< -o $@
build/%.o: src/%.cpp
	mkdir -p build
	$(NVCC) $(NVCCFLAGS) -MMD -MP -x cu -c $< -o $@
-include $(OBJECTS:.o=.d)
MK
if command -v make >/dev/null; then
  expect 0 make NVCC="$DRYWARP nvcc" -j2
  hasnt err warning
  expect 0 make NVCC="$DRYWARP nvcc" -q
  touch include/scale.h
  expect 1 make NVCC="$DRYWARP nvcc" -q
else
  expect 0 "$DRYWARP" nvcc -O3 -Iinclude src/scale.cu src/main.cpp -o app
fi
expect 0 ./app
has out "6 6"
expect 0 "$DRYWARP" profile --details ./app
has out "kernel(float*, int, float)"
for standard in 14 20; do
  expect 0 "$DRYWARP" nvcc -std=c++$standard -Iinclude -c src/scale.cu -o standard.o
done

# Under the name nvcc, drywarp is the compiler driver.
ln -s "$DRYWARP" nvcc
expect 0 ./nvcc --version
has out "release 12."
expect 0 ./nvcc --help
has out "-gencode"
expect 0 ./nvcc -Xptxas -v -O2 -Iinclude src/scale.cu -c -o x.o
has err "warning: -Xptxas -v"
expect 1 ./nvcc -cubin src/scale.cu
has err "-cubin"
expect 1 ./nvcc -no-such-option src/scale.cu
has err "-no-such-option"

# Device code in several translation units
cat >one.cu <<'CU'
#include <cstdio>
extern __device__ int value;
__device__ int helper(int);
__global__ void k(int* out) { *out = helper(20) + value; }
int main() {
  int *device, host = 0;
  cudaMalloc(&device, 4);
  k<<<1, 1>>>(device);
  cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost);
  std::printf("%d\n", host);
  return host == 42 ? 0 : 1;
}
CU
cat >two.cu <<'CU'
__device__ int value = 2;
static __device__ int twice = 2;
__device__ int helper(int x) { return twice * x; }
CU
expect 0 "$DRYWARP" nvcc -rdc=true one.cu two.cu -o linked
expect 0 ./linked
has out 42

# An undefined symbol is an error of the device link, as in nvlink, unless the device runtime provides it.
cat >lacks.cu <<'CU'
#include <cassert>
#include <cstdio>
extern __device__ int nowhere;
extern __constant__ float nobody[4];
__device__ int missing(int);
extern __shared__ int dynamic[];
__global__ void k(int *p) {
  assert(p);
  dynamic[0] = nowhere;
  *p = dynamic[0] + missing(3);
  printf("%f", nobody[*p]);
}
int main() { k<<<1, 1, 4>>>(nullptr); }
CU
expect 1 "$DRYWARP" nvcc -rdc=true lacks.cu -o lacks
has err "lacks.cu:9:16: error: undefined reference to 'nowhere' in device code"
has err "lacks.cu:10:"
has err "undefined reference to 'missing(int)' in device code"
has err "undefined reference to 'nobody' in device code"
hasnt err dynamic
hasnt err printf
[[ ! -e lacks ]] || fail "a program that cannot run was made"
expect 0 "$DRYWARP" nvcc -rdc=true -c lacks.cu -o lacks.o
expect 1 "$DRYWARP" nvcc -dlink lacks.o -o lacks_dlink.o
printf '__device__ int nowhere;\n__constant__ float nobody[4];\n__device__ int missing(int x) { return x; }\n' >has.cu
expect 0 "$DRYWARP" nvcc -rdc=true lacks.o has.cu -o lacks

# Without -rdc=true a unit is linked with no other: an undefined function is an error, as of ptxas.
printf '__device__ int missing(int);\n__global__ void k(int* p) {\n  *p = missing(3);\n}\nint main() {}\n' >alone.cu
expect 1 "$DRYWARP" nvcc alone.cu has.cu -o alone
has err "alone.cu:3:8: error: undefined reference to 'missing(int)' in device code"
has err "only with -rdc=true"
[[ ! -e alone ]] || fail "a program that cannot run was made"
expect 0 "$DRYWARP" nvcc -ptx alone.cu

# Static kernels of the same name in two sources.
cat >first.cu <<'CU'
#include <cstdio>
int second();
static __global__ void k(int* p) { *p = 1; }
int main() {
  int *p, host = 0;
  cudaMalloc(&p, sizeof(int));
  k<<<1, 1>>>(p);
  cudaMemcpy(&host, p, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", host, second());
}
CU
cat >second.cu <<'CU'
static __global__ void k(int* p) { *p = 2; }
int second() {
  int *p, host = 0;
  cudaMalloc(&p, sizeof(int));
  k<<<1, 1>>>(p);
  cudaMemcpy(&host, p, sizeof(int), cudaMemcpyDeviceToHost);
  return host;
}
CU
expect 0 "$DRYWARP" nvcc -rdc=true first.cu second.cu -o private
expect 0 ./private
has out "1 2"

# Static variables of the same name in two sources, which the host copies only after a kernel has used them, and a kernel
# that another source launches.
cat >writes.cu <<'CU'
#include <cstdio>
int elsewhere();
__global__ void shared_kernel(int *p);
static __device__ int result;
static __constant__ int factor;
namespace { __device__ int hidden = 5; }
__global__ void k() { result = 3 * factor; ++hidden; }
int main() {
  int *p, seven = 7, got[3] = {};
  cudaMemcpyToSymbol(factor, &seven, sizeof(int));
  k<<<1, 1>>>();
  cudaMemcpyFromSymbol(&got[0], result, sizeof(int));
  cudaMemcpyFromSymbol(&got[1], hidden, sizeof(int));
  cudaMalloc(&p, sizeof(int));
  shared_kernel<<<1, 1>>>(p);
  cudaMemcpy(&got[2], p, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d\n", got[0], got[1], got[2], elsewhere());
}
CU
cat >kernels.cu <<'CU'
static __device__ int result;
__global__ void shared_kernel(int *p) { *p = 9; }
__global__ void second_kernel() { result = 11; }
int elsewhere() {
  int host = 0;
  second_kernel<<<1, 1>>>();
  cudaMemcpyFromSymbol(&host, result, sizeof(int));
  return host;
}
CU
for level in "" -G; do
  expect 0 "$DRYWARP" nvcc -rdc=true $level writes.cu kernels.cu -o writes
  expect 0 ./writes
  has out "21 6 9 11"
done

# Device code launches a kernel of another source, through a header's macro, and static kernels of the same name.
cat >launch.h <<'CU'
__global__ void child(int* data, int by);
#define LAUNCH(kernel, ...) kernel<<<1, 4>>>(__VA_ARGS__)
CU
cat >parents.cu <<'CU'
#include <cstdio>
#include "launch.h"
int elsewhere(int* data);
static __global__ void hidden(int* data) { if (threadIdx.x == 0) LAUNCH(child, data, 10); }
__global__ void parent(int* data) { hidden<<<1, 2>>>(data); }
int main() {
  int* data;
  cudaMallocManaged(&data, 4 * sizeof(int));
  for (int i = 0; i < 4; ++i) data[i] = i;
  parent<<<1, 1>>>(data);
  hidden<<<1, 1>>>(data);
  std::printf("%d", elsewhere(data));
  std::printf(" %d %d\n", data[0], data[3]);
}
CU
cat >children.cu <<'CU'
#include "launch.h"
__global__ void child(int* data, int by) { data[threadIdx.x] += by; }
static __global__ void hidden(int* data) { child<<<1, 4>>>(data, 100); }
int elsewhere(int* data) {
  hidden<<<1, 1>>>(data);
  return cudaDeviceSynchronize();
}
CU
for level in "" -G; do
  expect 0 "$DRYWARP" nvcc -rdc=true $level parents.cu children.cu -o parents
  expect 0 ./parents
  has out "0 120 123"
done
expect 1 "$DRYWARP" nvcc -c parents.cu -o parents.o
has err "takes -rdc=true"

# PTX names the clusters of a kernel, of a template too.
cat >clusters.cu <<'EOF'
__global__ void __cluster_dims__(2, 3) k() {}
template <int Size> __global__ void __launch_bounds__(64) __cluster_dims__(Size) t() {}
int main() { k<<<dim3(2, 3), 1>>>(); t<4><<<8, 1>>>(); }
EOF
expect 0 "$DRYWARP" nvcc -arch=sm_90 -ptx clusters.cu -o clusters.ptx
has clusters.ptx ".reqnctapercluster 2, 3, 1"
has clusters.ptx ".reqnctapercluster 4, 1, 1"
expect 0 "$DRYWARP" nvcc -arch=sm_80 -ptx clusters.cu -o clusters.ptx
hasnt clusters.ptx ".reqnctapercluster"

# Build systems ask for the host compiler in this way; nothing is compiled.
expect 0 "$DRYWARP" nvcc .c -Xcompiler --version
has out "clang version"
expect 0 "$DRYWARP" nvcc .c -Xcompiler -dumpversion
has out "19."
