// cuda::pipeline over cp.async groups: a commit ends a stage, a wait leaves the later stages pending. The pipeline of a
// block synchronises the block where a consumer waits and where it releases a stage.
#ifndef DRYWARP_CONCURRENCY_PIPELINE_H
#define DRYWARP_CONCURRENCY_PIPELINE_H
#pragma GCC system_header

#include "drywarp/concurrency/barrier.h"

namespace cuda {

template <thread_scope Scope, unsigned Stages>
struct pipeline_shared_state {
  unsigned char unused;
};

#if defined(__CUDA__)
template <thread_scope Scope>
class pipeline {
 public:
  __device__ void producer_acquire() {}
  __device__ void producer_commit() {
    cooperative_groups::details::commit_copies();
    ++pending_;
  }
  // The oldest stage has arrived, for every thread that takes part.
  __device__ void consumer_wait() {
    const unsigned later = pending_ > 0 ? pending_ - 1 : 0;
    switch (later) {
      case 0:
        cooperative_groups::details::wait_for_copies<0>();
        break;
      case 1:
        cooperative_groups::details::wait_for_copies<1>();
        break;
      case 2:
        cooperative_groups::details::wait_for_copies<2>();
        break;
      case 3:
        cooperative_groups::details::wait_for_copies<3>();
        break;
      default:
        cooperative_groups::details::wait_for_copies<4>();
        break;
    }
    if (Scope != thread_scope_thread) __syncthreads();
  }
  __device__ void consumer_release() {
    if (pending_ > 0) --pending_;
    if (Scope != thread_scope_thread) __syncthreads();
  }
  __device__ void quit() {}

 private:
  unsigned pending_ = 0;  // stages committed and not yet released
};

__device__ inline pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }
template <class Group, thread_scope Scope, unsigned Stages>
__device__ inline pipeline<Scope> make_pipeline(const Group&, pipeline_shared_state<Scope, Stages>*) {
  return pipeline<Scope>();
}
template <unsigned Prior, thread_scope Scope>
__device__ inline void pipeline_consumer_wait_prior(pipeline<Scope>&) {
  cooperative_groups::details::wait_for_copies<Prior>();
  if (Scope != thread_scope_thread) __syncthreads();
}
template <class Size, thread_scope Scope>
__device__ inline void memcpy_async(void* to, const void* from, Size bytes, pipeline<Scope>&) {
  cooperative_groups::details::copy_together(0, 1, to, from, static_cast<size_t>(bytes));
}
template <class Group, class Size, thread_scope Scope>
__device__ inline void memcpy_async(const Group& group, void* to, const void* from, Size bytes, pipeline<Scope>&) {
  cooperative_groups::details::copy_together(static_cast<unsigned>(group.thread_rank()),
                                             static_cast<unsigned>(group.size()), to, from, static_cast<size_t>(bytes));
}
#endif

}  // namespace cuda

#endif
