#include "exec/fiber.h"

#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__) || (defined(__has_feature) && __has_feature(address_sanitizer))
#define DRYWARP_ASAN 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__) || (defined(__has_feature) && __has_feature(thread_sanitizer))
#define DRYWARP_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif

extern "C" {
void drywarp_switch_stack(void** save, void* load);
void drywarp_fiber_start();
}

namespace drywarp::exec {

namespace {
constexpr size_t kGuardBytes = 4096;
}

Fiber::~Fiber() {
#ifdef DRYWARP_ASAN
  if (stack_) __asan_unpoison_memory_region(stack_, kStackBytes + kGuardBytes);
#endif
  if (stack_) ::munmap(stack_, kStackBytes + kGuardBytes);
#ifdef DRYWARP_TSAN
  if (sanitizer_inside_) __tsan_destroy_fiber(sanitizer_inside_);
#endif
}

bool Fiber::start(Entry entry, void* argument) {
  if (!stack_) {
    void* memory = ::mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    stack_ = static_cast<char*>(memory);
    ::mprotect(stack_, kGuardBytes, PROT_NONE);
  }
#ifdef DRYWARP_TSAN
  // A fiber is dropped inside its functions: what the sanitizer knows of its stack of calls starts afresh as well.
  if (sanitizer_inside_) __tsan_destroy_fiber(sanitizer_inside_);
  sanitizer_inside_ = __tsan_create_fiber(0);
#endif
#ifdef DRYWARP_ASAN
  // ... and the frames that it left poisoned are gone.
  __asan_unpoison_memory_region(stack_ + kGuardBytes, kStackBytes);
  sanitizer_inside_ = nullptr;
#endif
  entry_ = entry;
  argument_ = argument;
  // As drywarp_switch_stack leaves it: r15 r14 r13 r12 rbx rbp, then where to go. The stack is 16-byte aligned at the
  // call.
  auto** top = reinterpret_cast<void**>(stack_ + kGuardBytes + kStackBytes);
  *--top = nullptr;
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(&drywarp_fiber_start);
  *--top = nullptr;                               // rbp
  *--top = nullptr;                               // rbx
  *--top = this;                                  // r12
  *--top = reinterpret_cast<void*>(&Fiber::run);  // r13
  *--top = nullptr;                               // r14
  *--top = nullptr;                               // r15
  inside_ = top;
  return true;
}

void Fiber::run(Fiber* fiber) {
#ifdef DRYWARP_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &fiber->outside_bottom_, &fiber->outside_size_);
#endif
  fiber->entry_(fiber->argument_);
}

void Fiber::resume() {
#ifdef DRYWARP_ASAN
  __sanitizer_start_switch_fiber(&sanitizer_outside_, stack_ + kGuardBytes, kStackBytes);
#endif
#ifdef DRYWARP_TSAN
  sanitizer_outside_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizer_inside_, 0);
#endif
  drywarp_switch_stack(&outside_, inside_);
#ifdef DRYWARP_ASAN
  __sanitizer_finish_switch_fiber(sanitizer_outside_, nullptr, nullptr);
#endif
}

void Fiber::leave() {
#ifdef DRYWARP_ASAN
  __sanitizer_start_switch_fiber(&sanitizer_inside_, outside_bottom_, outside_size_);
#endif
#ifdef DRYWARP_TSAN
  __tsan_switch_to_fiber(sanitizer_outside_, 0);
#endif
  drywarp_switch_stack(&inside_, outside_);
#ifdef DRYWARP_ASAN
  __sanitizer_finish_switch_fiber(sanitizer_inside_, &outside_bottom_, &outside_size_);
#endif
}

size_t Fiber::stack_left() const {
  // Not the address of a local variable: sanitizers keep those elsewhere.
  return static_cast<size_t>(static_cast<const char*>(__builtin_frame_address(0)) - (stack_ + kGuardBytes));
}

}  // namespace drywarp::exec
