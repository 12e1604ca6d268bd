// The cost of a warp's addresses: sectors of 32 bytes moved for each request.
//
//   access_patterns [matrix width = 512, a multiple of 32]
//
//   offset<k>       out[i] = in[i + k]: shifted by 0 to 31 words; off a sector's edge, one more sector
//   stride<k>       out[i] = in[i * k]: 1 to 32 words apart; up to one sector a thread
//   row_major       a copy with x along the rows; column_major: with x along the columns
//   column_sums     one thread a column: neighbours read neighbours; row_sums: one thread a row, `width` words apart
//   vector4         the plain copy with 16 bytes a thread: a quarter of the requests, the same sectors
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    cudaError_t status = (call);                                                                      \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(2);                                                                                   \
    }                                                                                                 \
  } while (0)

template <int Offset>
__global__ void offset(float* out, const float* in) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + Offset];
}

template <int Stride>
__global__ void stride(float* out, const float* in) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * Stride];
}

__global__ void row_major(float* out, const float* in, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * width + x] = in[y * width + x];
}

__global__ void column_major(float* out, const float* in, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * width + y] = in[x * width + y];
}

__global__ void column_sums(float* out, const float* in, int width) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= width) return;
  float sum = 0;
#pragma unroll 1
  for (int row = 0; row < width; ++row) sum += in[row * width + column];
  out[column] = sum;
}

__global__ void row_sums(float* out, const float* in, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= width) return;
  float sum = 0;
#pragma unroll 1
  for (int column = 0; column < width; ++column) sum += in[row * width + column];
  out[row] = sum;
}

__global__ void vector4(float4* out, const float4* in) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

// Device buffers and the table of results, one row a launch.
struct Bench {
  size_t count;                // elements of `out`
  std::vector<float> in, out;  // `in` is 32 times as long, plus 32: room for every stride and offset
  float *device_in = nullptr, *device_out = nullptr;
  cudaEvent_t begin, end;
  bool pass = true;

  explicit Bench(size_t elements) : count(elements), in(elements * 32 + 32), out(elements) {
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 8191);
    CHECK(cudaMalloc(&device_in, in.size() * sizeof(float)));
    CHECK(cudaMalloc(&device_out, count * sizeof(float)));
    CHECK(cudaMemcpy(device_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
  }
  ~Bench() {
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFree(device_in);
    cudaFree(device_out);
  }

  // `launch` runs the kernel; `want(i)` is what out[i] must be, for the first `elements` of it.
  template <typename Launch, typename Want>
  void run(const std::string& name, size_t elements, Launch launch, Want want) {
    CHECK(cudaMemset(device_out, 0xff, count * sizeof(float)));
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(cudaMemcpy(out.data(), device_out, count * sizeof(float), cudaMemcpyDeviceToHost));
    size_t wrong = 0;
    for (size_t i = 0; i < elements; ++i) wrong += !(out[i] == want(i));
    std::printf("  %-14s %10.3f ms   %s\n", name.c_str(), milliseconds, wrong ? "wrong" : "ok");
    pass = pass && wrong == 0;
  }

  template <int Offset>
  void run_offset() {
    run(
        "offset " + std::to_string(Offset), count,
        [&] { offset<Offset><<<static_cast<unsigned>(count / 256), 256>>>(device_out, device_in); },
        [&](size_t i) { return in[i + Offset]; });
  }
  template <int Stride>
  void run_stride() {
    run(
        "stride " + std::to_string(Stride), count,
        [&] { stride<Stride><<<static_cast<unsigned>(count / 256), 256>>>(device_out, device_in); },
        [&](size_t i) { return in[i * Stride]; });
  }
};

int main(int argc, char** argv) {
  const int width = argc > 1 ? std::atoi(argv[1]) : 512;
  if (width < 32 || width % 32 != 0 || width > 4096) {
    std::fprintf(stderr, "usage: access_patterns [matrix width, a multiple of 32 up to 4096]\n");
    return 2;
  }
  const size_t count = static_cast<size_t>(width) * width;
  Bench bench(count);
  std::printf("access patterns over %zu words\n", count);

  bench.run_offset<0>();
  bench.run_offset<1>();
  bench.run_offset<4>();
  bench.run_offset<8>();
  bench.run_offset<16>();
  bench.run_offset<31>();
  bench.run_stride<1>();
  bench.run_stride<2>();
  bench.run_stride<3>();
  bench.run_stride<4>();
  bench.run_stride<8>();
  bench.run_stride<16>();
  bench.run_stride<32>();

  const dim3 block(32, 8), grid(width / 32, width / 8);
  const float* in = bench.device_in;
  float* out = bench.device_out;
  const auto same = [&](size_t i) { return bench.in[i]; };
  bench.run("row_major", count, [&] { row_major<<<grid, block>>>(out, in, width); }, same);
  bench.run("column_major", count, [&] { column_major<<<grid, block>>>(out, in, width); }, same);
  bench.run(
      "vector4", count,
      [&] {
        vector4<<<static_cast<unsigned>(count / 4 / 256), 256>>>(reinterpret_cast<float4*>(out),
                                                                 reinterpret_cast<const float4*>(in));
      },
      same);

  std::vector<float> rows(width, 0.f), columns(width, 0.f);
  for (int y = 0; y < width; ++y)
    for (int x = 0; x < width; ++x) {
      rows[y] += bench.in[static_cast<size_t>(y) * width + x];
      columns[x] += bench.in[static_cast<size_t>(y) * width + x];
    }
  const int blocks = (width + 127) / 128;
  bench.run(
      "column_sums", width, [&] { column_sums<<<blocks, 128>>>(out, in, width); },
      [&](size_t i) { return columns[i]; });
  bench.run("row_sums", width, [&] { row_sums<<<blocks, 128>>>(out, in, width); }, [&](size_t i) { return rows[i]; });

  std::printf("%s\n", bench.pass ? "PASS" : "FAIL");
  return bench.pass ? 0 : 1;
}
