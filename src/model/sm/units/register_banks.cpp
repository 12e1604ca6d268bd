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

bool is_general(const RegisterRange& r) {
  return r.file == RegisterFile::General && r.count != 0 && unsigned{r.first} + r.count <= kRegisters;
}

// The values that registers hold one after the other: a write in all lanes begins a new one. What a register holds at
// the beginning of blocks is one value, and what it holds at their ends the same, if some block reads it first.
// Values whose registers follow each other in an operand can only move together.
class Values {
 public:
  explicit Values(const machine::MachineKernel& kernel) : together_(kRegisters), exposed_(kRegisters) {
    for (uint32_t r = 0; r < kRegisters; ++r) together_[r] = r, number_.push_back(static_cast<uint16_t>(r));
    for (const machine::MachineBlock& block : kernel.blocks) {
      std::array<bool, kRegisters> written{};
      for (const MachineInstruction& in : block.instructions) {
        for (const RegisterRange& r : in.source) expose(r, written);
        for (const RegisterRange& r : in.destination)
          if (in.guard)
            expose(r, written);
          else
            for (unsigned i = 0; is_general(r) && i < r.count; ++i) written[r.first + i] = true;
      }
    }
  }
  void begin_block() {
    for (uint32_t r = 0; r < kRegisters; ++r) now_[r] = r;
  }
  void end_block() {
    for (uint32_t r = 0; r < kRegisters; ++r)
      if (now_[r] != r && exposed_[r]) join(now_[r], r);
  }
  void write(const MachineInstruction& in) {
    for (const RegisterRange& r : in.destination) {
      if (!is_general(r)) continue;
      for (unsigned i = 0; i < r.count && !in.guard; ++i) {
        now_[r.first + i] = static_cast<uint32_t>(together_.size());
        together_.push_back(now_[r.first + i]);
        number_.push_back(static_cast<uint16_t>(r.first + i));
      }
      tie(r);
    }
  }
  // The values of an operand's registers are in banks that alternate.
  void tie(const RegisterRange& r) {
    for (unsigned i = 1; is_general(r) && i < r.count; ++i) join(now_[r.first], now_[r.first + i]);
  }
  [[nodiscard]] uint32_t held_by(unsigned r) const { return now_[r]; }
  [[nodiscard]] uint16_t register_of(uint32_t value) const { return number_[value]; }
  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(together_.size()); }
  uint32_t group_of(uint32_t value) {
    while (together_[value] != value) value = together_[value] = together_[together_[value]];
    return value;
  }

 private:
  void expose(const RegisterRange& r, const std::array<bool, kRegisters>& written) {
    for (unsigned i = 0; is_general(r) && i < r.count; ++i)
      if (!written[r.first + i]) exposed_[r.first + i] = true;
  }
  void join(uint32_t a, uint32_t b) { together_[group_of(a)] = group_of(b); }

  std::vector<uint32_t> together_;  // by value: one that moves with it
  std::vector<uint16_t> number_;    // by value: its register
  std::vector<bool> exposed_;
  std::array<uint32_t, kRegisters> now_{};
};

using OperandValues = machine::OperandList<uint32_t, ~0u, 4>;

// The general registers that an instruction reads, each once: values of single registers, and pairs, which are in both
// banks.
struct Operands {
  OperandValues single;
  machine::OperandList<uint16_t, machine::kNoRegister, 4> wide;
  uint8_t pairs = 0;
  void add(const RegisterRange& r, bool whole, const Values& values) {
    if (!is_general(r)) return;
    if (r.count > 1 && whole) {
      if (std::ranges::find(wide, r.first) != wide.end()) return;
      wide.push_back(r.first);
      pairs = static_cast<uint8_t>(pairs + r.count / 2);
      return;
    }
    const uint32_t value = values.held_by(r.first);
    if (std::ranges::find(single, value) == single.end()) single.push_back(value);
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
  Banks(const std::vector<Operands>& code, Values& values) : code_(code), group_(values.count()), odd_(values.count()) {
    users_.resize(values.count());
    for (uint32_t v = 0; v < values.count(); ++v)
      group_[v] = values.group_of(v), odd_[v] = (values.register_of(v) & 1) != 0;
    for (uint32_t i = 0; i < code.size(); ++i)
      for (const uint32_t v : code[i].single) users_[group_[v]].push_back(i);
    for (std::vector<uint32_t>& u : users_) u.erase(std::unique(u.begin(), u.end()), u.end());
    flipped_.resize(values.count());
  }
  void improve() {
    for (int round = 0; round < kRounds; ++round)
      for (uint32_t group = 0; group < users_.size(); ++group) {
        if (users_[group].empty()) continue;
        const int before = cost(group);
        flipped_[group] = !flipped_[group];
        if (cost(group) >= before) flipped_[group] = !flipped_[group];
      }
  }
  [[nodiscard]] BankReads reads(const Operands& o) const {
    BankReads b;
    for (const uint32_t v : o.single) ++b.reads[odd_[v] != flipped_[group_[v]] ? 1 : 0];
    for (uint8_t& n : b.reads) n = static_cast<uint8_t>(n + o.pairs);
    b.operands = static_cast<uint8_t>(o.single.size() + o.pairs);
    return b;
  }

 private:
  [[nodiscard]] int cost(uint32_t group) const {
    int sum = 0;
    for (const uint32_t i : users_[group]) {
      const BankReads b = reads(code_[i]);
      sum += std::max(b.reads[0], b.reads[1]);
    }
    return sum;
  }

  const std::vector<Operands>& code_;
  std::vector<uint32_t> group_;               // by value
  std::vector<bool> odd_;                     // by value: its register's number
  std::vector<bool> flipped_;                 // by group
  std::vector<std::vector<uint32_t>> users_;  // by group: instructions, each once
};

}  // namespace

std::vector<BankReads> bank_reads(const machine::MachineKernel& kernel) {
  std::vector<Operands> code;
  Values values(kernel);
  for (const machine::MachineBlock& block : kernel.blocks) {
    // A register in the same operand slot as in the instruction before need not be read again (SASS's .reuse).
    const MachineInstruction* before = nullptr;
    values.begin_block();
    for (const MachineInstruction& in : block.instructions) {
      Operands o;
      for (size_t s = 0; s < in.source.size(); ++s) {
        const RegisterRange& r = in.source[s];
        const bool kept = before && r.count == 1 && before->source[s].count == 1 && before->source[s].file == r.file &&
                          before->source[s].first == r.first && before->destination[0].first != r.first;
        values.tie(r);
        if (!kept) o.add(r, reads_whole(in, s), values);
      }
      code.push_back(std::move(o));
      values.write(in);
      before = &in;
    }
    values.end_block();
  }
  Banks banks(code, values);
  banks.improve();
  std::vector<BankReads> all;
  all.reserve(code.size());
  for (const Operands& o : code) all.push_back(banks.reads(o));
  return all;
}

}  // namespace drywarp::sm
