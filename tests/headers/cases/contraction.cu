// a * b + c contracts to a fused multiply-add, as nvcc's default does.
// ptx: fma.rn.f32
// ptx: fma.rn.f64
// no ptx: mul.f32
// no ptx: mul.f64
// optimised only
__global__ void contraction(float* f, double* d) {
  f[0] = f[1] * f[2] + f[3];
  d[0] = d[1] * d[2] + d[3];
}
