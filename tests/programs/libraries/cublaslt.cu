// cuBLASLt's products, epilogues, scales and transforms against the host.
// RUN: -lcublasLt
// EXPECT-STDOUT: OK
#include <cublasLt.h>
#include <cuda_fp8.h>

#include <cmath>

#include "blas_check.h"

#define CHECK(call) CHECK_STATUS(call, cublasLtGetStatusName)

unsigned state = 1;
double number() {  // of quarters in [-2, 2)
  state = state * 1664525u + 1013904223u;
  return int(state >> 28) / 4.0 - 2.0;
}
template <class T>
std::vector<T> numbers(size_t n) {
  std::vector<T> v(n);
  for (T& x : v) x = T(float(number()));
  return v;
}

template <class T>
struct TypeOf;
#define TYPE_OF(T, value)               \
  template <>                           \
  struct TypeOf<T> {                    \
    static constexpr auto type = value; \
  };
TYPE_OF(float, CUDA_R_32F)
TYPE_OF(double, CUDA_R_64F)
TYPE_OF(__half, CUDA_R_16F)
TYPE_OF(__nv_bfloat16, CUDA_R_16BF)
TYPE_OF(int8_t, CUDA_R_8I)
TYPE_OF(int32_t, CUDA_R_32I)
TYPE_OF(__nv_fp8_e4m3, CUDA_R_8F_E4M3)
TYPE_OF(__nv_fp8_e5m2, CUDA_R_8F_E5M2)

cublasLtHandle_t handle;
constexpr size_t kWorkspace = 32 << 20;
void* workspace;

struct Desc {
  cublasLtMatmulDesc_t desc;
  Desc(cublasComputeType_t compute, cudaDataType_t scale) { CHECK(cublasLtMatmulDescCreate(&desc, compute, scale)); }
  ~Desc() { cublasLtMatmulDescDestroy(desc); }
  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, T value) {
    CHECK(cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value));
  }
};
struct Layout {
  cublasLtMatrixLayout_t layout;
  Layout(cudaDataType type, int rows, int columns, int ld) {
    CHECK(cublasLtMatrixLayoutCreate(&layout, type, rows, columns, ld));
  }
  ~Layout() { cublasLtMatrixLayoutDestroy(layout); }
  template <class T>
  void set(cublasLtMatrixLayoutAttribute_t attribute, T value) {
    CHECK(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof value));
  }
};

// A product of op(A), m x k, and op(B), k x n, in columns; the product itself in doubles.
template <class A, class B>
struct Case {
  int m = 70, n = 37, k = 45;
  bool ta = false, tb = false;
  std::vector<A> a;
  std::vector<B> b;
  Case(bool transpose_a, bool transpose_b) : ta(transpose_a), tb(transpose_b), a(numbers<A>(m * k)), b(numbers<B>(k * n)) {}
  double at_a(int i, int l) const { return double(float(ta ? a[i * k + l] : a[l * m + i])); }
  double at_b(int l, int j) const { return double(float(tb ? b[l * n + j] : b[j * k + l])); }
  double product(int i, int j) const {
    double sum = 0;
    for (int l = 0; l < k; ++l) sum += at_a(i, l) * at_b(l, j);
    return sum;
  }
};

