// Filling arrays with a generator's numbers.
#include <type_traits>

#include "distributions.h"
#include "generator.h"
#include "mtgp32.h"
#include "sobol_vectors.h"

namespace drywarp::curand {
namespace {

// Every thread's state before the turn `offset`: of the turns before, it has taken those that are its own.
template <class State>
__global__ void make_states(State* states, unsigned threads, unsigned long long seed, unsigned long long offset) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  curand_init(seed, t, (offset + threads - 1 - t) / threads, &states[t]);
}

template <class State, class D>
__global__ void generate(State* states, unsigned threads, unsigned first, D distribution, typename D::Out* out,
                         uint64_t n) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  State state = states[t];
  const uint64_t turns = (n + D::kEach - 1) / D::kEach;
  for (uint64_t turn = (t + threads - first) % threads; turn < turns; turn += threads) {
    typename D::Out drawn[D::kEach];
    distribution.draw(state, drawn);
    for (int i = 0; i < D::kEach; ++i)
      if (turn * D::kEach + i < n) out[turn * D::kEach + i] = drawn[i];
  }
  states[t] = state;
}

// Numbers first to first + n: four of each subsequence, one thread a subsequence.
template <class D>
__global__ void generate_philox(unsigned long long seed, uint64_t first, D distribution, typename D::Out* out,
                                uint64_t n) {
  const uint64_t begin = first / 4, end = (first + n + 3) / 4, stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t turn = begin + uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; turn < end; turn += stride) {
    curandStatePhilox4_32_10_t state;
    curand_init(seed, turn, 0, &state);
    typename D::Out drawn[4];
    distribution.draw4(state, drawn);
    for (int i = 0; i < 4; ++i) {
      const uint64_t at = turn * 4 + i;
      if (at >= first && at < first + n) out[at - first] = drawn[i];
    }
  }
}

// All numbers of a dimension, then those of the next. A thread a number.
template <class D>
__global__ void generate_sobol(const unsigned* vectors, unsigned long long first, D distribution, typename D::Out* out,
                               uint64_t of_dimension) {
  const unsigned dimension = blockIdx.y;
  for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < of_dimension;
       i += uint64_t(gridDim.x) * blockDim.x) {
    curandStateSobol32_t state;
    curand_init(vectors + dimension * 32, unsigned(first + i), &state);
    typename D::Out drawn[D::kEach];
    distribution.draw(state, drawn);
    out[dimension * of_dimension + i] = drawn[0];
  }
}

template <class State>
curandStatus_t prepare_states(curandGenerator_st& g) {
  if (g.states) return CURAND_STATUS_SUCCESS;
  CURAND_TRY(failed(cudaMalloc(&g.states, sizeof(State) * threads_of(g))));
  g.turns = g.offset;
  return launch(g.stream, make_states<State>, threads_of(g), static_cast<State*>(g.states), threads_of(g), g.seed,
                g.offset);
}

template <class State, class D>
curandStatus_t with_states(curandGenerator_st& g, const D& distribution, typename D::Out* out, uint64_t n) {
  CURAND_TRY(prepare_states<State>(g));
  const unsigned threads = threads_of(g);
  CURAND_TRY(launch(g.stream, generate<State, D>, threads, static_cast<State*>(g.states), threads,
                    unsigned(g.turns % threads), distribution, out, n));
  g.turns += (n + D::kEach - 1) / D::kEach;
  return CURAND_STATUS_SUCCESS;
}

template <class D>
curandStatus_t with_philox(curandGenerator_st& g, const D& distribution, typename D::Out* out, uint64_t n) {
  CURAND_TRY(launch(g.stream, generate_philox<D>, (n + 3) / 4 + 1, g.seed, g.offset + g.turns, distribution, out, n));
  g.turns += n;
  return CURAND_STATUS_SUCCESS;
}

