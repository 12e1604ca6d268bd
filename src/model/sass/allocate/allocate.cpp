// Registers that are live across regions, and those connected by copies, are coloured on their interference graph
// (Chaitin, "Register Allocation and Spilling via Graph Coloring", 1982; copies are coalesced first). Registers of a
// single region are placed around them by a linear scan (Poletto and Sarkar, "Linear Scan Register Allocation", 1999).
// Loaded vectors are placed by the scan, too, or coloured: what is computed of them and crosses regions may else leave
// no row of free registers.
#include "model/sass/allocate/allocate.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <unordered_map>

#include "model/sass/allocate/interference.h"

namespace drywarp::sass {
namespace {

struct Segment {
  Register reg;
  uint32_t first, last;  // positions in a region: 2i when instruction i reads, 2i + 1 when it writes
};

class Allocator {
 public:
  Allocator(const Kernel& kernel, const std::vector<Region>& regions, const LiveSets& live, uint16_t reserved,
            bool colours_vectors)
      : kernel_(kernel), regions_(regions), live_(live), reserved_(reserved), colours_vectors_(colours_vectors) {}

  Allocation run() {
    result_.number.assign(kernel_.registers.size(), machine::kNoRegister);
    find_segments();
    find_nodes();
    interfere();
    coalesce();
    colour();
    for (size_t r = 0; r < regions_.size(); ++r) {
      scan(r);
      result_.general_of.push_back(std::max(needs(r), make_room(r)));
    }
    return std::move(result_);
  }

 private:
  void find_segments() {
    segments_.resize(regions_.size());
    crosses_.assign(kernel_.registers.size(), false);
    for (size_t r = 0; r < regions_.size(); ++r) {
      const Region& region = regions_[r];
      const auto n = static_cast<uint32_t>(region.code.size());
      const std::vector<Register> out = live_.at(region.successors);
      std::unordered_map<Register, uint32_t> end;  // last use of the value live at this point
      for (Register x : out) end[x] = 2 * n, crosses_[x] = true;
      std::unordered_map<Register, uint32_t> first_write;
      for (uint32_t i = 0; i < n; ++i)
        for (Register d : region.code[i].destination)
          if (d != kNone) first_write.try_emplace(d, i);
      const std::vector<Register>& in = live_.in(region.path[0].block);
      auto& segments = segments_[r];
      for (uint32_t i = n; i-- > 0;) {
        const Instruction& c = region.code[i];
        for (Register d : c.destination) {
          if (d == kNone) continue;
          auto it = end.find(d);
          const uint32_t last = it == end.end() ? 2 * i + 1 : it->second;
          // A guarded write keeps the old value, if there is one.
          const bool keeps = c.guard && (first_write[d] != i || std::binary_search(in.begin(), in.end(), d));
          if (keeps) {
            end[d] = std::max(last, 2 * i + 1);
            continue;
          }
          segments.push_back({d, 2 * i + 1, last});
          if (it != end.end()) end.erase(it);
        }
        for_each_source(c, [&](const Source& s) { end.try_emplace(s.reg, 2 * i); });
      }
      for (const auto& [x, last] : end) segments.push_back({x, 0, last}), crosses_[x] = true;
      std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) {
        return a.first != b.first ? a.first < b.first : a.reg < b.reg;
      });
    }
  }