// Runs it with an algorithm of the heuristic, as programs do.
template <class A, class B, class C, class D>
void run(const Case<A, B>& p, Desc& desc, const void* alpha, const Device<A>& a, const Device<B>& b, const void* beta,
         const C* c, Device<D>& d) {
  desc.set(CUBLASLT_MATMUL_DESC_TRANSA, p.ta ? CUBLAS_OP_T : CUBLAS_OP_N);
  desc.set(CUBLASLT_MATMUL_DESC_TRANSB, p.tb ? CUBLAS_OP_T : CUBLAS_OP_N);
  Layout la(TypeOf<A>::type, p.ta ? p.k : p.m, p.ta ? p.m : p.k, p.ta ? p.k : p.m);
  Layout lb(TypeOf<B>::type, p.tb ? p.n : p.k, p.tb ? p.k : p.n, p.tb ? p.n : p.k);
  Layout lc(TypeOf<C>::type, p.m, p.n, p.m), ld(TypeOf<D>::type, p.m, p.n, p.m);
  cublasLtMatmulPreference_t preference;
  CHECK(cublasLtMatmulPreferenceCreate(&preference));
  CHECK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace, sizeof kWorkspace));
  cublasLtMatmulHeuristicResult_t found;
  int count = 0;
  CHECK(cublasLtMatmulAlgoGetHeuristic(handle, desc.desc, la.layout, lb.layout, lc.layout, ld.layout, preference, 1, &found, &count));
  EXPECT(count == 1 && found.state == CUBLAS_STATUS_SUCCESS && found.workspaceSize <= kWorkspace && found.wavesCount > 0);
  CHECK(cublasLtMatmulPreferenceDestroy(preference));
  CHECK(cublasLtMatmul(handle, desc.desc, alpha, a.data, la.layout, b.data, lb.layout, beta, c, lc.layout, d.data,
                       ld.layout, &found.algo, workspace, kWorkspace, nullptr));
}

bool near(double x, double y, double tolerance) { return std::fabs(x - y) <= tolerance * (1 + std::fabs(y)); }

template <class A, class B, class D, class S>
void products(cublasComputeType_t compute, S alpha, S beta, double tolerance) {
  for (int transposes = 0; transposes < 4; ++transposes) {
    const Case<A, B> p(transposes & 1, transposes & 2);
    Device<A> a(p.a);
    Device<B> b(p.b);
    const auto before = numbers<D>(p.m * p.n);
    Device<D> c(before), d(before);
    Desc desc(compute, TypeOf<S>::type);
    run(p, desc, &alpha, a, b, &beta, c.data, d);
    const auto out = d.get();
    for (int j = 0; j < p.n; ++j)
      for (int i = 0; i < p.m; ++i)
        EXPECT(near(double(float(out[j * p.m + i])),
                    double(alpha) * p.product(i, j) + double(beta) * double(float(before[j * p.m + i])), tolerance));
  }
}

double gelu(double x) { return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

void epilogues() {
  const Case<__nv_bfloat16, __nv_bfloat16> p(true, false);
  Device<__nv_bfloat16> a(p.a), b(p.b);
  const auto bias = numbers<__nv_bfloat16>(p.m);
  Device<__nv_bfloat16> device_bias(bias);
  const float one = 1, none = 0, small = 1 / 16.0f;
  const double bf16 = 1 / 128.0;
  const auto wanted = [&](int i, int j) { return p.product(i, j) / 16 + double(float(bias[i])); };
  Device<__nv_bfloat16> d(std::vector<__nv_bfloat16>(p.m * p.n)), aux(std::vector<__nv_bfloat16>(p.m * p.n));
  const auto fused = [&](cublasLtEpilogue_t epilogue) {
    Desc desc(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    desc.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, device_bias.data);
    desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux.data);
    desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t(p.m));
    run(p, desc, &small, a, b, &none, d.data, d);
    return d.get();
  };
  const auto each = [&](auto&& check) {
    for (int j = 0; j < p.n; ++j)
      for (int i = 0; i < p.m; ++i) check(i, j, j * p.m + i);
  };
  auto out = fused(CUBLASLT_EPILOGUE_BIAS);
  each([&](int i, int j, int at) { EXPECT(near(float(out[at]), wanted(i, j), bf16)); });
  out = fused(CUBLASLT_EPILOGUE_RELU_BIAS);
  each([&](int i, int j, int at) { EXPECT(near(float(out[at]), std::fmax(0, wanted(i, j)), bf16)); });
  out = fused(CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
  auto kept = aux.get();
  each([&](int i, int j, int at) {
    EXPECT(near(float(out[at]), gelu(wanted(i, j)), bf16));
    EXPECT(near(float(kept[at]), wanted(i, j), bf16));
  });
  // The derivative at what was kept, and the sums of D's rows.
  out = fused(CUBLASLT_EPILOGUE_DGELU_BGRAD);
  each([&](int i, int j, int at) {
    const double x = float(kept[at]), slope = (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5;
    EXPECT(near(float(out[at]), p.product(i, j) / 16 * slope, 2 * bf16));
  });
  const auto sums = device_bias.get();
  for (int i = 0; i < p.m; ++i) {
    double sum = 0;
    for (int j = 0; j < p.n; ++j) sum += float(out[j * p.m + i]);
    EXPECT(near(float(sums[i]), sum, bf16));
  }
  // The gradient of a bias that was added to A's rows, or to B's columns.
  fused(CUBLASLT_EPILOGUE_BGRADA);
  const auto rows = device_bias.get();
  fused(CUBLASLT_EPILOGUE_BGRADB);
  const auto columns = device_bias.get();
  for (int i = 0; i < p.m; ++i) {
    double sum = 0;
    for (int l = 0; l < p.k; ++l) sum += p.at_a(i, l);
    EXPECT(near(float(rows[i]), sum, bf16));
  }
  for (int j = 0; j < p.n; ++j) {
    double sum = 0;
    for (int l = 0; l < p.k; ++l) sum += p.at_b(l, j);
    EXPECT(near(float(columns[j]), sum, bf16));
  }
  // The ReLU's mask: a bit an element, columns 128 apart.
  Device<unsigned char> mask(std::vector<unsigned char>(128 / 8 * p.n, 0xff));
  for (const auto epilogue : {CUBLASLT_EPILOGUE_RELU_AUX, CUBLASLT_EPILOGUE_DRELU}) {
    Desc desc(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, mask.data);
    desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t(128));
    run(p, desc, &one, a, b, &none, d.data, d);
    const auto bits = mask.get();
    out = d.get();
    each([&](int i, int j, int at) {
      EXPECT((bits[j * 16 + i / 8] >> (i % 8) & 1) == (p.product(i, j) > 0));
      EXPECT(near(float(out[at]), std::fmax(0, p.product(i, j)), bf16));
    });
  }
}

