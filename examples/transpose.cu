// Matrix transpose, five ways, in single and in double precision.
//
//   transpose [rows = 2048] [columns = rows]
//
//   copy          reads and writes along rows: the best that memory can do
//   naive_write   reads rows, writes columns: a warp's stores touch 32 different sectors
//   naive_read    reads columns, writes rows: a warp's loads touch 32 different sectors
//   shared        transposes a tile in shared memory: both sides coalesced, but the column read hits one bank 32 times
//   padded        the same with one word of padding a row: no bank conflict
//
// In double precision a column read uses 8 of every 32 bytes moved (25 %), and the unpadded tile is 16-way conflicted
// in each half of the warp: shared efficiency (2 + 2) / (2 + 32) = 11.8 %.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    cudaError_t status = (call);                                                                      \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(2);                                                                                   \
    }                                                                                                 \
  } while (0)

constexpr int kTile = 32;

// `in` has `rows` x `columns` elements, row-major. `out` of the transposes has `columns` x `rows`.

template <typename T>
__global__ void copy(T* out, const T* in, int rows, int columns) {
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  if (x < columns && y < rows) out[y * columns + x] = in[y * columns + x];
}

template <typename T>
__global__ void naive_write(T* out, const T* in, int rows, int columns) {
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  if (x < columns && y < rows) out[x * rows + y] = in[y * columns + x];
}

template <typename T>
__global__ void naive_read(T* out, const T* in, int rows, int columns) {
  int x = blockIdx.x * kTile + threadIdx.x;  // along the output's rows
  int y = blockIdx.y * kTile + threadIdx.y;
  if (x < rows && y < columns) out[y * rows + x] = in[x * columns + y];
}

template <typename T, int Padding>
__device__ void transpose_tile(T* out, const T* in, int rows, int columns) {
  __shared__ T tile[kTile][kTile + Padding];
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

template <typename T>
__global__ void shared(T* out, const T* in, int rows, int columns) {
  transpose_tile<T, 0>(out, in, rows, columns);
}

template <typename T>
__global__ void padded(T* out, const T* in, int rows, int columns) {
  transpose_tile<T, 1>(out, in, rows, columns);
}

template <typename T>
struct Variant {
  const char* name;
  void (*kernel)(T*, const T*, int, int);
  bool transposes;
  bool grid_over_output;  // the grid's x runs along the output's rows
};

// Runs every variant; returns the number of wrong elements.
template <typename T>
long run(const char* type, int rows, int columns) {
  const Variant<T> variants[] = {
      {"copy", copy<T>, false, false},           {"naive_write", naive_write<T>, true, false},
      {"naive_read", naive_read<T>, true, true}, {"shared", shared<T>, true, false},
      {"padded", padded<T>, true, false},
  };
  const size_t count = static_cast<size_t>(rows) * columns, bytes = count * sizeof(T);
  std::vector<T> in(count), out(count);
  for (size_t i = 0; i < count; ++i) in[i] = static_cast<T>(i % 16777213);

  T *device_in, *device_out;
  CHECK(cudaMalloc(&device_in, bytes));
  CHECK(cudaMalloc(&device_out, bytes));
  CHECK(cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));

  const dim3 block(kTile, kTile);
  const int tiles_x = (columns + kTile - 1) / kTile, tiles_y = (rows + kTile - 1) / kTile;
  long wrong_total = 0;
  for (const Variant<T>& v : variants) {
    const dim3 grid = v.grid_over_output ? dim3(tiles_y, tiles_x) : dim3(tiles_x, tiles_y);
    CHECK(cudaMemset(device_out, 0xff, bytes));
    CHECK(cudaEventRecord(begin));
    v.kernel<<<grid, block>>>(device_out, device_in, rows, columns);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost));

    long wrong = 0;
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {
        const T want = in[static_cast<size_t>(y) * columns + x];
        const size_t at = v.transposes ? static_cast<size_t>(x) * rows + y : static_cast<size_t>(y) * columns + x;
        wrong += out[at] != want;
      }
    std::printf("  %-7s %-12s %10.3f ms   %s\n", type, v.name, milliseconds, wrong ? "wrong" : "ok");
    wrong_total += wrong;
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(device_in));
  CHECK(cudaFree(device_out));
  return wrong_total;
}

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 2048;
  const int columns = argc > 2 ? std::atoi(argv[2]) : rows;
  if (rows < 1 || columns < 1) {
    std::fprintf(stderr, "usage: transpose [rows >= 1] [columns >= 1]\n");
    return 2;
  }
  std::printf("transpose of %d x %d\n", rows, columns);
  const long wrong = run<float>("float", rows, columns) + run<double>("double", rows, columns);
  std::printf("%s\n", wrong ? "FAIL" : "PASS");
  return wrong ? 1 : 0;
}
