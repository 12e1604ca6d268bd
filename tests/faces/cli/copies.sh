# Copies of structures make nvcc's accesses, so that requests and sectors match a GPU's, and use no local memory.
source "$(dirname "$0")/common.sh"

cat >k.cu <<'CU'
#define AT threadIdx.x
extern "C" __global__ void whole(const float4* in, float4* out) { out[AT] = in[AT]; }
extern "C" __global__ void guarded(const float4* in, float4* out, int n) {
  float4 v = make_float4(0, 0, 0, 0);
  if (AT < n) v = in[AT];
  out[AT] = v;
}
extern "C" __global__ void several(const float4* in, float4* out, int n) {
  float4 v[2];
#pragma unroll
  for (int k = 0; k < 2; ++k)
    if (AT + k * blockDim.x < n) v[k] = in[AT + k * blockDim.x];
#pragma unroll
  for (int k = 0; k < 2; ++k)
    if (AT + k * blockDim.x < n) out[AT + k * blockDim.x] = v[k];
}
extern "C" __global__ void changed(const uchar4* in, uchar4* out) {
  uchar4 v = in[AT];
  v.x += 1;
  out[AT] = v;
}
extern "C" __global__ void two_of_four(const float4* in, float* out) { float4 v = in[AT]; out[AT] = v.x + v.z; }
extern "C" __global__ void one_of_four(const float4* in, float* out) { float4 v = in[AT]; out[AT] = v.z; }
extern "C" __global__ void three(const float3* in, float3* out) { out[AT] = in[AT]; }
struct Pair { float4 a, b; };
extern "C" __global__ void pairs(const Pair* in, Pair* out) { out[AT] = in[AT]; }
struct Long { float v[40]; };
extern "C" __global__ void longer(const Long* in, Long* out) { out[AT] = in[AT]; }
CU
expect 0 "$DRYWARP" nvcc -ptx -arch=sm_90 k.cu
hasnt k.ptx ".local"

# makes KERNEL ACCESS...: the kernel's accesses to global memory, in order
makes() {
  local kernel=$1 found
  shift
  found=$(awk -v k="entry $kernel(" 'index($0, ".entry") { on = index($0, k) } on && $1 ~ /^(ld|st)\.global/ { printf "%s ", $1 }' k.ptx)
  [[ $found == "$* " ]] || fail "$kernel makes $found"
}
makes whole ld.global.v4.f32 st.global.v4.f32
makes guarded ld.global.v4.f32 st.global.v4.f32
makes several ld.global.v4.f32 ld.global.v4.f32 st.global.v4.f32 st.global.v4.f32
makes changed ld.global.u32 st.global.u32
makes two_of_four ld.global.v4.f32 st.global.f32
makes one_of_four ld.global.f32 st.global.f32
makes three ld.global.f32 ld.global.f32 ld.global.f32 st.global.f32 st.global.f32 st.global.f32
makes pairs ld.global.v4.f32 ld.global.v4.f32 st.global.v4.f32 st.global.v4.f32
makes longer ld.global.u32 st.global.u32
