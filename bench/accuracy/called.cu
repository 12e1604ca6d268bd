// What device functions of the runtime cost (printf, assert, malloc), and functions that are really called. Every launch
// prints `CASE,name` first, so that ncu's rows can be joined by their order (tools/record/record_timeline.sh).
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static const char* only = nullptr;
static bool wanted(const char* name) {
  if (only && std::strcmp(only, name) != 0) return false;
  std::printf("CASE,%s\n", name);
  std::fflush(stdout);
  return true;
}

// `lanes` of each warp print; `times` times.
template <int kValues>
__global__ void print(int lanes, int times, int a) {
  if ((threadIdx.x & 31) >= lanes) return;
  for (int i = 0; i < times; ++i) {
    if (kValues == 0) printf("text\n");
    if (kValues == 1) printf("%d\n", a + i);
    if (kValues == 2) printf("%d %d\n", a + i, a);
    if (kValues == 8) printf("%d %d %d %d %d %d %d %d\n", a, a + i, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7);
  }
}
__global__ void print_double(int lanes, double a) {
  if ((threadIdx.x & 31) < lanes) printf("%f\n", a);
}
__global__ void print_string(int lanes, const char* text) {
  if ((threadIdx.x & 31) < lanes) printf("%s\n", text);
}
__global__ void print_long_text(int lanes) {
  if ((threadIdx.x & 31) < lanes)
    printf("a text that is so long that one may see whether the cost depends on the length of the format itself, or not\n");
}
__global__ void print_nothing(int lanes, int a) {
  if ((threadIdx.x & 31) >= lanes + 32) printf("%d\n", a);
}
__global__ void asserts(int a, int times) {
  for (int i = 0; i < times; ++i) assert(a + i >= 0);
}

