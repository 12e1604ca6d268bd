// Device memory and an event that two processes use (cudaIpcGetMemHandle ...): this program starts itself again.
// EXPECT-STDOUT: PASS
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "check.h"

constexpr int kCount = 3000;

struct Handles {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t event;
};

__global__ void add(int* data, int amount) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) data[i] += amount;
}

// The other process adds 5, to what the first one has left there.
int other(const char* from) {
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
  return failures();
}

int main(int argc, char** argv) {
  if (argc == 2) return other(argv[1]);
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

  char name[] = "/tmp/interprocess.XXXXXX";
  const int file = mkstemp(name);
  EXPECT(write(file, &handles, sizeof(handles)) == sizeof(handles));
  close(file);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", argv[0], name, nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  unlink(name);
  for (int& value : want) value += 105;
  expect_same("what both have added", data.get(), want);
  expect_same("the allocation before", neighbour.get(), std::vector<int>(kCount));
  expect_same("the allocation behind", behind.get(), std::vector<int>(kCount));
  CK(cudaEventDestroy(event));
  return finish();
}
