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

# Tiles that are written and read as vectors through a cast: clang goes by the variable's own type. nvcc's accesses of each kernel
# are named, and a shared variable of such accesses is aligned for them.
cat >tiles.cu <<'CU'
#define AT threadIdx.x
extern "C" __global__ void cast(float* p, float* o, int n) {
  __shared__ float odd[7], tile[1024];
  odd[AT % 7] = p[3];
  *reinterpret_cast<float4*>(&tile[AT * 4]) = *reinterpret_cast<float4*>(&p[AT * n]);
  __syncthreads();
  float4 v = *reinterpret_cast<float4*>(&tile[AT * 8]);
  o[n] = odd[n] + v.x * v.y + v.z * v.w;
}
extern "C" __global__ void dynamic(float* p, float* o, int n) {
  extern __shared__ float tile[];
  *reinterpret_cast<float4*>(&tile[AT * 4]) = *reinterpret_cast<float4*>(&p[AT * n]);
  __syncthreads();
  o[n] = tile[AT];
}
extern "C" __global__ void neighbours(float* o) {
  __shared__ __align__(16) float tile[1024];
  tile[AT] = o[AT];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) sum = sum * tile[AT % 32 % 8 * 4 + i] + 1;
  o[AT] = sum;
}
CU
expect 0 "$DRYWARP" nvcc -ptx -arch=sm_90 -O3 tiles.cu
# accesses KERNEL: kind and width of its accesses, in their order
accesses() {
  awk -v k="entry $1(" 'index($0, ".entry") { on = index($0, k) } on' tiles.ptx | grep -o '[ls][dt]\.[gs][a-z]*\.[v4.]*[uf]32' | tr '\n' ' '
}
same() { [[ $(accesses "$1") == "$2 " ]] || fail "$1: $(accesses "$1")"; }
same cast "ld.global.f32 st.shared.f32 ld.global.v4.u32 st.shared.v4.u32 ld.shared.v4.f32 ld.shared.f32 st.global.f32"
same dynamic "ld.global.v4.u32 st.shared.v4.u32 ld.shared.f32 st.global.f32"
same neighbours "ld.global.f32 st.shared.f32 ld.shared.v4.f32 st.global.f32"
grep -q 'shared .align 16 .b8 .*tile\[4096\]' tiles.ptx || fail "the tile is not aligned"
