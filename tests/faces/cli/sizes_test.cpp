// Sizes on the command line, for every option that takes one.
#include <gtest/gtest.h>

#include "faces/cli/targets/ptx_arguments.h"

namespace drywarp::cli {
namespace {

TEST(Sizes, areBytesOrUnitsAndFractionsOfUnits) {
  const struct {
    const char* text;
    uint64_t bytes;
  } cases[] = {{"0", 0},
               {"4096", 4096},
               {"0x10", 16},
               {"64K", 64 << 10},
               {"3m", 3 << 20},
               {"8G", uint64_t{8} << 30},
               {"1T", uint64_t{1} << 40},
               {"1.5G", uint64_t{3} << 29},
               {".5T", uint64_t{1} << 39},
               {"0.3k", 307},
               {"16777215T", uint64_t{16777215} << 40}};
  for (const auto& [text, bytes] : cases) {
    const auto size = parse_size(text);
    ASSERT_TRUE(size.ok()) << text;
    EXPECT_EQ(*size, bytes) << text;
  }
  for (const char* text : {"", "K", "much", "1.5", "-1", "-1.5G", "1e3G", "infG", "nanT", "1.5.5G", "1.5GB",
                           "16777216T", "16777216.0T", " 1G", "."})
    EXPECT_FALSE(parse_size(text).ok()) << text;
}

}  // namespace
}  // namespace drywarp::cli
