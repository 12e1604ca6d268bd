#include "model/machine/operand_list.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

namespace drywarp::machine {
namespace {

using List = OperandList<int, -1, 2>;
std::vector<int> contents(const List& list) { return {list.begin(), list.end()}; }

TEST(OperandList, ReadsAnAbsentOperandPastTheEnd) {
  const List list{7};
  EXPECT_EQ(list[0], 7);
  EXPECT_EQ(list[1], -1);
  EXPECT_EQ(list[100], -1);
  EXPECT_EQ(list.size(), 1u);
}

TEST(OperandList, HoldsAsManyAsThereAre) {
  List list;
  for (int i = 0; i < 40; ++i) list.push_back(i);
  std::vector<int> all(40);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(contents(list), all);
  list.at(39) = 5;
  EXPECT_EQ(list[39], 5);
}

TEST(OperandList, MayLackOperandsBeforeTheLast) {
  List list;
  list.set(3, 9);
  EXPECT_EQ(contents(list), (std::vector{-1, -1, -1, 9}));
  list.set(1, 4);
  list.set(3, -1);
  EXPECT_EQ(contents(list), (std::vector{-1, 4}));
  list.set(5, -1);
  EXPECT_EQ(list.size(), 2u);
  EXPECT_EQ((List{1, -1, -1}), List{1});
}

TEST(OperandList, CopiesAreIndependent) {
  for (const int size : {1, 2, 3, 9}) {
    List list;
    for (int i = 0; i < size; ++i) list.push_back(i);
    List copy = list, assigned{8, 8, 8, 8};
    assigned = list;
    EXPECT_EQ(copy, list);
    EXPECT_EQ(assigned, list);
    copy.set(0, 77);
    copy.push_back(78);
    assigned.clear();
    assigned.push_back(3);
    EXPECT_EQ(list[0], 0);
    EXPECT_EQ(list.size(), size_t(size));
    EXPECT_EQ(copy.size(), size_t(size) + 1);
    EXPECT_EQ(contents(assigned), std::vector{3});
  }
}

TEST(OperandList, AMovedListIsEmptyAndUsable) {
  for (const int size : {1, 9}) {
    List list;
    for (int i = 0; i < size; ++i) list.push_back(i);
    List taken = std::move(list), assigned{1, 2, 3, 4, 5};
    list.push_back(6);  // NOLINT: after the move
    EXPECT_EQ(contents(list), std::vector{6});
    assigned = std::move(taken);
    EXPECT_EQ(assigned.size(), size_t(size));
    EXPECT_EQ(assigned[size_t(size) - 1], size - 1);
    for (int i = 0; i < 5; ++i) taken.push_back(i);
    EXPECT_EQ(taken.size(), 5u);
  }
}

}  // namespace
}  // namespace drywarp::machine
