#include "model/sass/allocate/allocate.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels.h"

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

// As ptxas 13 for sm_90. What else is ready comes between, and a NOP where nothing is.
TEST(Schedule, ProductsOfDoublesHaveGaps) {
  std::string body;
  for (unsigned i = 0; i < 5; ++i) body += fmt::format("ld.global.f64 %d{}, [%rd1+{}];\n", i, 8 * i);
  for (unsigned i = 0; i < 3; ++i)
    body += fmt::format(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{%d{0},%d{1}}}, {{%d{2}}}, {{%d3}},"
        "{{%d4,%d4}};\n",
        5 + 2 * i, 6 + 2 * i, i);
  for (unsigned i = 5; i < 11; ++i) body += fmt::format("st.global.f64 [%rd1+{}], %d{};\n", 8 * i, i);
  const machine::MachineKernel k = lowered(kernel(body));
  const auto& code = k.blocks.at(0).instructions;
  EXPECT_EQ(count(k, Dmma884), 3u);
  EXPECT_GT(count(k, Nop), 0u);
  for (size_t i = 1; i < code.size(); ++i) EXPECT_FALSE(code[i].op == Dmma884 && code[i - 1].op == Dmma884) << i;
  EXPECT_EQ(count(lowered(kernel(body), 80), Nop), 0u);
}

TEST(Schedule, IssuesLoadsTogetherIfRegistersAllow) {
  Chains chains(8);
  schedule(chains.kernel, chains.code, {}, 60, Orders::FromBothEnds);
  EXPECT_EQ(chains.loads_before_first_store(), 8);
}

// With all chains in flight, no registers would be left to finish any.
TEST(Schedule, FinishesChainsBeforeRegistersRunOut) {
  Chains chains(8);
  schedule(chains.kernel, chains.code, {}, 9, Orders::FromBothEnds);
  EXPECT_GE(chains.loads_before_first_store(), 2);
}

// Steps of a product with 8 x 8 sums a thread: four vectors from shared memory, and 64 FFMA.
struct Product {
  Kernel kernel;
  std::vector<Instruction> code;
  std::vector<Register> sums;
  explicit Product(unsigned steps) {
    const Register base = kernel.make();
    for (unsigned i = 0; i < 64; ++i) sums.push_back(kernel.make());
    for (unsigned k = 0; k < steps; ++k) {
      std::array<std::array<Register, 4>, 4> part{};
      for (unsigned i = 0; i < 4; ++i) part[i] = load(base, 64 * k + 16 * i);
      for (unsigned i = 0; i < 64; ++i) {
        const Register x = part[i / 32][i / 8 % 4], y = part[2 + i % 8 / 4][i % 4];
        Instruction c;
        c.op = Ffma;
        c.destination.set(0, sums[i]);
        c.source = {Source::of(x), Source::of(y), Source::of(sums[i])};
        code.push_back(c);
      }
    }
  }
  std::array<Register, 4> load(Register base, int64_t offset) {
    Instruction c;
    c.op = Lds;
    c.role = Role::Load;
    c.space = AddressSpace::Shared;
    c.bytes = 16;
    c.offset = offset;
    c.source.set(0, Source::of(base));
    std::array<Register, 4> parts{};
    for (unsigned i = 0; i < 4; ++i) c.destination.set(i, parts[i] = kernel.make());
    code.push_back(c);
    return parts;
  }
  // Cycles that instructions, issued in order, wait for loads of this latency.
  [[nodiscard]] unsigned waits(unsigned latency) const {
    std::unordered_map<Register, unsigned> ready;
    unsigned cycle = 0, waited = 0;
    for (const Instruction& c : code) {
      unsigned from = cycle;
      for_each_source(c, [&](const Source& s) {
        if (const auto known = ready.find(s.reg); known != ready.end()) from = std::max(from, known->second);
      });
      waited += from - cycle;
      cycle = from + 1;
      if (c.op == Lds)
        for (const Register d : c.destination) ready[d] = from + latency;
    }
    return waited;
  }
};

