// Runs one warp access a launch, as listed by access_patterns.py, so that a profiler's counters of a launch belong to
// that access. The lanes' offsets are kernel parameters in constant memory, so that reading them uses neither global,
// shared nor local memory.
//
//   access_patterns FAMILY < patterns.txt
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>

struct Pattern {
  uint32_t offsets[32];
  uint32_t mask;
  uint32_t never;  // a value that is not in memory: keeps loads alive without a store
};

constexpr size_t kGlobalBytes = 2 << 20;
constexpr unsigned kSharedBytes = 32768 + 16;
constexpr uint32_t kNever = 0x5A17C0DE;

__device__ __forceinline__ bool picked(const Pattern& p, uint32_t& offset) {
  offset = p.offsets[threadIdx.x];
  return p.mask >> threadIdx.x & 1;
}

// The base of dynamic shared memory as an address of the shared window.
__device__ __forceinline__ uint32_t shared_base() {
  extern __shared__ __align__(1024) char pool[];
  return static_cast<uint32_t>(__cvta_generic_to_shared(pool));
}

#define LOAD_KERNEL(NAME, SPACE, BASE, ADDRESS, CONSTRAINT, INSTRUCTION, WORD, OUT)                       \
  __global__ void NAME(const __grid_constant__ Pattern p, char* memory) {                                 \
    uint32_t offset;                                                                                      \
    if (picked(p, offset)) {                                                                              \
      ADDRESS address = BASE + offset;                                                                    \
      WORD a = 0, b = 0, c = 0, d = 0;                                                                    \
      asm volatile("ld." SPACE "." INSTRUCTION ";" : OUT : CONSTRAINT(address));                          \
      if ((uint32_t(a) ^ uint32_t(b) ^ uint32_t(c) ^ uint32_t(d)) == p.never) memory[offset] = 1;         \
    }                                                                                                     \
  }
#define STORE_KERNEL(NAME, SPACE, BASE, ADDRESS, CONSTRAINT, INSTRUCTION, IN)                             \
  __global__ void NAME(const __grid_constant__ Pattern p, char* memory) {                                 \
    uint32_t offset;                                                                                      \
    if (picked(p, offset)) {                                                                              \
      ADDRESS address = BASE + offset;                                                                    \
      uint32_t a = threadIdx.x;                                                                           \
      asm volatile("st." SPACE "." INSTRUCTION ";" ::CONSTRAINT(address), IN : "memory");                 \
    }                                                                                                     \
  }
