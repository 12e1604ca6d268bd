// Which launches are proven to have independent blocks, and which are not.
#include "language/analysis/block_races.h"

#include <gtest/gtest.h>

#include <cstring>

#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

constexpr uint64_t kA = 0x7f0000000000, kB = 0x7f1000000000, kC = 0x7f2000000000, kBytes = uint64_t{1} << 32;

// A kernel k(a, b, n, c), with 256 threads a block unless said otherwise. %r1: the thread's number in the grid; %rd1,
// %rd2: a and b; %rd3, %rd4: the thread's element of each; %r9: n.
struct Races : PtxKernel {
  explicit Races(const std::string& body, const std::string& declarations = "")
      : PtxKernel(declarations + ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, .param .u64 c) {\n",
                  ".reg .pred %p<9>; .reg .b32 %r<60>; .reg .b64 %rd<60>; .reg .f32 %f<9>;\n"
                  "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r1, %r2, %r3, %r4;\n"
                  "ld.param.u64 %rd11, [a]; cvta.to.global.u64 %rd1, %rd11;\n"
                  "ld.param.u64 %rd12, [b]; cvta.to.global.u64 %rd2, %rd12; ld.param.u32 %r9, [n];\n"
                  "mul.wide.s32 %rd5, %r1, 4; add.s64 %rd3, %rd1, %rd5; add.s64 %rd4, %rd2, %rd5;\n" +
                      body) {}
  BlockRaces find(uint64_t a = kA, uint64_t b = kB, uint64_t c = kC) const {
    std::vector<uint8_t> parameters(32);
    std::memcpy(&parameters[0], &a, 8);
    std::memcpy(&parameters[8], &b, 8);
    std::memcpy(&parameters[16], &n, 4);
    std::memcpy(&parameters[24], &c, 8);
    LaunchFacts facts;
    for (unsigned d = 0; d < 3; ++d) facts.grid[d] = grid[d], facts.block[d] = block[d];
    facts.parameters = parameters.data();
    facts.parameter_bytes = parameters.size();
    facts.allocation = [](uint64_t address) {
      for (const uint64_t base : {kA, kB, kC})
        if (address - base < kBytes) return base;
      return uint64_t{0};
    };
    return block_races(module, f, flow, facts);
  }
  bool possible(uint64_t a = kA, uint64_t b = kB) const { return find(a, b).possible; }

  uint32_t grid[3] = {100, 1, 1}, block[3] = {256, 1, 1}, n = 1 << 20;
};

TEST(BlockRaces, EachThreadItsOwnElement) {
  const Races in_place("ld.global.f32 %f1, [%rd3]; add.f32 %f1, %f1, %f1; st.global.f32 [%rd3], %f1;");
  EXPECT_FALSE(in_place.possible());
  const Races saxpy(
      "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd4]; fma.rn.f32 %f1, %f1, %f1, %f2; st.global.f32 [%rd4], "
      "%f1;");
  EXPECT_FALSE(saxpy.possible());
  EXPECT_FALSE(saxpy.possible(kA, kA));  // in place
  EXPECT_TRUE(saxpy.possible(kA, kA + 4)) << "reads what the neighbour writes";
  EXPECT_FALSE(saxpy.possible(kA, kA + 100 * 256 * 4)) << "two arrays in one allocation";
}

// As in an unrolled hash, whose words are mixed a thousand times over.
TEST(BlockRaces, IndexAtTheEndOfALongChain) {
  constexpr int kLinks = 30000;
  std::string body = ".reg .b32 %q<" + std::to_string(kLinks + 2) + ">; mov.u32 %q0, %r1;\n";
  for (int i = 0; i < kLinks; ++i) body += "add.s32 %q" + std::to_string(i + 1) + ", %q" + std::to_string(i) + ", 1;\n";
  body += "mul.wide.s32 %rd20, %q" + std::to_string(kLinks) + ", 4; add.s64 %rd21, %rd1, %rd20;\n";
  EXPECT_TRUE(Races(body + "st.global.f32 [%rd21], %f1; ld.global.f32 %f2, [%rd3];").possible()) << "not known";
}

