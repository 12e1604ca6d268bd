// Observers fed with hand-written events: each must fill LaunchCounts' places with the sums that the definitions give.
#include <gtest/gtest.h>

#include <array>

#include "observers/banks.h"
#include "observers/coalescing.h"
#include "observers/divergence.h"
#include "observers/instruction_mix.h"

namespace drywarp {
namespace {

using Addresses = std::array<uint64_t, kWarpSize>;

Addresses strided(uint64_t base, uint64_t stride) {
  Addresses a{};
  for (unsigned i = 0; i < kWarpSize; ++i) a[i] = base + i * stride;
  return a;
}

// 0: ld.global, 1: generic ld (entries 1..3), 2: st.shared, 3: atom.global, 4: branch in block 1, 5: guarded add in
// block 1
KernelInfo sample_kernel() {
  KernelInfo k;
  k.instructions.resize(6);
  auto& i = k.instructions;
  i[0].access = 0, i[0].load = true, i[0].klass = InstructionClass::LoadStore;
  i[1].access = 1, i[1].load = true, i[1].generic = true, i[1].klass = InstructionClass::LoadStore;
  i[2].access = 4, i[2].store = true, i[2].memory = Memory::Shared, i[2].klass = InstructionClass::LoadStore;
  i[3].access = 5, i[3].atomic = true, i[3].klass = InstructionClass::Atomic;
  i[4].branch = 0, i[4].block = 1, i[4].klass = InstructionClass::Control;
  i[5].predicate = 0, i[5].block = 1, i[5].klass = InstructionClass::Integer;
  return k;
}

LaunchBeginEvent begin(const KernelInfo& k) { return {k, {1, 1, 1}, {32, 1, 1}}; }

TEST(CoalescingObserver, SumsSectorsByInstructionAndMemory) {
  const KernelInfo k = sample_kernel();
  CoalescingObserver all;
  all.on_launch_begin(begin(k));
  const Addresses packed = strided(0, 4), column = strided(0, 4096), same = strided(64, 0);
  all.on_access({{0}, Memory::Global, ~0u, 4, packed});
  all.on_access({{0}, Memory::Global, 0xf, 4, column});
  all.on_access({{1}, Memory::Global, 0xffff, 4, packed});
  all.on_access({{1}, Memory::Local, 0xffff0000, 4, same});  // one offset: the threads' words lie side by side
  all.on_access({{1}, Memory::Shared, 1, 4, packed});        // not its business
  all.on_access({{3}, Memory::Global, ~0u, 4, same});
  all.on_access({{0}, Memory::Global, 0, 4, packed});  // predicated off: no request

  const auto& s = all.sums();
  ASSERT_EQ(s.size(), 6u);
  EXPECT_EQ(s[0].requests, 2u);
  EXPECT_EQ(s[0].lanes, 36u);
  EXPECT_EQ(s[0].bytes, 144u);
  EXPECT_EQ(s[0].unique_bytes, 144u);
  EXPECT_EQ(s[0].units, 4u + 4u);
  EXPECT_EQ(s[0].ideal_units, 4u + 1u);
  EXPECT_EQ(s[1].units, 2u);
  EXPECT_EQ(s[2].requests, 0u);  // shared
  EXPECT_EQ(s[3].units, 2u);     // local
  EXPECT_EQ(s[5].atomic_addresses, 1u);
  EXPECT_EQ(s[5].atomic_rounds, 32u);
  EXPECT_EQ(s[5].units, 32u);  // a sector a round
}

TEST(BankObserver, SumsWavefrontsAndKeepsTheWorstConflict) {
  const KernelInfo k = sample_kernel();
  BankObserver all;
  all.on_launch_begin(begin(k));
  const Addresses packed = strided(0, 4), two_way = strided(0, 8), column = strided(0, 128);
  all.on_access({{2}, Memory::Shared, ~0u, 4, packed});
  all.on_access({{2}, Memory::Shared, ~0u, 4, column});
  all.on_access({{2}, Memory::Shared, ~0u, 4, two_way});
  all.on_access({{1}, Memory::Shared, ~0u, 4, two_way});
  all.on_access({{1}, Memory::Global, ~0u, 4, two_way});

  const auto& s = all.sums();
  EXPECT_EQ(s[4].requests, 3u);
  EXPECT_EQ(s[4].units, 1u + 32u + 2u);
  EXPECT_EQ(s[4].ideal_units, 3u);
  EXPECT_EQ(s[4].ways, 32u);
  EXPECT_EQ(s[2].units, 2u);
  EXPECT_EQ(s[2].ways, 2u);
  EXPECT_EQ(s[1].requests, 0u);
}

TEST(BankObserver, CountsByTheDevicesBanks) {
  const KernelInfo k = sample_kernel();
  const Addresses two_way = strided(0, 8), column = strided(0, 128);
  const std::pair<SharedBanks, uint64_t> wavefronts[] = {
      {{}, 2 + 32}, {{BankRule::Kepler, 32, 8, 4}, 1 + 16}, {{BankRule::Tesla, 16, 4, 4}, 4 + 32}};
  for (const auto& [banks, expected] : wavefronts) {
    BankObserver all(banks);
    all.on_launch_begin(begin(k));
    const auto shard = all.shard();  // which counts for it
    shard->on_access({{2}, Memory::Shared, ~0u, 4, two_way});
    shard->on_access({{2}, Memory::Shared, ~0u, 4, column});
    all.merge(*shard);
    EXPECT_EQ(all.sums()[4].units, expected);
  }
}

TEST(DivergenceObserver, CountsBranchesThatSplitTheWarp) {
  const KernelInfo k = sample_kernel();
  DivergenceObserver all;
  all.on_launch_begin(begin(k));
  all.on_branch({{4}, ~0u, ~0u});          // all take it
  all.on_branch({{4}, ~0u, 0});            // none
  all.on_branch({{4}, ~0u, 1});            // one
  all.on_branch({{4}, 0xf0, 0xf0});        // every lane that is there
  all.on_branch({{4}, 0xf0, 0xffffffff});  // lanes that are not there do not count
  ASSERT_EQ(all.sums().size(), 1u);
  EXPECT_EQ(all.sums()[0].divergent, 1u);
  EXPECT_EQ(all.sums()[0].taken, 4u);
}

TEST(InstructionMixObserver, CountsWarpsLanesAndGuards) {
  const KernelInfo k = sample_kernel();
  InstructionMixObserver all;
  all.on_launch_begin(begin(k));
  all.on_instruction({{0}, ~0u, ~0u});
  all.on_instruction({{1}, ~0u, ~0u});
  all.on_instruction({{4}, 0xff, 0xff});
  all.on_instruction({{5}, 0xff, 0x0f});
  all.on_instruction({{5}, 0xff, 0});  // predicated off: issued, not executed
  const auto of = [&](InstructionClass c) { return all.classes()[static_cast<size_t>(c)]; };
  EXPECT_EQ(of(InstructionClass::LoadStore).warps, 2u);
  EXPECT_EQ(of(InstructionClass::LoadStore).lanes, 64u);
  EXPECT_EQ(of(InstructionClass::Integer).warps, 2u);
  EXPECT_EQ(of(InstructionClass::Integer).lanes, 16u);
  EXPECT_EQ(of(InstructionClass::Integer).executed, 4u);
  EXPECT_EQ(all.blocks()[0].warps, 1u);
  EXPECT_EQ(all.blocks()[1].warps, 1u);
  EXPECT_EQ(all.blocks()[1].lanes, 8u);
  EXPECT_EQ(all.predicates()[0].warps, 1u);
  EXPECT_EQ(all.predicates()[0].lanes, 4u);
}

TEST(Observers, ShardsAddUpToTheWhole) {
  const KernelInfo k = sample_kernel();
  const Addresses packed = strided(0, 4), column = strided(0, 128);
  CoalescingObserver coalescing;
  BankObserver banks;
  DivergenceObserver divergence;
  InstructionMixObserver mix;
  for (Observer* o : {static_cast<Observer*>(&coalescing), static_cast<Observer*>(&banks),
                      static_cast<Observer*>(&divergence), static_cast<Observer*>(&mix)}) {
    o->on_launch_begin(begin(k));
    const auto a = o->shard(), b = o->shard();
    a->on_access({{0}, Memory::Global, ~0u, 4, column});
    b->on_access({{0}, Memory::Global, ~0u, 4, packed});
    a->on_access({{2}, Memory::Shared, ~0u, 4, packed});
    b->on_access({{2}, Memory::Shared, ~0u, 4, column});
    a->on_branch({{4}, ~0u, 1});
    b->on_branch({{4}, ~0u, 2});
    a->on_instruction({{5}, ~0u, 3});
    b->on_instruction({{4}, ~0u, ~0u});
    o->merge(*a);
    o->merge(*b);
  }
  EXPECT_EQ(coalescing.sums()[0].units, 36u);
  EXPECT_EQ(banks.sums()[4].units, 33u);
  EXPECT_EQ(banks.sums()[4].ways, 32u);
  EXPECT_EQ(divergence.sums()[0].divergent, 2u);
  EXPECT_EQ(mix.predicates()[0].lanes, 2u);
  EXPECT_EQ(mix.blocks()[1].lanes, 32u);
}

}  // namespace
}  // namespace drywarp
