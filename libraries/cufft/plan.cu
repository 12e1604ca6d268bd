// Plans: made, changed, destroyed.
#include "plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace drywarp::cufft {
namespace {

std::mutex lock;
std::map<cufftHandle, std::unique_ptr<Plan>>& plans() {
  static std::map<cufftHandle, std::unique_ptr<Plan>> all;
  return all;
}

// The roots of unity for one dimension, rounded once from double precision.
template <class T>
cufftResult make_roots(int64_t n, void** out) {
  std::vector<T> roots(size_t(2 * n));
  for (int64_t k = 0; k < n; ++k) {
    const double angle = -2 * 3.14159265358979323846 * double(k) / double(n);
    roots[size_t(2 * k)] = T(std::cos(angle)), roots[size_t(2 * k + 1)] = T(std::sin(angle));
  }
  if (cudaMalloc(out, roots.size() * sizeof(T)) != cudaSuccess) return CUFFT_ALLOC_FAILED;
  const cudaError_t copied = cudaMemcpy(*out, roots.data(), roots.size() * sizeof(T), cudaMemcpyHostToDevice);
  return copied == cudaSuccess ? CUFFT_SUCCESS : CUFFT_INTERNAL_ERROR;
}

// Rows of the last dimension lie `row` elements apart.
Layout packed(const Plan& plan, int64_t row) {
  return {plan.sizes[0] * plan.sizes[1] * row, {plan.sizes[1] * row, row, 1}};
}
template <class Int>
Layout given(int rank, const Int* embed, int64_t stride, int64_t distance) {
  Layout layout = {distance, {0, 0, stride}};
  for (int d = 2; d > 3 - rank; --d) layout.steps[d - 1] = layout.steps[d] * embed[rank - 3 + d];
  return layout;
}

template <class Int>
cufftResult make(cufftHandle handle, int rank, const Int* n, const Int* inembed, int64_t istride, int64_t idist,
                 const Int* onembed, int64_t ostride, int64_t odist, cufftType type, int64_t batch, size_t* size) {
  Plan* const plan = find(handle);
  CUFFT_NEEDS(plan && !plan->made, CUFFT_INVALID_PLAN);
  CUFFT_NEEDS(rank >= 1 && rank <= 3 && batch > 0, CUFFT_INVALID_SIZE);
  for (int d = 0; d < rank; ++d) {
    CUFFT_NEEDS(n[d] > 0, CUFFT_INVALID_SIZE);
    plan->sizes[3 - rank + d] = n[d];
  }
  plan->type = type, plan->batch = batch;
  const int64_t last = plan->sizes[2], half = last / 2 + 1;
  plan->advanced = inembed && onembed;
  plan->in = plan->advanced ? given(rank, inembed, istride, idist) : packed(*plan, plan->to_real() ? half : last);
  plan->out = plan->advanced ? given(rank, onembed, ostride, odist) : packed(*plan, plan->from_real() ? half : last);
  for (int d = 0; d < 3; ++d)
    if (plan->sizes[d] > 1)
      CUFFT_TRY(plan->is_double() ? make_roots<double>(plan->sizes[d], &plan->roots[d])
                                  : make_roots<float>(plan->sizes[d], &plan->roots[d]));
  if (plan->automatic) {
    if (cudaMalloc(&plan->own_area, plan->area_size()) != cudaSuccess) return CUFFT_ALLOC_FAILED;
    plan->area = plan->own_area;
  }
  if (size) *size = plan->area_size();
  plan->made = true;
  return CUFFT_SUCCESS;
}

// A plan of its own, which is no more if it cannot be made.
template <class Make>
cufftResult create(cufftHandle* handle, Make make) {
  CUFFT_TRY(cufftCreate(handle));
  const cufftResult result = make(*handle);
  if (result != CUFFT_SUCCESS) cufftDestroy(*handle);
  return result;
}

cufftResult estimate(int64_t elements, cufftType type, size_t* size) {
  CUFFT_NEEDS(size, CUFFT_INVALID_VALUE);
  const bool is_double = type == CUFFT_D2Z || type == CUFFT_Z2D || type == CUFFT_Z2Z;
  *size = size_t(2 * elements) * (is_double ? 16 : 8);
  return CUFFT_SUCCESS;
}

}  // namespace

Plan* find(cufftHandle handle) {
  const std::lock_guard guard(lock);
  const auto found = plans().find(handle);
  return found == plans().end() ? nullptr : found->second.get();
}

}  // namespace drywarp::cufft

using namespace drywarp::cufft;

