// The rules on memory, on both sides of their thresholds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts_of_accesses.h"

namespace drywarp::advice {
namespace {

using metrics::AccessKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kLoad = "ld.global.f32 \t%f1, [%rd4];";
constexpr const char* kStore = "st.global.f32 \t[%rd8], %f1;";

auto step(uint64_t bytes, uint64_t first = 0) {
  return [=](unsigned lane) { return first + lane * bytes; };
}

// A copy with a stride; the store is coalesced.
Facts strided(uint64_t bytes, const char* source = "out[i] = in[k * i];") {
  TestKernel k;
  k.source(7, source);
  k.access({.line = 7, .text = kLoad, .address = step(bytes)});
  k.access({.line = 7, .text = kStore, .kind = AccessKind::Store, .address = step(4)});
  return k.facts();
}

TEST(Uncoalesced, FromHalfOfTheSectorsOn) {
  EXPECT_FALSE(find("uncoalesced", strided(4)));
  const auto two = find("uncoalesced", strided(8));  // 8 sectors for 4
  ASSERT_TRUE(two);
  EXPECT_EQ(two->headline, "let neighbouring threads access neighbouring elements of in");
  EXPECT_THAT(two->cure, HasSubstr("2 elements apart"));
  ASSERT_EQ(two->lines.size(), 1u);
  EXPECT_EQ(two->lines[0].line, 7u);
  EXPECT_DOUBLE_EQ(*two->lines[0].excess_share, 1);
  EXPECT_DOUBLE_EQ(*two->lines[0].total_share, 8.0 / 12);
  EXPECT_EQ(two->explain, "access");
  // A line or more apart in a block of one dimension is still a stride, and no column.
  EXPECT_TRUE(find("uncoalesced", strided(256)));
  EXPECT_FALSE(find("row_column", strided(256)));
}

TEST(Uncoalesced, NamesStructures) {
  const auto found = find("uncoalesced", strided(16, "out[i] = in[i].y;"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->headline, "make in a structure of arrays");
}

TEST(Uncoalesced, NamesBlocksThatAreTooNarrowAndScatteredAddresses) {
  TestKernel narrow({4, 64, 1});
  narrow.source(3, "out[y * n + x] = in[y * n + x];");
  narrow.access({.line = 3, .text = kLoad, .address = [](unsigned lane) { return lane / 4 * 4096 + lane % 4 * 4; }});
  EXPECT_EQ(find("uncoalesced", narrow.facts())->headline, "widen the block: its rows have 4 threads");
  TestKernel gather;
  gather.source(3, "sum += table[index[i]];");
  gather.access({.line = 3, .text = kLoad, .address = [](unsigned lane) { return lane * lane * 640; }});
  EXPECT_THAT(find("uncoalesced", gather.facts())->headline, HasSubstr("gather the accesses"));
}

// Lanes that diverged touch more sectors than they need: the pattern is not to blame.
TEST(Uncoalesced, IsNotDivergence) {
  TestKernel k;
  k.access({.line = 3, .text = kLoad, .address = step(4), .lanes = 0x01010101});
  EXPECT_FALSE(find("uncoalesced", k.facts()));
  EXPECT_FALSE(find("row_column", k.facts()));
}

TEST(Misaligned, FromTheMiddleOfASectorOn) {
  const auto copy = [](uint64_t first) {
    TestKernel k;
    k.source(5, "out[i] = in[i + offset];");
    k.access({.line = 5, .text = kLoad, .address = step(4, first)});
    return k.facts();
  };
  const auto found = find("misaligned", copy(4));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->headline, "align the accesses to in");
  EXPECT_FALSE(find("misaligned", copy(32)));
  EXPECT_FALSE(find("uncoalesced", copy(4)));
}

// All of these gain what avoiding all the excess gains.
TEST(Misaligned, MattersOnlyAsAPartOfTheExcess) {
  const auto beside = [](uint64_t requests) {
    TestKernel k;
    k.source(5, "out[i] = in[i + offset];").source(6, "out[i] += table[2 * i];");
    k.access({.line = 5, .text = kLoad, .address = step(4, 4)});
    k.access({.line = 6, .text = kLoad, .address = step(8), .requests_a_warp = requests});
    return k.facts();
  };
  EXPECT_TRUE(find("misaligned", beside(4)));
  EXPECT_FALSE(find("misaligned", beside(5)));
  EXPECT_TRUE(find("uncoalesced", beside(5)));
}

TEST(RowColumn, StoresThroughATile) {
  TestKernel k;
  k.source(9, "out[16 * i + j] = x;");
  k.access({.line = 9, .text = kStore, .kind = AccessKind::Store, .address = step(256), .requests_a_warp = 16});
  const auto found = find("row_column", k.facts());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->headline, "store out along its rows, from a tile in shared memory");
  EXPECT_THAT(found->cure, HasSubstr("store the tile to out with threadIdx.x along its rows"));
  EXPECT_THAT(found->sketch, ElementsAre("__shared__ float tile[32][32 + 1];", "tile[threadIdx.x][k] = ...;",
                                         "__syncthreads();", testing::_));
}

TEST(RowColumn, TurnsCornersWhereTheOtherSideRunsAlongRows) {
  TestKernel k({32, 8, 1});
  k.source(9, "out[x * rows + y] = in[y * columns + x];");
  k.access({.line = 9, .text = kLoad, .address = step(4)});
  k.access({.line = 9, .text = kStore, .kind = AccessKind::Store, .address = step(8192)});
  const auto found = find("row_column", k.facts());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->headline, "transpose out through a tile in shared memory");
  EXPECT_THAT(found->sketch,
              ElementsAre("__shared__ float tile[8][32 + 1];", "tile[threadIdx.y][threadIdx.x] = in[y * columns + x];",
                          "__syncthreads();", "out[...] = tile[threadIdx.x][threadIdx.y];", testing::_));
  EXPECT_FALSE(find("uncoalesced", k.facts()));
}