// Batches, row order, a factor for each row, and scalars on the device.
void layouts() {
  const int m = 20, n = 33, k = 17, batches = 3;
  const auto a = numbers<float>(m * k * batches), b = numbers<float>(k * n * batches), alphas = numbers<float>(m);
  Device<float> da(a), db(b), dd(std::vector<float>(m * n * batches)), dalpha(alphas);
  Desc desc(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  desc.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO);
  Layout la(CUDA_R_32F, m, k, k), lb(CUDA_R_32F, k, n, n), ld(CUDA_R_32F, m, n, n);  // rows one after the other
  for (Layout* one : {&la, &lb, &ld}) {
    one->set(CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_ORDER_ROW);
    one->set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batches);
  }
  la.set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, int64_t(m * k));
  lb.set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, int64_t(k * n));
  ld.set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, int64_t(m * n));
  CHECK(cublasLtMatmul(handle, desc.desc, dalpha.data, da.data, la.layout, db.data, lb.layout, nullptr, nullptr,
                       ld.layout, dd.data, ld.layout, nullptr, nullptr, 0, nullptr));
  const auto out = dd.get();
  for (int batch = 0; batch < batches; ++batch)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int l = 0; l < k; ++l) sum += double(a[(batch * m + i) * k + l]) * b[(batch * k + l) * n + j];
        EXPECT(near(out[(batch * m + i) * n + j], alphas[i] * sum, 1e-6));
      }
}

// 8-bit floats with scales on the device, and the largest result.
void scales() {
  const Case<__nv_fp8_e4m3, __nv_fp8_e5m2> p(true, false);
  Device<__nv_fp8_e4m3> a(p.a), d(std::vector<__nv_fp8_e4m3>(p.m * p.n));
  Device<__nv_fp8_e5m2> b(p.b);
  Device<__nv_bfloat16> c(std::vector<__nv_bfloat16>(p.m * p.n));
  Device<float> scales({0.5f, 0.25f, 2.0f}), largest({-1.0f});
  Desc desc(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  desc.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scales.data);
  desc.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scales.data + 1);
  desc.set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, scales.data + 2);
  desc.set(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, largest.data);
  desc.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, int8_t(1));
  const float one = 1, none = 0;
  run(p, desc, &one, a, b, &none, c.data, d);
  const auto out = d.get();
  double most = 0;
  for (int j = 0; j < p.n; ++j)
    for (int i = 0; i < p.m; ++i) {
      most = std::fmax(most, std::fabs(p.product(i, j) / 8));
      EXPECT(near(float(out[j * p.m + i]), p.product(i, j) / 4, 1 / 16.0));
    }
  EXPECT(near(largest.get()[0], most, 1e-6));
}