// As clang reads a structure in more than one block.
TEST(BlockRaces, PointersAreLoadedByTheAddressOfAParameter) {
  const Races copy(
      "mov.b64 %rd20, a; mov.u64 %rd21, %rd20; ld.param.u64 %rd22, [%rd21+8]; add.s64 %rd23, %rd22, %rd5;\n"
      "ld.global.f32 %f1, [%rd23]; st.global.f32 [%rd3], %f1;");
  EXPECT_FALSE(copy.possible());
  EXPECT_TRUE(copy.possible(kA, kA + 4)) << "reads what the neighbour writes";
}

TEST(BlockRaces, LoadsFromWhatNothingWrites) {
  const Races saxpy(
      "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd4]; fma.rn.f32 %f1, %f1, %f1, %f2; st.global.f32 [%rd4], "
      "%f1;");
  const auto unwritten = [](const BlockRaces& found) {
    return std::count(found.unwritten.begin(), found.unwritten.end(), 1);
  };
  EXPECT_EQ(unwritten(saxpy.find()), 1);
  EXPECT_EQ(unwritten(saxpy.find(kA, kA)), 0) << "in place";
  EXPECT_EQ(unwritten(saxpy.find(kA, kA + 100 * 256 * 4)), 0) << "the same allocation";
  EXPECT_EQ(unwritten(saxpy.find(kA + kBytes + kBytes, kB)), 0) << "of no allocation";
  const Races atomics("ld.global.u32 %r5, [%rd3]; atom.global.add.u32 %r6, [%rd4], %r5;");
  EXPECT_EQ(unwritten(atomics.find()), 1);
  EXPECT_EQ(unwritten(atomics.find(kA, kA)), 0);
  // Where blocks write over each other's results, nothing writes what they read all the same.
  const Races over(
      "ld.global.u32 %r5, [%rd3]; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r6, [%rd7]; "
      "st.global.u32 [%rd2], %r6;");
  EXPECT_TRUE(over.find().possible);
  EXPECT_EQ(unwritten(over.find()), 2);
  EXPECT_EQ(unwritten(over.find(kA, kA)), 0);
}

// The pointer is at first to a list's head, then to a node.
TEST(BlockRaces, APointerIsOneOfSeveral) {
  const Races lists(
      "ld.param.u64 %rd20, [c]; mov.u64 %rd21, %rd4;\n"
      "L: ld.global.u32 %r5, [%rd21]; setp.lt.s32 %p1, %r5, 0; @%p1 bra E;\n"
      "cvt.u64.u32 %rd22, %r5; shl.b64 %rd23, %rd22, 3; add.s64 %rd21, %rd20, %rd23; bra L;\n"
      "E: st.global.u32 [%rd3], %r5;");
  EXPECT_FALSE(lists.find().possible);
  EXPECT_TRUE(lists.find(kA, kB, kA).possible) << "results lie over nodes";
  EXPECT_TRUE(lists.find(kA, kA + 4, kC).possible) << "results lie over heads";
  const Races differences(
      "ld.param.u64 %rd20, [c]; mov.u64 %rd21, %rd4;\n"
      "L: ld.global.u64 %rd22, [%rd21]; setp.eq.u64 %p1, %rd22, 0; @%p1 bra E;\n"
      "sub.s64 %rd23, %rd22, %rd20; add.s64 %rd21, %rd20, %rd23; bra L;\n"
      "E: st.global.u32 [%rd3], 1;");
  EXPECT_TRUE(differences.find().possible) << "a loaded address may be any";
}

TEST(BlockRaces, NeighboursInPlaceRaceAndInTwoBuffersDoNot) {
  const Races stencil(
      "ld.global.f32 %f1, [%rd3+-4]; ld.global.f32 %f2, [%rd3+4]; add.f32 %f1, %f1, %f2; "
      "st.global.f32 [%rd4], %f1;");
  EXPECT_FALSE(stencil.possible());
  const BlockRaces found = stencil.find(kA, kA);
  EXPECT_TRUE(found.possible);
  EXPECT_EQ(std::count(found.loads.begin(), found.loads.end(), 1), 2);
}

