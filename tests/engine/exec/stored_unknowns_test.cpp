#include "engine/exec/memory/stored_unknowns.h"

#include <gtest/gtest.h>

namespace drywarp::exec {
namespace {

TEST(StoredUnknowns, KnowsBytesByTheirSource) {
  StoredUnknowns unknown;
  EXPECT_FALSE(unknown.source(100));
  unknown.keep(100, 0b1011, 3);
  EXPECT_EQ(unknown.source(100), 3);
  EXPECT_EQ(unknown.source(101), 3);
  EXPECT_FALSE(unknown.source(102));
  EXPECT_EQ(unknown.source(103), 3);
  unknown.keep(124, 0xff, 4);  // over the end of a line
  EXPECT_EQ(unknown.source(124), 4);
  EXPECT_EQ(unknown.source(131), 4);
  EXPECT_FALSE(unknown.source(132));
}

TEST(StoredUnknowns, ForgetsARange) {
  StoredUnknowns unknown;
  for (uint64_t at = 0; at < 512; at += 16) unknown.keep(at, 0xffff, 1);
  unknown.forget(70, 200);
  for (uint64_t at = 0; at < 512; ++at) EXPECT_EQ(unknown.source(at).has_value(), at < 70 || at >= 270) << at;
  unknown.forget(0, 512);
  for (uint64_t at = 0; at < 512; ++at) EXPECT_FALSE(unknown.source(at)) << at;
}

TEST(StoredUnknowns, CopiesWhatIsThereAndWhatIsNot) {
  StoredUnknowns unknown;
  unknown.keep(1000, 0b101, 7);
  unknown.keep(5000, 0b111, 8);
  unknown.copy(5000, 1000, 3);
  EXPECT_EQ(unknown.source(5000), 7);
  EXPECT_FALSE(unknown.source(5001));
  EXPECT_EQ(unknown.source(5002), 7);
  EXPECT_EQ(unknown.source(1000), 7);
}

}  // namespace
}  // namespace drywarp::exec
