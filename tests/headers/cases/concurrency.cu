// cuda::atomic, cuda::barrier and the part of cuda::std that programs use with them.
// ptx: atom.relaxed.sys.add.s32
// ptx: atom.relaxed.gpu.add.u32
// ptx: atom.acquire.gpu.max.s32
// ptx: fence.sc.sys
// ptx: mbarrier.arrive
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/barrier>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <nv/target>

__device__ cuda::std::atomic<int> everywhere;
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> here;

// -1 on the host; on the device, what the first condition says that holds.
constexpr __host__ __device__ int chosen() {
  int value = 0;
  NV_IF_ELSE_TARGET(NV_IS_HOST, (value = -1;), (value = 1;))
  NV_IF_TARGET(NV_PROVIDES_SM_50, (value += 10; value += 10;))
  NV_IF_TARGET(NV_NO_TARGET, (value = 1000;), (value += 100;))
  NV_DISPATCH_TARGET(NV_IS_HOST, (return value;), NV_IS_EXACTLY_SM_53, (return 5;), NV_PROVIDES_SM_50, (return value;))
  return 0;
}
#ifdef __CUDA_ARCH__
static_assert(chosen() == 121, "");
#else
static_assert(chosen() == 99, "");
#endif

__global__ void kernel(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  everywhere.fetch_add(1, cuda::std::memory_order_relaxed);
  here.fetch_add(2u, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device> there(out[0]);
  there.fetch_max(3);
  cuda::std::atomic_ref<int> too(out[1]);
  ++too;
  cuda::std::atomic_thread_fence(cuda::std::memory_order_seq_cst);
  barrier.arrive_and_wait();
  static_assert(cuda::std::is_same<cuda::std::uint32_t, unsigned>::value, "");
  out[2] = cuda::std::numeric_limits<int>::max();
  out[3] = static_cast<int>(sizeof(cuda::std::size_t));
  out[4] = cuda::std::plus<int>()(out[3], cuda::std::identity()(out[2]));
}
