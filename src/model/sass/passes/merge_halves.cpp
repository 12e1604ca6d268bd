// Shared loads of neighbouring halves. In ptxas 13's code for sm_90 (14 sets of neighbours, 11 kinds of use):
//
// - Three or four of four aligned halves are one LDS.64, two of an aligned word one LDS; eight are two LDS.64.
// - A half takes part if all that reads it takes either half of a register: half-precision arithmetic, conversions of
//   16 bits, pairs, and stores, behind a PRMT for an upper half. A half of which an integer is made stays a load of its
//   own (LDS.U16, LDS.S16), whatever its neighbours do.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <unordered_map>

#include "model/sass/passes/alignment.h"
#include "model/sass/passes/merge_groups.h"
#include "model/sass/passes/passes.h"

namespace drywarp::sass {

using enum machine::Operation;

namespace {

constexpr unsigned kBytes = 2, kInWord = 2, kMostHalves = 4;

bool is_half_load(const Instruction& c) {
  return c.op == Lds && c.role == Role::Load && c.bytes == kBytes && !c.guard && c.destination[0] != kNone &&
         c.destination[1] == kNone;
}
bool is_half_store(const Instruction& c) {
  return (c.op == Sts || c.op == Stg || c.op == St || c.op == Stl) && c.bytes == kBytes && c.role == Role::Effect;
}

// What reads a half: an operand of an instruction.
struct Use {
  size_t at;
  size_t operand;
};

bool is_packed(ir::Type type) { return type == ir::Type::F16x2 || type == ir::Type::BF16x2; }

bool takes_either_half(const Instruction& c, size_t operand) {
  const Source& s = c.source[operand];
  switch (c.op) {
    case Hadd2:
      if (c.form.from == ir::Type::F16) return c.form.word == 0 && s.modifiers == 0;
      [[fallthrough]];
    case Hmul2:
    case Hfma2:
    case Hmnmx2:
    case Hsetp2:
      return !is_packed(c.form.type) || (s.modifiers & kHalf) != 0;
    case Prmt:
      return is_pair_of_halves(c);
    case F2i:
    case I2f:
    case I2fp:
      return ir::bits(c.form.from) == 16 && c.form.word == 0;
    case Sts:
    case Stg:
    case St:
    case Stl:
      return is_half_store(c) && operand == 1;
    default:
      return false;
  }
}

class HalfMerger {
 public:
  HalfMerger(Kernel& kernel, std::vector<Instruction>& code, const std::vector<Register>& live_out)
      : kernel_(kernel), code_(code) {
    for (const Instruction& c : code)
      if (is_half_load(c)) uses_[c.destination[0]];
    for (const Register r : live_out) uses_.erase(r);
    std::unordered_map<Register, unsigned> written;
    for (size_t i = 0; i < code.size(); ++i) {
      const Instruction& c = code[i];
      for (const Register d : c.destination)
        if (d != kNone && ++written[d] > 1) uses_.erase(d);
      const auto read = [&](const Source& s, bool takes, size_t operand) {
        if (!s.is_register()) return;
        const auto known = uses_.find(s.reg);
        if (known == uses_.end()) return;
        if (takes)
          known->second.push_back({i, operand});
        else
          uses_.erase(known);
      };
      for (size_t k = 0; k < c.source.size(); ++k) read(c.source[k], takes_either_half(c, k), k);
      read(c.uniform_base, false, 0);
      read(c.guard, false, 0);
    }
  }

  [[nodiscard]] bool can_merge(const Instruction& c) const {
    return is_half_load(c) && uses_.contains(c.destination[0]);
  }
  [[nodiscard]] bool any() const { return !uses_.empty(); }

  // One load for those of `group` that lie in the same aligned 8 or 4 bytes as the one at `first`.
  void merge(size_t first, const std::vector<size_t>& group, unsigned base_zeros) {
    for (unsigned halves = kMostHalves; halves >= kInWord; halves /= 2) {
      const unsigned bytes = halves * kBytes;
      if (base_zeros < static_cast<unsigned>(std::countr_zero(bytes))) continue;
      const int64_t start = code_[first].offset & ~int64_t(bytes - 1);
      std::array<std::optional<size_t>, kMostHalves> parts{};
      unsigned count = 0;
      for (const size_t k : group) {
        const int64_t number = (code_[k].offset - start) / kBytes;
        const bool inside =
            !code_[k].dead && code_[k].offset >= start && number < halves && (code_[k].offset - start) % kBytes == 0;
        if (inside && !parts[static_cast<size_t>(number)]) parts[static_cast<size_t>(number)] = k, ++count;
      }
      if (count < 2 || count + 1 < halves) continue;
      widen(first, parts, start, bytes);
      return;
    }
  }

