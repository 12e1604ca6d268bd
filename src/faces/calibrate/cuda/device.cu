// The device's properties from CUDA and from NVIDIA's occupancy header.
#include <cuda_occupancy.h>

#include <cstring>
#include <ctime>

#include "bench.h"

namespace {

struct Attribute {
  int number;
  const char* name;
};
const Attribute kAttributes[] = {
#define DW_ATTRIBUTE(number, name) {number, #name},
#include "cuda_attributes.def"
};

struct Limit {
  cudaLimit limit;
  const char* name;
};
const Limit kLimits[] = {
    {cudaLimitStackSize, "StackSize"},
    {cudaLimitPrintfFifoSize, "PrintfFifoSize"},
    {cudaLimitMallocHeapSize, "MallocHeapSize"},
    {cudaLimitDevRuntimePendingLaunchCount, "DevRuntimePendingLaunchCount"},
    {cudaLimitMaxL2FetchGranularity, "MaxL2FetchGranularity"},
    {cudaLimitPersistingL2CacheSize, "PersistingL2CacheSize"},
};

__global__ void spin(uint64_t cycles, uint64_t* spent) {
  const uint64_t begin = now();
  while (now() - begin < cycles) {
  }
  if (threadIdx.x == 0 && blockIdx.x == 0) *spent = now() - begin;
}

}  // namespace

void measure_device() {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int driver = 0, runtime = 0;
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  const std::time_t today = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&today));
  std::printf("text name %s\ntext date %s\ntext driver %d.%d\ntext runtime %d.%d\n", properties.name, date, driver / 1000,
              driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
  value("memory.total", double(properties.totalGlobalMem));
  for (const Attribute& a : kAttributes) {
    int number = 0;
    if (cudaDeviceGetAttribute(&number, cudaDeviceAttr(a.number), 0) == cudaSuccess)
      std::printf("value attributes.%s %d\n", a.name, number);
    cudaGetLastError();
  }
  for (const Limit& l : kLimits) {
    size_t number = 0;
    if (cudaDeviceGetLimit(&number, l.limit) == cudaSuccess) std::printf("value limits.%s %zu\n", l.name, number);
    cudaGetLastError();
  }

  const cudaOccDeviceProp occupancy(properties);
  int number = 0;
  if (cudaOccSubPartitionsPerMultiprocessor(&number, &occupancy) == CUDA_OCC_SUCCESS)
    value("multiprocessor.sub_partitions", number);
  if (cudaOccRegAllocationGranularity(&number, &occupancy) == CUDA_OCC_SUCCESS)
    value("multiprocessor.register_allocation_unit", number);
  if (cudaOccSMemAllocationGranularity(&number, &occupancy) == CUDA_OCC_SUCCESS)
    value("multiprocessor.shared_allocation_unit", number);
  if (cudaOccRegAllocationMaxPerThread(&number, &occupancy) == CUDA_OCC_SUCCESS)
    value("multiprocessor.max_registers_per_thread", std::min(number, 255));  // register 255 is the zero register
  // The shared memory carveouts: the values at which the rounded-up size changes.
  size_t size = 0;
  for (size_t wanted = 0; wanted <= properties.sharedMemPerMultiprocessor; ++wanted) {
    if (wanted != 0 && wanted <= size) continue;
    size = wanted;
    if (cudaOccAlignUpShmemSizeVoltaPlus(&size, &occupancy) != CUDA_OCC_SUCCESS) break;
    point("multiprocessor.shared_carveouts", double(size), double(wanted));
  }

  // The clock while every multiprocessor is busy: cycles over time.
  Buffer<uint64_t> spent(1);
  const uint64_t cycles = 200'000'000;
  const double time = seconds([&] { spin<<<properties.multiProcessorCount * 2, 256>>>(cycles, spent.data); }, 3);
  value("clock.hz", double(spent.host()[0]) / time);
}
