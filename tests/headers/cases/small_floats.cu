// Floating point of 8, 6 and 4 bits.
// ptx: cvt.rn.satfinite.e4m3x2.f32
// ptx: cvt.rn.f16x2.e5m2x2
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

static_assert(sizeof(__nv_fp8_e4m3) == 1 && sizeof(__nv_fp8x4_e5m2) == 4 && alignof(__nv_fp8x2_e4m3) == 2, "layout");
static_assert(sizeof(__nv_fp8_e8m0) == 1 && sizeof(__nv_fp8x2_e8m0) == 2 && sizeof(__nv_fp8x4_e8m0) == 4, "layout");
static_assert(sizeof(__nv_fp6_e2m3) == 1 && sizeof(__nv_fp6x2_e3m2) == 2 && sizeof(__nv_fp6x4_e3m2) == 4, "layout");
static_assert(sizeof(__nv_fp4_e2m1) == 1 && sizeof(__nv_fp4x2_e2m1) == 1 && sizeof(__nv_fp4x4_e2m1) == 2, "layout");

__global__ void kernel(float* out, const float2* in, const __half2* halves) {
  __nv_fp8x2_e4m3 a(in[0]);
  __nv_fp8x2_e5m2 b(halves[0]);
  out[0] = float2(a).x + __low2float(__half2(b));
  __nv_fp8_e8m0 scale(in[1].x);
  out[1] = float(scale) * float(__nv_fp6_e2m3(in[2].x)) + float(__nv_fp4_e2m1(in[2].y));
  out[2] = float(__nv_fp6_e3m2(3)) + int(__nv_fp4_e2m1(in[3].x));
  const float4 four = float4(__nv_fp4x4_e2m1(make_float4(in[4].x, in[4].y, in[5].x, in[5].y)));
  out[3] = four.x + four.y + four.z + four.w;
}

void host(float* out) { out[0] = float(__nv_fp8_e4m3(1.5f)) + float(__nv_fp6_e2m3(2.0)) + float(__nv_fp8_e8m0(8.0f)); }
