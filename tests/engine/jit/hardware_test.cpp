// Emitted code and the reference interpreter against results of an H200 (tests/golden/hardware/README.md).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <sstream>

#include "engine/jit/emit/emitter.h"
#include "form_compiler.h"
#include "reference/interpreter.h"

namespace drywarp::jit::test {
namespace {

struct Recorded {
  ParsedForm form;
  bool approximate = false;
  struct Row {
    std::vector<uint64_t> inputs, outputs;
  };
  std::vector<Row> rows;
};

// The H200 has only a few video instructions; ptxas replaces the others by sequences. For the saturating and scaling
// forms these disagree with ISA 9.7.16 (vadd.u32.u32.u32.sat wraps). We follow the ISA.
bool strays_from_isa(const std::string& form) {
  if (form[0] != 'v') return false;
  const std::string opcode = form.substr(0, form.find(' '));
  const bool packed = opcode.find_first_of("24") < opcode.find('.');
  if (packed) return false;
  return opcode.find(".sat") != std::string::npos || opcode.find(".shr") != std::string::npos ||
         opcode == "vsub.u32.u32.u32.min";
}

// The forms that compute. FunctionEmitter itself emits memory accesses, address spaces and moves.
std::vector<Recorded> read_records() {
  std::ifstream file(DRYWARP_SOURCE_DIR "/tests/golden/hardware/semantics.txt");
  std::vector<Recorded> records;
  bool skipping = true;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != ' ') {
      bool approximate = line.find("// approx") != std::string::npos;
      skipping = line.find("%m") != std::string::npos || strays_from_isa(line);
      if (skipping) continue;
      Recorded record{parse_recorded(line.substr(0, line.find("//"))), approximate, {}};
      for (const auto& in : record.form.instructions) skipping |= emit_function(in.op) == nullptr;
      if (!skipping) records.push_back(std::move(record));
      continue;
    }
    if (skipping) continue;
    std::istringstream words(line);
    Recorded::Row row;
    bool outputs = false;
    for (std::string word; words >> word;) {
      if (word == "->")
        outputs = true;
      else
        (outputs ? row.outputs : row.inputs).push_back(std::stoull(word, nullptr, 16));
    }
    records.back().rows.push_back(std::move(row));
  }
  return records;
}

bool is_nan(uint64_t v, const ParsedForm::Slot& slot) {
  if (slot.kind == 'f') return (v & 0x7fffffff) > 0x7f800000;
  return slot.kind == 'd' && (v & ~(uint64_t{1} << 63)) > 0x7ff0000000000000u;
}

double as_real(uint64_t v, const ParsedForm::Slot& slot) {
  return slot.kind == 'd' ? std::bit_cast<double>(v) : std::bit_cast<float>(static_cast<uint32_t>(v));
}

// NaN may have different bits (Emitter::canonical_nan). Approximations may differ by the sum of our bound and the
// hardware's.
bool agrees(uint64_t got, uint64_t want, const ParsedForm::Slot& slot, bool approximate, bool absolute) {
  if (got == want || (is_nan(got, slot) && is_nan(want, slot))) return true;
  if (!approximate) return false;
  if (slot.kind == 'h' || slot.kind == 'r') {  // halves: a few units
    for (unsigned shift = 0; shift < slot.bits; shift += 16) {
      auto x = static_cast<int>((got >> shift) & 0xffff), y = static_cast<int>((want >> shift) & 0xffff);
      if (std::abs(x - y) > 4) return false;
    }
    return true;
  }
  double x = as_real(got, slot), y = as_real(want, slot);
  if (std::isinf(x) || std::isinf(y)) return false;
  return std::fabs(x - y) <= std::max(std::fabs(y) * 0x1p-10, absolute ? 0x1p-19 : 0x1p-126);
}

class HardwareTest : public testing::TestWithParam<const char*> {};

