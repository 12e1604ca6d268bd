// Arithmetic of halves and bfloat16s, single and in pairs, is native.
// ptx: add.f16
// ptx: mul.f16
// ptx: fma.rn.f16x2
// ptx: add.bf16
// ptx: fma.rn.bf16x2
// ptx: cvt.rn.f16.f32
// ptx: cvt.f32.f16
// ptx: cvt.rn.bf16x2.f32
// no ptx: call
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void half_math(__half* h, __half2* p, __nv_bfloat16* b, __nv_bfloat162* q, float* f) {
  h[0] = h[1] * h[2] + h[3];
  p[0] = __hfma2(p[1], p[2], p[3]);
  b[0] = b[1] + b[2];
  q[0] = __hfma2(q[1], q[2], q[3]);
  h[4] = __float2half(f[0]);
  f[1] = __half2float(h[5]) + static_cast<float>(b[3]);
  q[1] = __floats2bfloat162_rn(f[2], f[3]);
  if (h[1] < h[2]) h[6] = hexp(h[7]);
}
float on_the_host(__half a, __nv_bfloat16 b) { return static_cast<float>(a * a) + __bfloat162float(b + b); }
