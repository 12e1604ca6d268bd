// Compares the engine's counts with those of base/access/access_pattern.h on addresses that the test computes, and with
// plain simulation of the lanes.
#include <algorithm>
#include <bit>
#include <random>

#include "base/access/access_pattern.h"
#include "machine.h"

namespace drywarp::exec {
namespace {

const InstructionInfo& instruction(const KernelInfo& info, const std::string& start) {
  for (const InstructionInfo& i : info.instructions)
    if (i.text.rfind(start, 0) == 0) return i;
  ADD_FAILURE() << "no instruction " << start;
  static const InstructionInfo none;
  return none;
}

const AccessCounts& access(const Ran& r, const std::string& start, Memory memory = Memory::Global) {
  const InstructionInfo& i = instruction(*r.kernel, start);
  EXPECT_NE(i.access, InstructionInfo::kNone);
  return r.counts.accesses.at(i.access + (i.generic ? static_cast<unsigned>(memory) : 0));
}

// Of today's devices, of Kepler in both modes, of Fermi and of GT200.
const SharedBanks kBanks[] = {{},
                              {BankRule::Kepler, 32, 8, 4},
                              {BankRule::Kepler, 32, 8, 8},
                              {BankRule::Fermi, 32, 4, 4},
                              {BankRule::Tesla, 16, 4, 4}};

struct Sum {
  AccessCounts counts;
  SharedBanks banks;
  void global(const uint64_t* addresses, uint32_t mask, unsigned size) {
    if (mask == 0) return;
    const GlobalAccess g = analyze_global(addresses, mask, size);
    add(mask, size, g.unique_bytes, g.sectors, g.ideal_sectors, 0);
  }
  void shared(const uint64_t* addresses, uint32_t mask, unsigned size, SharedOp op) {
    if (mask == 0) return;
    const SharedAccess s = analyze_shared(addresses, mask, size, op, banks);
    add(mask, size, s.unique_bytes, s.wavefronts, s.ideal_wavefronts, s.ways);
  }
  void add(uint32_t mask, unsigned size, uint64_t unique, uint64_t units, uint64_t ideal, uint64_t ways) {
    AccessCounts c;
    c.requests = 1;
    c.lanes = static_cast<uint64_t>(std::popcount(mask));
    c.bytes = c.lanes * size;
    c.unique_bytes = unique, c.units = units, c.ideal_units = ideal, c.ways = ways;
    counts += c;
  }
};

void expect_equal(const AccessCounts& a, const AccessCounts& b, const std::string& what) {
  EXPECT_EQ(a.requests, b.requests) << what;
  EXPECT_EQ(a.lanes, b.lanes) << what;
  EXPECT_EQ(a.bytes, b.bytes) << what;
  EXPECT_EQ(a.unique_bytes, b.unique_bytes) << what;
  EXPECT_EQ(a.units, b.units) << what;
  EXPECT_EQ(a.ideal_units, b.ideal_units) << what;
  EXPECT_EQ(a.ways, b.ways) << what;
}

struct Level {
  unsigned workers;
  const char* cpu;
};
const Level kLevels[] = {{1, "avx512"}, {2, "avx2"}, {4, "sse"}};

EngineOptions options_of(const Level& level) {
  EngineOptions options;
  options.workers = level.workers;
  options.cpu = level.cpu;
  return options;
}

std::string load_text(unsigned size) {
  switch (size) {
    case 1:
      return "ld.global.u8 %h1, [%rd5];";
    case 2:
      return "ld.global.u16 %h1, [%rd5];";
    case 4:
      return "ld.global.u32 %r20, [%rd5];";
    case 8:
      return "ld.global.u64 %rd6, [%rd5];";
    default:
      return "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd5];";
  }
}

// in + offset + size * (stride * thread + phase * block), read by threads below a limit: affine, known and unknown
// strides.
TEST(AccessCounts, RandomAffinePatterns) {
  std::mt19937 random(20261121);
  const unsigned sizes[] = {1, 2, 4, 8, 16};
  for (int round = 0; round < 20; ++round) {
    const unsigned size = sizes[round % 5];
    const int32_t stride = static_cast<int32_t>(random() % 41) - 20;
    const uint32_t phase = random() % 5, limit = 1 + random() % 80, blocks = 5;
    const bool known = random() % 2 != 0;
    const uint64_t middle = 1 << 16;
    const std::string s = known ? std::to_string(stride) : "%r5";
    const std::string body = "ld.param.u64 %rd2, [in]; mov.u32 %r5, " + std::to_string(stride) +
                             "; mov.u32 %r6, %ctaid.x; shr.u32 %r7, %r6, 10; add.u32 %r5, %r5, %r7;"  // + 0
                             "mul.lo.s32 %r8, %r0, " +
                             s + "; mad.lo.s32 %r8, %r6, " + std::to_string(phase) + ", %r8; mul.wide.s32 %rd4, %r8, " +
                             std::to_string(size) +
                             "; add.s64 %rd5, %rd2, %rd4;\n"
                             "setp.ge.u32 %p1, %r0, " +
                             std::to_string(limit) + "; @%p1 bra E;\n" + load_text(size) + "\nE:";
    Sum expected;
    LaunchCounts first;
    for (const Level& level : kLevels) {
      Machine machine(kernel(body), options_of(level));
      const uint64_t base = machine.words(1 << 16) + middle;
      const Ran r = machine.launch({blocks, 1, 1}, {80, 1, 1}, {base, base});
      ASSERT_FALSE(r.fault) << r.fault->message;
      if (level.workers == 1) {
        for (uint32_t b = 0; b < blocks; ++b)
          for (uint32_t w = 0; w < 3; ++w) {
            uint64_t addresses[32] = {};
            uint32_t mask = 0;
            for (uint32_t l = 0; l < 32; ++l) {
              const uint32_t t = w * 32 + l;
              if (t >= 80 || t >= limit) continue;
              mask |= 1u << l;
              addresses[l] = base + static_cast<uint64_t>((int64_t{stride} * t + phase * b) * size);
            }
            expected.global(addresses, mask, size);
          }
        first = r.counts;
      }
      expect_equal(access(r, "ld.global"), expected.counts,
                   "size " + std::to_string(size) + " stride " + std::to_string(stride) + " limit " +
                       std::to_string(limit) + " cpu " + level.cpu);
      ASSERT_EQ(r.counts.blocks.size(), first.blocks.size());
      for (size_t i = 0; i < first.blocks.size(); ++i) {
        EXPECT_EQ(r.counts.blocks[i].warps, first.blocks[i].warps);
        EXPECT_EQ(r.counts.blocks[i].lanes, first.blocks[i].lanes);
      }
    }
  }
}

TEST(AccessCounts, RandomGathersAndPartialMasks) {
  std::mt19937 random(7);
  const std::string body =
      "ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd2, %rd3;\n"
      "ld.global.u32 %r5, [%rd3];\n setp.lt.s32 %p1, %r5, 0; mul.wide.s32 %rd4, %r5, 4; add.s64 %rd5, %rd0, %rd4;\n"
      "@!%p1 ld.global.f32 %f1, [%rd5];\n@!%p1 st.global.f32 [%rd5], %f1;";
  for (int round = 0; round < 4; ++round) {
    std::vector<int32_t> index(320);
    for (int32_t& i : index) i = random() % 4 == 0 ? -1 : static_cast<int32_t>(random() % (8u << (4 * round)));
    for (const Level& level : kLevels) {
      Machine machine(kernel(body), options_of(level));
      const uint64_t in = machine.upload(index), out = machine.words(1 << 17);
      const Ran r = machine.launch({5, 1, 1}, {64, 1, 1}, {out, in});
      ASSERT_FALSE(r.fault) << r.fault->message;
      Sum expected;
      uint64_t guarded_lanes = 0, guarded_warps = 0;
      for (size_t w = 0; w < index.size() / 32; ++w) {
        uint64_t addresses[32] = {};
        uint32_t mask = 0;
        for (uint32_t l = 0; l < 32; ++l)
          if (const int32_t i = index[w * 32 + l]; i >= 0) mask |= 1u << l, addresses[l] = out + 4 * uint64_t(i);
        expected.global(addresses, mask, 4);
        guarded_lanes += static_cast<uint64_t>(std::popcount(mask));
        guarded_warps += mask != 0;
      }
      expect_equal(access(r, "@!%p1 ld.global.f32"), expected.counts, level.cpu);
      expect_equal(access(r, "@!%p1 st.global.f32"), expected.counts, level.cpu);
      const InstructionInfo& load = instruction(*r.kernel, "@!%p1 ld.global.f32");
      ASSERT_NE(load.predicate, InstructionInfo::kNone);
      EXPECT_EQ(r.counts.predicates[load.predicate].lanes, guarded_lanes);
      EXPECT_EQ(r.counts.predicates[load.predicate].warps, guarded_warps);
    }
  }
}

TEST(AccessCounts, SharedStridesAndRandomBanks) {
  std::mt19937 random(99);
  for (int round = 0; round < 12; ++round) {
    const uint32_t factor = random() % 40, mask_of_thread = random() % 2 ? 31 : 13;
    const std::string body = ".shared .align 16 .b8 s[8192]; mov.u32 %r4, s; and.b32 %r5, %r0, " +
                             std::to_string(mask_of_thread) + "; mul.lo.u32 %r5, %r5, " + std::to_string(factor) +
                             "; shl.b32 %r5, %r5, 2; add.u32 %r5, %r4, %r5;\n st.shared.u32 [%r5], %r0;\n"
                             "ld.shared.u32 %r6, [%r5];\n st.global.u32 [%rd1], %r6;";
    for (unsigned run = 0; run < 3 * std::size(kBanks); ++run) {
      const Level& level = kLevels[run % 3];
      Machine machine(kernel(body), options_of(level));
      machine.shared_banks = kBanks[run / 3];
      machine.run({3, 1, 1}, {48, 1, 1});
      Sum load, store;
      load.banks = store.banks = machine.shared_banks;
      for (int b = 0; b < 3; ++b)
        for (uint32_t mask : {~0u, 0xffffu}) {
          uint64_t offsets[32];
          for (uint32_t l = 0; l < 32; ++l) offsets[l] = (l & mask_of_thread) * factor * 4;
          load.shared(offsets, mask, 4, SharedOp::Load);
          store.shared(offsets, mask, 4, SharedOp::Store);
        }
      const std::string what =
          "factor " + std::to_string(factor) + " cpu " + level.cpu + " banks " + std::to_string(run / 3);
      expect_equal(access(machine.last, "ld.shared"), load.counts, what);
      expect_equal(access(machine.last, "st.shared"), store.counts, what);
    }
  }
}

// The same few patterns repeated, at other places and by other lanes, and patterns that never come again, behind which
// caching pauses: cached costs must equal computed ones.
TEST(AccessCounts, RepeatedPatterns) {
  const std::string body =
      ".shared .align 16 .b8 s[8192]; ld.param.u64 %rd2, [in]; mov.u32 %r4, s; mov.u32 %r9, 0; cvt.u64.u32 %rd7, %r4;"
      "cvta.shared.u64 %rd7, %rd7;\nL: mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd2, %rd3;\n"
      "ld.global.u32 %r5, [%rd3]; add.u64 %rd2, %rd2, 4096; setp.ge.s32 %p1, %r5, 0; mul.wide.s32 %rd4, %r5, 4;"
      "add.s64 %rd5, %rd0, %rd4; add.s64 %rd6, %rd7, %rd4; shl.b32 %r6, %r5, 2; add.u32 %r6, %r6, %r4; or.b32 %r8, "
      "%r5, 1;"
      "xor.b32 %r8, %r8, 1; shl.b32 %r8, %r8, 2; add.u32 %r8, %r8, %r4;\n"
      "@%p1 st.global.u32 [%rd5], %r1;\n@%p1 red.global.add.u32 [%rd5], %r1;\n@%p1 st.shared.u32 [%r6], %r1;\n"
      "@%p1 red.shared.add.u32 [%r6], %r1;\n@%p1 ld.shared.u64 %rd8, [%r8];\n@%p1 ld.u32 %r7, [%rd6];\n"
      "@%p1 ld.shared.u16 %h1, [%r6];\nadd.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 40; @%p2 bra L;";
  std::mt19937 random(20261122);
  for (int round = 0; round < 4; ++round) {
    constexpr unsigned kThreads = 1024, kRepeats = 40;
    int32_t patterns[3][32];
    for (auto& pattern : patterns)
      for (int32_t& i : pattern) i = static_cast<int32_t>(random() % (16u << (2 * round)));
    std::vector<int32_t> index(kThreads * kRepeats);
    for (size_t w = 0; w < index.size() / 32; ++w) {
      auto& pattern = patterns[random() % 3];
      const bool of_first_warps = w % (kThreads / 32) < 8;
      if (round == 3 && of_first_warps)
        for (int32_t& i : pattern) i = static_cast<int32_t>(random() % 1024);
      const auto shift = static_cast<int32_t>(random() % 12);
      const uint32_t lanes = random() % 3 == 0 ? 0x0ff0f00f : ~0u;
      for (uint32_t l = 0; l < 32; ++l) index[w * 32 + l] = lanes >> l & 1 ? pattern[l] + shift : -1;
    }
    for (unsigned run = 0; run < 3 * std::size(kBanks); ++run) {
      const Level& level = kLevels[run % 3];
      Machine machine(kernel(body), options_of(level));
      machine.shared_banks = kBanks[run / 3];
      const uint64_t in = machine.upload(index), out = machine.words(1 << 12);
      const Ran r = machine.launch({8, 1, 1}, {128, 1, 1}, {out, in});
      ASSERT_FALSE(r.fault) << r.fault->message;
      Sum global, store, wide, word, half;
      for (Sum* sum : {&store, &wide, &word, &half}) sum->banks = machine.shared_banks;
      AccessCounts global_red, shared_red;
      for (size_t w = 0; w < index.size() / 32; ++w) {
        uint64_t addresses[32] = {}, offsets[32] = {}, even[32] = {};
        uint32_t mask = 0;
        for (uint32_t l = 0; l < 32; ++l) {
          const int32_t i = index[w * 32 + l];
          if (i < 0) continue;
          mask |= 1u << l;
          addresses[l] = out + 4 * uint64_t(i), offsets[l] = 4 * uint64_t(i),
          even[l] = 4 * (uint64_t(i) & ~uint64_t{1});
        }
        global.global(addresses, mask, 4);
        store.shared(offsets, mask, 4, SharedOp::Store);
        wide.shared(even, mask, 8, SharedOp::Load);
        word.shared(offsets, mask, 4, SharedOp::GenericLoad);
        half.shared(offsets, mask, 2, SharedOp::Load);
        const AtomicAccess a = analyze_atomic(addresses, mask);
        global_red.units += a.sectors, global_red.atomic_addresses += a.addresses,
            global_red.atomic_rounds += a.max_same;
        const SharedAccess s = analyze_shared(offsets, mask, 4, SharedOp::Atomic, machine.shared_banks);
        shared_red.units += s.wavefronts, shared_red.ways = std::max<uint64_t>(shared_red.ways, s.ways);
        shared_red.atomic_addresses += a.addresses, shared_red.unique_bytes += s.unique_bytes;
      }
      const std::string what =
          "round " + std::to_string(round) + " cpu " + level.cpu + " banks " + std::to_string(run / 3);
      expect_equal(access(r, "@%p1 st.global"), global.counts, what);
      expect_equal(access(r, "@%p1 st.shared"), store.counts, what);
      expect_equal(access(r, "@%p1 ld.shared.u64"), wide.counts, what);
      expect_equal(access(r, "@%p1 ld.shared.u16"), half.counts, what);
      expect_equal(access(r, "@%p1 ld.u32", Memory::Shared), word.counts, what);
      const AccessCounts &g = access(r, "@%p1 red.global"), &s = access(r, "@%p1 red.shared");
      EXPECT_EQ(g.requests, global.counts.requests) << what;
      EXPECT_EQ(g.units, global_red.units) << what;
      EXPECT_EQ(g.ideal_units, global.counts.ideal_units) << what;
      EXPECT_EQ(g.unique_bytes, global.counts.unique_bytes) << what;
      EXPECT_EQ(g.atomic_addresses, global_red.atomic_addresses) << what;
      EXPECT_EQ(g.atomic_rounds, global_red.atomic_rounds) << what;
      EXPECT_EQ(s.units, shared_red.units) << what;
      EXPECT_EQ(s.ways, shared_red.ways) << what;
      EXPECT_EQ(s.unique_bytes, shared_red.unique_bytes) << what;
      EXPECT_EQ(s.atomic_addresses, shared_red.atomic_addresses) << what;
    }
  }
}

// A generic access with affine addresses is counted as one that names its memory.
TEST(AccessCounts, GenericAffineAccesses) {
  const std::string body =
      ".shared .align 16 .b8 s[8192]; mov.u32 %r4, s; cvt.u64.u32 %rd7, %r4; cvta.shared.u64 %rd7, %rd7;"
      "and.b32 %r5, %r1, 1023; mul.wide.u32 %rd4, %r0, 8; add.u64 %rd3, %rd7, %rd4; add.u64 %rd5, %rd0, %rd4;"
      "mov.u32 %r6, 0;\nL: st.u32 [%rd3], %r0;\nst.u32 [%rd5], %r0;\n"
      "add.u64 %rd3, %rd3, 4; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 9; @%p1 bra L;\n"
      "add.u64 %rd3, %rd7, %rd4; setp.eq.u32 %p2, %r6, 9; selp.u64 %rd3, %rd5, %rd3, %p2; ld.u32 %r7, [%rd3];";
  for (const Level& level : kLevels) {
    Machine machine(kernel(body), options_of(level));
    const uint64_t out = machine.words(1 << 12);
    const Ran r = machine.launch({6, 1, 1}, {64, 1, 1}, {out, out});
    ASSERT_FALSE(r.fault) << r.fault->message;
    const InstructionInfo* stores[2] = {};
    for (const InstructionInfo& i : r.kernel->instructions)
      if (i.text.rfind("st.u32", 0) == 0) stores[stores[0] != nullptr] = &i;
    ASSERT_TRUE(stores[0] && stores[1]);
    auto of = [&](int i, Memory m) { return r.counts.accesses.at(stores[i]->access + static_cast<unsigned>(m)); };
    EXPECT_EQ(of(0, Memory::Shared).requests, 6 * 2 * 9u);
    EXPECT_EQ(of(0, Memory::Shared).units, 6 * 2 * 9 * 2u);
    EXPECT_EQ(of(0, Memory::Shared).ways, 2u);
    EXPECT_EQ(of(0, Memory::Global).requests, 0u);
    EXPECT_EQ(of(1, Memory::Global).requests, 6 * 2 * 9u);
    EXPECT_EQ(of(1, Memory::Global).units, 6 * 2 * 9 * 8u);
    EXPECT_EQ(of(1, Memory::Shared).requests, 0u);
    EXPECT_EQ(access(r, "ld.u32", Memory::Global).requests, 6 * 2u);
    EXPECT_EQ(access(r, "ld.u32", Memory::Shared).requests, 0u);
  }
}

// Where a bank's row holds two words that are 32 apart, an access across two rows costs more than inside one, so costs
// repeat only every 256 bytes. For specific and generic addresses, whose costs are cached by alignment.
TEST(AccessCounts, affineAccessesAtEveryPlaceOfARow) {
  const std::string body =
      ".shared .align 256 .b8 s[8192]; mov.u32 %r3, s; cvt.u64.u32 %rd7, %r3; cvta.shared.u64 %rd9, %rd7;"
      "and.b32 %r5, %r0, 1; shl.b32 %r5, %r5, 7; add.u32 %r4, %r3, %r5;"
      "shl.b32 %r8, %r0, 6; add.u32 %r9, %r3, %r8; shl.b32 %r10, %r0, 4;"
      "mov.u32 %r6, 0;\nL: mad.lo.u32 %r11, %r6, 8, %r10; mul.wide.u32 %rd10, %r11, 4; add.u64 %rd8, %rd9, %rd10;\n"
      "ld.shared.u32 %r7, [%r4];\nld.shared.u16 %h1, [%r9];\nld.u32 %r7, [%rd8];\n"
      "add.u32 %r4, %r4, 32; add.u32 %r9, %r9, 4;\n"
      "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 40; @%p1 bra L; st.global.u32 [%rd1], %r7;";
  for (unsigned run = 0; run < 3 * std::size(kBanks); ++run) {
    Machine machine(kernel(body), options_of(kLevels[run % 3]));
    machine.shared_banks = kBanks[run / 3];
    machine.run({2, 1, 1}, {32, 1, 1});
    Sum pairs, apart, generic;
    pairs.banks = apart.banks = generic.banks = machine.shared_banks;
    for (unsigned block = 0; block < 2; ++block)
      for (uint64_t turn = 0; turn < 40; ++turn) {
        uint64_t at[3][32];
        for (uint64_t l = 0; l < 32; ++l)
          at[0][l] = l % 2 * 128 + turn * 32, at[1][l] = l * 64 + turn * 4, at[2][l] = l * 64 + turn * 32;
        pairs.shared(at[0], ~0u, 4, SharedOp::Load);
        apart.shared(at[1], ~0u, 2, SharedOp::Load);
        generic.shared(at[2], ~0u, 4, SharedOp::GenericLoad);
      }
    const std::string what = "banks " + std::to_string(run / 3) + " cpu " + kLevels[run % 3].cpu;
    expect_equal(access(machine.last, "ld.shared.u32"), pairs.counts, what);
    expect_equal(access(machine.last, "ld.shared.u16"), apart.counts, what);
    expect_equal(access(machine.last, "ld.u32", Memory::Shared), generic.counts, what);
  }
}

// One loaded kernel launched with different banks: costs of one launch are not reused in the next.
TEST(AccessCounts, banksOfEachLaunch) {
  const std::string body =
      ".shared .align 256 .b8 s[8192]; mov.u32 %r4, s; shl.b32 %r5, %r0, 7; add.u32 %r4, %r4, %r5;\n"
      "ld.shared.u32 %r7, [%r4];\nst.global.u32 [%rd1], %r7;";
  Machine machine(kernel(body));
  const uint64_t wavefronts[] = {32, 16, 16, 32, 32};
  for (unsigned again = 0; again < 2; ++again)
    for (unsigned b = 0; b < std::size(kBanks); ++b) {
      machine.shared_banks = kBanks[b];
      machine.run({1, 1, 1}, {32, 1, 1});
      EXPECT_EQ(access(machine.last, "ld.shared.u32").units, wavefronts[b]) << b;
    }
}

TEST(AccessCounts, GenericAccessIsSplitOverMemories) {
  const std::string body =
      ".shared .align 4 .b8 s[256]; .local .align 4 .b8 l[8]; mov.u32 %r4, s; cvt.u64.u32 %rd3, %r4;"
      "cvta.shared.u64 %rd3, %rd3; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd3, %rd3, %rd4;"
      "mov.u64 %rd5, l; cvta.local.u64 %rd5, %rd5; rem.u32 %r5, %r0, 3; setp.eq.u32 %p1, %r5, 0;"
      "setp.eq.u32 %p2, %r5, 1; selp.u64 %rd6, %rd3, %rd5, %p1; selp.u64 %rd6, %rd1, %rd6, %p2;\n"
      "st.u32 [%rd6], %r0;\n ld.u32 %r6, [%rd6];\n st.global.u32 [%rd1], %r6;";
  for (const Level& level : kLevels) {
    Machine machine(kernel(body), options_of(level));
    const auto out = machine.run({2, 1, 1}, {32, 1, 1});
    for (uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i % 32);
    const Ran& r = machine.last;
    EXPECT_EQ(access(r, "ld.u32", Memory::Shared).lanes, 2 * 11u);
    EXPECT_EQ(access(r, "ld.u32", Memory::Global).lanes, 2 * 11u);
    EXPECT_EQ(access(r, "ld.u32", Memory::Local).lanes, 2 * 10u);
    EXPECT_EQ(access(r, "ld.u32", Memory::Shared).requests, 2u);
    EXPECT_EQ(access(r, "ld.u32", Memory::Global).units, 2 * 4u);
  }
}

TEST(BranchCounts, DivergentAndTaken) {
  const std::string body =
      "mov.u32 %r5, 0; and.b32 %r6, %r0, 3;\nL: add.u32 %r5, %r5, 1; setp.le.u32 %p1, %r5, %r6;\n@%p1 bra L;\n"
      "setp.lt.u32 %p2, %r0, 32;\n@!%p2 bra E;\nst.global.u32 [%rd1], %r5;\nE:";
  for (const Level& level : kLevels) {
    Machine machine(kernel(body), options_of(level));
    machine.run({3, 1, 1}, {64, 1, 1});
    const Ran& r = machine.last;
    const auto& loop = r.counts.branches.at(instruction(*r.kernel, "@%p1 bra").branch);
    EXPECT_EQ(loop.divergent, 3 * 2 * 3u);  // iterations 1, 2, 3 lose lanes; in iteration 4 the rest leaves together
    EXPECT_EQ(loop.taken, 3 * 2 * 3u);
    const auto& uniform = r.counts.branches.at(instruction(*r.kernel, "@!%p2 bra").branch);
    EXPECT_EQ(uniform.divergent, 0u);
    EXPECT_EQ(uniform.taken, 3u);
    const auto& body_block = r.counts.blocks.at(instruction(*r.kernel, "add.u32 %r5").block);
    EXPECT_EQ(body_block.warps, 3 * 2 * 4u);
    EXPECT_EQ(body_block.lanes, 3 * 2 * (32 + 24 + 16 + 8u));
    EXPECT_EQ(r.counts.threads_run, 192u);
    EXPECT_EQ(r.counts.warps_run, 6u);
    EXPECT_EQ(r.counts.blocks_run, 3u);
  }
}

TEST(LaunchCounts, CountersOffLeavesResultsAndNoCounts) {
  EngineOptions options = Machine::one_worker();
  options.counters = false;
  Machine machine(kernel("st.global.u32 [%rd1], %r1;"), options);
  const auto out = machine.run({2, 1, 1}, {50, 1, 1});
  for (uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i);
  EXPECT_TRUE(machine.last.counts.accesses.empty());
}

}  // namespace
}  // namespace drywarp::exec
