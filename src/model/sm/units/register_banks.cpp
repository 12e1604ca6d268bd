#include "model/sm/units/register_banks.h"

#include <algorithm>
#include <array>
#include <utility>

namespace drywarp::sm {
namespace {

using machine::MachineInstruction;
using machine::RegisterFile;
using machine::RegisterRange;

constexpr unsigned kRegisters = 256;
constexpr int kRounds = 4;  // rounds of flips; more find almost nothing

using RegisterNumbers = machine::OperandList<uint16_t, machine::kNoRegister, 4>;

// The general registers that an instruction reads, each once: single registers, and pairs, which are in both banks.
struct Operands {
  RegisterNumbers single, wide;
  uint8_t pairs = 0;
  void add(const RegisterRange& r, bool whole) {
    if (r.file != RegisterFile::General || r.count == 0 || r.first >= kRegisters) return;
    const bool is_wide = r.count > 1 && whole;
    RegisterNumbers& known = is_wide ? wide : single;
    if (std::ranges::find(known, r.first) != known.end()) return;
    known.push_back(r.first);
    if (is_wide) pairs = static_cast<uint8_t>(pairs + r.count / 2);
  }
};

// Whether an instruction reads a whole 64-bit value or only half of it. Lowering names the pair in both cases.
bool reads_whole(const MachineInstruction& in, size_t source) {
  const machine::Pipe pipe = machine::info(in.op).pipe;
  if (pipe != machine::Pipe::Alu && pipe != machine::Pipe::Fma) return true;
  if (in.op != machine::Operation::ImadWide) return false;
  // The addend is whole; factors are halves.
  const bool last = source + 1 == in.source.size();
  return last && source != 0 && (source == 2 || in.source[source - 1].count == 1);
}

class Banks {
 public:
  explicit Banks(const std::vector<Operands>& code) : code_(code) {
    for (unsigned r = 0; r < kRegisters; ++r) odd_[r] = (r & 1) != 0;
    for (uint32_t i = 0; i < code.size(); ++i)
      for (const uint16_t r : code[i].single) users_[r].push_back(i);
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
    for (const uint16_t r : o.single) ++b.reads[odd_[r] ? 1 : 0];
    for (uint8_t& n : b.reads) n = static_cast<uint8_t>(n + o.pairs);
    b.operands = static_cast<uint8_t>(o.single.size() + o.pairs);
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
      for (size_t s = 0; s < in.source.size(); ++s) {
        const RegisterRange& r = in.source[s];
        const bool kept = before && r.count == 1 && before->source[s].count == 1 && before->source[s].file == r.file &&
                          before->source[s].first == r.first && before->destination[0].first != r.first;
        if (!kept) o.add(r, reads_whole(in, s));
      }
      code.push_back(std::move(o));
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
