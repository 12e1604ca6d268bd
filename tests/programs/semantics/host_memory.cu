// Managed, pinned, mapped and registered memory; pointer attributes; memory information.
#include "check.h"

__global__ void triple(int* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= 3;
}
struct ListNode {
  int value;
  ListNode* next;
};
__global__ void walk(const ListNode* node, int* sum) {
  for (; node; node = node->next) *sum += node->value;
}

int main() {
  const int n = 1000;
  size_t free_before, total;
  CK(cudaMemGetInfo(&free_before, &total));
  EXPECT(total >= free_before && free_before > 0);

  int* managed;
  CK(cudaMallocManaged(&managed, n * sizeof(int)));
  for (int i = 0; i < n; ++i) managed[i] = i;
  CK(cudaMemPrefetchAsync(managed, n * sizeof(int), cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0));
  triple<<<4, 256>>>(managed, n);
  CK_LAUNCH();
  EXPECT(managed[0] == 0 && managed[999] == 2997);

  // A linked structure that host and device traverse.
  ListNode* nodes;
  CK(cudaMallocManaged(&nodes, 50 * sizeof(ListNode)));
  for (int i = 0; i < 50; ++i) nodes[i] = {i, i + 1 < 50 ? &nodes[i + 1] : nullptr};
  managed[0] = 0;
  walk<<<1, 1>>>(nodes, managed);
  CK_LAUNCH();
  EXPECT(managed[0] == 49 * 50 / 2);

  int *mapped, *mapped_device;
  CK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
  CK(cudaHostGetDevicePointer(&mapped_device, mapped, 0));
  for (int i = 0; i < n; ++i) mapped[i] = 2 * i;
  triple<<<4, 256>>>(mapped_device, n);
  CK_LAUNCH();
  EXPECT(mapped[10] == 60);

  std::vector<int> own(n, 5);
  int* own_device;
  CK(cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterMapped));
  CK(cudaHostGetDevicePointer(&own_device, own.data(), 0));
  triple<<<4, 256>>>(own_device, n);
  CK_LAUNCH();
  EXPECT(own[n - 1] == 15);
  CK(cudaHostUnregister(own.data()));

  int* device;
  CK(cudaMalloc(&device, n * sizeof(int)));
  cudaPointerAttributes a;
  CK(cudaPointerGetAttributes(&a, device));
  EXPECT(a.type == cudaMemoryTypeDevice && a.devicePointer == device);
  CK(cudaPointerGetAttributes(&a, managed));
  EXPECT(a.type == cudaMemoryTypeManaged);
  CK(cudaPointerGetAttributes(&a, mapped));
  EXPECT(a.type == cudaMemoryTypeHost && a.hostPointer == mapped);
  CK(cudaPointerGetAttributes(&a, &total));
  EXPECT(a.type == cudaMemoryTypeUnregistered);

  // cudaMemcpyDefault infers the direction.
  CK(cudaMemcpy(device, own.data(), n * sizeof(int), cudaMemcpyDefault));
  CK(cudaMemcpy(managed, device, n * sizeof(int), cudaMemcpyDefault));
  EXPECT(managed[3] == 15);
  CK(cudaMemset(device, 0x01, n * sizeof(int)));
  CK(cudaMemcpy(mapped, device, n * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(mapped[999] == 0x01010101);

  CK(cudaFree(device));
  CK(cudaFree(managed));
  CK(cudaFree(nodes));
  CK(cudaFreeHost(mapped));
  CK(cudaFree(nullptr));
  size_t free_after;
  CK(cudaMemGetInfo(&free_after, &total));
  EXPECT(free_after == free_before);
  EXPECT(cudaFree(&total) == cudaErrorInvalidValue);
  cudaGetLastError();
  return finish();
}