TEST(BlockRaces, ASingleBlockHasNoRaces) {
  Races k("ld.global.f32 %f1, [%rd3+-4]; st.global.f32 [%rd3], %f1;");
  EXPECT_TRUE(k.possible());
  k.grid[0] = 1;
  EXPECT_FALSE(k.possible());
}

TEST(BlockRaces, AnotherDimensionOfTheGridWritesTheSame) {
  Races k("st.global.u32 [%rd3], %r1;");
  EXPECT_FALSE(k.possible());
  k.grid[1] = 2;
  EXPECT_TRUE(k.possible());
}

TEST(BlockRaces, EqualConstantsMayOverlapAndOthersMayNot) {
  EXPECT_FALSE(Races("st.global.u32 [%rd1], 1;").possible());
  EXPECT_FALSE(Races("mov.u32 %r20, 1; st.global.u32 [%rd1], %r20;").possible());
  EXPECT_TRUE(Races("st.global.u32 [%rd1], %r2;").possible());
  EXPECT_TRUE(Races("st.global.u32 [%rd1], 1; st.global.u32 [%rd1], 2;").possible());
  EXPECT_TRUE(Races("st.global.u32 [%rd1], 1; ld.global.u32 %r20, [%rd1];").possible());
}

TEST(BlockRaces, LoadedIndicesReachAnyPlaceOfTheAllocation) {
  const std::string scattered = "ld.global.u32 %r20, [%rd3]; mul.wide.s32 %rd20, %r20, 4; add.s64 %rd21, %rd2, %rd20;";
  EXPECT_FALSE(Races(scattered + "ld.global.u32 %r21, [%rd21]; st.global.u32 [%rd3], %r21;").possible());  // gather
  EXPECT_TRUE(Races(scattered + "st.global.u32 [%rd21], %r1;").possible());                                // scatter
  EXPECT_TRUE(Races("ld.global.u64 %rd20, [%rd3]; ld.global.u32 %r20, [%rd20]; st.global.u32 [%rd4], %r20;").possible())
      << "a pointer out of memory may lead anywhere";
}

TEST(BlockRaces, LevelSynchronousSearch) {
  // d[neighbour] is read and written by all blocks.
  const BlockRaces found = Races(
                               "ld.global.u32 %r20, [%rd3]; mul.wide.s32 %rd20, %r20, 4; add.s64 %rd21, %rd2, %rd20;"
                               "ld.global.u32 %r21, [%rd21]; setp.ne.s32 %p1, %r21, -1; @%p1 bra E;"
                               "st.global.u32 [%rd21], %r9;\nE:")
                               .find();
  EXPECT_TRUE(found.possible);
  EXPECT_FALSE(found.hidden);
  EXPECT_EQ(std::count(found.loads.begin(), found.loads.end(), 1), 1) << "the graph itself is only read";
}

const std::string kGridStride =
    "setp.ge.s32 %p1, %r1, %r9; @%p1 bra E; mov.u32 %r20, %nctaid.x; mul.lo.s32 %r21, %r20, %r3; mov.u32 %r22, %r1;\n"
    "L: mul.wide.s32 %rd20, %r22, 4; add.s64 %rd21, %rd1, %rd20;\n"
    "ld.global.f32 %f1, [%rd21]; st.global.f32 [%rd21], %f1;\n"
    "add.s32 %r22, %r22, %r21; setp.lt.s32 %p2, %r22, %r9; @%p2 bra L;\nE:";

TEST(BlockRaces, GridStrideLoops) {
  EXPECT_FALSE(Races(kGridStride).possible());
  // Unrolled twice, by pointers.
  EXPECT_FALSE(Races("mov.u32 %r20, %nctaid.x; mul.lo.s32 %r21, %r20, %r3; mul.wide.s32 %rd20, %r21, 4;"
                     "shl.b64 %rd22, %rd20, 1; mov.u64 %rd23, %rd3; mov.u32 %r30, 0;\n"
                     "L: ld.global.f32 %f1, [%rd23]; st.global.f32 [%rd23], %f1; add.s64 %rd24, %rd23, %rd20;\n"
                     "ld.global.f32 %f2, [%rd24]; st.global.f32 [%rd24], %f2; add.s64 %rd25, %rd23, %rd22;\n"
                     "mov.u64 %rd23, %rd25; add.s32 %r31, %r30, 1; mov.u32 %r30, %r31;\n"
                     "setp.lt.s32 %p2, %r31, 10; @%p2 bra L;")
                   .possible());
}