#define ALL_WIDTHS(PREFIX, SPACE, BASE, ADDRESS, CONSTRAINT)                                                             \
  LOAD_KERNEL(PREFIX##_ld1, SPACE, BASE, ADDRESS, CONSTRAINT, "u8 %0, [%1]", uint32_t, "=r"(a))                          \
  LOAD_KERNEL(PREFIX##_ld2, SPACE, BASE, ADDRESS, CONSTRAINT, "u16 %0, [%1]", uint32_t, "=r"(a))                         \
  LOAD_KERNEL(PREFIX##_ld4, SPACE, BASE, ADDRESS, CONSTRAINT, "u32 %0, [%1]", uint32_t, "=r"(a))                         \
  LOAD_KERNEL(PREFIX##_ld8, SPACE, BASE, ADDRESS, CONSTRAINT, "v2.u32 {%0, %1}, [%2]", uint32_t, "=r"(a) COMMA "=r"(b))  \
  LOAD_KERNEL(PREFIX##_ld16, SPACE, BASE, ADDRESS, CONSTRAINT, "v4.u32 {%0, %1, %2, %3}, [%4]", uint32_t,                \
              "=r"(a) COMMA "=r"(b) COMMA "=r"(c) COMMA "=r"(d))                                                         \
  STORE_KERNEL(PREFIX##_st1, SPACE, BASE, ADDRESS, CONSTRAINT, "u8 [%0], %1", "r"(a))                                    \
  STORE_KERNEL(PREFIX##_st2, SPACE, BASE, ADDRESS, CONSTRAINT, "u16 [%0], %1", "r"(a))                                   \
  STORE_KERNEL(PREFIX##_st4, SPACE, BASE, ADDRESS, CONSTRAINT, "u32 [%0], %1", "r"(a))                                   \
  STORE_KERNEL(PREFIX##_st8, SPACE, BASE, ADDRESS, CONSTRAINT, "v2.u32 [%0], {%1, %1}", "r"(a))                          \
  STORE_KERNEL(PREFIX##_st16, SPACE, BASE, ADDRESS, CONSTRAINT, "v4.u32 [%0], {%1, %1, %1, %1}", "r"(a))
#define COMMA ,

ALL_WIDTHS(global, "global", memory, char*, "l")
ALL_WIDTHS(shared, "shared", shared_base(), uint32_t, "r")

// Local memory: an aligned array of 1 KB, which the assembler cannot keep in registers.
#define LOCAL_BASE(offset_)                                                       \
  __align__(16) char array[1024 + 16];                                           \
  uint32_t base;                                                                  \
  asm volatile("{ .reg .u64 t; cvta.to.local.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(base) : "l"(array));
#define LOCAL_LOAD(NAME, INSTRUCTION, OUT)                                                        \
  __global__ void NAME(const __grid_constant__ Pattern p, char* memory) {                         \
    LOCAL_BASE(0)                                                                                 \
    uint32_t offset;                                                                              \
    if (picked(p, offset)) {                                                                      \
      uint32_t a = 0, b = 0, c = 0, d = 0;                                                        \
      asm volatile("ld.local." INSTRUCTION ";" : OUT : "r"(base + offset) : "memory");            \
      if (((a ^ b ^ c ^ d) | 0x80000000u) == (p.never | 0x80000000u)) memory[offset] = 1;         \
    }                                                                                             \
  }
#define LOCAL_STORE(NAME, INSTRUCTION, IN)                                                        \
  __global__ void NAME(const __grid_constant__ Pattern p, char* memory) {                         \
    LOCAL_BASE(0)                                                                                 \
    uint32_t offset;                                                                              \
    if (picked(p, offset)) {                                                                      \
      uint32_t a = threadIdx.x;                                                                   \
      asm volatile("st.local." INSTRUCTION ";" ::"r"(base + offset), IN : "memory");              \
    }                                                                                             \
  }
LOCAL_LOAD(local_ld1, "u8 %0, [%1]", "=r"(a))
LOCAL_LOAD(local_ld2, "u16 %0, [%1]", "=r"(a))
LOCAL_LOAD(local_ld4, "u32 %0, [%1]", "=r"(a))
LOCAL_LOAD(local_ld8, "v2.u32 {%0, %1}, [%2]", "=r"(a) COMMA "=r"(b))
LOCAL_LOAD(local_ld16, "v4.u32 {%0, %1, %2, %3}, [%4]", "=r"(a) COMMA "=r"(b) COMMA "=r"(c) COMMA "=r"(d))
LOCAL_STORE(local_st1, "u8 [%0], %1", "r"(a))
LOCAL_STORE(local_st2, "u16 [%0], %1", "r"(a))
LOCAL_STORE(local_st4, "u32 [%0], %1", "r"(a))
LOCAL_STORE(local_st8, "v2.u32 [%0], {%1, %1}", "r"(a))
LOCAL_STORE(local_st16, "v4.u32 [%0], {%1, %1, %1, %1}", "r"(a))

#define RED_KERNEL(NAME, BASE, ADDRESS, CONSTRAINT, INSTRUCTION, IN)                                \
  __global__ void NAME(const __grid_constant__ Pattern p, char* memory) {                           \
    uint32_t offset;                                                                                \
    if (picked(p, offset)) {                                                                        \
      ADDRESS address = BASE + offset;                                                              \
      uint32_t a = threadIdx.x + 3;                                                                 \
      asm volatile("red." INSTRUCTION ";" ::CONSTRAINT(address), IN : "memory");                    \
    }                                                                                               \
  }
#define ATOM_KERNEL(NAME, BASE, ADDRESS, CONSTRAINT, INSTRUCTION, WORD, OUT, ...)                   \
  __global__ void NAME(const __grid_constant__ Pattern p, char* memory) {                           \
    uint32_t offset;                                                                                \
    if (picked(p, offset)) {                                                                        \
      ADDRESS address = BASE + offset;                                                              \
      uint32_t a = threadIdx.x + 3;                                                                 \
      WORD old;                                                                                     \
      asm volatile("atom." INSTRUCTION ";" : OUT(old) : CONSTRAINT(address), __VA_ARGS__ : "memory");  \
      if (uint32_t(old) == p.never) memory[offset + kGlobalBytes / 2] = 1;                          \
    }                                                                                               \
  }
#define GLOBAL memory, char*, "l"
#define SHARED shared_base(), uint32_t, "r"
#define RED(NAME, WHERE, INSTRUCTION, IN) RED_(NAME, WHERE, INSTRUCTION, IN)
#define RED_(NAME, BASE, ADDRESS, CONSTRAINT, INSTRUCTION, IN) RED_KERNEL(NAME, BASE, ADDRESS, CONSTRAINT, INSTRUCTION, IN)
#define ATOM(NAME, WHERE, INSTRUCTION, WORD, OUT, ...) ATOM_(NAME, WHERE, INSTRUCTION, WORD, OUT, __VA_ARGS__)
#define ATOM_(NAME, BASE, ADDRESS, CONSTRAINT, INSTRUCTION, WORD, OUT, ...) \
  ATOM_KERNEL(NAME, BASE, ADDRESS, CONSTRAINT, INSTRUCTION, WORD, OUT, __VA_ARGS__)

RED(global_red_u32, GLOBAL, "global.add.u32 [%0], %1", "r"(a))
ATOM(global_atom_u32, GLOBAL, "global.add.u32 %0, [%1], %2", uint32_t, "=r", "r"(a))
RED(global_red_f32, GLOBAL, "global.add.f32 [%0], %1", "f"(float(a)))
ATOM(global_atom_f32, GLOBAL, "global.add.f32 %0, [%1], %2", float, "=f", "f"(float(a)))
RED(global_red_u64, GLOBAL, "global.add.u64 [%0], %1", "l"(uint64_t(a)))
ATOM(global_atom_u64, GLOBAL, "global.add.u64 %0, [%1], %2", uint64_t, "=l", "l"(uint64_t(a)))
RED(global_red_f64, GLOBAL, "global.add.f64 [%0], %1", "d"(double(a)))
ATOM(global_cas_b64, GLOBAL, "global.cas.b64 %0, [%1], %2, %3", uint64_t, "=l", "l"(uint64_t(0)) COMMA "l"(uint64_t(a)))
RED(global_red_f16x2, GLOBAL, "global.add.noftz.f16x2 [%0], %1", "r"(a))
RED(shared_red_u32, SHARED, "shared.add.u32 [%0], %1", "r"(a))
ATOM(shared_atom_u32, SHARED, "shared.add.u32 %0, [%1], %2", uint32_t, "=r", "r"(a))
ATOM(shared_min_s32, SHARED, "shared.min.s32 %0, [%1], %2", uint32_t, "=r", "r"(a))
ATOM(shared_exch_b32, SHARED, "shared.exch.b32 %0, [%1], %2", uint32_t, "=r", "r"(a))
ATOM(shared_cas_b32, SHARED, "shared.cas.b32 %0, [%1], %2, %3", uint32_t, "=r", "r"(p.mask) COMMA "r"(a))
ATOM(shared_cas_b64, SHARED, "shared.cas.b64 %0, [%1], %2, %3", uint64_t, "=l", "l"(uint64_t(0)) COMMA "l"(uint64_t(a)))
ATOM(shared_exch_b64, SHARED, "shared.exch.b64 %0, [%1], %2", uint64_t, "=l", "l"(uint64_t(a)))
ATOM(shared_atom_f32, SHARED, "shared.add.f32 %0, [%1], %2", float, "=f", "f"(float(a)))

#define COPY_KERNEL(NAME, CACHE, SIZE)                                                                      \
  __global__ void NAME(const __grid_constant__ Pattern p, char* memory) {                                  \
    uint32_t offset;                                                                                       \
    if (picked(p, offset)) {                                                                               \
      asm volatile("cp.async." CACHE ".shared.global [%0], [%1], " #SIZE ";" ::"r"(shared_base() + offset), \
                   "l"(memory + offset));                                                                  \
      asm volatile("cp.async.wait_all;");                                                                  \
    }                                                                                                      \
  }
COPY_KERNEL(copy4, "ca", 4) COPY_KERNEL(copy8, "ca", 8) COPY_KERNEL(copy16, "ca", 16) COPY_KERNEL(copy_l2, "cg", 16)

// Generic addresses: the instruction names no state space, so the assembler does not know the memory.
#define GENERIC_LD4(NAME, BASE)                                                              \
  __global__ void NAME(const __grid_constant__ Pattern p, char* memory) {                   \
    uint32_t offset, a;                                                                      \
    if (picked(p, offset)) {                                                                 \
      asm volatile("ld.u32 %0, [%1];" : "=r"(a) : "l"(BASE + offset) : "memory");            \
      if (a == p.never) memory[offset] = 1;                                                  \
    }                                                                                        \
  }
#define GENERIC_LD16(NAME, BASE)                                                             \
  __global__ void NAME(const __grid_constant__ Pattern p, char* memory) {                   \
    uint32_t offset, a, b, c, d;                                                             \
    if (picked(p, offset)) {                                                                 \
      asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d)  \
                   : "l"(BASE + offset) : "memory");                                         \
      if ((a ^ b ^ c ^ d) == p.never) memory[offset] = 1;                                    \
    }                                                                                        \
  }
#define GENERIC_ST4(NAME, BASE)                                                              \
  __global__ void NAME(const __grid_constant__ Pattern p, char* memory) {                   \
    uint32_t offset;                                                                         \
    if (picked(p, offset)) asm volatile("st.u32 [%0], %1;" ::"l"(BASE + offset), "r"(offset) : "memory"); \
  }
// A generic address in shared memory that the assembler cannot recognize as one.
__device__ __forceinline__ char* generic_shared(const Pattern& p, char* memory) {
  extern __shared__ __align__(1024) char pool[];
  return p.never == kNever ? pool : memory;
}
GENERIC_LD4(generic_global_ld4, memory) GENERIC_LD16(generic_global_ld16, memory) GENERIC_ST4(generic_global_st4, memory)
GENERIC_LD4(generic_shared_ld4, generic_shared(p, memory)) GENERIC_LD16(generic_shared_ld16, generic_shared(p, memory))
GENERIC_ST4(generic_shared_st4, generic_shared(p, memory))

// A guarded instruction instead of a branch around it.
#define GUARDED(NAME, SPACE, BASE, ADDRESS, CONSTRAINT)                                                            \
  __global__ void NAME##_ld(const __grid_constant__ Pattern p, char* memory) {                                     \
    uint32_t offset, a = 0;                                                                                        \
    const uint32_t active = picked(p, offset);                                                                     \
    asm volatile("{ .reg .pred q; setp.ne.u32 q, %2, 0; @q ld." SPACE ".u32 %0, [%1]; }"                           \
                 : "+r"(a) : CONSTRAINT((ADDRESS)(BASE + offset)), "r"(active) : "memory");                        \
    if (a == p.never) memory[offset] = 1;                                                                          \
  }                                                                                                                \
  __global__ void NAME##_st(const __grid_constant__ Pattern p, char* memory) {                                     \
    uint32_t offset;                                                                                               \
    const uint32_t active = picked(p, offset);                                                                     \
    asm volatile("{ .reg .pred q; setp.ne.u32 q, %1, 0; @q st." SPACE ".u32 [%0], %1; }" ::CONSTRAINT(             \
                     (ADDRESS)(BASE + offset)), "r"(active) : "memory");                                           \
  }
GUARDED(guarded_global, "global", memory, char*, "l")
GUARDED(guarded_shared, "shared", shared_base(), uint32_t, "r")

using Kernel = void (*)(Pattern, char*);
struct Entry { const char* family; const char* op; unsigned size; Kernel kernel; };
#define WIDTHS(FAMILY, PREFIX)                                                                                   \
  {FAMILY, "ld", 1, PREFIX##_ld1}, {FAMILY, "ld", 2, PREFIX##_ld2}, {FAMILY, "ld", 4, PREFIX##_ld4},             \
  {FAMILY, "ld", 8, PREFIX##_ld8}, {FAMILY, "ld", 16, PREFIX##_ld16}, {FAMILY, "st", 1, PREFIX##_st1},           \
  {FAMILY, "st", 2, PREFIX##_st2}, {FAMILY, "st", 4, PREFIX##_st4}, {FAMILY, "st", 8, PREFIX##_st8},             \
  {FAMILY, "st", 16, PREFIX##_st16}
const Entry kEntries[] = {
    WIDTHS("global", global), WIDTHS("shared", shared), WIDTHS("local", local),
    {"global_atomic", "red.add.u32", 4, global_red_u32}, {"global_atomic", "atom.add.u32", 4, global_atom_u32},
    {"global_atomic", "red.add.f32", 4, global_red_f32}, {"global_atomic", "atom.add.f32", 4, global_atom_f32},
    {"global_atomic", "red.add.u64", 8, global_red_u64}, {"global_atomic", "atom.add.u64", 8, global_atom_u64},
    {"global_atomic", "red.add.f64", 8, global_red_f64}, {"global_atomic", "atom.cas.b64", 8, global_cas_b64},
    {"global_atomic", "red.add.noftz.f16x2", 4, global_red_f16x2},
    {"shared_atomic", "red.add.u32", 4, shared_red_u32}, {"shared_atomic", "atom.add.u32", 4, shared_atom_u32},
    {"shared_atomic", "atom.min.s32", 4, shared_min_s32}, {"shared_atomic", "atom.exch.b32", 4, shared_exch_b32},
    {"shared_atomic", "atom.cas.b32", 4, shared_cas_b32}, {"shared_atomic", "atom.cas.b64", 8, shared_cas_b64},
    {"shared_atomic", "atom.exch.b64", 8, shared_exch_b64}, {"shared_atomic", "atom.add.f32", 4, shared_atom_f32},
    {"async_copy", "cp.async.ca", 4, copy4}, {"async_copy", "cp.async.ca", 8, copy8},
    {"async_copy", "cp.async.ca", 16, copy16}, {"async_copy", "cp.async.cg", 16, copy_l2},
    {"generic_global", "ld", 4, generic_global_ld4}, {"generic_global", "ld", 16, generic_global_ld16},
    {"generic_global", "st", 4, generic_global_st4}, {"generic_shared", "ld", 4, generic_shared_ld4},
    {"generic_shared", "ld", 16, generic_shared_ld16}, {"generic_shared", "st", 4, generic_shared_st4},
    {"guarded_global", "ld", 4, guarded_global_ld}, {"guarded_global", "st", 4, guarded_global_st},
    {"guarded_shared", "ld", 4, guarded_shared_ld}, {"guarded_shared", "st", 4, guarded_shared_st},
};

void check(cudaError_t e, const std::string& what) {
  if (e == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what.c_str(), cudaGetErrorString(e));
  exit(1);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string family = argv[1];
  char* memory = nullptr;
  check(cudaMalloc(&memory, kGlobalBytes), "cudaMalloc");
  check(cudaMemset(memory, 0, kGlobalBytes), "cudaMemset");
  std::string line;
  unsigned done = 0;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string op;
    unsigned size = 0;
    Pattern p{};
    in >> op >> size >> std::hex >> p.mask >> std::dec;
    for (uint32_t& o : p.offsets) in >> o;
    p.never = kNever;
    Kernel kernel = nullptr;
    for (const Entry& e : kEntries)
      if (family == e.family && op == e.op && size == e.size) kernel = e.kernel;
    if (!kernel || !in) {
      fprintf(stderr, "no such operation: %s\n", line.c_str());
      return 2;
    }
    const bool dynamic = family.find("shared") != std::string::npos || family == "async_copy";
    kernel<<<1, 32, dynamic ? kSharedBytes : 0>>>(p, memory);
    check(cudaDeviceSynchronize(), line);
    ++done;
  }
  fprintf(stderr, "%s: %u launches\n", family.c_str(), done);
}