  // Puts the PRMT that stores of upper halves need in their places.
  void finish() {
    std::ranges::sort(takes_, {}, [](const auto& t) { return t.first; });
    std::vector<Instruction> all;
    all.reserve(code_.size() + takes_.size());
    auto take = takes_.begin();
    for (size_t i = 0; i < code_.size(); ++i) {
      for (; take != takes_.end() && take->first == i; ++take) all.push_back(take->second);
      if (!code_[i].dead) all.push_back(std::move(code_[i]));
    }
    code_ = std::move(all);
  }

 private:
  void widen(size_t first, const std::array<std::optional<size_t>, kMostHalves>& parts, int64_t start, unsigned bytes) {
    Instruction wide = code_[first];
    wide.offset = start;
    wide.bytes = static_cast<uint8_t>(bytes);
    wide.form.type = {};
    size_t others = 0;
    for (unsigned w = 0; w < bytes / (kInWord * kBytes); ++w) {
      const Register word = kernel_.make();
      wide.destination.set(w, word);
      for (unsigned h = 0; h < kInWord; ++h) {
        const auto& part = parts[w * kInWord + h];
        if (!part) continue;
        replace(code_[*part].destination[0], word, h);
        if (*part == first) continue;
        wide.merged[others++] = {code_[*part].instruction, code_[*part].step};
        code_[*part].dead = true;
      }
    }
    code_[first] = wide;
  }

  // The half with this number of `word` stands for `half`.
  void replace(Register half, Register word, unsigned number) {
    Register taken = kNone;  // the upper half as a register of its own, for stores
    for (const Use& use : uses_.at(half)) {
      Instruction& c = code_[use.at];
      Source& s = c.source.at(use.operand);
      if (is_half_store(c)) {
        if (number != 0 && taken == kNone) taken = take_upper(word, use.at);
        s.reg = number == 0 ? word : taken;
        continue;
      }
      s.reg = word;
      const bool selected_by_form = c.op == F2i || c.op == I2f || c.op == I2fp || c.form.from == ir::Type::F16;
      if (selected_by_form) {
        c.form.word = static_cast<uint8_t>(number);
        c.op = c.op == I2fp ? I2f : c.op;  // I2FP has no selector
        continue;
      }
      s.modifiers |= kHalf;
      s.value = number;
      const auto is_half = [&](size_t k) { return c.source[k] == Source::half_of(word, k); };
      if (is_pair_of_halves(c) && is_half(0) && is_half(1))
        c.op = Mov, c.role = Role::Copy, c.form = {}, c.source = {Source::of(word)};
    }
  }
  Register take_upper(Register word, size_t before) {
    Instruction take;
    take.op = Prmt;
    take.form = {.from = ir::Type::B16, .word = 1};
    take.instruction = code_[before].instruction, take.step = code_[before].step;
    take.destination.set(0, kernel_.make());
    take.source.set(0, Source::of(word));
    takes_.emplace_back(before, take);
    return take.destination[0];
  }

  Kernel& kernel_;
  std::vector<Instruction>& code_;
  std::unordered_map<Register, std::vector<Use>> uses_;  // of the halves that can be merged
  std::vector<std::pair<size_t, Instruction>> takes_;    // before which instruction
};

}  // namespace

void merge_halves(Kernel& kernel, std::vector<Region>& regions) {
  const auto has_half = [](const Region& r) { return std::ranges::any_of(r.code, is_half_load); };
  if (std::ranges::none_of(regions, has_half)) return;
  const LiveSets live(kernel);
  Alignment alignment(kernel, regions);
  for (Region& region : regions) {
    HalfMerger merger(kernel, region.code, live.at(region.successors));
    if (!merger.any()) continue;
    alignment.enter(kernel, regions, region);
    for (size_t i = 0; i < region.code.size(); ++i) {
      if (i > 0) alignment.pass(region.code[i - 1]);
      const Instruction& c = region.code[i];
      if (c.dead || !merger.can_merge(c)) continue;
      const auto joins = [&](const Instruction& other) { return merger.can_merge(other); };
      merger.merge(i, loads_from(region.code, i, joins),
                   std::min(alignment.of(c.source[0]), alignment.of(c.uniform_base)));
    }
    merger.finish();
  }
}

}  // namespace drywarp::sass
