// shfl, movmatrix, vote, match, redux against the reference, with all lanes active and with some.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "form.h"
#include "form_compiler.h"
#include "inputs.h"
#include "reference/interpreter.h"

namespace drywarp::jit::test {
namespace {

// Values of the lanes: random, a few different ones, or all the same.
enum class Spread { Any, Few, One };

class ExchangeTest : public testing::TestWithParam<const char*> {};

TEST_P(ExchangeTest, AgreesWithTheReference) {
  std::vector<ParsedForm> forms;
  for (const Form& form : exchange_forms()) forms.push_back(parse_form(form));
  FormCompiler compiler(GetParam());
  std::vector<CompiledForm> compiled = compiler.compile(forms);
  Inputs inputs;
  std::mt19937 random(7);
  for (size_t i = 0; i < forms.size(); ++i) {
    const ParsedForm& form = forms[i];
    for (unsigned batch = 0; batch < 60; ++batch) {
      uint32_t active = batch % 3 == 0 ? 0xffffffffu : random() | (1u << (random() % 32));
      auto spread = static_cast<Spread>(batch % 4 == 3 ? 2 : batch % 4 == 2 ? 1 : 0);
      alignas(64) uint64_t sources[4][kLanes] = {}, wide[2][kLanes] = {};
      uint8_t carry[kLanes] = {};
      std::array<reference::State, kLanes> lanes;
      for (size_t s = 0; s < form.sources.size(); ++s) {
        uint64_t common[2] = {inputs.value({64, 'l'}, {}), inputs.value({64, 'l'}, {})};
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const auto& slot = form.sources[s];
          uint64_t v = slot.bits == 0 ? form.instruction.src[s].bits : inputs.value(slot, {});
          if (slot.bits && s == 0 && spread != Spread::Any)
            v = common[spread == Spread::Few ? random() % 2 : 0] & (~uint64_t{0} >> (64 - slot.bits));
          lanes[lane].sources.push_back(v);
          sources[s][lane] = v;
        }
      }
      std::array<reference::State, kLanes> before = lanes;
      ASSERT_TRUE(reference::exchange(form.instruction, lanes, active));
      compiled[i].wide(sources[0], wide[0], carry, active);
      bool uniform = form.sources[0].bits == 0 || spread == Spread::One;
      alignas(64) uint64_t narrow[2][kLanes] = {};
      compiled[i].narrow(sources[0], narrow[0], carry, active);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (!((active >> lane) & 1)) continue;
        for (size_t r = 0; r < form.results.size(); ++r) {
          uint64_t mask = ~uint64_t{0} >> (64 - form.results[r].bits), want = lanes[lane].results[r] & mask;
          ASSERT_EQ(wide[r][lane] & mask, want) << form.form.opcode << " [" << form.form.operands << "] lane " << lane
                                                << fmt::format(" active {:#x} result {}", active, r);
          // Uniform results are one value. A shuffle's predicate has one value for each lane even if its operands are
          // literals; so has a transpose.
          bool literals = form.sources.size() > 1 && form.sources[1].bits == 0;
          bool shuffle = form.instruction.op == ir::Opcode::Shfl || form.instruction.op == ir::Opcode::Movmatrix;
          if (!uniform || (shuffle && !literals) || lane != 0) continue;
          ASSERT_EQ(narrow[r][0] & mask, want) << form.form.opcode << " narrow [" << form.form.operands << "]";
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, ExchangeTest, testing::Values("avx512", "avx2", "sse"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace drywarp::jit::test
