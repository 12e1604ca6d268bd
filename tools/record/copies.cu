// Durations of copies and memsets as CUPTI reports them (what nvprof and Nsight Systems print):
//   nvcc -O2 -o copies copies.cu -I$CUDA/extras/CUPTI/include -L$CUDA/extras/CUPTI/lib64 -lcupti && ./copies >copies_h200.csv
#include <cuda_runtime.h>
#include <cupti.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

static std::vector<uint64_t> durations;  // ns

static void CUPTIAPI give(uint8_t** buffer, size_t* size, size_t* most) {
  *size = 1 << 20, *most = 0;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
}
static void CUPTIAPI take(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy5*>(record);
      durations.push_back(copy->end - copy->start);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      const auto* fill = reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      durations.push_back(fill->end - fill->start);
    }
  }
  std::free(buffer);
}

int main() {
  cuptiActivityRegisterCallbacks(give, take);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  constexpr size_t kMost = size_t{1} << 28;
  char *device, *other, *pinned;
  cudaMalloc(&device, kMost), cudaMalloc(&other, kMost);
  cudaMallocHost(&pinned, kMost);
  char* pageable = static_cast<char*>(std::malloc(kMost));
  std::fill_n(pinned, kMost, 1), std::fill_n(pageable, kMost, 1);
  cudaMemset(device, 0, kMost), cudaMemset(other, 0, kMost);
  cudaDeviceSynchronize();
  cuptiActivityFlushAll(1);
  std::printf("what,bytes,median_ns,min_ns,max_ns\n");
  const auto time = [&](const char* what, size_t bytes, auto&& work) {
    durations.clear();
    for (int i = 0; i < 21; ++i) work(), cudaDeviceSynchronize();
    cuptiActivityFlushAll(1);
    std::sort(durations.begin(), durations.end());
    if (durations.empty()) return;
    std::printf("%s,%zu,%llu,%llu,%llu\n", what, bytes, (unsigned long long)durations[durations.size() / 2],
                (unsigned long long)durations.front(), (unsigned long long)durations.back());
  };
  for (size_t bytes = 4; bytes <= kMost; bytes *= 8) {
    time("HtoD pinned", bytes, [&] { cudaMemcpy(device, pinned, bytes, cudaMemcpyDefault); });
    time("DtoH pinned", bytes, [&] { cudaMemcpy(pinned, device, bytes, cudaMemcpyDefault); });
    time("HtoD pageable", bytes, [&] { cudaMemcpy(device, pageable, bytes, cudaMemcpyHostToDevice); });
    time("DtoH pageable", bytes, [&] { cudaMemcpy(pageable, device, bytes, cudaMemcpyDeviceToHost); });
    time("DtoD", bytes, [&] { cudaMemcpy(other, device, bytes, cudaMemcpyDefault); });
    time("memset", bytes, [&] { cudaMemset(device, 1, bytes); });
  }
}
