// Device memory and an event that two processes use (cudaIpcGetMemHandle ...), and memory for which a file descriptor
// stands (cuMemExportToShareableHandle, cudaMemPoolExportToShareableHandle): this program starts itself again.
// RUN: -lcuda
// EXPECT-STDOUT: PASS
#include <cuda.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "check.h"

constexpr int kCount = 3000;

struct Handles {
  cudaMemPoolPtrExportData pooled;
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t event;
};

__global__ void add(int* data, int amount) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) data[i] += amount;
}

CUmemAllocationProp shareable() {
  CUmemAllocationProp out = {};
  out.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  out.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  out.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return out;
}
constexpr size_t kMapped = size_t{2} << 20;
// The memory of a handle, which is released.
int* mapped(CUmemGenericAllocationHandle handle) {
  CUdeviceptr at = 0;
  const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  EXPECT(cuMemAddressReserve(&at, kMapped, 0, 0, 0) == CUDA_SUCCESS);
  EXPECT(cuMemMap(at, kMapped, 0, handle, 0) == CUDA_SUCCESS);
  EXPECT(cuMemRelease(handle) == CUDA_SUCCESS);
  EXPECT(cuMemSetAccess(at, kMapped, &access, 1) == CUDA_SUCCESS);
  return reinterpret_cast<int*>(at);
}
int* imported(int file) {
  CUmemGenericAllocationHandle handle = 0;
  EXPECT(cuMemImportFromShareableHandle(&handle, reinterpret_cast<void*>(static_cast<size_t>(file)),
                                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == CUDA_SUCCESS);
  close(file);  // the handle has its own
  CUmemAllocationProp properties = {};
  EXPECT(cuMemGetAllocationPropertiesFromHandle(&properties, handle) == CUDA_SUCCESS);
  EXPECT(properties.requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  return mapped(handle);
}
void refuse_private_memory() {
  CUmemAllocationProp properties = shareable();
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
  CUmemGenericAllocationHandle handle = 0;
  int file = -1;
  EXPECT(cuMemCreate(&handle, kMapped, &properties, 0) == CUDA_SUCCESS);
  EXPECT(cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) ==
         CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemRelease(handle) == CUDA_SUCCESS);
}

// The other process adds 5, to what the first one has left there.
int other(const char* from, int exported, int pool_file) {
  Handles handles;
  FILE* file = std::fopen(from, "rb");
  if (!file || std::fread(&handles, sizeof(handles), 1, file) != 1) return 3;
  std::fclose(file);
  int *data, *again;
  CK(cudaIpcOpenMemHandle((void**)&data, handles.memory, cudaIpcMemLazyEnablePeerAccess));
  CK(cudaIpcOpenMemHandle((void**)&again, handles.memory, cudaIpcMemLazyEnablePeerAccess));
  EXPECT(data == again);
  CK(cudaIpcCloseMemHandle(again));
  cudaEvent_t event;
  CK(cudaIpcOpenEventHandle(&event, handles.event));
  CK(cudaStreamWaitEvent(nullptr, event, 0));
  add<<<(kCount + 255) / 256, 256>>>(data, 5);
  CK_LAUNCH();
  CK(cudaEventDestroy(event));
  EXPECT(cudaFree(data) == cudaErrorInvalidValue);
  CK(cudaIpcCloseMemHandle(data));
  EXPECT(cudaIpcCloseMemHandle(data) == cudaErrorInvalidValue);
  int* own;
  CK(cudaMalloc(&own, kCount * sizeof(int)));
  std::vector<int> fresh(kCount, 1);
  CK(cudaMemcpy(fresh.data(), own, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  expect_same("memory at the closed one's addresses", fresh, std::vector<int>(kCount));
  (void)cudaGetLastError();
  add<<<(kCount + 255) / 256, 256>>>(imported(exported), 7);
  CK_LAUNCH();
  cudaMemPool_t pool;
  CK(cudaMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(static_cast<size_t>(pool_file)),
                                          cudaMemHandleTypePosixFileDescriptor, 0));
  close(pool_file);
  CK(cudaMemPoolImportPointer((void**)&data, pool, &handles.pooled));
  add<<<(kCount + 255) / 256, 256>>>(data, 11);
  CK(cudaFreeAsync(data, nullptr));
  CK_LAUNCH();
  CK(cudaMemPoolDestroy(pool));
  return failures();
}

int main(int argc, char** argv) {
  if (argc == 4) return other(argv[1], std::atoi(argv[2]), std::atoi(argv[3]));
  std::vector<int> want(kCount);
  for (int i = 0; i < kCount; ++i) want[i] = i;
  Buffer<int> neighbour(kCount), data(want), behind(kCount);
  cudaEvent_t event;
  CK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
  Handles handles;
  CK(cudaIpcGetMemHandle(&handles.memory, data.data()));
  CK(cudaIpcGetEventHandle(&handles.event, event));
  add<<<(kCount + 255) / 256, 256>>>(data, 100);
  CK(cudaEventRecord(event));
  CK(cudaDeviceSynchronize());

  refuse_private_memory();
  const CUmemAllocationProp properties = shareable();
  CUmemGenericAllocationHandle handle = 0;
  int exported = -1;
  EXPECT(cuMemCreate(&handle, kMapped, &properties, 0) == CUDA_SUCCESS);
  EXPECT(cuMemExportToShareableHandle(&exported, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) == CUDA_SUCCESS);
  int* const common = mapped(handle);
  CK(cudaMemcpy(common, want.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
  add<<<(kCount + 255) / 256, 256>>>(imported(dup(exported)), 1);  // the same memory, twice in this process
  CK_LAUNCH();
  fcntl(exported, F_SETFD, 0);  // the other process inherits it

  cudaMemPoolProps of_pool = {};
  of_pool.allocType = cudaMemAllocationTypePinned;
  of_pool.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  of_pool.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool;
  int pool_file = -1, *pooled;
  CK(cudaMemPoolCreate(&pool, &of_pool));
  CK(cudaMemPoolExportToShareableHandle(&pool_file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
  CK(cudaMallocFromPoolAsync((void**)&pooled, kCount * sizeof(int), pool, nullptr));
  CK(cudaMemset(pooled, 0, kCount * sizeof(int)));
  CK(cudaMemPoolExportPointer(&handles.pooled, pooled));
  fcntl(pool_file, F_SETFD, 0);

  char name[] = "/tmp/interprocess.XXXXXX";
  const int file = mkstemp(name);
  EXPECT(write(file, &handles, sizeof(handles)) == sizeof(handles));
  close(file);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", argv[0], name, std::to_string(exported).c_str(),
          std::to_string(pool_file).c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  unlink(name);
  for (int& value : want) value += 8;
  std::vector<int> got(kCount);
  CK(cudaMemcpy(got.data(), common, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  expect_same("what both have added to the file's memory", got, want);
  CK(cudaMemcpy(got.data(), pooled, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  expect_same("what the other has added to a pool's memory", got, std::vector<int>(kCount, 11));
  for (int& value : want) value += 97;
  expect_same("what both have added", data.get(), want);
  expect_same("the allocation before", neighbour.get(), std::vector<int>(kCount));
  expect_same("the allocation behind", behind.get(), std::vector<int>(kCount));
  CK(cudaEventDestroy(event));
  return finish();
}
