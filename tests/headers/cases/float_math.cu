// The common single precision functions are inlined device code, not calls.
// ptx: ex2.approx.ftz.f32
// ptx: rcp.approx.ftz.f32
// ptx: fma.rm.f32
// ptx: fma.rn.sat.f32
// ptx: rsqrt.approx.f32
// ptx: cvt.rmi.f32.f32
// ptx: max.f32
// ptx: div.rn.f32
// ptx: __drywarp_two_over_pi
// no ptx: call
#include <cmath>

__global__ void float_math(float* f) {
  f[0] = sinf(f[1]) + std::cos(f[2]) + expf(f[3]) + std::log(f[4]) + powf(f[5], f[6]) + tanhf(f[7]);
  f[1] = rsqrtf(f[1]) + floorf(f[2]) + fmaxf(f[3], f[4]) + f[5] / f[6] + atan2f(f[7], f[8]) + cbrtf(f[9]);
  f[2] = log2f(f[1]) + exp2f(f[2]) + log10f(f[3]) + erff(f[4]) + hypotf(f[5], f[6]) + tanf(f[7]) + std::abs(f[8]);
}
