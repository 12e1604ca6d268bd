// Making generators and setting them.
#include "generator.h"

#include <new>

using namespace drywarp::curand;

namespace {

// A change of the seed, the offset, the order or the dimensions begins the sequence again.
curandStatus_t begin_again(curandGenerator_t g) {
  g->turns = 0;
  if (!g->states) return CURAND_STATUS_SUCCESS;
  void* const states = g->states;
  g->states = nullptr;
  return cudaFree(states) == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

curandStatus_t create(curandGenerator_t* out, curandRngType_t type, bool to_host) {
  if (!out) return CURAND_STATUS_NOT_INITIALIZED;
  if (type == CURAND_RNG_PSEUDO_DEFAULT) type = CURAND_RNG_PSEUDO_XORWOW;
  if (type == CURAND_RNG_QUASI_DEFAULT) type = CURAND_RNG_QUASI_SOBOL32;
  constexpr curandRngType_t kThere[] = {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
                                        CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_PSEUDO_MTGP32,
                                        CURAND_RNG_QUASI_SOBOL32};
  for (const curandRngType_t there : kThere) {
    if (type != there) continue;
    auto* made = new (std::nothrow) curandGenerator_st;
    if (!made) return CURAND_STATUS_ALLOCATION_FAILED;
    made->type = type;
    made->to_host = to_host;
    if (is_quasi(type)) made->order = CURAND_ORDERING_QUASI_DEFAULT;
    *out = made;
    return CURAND_STATUS_SUCCESS;
  }
  return CURAND_STATUS_TYPE_ERROR;
}

bool has_seeded_order(curandRngType_t type) {
  return type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_MTGP32;
}

}  // namespace

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* g, curandRngType_t type) { return create(g, type, false); }
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* g, curandRngType_t type) { return create(g, type, true); }
curandStatus_t curandDestroyGenerator(curandGenerator_t g) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  const curandStatus_t status = begin_again(g);
  delete g;
  return status;
}

curandStatus_t curandGetVersion(int* version) {
  if (!version) return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetProperty(libraryPropertyType type, int* value) {
  constexpr int kValues[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
  if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return CURAND_STATUS_OUT_OF_RANGE;
  *value = kValues[type];
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  g->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (is_quasi(g->type)) return CURAND_STATUS_TYPE_ERROR;
  g->seed = seed;
  return begin_again(g);
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (g->type == CURAND_RNG_PSEUDO_MTGP32) return CURAND_STATUS_TYPE_ERROR;
  g->offset = offset;
  return begin_again(g);
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  const bool possible = is_quasi(g->type)
                            ? order == CURAND_ORDERING_QUASI_DEFAULT
                            : order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_DYNAMIC &&
                                  (order != CURAND_ORDERING_PSEUDO_SEEDED || has_seeded_order(g->type));
  if (!possible) return CURAND_STATUS_OUT_OF_RANGE;
  g->order = order;
  return begin_again(g);
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned dimensions) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (!is_quasi(g->type)) return CURAND_STATUS_TYPE_ERROR;
  if (dimensions == 0 || dimensions > kMostDimensions) return CURAND_STATUS_OUT_OF_RANGE;
  g->dimensions = dimensions;
  return begin_again(g);
}

}  // extern "C"