TEST(RowColumn, SwapsIndicesWhereNothingRunsAlongRows) {
  TestKernel k({32, 32, 1});
  k.source(4, "sum += m[row * width + k] * n[k * width + column];").source(5, "p[row * width + column] = sum;");
  k.code("ld.param.u64 \t%rd1, [kernel_param_0];").code("cvta.to.global.u64 \t%rd4, %rd1;");
  k.code("ld.param.u64 \t%rd2, [kernel_param_1];").code("cvta.to.global.u64 \t%rd5, %rd2;");
  k.source(1, "__global__ void kernel(const float* m, const float* n, float* p, int width) {");
  k.access({.line = 4, .text = kLoad, .address = step(4096), .requests_a_warp = 100});
  k.access({.line = 4, .text = "ld.global.f32 \t%f2, [%rd5];", .address = step(0), .requests_a_warp = 100});
  k.access({.line = 5, .text = kStore, .kind = AccessKind::Store, .address = step(4096)});
  const auto found = find("row_column", k.facts());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->headline, "let threadIdx.x run along the rows of m and p");
}

TEST(RowColumn, LoadsATileWhereEachThreadWalksAlongItsRow) {
  TestKernel k({128, 1, 1});
  k.source(4, "sum += a[row * n + k];").source(5, "out[row] = sum;");
  k.access({.line = 4, .text = kLoad, .address = step(4096), .requests_a_warp = 1024});
  k.access({.line = 5, .text = kStore, .kind = AccessKind::Store, .address = step(4)});
  const auto found = find("row_column", k.facts());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->headline, "load a along its rows into a tile in shared memory");
}

Facts bank_kernel(uint64_t bytes, const char* declaration = "  __shared__ float tile[32][32];") {
  TestKernel k({32, 32, 1});
  k.source(2, declaration).source(6, "out[i] = tile[threadIdx.x][threadIdx.y];");
  k.access({.line = 6, .text = "ld.shared.f32 \t%f2, [%rd6];", .memory = Memory::Shared, .address = step(bytes)});
  return k.facts();
}

