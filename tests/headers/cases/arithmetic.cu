// Intrinsics with a rounding mode are one instruction and are not contracted; operators are.
// ptx: add.rz.f32
// ptx: mul.rm.f64
// ptx: fma.rp.f32
// ptx: div.rz.f32
// ptx: sqrt.rn.f32
// ptx: rcp.rn.f64
// ptx: sub.rm.f32
// ptx: cvt.rni.s32.f32
// ptx: cvt.rzi.u64.f64
// ptx: cvt.rp.f32.s32
// ptx: mul.rn.f32
// ptx: add.rn.f32
// ptx: div.approx.f32
// ptx: ex2.approx.f32
// ptx: mul.hi.u32
// ptx: prmt.b32
// ptx: clz.b32
// ptx: popc.b64
// ptx: dp4a.s32.s32
// ptx: shf.l.wrap.b32
// ptx: sad.s32
// no ptx: call
__global__ void arithmetic(float* f, double* d, int* i, unsigned* u, unsigned long long* l) {
  f[0] = __fadd_rz(f[1], f[2]);
  d[0] = __dmul_rd(d[1], d[2]);
  f[3] = __fmaf_ru(f[1], f[2], f[3]);
  f[4] = __fdiv_rz(f[1], f[2]);
  f[5] = sqrtf(f[1]);
  d[3] = __drcp_rn(d[1]);
  f[6] = __fsub_rd(f[1], f[2]);
  i[0] = __float2int_rn(f[1]);
  l[0] = __double2ull_rz(d[1]);
  f[7] = __int2float_ru(i[1]);
  f[8] = __fadd_rn(__fmul_rn(f[1], f[2]), f[3]);
  f[9] = __fdividef(f[1], f[2]) + __expf(f[3]);
  u[0] = __umulhi(u[1], u[2]) + __byte_perm(u[3], u[4], u[5]) + static_cast<unsigned>(__clz(i[2]) + __popcll(l[1]));
  i[3] = __dp4a(i[4], i[5], i[6]);
  u[6] = __funnelshift_l(u[1], u[2], u[3]) + __sad(i[1], i[2], u[7]);
}
