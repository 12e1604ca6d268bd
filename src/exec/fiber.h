// A stack of its own for a warp, so that generated code can wait in the middle of anything: at a barrier, in a called
// function, in a loop that spins. A switch saves the six callee-saved registers and nothing else (see fiber_x86_64.S).
//
// Not boost::context: its fibers unwind the stack when they are dropped, and generated code has no unwind tables. A
// fiber here is dropped by never switching to it again, which is how a faulting kernel ends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drywarp::exec {

class Fiber {
 public:
  using Entry = void (*)(void* argument);
  static constexpr size_t kStackBytes = 4 * 1024 * 1024;  // of addresses; pages come when they are touched

  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Prepares to run entry(argument) from the start; the stack is mapped once and reused. False: no memory.
  // `entry` must not return: it ends by calling leave() and is never resumed.
  bool start(Entry entry, void* argument);
  // From the scheduler: runs the fiber until it calls leave().
  void resume();
  // From inside the fiber: back to the scheduler.
  void leave();
  // Bytes of stack left below the caller's frame.
  [[nodiscard]] size_t stack_left() const;

 private:
  char* stack_ = nullptr;                              // lowest address, a guard page
  void* inside_ = nullptr;                             // stack pointer of the suspended fiber
  void* outside_ = nullptr;                            // ... of the scheduler
  [[maybe_unused]] void* sanitizer_inside_ = nullptr;  // what the sanitizers keep of each side
  [[maybe_unused]] void* sanitizer_outside_ = nullptr;
  [[maybe_unused]] const void* outside_bottom_ = nullptr;
  [[maybe_unused]] size_t outside_size_ = 0;
  Entry entry_ = nullptr;
  void* argument_ = nullptr;

  static void run(Fiber* fiber);
};

}  // namespace drywarp::exec
