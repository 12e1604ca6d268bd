#include "model/sass/allocate/allocate.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// Consecutive chains that read global memory and write shared memory: index, address, load, address, store.
struct Chains {
  Kernel kernel;
  std::vector<Instruction> code;
  explicit Chains(unsigned count) {
    const Register x = kernel.make();
    for (unsigned k = 0; k < count; ++k) {
      const Register index = value(Iadd3, {Source::of(x), Source::immediate(k + 1)});
      const Register row = value(Shf, {Source::of(index), Source::immediate(4)});
      const Register column = value(Iadd3, {Source::of(index), Source::of(row)});
      const Register address = value(ImadWide, {Source::of(column), Source::immediate(4)}, 2);
      const Register loaded = kernel.make();
      Instruction load;
      load.op = Ldg;
      load.role = Role::Load;
      load.space = AddressSpace::Global;
      load.bytes = 4;
      load.destination.set(0, loaded);
      load.source.set(0, Source::of(address));
      code.push_back(load);
      const Register place = value(Lea, {Source::of(row), Source::of(index)});
      Instruction store;
      store.op = Sts;
      store.role = Role::Effect;
      store.space = AddressSpace::Shared;
      store.bytes = 4;
      store.source.set(0, Source::of(place));
      store.source.set(1, Source::of(loaded));
      code.push_back(store);
    }
  }
  Register value(Operation op, std::initializer_list<Source> sources, uint8_t words = 1) {
    Instruction c;
    c.op = op;
    c.destination.set(0, kernel.make(words));
    c.source = sources;
    code.push_back(c);
    return c.destination[0];
  }
  [[nodiscard]] long loads_before_first_store() const {
    const auto first = std::ranges::find(code, Sts, &Instruction::op);
    return std::count_if(code.begin(), first, [](const Instruction& c) { return c.op == Ldg; });
  }
};

TEST(Schedule, IssuesLoadsTogetherIfRegistersAllow) {
  Chains chains(8);
  schedule(chains.kernel, chains.code, {}, 60);
  EXPECT_EQ(chains.loads_before_first_store(), 8);
}

// With all chains in flight, no registers would be left to finish any.
TEST(Schedule, FinishesChainsBeforeRegistersRunOut) {
  Chains chains(8);
  schedule(chains.kernel, chains.code, {}, 9);
  EXPECT_GE(chains.loads_before_first_store(), 2);
}

}  // namespace
}  // namespace drywarp::sass
