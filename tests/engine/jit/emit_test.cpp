// Every form, emitted and compiled for each level of vector instructions, against the reference interpreter: 32 lanes
// wide and one lane at a time, on edge cases and random operands.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "form.h"
#include "form_compiler.h"
#include "inputs.h"
#include "reference/interpreter.h"

namespace drywarp::jit::test {
namespace {

constexpr unsigned kBatches = 48;

struct Family {
  const char* name;
  std::vector<Form> (*forms)();
};

// All NaN of f32 or f64 are equal here: their bits are corrected elsewhere (Emitter::canonical_nan).
bool same(uint64_t a, uint64_t b, const ParsedForm::Slot& slot, const ParsedForm& form) {
  if (a == b) return true;
  ir::Type t = form.instruction.type;
  auto nan32 = [](uint64_t x) { return (x & 0x7fffffff) > 0x7f800000; };
  auto nan64 = [](uint64_t x) { return (x & ~(uint64_t{1} << 63)) > 0x7ff0000000000000u; };
  if (slot.bits == 32 && (t == ir::Type::F32 || t == ir::Type::TF32)) return nan32(a) && nan32(b);
  if (slot.bits == 64 && t == ir::Type::F64) return nan64(a) && nan64(b);
  if (t != ir::Type::F32x2) return false;
  auto element = [&](unsigned shift) {
    uint64_t x = (a >> shift) & 0xffffffff, y = (b >> shift) & 0xffffffff;
    return x == y || (nan32(x) && nan32(y));
  };
  return element(0) && element(32);
}

std::string describe(const ParsedForm& form, const reference::State& state) {
  std::string text = form.form.opcode + " [" + form.form.operands + "]";
  for (uint64_t s : state.sources) text += fmt::format(" {:#x}", s);
  return text + (state.carry ? " carry" : "");
}

class EmitTest : public testing::TestWithParam<std::tuple<Family, const char*>> {};

TEST_P(EmitTest, AgreesWithTheReference) {
  const auto& [family, level] = GetParam();
  std::vector<ParsedForm> forms;
  for (const Form& form : family.forms()) forms.push_back(parse_form(form));
  FormCompiler compiler(level);
  std::vector<CompiledForm> compiled = compiler.compile_what_differs(forms);
  Inputs inputs;
  unsigned wrong_forms = 0;
  for (size_t i = 0; i < forms.size(); ++i) {
    if (!compiled[i].wide) continue;
    const ParsedForm& form = forms[i];
    unsigned wrong = 0;
    for (unsigned batch = 0; batch < kBatches && wrong == 0; ++batch) {
      alignas(64) uint64_t sources[5][kLanes] = {}, wide[2][kLanes] = {}, narrow[2][kLanes] = {};
      uint8_t carry_wide[kLanes], carry_narrow[kLanes];
      std::vector<reference::State> states(kLanes);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (size_t s = 0; s < form.sources.size(); ++s) {
          const auto& slot = form.sources[s];
          uint64_t v = slot.bits ? inputs.value(slot, states[lane].sources) : form.instruction.src[s].bits;
          states[lane].sources.push_back(v);
          sources[s][lane] = v;
        }
        states[lane].carry = (states[lane].sources[0] >> 3) & 1;
        carry_wide[lane] = carry_narrow[lane] = states[lane].carry;
      }
      compiled[i].wide(sources[0], wide[0], carry_wide, ~0u);
      for (unsigned lane = 0; lane < kLanes; ++lane)
        compiled[i].narrow(&sources[0][lane], &narrow[0][lane], carry_narrow + lane, ~0u);
      for (unsigned lane = 0; lane < kLanes && wrong == 0; ++lane) {
        reference::State before = states[lane];
        ASSERT_TRUE(reference::execute(form.instruction, states[lane]))
            << form.form.opcode << " is not in the reference";
        for (size_t r = 0; r < form.results.size(); ++r) {
          const auto& slot = form.results[r];
          uint64_t mask = ~uint64_t{0} >> (64 - slot.bits), want = states[lane].results[r] & mask;
          if (!same(wide[r][lane] & mask, want, slot, form)) {
            ++wrong;
            ADD_FAILURE() << describe(form, before)
                          << fmt::format(": result {} is {:#x} wide, not {:#x}", r, wide[r][lane], want);
          } else if (!same(narrow[r][lane] & mask, want, slot, form)) {
            ++wrong;
            ADD_FAILURE() << describe(form, before)
                          << fmt::format(": result {} is {:#x} narrow, not {:#x}", r, narrow[r][lane], want);
          }
        }
        if (carry_wide[lane] != states[lane].carry || carry_narrow[lane] != states[lane].carry) {
          ++wrong;
          ADD_FAILURE() << describe(form, before) << ": carry out is not " << states[lane].carry;
        }
      }
    }
    wrong_forms += wrong != 0;
    if (wrong_forms >= 40) break;
  }
  EXPECT_EQ(wrong_forms, 0u) << "of " << forms.size() << " forms";
}

INSTANTIATE_TEST_SUITE_P(
    Forms, EmitTest,
    testing::Combine(testing::Values(Family{"integer", integer_forms}, Family{"float", float_forms},
                                     Family{"half", half_forms}, Family{"compare", compare_forms},
                                     Family{"convert", convert_forms}, Family{"video", video_forms}),
                     testing::Values("avx512", "avx2", "sse")),
    [](const auto& info) { return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param); });

}  // namespace
}  // namespace drywarp::jit::test