  void find_nodes() {
    node_.assign(kernel_.registers.size(), kNone);
    auto add = [&](Register r) {
      if (node_[r] != kNone) return;
      node_[r] = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back(r), node_words_.push_back(kernel_.registers[r].words);
    };
    for (const Region& region : regions_)
      for (const Instruction& c : region.code)
        if (c.role == Role::Copy && c.source[0].is_register() && joinable(c.destination[0], c.source[0].reg))
          add(c.destination[0]), add(c.source[0].reg);
    for (Register r = 0; r < crosses_.size(); ++r)
      if (crosses_[r]) add(r);
    offset_.assign(kernel_.registers.size(), 0);
    if (colours_vectors_) find_vectors();
    parent_.resize(nodes_.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    neighbours_ = Interference(nodes_.size());
  }
  // A loaded vector is one node, of which each part is so many registers behind the first.
  void find_vectors() {
    for (const Region& region : regions_)
      for (const Instruction& c : region.code) {
        if (!is_vector(c)) continue;
        uint8_t words = 0;
        for (const Register d : c.destination) {
          node_[d] = static_cast<uint32_t>(nodes_.size());
          offset_[d] = words;
          words = static_cast<uint8_t>(words + kernel_.registers[d].words);
        }
        nodes_.push_back(c.destination[0]), node_words_.push_back(words);
      }
  }
  [[nodiscard]] bool joinable(Register a, Register b) const {
    return kernel_.registers[a].file == kernel_.registers[b].file &&
           kernel_.registers[a].words == kernel_.registers[b].words;
  }

  void interfere() {
    struct End {
      uint32_t last, node;
      bool operator>(const End& other) const { return last > other.last; }
    };
    constexpr auto kFiles = static_cast<size_t>(RegisterFile::UniformPredicate) + 1;
    for (size_t r = 0; r < regions_.size(); ++r) {
      std::array<Interference::Set, kFiles> active;
      active.fill(neighbours_.none());
      std::vector<uint32_t> times(nodes_.size(), 0);  // that a node is active
      std::priority_queue<End, std::vector<End>, std::greater<>> ends;
      for (const Segment& s : segments_[r]) {
        const uint32_t node = node_[s.reg];
        if (node == kNone) continue;
        for (; !ends.empty() && ends.top().last < s.first; ends.pop())
          if (const uint32_t gone = ends.top().node; --times[gone] == 0)
            Interference::remove(active[file(nodes_[gone])], gone);
        Interference::Set& now = active[file(s.reg)];
        const uint32_t same = copied(regions_[r], s, times);
        if (same != kNone) Interference::remove(now, same);
        neighbours_.add(node, now);
        if (same != kNone) Interference::insert(now, same);
        Interference::insert(now, node);
        ++times[node];
        ends.push({s.last, node});
      }
    }
    neighbours_.mirror();
  }
  // The node that the segment copies for the code behind a loop, if any: ptxas 13 has one register for both.
  [[nodiscard]] uint32_t copied(const Region& region, const Segment& s, const std::vector<uint32_t>& times) const {
    const auto at = region.code.begin() + s.first / 2;
    if (s.first == 0 || at->role != Role::Copy || at->guard || !at->source[0].is_register()) return kNone;
    const Register from = at->source[0].reg;
    if (!joinable(s.reg, from) || node_[from] == kNone || node_words_[node_[from]] != kernel_.registers[from].words)
      return kNone;
    const auto touches = [&](const Instruction& c) { return touches_register(c, s.reg) || writes_register(c, from); };
    const auto has = [&](uint32_t b, Register r) { return std::ranges::binary_search(live_.in(b), r); };
    const auto block_of = [](const Region& r) { return r.path[0].block; };
    const auto stays = [&](uint32_t b) {
      return b != ir::kExit && has(b, s.reg) &&
             (has(b, from) || std::ranges::find(regions_, b, block_of)->loop_depth >= region.loop_depth);
    };
    const bool apart = std::any_of(at + 1, region.code.end(), touches) || std::ranges::any_of(region.successors, stays);
    return apart || times[node_[from]] == 0 ? kNone : node_[from];
  }
  [[nodiscard]] size_t file(Register r) const { return static_cast<size_t>(kernel_.registers[r].file); }

  uint32_t root(uint32_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }

  void coalesce() {
    struct Join {
      uint32_t depth;
      size_t place;
      Register a, b;
    };
    std::vector<Join> joins;
    for (const Region& region : regions_) {
      if (region.fallback) continue;
      for (const Instruction& c : region.code)
        if (c.role == Role::Copy && c.source[0].is_register() && joinable(c.destination[0], c.source[0].reg))
          joins.push_back({region.loop_depth, joins.size(), c.destination[0], c.source[0].reg});
    }
    std::sort(joins.begin(), joins.end(),
              [](const Join& x, const Join& y) { return x.depth != y.depth ? x.depth > y.depth : x.place < y.place; });
    for (const Join& j : joins) {
      uint32_t a = root(node_[j.a]), b = root(node_[j.b]);
      if (a == b || neighbours_.has(a, b)) continue;
      if (neighbours_.degree(a) < neighbours_.degree(b)) std::swap(a, b);
      parent_[b] = a;
      neighbours_.merge(a, b);
    }
  }

  static uint16_t alignment(uint8_t words) { return words > 2 ? 4 : words; }

  void take(Register r, uint16_t number) {
    result_.number[r] = number;
    const RegisterInfo& info = kernel_.registers[r];
    const uint32_t end = number + info.words;
    if (info.file == RegisterFile::General) result_.general = std::max(result_.general, end);
    if (info.file == RegisterFile::Predicate) result_.predicates = std::max(result_.predicates, end);
    if (info.file == RegisterFile::Uniform) result_.uniform = std::max(result_.uniform, end);
  }

  void colour() {
    std::vector<uint32_t> order;
    for (uint32_t n = 0; n < nodes_.size(); ++n)
      if (root(n) == n) order.push_back(n);
    auto words_of = [&](uint32_t n) { return node_words_[n]; };
    std::vector<size_t> degree(nodes_.size());
    for (const uint32_t n : order) degree[n] = neighbours_.degree(n);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      if (words_of(a) != words_of(b)) return words_of(a) > words_of(b);
      return degree[a] != degree[b] ? degree[a] > degree[b] : a < b;
    });
    std::vector<uint16_t> number(nodes_.size(), machine::kNoRegister);
    std::vector<uint8_t> busy(64);
    Interference::Set coloured = neighbours_.none();
    for (uint32_t n : order) {
      std::ranges::fill(busy, false);
      neighbours_.for_each_neighbour(n, coloured, [&](uint32_t m) {
        const size_t end = number[m] + words_of(m);
        if (busy.size() < end + 8) busy.resize(2 * end + 8);
        for (size_t k = number[m]; k < end; ++k) busy[k] = true;
      });
      Interference::insert(coloured, n);
      if (kernel_.registers[nodes_[n]].file == RegisterFile::General) busy[reserved_] = true;
      number[n] = find_free(busy, words_of(n));
    }
    for (Register r = 0; r < node_.size(); ++r)
      if (node_[r] != kNone) take(r, static_cast<uint16_t>(number[root(node_[r])] + offset_[r]));
  }

  static uint16_t find_free(std::vector<uint8_t>& busy, uint8_t words) {
    const uint16_t step = alignment(words);
    for (uint16_t at = 0;; at = static_cast<uint16_t>(at + step)) {
      if (busy.size() < at + size_t{words}) busy.resize(at + size_t{words} + 8);
      bool free = true;
      for (uint16_t k = 0; k < words; ++k) free = free && busy[at + k] == 0;
      if (free) return at;
    }
  }

  // Registers of this region alone, around those already placed: sums in the registers of their addends, the parts of
  // vectors side by side, then the others in order of their first definition.
  void scan(size_t r) {
    struct Busy {
      uint32_t first, last;
    };
    std::unordered_map<uint32_t, std::vector<Busy>> busy;  // by file and number
    auto key = [](RegisterFile file, uint32_t number) { return static_cast<uint32_t>(file) << 16 | number; };
    for (const Segment& s : segments_[r]) {
      const RegisterInfo& info = kernel_.registers[s.reg];
      if (node_[s.reg] == kNone) continue;
      for (uint32_t k = 0; k < info.words; ++k)
        busy[key(info.file, result_.number[s.reg] + k)].push_back({s.first, s.last});
    }
    std::unordered_map<Register, std::pair<uint32_t, uint32_t>> whole;
    for (const Segment& s : segments_[r]) {
      if (node_[s.reg] != kNone) continue;
      auto [it, is_new] = whole.try_emplace(s.reg, s.first, s.last);
      if (!is_new) it->second = {std::min(it->second.first, s.first), std::max(it->second.second, s.last)};
    }
    const auto is_free = [&](Register reg, uint32_t number) {
      const RegisterFile file = kernel_.registers[reg].file;
      if (file == RegisterFile::General && number == reserved_) return false;
      const auto it = busy.find(key(file, number));
      if (it == busy.end()) return true;
      const auto [first, last] = whole[reg];
      return std::ranges::none_of(it->second, [&](const Busy& x) { return x.last >= first && x.first <= last; });
    };
    const auto fits = [&](Register reg, uint32_t number) {
      for (uint32_t k = 0; k < kernel_.registers[reg].words; ++k)
        if (!is_free(reg, number + k)) return false;
      return true;
    };
    const auto place = [&](Register reg, uint16_t number) {
      const auto [first, last] = whole[reg];
      for (uint32_t k = 0; k < kernel_.registers[reg].words; ++k)
        busy[key(kernel_.registers[reg].file, number + k)].push_back({first, last});
      take(reg, number);
    };
    // Sums whose addend is placed and read for the last time take its register: elsewhere, they would leave holes that
    // no vector fits in. In ptxas's code for products all do.
    for (const Instruction& c : regions_[r].code) {
      const Register sum = c.destination[0], addend = c.source[2].is_register() ? c.source[2].reg : kNone;
      if (sum == kNone || addend == kNone || c.destination[1] != kNone || !joinable(sum, addend)) continue;
      if (node_[sum] != kNone || result_.number[sum] != machine::kNoRegister) continue;
      if (const uint16_t number = result_.number[addend]; number != machine::kNoRegister && fits(sum, number))
        place(sum, number);
    }
    // Vectors first: single words then fill the holes between them.
    for (const Instruction& c : regions_[r].code) {
      if (!is_vector(c)) continue;
      result_.scanned_vectors = true;
      const uint32_t words = kernel_.registers[c.destination[0]].words;
      const uint16_t step = alignment(static_cast<uint8_t>(words * c.destination.size()));
      const auto all_fit = [&](uint32_t at) {
        for (size_t i = 0; i < c.destination.size(); ++i, at += words)
          if (!fits(c.destination[i], at)) return false;
        return true;
      };
      uint16_t at = 0;
      while (!all_fit(at)) at = static_cast<uint16_t>(at + step);
      for (size_t i = 0; i < c.destination.size(); ++i, at = static_cast<uint16_t>(at + words))
        place(c.destination[i], at);
    }
    for (const Segment& s : segments_[r]) {
      if (node_[s.reg] != kNone || result_.number[s.reg] != machine::kNoRegister) continue;
      const RegisterInfo& info = kernel_.registers[s.reg];
      const uint16_t step = alignment(info.words);
      std::optional<uint16_t> found;
      for (uint16_t at = 0;; at = static_cast<uint16_t>(at + step)) {
        if (!fits(s.reg, at)) continue;
        if (!found) found = at;
        // A single word fills half of a used pair rather than breaking a free one, if that costs no further register.
        if (info.words > 1 || info.file != RegisterFile::General || at >= result_.general) break;
        if (is_free(s.reg, at ^ 1u)) continue;
        found = at;
        break;
      }
      place(s.reg, *found);
    }
  }

  // Whether the instruction loads a vector into registers that nothing has placed yet.
  [[nodiscard]] bool is_vector(const Instruction& c) const {
    if (c.space == AddressSpace::None || c.destination.size() < 2) return false;
    return std::ranges::all_of(c.destination, [&](Register d) {
      return d != kNone && result_.number[d] == machine::kNoRegister && node_[d] == kNone &&
             kernel_.registers[d].file == RegisterFile::General &&
             kernel_.registers[d].words == kernel_.registers[c.destination[0]].words &&
             std::ranges::count(c.destination, d) == 1;
    });
  }

  [[nodiscard]] uint32_t needs(size_t r) const {
    uint32_t most = 0;
    for (const Segment& s : segments_[r]) {
      const RegisterInfo& info = kernel_.registers[s.reg];
      const bool passes = s.first == 0 && s.last == 2 * regions_[r].code.size();
      if (info.file == RegisterFile::General && !passes)
        most = std::max<uint32_t>(most, result_.number[s.reg] + info.words);
    }
    return most;
  }

  // A subroutine's registers come on top of those live across its call: what only the usual path reads is dead there.
  uint32_t make_room(size_t r) {
    const auto& code = regions_[r].code;
    uint32_t most = 0;
    for (uint32_t i = 0; i < code.size(); ++i) {
      if (code[i].clobbers == 0) continue;
      uint32_t end = i;
      if (code[i].op == machine::Operation::Bra)
        while (end + 1 < code.size() && !ends_slow_path(code[end])) ++end;
      uint32_t across = 1;  // the stack pointer
      for (const Segment& s : segments_[r]) {
        // The result is among the subroutine's registers.
        const bool result = s.first % 2 != 0 && code[s.first / 2].form.in_sequence &&
                            code[s.first / 2].instruction == code[i].instruction;
        if (!result && s.first < 2 * i && s.last > 2 * end && kernel_.registers[s.reg].file == RegisterFile::General)
          across += kernel_.registers[s.reg].words;
      }
      most = std::max(most, across + code[i].clobbers);
    }
    result_.general = std::max(result_.general, most);
    return most;
  }

  const Kernel& kernel_;
  const std::vector<Region>& regions_;
  const LiveSets& live_;
  const uint16_t reserved_;
  const bool colours_vectors_;
  Allocation result_;
  std::vector<std::vector<Segment>> segments_;
  std::vector<bool> crosses_;
  std::vector<uint32_t> node_, parent_;
  std::vector<Register> nodes_;
  std::vector<uint8_t> node_words_;
  std::vector<uint8_t> offset_;  // by register: of a vector's part
  Interference neighbours_;
};

}  // namespace

Allocation allocate(const Kernel& kernel, const std::vector<Region>& regions, const LiveSets& live, uint16_t reserved,
                    bool colours_vectors) {
  return Allocator(kernel, regions, live, reserved, colours_vectors).run();
}

}  // namespace drywarp::sass
