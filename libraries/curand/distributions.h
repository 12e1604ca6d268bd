// What a turn of a generator gives: `kEach` numbers of type Out, drawn from a state of the device's interface; four of
// Philox.
#pragma once

#include <curand_kernel.h>

namespace drywarp::curand {

using Philox = curandStatePhilox4_32_10_t;
template <class Out, class Four>
__device__ void store(Out (&out)[4], const Four& four) {
  out[0] = four.x, out[1] = four.y, out[2] = four.z, out[3] = four.w;
}

struct Bits {
  using Out = unsigned int;
  static constexpr int kEach = 1;
  template <class State>
  __device__ void draw(State& state, Out* out) const {
    out[0] = ::curand(&state);
  }
  __device__ void draw4(Philox& state, Out (&out)[4]) const { store(out, curand4(&state)); }
};
struct Uniform {
  using Out = float;
  static constexpr int kEach = 1;
  template <class State>
  __device__ void draw(State& state, Out* out) const {
    out[0] = curand_uniform(&state);
  }
  __device__ void draw4(Philox& state, Out (&out)[4]) const { store(out, curand_uniform4(&state)); }
};
struct UniformDouble {
  using Out = double;
  static constexpr int kEach = 1;
  template <class State>
  __device__ void draw(State& state, Out* out) const {
    out[0] = curand_uniform_double(&state);
  }
  __device__ void draw4(Philox& state, Out (&out)[4]) const { store(out, curand_uniform4_double(&state)); }
};
// Pairs by Box and Muller; of a quasi-random state, whose numbers must stay apart, and of MTGP32, whose threads draw
// together, one by the inverse distribution.
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
  __device__ void draw(curandStateMtgp32_t& state, Out* out) const { out[0] = scaled(curand_normal(&state)); }
  __device__ void draw4(Philox& state, Out (&out)[4]) const {
    store(out, curand_normal4(&state));
    for (Out& x : out) x = scaled(x);
  }
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
  __device__ void draw(curandStateMtgp32_t& state, Out* out) const { out[0] = scaled(curand_normal_double(&state)); }
  __device__ void draw4(Philox& state, Out (&out)[4]) const {
    store(out, curand_normal4_double(&state));
    for (Out& x : out) x = scaled(x);
  }
};
struct Poisson {
  using Out = unsigned int;
  static constexpr int kEach = 1;
  double lambda;
  template <class State>
  __device__ void draw(State& state, Out* out) const {
    out[0] = curand_poisson(&state, lambda);
  }
  __device__ void draw4(Philox& state, Out (&out)[4]) const { store(out, curand_poisson4(&state, lambda)); }
};

}  // namespace drywarp::curand
