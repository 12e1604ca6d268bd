// Which bytes a copy of a tensor's box moves.
#include "engine/exec/bulk/tensor_box.h"

#include <gmock/gmock.h>

namespace drywarp::exec {
namespace {

TensorMap plane() {
  TensorMap map;
  map.type = TensorType::F16, map.rank = 2, map.address = 4096;
  map.strides[0] = 512;
  map.last[0] = 249, map.last[1] = 99;
  map.box[0] = 64, map.box[1] = 4;
  map.steps[0] = map.steps[1] = 1;
  return map;
}

// Parts of rows as {offset in the box, address or 0, bytes}.
using Part = std::tuple<uint32_t, uint64_t, uint32_t>;
std::vector<Part> parts(const TensorMap& map, int32_t x, int32_t y, bool stores = false) {
  const int32_t at[] = {x, y, 0, 0, 0};
  std::vector<Part> all;
  for (const BoxPiece& p : TensorBox(map, at).pieces(stores)) all.emplace_back(p.in_box, p.address, p.bytes);
  return all;
}

TEST(TensorBox, RowsFollowEachOther) {
  EXPECT_THAT(parts(plane(), 8, 2),
              testing::ElementsAre(Part{0, 4096 + 1024 + 16, 128}, Part{128, 4096 + 1536 + 16, 128},
                                   Part{256, 4096 + 2048 + 16, 128}, Part{384, 4096 + 2560 + 16, 128}));
}

TEST(TensorBox, OutsideOfTheTensor) {
  EXPECT_THAT(parts(plane(), -8, -3), testing::ElementsAre(Part{0, 0, 128}, Part{128, 0, 128}, Part{256, 0, 128},
                                                           Part{384, 0, 16}, Part{400, 4096, 112}))
      << "one row, but for its first elements";
  EXPECT_THAT(parts(plane(), 224, 98), testing::ElementsAre(Part{0, 4096 + 98 * 512 + 448, 52}, Part{52, 0, 76},
                                                            Part{128, 4096 + 99 * 512 + 448, 52}, Part{180, 0, 76},
                                                            Part{256, 0, 128}, Part{384, 0, 128}));
}

TEST(TensorBox, AStoreWritesWholeUnits) {
  EXPECT_EQ(parts(plane(), 224, 98, true).front(), (Part{0, 4096 + 98 * 512 + 448, 64}));
}

TEST(TensorBox, ShortRowsUnderASwizzle) {
  TensorMap map = plane();
  map.box[0] = 16, map.swizzle_bytes = 128;
  const int32_t at[] = {0, 0, 0, 0, 0};
  const TensorBox box(map, at);
  EXPECT_EQ(box.bytes(), 4 * 32u);
  EXPECT_THAT(parts(map, 0, 0), testing::Contains(Part{128, 4096 + 512, 16}));
  EXPECT_EQ(box.place(1024, 128 + 16), 1024u + 128) << "the second row's chunks change places in pairs";
}

TEST(TensorBox, StepsOfOuterDimensions) {
  TensorMap map = plane();
  map.steps[0] = 2, map.steps[1] = 3;
  const int32_t at[] = {0, 0, 0, 0, 0};
  EXPECT_EQ(TensorBox(map, at).bytes(), 2 * 128u) << "of 4 rows the first and the fourth, of all elements";
  EXPECT_EQ(std::get<1>(parts(map, 0, 0).back()), 4096 + 3 * 512u);
}

}  // namespace
}  // namespace drywarp::exec