TEST(BankConflicts, PadsTheDeclaredArray) {
  const auto found = find("bank_conflicts", bank_kernel(128));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->headline, "pad the rows of tile by 1 element");
  EXPECT_THAT(found->sketch, ElementsAre("__shared__ float tile[32][32 + 1];"));
  EXPECT_THAT(found->cure, HasSubstr("swizzle"));
  EXPECT_EQ(found->explain, "banks");
  EXPECT_FALSE(find("bank_conflicts", bank_kernel(132)));
  EXPECT_FALSE(find("bank_conflicts", bank_kernel(4)));
  // No rows to pad: the index is strided.
  const auto flat = find("bank_conflicts", bank_kernel(8, "  extern __shared__ float tile[];"));
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->headline, "let neighbouring threads access neighbouring elements of tile");
}

// From 10 % of the wavefronts on, over all accesses.
TEST(BankConflicts, FromTenPercentOn) {
  const auto mixed = [](uint64_t good) {
    TestKernel k({32, 32, 1});
    k.access({.line = 6, .text = "ld.shared.f32 \t%f2, [%rd6];", .memory = Memory::Shared, .address = step(8)});
    k.access({.line = 7,
              .text = "ld.shared.f32 \t%f2, [%rd7];",
              .memory = Memory::Shared,
              .address = step(4),
              .requests_a_warp = good});
    return k.facts();
  };
  EXPECT_TRUE(find("bank_conflicts", mixed(8)));  // 1 of 10
  EXPECT_FALSE(find("bank_conflicts", mixed(9)));
}

TEST(ContendedAtomics, OfAWarpOrOfTheGrid) {
  const auto histogram = [](uint64_t bins_of_warp, AccessReuse reuse, bool shared) {
    TestKernel k;
    k.source(3, "atomicAdd(&bins[in[i]], 1);");
    const Memory memory = shared ? Memory::Shared : Memory::Global;
    k.access({.line = 3,
              .text = "red.global.add.u32 \t[%rd3], 1;",
              .memory = memory,
              .kind = AccessKind::Atomic,
              .address = [=](unsigned lane) { return lane % bins_of_warp * 4; },
              .reuse = reuse});
    return k.facts();
  };
  const auto global = find("contended_atomics", histogram(16, {}, false));  // two lanes on each
  ASSERT_TRUE(global);
  EXPECT_THAT(global->headline, HasSubstr("privatize"));
  EXPECT_FALSE(find("contended_atomics", histogram(32, {}, false)));
  EXPECT_TRUE(find("contended_atomics", histogram(32, {100, 64 * 1024, 32 * 1024, 1024}, false)));
  EXPECT_FALSE(find("contended_atomics", histogram(32, {100, 63 * 1024, 32 * 1024, 1024}, false)));
  EXPECT_THAT(find("contended_atomics", histogram(16, {}, true))->headline, HasSubstr("aggregate"));
  // A sum: the operand is an array, the address is not.
  TestKernel sum;
  sum.source(1, "__global__ void sum(const int* a, int* out) {").source(3, "atomicAdd(out, a[i]);");
  sum.code("ld.param.u64 \t%rd1, [sum_param_1];").code("cvta.to.global.u64 \t%rd3, %rd1;");
  sum.access({.line = 3,
              .text = "red.global.add.u32 \t[%rd3], 1;",
              .kind = AccessKind::Atomic,
              .address = step(0),
              .reuse = {4, 4096, 128, 32}});
  EXPECT_EQ(find("contended_atomics", sum.facts())->headline, "add up in the block before the atomic on out");
}

Facts product(double times, uint64_t other_instructions) {
  TestKernel k({16, 16, 1});
  k.source(4, "sum += m[row * width + k];");
  k.access({.line = 4,
            .text = kLoad,
            .address = step(0),
            .requests_a_warp = 100,
            .reuse = {16, uint64_t(times * 5000), 5000, 500}});
  k.code("add.s32 \t%r1, %r1, 1;", other_instructions);
  return k.facts();
}