// A block adds up its own elements in place. %rd20: the block's first element; %rd6: the thread's; %r14: the stride.
std::string tree(const std::string& first, const std::string& round, const std::string& end) {
  return "mul.lo.s32 %r40, %r2, %r3; mul.wide.u32 %rd19, %r40, 4; add.s64 %rd20, %rd1, %rd19; mul.wide.u32 %rd7, %r4, "
         "4;"
         "add.s64 %rd6, %rd20, %rd7;\n" +
         first + "L: " + round + "\nC: bar.sync 0;" + end + "@%p3 bra L;\n";
}
const std::string kAdd =
    "mul.wide.u32 %rd8, %r41, 4; add.s64 %rd9, %rd20, %rd8; ld.global.u32 %r10, [%rd6]; ld.global.u32 %r11, [%rd9];"
    "add.s32 %r12, %r10, %r11; st.global.u32 [%rd6], %r12;";
const std::string kDoubled = "setp.lt.u32 %p3, %r5, %r3; mov.u32 %r14, %r5;";

TEST(BlockRaces, StridesThatDoubleOrHalveStayInTheBlock) {
  const auto neighbored = [](const std::string& remainder, const std::string& end = kDoubled) {
    return Races(tree("mov.u32 %r14, 1;\n",
                      "shl.b32 %r5, %r14, 1;" + remainder +
                          "setp.ne.s32 %p2, %r8, 0; @%p2 bra C;\nadd.s32 %r41, %r14, %r4;" + kAdd,
                      end))
        .possible();
  };
  EXPECT_FALSE(neighbored("rem.u32 %r8, %r4, %r5;"));
  EXPECT_FALSE(neighbored("add.s32 %r7, %r5, -1; and.b32 %r8, %r7, %r4;"));
  EXPECT_TRUE(neighbored("rem.u32 %r8, %r4, 2;")) << "odd multiples of the stride reach the next block";
  EXPECT_TRUE(neighbored("rem.u32 %r8, %r4, %r5;", "setp.le.u32 %p3, %r5, %r3; mov.u32 %r14, %r5;"))
      << "a round too many";

  const std::string strided =
      "shl.b32 %r5, %r14, 1; mul.lo.s32 %r6, %r5, %r4; setp.ge.u32 %p2, %r6, LIMIT; @%p2 bra C;\n"
      "add.s32 %r41, %r6, %r14; mul.wide.u32 %rd21, %r6, 4; add.s64 %rd6, %rd20, %rd21;" +
      kAdd;
  const auto rearranged = [&](const std::string& limit) {
    std::string round = strided;
    round.replace(round.find("LIMIT"), 5, limit);
    std::string body = tree("mov.u32 %r14, 1;\n", round, kDoubled);
    const std::string own = "add.s64 %rd6, %rd20, %rd7;";  // %rd6 is made in each round
    body.erase(body.find(own), own.size());
    return Races(body).possible();
  };
  EXPECT_FALSE(rearranged("%r3"));
  EXPECT_TRUE(rearranged("512"));

  const auto interleaved = [](const std::string& first, const std::string& guard = "%r14") {
    return Races(tree("shr.u32 %r14, " + first + ", 1;\n",
                      "setp.ge.u32 %p2, %r4, " + guard + "; @%p2 bra C;\nadd.s32 %r41, %r14, %r4;" + kAdd,
                      "shr.u32 %r14, %r14, 1; setp.ne.s32 %p3, %r14, 0;"))
        .possible();
  };
  EXPECT_FALSE(interleaved("%r3"));
  EXPECT_TRUE(interleaved("512"));
  // The same with the block's size as the counter, which the address of the block is made of.
  EXPECT_FALSE(Races("mov.u32 %r42, %ntid.x; mul.lo.s32 %r40, %r2, %r42; mul.wide.u32 %rd19, %r40, 4;"
                     "add.s64 %rd20, %rd1, %rd19; mul.wide.u32 %rd7, %r4, 4; add.s64 %rd6, %rd20, %rd7;\n"
                     "L: shr.u32 %r14, %r42, 1; setp.ge.u32 %p2, %r4, %r14; @%p2 bra C;\nadd.s32 %r41, %r14, %r4;" +
                     kAdd + "\nC: bar.sync 0; setp.lt.u32 %p3, %r42, 4; mov.u32 %r42, %r14; @!%p3 bra L;\n")
                   .possible());
  EXPECT_TRUE(interleaved("%r3", "%r3")) << "every thread reads its neighbour";
}