// What is allocated stays reachable, so that nothing is optimized away.
__global__ void allocate(int lanes, size_t bytes, char** kept) {
  if ((threadIdx.x & 31) < lanes) kept[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<char*>(malloc(bytes));
}
__global__ void release(int lanes, char** kept) {
  if ((threadIdx.x & 31) < lanes) free(kept[blockIdx.x * blockDim.x + threadIdx.x]);
}
__global__ void allocate_release(int lanes, size_t bytes, int times, char** kept) {
  if ((threadIdx.x & 31) >= lanes) return;
  for (int i = 0; i < times; ++i) {
    char* volatile p = static_cast<char*>(malloc(bytes));
    if (p) *p = 1;
    free(p);
  }
}

// Functions that are really called.
struct Shape {
  __device__ virtual float area(float x) const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area(float x) const override { return side * x + 1.0f; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area(float x) const override { return radius * radius * 3.14f + sqrtf(x); }
};
__device__ Shape* shapes[2];
__global__ void make_shapes() {
  shapes[0] = new Square(0.5f);
  shapes[1] = new Circle(2.0f);
}
__global__ void virtual_uniform(float* out, int times) {
  float x = threadIdx.x;
  for (int i = 0; i < times; ++i) x = shapes[i & 1]->area(x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
__global__ void virtual_divergent(float* out, int times) {
  float x = threadIdx.x;
  for (int i = 0; i < times; ++i) x = shapes[(threadIdx.x + i) & 1]->area(x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(int* out, int n) { out[blockIdx.x * blockDim.x + threadIdx.x] = fibonacci(n); }
__device__ int depth_of(int n, const int* next) { return n < 0 ? 0 : 1 + depth_of(next[n], next); }
__global__ void recursion_list(int* out, const int* next) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = depth_of(threadIdx.x & 31, next);
}
__device__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__global__ void recursion_ackermann(int* out, int m, int n) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = ackermann(m, n);
}

using Function = float (*)(float);
__device__ float twice(float x) { return x + x; }
__device__ float third(float x) { return x / 3.0f; }
__device__ float shifted(float x) { return x * 0.5f + 3.0f; }
__device__ float root(float x) { return sqrtf(x); }
__device__ Function table[4] = {twice, third, shifted, root};
__global__ void pointer_uniform(float* out, int times) {
  float x = threadIdx.x;
  for (int i = 0; i < times; ++i) x = table[i & 3](x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
__global__ void pointer_divergent(float* out, int times) {
  float x = threadIdx.x;
  for (int i = 0; i < times; ++i) x = table[(i + threadIdx.x) & 3](x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
__global__ void pointer_one(float* out, int times, int which) {
  float x = threadIdx.x;
  const Function function = table[which];
  for (int i = 0; i < times; ++i) x = function(x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
__device__ __noinline__ float not_inlined(float x, float y) { return x * y + 1.0f; }
__global__ void called(float* out, int times) {
  float x = threadIdx.x;
  for (int i = 0; i < times; ++i) x = not_inlined(x, 0.5f);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

int main(int argc, char** argv) {
  const bool failing = argc > 1 && std::strcmp(argv[1], "fail") == 0;
  if (argc > 1 && !failing) only = argv[1];
  cudaDeviceSetLimit(cudaLimitPrintfFifoSize, size_t{64} << 20);
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, size_t{256} << 20);
  float* out;
  int* numbers;
  char** kept;
  char* text;
  const int threads = 1024 * 1024;
  cudaMalloc(&out, threads * 4);
  cudaMalloc(&numbers, threads * 4);
  cudaMalloc(&kept, threads * sizeof(char*));
  cudaMalloc(&text, 64);
  cudaMemcpy(text, "sixteen letters.", 17, cudaMemcpyHostToDevice);
  int next[32];
  for (int i = 0; i < 32; ++i) next[i] = i - 1;
  int* list;
  cudaMalloc(&list, sizeof next);
  cudaMemcpy(list, next, sizeof next, cudaMemcpyHostToDevice);
  char name[96];
  if (failing) {
    if (wanted("assert_fails")) asserts<<<1, 32>>>(-1, 1);
    return cudaDeviceSynchronize() == cudaSuccess;
  }

  struct Size {
    unsigned blocks, threads;
    int lanes;
  };
  const Size sizes[] = {{1, 32, 1}, {1, 32, 2}, {1, 32, 8}, {1, 32, 32}, {1, 256, 1}, {1, 256, 32}, {132, 32, 1}, {132, 256, 1}};
  for (const Size& s : sizes) {
    const auto label = [&](const char* what) {
      std::snprintf(name, sizeof name, "%s_%ux%u_%d", what, s.blocks, s.threads, s.lanes);
      return name;
    };
    if (wanted(label("print0"))) print<0><<<s.blocks, s.threads>>>(s.lanes, 1, 7);
    if (wanted(label("print1"))) print<1><<<s.blocks, s.threads>>>(s.lanes, 1, 7);
    if (wanted(label("print8"))) print<8><<<s.blocks, s.threads>>>(s.lanes, 1, 7);
    if (wanted(label("allocate64"))) allocate<<<s.blocks, s.threads>>>(s.lanes, 64, kept);
    if (wanted(label("release64"))) release<<<s.blocks, s.threads>>>(s.lanes, kept);
    cudaDeviceSynchronize();
  }
  const auto sized = [&](const char* what, auto a) {
    std::snprintf(name, sizeof name, "%s_%d", what, int(a));
    return name;
  };
  for (const int lanes : {1, 32}) {
    if (wanted(sized("print2_1x32", lanes))) print<2><<<1, 32>>>(lanes, 1, 7);
    if (wanted(sized("print_double_1x32", lanes))) print_double<<<1, 32>>>(lanes, 7.5);
    if (wanted(sized("print_string_1x32", lanes))) print_string<<<1, 32>>>(lanes, text);
    if (wanted(sized("print_long_text_1x32", lanes))) print_long_text<<<1, 32>>>(lanes);
    if (wanted(sized("print_nothing_1x32", lanes))) print_nothing<<<1, 32>>>(lanes, 7);
    if (wanted(sized("print1_four_times_1x32", lanes))) print<1><<<1, 32>>>(lanes, 4, 7);
    for (const int bytes : {1, 16, 256, 1024, 4096, 65536, 1 << 20}) {
      std::snprintf(name, sizeof name, "allocate%d_1x32_%d", bytes, lanes);
      if (wanted(name)) allocate<<<1, 32>>>(lanes, bytes, kept);
      std::snprintf(name, sizeof name, "release%d_1x32_%d", bytes, lanes);
      if (wanted(name)) release<<<1, 32>>>(lanes, kept);
    }
    if (wanted(sized("allocate_release64_one_1x32", lanes))) allocate_release<<<1, 32>>>(lanes, 64, 1, kept);
    if (wanted(sized("allocate_release64_eight_1x32", lanes))) allocate_release<<<1, 32>>>(lanes, 64, 8, kept);
    cudaDeviceSynchronize();
  }
  if (wanted("assert_passes_1x32")) asserts<<<1, 32>>>(1, 1);
  if (wanted("assert_passes_132x256_100")) asserts<<<132, 256>>>(1, 100);

  if (wanted("make_shapes")) make_shapes<<<1, 1>>>();
  for (const Size& s : {Size{1, 32, 0}, Size{132, 256, 0}, Size{264, 1024, 0}}) {
    const auto label = [&](const char* what) {
      std::snprintf(name, sizeof name, "%s_%ux%u", what, s.blocks, s.threads);
      return name;
    };
    if (wanted(label("virtual_uniform"))) virtual_uniform<<<s.blocks, s.threads>>>(out, 64);
    if (wanted(label("virtual_divergent"))) virtual_divergent<<<s.blocks, s.threads>>>(out, 64);
    if (wanted(label("recursion"))) recursion<<<s.blocks, s.threads>>>(numbers, 10);
    if (wanted(label("recursion_list"))) recursion_list<<<s.blocks, s.threads>>>(numbers, list);
    if (wanted(label("recursion_ackermann"))) recursion_ackermann<<<s.blocks, s.threads>>>(numbers, 2, 3);
    if (wanted(label("pointer_uniform"))) pointer_uniform<<<s.blocks, s.threads>>>(out, 64);
    if (wanted(label("pointer_divergent"))) pointer_divergent<<<s.blocks, s.threads>>>(out, 64);
    if (wanted(label("pointer_one"))) pointer_one<<<s.blocks, s.threads>>>(out, 64, 2);
    if (wanted(label("called"))) called<<<s.blocks, s.threads>>>(out, 64);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