extern "C" {

cufftResult cufftCreate(cufftHandle* handle) {
  CUFFT_NEEDS(handle, CUFFT_INVALID_VALUE);
  const std::lock_guard guard(lock);
  *handle = plans().empty() ? 1 : plans().rbegin()->first + 1;
  plans()[*handle] = std::make_unique<Plan>();
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle handle) {
  Plan* const plan = find(handle);
  CUFFT_NEEDS(plan, CUFFT_INVALID_PLAN);
  for (void* roots : plan->roots)
    if (roots) cudaFree(roots);
  if (plan->own_area) cudaFree(plan->own_area);
  const std::lock_guard guard(lock);
  plans().erase(handle);
  return CUFFT_SUCCESS;
}

cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                              int ostride, int odist, cufftType type, int batch, size_t* size) {
  CUFFT_NEEDS(n, CUFFT_INVALID_VALUE);
  return make(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, size);
}
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long int* n, long long int* inembed,
                                long long int istride, long long int idist, long long int* onembed,
                                long long int ostride, long long int odist, cufftType type, long long int batch,
                                size_t* size) {
  CUFFT_NEEDS(n, CUFFT_INVALID_VALUE);
  return make(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, size);
}
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int* n, long long int* inembed,
                                long long int istride, long long int idist, cudaDataType in, long long int* onembed,
                                long long int ostride, long long int odist, cudaDataType out, long long int batch,
                                size_t* size, cudaDataType) {
  struct Types {
    cudaDataType in, out;
    cufftType type;
  };
  constexpr Types kTypes[] = {{CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
                              {CUDA_R_32F, CUDA_C_32F, CUFFT_R2C}, {CUDA_R_64F, CUDA_C_64F, CUFFT_D2Z},
                              {CUDA_C_32F, CUDA_R_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_R_64F, CUFFT_Z2D}};
  for (const Types& types : kTypes)
    if (types.in == in && types.out == out)
      return cufftMakePlanMany64(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, types.type, batch,
                                 size);
  return CUFFT_NOT_SUPPORTED;
}
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t* size) {
  return make<int>(plan, 1, &nx, nullptr, 1, 0, nullptr, 1, 0, type, batch, size);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t* size) {
  const int n[] = {nx, ny};
  return make<int>(plan, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, size);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t* size) {
  const int n[] = {nx, ny, nz};
  return make<int>(plan, 3, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, size);
}

cufftResult cufftPlan1d(cufftHandle* plan, int nx, cufftType type, int batch) {
  return create(plan, [&](cufftHandle made) { return cufftMakePlan1d(made, nx, type, batch, nullptr); });
}
cufftResult cufftPlan2d(cufftHandle* plan, int nx, int ny, cufftType type) {
  return create(plan, [&](cufftHandle made) { return cufftMakePlan2d(made, nx, ny, type, nullptr); });
}
cufftResult cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
  return create(plan, [&](cufftHandle made) { return cufftMakePlan3d(made, nx, ny, nz, type, nullptr); });
}
cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                          int ostride, int odist, cufftType type, int batch) {
  return create(plan, [&](cufftHandle made) {
    return cufftMakePlanMany(made, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, nullptr);
  });
}

cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t* size) {
  return estimate(int64_t(nx) * batch, type, size);
}
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t* size) {
  return estimate(int64_t(nx) * ny, type, size);
}
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t* size) {
  return estimate(int64_t(nx) * ny * nz, type, size);
}
cufftResult cufftEstimateMany(int rank, int* n, int*, int, int, int*, int, int, cufftType type, int batch,
                              size_t* size) {
  CUFFT_NEEDS(n && rank >= 1 && rank <= 3, CUFFT_INVALID_VALUE);
  int64_t elements = batch;
  for (int d = 0; d < rank; ++d) elements *= n[d];
  return estimate(elements, type, size);
}
cufftResult cufftGetSize1d(cufftHandle, int nx, cufftType type, int batch, size_t* size) {
  return cufftEstimate1d(nx, type, batch, size);
}
cufftResult cufftGetSize2d(cufftHandle, int nx, int ny, cufftType type, size_t* size) {
  return cufftEstimate2d(nx, ny, type, size);
}
cufftResult cufftGetSize3d(cufftHandle, int nx, int ny, int nz, cufftType type, size_t* size) {
  return cufftEstimate3d(nx, ny, nz, type, size);
}
cufftResult cufftGetSizeMany(cufftHandle, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                             int ostride, int odist, cufftType type, int batch, size_t* size) {
  return cufftEstimateMany(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, size);
}
cufftResult cufftGetSize(cufftHandle handle, size_t* size) {
  const Plan* const plan = find(handle);
  CUFFT_NEEDS(plan && plan->made, CUFFT_INVALID_PLAN);
  CUFFT_NEEDS(size, CUFFT_INVALID_VALUE);
  *size = plan->area_size();
  return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void* area) {
  Plan* const plan = find(handle);
  CUFFT_NEEDS(plan, CUFFT_INVALID_PLAN);
  plan->area = area;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int automatic) {
  Plan* const plan = find(handle);
  CUFFT_NEEDS(plan && !plan->made, CUFFT_INVALID_PLAN);
  plan->automatic = automatic != 0;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  Plan* const plan = find(handle);
  CUFFT_NEEDS(plan, CUFFT_INVALID_PLAN);
  plan->stream = stream;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetVersion(int* version) {
  CUFFT_NEEDS(version, CUFFT_INVALID_VALUE);
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int* value) {
  constexpr int kValues[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
  CUFFT_NEEDS(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL, CUFFT_INVALID_VALUE);
  *value = kValues[type];
  return CUFFT_SUCCESS;
}

}  // extern "C"
