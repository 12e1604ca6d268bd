#include "model/sass/code/live.h"

#include <algorithm>
#include <bit>

namespace drywarp::sass {

LiveSets::LiveSets(const Kernel& kernel) {
  const auto& blocks = kernel.blocks;
  // Number the registers that cross blocks.
  std::vector<uint32_t> number(kernel.registers.size(), kNone), written_in(kernel.registers.size(), kNone);
  std::vector<Register> crossing;
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (const Instruction& code : blocks[b].code) {
      for_each_source(code, [&](const Source& s) {
        if (written_in[s.reg] == b || number[s.reg] != kNone) return;
        number[s.reg] = static_cast<uint32_t>(crossing.size());
        crossing.push_back(s.reg);
      });
      for (Register d : code.destination)
        if (d != kNone && (!code.guard || code.begins_value))
          written_in[d] = b;
        else if (d != kNone && number[d] == kNone && written_in[d] != b) {
          number[d] = static_cast<uint32_t>(crossing.size());
          crossing.push_back(d);
        }
    }
  const size_t words = (crossing.size() + 63) / 64;
  std::vector<std::vector<uint64_t>> live(blocks.size(), std::vector<uint64_t>(words)), kill = live;
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    for (auto it = blocks[b].code.rbegin(); it != blocks[b].code.rend(); ++it) {
      for (Register d : it->destination) {
        if (d == kNone || number[d] == kNone) continue;
        const uint32_t n = number[d];
        // A guarded write keeps the old value in the other lanes.
        if (it->guard && !it->begins_value) {
          live[b][n / 64] |= uint64_t{1} << n % 64;
        } else {
          live[b][n / 64] &= ~(uint64_t{1} << n % 64);
          kill[b][n / 64] |= uint64_t{1} << n % 64;
        }
      }
      for_each_source(*it, [&](const Source& s) {
        if (number[s.reg] == kNone) return;
        live[b][number[s.reg] / 64] |= uint64_t{1} << number[s.reg] % 64;
      });
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = static_cast<uint32_t>(blocks.size()); b-- > 0;)
      for (uint32_t s : kernel.function->blocks[b].successors) {
        if (s == ir::kExit) continue;
        for (size_t w = 0; w < words; ++w) {
          const uint64_t grown = live[b][w] | (live[s][w] & ~kill[b][w]);
          changed |= grown != live[b][w];
          live[b][w] = grown;
        }
      }
  }
  in_.resize(blocks.size());
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    for (size_t w = 0; w < words; ++w)
      for (uint64_t bits = live[b][w]; bits != 0; bits &= bits - 1)
        in_[b].push_back(crossing[w * 64 + static_cast<size_t>(std::countr_zero(bits))]);
    std::sort(in_[b].begin(), in_[b].end());
  }
}

std::vector<Register> LiveSets::at(const std::vector<uint32_t>& blocks) const {
  std::vector<Register> all;
  for (uint32_t b : blocks)
    if (b != ir::kExit) all.insert(all.end(), in_[b].begin(), in_[b].end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void LiveSets::forget(const std::vector<Register>& registers) {
  for (std::vector<Register>& in : in_)
    std::erase_if(in, [&](Register r) { return std::find(registers.begin(), registers.end(), r) != registers.end(); });
}

void LiveSets::replace(Register one, Register newer) {
  for (std::vector<Register>& in : in_)
    if (std::erase(in, one) != 0) in.insert(std::ranges::upper_bound(in, newer), newer);
}

}  // namespace drywarp::sass
