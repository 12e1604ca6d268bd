#include "model/sm/units/register_banks.h"

#include <algorithm>
#include <array>

namespace drywarp::sm {
namespace {

using machine::MachineInstruction;
using machine::RegisterFile;
using machine::RegisterRange;

constexpr unsigned kRegisters = 256;
constexpr int kRounds = 4;  // rounds of flips; more find almost nothing

// The general registers that an instruction reads, each once: single registers, and pairs, which are in both banks.
struct Operands {
  std::array<uint8_t, 4> single{}, wide{};
  uint8_t singles = 0, pairs = 0, wides = 0;
  void add(const RegisterRange& r, bool whole) {
    if (r.file != RegisterFile::General || r.count == 0 || r.first >= kRegisters) return;
    if (r.count > 1 && whole) {
      if (std::find(wide.begin(), wide.begin() + wides, r.first) != wide.begin() + wides) return;
      wide[wides++] = static_cast<uint8_t>(r.first);
      pairs = static_cast<uint8_t>(pairs + r.count / 2);
    } else if (std::find(single.begin(), single.begin() + singles, r.first) == single.begin() + singles) {
      single[singles++] = static_cast<uint8_t>(r.first);
    }
  }
};

// Whether an instruction reads a whole 64-bit value or only half of it. Lowering names the pair in both cases.
bool reads_whole(const MachineInstruction& in, size_t source) {
  const machine::Pipe pipe = machine::info(in.op).pipe;
  if (pipe != machine::Pipe::Alu && pipe != machine::Pipe::Fma) return true;
  if (in.op != machine::Operation::ImadWide) return false;
  // The addend is whole; factors are halves.
  const bool last = source + 1 == std::size(in.source) || in.source[source + 1].count == 0;
  return last && source != 0 && (source == 2 || in.source[source - 1].count == 1);
}

class Banks {
 public:
  explicit Banks(const std::vector<Operands>& code) : code_(code) {
    for (unsigned r = 0; r < kRegisters; ++r) odd_[r] = (r & 1) != 0;
    for (uint32_t i = 0; i < code.size(); ++i)
      for (unsigned s = 0; s < code[i].singles; ++s) users_[code[i].single[s]].push_back(i);
  }
  // The registers of a pair can only be swapped together.
  void pair(const RegisterRange& r) {
    if (r.file != RegisterFile::General || r.first >= kRegisters) return;
    for (unsigned i = r.first; i + 1 < unsigned{r.first} + r.count && i + 1 < kRegisters; i += 2) paired_[i / 2] = true;
  }
  void improve() {
    for (int round = 0; round < kRounds; ++round)
      for (unsigned r = 0; r < kRegisters; ++r) {
        const bool both = paired_[r / 2];
        if (both && (r & 1) != 0) continue;
        const int before = cost(r) + (both ? cost(r + 1) : 0);
        flip(r, both);
        if (cost(r) + (both ? cost(r + 1) : 0) >= before) flip(r, both);
      }
  }
  [[nodiscard]] BankReads reads(const Operands& o) const {
    BankReads b;
    for (unsigned s = 0; s < o.singles; ++s) ++b.reads[odd_[o.single[s]] ? 1 : 0];
    for (uint8_t& n : b.reads) n = static_cast<uint8_t>(n + o.pairs);
    b.operands = static_cast<uint8_t>(o.singles + o.pairs);
    return b;
  }

 private:
  void flip(unsigned r, bool both) {
    odd_[r] = !odd_[r];
    if (both) odd_[r + 1] = !odd_[r + 1];
  }
  [[nodiscard]] int cost(unsigned r) const {
    int sum = 0;
    for (const uint32_t i : users_[r]) {
      const BankReads b = reads(code_[i]);
      sum += std::max(b.reads[0], b.reads[1]);
    }
    return sum;
  }

  const std::vector<Operands>& code_;
  std::array<bool, kRegisters> odd_{};
  std::array<bool, kRegisters / 2> paired_{};
  std::array<std::vector<uint32_t>, kRegisters> users_;
};

}  // namespace

std::vector<BankReads> bank_reads(const machine::MachineKernel& kernel) {
  std::vector<Operands> code;
  for (const machine::MachineBlock& block : kernel.blocks) {
    // A register in the same operand slot as in the instruction before need not be read again (SASS's .reuse).
    const MachineInstruction* before = nullptr;
    for (const MachineInstruction& in : block.instructions) {
      Operands o;
      for (size_t s = 0; s < std::size(in.source); ++s) {
        const RegisterRange& r = in.source[s];
        const bool kept = before && r.count == 1 && before->source[s].count == 1 && before->source[s].file == r.file &&
                          before->source[s].first == r.first && before->destination[0].first != r.first;
        if (!kept) o.add(r, reads_whole(in, s));
      }
      code.push_back(o);
      before = &in;
    }
  }
  Banks banks(code);
  for (const machine::MachineBlock& block : kernel.blocks)
    for (const MachineInstruction& in : block.instructions) {
      for (const RegisterRange& r : in.source)
        if (r.count > 1) banks.pair(r);
      for (const RegisterRange& r : in.destination)
        if (r.count > 1) banks.pair(r);
    }
  banks.improve();
  std::vector<BankReads> all;
  all.reserve(code.size());
  for (const Operands& o : code) all.push_back(banks.reads(o));
  return all;
}

}  // namespace drywarp::sm