TEST_P(HardwareTest, EmittedCodeAgreesWithTheHardware) {
  std::vector<Recorded> records = read_records();
  ASSERT_GT(records.size(), 1500u);
  std::vector<ParsedForm> forms;
  for (const Recorded& r : records) forms.push_back(r.form);
  FormCompiler compiler(GetParam());
  std::vector<CompiledForm> compiled = compiler.compile_what_differs(forms);
  unsigned wrong_forms = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    if (!compiled[i].wide) continue;
    const Recorded& record = records[i];
    const std::string& text = record.form.form.opcode;
    bool absolute = text.starts_with("sin") || text.starts_with("cos") || text.starts_with("lg2");
    bool wrong = false;
    for (size_t first = 0; first < record.rows.size() && !wrong; first += kLanes) {
      alignas(64) uint64_t sources[6][kLanes] = {}, wide[4][kLanes] = {}, narrow[4][kLanes] = {};
      uint8_t carry[kLanes] = {}, narrow_carry[kLanes] = {};
      size_t count = std::min<size_t>(kLanes, record.rows.size() - first);
      for (size_t lane = 0; lane < count; ++lane)
        for (size_t s = 0; s < record.rows[first + lane].inputs.size(); ++s)
          sources[s][lane] = record.rows[first + lane].inputs[s];
      compiled[i].wide(sources[0], wide[0], carry, ~0u);
      for (size_t lane = 0; lane < count && !wrong; ++lane) {
        compiled[i].narrow(&sources[0][lane], &narrow[0][lane], narrow_carry + lane, ~0u);
        const Recorded::Row& row = record.rows[first + lane];
        for (size_t r = 0; r < row.outputs.size(); ++r) {
          const auto& slot = record.form.results[r];
          // Beyond 100 pi sin and cos have no bound.
          if (absolute && text[0] != 'l' && std::fabs(as_real(row.inputs[0], slot)) > 314) continue;
          if (agrees(wide[r][lane], row.outputs[r], slot, record.approximate, absolute) &&
              agrees(narrow[r][lane], row.outputs[r], slot, record.approximate, absolute))
            continue;
          wrong = true;
          std::string inputs;
          for (uint64_t v : row.inputs) inputs += fmt::format(" {:x}", v);
          ADD_FAILURE() << text << inputs
                        << fmt::format(": {:x} wide, {:x} narrow, {:x} on hardware", wide[r][lane], narrow[r][lane],
                                       row.outputs[r]);
        }
      }
    }
    wrong_forms += wrong;
  }
  EXPECT_EQ(wrong_forms, 0u) << "of " << records.size() << " forms";
}

INSTANTIATE_TEST_SUITE_P(Levels, HardwareTest, testing::Values("avx512", "avx2", "sse"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Hardware, TheReferenceAgreesWithTheHardware) {
  unsigned wrong_forms = 0, checked = 0;
  for (const Recorded& record : read_records()) {
    if (record.approximate || record.form.instructions.size() != 1) continue;
    const ir::Instruction& in = record.form.instruction;
    bool wrong = false;
    ++checked;
    for (const Recorded::Row& row : record.rows) {
      reference::State state;
      for (const ir::Operand& o : in.src)
        state.sources.push_back(o.kind == ir::Operand::Kind::Register ? row.inputs.at(record.form.rows.at(o.id).index)
                                                                      : o.bits);
      ASSERT_TRUE(reference::execute(in, state)) << record.form.form.opcode;
      for (size_t d = 0; d < in.dst.size() && !wrong; ++d) {
        if (in.dst[d].kind != ir::Operand::Kind::Register) continue;
        const ParsedForm::Row& to = record.form.rows.at(in.dst[d].id);
        uint64_t got = state.results[d] & (~uint64_t{0} >> (64 - to.bits));
        if (agrees(got, row.outputs[to.index], record.form.results[to.index], false, false)) continue;
        wrong = true;
        std::string inputs;
        for (uint64_t v : row.inputs) inputs += fmt::format(" {:x}", v);
        ADD_FAILURE() << record.form.form.opcode << inputs
                      << fmt::format(": {:x}, {:x} on hardware", got, row.outputs[to.index]);
      }
    }
    wrong_forms += wrong;
  }
  EXPECT_EQ(wrong_forms, 0u);
  EXPECT_GT(checked, 1400u);
}

}  // namespace
}  // namespace drywarp::jit::test