// With a few registers beside those of one step, the first vectors whose last use has passed make room for the next
// step's, as in ptxas's code; with room for two vectors more, nothing waits but the first step.
TEST(Schedule, LoadsTheNextStepsOperandsAheadUnderRegisterPressure) {
  constexpr unsigned kSums = 64, kOneStep = 16, kBase = 1, kLatency = 28;
  const auto waits = [&](unsigned ahead) {
    Product product(8);
    schedule(product.kernel, product.code, {{}, product.sums}, kSums + kOneStep + kBase + ahead, Orders::FromBothEnds);
    return product.waits(kLatency);
  };
  constexpr unsigned kSteps = 8;
  EXPECT_LT(waits(2), kSteps * kLatency * 9 / 10);
  EXPECT_LE(waits(8), kLatency);
}

// Orders from the end load as late as the latency allows, with registers for more.
TEST(Schedule, LoadsNoSoonerThanTheLatencyNeeds) {
  Product product(8);
  schedule(product.kernel, product.code, {{}, product.sums}, 200, Orders::FromBothEnds);
  unsigned loads = 0, in_first = 0;
  for (size_t i = 0; i < product.code.size(); ++i)
    if (product.code[i].op == Lds) ++loads, in_first += i < product.code.size() / 2;
  EXPECT_EQ(loads, 32u);
  EXPECT_LE(in_first, 20u);  // of half of the steps, and one
}

// As in ptxas 13's code for loops of dependent FFMA with a load whose value the last one is multiplied by: the load
// lies 75 of them before.
TEST(Schedule, PutsLoadsFromGlobalMemoryAsFarAheadAsPtxas) {
  Kernel kernel;
  std::vector<Instruction> code;
  const Register pointer = kernel.make(2), index = kernel.make(), factor = kernel.make();
  Register chain = kernel.make();
  const auto compute = [&](machine::Operation op, std::initializer_list<Source> sources, uint8_t words = 1) {
    Instruction c;
    c.op = op;
    c.source = sources;
    c.destination.set(0, kernel.make(words));
    code.push_back(c);
    return c.destination[0];
  };
  for (unsigned k = 0; k < 120; ++k) chain = compute(Ffma, {Source::of(chain), Source::of(factor), Source::of(factor)});
  const Register address = compute(ImadWide, {Source::of(index), Source::immediate(4), Source::of(pointer)}, 2);
  Instruction load;
  load.op = Ldg, load.role = Role::Load, load.space = AddressSpace::Global, load.bytes = 4;
  load.destination.set(0, kernel.make());
  load.source.set(0, Source::of(address));
  code.push_back(load);
  std::vector<Register> live{pointer, index, factor};
  live.push_back(compute(Fmul, {Source::of(chain), Source::of(load.destination[0])}));
  std::ranges::sort(live);
  schedule(kernel, code, {{}, live}, 30, Orders::FromStartOrPtxas);
  const auto at = std::ranges::find(code, Ldg, &Instruction::op);
  EXPECT_EQ(std::count_if(at, code.end(), [](const Instruction& c) { return c.op == Ffma; }), 75);
}

// What a load leaves for the code behind is there at its end: the load lies as far before the end as before a use.
TEST(Schedule, PutsLoadsForTheCodeBehindAsFarAhead) {
  Kernel kernel;
  std::vector<Instruction> code;
  const Register address = kernel.make(2), factor = kernel.make();
  Register chain = kernel.make();
  for (unsigned k = 0; k < 120; ++k) {
    Instruction c;
    c.op = Ffma;
    c.source = {Source::of(chain), Source::of(factor), Source::of(factor)};
    chain = kernel.make();
    c.destination.set(0, chain);
    code.push_back(c);
  }
  Instruction load;
  load.op = Ldg, load.role = Role::Load, load.space = AddressSpace::Global, load.bytes = 4;
  load.destination.set(0, kernel.make());
  load.source.set(0, Source::of(address));
  code.push_back(load);
  schedule(kernel, code, {{}, {address, factor, chain, load.destination[0]}}, 30, Orders::FromStartOrPtxas);
  const auto at = std::ranges::find(code, Ldg, &Instruction::op);
  EXPECT_NEAR(std::count_if(at, code.end(), [](const Instruction& c) { return c.op == Ffma; }), 75, 1);
}