TEST(BlockRaces, AValueOfAnEarlierRoundIsNotThisRounds) {
  // %r15 is the stride of the round before: twice this round's.
  EXPECT_TRUE(Races(tree("shr.u32 %r14, %r3, 1; mov.u32 %r15, 0;\n",
                         "setp.ge.u32 %p2, %r4, %r14; @%p2 bra C;\nadd.s32 %r41, %r15, %r4;" + kAdd,
                         "mov.u32 %r15, %r3; shr.u32 %r14, %r14, 1; setp.ne.s32 %p3, %r14, 0;"))
                  .possible());
  // A comparison after the update is of the next round.
  EXPECT_TRUE(Races(tree("shr.u32 %r14, %r3, 1;\n", "add.s32 %r41, %r14, %r4;" + kAdd,
                         "shr.u32 %r14, %r14, 1; setp.ne.s32 %p3, %r14, 0;") +
                    "setp.ge.u32 %p2, %r4, %r14; @%p2 bra E;\nst.global.u32 [%rd6+4], %r4;\nE:")
                  .possible());
}

// Each thread a row of n elements; blocks of rows are adjacent.
const std::string kRows =
    "mul.lo.s32 %r20, %r1, %r9; mov.u32 %r21, 0;\n"
    "L: add.s32 %r22, %r20, %r21; mul.wide.s32 %rd20, %r22, 4; add.s64 %rd21, %rd1, %rd20;\n"
    "st.global.u32 [%rd21], %r1; add.s32 %r23, %r21, 1; mov.u32 %r21, %r23;\n";

TEST(BlockRaces, RowsEndWhereTheLoopEnds) {
  Races k(kRows + "setp.lt.s32 %p1, %r23, %r9; @%p1 bra L;");
  k.n = 1000;
  EXPECT_FALSE(k.possible());
  Races counted_down(kRows + "setp.ne.s32 %p1, %r23, %r9; @%p1 bra L;");
  counted_down.n = 1000;
  EXPECT_FALSE(counted_down.possible());
  // The same with the pointer as counter, and with a second register that counts down beside a pointer.
  const auto in_place = [](const std::string& end) {
    Races k(
        "mul.lo.s32 %r20, %r1, %r9; mov.u32 %r21, 0;\n"
        "L: add.s32 %r22, %r20, %r21; mul.wide.s32 %rd20, %r22, 4; add.s64 %rd21, %rd1, %rd20;\n"
        "st.global.u32 [%rd21], %r1; add.s32 %r21, %r21, 1; setp.eq.s32 %p1, %r21, %r9; @%p1 bra B; bra.uni L;\nB:" +
        end);
    k.n = 1000;
    return k.possible();
  };
  EXPECT_FALSE(in_place(""));
  EXPECT_TRUE(
      in_place("add.s32 %r22, %r20, %r21; mul.wide.s32 %rd20, %r22, 4; add.s64 %rd21, %rd1, %rd20;"
               "st.global.u32 [%rd21], %r1;"))
      << "after the loop the counter is one step further";
  Races one_further(kRows + "setp.le.s32 %p1, %r23, %r9; @%p1 bra L;");
  one_further.n = 1000;
  EXPECT_TRUE(one_further.possible());
  Races endless(kRows + "ld.global.u32 %r30, [%rd2]; setp.lt.s32 %p1, %r23, %r30; @%p1 bra L;");
  endless.n = 1000;
  EXPECT_TRUE(endless.possible());
}

