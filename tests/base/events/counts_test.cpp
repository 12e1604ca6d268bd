#include "base/events/counts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace drywarp {
namespace {

TEST(LaunchCounts, AddUpElementByElement) {
  LaunchCounts a, b;
  b.blocks_run = 1, b.blocks = {{1, 2}, {3, 4}}, b.accesses.resize(1), b.accesses[0].ways = 4;
  b.branches = {{1, 2}}, b.predicates = {{5, 6}};
  a += b;
  a += b;
  EXPECT_EQ(a.blocks_run, 2u);
  ASSERT_EQ(a.blocks.size(), 2u);
  EXPECT_EQ(a.blocks[1].lanes, 8u);
  EXPECT_EQ(a.accesses[0].ways, 4u);  // a maximum
  EXPECT_EQ(a.branches[0].taken, 4u);
  EXPECT_EQ(a.predicates[0].warps, 10u);
}

TEST(InstructionClass, EveryOneHasItsName) {
  std::set<std::string> names;
  for (unsigned c = 0; c < kInstructionClasses; ++c) names.insert(name(static_cast<InstructionClass>(c)));
  EXPECT_EQ(names.size(), kInstructionClasses);
  EXPECT_STREQ(name(InstructionClass::Misc), "misc");
}

// A name without mangling is none of a type, as which a demangler reads short ones.
TEST(DisplayName, OnlyMangledNamesAreDemangled) {
  EXPECT_EQ(display_name("_Z3addPi"), "add(int*)");
  for (const char* name : {"x", "f", "i", "parameters"}) EXPECT_EQ(display_name(name), name);
}

}  // namespace
}  // namespace drywarp
