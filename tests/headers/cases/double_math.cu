// Double precision functions are libdevice's names, left to the engine; simple ones are instructions.
// ptx: __nv_sin,
// ptx: __nv_pow,
// ptx: __nv_exp,
// ptx: sqrt.rn.f64
// ptx: abs.f64
// ptx: div.rn.f64
// ptx: rsqrt.approx.ftz.f64
#include <cmath>

__global__ void double_math(double* d) {
  d[0] = sin(d[1]) + std::pow(d[2], d[3]) + exp(d[4]) + sqrt(d[5]) + std::abs(d[6]) + d[7] / d[8] + rsqrt(d[9]);
}
