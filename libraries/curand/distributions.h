// What a turn of a generator gives: `kEach` numbers of type Out, drawn from a state of the device's interface.
#pragma once

#include <curand_kernel.h>

namespace drywarp::curand {

struct Bits {
  using Out = unsigned int;
  static constexpr int kEach = 1;
  template <class State>
  __device__ void draw(State& state, Out* out) const {
    out[0] = ::curand(&state);
  }
};
struct Uniform {
  using Out = float;
  static constexpr int kEach = 1;
  template <class State>
  __device__ void draw(State& state, Out* out) const {
    out[0] = curand_uniform(&state);
  }
};
struct UniformDouble {
  using Out = double;
  static constexpr int kEach = 1;
  template <class State>
  __device__ void draw(State& state, Out* out) const {
    out[0] = curand_uniform_double(&state);
  }
};
// Pairs by Box and Muller; of a quasi-random state, whose numbers must stay apart, one by the inverse distribution.
template <bool Log>
struct Normal {
  using Out = float;
  static constexpr int kEach = 2;
  float mean, deviation;
  __device__ Out scaled(float x) const { return Log ? expf(mean + deviation * x) : mean + deviation * x; }
  template <class State>
  __device__ void draw(State& state, Out* out) const {
    const float2 pair = curand_normal2(&state);
    out[0] = scaled(pair.x), out[1] = scaled(pair.y);
  }
  __device__ void draw(curandStateSobol32_t& state, Out* out) const { out[0] = scaled(curand_normal(&state)); }
};
template <bool Log>
struct NormalDouble {
  using Out = double;
  static constexpr int kEach = 2;
  double mean, deviation;
  __device__ Out scaled(double x) const { return Log ? exp(mean + deviation * x) : mean + deviation * x; }
  template <class State>
  __device__ void draw(State& state, Out* out) const {
    const double2 pair = curand_normal2_double(&state);
    out[0] = scaled(pair.x), out[1] = scaled(pair.y);
  }
  __device__ void draw(curandStateSobol32_t& state, Out* out) const { out[0] = scaled(curand_normal_double(&state)); }
};
struct Poisson {
  using Out = unsigned int;
  static constexpr int kEach = 1;
  double lambda;
  template <class State>
  __device__ void draw(State& state, Out* out) const {
    out[0] = curand_poisson(&state, lambda);
  }
};

}  // namespace drywarp::curand
