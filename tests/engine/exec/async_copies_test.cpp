// cp.async against plain simulation of the lanes: copies, counts of both accesses, and bounds.
#include <algorithm>
#include <bit>
#include <random>

#include "base/access/access_pattern.h"
#include "machine.h"

namespace drywarp::exec {
namespace {

constexpr uint32_t kThreads = 64, kSharedWords = 2048, kRounds = 3;

enum class Size { None, Whole, Half, ByThread, IgnoredByThread, Policy, Count };

// Thread (x, y) copies from element x * from_x + y * from_y to x * to_x + y * to_y; both advance by `step` each round.
struct Copies {
  uint32_t width = kThreads;  // threads in x
  uint32_t bytes = 4;
  bool past_l1 = false, affine = true;
  uint32_t to_x = 1, to_y = 0, from_x = 1, from_y = 0, step = 0, limit = kThreads;
  Size size = Size::None;

  [[nodiscard]] uint32_t copied(uint32_t thread) const {
    switch (size) {
      case Size::Half:
        return bytes / 2;
      case Size::ByThread:
        return thread % 4 * bytes / 2;  // more than the size means all
      case Size::IgnoredByThread:
        return thread % 2 == 1 ? 0 : bytes;
      default:
        return bytes;
    }
  }
  [[nodiscard]] uint32_t x_of(uint32_t thread) const { return affine ? thread % width : thread % width ^ 1; }

