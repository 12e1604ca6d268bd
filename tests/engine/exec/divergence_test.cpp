// Lanes that diverge and reconverge, compared with the same computation thread by thread.
#include <functional>

#include "machine.h"

namespace drywarp::exec {
namespace {

struct Case {
  const char* name;
  const char* body;  // tid in %r0; the result goes to %r10
  std::function<uint32_t(uint32_t)> expected;
};

uint32_t collatz(uint32_t n) {
  uint32_t steps = 0;
  for (; n > 1; ++steps) n = n % 2 != 0 ? 3 * n + 1 : n / 2;
  return steps;
}

const Case kCases[] = {
    {"if", "mov.u32 %r10, 5; and.b32 %r3, %r0, 3; setp.ne.u32 %p1, %r3, 1; @%p1 bra E; add.u32 %r10, %r10, %r0; E:",
     [](uint32_t t) { return t % 4 == 1 ? 5 + t : 5; }},
    {"if_else",
     "setp.lt.u32 %p1, %r0, 13; @%p1 bra A; mul.lo.u32 %r10, %r0, 3; bra.uni E; A: add.u32 %r10, %r0, 100; E:",
     [](uint32_t t) { return t < 13 ? t + 100 : 3 * t; }},
    {"nested",
     "mov.u32 %r10, 1; and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra A;"
     "and.b32 %r4, %r0, 2; setp.eq.u32 %p2, %r4, 0; @%p2 bra B; add.u32 %r10, %r10, 10; bra C;"
     "B: add.u32 %r10, %r10, 20; C: add.u32 %r10, %r10, %r0; bra E;"
     "A: and.b32 %r4, %r0, 4; setp.eq.u32 %p2, %r4, 0; @!%p2 add.u32 %r10, %r10, 40; E: add.u32 %r10, %r10, 1000;",
     [](uint32_t t) {
       uint32_t r = 1;
       if (t & 1) {
         r += t & 2 ? 10 : 20;
         r += t;
       } else if (t & 4) {
         r += 40;
       }
       return r + 1000;
     }},
    {"loop_own_count",
     "mov.u32 %r10, 0; mov.u32 %r3, 0; setp.eq.u32 %p1, %r0, 0; @%p1 bra E;"
     "L: add.u32 %r10, %r10, %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r0; @%p1 bra L; E:",
     [](uint32_t t) { return t == 0 ? 0 : t * (t - 1) / 2; }},
    {"value_of_the_last_iteration",  // uniform in the loop, different once lanes have left it at different times
     "mov.u32 %r10, 0; and.b32 %r4, %r0, 7; L: add.u32 %r10, %r10, 3; add.u32 %r5, %r10, 1; shr.u32 %r6, %r5, 2;"
     "setp.lt.u32 %p1, %r6, %r4; @%p1 bra L; add.u32 %r10, %r10, %r5;",
     [](uint32_t t) {
       uint32_t a = 0, b;
       do {
         a += 3;
         b = a + 1;
       } while (b / 4 < t % 8);
       return a + b;
     }},
    {"break",
     "mov.u32 %r10, 0; mov.u32 %r3, 0; L: add.u32 %r4, %r3, %r0; rem.u32 %r4, %r4, 7; setp.eq.u32 %p1, %r4, 5;"
     "@%p1 bra B; add.u32 %r10, %r10, %r4; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 4; @%p2 bra L;"
     "add.u32 %r10, %r10, 500; bra E; B: add.u32 %r10, %r10, 9000; E:",
     [](uint32_t t) {
       uint32_t r = 0;
       for (uint32_t i = 0; i < 4; ++i) {
         if ((i + t) % 7 == 5) return r + 9000;
         r += (i + t) % 7;
       }
       return r + 500;
     }},
    {"early_return",
     "mov.u32 %r10, 77; and.b32 %r3, %r0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 st.global.u32 [%rd1], %r0; @%p1 ret;"
     "add.u32 %r10, %r10, %r0;",
     [](uint32_t t) { return t % 2 ? t : 77 + t; }},
    {"collatz",
     "add.u32 %r3, %r0, 1; mov.u32 %r10, 0; L: setp.le.u32 %p1, %r3, 1; @%p1 bra E; and.b32 %r4, %r3, 1;"
     "setp.eq.u32 %p2, %r4, 0; @%p2 bra H; mad.lo.u32 %r3, %r3, 3, 1; bra N; H: shr.u32 %r3, %r3, 1;"
     "N: add.u32 %r10, %r10, 1; bra L; E:",
     [](uint32_t t) { return collatz(t + 1); }},
    {"irreducible",  // a loop with two entries
     "mov.u32 %r10, 0; mov.u32 %r3, 0; and.b32 %r4, %r0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra Y;"
     "X: add.u32 %r10, %r10, 1; Y: add.u32 %r10, %r10, 100; add.u32 %r3, %r3, 1; and.b32 %r5, %r0, 3;"
     "setp.le.u32 %p2, %r3, %r5; @%p2 bra X;",
     [](uint32_t t) { return 100 * (t % 4 + 1) + t % 4 + (t % 2 == 0 ? 1 : 0); }},
    {"jump_table",
     "T: .branchtargets C0, C1, C2, C0; and.b32 %r3, %r0, 3; brx.idx %r3, T; C0: mov.u32 %r10, 5; bra E;"
     "C1: add.u32 %r10, %r0, 50; bra E; C2: mul.lo.u32 %r10, %r0, 7; E:",
     [](uint32_t t) { return t % 4 == 1   ? t + 50
                             : t % 4 == 2 ? t * 7
                                          : 5; }},
    {"short_circuit",
     "mov.u32 %r10, 2; setp.lt.u32 %p1, %r0, 3; @%p1 bra A; and.b32 %r3, %r0, 5; setp.eq.u32 %p2, %r3, 5; @%p2 bra A;"
     "bra E; A: mov.u32 %r10, 1; E: add.u32 %r10, %r10, %r0;",
     [](uint32_t t) { return (t < 3 || (t & 5) == 5 ? 1 : 2) + t; }},
};

class Divergence : public ::testing::TestWithParam<std::tuple<Case, const char*>> {};

TEST_P(Divergence, IsAsThreadByThread) {
  const auto& [c, cpu] = GetParam();
  EngineOptions options = Machine::one_worker();
  options.cpu = cpu;
  Machine machine(kernel(std::string(c.body) + "\n st.global.u32 [%rd1], %r10;"), options);
  for (uint32_t threads : {1u, 7u, 32u, 33u, 96u, 1024u}) {
    const auto out = machine.run({2, 1, 1}, {threads, 1, 1});
    for (uint32_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], c.expected(i % threads)) << "thread " << i % threads << " of " << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Divergence,
                         ::testing::Combine(::testing::ValuesIn(kCases), ::testing::Values("avx512", "avx2", "sse")),
                         [](const auto& p) {
                           return std::string(std::get<0>(p.param).name) + "_" + std::get<1>(p.param);
                         });

// Every block shape sees its own thread indices.
TEST(BlockShapes, ThreadIndicesOfEveryLayout) {
  const std::string text = kHead + R"(.visible .entry k(.param .u64 out, .param .u64 in) {
)" + kRegisters + R"(
  mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z;
  mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y; mov.u32 %r5, %ntid.z;
  mad.lo.u32 %r6, %r2, %r4, %r1; mad.lo.u32 %r6, %r6, %r3, %r0;
  mov.u32 %r7, %ctaid.z; mov.u32 %r8, %nctaid.y; mov.u32 %r9, %ctaid.y; mad.lo.u32 %r7, %r7, %r8, %r9;
  mov.u32 %r8, %nctaid.x; mov.u32 %r9, %ctaid.x; mad.lo.u32 %r7, %r7, %r8, %r9;
  mul.lo.u32 %r8, %r3, %r4; mul.lo.u32 %r8, %r8, %r5; mad.lo.u32 %r6, %r7, %r8, %r6;
  ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r6, 4; add.u64 %rd1, %rd0, %rd1;
  mul.lo.u32 %r10, %r0, 10000; mad.lo.u32 %r10, %r1, 100, %r10; add.u32 %r10, %r10, %r2;
  mad.lo.u32 %r10, %r7, 1000000, %r10;
  st.global.u32 [%rd1], %r10;
  ret;
})";
  Machine machine(text);
  for (const Dim3 b : {Dim3{16, 16, 1}, Dim3{8, 8, 8}, Dim3{7, 5, 3}, Dim3{1, 40, 2}, Dim3{1, 1, 64}, Dim3{32, 4, 2},
                       Dim3{4, 2, 1}, Dim3{64, 3, 1}, Dim3{2, 3, 5}, Dim3{16, 3, 1}, Dim3{8, 3, 4}, Dim3{1, 32, 2}}) {
    const auto out = machine.run({2, 3, 2}, b);
    for (uint32_t i = 0; i < out.size(); ++i) {
      const uint32_t block = i / b.count(), t = i % b.count();
      const uint32_t x = t % b.x, y = t / b.x % b.y, z = t / b.x / b.y;
      ASSERT_EQ(out[i], block * 1000000 + x * 10000 + y * 100 + z) << b.x << "x" << b.y << "x" << b.z << " at " << i;
    }
  }
}

}  // namespace
}  // namespace drywarp::exec