TEST(BlockRaces, ALoopWhoseCounterIsNotResetHasNoBound) {
  // The inner loop's counter is not reset when the outer loop repeats: rows overlap.
  const auto nested = [](const std::string& before, const std::string& inside) {
    Races k("mul.lo.s32 %r20, %r1, %r9; mov.u32 %r30, 0;\n" + before + "M: " + inside +
            "\nL: add.s32 %r22, %r20, %r21; mul.wide.s32 %rd20, %r22, 4; add.s64 %rd21, %rd1, %rd20;\n"
            "st.global.u32 [%rd21], %r1; add.s32 %r23, %r21, 1; mov.u32 %r21, %r23;\n"
            "setp.lt.s32 %p1, %r23, %r9; @%p1 bra L;\n"
            "add.s32 %r30, %r30, 1; setp.lt.s32 %p2, %r30, 5; @%p2 bra M;");
    k.n = 1000;
    return k.possible();
  };
  EXPECT_FALSE(nested("", "mov.u32 %r21, 0;"));
  EXPECT_TRUE(nested("mov.u32 %r21, 0;", ""));
}

TEST(BlockRaces, PointersThatCountFromAnUnknownPlaceStayInTheirAllocation) {
  const std::string walk =
      "ld.global.u32 %r20, [%rd3]; mul.wide.s32 %rd20, %r20, 4; add.s64 %rd21, %rd1, %rd20; mov.u32 %r21, %r9;\n"
      "L: ld.global.u32 %r22, [%rd21]; add.s64 %rd21, %rd21, 4; add.s32 %r21, %r21, -1; setp.ne.s32 %p1, %r21, 0;\n"
      "@%p1 bra L;";
  EXPECT_FALSE(Races(walk + "st.global.u32 [%rd4], %r22;").possible());
  EXPECT_TRUE(Races(walk + "st.global.u32 [%rd3], %r22;").possible());
}

// c[y * n + x] in tiles of 16 x 16.
const std::string kTile =
    "mov.u32 %r20, %ctaid.y; mov.u32 %r21, %tid.y; mad.lo.s32 %r22, %r20, 16, %r21; mad.lo.s32 %r23, %r22, %r9, %r1;\n"
    "mul.wide.s32 %rd20, %r23, 4; add.s64 %rd21, %rd1, %rd20;\n";

TEST(BlockRaces, TilesOfAMatrix) {
  const auto tiles = [](const std::string& guard, uint32_t n) {
    Races k(kTile + guard + "st.global.u32 [%rd21], %r1;\nE:");
    k.grid[0] = k.grid[1] = (n + 15) / 16;
    k.block[0] = k.block[1] = 16;
    k.n = n;
    return k.possible();
  };
  EXPECT_FALSE(tiles("", 1024));
  EXPECT_TRUE(tiles("", 1000)) << "the last tile of a row reaches into the next row";
  EXPECT_FALSE(tiles("setp.ge.s32 %p1, %r1, %r9; @%p1 bra E;", 1000));
  EXPECT_FALSE(
      tiles("setp.lt.s32 %p1, %r1, %r9; setp.lt.s32 %p2, %r22, %r9; and.pred %p3, %p1, %p2; @!%p3 bra E;", 1000));
  EXPECT_FALSE(tiles("max.s32 %r30, %r1, %r22; setp.ge.s32 %p1, %r30, %r9; @%p1 bra E;", 1000));
  EXPECT_TRUE(tiles("setp.gt.s32 %p1, %r1, %r9; @%p1 bra E;", 1000));
  EXPECT_TRUE(tiles("setp.ge.s32 %p1, %r22, %r9; @%p1 bra E;", 1000)) << "a guard of the rows alone";
}