template <class D>
curandStatus_t with_sobol(curandGenerator_st& g, const D& distribution, typename D::Out* out, uint64_t n) {
  if (n % g.dimensions != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (!g.states) {
    const auto vectors = sobol_vectors32();
    if (!vectors) return CURAND_STATUS_ALLOCATION_FAILED;
    const size_t bytes = g.dimensions * sizeof vectors[0];
    CURAND_TRY(failed(cudaMalloc(&g.states, bytes)));
    CURAND_TRY(failed(cudaMemcpy(g.states, vectors, bytes, cudaMemcpyHostToDevice)));
    g.turns = g.offset;
  }
  const uint64_t of_dimension = n / g.dimensions;
  const auto* vectors = static_cast<const unsigned*>(g.states);
  D copied = distribution;
  unsigned long long first = g.turns;
  uint64_t count = of_dimension;
  void* pointers[] = {&vectors, &first, &copied, &out, &count};
  const uint64_t blocks = (of_dimension + kBlock - 1) / kBlock;
  if (cudaLaunchKernel(reinterpret_cast<const void*>(generate_sobol<D>),
                       dim3(unsigned(blocks < 65536 ? blocks : 65536), g.dimensions), kBlock, pointers, 0,
                       g.stream) != cudaSuccess)
    return CURAND_STATUS_LAUNCH_FAILURE;
  g.turns += of_dimension;
  return CURAND_STATUS_SUCCESS;
}

template <class D>
curandStatus_t on_device(curandGenerator_st& g, const D& distribution, typename D::Out* out, uint64_t n) {
  switch (g.type) {
    case CURAND_RNG_PSEUDO_XORWOW:
      return with_states<curandStateXORWOW_t>(g, distribution, out, n);
    case CURAND_RNG_PSEUDO_MRG32K3A:
      return with_states<curandStateMRG32k3a_t>(g, distribution, out, n);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      return with_philox(g, distribution, out, n);
    case CURAND_RNG_PSEUDO_MTGP32:
      return with_mtgp32(g, distribution, out, n);
    case CURAND_RNG_QUASI_SOBOL32:
      if constexpr (std::is_same_v<D, Poisson>)
        return CURAND_STATUS_TYPE_ERROR;
      else
        return with_sobol(g, distribution, out, n);
    default:
      return CURAND_STATUS_TYPE_ERROR;
  }
}

// A generator for the host fills memory of the device and copies it.
template <class D>
curandStatus_t fill(curandGenerator_t g, const D& distribution, typename D::Out* out, size_t n) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (!is_quasi(g->type) && n % D::kEach != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (n == 0) return CURAND_STATUS_SUCCESS;
  if (!g->to_host) return on_device(*g, distribution, out, n);
  typename D::Out* copied = nullptr;
  CURAND_TRY(failed(cudaMalloc(&copied, n * sizeof *out)));
  curandStatus_t status = on_device(*g, distribution, copied, n);
  if (status == CURAND_STATUS_SUCCESS)
    status = failed(cudaMemcpyAsync(out, copied, n * sizeof *out, cudaMemcpyDeviceToHost, g->stream));
  if (status == CURAND_STATUS_SUCCESS) status = failed(cudaStreamSynchronize(g->stream));
  cudaFree(copied);
  return status;
}

}  // namespace
}  // namespace drywarp::curand

using namespace drywarp::curand;

extern "C" {

curandStatus_t curandGenerateSeeds(curandGenerator_t g) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  switch (g->type) {
    case CURAND_RNG_PSEUDO_XORWOW:
      return prepare_states<curandStateXORWOW_t>(*g);
    case CURAND_RNG_PSEUDO_MRG32K3A:
      return prepare_states<curandStateMRG32k3a_t>(*g);
    case CURAND_RNG_PSEUDO_MTGP32:
      return prepare_mtgp32(*g);
    default:
      return CURAND_STATUS_SUCCESS;
  }
}

curandStatus_t curandGenerate(curandGenerator_t g, unsigned* out, size_t n) { return fill(g, Bits{}, out, n); }
curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long*, size_t) {
  return g ? CURAND_STATUS_TYPE_ERROR : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t curandGenerateUniform(curandGenerator_t g, float* out, size_t n) { return fill(g, Uniform{}, out, n); }
curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double* out, size_t n) {
  return fill(g, UniformDouble{}, out, n);
}
curandStatus_t curandGenerateNormal(curandGenerator_t g, float* out, size_t n, float mean, float deviation) {
  return fill(g, Normal<false>{mean, deviation}, out, n);
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double* out, size_t n, double mean, double deviation) {
  return fill(g, NormalDouble<false>{mean, deviation}, out, n);
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float* out, size_t n, float mean, float deviation) {
  return fill(g, Normal<true>{mean, deviation}, out, n);
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double* out, size_t n, double mean,
                                             double deviation) {
  return fill(g, NormalDouble<true>{mean, deviation}, out, n);
}
curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned* out, size_t n, double lambda) {
  if (!(lambda > 0)) return CURAND_STATUS_OUT_OF_RANGE;
  return fill(g, Poisson{lambda}, out, n);
}

}  // extern "C"
