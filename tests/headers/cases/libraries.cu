// What header libraries for nvcc (Thrust, CUB, libcu++) expect of the toolkit's headers.
// ptx: griddepcontrol.wait
// ptx: griddepcontrol.launch_dependents
// no ptx: cudaGetParameterBuffer
#include <cuda_device_runtime_api.h>
#include <cuda_occupancy.h>
#include <nvtx3/nvToolsExt.h>

static_assert(!__nv_is_extended_device_lambda_closure_type(int) &&
                  !__nv_is_extended_host_device_lambda_closure_type(int) &&
                  !__nv_is_extended_device_lambda_with_preserved_return_type(int),
              "as nvcc spells it");

// Their launches are for host and device in one, and only the host's is called here.
__host__ __device__ inline cudaError_t launch(const void* kernel) {
#if defined(__CUDA_ARCH__)
  void* parameters = cudaGetParameterBuffer(64, 8);
  return cudaLaunchDevice(const_cast<void*>(kernel), parameters, dim3(1), dim3(1), 0, nullptr);
#else
  return cudaLaunchKernel(kernel, dim3(1), dim3(1), nullptr, 0, nullptr);
#endif
}

__global__ void dependent(int* out) {
  cudaGridDependencySynchronize();
  *out = 1;
  cudaTriggerProgrammaticLaunchCompletion();
}

void host() {
  nvtxDomainHandle_t domain = nvtxDomainCreateW(L"wide");
  nvtxDomainNameCategoryW(domain, 1, L"category");
  nvtxRangeEnd(nvtxRangeStartW(L"range"));
  nvtxDomainRegisterStringW(domain, L"text");
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dependent, 32, 0);
  launch((const void*)dependent);
}
