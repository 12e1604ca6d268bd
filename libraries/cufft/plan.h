// A plan of cuFFT: the shape of its transforms, where their elements lie, and the memory that they need.
#pragma once

#include <cufftXt.h>

#include <cstdint>

namespace drywarp::cufft {

// Where the element (x, y, z) of transform b lies: b * batch + x * steps[0] + y * steps[1] + z * steps[2].
struct Layout {
  int64_t batch, steps[3];
  __host__ __device__ int64_t place(int64_t b, int64_t x, int64_t y, int64_t z) const {
    return b * batch + x * steps[0] + y * steps[1] + z * steps[2];
  }
};

struct Plan {
  bool made = false, automatic = true;
  cufftType type = CUFFT_C2C;
  int64_t sizes[3] = {1, 1, 1}, batch = 1;  // of fewer dimensions, the first sizes are 1
  bool advanced = false;                    // the layouts are the program's
  Layout in{}, out{};
  cudaStream_t stream = nullptr;
  void* area = nullptr;      // two copies of all elements
  void* own_area = nullptr;  // as above, if this plan allocated it
  void* roots[3] = {};       // of unity, of each dimension
  [[nodiscard]] int64_t elements() const { return sizes[0] * sizes[1] * sizes[2] * batch; }
  [[nodiscard]] bool is_double() const { return type == CUFFT_D2Z || type == CUFFT_Z2D || type == CUFFT_Z2Z; }
  [[nodiscard]] bool from_real() const { return type == CUFFT_R2C || type == CUFFT_D2Z; }
  [[nodiscard]] bool to_real() const { return type == CUFFT_C2R || type == CUFFT_Z2D; }
  [[nodiscard]] size_t area_size() const { return size_t(2 * elements()) * (is_double() ? 16 : 8); }
};

Plan* find(cufftHandle handle);  // null: there is no such plan

#define CUFFT_NEEDS(condition, otherwise) \
  if (!(condition)) return otherwise
#define CUFFT_TRY(call) \
  if (const cufftResult result = (call)) return result

}  // namespace drywarp::cufft