TEST(Tiling, WhereABlockLoadsAnElementEightTimes) {
  const auto found = find("tiling", product(8, 300));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->headline, "tile m in shared memory");
  EXPECT_THAT(found->observation, HasSubstr("each element of m is loaded 8 times by a block"));
  EXPECT_FALSE(find("tiling", product(7.9, 300)));
  const auto table = [](uint64_t bytes) {  // that all threads read
    TestKernel k;
    k.access({.line = 4, .text = kLoad, .address = step(0), .requests_a_warp = 9, .reuse = {1, 9000, bytes, bytes}});
    return k.facts();
  };
  EXPECT_TRUE(find("tiling", table(256)));
  EXPECT_FALSE(find("tiling", table(255)));
  EXPECT_TRUE(find("tiling", product(8, 4900)));  // 2 % of the instructions
  EXPECT_FALSE(find("tiling", product(8, 4901)));
}

TEST(Tiling, ComesAfterCoalescing) {
  const auto both = [](uint64_t stride) {
    TestKernel k({16, 16, 1});
    const AccessReuse reuse{16, 80'000, 5000, 500};
    k.access({.line = 4, .text = kLoad, .address = step(0), .requests_a_warp = 10, .reuse = reuse});
    k.access({.line = 5, .text = kStore, .kind = AccessKind::Load, .address = step(stride), .requests_a_warp = 10});
    return k.facts();
  };
  EXPECT_TRUE(find("tiling", both(4)));
  EXPECT_FALSE(find("tiling", both(4096)));
}

TEST(RedundantLoads, WhereTwoBlocksLoadTheSame) {
  const auto tiled = [](AccessReuse reuse, uint64_t stride = 4) {
    TestKernel k({32, 16, 1});
    k.source(4, "tile[ty][tx] = m[row * width + tx];");
    k.access({.line = 4, .text = kLoad, .address = step(stride), .requests_a_warp = 10, .reuse = reuse});
    return k.facts();
  };
  const auto found = find("redundant_loads", tiled({16, 1000, 1000, 500}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->observation, HasSubstr("each part of m 2 times between them"));
  EXPECT_FALSE(find("redundant_loads", tiled({16, 1000, 1000, 501})));
  EXPECT_FALSE(find("redundant_loads", tiled({16, 1000, 1000, 500}, 8)));  // not coalesced
  EXPECT_FALSE(find("redundant_loads", tiled({1, 1000, 1000, 500})));      // one block
  EXPECT_FALSE(find("redundant_loads", tiled({16, 2001, 1000, 500})));     // a tile comes first
}

LimiterFacts waiting_for_data(double dram = 40) {
  LimiterFacts f = busy(10, 50);
  f.load_efficiency = 100, f.l1_hits = 0, f.warps_active = 40, f.dram = dram;
  f.stalls[unsigned(sm::Stall::LongScoreboard)] = 6, f.stalls[unsigned(sm::Stall::Wait)] = 4;
  return f;
}

TEST(VectorLoads, OfStreamsThatWait) {
  const auto copy = [](unsigned bytes, uint64_t stride, double dram, uint64_t times = 1) {
    TestKernel k;
    k.source(7, "out[i] = in[i];");
    k.access({.line = 7, .text = kLoad, .bytes = bytes, .address = step(stride), .requests_a_warp = times});
    k.limiter(waiting_for_data(dram));
    return k.facts();
  };
  const auto found = find("vector_loads", copy(4, 4, 79));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->sketch, ElementsAre(HasSubstr("reinterpret_cast<const float4*>(in)")));
  EXPECT_FALSE(find("vector_loads", copy(4, 4, 80)));
  EXPECT_FALSE(find("vector_loads", copy(16, 16, 79)));
  EXPECT_FALSE(find("vector_loads", copy(4, 8, 79)));
  EXPECT_FALSE(find("vector_loads", copy(4, 4, 79, 2)));  // a loop
}

// Course, B4: column sums are coalesced and wait for DRAM.
TEST(ExposedLoads, WhereNothingHidesTheLatency) {
  const auto fires = [](const LimiterFacts& f) {
    return keys(advised(f)) == std::vector<std::string>{"exposed_loads"};
  };
  LimiterFacts f = waiting_for_data();
  EXPECT_TRUE(fires(f));
  f.memory = 60;
  EXPECT_FALSE(fires(f));
  f = waiting_for_data(), f.stalls[unsigned(sm::Stall::Wait)] = 14;
  EXPECT_TRUE(fires(f));  // 30 %
  f.stalls[unsigned(sm::Stall::Wait)] = 15;
  EXPECT_FALSE(fires(f));
  f = waiting_for_data(), f.load_efficiency = 49;
  EXPECT_FALSE(fires(f));
  f = waiting_for_data(), f.l1_hits = 50;
  EXPECT_FALSE(fires(f));
}

TEST(ReadOnlyLoads, WhereAStoreKeepsThemInTheLoop) {
  const auto loop = [](uint64_t times, const char* load, uint64_t requested, const char* stored_parameter) {
    TestKernel k;
    k.source(1, "__global__ void scale(float* out, const float* factor, int n) {").source(4, "out[i] *= *factor;");
    k.code("ld.param.u64 \t%rd1, [scale_param_1];").code("cvta.to.global.u64 \t%rd4, %rd1;");
    k.code(std::string("ld.param.u64 \t%rd2, [scale_param_") + stored_parameter + "];");
    k.code("cvta.to.global.u64 \t%rd8, %rd2;");
    k.access({.line = 4, .text = load, .address = step(0), .requests_a_warp = times, .reuse = {1, requested, 32, 32}});
    k.access({.line = 4, .text = kStore, .kind = AccessKind::Store, .address = step(4), .requests_a_warp = times});
    return k.facts();
  };
  EXPECT_TRUE(find("read_only_loads", loop(2, kLoad, 64, "0")));
  EXPECT_FALSE(find("read_only_loads", loop(1, kLoad, 64, "0")));
  EXPECT_FALSE(find("read_only_loads", loop(2, kLoad, 63, "0")));  // other elements each time
  EXPECT_FALSE(find("read_only_loads", loop(2, kLoad, 64, "1")));  // it is written
  EXPECT_FALSE(find("read_only_loads", loop(2, "ld.global.nc.f32 \t%f1, [%rd4];", 64, "0")));
}

TEST(UnusedShared, WhereItIsReservedAndNotTouched) {
  TestKernel k;
  k.access({.line = 7, .text = kLoad, .address = step(4)});
  EXPECT_FALSE(find("unused_shared", k.facts()));
  k.shared_bytes(4096);
  EXPECT_THAT(find("unused_shared", k.facts())->observation, HasSubstr("4096 bytes"));
  k.access({.line = 8, .text = "ld.shared.f32 \t%f2, [%rd6];", .memory = Memory::Shared, .address = step(4)});
  EXPECT_FALSE(find("unused_shared", k.facts()));
}

TEST(Ranking, GainsThenNoEstimateThenNoGain) {
  TestKernel k({32, 32, 1});
  k.source(2, "  __shared__ float tile[32][32];").source(6, "out[x * n + y] = tile[threadIdx.x][threadIdx.y];");
  k.access({.line = 6, .text = "ld.shared.f32 \t%f2, [%rd6];", .memory = Memory::Shared, .address = step(128)});
  k.access({.line = 6, .text = kStore, .kind = AccessKind::Store, .address = step(8192)});
  LimiterFacts small = busy(10, 10, 0.2);
  small.blocks = 4;
  k.limiter(small);
  const auto ranked = [&](double coalesced, double banks) {
    return keys(advise(k.facts(), [&](whatif::Scenario s) -> GainAnswer {
      return {Gain{s == whatif::Scenario::Coalesced ? coalesced : banks, 1, 1}, {}};
    }));
  };
  EXPECT_THAT(ranked(1.5, 2), ElementsAre("bank_conflicts", "row_column", "small_grid"));
  EXPECT_THAT(ranked(3, 2), ElementsAre("row_column", "bank_conflicts", "small_grid"));
  EXPECT_THAT(ranked(1.01, 2), ElementsAre("bank_conflicts", "small_grid", "row_column"));
  const auto all = advise(k.facts(), [](whatif::Scenario) { return GainAnswer{Gain{1.01, 1, 1}, {}}; });
  EXPECT_FALSE(all.back().is_worth_it());
  EXPECT_THAT(scenarios_of(all), ElementsAre(whatif::Scenario::Coalesced, whatif::Scenario::NoBankConflicts));
}

}  // namespace
}  // namespace drywarp::advice
