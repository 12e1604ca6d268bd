// Pitched, 2D and 3D allocation, copy and set.
#include "check.h"

__global__ void increment(char* data, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) reinterpret_cast<float*>(data + y * pitch)[x] += 1;
}
__global__ void increment_3d(cudaPitchedPtr p, cudaExtent extent) {
  int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  char* row = static_cast<char*>(p.ptr) + (z * extent.height + y) * p.pitch;
  if (x < static_cast<int>(extent.width / sizeof(int))) reinterpret_cast<int*>(row)[x] += z;
}

int main() {
  {
    const int width = 37, height = 21;
    char* device;
    size_t pitch;
    CK(cudaMallocPitch(reinterpret_cast<void**>(&device), &pitch, width * sizeof(float), height));
    EXPECT(pitch >= width * sizeof(float) && pitch % 32 == 0);
    std::vector<float> host(width * height), back(50 * height, -1.f);
    for (int i = 0; i < width * height; ++i) host[i] = i;
    CK(cudaMemcpy2D(device, pitch, host.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice));
    increment<<<dim3(3, 6), dim3(16, 4)>>>(device, pitch, width, height);
    CK_LAUNCH();
    CK(cudaMemcpy2D(back.data(), 50 * sizeof(float), device, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < 50; ++x) right = right && back[y * 50 + x] == (x < width ? y * width + x + 1 : -1.f);
    EXPECT(right);
    CK(cudaMemset2D(device, pitch, 0, 8, 3));
    CK(cudaMemcpy2D(back.data(), 50 * sizeof(float), device, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 0 && back[1] == 0 && back[2] == 3 && back[100] == 0 && back[150] == 3 * width + 1);
    EXPECT(cudaMemcpy2D(device, 8, host.data(), 8, 16, 2, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
    // A single row needs no pitch, but a pitch holds it, as on an H200.
    EXPECT(cudaMemcpy2D(device, 8, host.data(), 8, 16, 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CK(cudaMemcpy2D(device, 0, host.data(), 0, 16, 1, cudaMemcpyHostToDevice));
    CK(cudaMemcpy2D(back.data(), 0, device, 16, 16, 1, cudaMemcpyDefault));
    EXPECT(back[0] == 0 && back[3] == 3);
    cudaGetLastError();
    CK(cudaFree(device));
  }
  {
    const cudaExtent extent = make_cudaExtent(11 * sizeof(int), 5, 4);
    cudaPitchedPtr device;
    CK(cudaMalloc3D(&device, extent));
    std::vector<int> host(11 * 5 * 4), back(host.size(), 0);
    for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<int>(i);
    cudaMemcpy3DParms in = {};
    in.srcPtr = make_cudaPitchedPtr(host.data(), 11 * sizeof(int), 11, 5);
    in.dstPtr = device;
    in.extent = extent;
    in.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&in));
    increment_3d<<<dim3(5, 4), 32>>>(device, extent);
    CK_LAUNCH();
    cudaMemcpy3DParms out = {};
    out.srcPtr = device;
    out.dstPtr = make_cudaPitchedPtr(back.data(), 11 * sizeof(int), 11, 5);
    out.extent = extent;
    out.kind = cudaMemcpyDeviceToHost;
    CK(cudaMemcpy3D(&out));
    for (size_t i = 0; i < host.size(); ++i) host[i] += static_cast<int>(i / 55);
    expect_same("3D", back, host);
    // A box inside: 4 x 2 x 1 ints from (3, 1, 2).
    std::vector<int> box(8, 0);
    cudaMemcpy3DParms sub = {};
    sub.srcPtr = device;
    sub.srcPos = make_cudaPos(3 * sizeof(int), 1, 2);
    sub.dstPtr = make_cudaPitchedPtr(box.data(), 4 * sizeof(int), 4, 2);
    sub.extent = make_cudaExtent(4 * sizeof(int), 2, 1);
    sub.kind = cudaMemcpyDeviceToHost;
    CK(cudaMemcpy3D(&sub));
    for (int i = 0; i < 8; ++i) EXPECT(box[i] == host[(2 * 5 + 1 + i / 4) * 11 + 3 + i % 4]);
    CK(cudaFree(device.ptr));
  }
  {
    Buffer<int> a(std::vector<int>{1, 2, 3, 4}), b(4);
    CK(cudaMemcpy(b, a, 16, cudaMemcpyDeviceToDevice));
    expect_same("device to device", b.get(), {1, 2, 3, 4});
    EXPECT(cudaMemcpy(nullptr, a, 16, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    cudaGetLastError();
    CK(cudaMemcpy(b, a, 0, cudaMemcpyDeviceToDevice));
  }
  return finish();
}
