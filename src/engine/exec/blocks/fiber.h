// A stack for each warp, so that generated code can wait anywhere: at a barrier, in a called function, in a loop that
// spins. A switch saves the resume address and the frame pointer; the compiler saves the other registers that it needs
// (see switch_stack()).
//
// Not boost::context: its fibers unwind the stack when they are dropped, and generated code has no unwind tables. A
// fiber here is dropped by never switching to it again, which is how a faulting kernel ends.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__) || (defined(__has_feature) && __has_feature(address_sanitizer))
#define DRYWARP_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) || (defined(__has_feature) && __has_feature(thread_sanitizer))
#define DRYWARP_TSAN 1
#endif

namespace drywarp::exec {

class Fiber {
 public:
  using Entry = void (*)(void* argument);
  static constexpr size_t kStackBytes = 16 * 1024 * 1024;  // at least; reserved: pages are allocated on first touch
  static constexpr size_t kLeastBytes = 64 * 1024;         // below a frame: for what the runtime calls

  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Prepares to run entry(argument) from the start; the stack is mapped once and reused, unless more bytes are wanted.
  // False: no memory. `entry` must not return: it ends by calling leave() and is never resumed.
  bool start(Entry entry, void* argument, size_t bytes = kStackBytes);
  [[nodiscard]] size_t bytes() const { return bytes_; }
  // From the scheduler: runs the fiber until it calls leave().
#if defined(DRYWARP_ASAN) || defined(DRYWARP_TSAN)
  void resume();
#else
  [[gnu::always_inline]] void resume() { switch_stack(&outside_, inside_); }
#endif
  // From inside the fiber: back to the scheduler.
  void leave();
  // Bytes of stack left below the caller's frame.
  [[nodiscard]] size_t stack_left() const;

 private:
  char* stack_ = nullptr;                              // lowest address, a guard page
  size_t bytes_ = 0;                                   // above the guard page
  void* inside_ = nullptr;                             // stack pointer of the suspended fiber
  void* outside_ = nullptr;                            // ... of the scheduler
  [[maybe_unused]] void* sanitizer_inside_ = nullptr;  // what the sanitizers keep of each side
  [[maybe_unused]] void* sanitizer_outside_ = nullptr;
  [[maybe_unused]] const void* outside_bottom_ = nullptr;
  [[maybe_unused]] size_t outside_size_ = 0;
  Entry entry_ = nullptr;
  void* argument_ = nullptr;

  static void run(Fiber* fiber);
  void unmap();

  // Saves this stack's pointer in *save and continues on another stack that was left in the same way. A jump, not a
  // return: processors predict returns by the calls before them, and all warps of a block leave from the same calls, so
  // predictions hold as long as the switch itself calls nothing. The clobbers make the compiler save its registers,
  // except the frame pointer, which it does not accept there. MXCSR and the x87 control word stay as they are: nothing
  // here changes them. The 128 bytes below the stack pointer may be in use (red zone).
  [[gnu::always_inline]] static inline void switch_stack(void** save, void* load) {
    asm volatile(
        "leaq -128(%%rsp), %%rsp\n\t"
        "pushq %%rbp\n\t"
        "leaq 1f(%%rip), %%rax\n\t"
        "pushq %%rax\n\t"
        "movq %%rsp, (%%rdi)\n\t"
        "movq %%rsi, %%rsp\n\t"
        "popq %%rax\n\t"
        "jmpq *%%rax\n"
        "1:\n\t"
        "popq %%rbp\n\t"
        "leaq 128(%%rsp), %%rsp"
        : "+D"(save), "+S"(load)
        :
        : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2",
          "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
          "memory", "cc");
  }
};

}  // namespace drywarp::exec