// A sum of 16 products of two loads each, with other values that live on. As in ptxas 13's code for such loops: twelve
// loads are in flight, as long as no more than 26 of 32 registers are live.
TEST(Schedule, HasAsManyLoadsInFlightAsPtxas) {
  for (const auto& [others, in_flight] :
       std::array<std::pair<unsigned, long>, 5>{{{0, 12}, {8, 12}, {15, 8}, {17, 6}, {19, 4}}}) {
    Kernel kernel;
    std::vector<Instruction> code;
    std::vector<Register> live;
    for (unsigned k = 0; k < others; ++k) live.push_back(kernel.make());
    const Register address[] = {kernel.make(), kernel.make()};
    Register sum = kernel.make();
    for (unsigned k = 0; k < 16; ++k) {
      Instruction product;
      product.op = Ffma;
      for (unsigned of = 0; of < 2; ++of) {
        Instruction load;
        load.op = Lds, load.role = Role::Load, load.space = AddressSpace::Shared, load.bytes = 4;
        load.offset = 4 * static_cast<int>(k);
        load.destination.set(0, kernel.make());
        load.source.set(0, Source::of(address[of]));
        product.source.set(of, Source::of(load.destination[0]));
        code.push_back(load);
      }
      product.source.set(2, Source::of(sum));
      sum = kernel.make();
      product.destination.set(0, sum);
      code.push_back(product);
    }
    live.insert(live.end(), {address[0], address[1], sum});
    std::ranges::sort(live);
    schedule(kernel, code, {{}, live}, 29, Orders::FromStartOrPtxas);
    EXPECT_EQ(std::ranges::find(code, Ffma, &Instruction::op) - code.begin(), in_flight) << others;
  }
}

// A chain of FFMA, and predicated sides behind it that each load a value and store it. What a guarded write begins has
// no value before it, so ptxas's order has room, and the loads come late. Registers that live into the code keep their
// old values: there is no room, and another order loads at once.
TEST(Schedule, GuardedWritesBeginValues) {
  for (const bool live_in : {false, true}) {
    Kernel kernel;
    std::vector<Instruction> code;
    const Register address = kernel.make(2), guard = kernel.make(1, RegisterFile::Predicate), factor = kernel.make();
    Register chain = kernel.make();
    LiveAround live;
    live.in = {address, guard, factor, chain};
    for (unsigned k = 0; k < 120; ++k) {
      Instruction c;
      c.op = Ffma;
      c.source = {Source::of(chain), Source::of(factor), Source::of(factor)};
      chain = kernel.make();
      c.destination.set(0, chain);
      code.push_back(c);
    }
    live.out = {address, guard, factor, chain};
    for (unsigned k = 0; k < 10; ++k) {
      const Register value = kernel.make();
      if (live_in) live.in.push_back(value);
      Instruction load, store;
      load.op = Ldg, load.role = Role::Load, store.op = Stg, store.role = Role::Effect;
      load.space = store.space = AddressSpace::Global, load.bytes = store.bytes = 4;
      load.offset = store.offset = 4 * static_cast<int>(k), load.read_only = true;
      load.guard = store.guard = Source::of(guard);
      load.destination.set(0, value);
      load.source = {Source::of(address)}, store.source = {Source::of(address), Source::of(value)};
      code.push_back(load), code.push_back(store);
    }
    schedule(kernel, code, live, 12, Orders::FromStartOrPtxas);
    const auto first = std::ranges::find(code, Ldg, &Instruction::op);
    const auto before = std::count_if(code.begin(), first, [](const Instruction& c) { return c.op == Ffma; });
    EXPECT_EQ(before > 40, !live_in) << before;
  }
}

