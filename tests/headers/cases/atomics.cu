// Each atomic function is one instruction in its scope and type.
// ptx: atom.global.add.u32
// ptx: atom.global.add.f32
// ptx: atom.global.add.f64
// ptx: atom.shared.add.u32
// ptx: atom.global.max.s64
// ptx: atom.global.cas.b64
// ptx: atom.cas.b16
// ptx: atom.global.exch.b32
// ptx: atom.inc.u32|atom.global.inc.u32
// ptx: atom.cta.add.|atom.cta.global.add.
// ptx: atom.sys.add.f32|atom.sys.global.add.f32
// ptx: atom.add.noftz.f16
// ptx: atom.add.noftz.bf16x2
// ptx: atom.global.add.v4.f32
// no ptx: call
// optimised only
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void atomics(int* i, unsigned* u, float* f, double* d, long long* l, unsigned long long* ul,
                        unsigned short* s, __half* h, __nv_bfloat162* b, float4* v) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  i[0] = atomicAdd(i + 1, count) + atomicSub(i + 2, 3);
  f[0] = atomicAdd(f + 1, 2.0f) + atomicExch(f + 2, 3.0f) + atomicAdd_system(f + 3, 1.0f);
  d[0] = atomicAdd(d + 1, 2.0);
  l[0] = atomicMax(l + 1, 5ll);
  ul[0] = atomicCAS(ul + 1, 1ull, 2ull);
  s[0] = atomicCAS(s + 1, static_cast<unsigned short>(1), static_cast<unsigned short>(2));
  u[0] = atomicInc(u + 1, 7u);
  i[3] = atomicAdd_block(i + 4, 1);
  atomicAdd(h, __float2half(1.0f));
  atomicAdd(b, __floats2bfloat162_rn(1.0f, 2.0f));
  atomicAdd(v, make_float4(1, 2, 3, 4));
}