  [[nodiscard]] std::string text() const {
    const auto number = [](uint32_t n) { return std::to_string(n); };
    const char* const sizes[] = {"", ", %r10", ", %r10", ", %r10", ", %p3", ", %rd9"};
    const std::string all = number(bytes);
    const std::string size_of =
        size == Size::Whole  ? "mov.u32 %r10, " + all + ";"
        : size == Size::Half ? "mov.u32 %r10, " + number(bytes / 2) + ";"
                             : "and.b32 %r10, %r4, 3; mul.lo.u32 %r10, %r10, " + all + "; shr.u32 %r10, %r10, 1;";
    std::string body =
        "mov.u32 %r3, %tid.y; mov.u32 %r4, %ntid.x; mad.lo.u32 %r4, %r3, %r4, %r0; xor.b32 %r5, %r0, " +
        number(affine ? 0 : 1) + "; mul.lo.u32 %r6, %r5, " + number(to_x) + "; mad.lo.u32 %r6, %r3, " + number(to_y) +
        ", %r6; mul.lo.u32 %r6, %r6, " + all + "; mov.u32 %r7, s; add.u32 %r6, %r6, %r7; mul.lo.u32 %r8, %r5, " +
        number(from_x) + "; mad.lo.u32 %r8, %r3, " + number(from_y) + ", %r8; mul.wide.u32 %rd4, %r8, " + all +
        "; ld.param.u64 %rd2, [in]; add.u64 %rd4, %rd4, %rd2; setp.lt.u32 %p1, %r4, " + number(limit) +
        "; and.b32 %r11, %r4, 1; setp.eq.u32 %p3, %r11, 1; mov.u64 %rd9, 0;" + size_of + "mov.u32 %r9, 0;\nLOOP:\n" +
        "@%p1 cp.async." + (past_l1 ? "cg" : "ca") + ".shared.global" +
        (size == Size::Policy ? ".L2::cache_hint" : "") + " [%r6], [%rd4], " + all + sizes[unsigned(size)] +
        ";\nadd.u32 %r6, %r6, " + number(bytes * step) + "; add.u64 %rd4, %rd4, " + number(bytes * step) +
        "; add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, " + number(kRounds) + ";\n@%p2 bra LOOP;\n" +
        "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0; mul.lo.u32 %r12, %r4, 4; add.u32 %r12, %r12, %r7;"
        "mul.wide.u32 %rd5, %r4, 4; add.u64 %rd5, %rd0, %rd5;";
    for (uint32_t i = 0; i < kSharedWords / kThreads; ++i) {
      const std::string at = number(i * kThreads * 4);
      body += "ld.shared.u32 %r13, [%r12+" + at + "]; st.global.u32 [%rd5+" + at + "], %r13;";
    }
    return kernel(body, ".shared .align 16 .b8 s[" + number(kSharedWords * 4) + "];\n");
  }
};

void expect_as_simulated(const Copies& c, const SharedBanks& banks, const char* cpu, bool optimised) {
  EngineOptions options;
  options.workers = 1, options.cpu = cpu;
  if (!optimised) options.compile_budget = 0;
  Machine machine(c.text(), options);
  machine.shared_banks = banks;
  std::vector<uint8_t> source(8192);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint8_t>(i * 7 + i / 256 + 1);
  const uint64_t in = machine.upload(source);
  const std::vector<uint32_t> got = machine.run({1}, {c.width, kThreads / c.width}, in, kSharedWords);

  std::vector<uint8_t> shared(kSharedWords * 4);
  AccessCounts wrote, read;
  for (uint32_t warp = 0; warp < kThreads / 32; ++warp)
    for (uint32_t round = 0; round < kRounds; ++round) {
      uint64_t to[32] = {}, from[32] = {};
      uint32_t mask = 0, reading = 0;
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const uint32_t thread = warp * 32 + lane, x = c.x_of(thread), y = thread / c.width;
        to[lane] = (x * c.to_x + y * c.to_y + round * c.step) * c.bytes;
        from[lane] = in + uint64_t{x * c.from_x + y * c.from_y + round * c.step} * c.bytes;
        if (thread >= c.limit) continue;
        const uint32_t copied = std::min(c.copied(thread), c.bytes);
        mask |= 1u << lane;
        if (copied != 0) reading |= 1u << lane;
        std::copy_n(&source[from[lane] - in], copied, &shared[to[lane]]);
        std::fill_n(&shared[to[lane] + copied], c.bytes - copied, uint8_t{0});
      }
      const auto add = [&](AccessCounts& sum, uint32_t lanes, uint64_t unique, uint64_t units, uint64_t ideal) {
        if (lanes == 0) return;
        ++sum.requests;
        sum.lanes += static_cast<unsigned>(std::popcount(lanes));
        sum.unique_bytes += unique, sum.units += units, sum.ideal_units += ideal;
      };
      if (mask != 0) {
        const SharedAccess s =
            analyze_shared(to, mask, c.bytes, c.past_l1 ? SharedOp::CopyPastL1 : SharedOp::Copy, banks);
        add(wrote, mask, s.unique_bytes, s.wavefronts, s.ideal_wavefronts);
      }
      if (reading != 0) {
        const GlobalAccess g = analyze_global(from, reading, c.bytes);
        add(read, reading, g.unique_bytes, g.sectors, g.ideal_sectors);
      }
    }
  const auto* bytes = reinterpret_cast<const uint8_t*>(got.data());
  EXPECT_TRUE(std::equal(shared.begin(), shared.end(), bytes));
  unsigned sides = 0;
  for (const InstructionInfo& i : machine.last.kernel->instructions) {
    if (i.text.find("cp.async.c") == std::string::npos || i.access == InstructionInfo::kNone) continue;
    ++sides;
    const AccessCounts& has = machine.last.counts.accesses.at(i.access);
    const AccessCounts& want = i.memory == Memory::Shared ? wrote : read;
    EXPECT_EQ(has.requests, want.requests);
    EXPECT_EQ(has.lanes, want.lanes);
    EXPECT_EQ(has.bytes, want.lanes * c.bytes);
    EXPECT_EQ(has.unique_bytes, want.unique_bytes);
    EXPECT_EQ(has.units, want.units);
    EXPECT_EQ(has.ideal_units, want.ideal_units);
  }
  EXPECT_EQ(sides, 2);
}

TEST(AsyncCopies, MatchALaneByLaneSimulation) {
  std::mt19937 random(5);
  const char* const cpus[] = {"avx512", "avx2", "sse"};
  for (int round = 0; round < 54; ++round) {
    Copies c;
    c.width = std::array{64u, 32u, 16u, 8u}[random() % 4];
    c.bytes = 4u << random() % 3;
    c.past_l1 = c.bytes == 16 && random() % 2 != 0;
    c.affine = random() % 3 != 0;
    c.to_x = random() % 4 == 0 ? random() % 3 : 1, c.to_y = c.width;
    c.from_x = random() % 4 == 0 ? random() % 3 : 1, c.from_y = random() % 3 == 0 ? 0 : c.width + random() % 20;
    if (random() % 3 == 0) c.to_y = random() % 20;
    c.step = random() % 4;
    c.limit = random() % 3 == 0 ? random() % kThreads : kThreads;
    c.size = static_cast<Size>(random() % 2 != 0 ? 0 : random() % unsigned(Size::Count));
    SCOPED_TRACE(c.text());
    const SharedBanks banks = round % 4 == 3 ? SharedBanks{BankRule::Kepler, 32, 8, 4} : SharedBanks{};
    expect_as_simulated(c, banks, cpus[round % 3], round % 18 < 3);  // optimised, a kernel compiles for long
    if (HasFailure()) return;
  }
}

TEST(AsyncCopies, StayInsideTheirMemories) {
  for (const bool affine : {true, false}) {
    Copies c;
    c.affine = affine;
    Machine machine(c.text());
    const uint64_t out = machine.words(kSharedWords);
    const auto few = machine.launch({1}, {kThreads}, {out, machine.words(32)});
    ASSERT_TRUE(few.fault);
    EXPECT_EQ(few.fault->kind, FaultKind::IllegalAddress);
    EXPECT_EQ(few.fault->thread.x, 32);
    const auto between = machine.launch({1}, {kThreads}, {out, machine.words(kThreads) + 2});
    ASSERT_TRUE(between.fault);
    EXPECT_EQ(between.fault->kind, FaultKind::MisalignedAddress);
    c.to_y = 0, c.to_x = 33;
    Machine beyond(c.text());
    const auto past_the_end = beyond.launch({1}, {kThreads}, {beyond.words(kSharedWords), beyond.words(kThreads)});
    ASSERT_TRUE(past_the_end.fault);
    EXPECT_EQ(past_the_end.fault->kind, FaultKind::SharedOutOfRange);
  }
}

// The trace has both accesses; its counts by block have one instruction.
TEST(AsyncCopies, AreTraced) {
  Copies c;
  c.bytes = 16, c.past_l1 = true;
  Machine machine(c.text());
  machine.trace = {8, uint64_t{1} << 24};
  machine.run({4}, {kThreads}, machine.words(4096), kSharedWords);
  ASSERT_TRUE(machine.last.trace);
  ASSERT_EQ(machine.last.trace->blocks.size(), 4);
  uint64_t executed = 0;
  for (const InstructionInfo& i : machine.last.kernel->instructions)
    if (i.block != InstructionInfo::kNone) executed += machine.last.counts.blocks[i.block].warps;
  const std::vector<uint32_t> sizes = block_sizes(*machine.last.kernel);
  uint64_t traced = 0;
  for (const BlockTrace& block : machine.last.trace->blocks) traced += instructions_of(block, sizes);
  EXPECT_EQ(traced, executed);
}

}  // namespace
}  // namespace drywarp::exec