// A chain of FFMA, and a load whose value the last one adds: 75 FFMA lie between the two in ptxas 13's code, 40 in code
// with a barrier.
TEST(Schedule, LoadsLieLessFarAheadBesideABarrier) {
  for (const auto& [barrier, ahead] : std::array<std::pair<bool, long>, 2>{{{false, 75}, {true, 40}}}) {
    Kernel kernel;
    std::vector<Instruction> code;
    const Register address = kernel.make(2), x = kernel.make();
    if (barrier) {
      Instruction wait;
      wait.op = Bar, wait.role = Role::Effect;
      code.push_back(wait);
    }
    Instruction load;
    load.op = Ldg, load.role = Role::Load, load.space = AddressSpace::Global, load.bytes = 4;
    load.destination.set(0, kernel.make());
    load.source.set(0, Source::of(address));
    code.push_back(load);
    Register sum = kernel.make();
    for (unsigned k = 0; k < 120; ++k) {
      Instruction step;
      step.op = Ffma;
      step.source = {Source::of(sum), Source::of(x), Source::of(k < 119 ? x : load.destination[0])};
      sum = kernel.make();
      step.destination.set(0, sum);
      code.push_back(step);
    }
    schedule(kernel, code, {{}, {sum}}, 60, Orders::FromBothEnds);
    EXPECT_EQ(code.end() - std::ranges::find(code, Ldg, &Instruction::op) - 2, ahead) << barrier;
  }
}

// A load behind a barrier, of what the kernel does not write and of what it may write.
TEST(Schedule, ReadOnlyLoadsPassBarriers) {
  for (const bool read_only : {true, false}) {
    Kernel kernel;
    Instruction barrier, load, use;
    barrier.op = Bar, barrier.role = Role::Effect;
    load.op = Ldg, load.role = Role::Load, load.space = AddressSpace::Global, load.bytes = 4;
    load.read_only = read_only;
    load.destination.set(0, kernel.make());
    load.source.set(0, Source::of(kernel.make(2)));
    use.op = Fadd;
    use.source = {Source::of(load.destination[0]), Source::immediate(1)};
    use.destination.set(0, kernel.make());
    std::vector<Instruction> code{barrier, load, use};
    schedule(kernel, code, {{}, {use.destination[0]}}, 29, Orders::FromStart);
    EXPECT_EQ(code[read_only ? 0 : 1].op, Ldg) << read_only;
  }
}

// A thread has seven predicates: with 24 comparisons and selections, no order has more in use.
TEST(Schedule, NeedsNoMorePredicatesThanThereAre) {
  for (const Orders orders : {Orders::FromStart, Orders::FromStartOrPtxas, Orders::FromBothEnds}) {
    Kernel kernel;
    std::vector<Instruction> code;
    const Register x = kernel.make();
    std::vector<Register> results;
    for (unsigned k = 0; k < 24; ++k) {
      Instruction compare, choose;
      compare.op = Isetp, choose.op = Sel;
      const Register chosen = kernel.make(1, RegisterFile::Predicate);
      compare.source = {Source::of(x), Source::immediate(k)};
      compare.destination.set(0, chosen);
      results.push_back(kernel.make());
      choose.source = {Source::of(x), Source::immediate(k), Source::of(chosen)};
      choose.destination.set(0, results.back());
      code.push_back(compare), code.push_back(choose);
    }
    schedule(kernel, code, {{}, results}, 60, orders);
    unsigned live = 0, most = 0;
    for (const Instruction& c : code) most = std::max(most, c.op == Isetp ? ++live : live--);
    EXPECT_EQ(most, 7u);
  }
}

// As around BRA.DIV in ptxas's code: its slow path comes back behind the last exchange.
TEST(Schedule, KeepsWhatIsBeforeAndBehindTheExchangesOfDivergedLanes) {
  Kernel kernel;
  std::vector<Instruction> code;
  const Register x = kernel.make();
  std::vector<Register> results;
  const auto add = [&](machine::Operation op, Role role, Register from) {
    Instruction c;
    c.op = op, c.role = role;
    c.source.set(0, Source::of(from));
    c.destination.set(0, kernel.make());
    results.push_back(c.destination[0]);
    code.push_back(c);
    return c.destination[0];
  };
  add(Popc, Role::Pure, x);
  Instruction check;
  check.op = Bra, check.role = Role::Effect, check.for_exchange = true;
  code.push_back(check);
  add(Shfl, Role::Effect, add(Shfl, Role::Effect, x));
  code.back().ends_exchanges = true;
  for (int i = 0; i < 4; ++i) add(Mufu, Role::Pure, x);
  std::ranges::sort(results);
  schedule(kernel, code, {{}, results}, 60, Orders::FromBothEnds);
  std::vector<machine::Operation> order;
  for (const Instruction& c : code) order.push_back(c.op);
  EXPECT_EQ(order, (std::vector{Popc, Bra, Shfl, Shfl, Mufu, Mufu, Mufu, Mufu}));
}