TEST(BlockRaces, PartsOfThreadNumbers) {
  // A warp a row: y[thread / 32], written by all of its lanes.
  const std::string row = "shr.u32 %r20, %r1, 5; mul.wide.u32 %rd20, %r20, 4; add.s64 %rd21, %rd1, %rd20;";
  EXPECT_FALSE(Races(row + "st.global.u32 [%rd21], %r20;").possible());
  Races odd(row + "st.global.u32 [%rd21], %r20;");
  odd.block[0] = 48;
  EXPECT_TRUE(odd.possible()) << "two blocks have a row in common";
  EXPECT_FALSE(Races("setp.ne.u32 %p1, %r4, 0; @%p1 bra E; mul.wide.u32 %rd20, %r2, 4; add.s64 %rd21, %rd1, %rd20;"
                     "st.global.u32 [%rd21], %r2;\nE:")
                   .possible());
  // A block's first 32 threads write 32 elements.
  const std::string first =
      "shl.b32 %r20, %r2, 5; add.s32 %r21, %r20, %r4; mul.wide.u32 %rd20, %r21, 4; add.s64 %rd21, "
      "%rd1, %rd20;";
  EXPECT_FALSE(Races(first + "setp.gt.u32 %p1, %r4, 31; @%p1 bra E; st.global.u32 [%rd21], %r2;\nE:").possible());
  EXPECT_FALSE(Races(first + "setp.lt.u32 %p1, %r4, 32; @%p1 st.global.u32 [%rd21], %r2;").possible());
  EXPECT_TRUE(Races(first + "setp.gt.u32 %p1, %r4, 32; @%p1 bra E; st.global.u32 [%rd21], %r2;\nE:").possible());
}

TEST(BlockRaces, AtomicsOfOneKindCommuteUntilTheirResultIsRead) {
  const std::string bin = "ld.global.u32 %r20, [%rd3]; mul.wide.u32 %rd20, %r20, 4; add.s64 %rd21, %rd2, %rd20;";
  const Races histogram(bin + "red.global.add.u32 [%rd21], 1;");
  EXPECT_FALSE(histogram.possible());
  EXPECT_TRUE(histogram.possible(kA, kA));
  EXPECT_TRUE(Races(bin + "red.global.add.u32 [%rd21], 1; ld.global.u32 %r21, [%rd21];").possible());
  const BlockRaces mixed = Races(bin + "red.global.add.u32 [%rd21], 1; red.global.max.u32 [%rd21], 7;").find();
  EXPECT_TRUE(mixed.possible);
  EXPECT_FALSE(mixed.atomics_commute);
}

TEST(BlockRaces, SharedMemoryIsABlocksOwn) {
  EXPECT_FALSE(Races("mov.u64 %rd20, s; cvta.shared.u64 %rd21, %rd20; st.u32 [%rd21], %r2; ld.u32 %r20, [%rd21];"
                     "st.global.u32 [%rd3], %r20;",
                     ".shared .align 4 .b8 s[1024];\n")
                   .possible());
  // Constants cannot be written, whatever the index.
  EXPECT_FALSE(
      Races("ld.global.u32 %r20, [%rd4]; cvt.u64.u32 %rd20, %r20; mov.u64 %rd21, c; cvta.const.u64 %rd22, %rd21;"
            "add.s64 %rd23, %rd22, %rd20; ld.u32 %r21, [%rd23]; st.global.u32 [%rd3], %r21;",
            ".const .align 4 .b8 c[1024];\n")
          .possible());
}

TEST(BlockRaces, AWideIndexThatWrapsAroundIsNotKnown) {
  // As unsigned, the element before the first is 2^32 elements further.
  EXPECT_TRUE(Races("add.s32 %r20, %r1, -1; mul.wide.u32 %rd20, %r20, 4; add.s64 %rd21, %rd1, %rd20;"
                    "st.global.u32 [%rd21], %r1;")
                  .possible());
  EXPECT_FALSE(Races("add.s32 %r20, %r1, 1; mul.wide.u32 %rd20, %r20, 4; add.s64 %rd21, %rd1, %rd20;"
                     "st.global.u32 [%rd21], %r1;")
                   .possible());
}

TEST(BlockRaces, OpaqueCalls) {
  const std::string declared = ".extern .func (.param .b64 r) malloc(.param .b64 size);\n";
  const BlockRaces found =
      Races(
          "{ .param .b64 p; .param .b64 q; st.param.b64 [p], 16; call.uni (q), malloc, (p); ld.param.b64 %rd20, [q]; }",
          declared)
          .find();
  EXPECT_TRUE(found.hidden);
  EXPECT_TRUE(found.possible);
}

}  // namespace
}  // namespace drywarp::analysis