void transforms() {
  const int rows = 50, columns = 30;
  const auto a = numbers<float>(rows * columns), b = numbers<float>(rows * columns);
  Device<float> da(a), db(b);
  Device<__half> dc{std::vector<__half>(rows * columns)};
  cublasLtMatrixTransformDesc_t desc;
  CHECK(cublasLtMatrixTransformDescCreate(&desc, CUDA_R_32F));
  const cublasOperation_t transpose = CUBLAS_OP_T;
  CHECK(cublasLtMatrixTransformDescSetAttribute(desc, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &transpose, sizeof transpose));
  Layout la(CUDA_R_32F, columns, rows, columns), lb(CUDA_R_32F, rows, columns, rows), lc(CUDA_R_16F, rows, columns, columns);
  lc.set(CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_ORDER_ROW);
  const float alpha = 2, beta = -0.5f;
  CHECK(cublasLtMatrixTransform(handle, desc, &alpha, da.data, la.layout, &beta, db.data, lb.layout, dc.data, lc.layout, nullptr));
  const auto out = dc.get();
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      EXPECT(float(out[i * columns + j]) == 2 * a[i * columns + j] - b[j * rows + i] / 2);
  CHECK(cublasLtMatrixTransformDescDestroy(desc));
}

void mistakes() {
  cublasLtMatrixLayoutOpaque_t mine;
  CHECK(cublasLtMatrixLayoutInit(&mine, CUDA_R_32F, 4, 5, 4));
  uint64_t rows = 0;
  size_t bytes = 0;
  CHECK(cublasLtMatrixLayoutGetAttribute(&mine, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows, &bytes));
  EXPECT(rows == 4 && bytes == 8);
  EXPECT(cublasLtMatrixLayoutSetAttribute(&mine, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, 4) == CUBLAS_STATUS_INVALID_VALUE);
  Desc desc(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  Device<float> data(numbers<float>(64));
  const float one = 1;
  const auto product = [&](Layout& a, Layout& b, Layout& d) {
    return cublasLtMatmul(handle, desc.desc, &one, data.data, a.layout, data.data, b.layout, &one, data.data, d.layout,
                          data.data, d.layout, nullptr, nullptr, 0, nullptr);
  };
  Layout square(CUDA_R_32F, 4, 4, 4), wide(CUDA_R_32F, 4, 5, 4), halves(CUDA_R_16F, 4, 4, 4);
  EXPECT(product(square, wide, square) == CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(product(square, halves, square) == CUBLAS_STATUS_NOT_SUPPORTED);
  Layout tiles(CUDA_R_32F, 4, 4, 4);
  tiles.set(CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_ORDER_COL32);
  EXPECT(product(tiles, square, square) == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(product(square, square, square));
}

int main() {
  CHECK(cublasLtCreate(&handle));
  EXPECT(cudaMalloc(&workspace, kWorkspace) == cudaSuccess);
  EXPECT(cublasLtGetVersion() / 10000 >= 11);
  products<float, float, float>(CUBLAS_COMPUTE_32F, 1.5f, -0.5f, 1e-6);
  products<double, double, double>(CUBLAS_COMPUTE_64F, 1.5, -0.5, 1e-6);
  products<__half, __half, __half>(CUBLAS_COMPUTE_32F, 0.5f, 2.0f, 1 / 1024.0);
  products<__nv_bfloat16, __nv_bfloat16, float>(CUBLAS_COMPUTE_32F, 0.5f, 0.0f, 1e-6);
  products<int8_t, int8_t, int32_t>(CUBLAS_COMPUTE_32I, 3, 2, 0);
  products<__nv_fp8_e4m3, __nv_fp8_e4m3, float>(CUBLAS_COMPUTE_32F, 0.5f, 1.0f, 1e-6);
  epilogues();
  layouts();
  scales();
  transforms();
  mistakes();
  CHECK(cublasLtDestroy(handle));
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "OK" : "failed");
}