// Stores to unknown addresses do not hold back loads of read-only data.
TEST(Schedule, LoadsReadOnlyDataBeforeEarlierStores) {
  for (const bool read_only : {false, true}) {
    Chains chains(8);
    for (Instruction& c : chains.code) {
      c.read_only = c.op == Ldg && read_only;
      if (c.op == Sts) c.op = Stg, c.space = AddressSpace::Global;
    }
    schedule(chains.kernel, chains.code, {}, 60, Orders::FromBothEnds);
    const auto first = std::ranges::find(chains.code, Stg, &Instruction::op);
    const auto loads = std::count_if(chains.code.begin(), first, [](const Instruction& c) { return c.op == Ldg; });
    EXPECT_EQ(loads, read_only ? 8 : 1);
  }
}

// A parameter that is loaded again while it is in a register; where it is not, it is loaded.
TEST(Schedule, ConstantsInRegistersAreNotLoadedAgain) {
  Kernel kernel;
  std::vector<Instruction> code;
  const Register x = kernel.make();
  const auto add = [&](Operation op, std::initializer_list<Source> sources) {
    Instruction c;
    c.op = op;
    c.destination.set(0, kernel.make());
    c.source = sources;
    code.push_back(c);
    return c.destination[0];
  };
  const Source parameter = Source::constant(0x210, 1);
  const Register a = add(Ldc, {parameter}), b = add(Ldc, {parameter});
  const Register first = add(Iadd3, {Source::of(x), Source::of(a)});
  const Register second = add(Iadd3, {Source::of(first), Source::of(b)});
  const Register c = add(Ldc, {parameter});
  const Register sum = add(Iadd3, {Source::of(second), Source::of(c)});
  share_constants(kernel, code, {sum});
  EXPECT_EQ(std::ranges::count(code, Ldc, &Instruction::op), 2);
  EXPECT_EQ(code[2].source[1].reg, a);
}

// A row's two factors are loaded at once and used in different steps: the leanest order takes the second step's factor
// first, and not the other rows'.
TEST(Schedule, TheLeanestOrderUsesUpWhatIsLoaded) {
  constexpr unsigned kRows = 6, kSteps = 2;
  Kernel kernel;
  std::vector<Instruction> code;
  const Register base = kernel.make();
  const auto load = [&](int64_t offset, unsigned words) {
    Instruction c;
    c.op = Lds, c.role = Role::Load, c.space = AddressSpace::Shared;
    c.bytes = static_cast<uint8_t>(4 * words), c.offset = offset;
    c.source.set(0, Source::of(base));
    for (unsigned w = 0; w < words; ++w) c.destination.set(w, kernel.make());
    code.push_back(c);
    return c.destination;
  };
  std::vector<Register> sums(kRows);
  for (Register& r : sums) r = kernel.make();
  std::array<Destinations, kRows> rows;
  for (unsigned k = 0; k < kSteps; ++k) {
    const Register factor = load(4 * k, 1)[0];
    for (unsigned i = 0; i < kRows; ++i) {
      if (k == 0) rows[i] = load(64 + 8 * i, 2);
      Instruction c;
      c.op = Ffma;
      c.destination.set(0, sums[i]);
      c.source = {Source::of(rows[i][k]), Source::of(factor), Source::of(sums[i])};
      code.push_back(c);
    }
  }
  EXPECT_LE(least_pressure(kernel, code, {{}, sums}), 1 + kRows + kSteps + 2);
}

