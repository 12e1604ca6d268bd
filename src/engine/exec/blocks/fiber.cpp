#include "engine/exec/blocks/fiber.h"

#include <sys/mman.h>

#ifdef DRYWARP_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef DRYWARP_TSAN
#include <sanitizer/tsan_interface.h>
#endif

extern "C" {
void drywarp_fiber_start();
}

namespace drywarp::exec {

namespace {
constexpr size_t kGuardBytes = 4096;

}  // namespace

void Fiber::unmap() {
  if (!stack_) return;
#ifdef DRYWARP_ASAN
  __asan_unpoison_memory_region(stack_, bytes_ + kGuardBytes);
#endif
  ::munmap(stack_, bytes_ + kGuardBytes);
  stack_ = nullptr;
}

Fiber::~Fiber() {
  unmap();
#ifdef DRYWARP_TSAN
  if (sanitizer_inside_) __tsan_destroy_fiber(sanitizer_inside_);
#endif
}

bool Fiber::start(Entry entry, void* argument, size_t bytes) {
  if (bytes_ < bytes) unmap();
  if (!stack_) {
    void* memory = ::mmap(nullptr, bytes + kGuardBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    stack_ = static_cast<char*>(memory);
    bytes_ = bytes;
    ::mprotect(stack_, kGuardBytes, PROT_NONE);
  }
#ifdef DRYWARP_TSAN
  // A fiber is dropped inside its functions, so the sanitizer's call stack must start afresh as well.
  if (sanitizer_inside_) __tsan_destroy_fiber(sanitizer_inside_);
  sanitizer_inside_ = __tsan_create_fiber(0);
#endif
#ifdef DRYWARP_ASAN
  // ... and the frames that it left poisoned are gone.
  __asan_unpoison_memory_region(stack_ + kGuardBytes, bytes_);
  sanitizer_inside_ = nullptr;
#endif
  entry_ = entry;
  argument_ = argument;
  // What switch_stack() pops, then what drywarp_fiber_start pops; aligned to 16 bytes at its call.
  auto** top = reinterpret_cast<void**>(stack_ + kGuardBytes + bytes_);
  *--top = reinterpret_cast<void*>(&Fiber::run);
  *--top = this;
  *--top = reinterpret_cast<void*>(&drywarp_fiber_start);
  inside_ = top;
  return true;
}

void Fiber::run(Fiber* fiber) {
#ifdef DRYWARP_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &fiber->outside_bottom_, &fiber->outside_size_);
#endif
  fiber->entry_(fiber->argument_);
}

#if defined(DRYWARP_ASAN) || defined(DRYWARP_TSAN)
void Fiber::resume() {
#ifdef DRYWARP_ASAN
  __sanitizer_start_switch_fiber(&sanitizer_outside_, stack_ + kGuardBytes, bytes_);
#endif
#ifdef DRYWARP_TSAN
  sanitizer_outside_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizer_inside_, 0);
#endif
  switch_stack(&outside_, inside_);
#ifdef DRYWARP_ASAN
  __sanitizer_finish_switch_fiber(sanitizer_outside_, nullptr, nullptr);
#endif
}
#endif

void Fiber::leave() {
#ifdef DRYWARP_ASAN
  __sanitizer_start_switch_fiber(&sanitizer_inside_, outside_bottom_, outside_size_);
#endif
#ifdef DRYWARP_TSAN
  __tsan_switch_to_fiber(sanitizer_outside_, 0);
#endif
  switch_stack(&inside_, outside_);
#ifdef DRYWARP_ASAN
  __sanitizer_finish_switch_fiber(sanitizer_inside_, &outside_bottom_, &outside_size_);
#endif
}

size_t Fiber::stack_left() const {
  // Not the address of a local variable: sanitizers keep those elsewhere.
  return static_cast<size_t>(static_cast<const char*>(__builtin_frame_address(0)) - (stack_ + kGuardBytes));
}

}  // namespace drywarp::exec
