// Ticket locks, of volatile words with fences and of cuda::atomic_ref. The fault: the lock is given back without a release.
// VARIANT: -D FAULT
// FINDS: write-write @SUM @SUM
// FINDS: read-write @SUM @SUM
// FINDS: write-write @REF @REF
// FINDS: read-write @REF @REF
#include <cstdio>
#include <cuda/atomic>
struct TicketLock {
  unsigned next, serving;
};
__device__ unsigned enter(TicketLock* l) {
  const unsigned ticket = atomicAdd(&l->next, 1u);
  while (*(volatile unsigned*)&l->serving != ticket) __nanosleep(10);
  __threadfence();
  return ticket;
}
__device__ void leave(TicketLock* l, unsigned ticket) {
#ifndef FAULT
  __threadfence();
#endif
  *(volatile unsigned*)&l->serving = ticket + 1;
}
__global__ void account(TicketLock* lock, int* balance, int* log) {
  if (threadIdx.x % 32 != 0) return;
  for (int i = 0; i < 3; ++i) {
    const unsigned t = enter(lock);
    *balance += 5;  // @SUM
    log[t] = *balance;
    leave(lock, t);
  }
}
// The same with cuda::atomic_ref.
__global__ void account_ref(TicketLock* lock, int* balance) {
  if (threadIdx.x % 32 != 0) return;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> next(lock->next), serving(lock->serving);
  const unsigned ticket = next.fetch_add(1, cuda::memory_order_relaxed);
  while (serving.load(cuda::memory_order_acquire) != ticket) {
  }
  *balance += 7;  // @REF
#ifdef FAULT
  serving.store(ticket + 1, cuda::memory_order_relaxed);
#else
  serving.store(ticket + 1, cuda::memory_order_release);
#endif
}
int main() {
  TicketLock* lock;
  int *balance, *log;
  cudaMalloc(&lock, sizeof *lock);
  cudaMalloc(&balance, 4), cudaMalloc(&log, 200 * 4);
  cudaMemset(lock, 0, sizeof *lock), cudaMemset(balance, 0, 4);
  account<<<5, 96>>>(lock, balance, log);
  cudaMemset(lock, 0, sizeof *lock);
  account_ref<<<5, 96>>>(lock, balance);
  int host = 0;
  cudaMemcpy(&host, balance, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", host);
  cudaFree(lock), cudaFree(balance), cudaFree(log);
  return host != 5 * 3 * 3 * 5 + 7 * 15;
}
