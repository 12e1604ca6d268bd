// With -use_fast_math's options the functions are the approximate instructions.
// flags: -D__USE_FAST_MATH__=1 -D__CUDA_FTZ=1 -fgpu-approx-transcendentals
// device flags: -fcuda-flush-denormals-to-zero -mllvm -nvptx-prec-divf32=0
// ptx: sin.approx.ftz.f32
// ptx: cos.approx.ftz.f32
// ptx: lg2.approx.ftz.f32
// ptx: ex2.approx.ftz.f32
// ptx: sqrt.approx.ftz.f32
// ptx: tanh.approx.f32
// ptx: div.approx.ftz.f32
// no ptx: call
// no ptx: __drywarp_two_over_pi
// optimised only
__global__ void fast_math(float* f) {
  f[0] = sinf(f[1]) + cosf(f[2]) + logf(f[3]) + expf(f[4]) + sqrtf(f[5]) + tanhf(f[6]) + f[7] / f[8] + powf(f[9], 3.5f);
}
