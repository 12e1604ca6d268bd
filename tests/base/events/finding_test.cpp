#include "base/events/finding.h"

#include <gtest/gtest.h>

namespace drywarp {
namespace {

Finding race() {
  Finding f;
  f.kind = FindingKind::ReadWrite;
  f.kernel = "k(int*)";
  f.where = {"a\tb\\n.cu", 12, 40, "st.shared.u32 [%r1], %r2;"};
  f.thread = ThreadPlace{{1, 2, 3}, {4, 5, 6}};
  f.what = "two\nlines";
  f.address = 0;
  f.bytes = 4;
  f.allocation = FoundAllocation{3, 4096, "a device allocation", "cudaMalloc at a.cu:3"};
  f.other = OtherAccess{"read of 4 bytes",
                        {"a.cu", 13, 44, "ld.shared.u32 %r1, [%r2];"},
                        ThreadPlace{{1, 2, 3}, {0, 0, 0}},
                        "other(int*)",
                        {{"fill()", "a.cu", 20}, {"", "/bin/app+0x34", 0}}};
  f.times = 7;
  f.launched = {{"run(\tint*)", "a.cu", 30}, {"", "/bin/app+0x12", 0}};
  return f;
}

TEST(Finding, SurvivesItsLine) {
  for (const Finding& f : {race(), Finding()}) {
    const std::string line = to_line(f);
    EXPECT_EQ(line.find('\n'), line.npos);
    auto read = parse_finding(line);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, f);
  }
  EXPECT_FALSE(parse_finding("").ok());
  EXPECT_FALSE(parse_finding(to_line(race()) + "x").ok());
  EXPECT_FALSE(parse_finding("99" + to_line(race())).ok());
}

TEST(Finding, OfOneLineAddsUp) {
  Finding other = race();
  other.where.line = 2;
  Finding elsewhere = race();
  elsewhere.other->where.line = 99;
  std::vector<Finding> all;
  add(all, std::vector{race(), other, elsewhere});
  Finding again = race();
  again.thread = std::nullopt;
  add(all, std::vector{again});
  sort(all);
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(all[0].where.line, 2);
  EXPECT_EQ(all[1].times, 14);
  EXPECT_TRUE(all[1].thread) << "the first one speaks";
  EXPECT_EQ(all[2].other->where.line, 99);
}

TEST(Finding, HasAToolForEveryKind) {
  for (const FindingKindInfo& kind : finding_kinds()) EXPECT_EQ(parse_check_tool(name(kind.tool)), kind.tool);
  EXPECT_FALSE(parse_check_tool("nothing"));
}

}  // namespace
}  // namespace drywarp
