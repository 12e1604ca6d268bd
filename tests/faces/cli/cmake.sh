# CMake accepts the driver as nvcc: it identifies the compiler, and builds and runs CUDA projects, also with the toolkit,
# relocatable device code and the static runtime.
source "$(dirname "$0")/common.sh"
export CMAKE_GENERATOR=Ninja  # a bare machine has no make

cat >nvcc <<SH
#!/bin/sh
exec "$DRYWARP" nvcc "\$@"
SH
chmod +x nvcc
cat >CMakeLists.txt <<'CM'
cmake_minimum_required(VERSION 3.18)
project(scale LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(kernels STATIC helper.cu scale.cu scale.h)
set_target_properties(kernels PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_STANDARD 17)
target_compile_options(kernels PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--use_fast_math -lineinfo>)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE kernels CUDA::cudart)
add_executable(static_app single.cu)
set_target_properties(static_app PROPERTIES CUDA_RUNTIME_LIBRARY Static CUDA_ARCHITECTURES "70;80")
add_executable(companions companions.cpp)
target_link_libraries(companions PRIVATE CUDA::nvrtc CUDA::cublas CUDA::curand CUDA::cudart)
enable_testing()
add_test(NAME app COMMAND app)
CM
echo 'void scale(float* a, int n);' >scale.h
cat >helper.cu <<'CU'
__device__ float thrice(float x) { return 3.0f * x; }
CU
cat >scale.cu <<'CU'
#include "scale.h"
__device__ float thrice(float);
static __global__ void kernel(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = thrice(a[i]);
}
void scale(float* a, int n) { kernel<<<(n + 127) / 128, 128>>>(a, n); }
CU
cat >main.cpp <<'CU'
#include <cuda_runtime.h>
#include <cstdio>
#include "scale.h"
int main() {
  float host[1000], *device = nullptr;
  for (float& x : host) x = 2.0f;
  if (cudaMalloc(reinterpret_cast<void**>(&device), sizeof(host)) != cudaSuccess) return 2;
  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
  scale(device, 1000);
  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", host[0], host[999]);
  return host[999] == 6.0f ? 0 : 1;
}
CU
cat >companions.cpp <<'CU'
#include <cublas_v2.h>
#include <curand.h>
#include <nvrtc.h>
#include <cstdio>
int main() {
  cublasHandle_t blas;
  curandGenerator_t random;
  nvrtcProgram program;
  if (cublasCreate(&blas) || curandCreateGenerator(&random, CURAND_RNG_PSEUDO_DEFAULT)) return 1;
  if (nvrtcCreateProgram(&program, "__global__ void k() {}", "k.cu", 0, nullptr, nullptr)) return 2;
  if (nvrtcCompileProgram(program, 0, nullptr)) return 3;
  std::puts("companions");
  return cublasDestroy(blas) || curandDestroyGenerator(random) || nvrtcDestroyProgram(&program);
}
CU
cat >single.cu <<'CU'
#include <cstdio>
__global__ void kernel() { printf("from the device\n"); }
int main() {
  kernel<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
CU
unset CUDACXX CUDA_PATH CUDAToolkit_ROOT CUDAHOSTCXX
expect 0 cmake -S . -B build -DCMAKE_CUDA_COMPILER="$PWD/nvcc"
has out "The CUDA compiler identification is NVIDIA 12.8"
expect 0 cmake --build build
expect 0 "$DRYWARP" run build/app
has out "6 6"
expect 0 "$DRYWARP" run build/companions
has out companions
expect 0 "$DRYWARP" run build/static_app
has out "from the device"
expect 0 "$DRYWARP" profile --details build/app
has out "kernel(float*, int)"

# The toolkit folder for Makefiles with CUDA_PATH and for FindCUDAToolkit.
expect 0 ./nvcc --dryrun -c single.cu
toolkit=$(sed -n 's/^#\$ TOP=//p' err)
[[ -x $toolkit/bin/nvcc && -f $toolkit/include/cuda_runtime.h && -e $toolkit/lib64/libcudart.so ]] ||
  fail "'$toolkit' is no toolkit"
expect 0 "$toolkit/bin/nvcc" -I"$toolkit/include" -L"$toolkit/lib64" single.cu -o single -lcudart
expect 0 ./single
has out "from the device"