// ptxas 13 has the parameter's load in this loop, and all other loads in front of the first product.
TEST(Schedule, AConstantIsLoadedInALoopAgainForItsRegister) {
  std::string body =
      "shl.b32 %r5, %r2, 1; mul.wide.s32 %rd4, %r2, 4; add.s64 %rd2, %rd1, %rd4; add.s64 %rd3, %rd2, 4096;\n"
      "mov.u32 %r10, 0;\n";
  for (int i = 0; i < 4; ++i) body += fmt::format("ld.global.f32 %f{}, [%rd2+{}];\n", 40 + i, 4096 * i + 8192);
  body += "LOOP:\n.pragma \"nounroll\";\n";
  for (int i = 0; i < 4; ++i)
    body += fmt::format(
        "ld.global.v2.f32 {{%f1, %f2}}, [%rd3+{}]; ld.global.u32 %r3, [%rd2+{}]; shl.b32 %r4, %r3, 2;\n"
        "add.s32 %r4, %r4, %r5; mul.wide.s32 %rd4, %r4, 4; add.s64 %rd5, %rd1, %rd4;\n"
        "ld.global.v2.f32 {{%f3, %f4}}, [%rd5]; mul.f32 %f5, %f2, %f4; fma.rn.f32 %f6, %f1, %f3, %f5;\n"
        "add.f32 %f7, %f7, %f6;\n",
        64 * i, 4 * i);
  body +=
      "add.s64 %rd2, %rd2, 16; add.s64 %rd3, %rd3, 256; add.s32 %r10, %r10, 4; setp.lt.s32 %p1, %r10, %r1;\n"
      "@%p1 bra LOOP;\n";
  for (int i = 0; i < 4; ++i) body += fmt::format("add.f32 %f7, %f7, %f{};\n", 40 + i);
  const machine::MachineKernel k = lowered(kernel(body + "st.global.f32 [%rd1], %f7;"));
  size_t constants = 0, loads = 0, products = 0;
  for (const machine::MachineInstruction& m : k.blocks.at(1).instructions) {
    constants += m.op == Operation::Ldc;
    products += m.op == Operation::Fmul;
    loads += m.op == Operation::Ldg && products == 0;
  }
  EXPECT_EQ(constants, 1u);
  EXPECT_EQ(loads, 12u);
}

// As in ptxas 13's loops: nothing overtakes a load from global memory, and what it waits for.
TEST(OrderInPlaces, LoadsFromGlobalMemoryComeFirst) {
  Chains chains(1);
  Allocation apart;  // no two values in one register
  for (uint16_t r = 0; r < chains.kernel.registers.size(); ++r) apart.number.push_back(static_cast<uint16_t>(2 * r));
  std::vector<Region> regions(1);
  regions[0].code = chains.code;
  order_in_places(chains.kernel, regions, apart);
  const auto& code = regions[0].code;
  ASSERT_EQ(code.size(), chains.code.size());
  EXPECT_LT(std::ranges::find(code, Ldg, &Instruction::op), std::ranges::find(code, Lea, &Instruction::op));
}

// Waits for an address of shared memory are filled.
TEST(OrderInPlaces, AddressesOfSharedMemoryAreNotWaitedFor) {
  const machine::MachineKernel k =
      lowered(kernel("shl.b32 %r9, %r1, 2; mov.u32 %r3, %r2;\nLOOP:\n.pragma \"nounroll\";\n"
                     "shl.b32 %r4, %r3, 2; add.s32 %r5, %r4, %r9; ld.shared.f32 %f1, [%r5];\n"
                     "mul.wide.s32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; st.global.f32 [%rd3], %f1;\n"
                     "add.s32 %r3, %r3, 256; setp.lt.s32 %p1, %r3, %r1; @%p1 bra LOOP;\n"));
  const auto& code = k.blocks.at(1).instructions;
  const auto load = std::ranges::find(code, Lds, &machine::MachineInstruction::op);
  ASSERT_NE(load, code.end());
  EXPECT_GE(load - code.begin(), 2) << "the counter's step, or the other address, is behind the load";
}

}  // namespace
}  // namespace drywarp::sass
