// List scheduling from the top (Gibbons and Muchnick, "Efficient Instruction Scheduling for a Pipelined Architecture",
// 1986), by longest path to the region's end; when registers run short it prefers instructions that free some (after
// Goodman and Hsu, "Code Scheduling and Register Allocation in Large Basic Blocks", 1988). The same from the bottom
// puts a load as far before its use as its latency needs, and no further, which leaves registers to the rest: ptxas 13
// does that. In loops that sum up products of two loads each, and have 0 to 24 other values, it has 12 loads from
// shared memory in flight where registers are free, and else as many as 26 live registers of 32, or 34 of 40, allow.
#include "model/sass/allocate/allocate.h"
#include "model/sass/allocate/dependences.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace drywarp::sass {
namespace {

class Scheduler {
 public:
  // `window`: how far past the first unscheduled instruction candidates may be. `whole_vectors`: a loaded vector's
  // parts are in use until the last one is dead. `continues`: without registers, what lets others go on comes first.
  Scheduler(const Kernel& kernel, const std::vector<Instruction>& code, const Dependences& after,
            const LiveAround& live, unsigned budget, size_t window, bool whole_vectors = true, bool continues = false)
      : kernel_(kernel),
        code_(code),
        after_(after),
        live_around_(live),
        budget_(budget),
        window_(window),
        whole_vectors_(whole_vectors),
        continues_(continues),
        most_latency_(std::ranges::any_of(code, [](const auto& c) { return c.op == Bar; }) ? kBesideBarrier : ~0u) {}

  [[nodiscard]] unsigned latency(size_t i) const { return std::min(assumed_latency(code_[i]), most_latency_); }

  struct Result {
    std::vector<Instruction> code;
    unsigned cycles = 0;
    bool pressed = false;  // register pressure influenced the order
    unsigned peak = 0;     // registers that are live at once
  };
  Result run() {
    const size_t n = code_.size();
    prepare();
    for (size_t i = n; i-- > 0;) {
      const unsigned latency = this->latency(i);
      length_[i] = latency + 1;
      for (const auto& [next, needs] : after_[i])
        length_[i] = std::max(length_[i], length_[next] + slots_until(needs, latency) + 1);
    }
    std::vector<size_t> ready;
    for (size_t i = 0; i < n; ++i)
      if (waits_for_[i] == 0) ready.push_back(i);
    std::vector<Instruction> out;
    out.reserve(n);
    issued_.assign(n, false);
    unsigned cycle = 0, peak = pressure_;
    while (!ready.empty()) {
      const size_t k = choose(ready, cycle);
      const size_t i = ready[k];
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(k));
      cycle = std::max(cycle, earliest(i));
      issue(i);
      peak = std::max(peak, pressure_);
      issued_[i] = true;
      if (needs_gap(kernel_, code_[i])) gap_until_ = cycle + 2;
      while (first_ < n && issued_[first_]) ++first_;
      out.push_back(code_[i]);
      const unsigned latency = this->latency(i);
      for (const auto& [next, needs] : after_[i]) {
        ready_at_[next] = std::max(ready_at_[next], cycle + slots_until(needs, latency));
        if (--waits_for_[next] == 0) ready.push_back(next);
      }
      if (code_[i].role != Role::Copy && code_[i].role != Role::Tuple) cycle += code_[i].wide ? 2 : 1;
    }
    return {std::move(out), cycle, pressed_, peak};
  }

  // The same from the end: a load goes as far before its first use as its latency needs, and no further. Before what
  // takes registers comes what frees some, or also what takes none: `completes` what was begun.
  Result run_from_end(bool completes) {
    completes_ = completes;
    const size_t n = code_.size();
    prepare();
    Dependences before(n);
    std::vector<unsigned> users(n, 0);
    for (size_t i = 0; i < n; ++i) {
      const unsigned latency = this->latency(i);
      users[i] = static_cast<unsigned>(after_[i].size());
      for (const auto& [next, needs] : after_[i]) {
        before[next].push_back({static_cast<uint32_t>(i), needs});
        length_[next] = std::max(length_[next], length_[i] + slots_until(needs, latency) + 1);
      }
    }
    start_at_end();
    // What a load leaves for the code behind is there at its end.
    for (size_t i = 0; i < n; ++i)
      if (code_[i].role == Role::Load && std::ranges::any_of(code_[i].destination, [&](Register d) {
            return d != kNone && std::ranges::binary_search(live_around_.out, d);
          }))
        ready_at_[i] = latency(i);
    std::vector<size_t> ready, order;
    for (size_t i = 0; i < n; ++i)
      if (users[i] == 0) ready.push_back(i);
    issued_.assign(n, false);
    unsigned cycle = 0, peak = pressure_;
    size_t last = n;
    while (!ready.empty()) {
      const size_t k = choose_from_end(ready, cycle, last > window_ ? last - window_ : 0);
      const size_t i = ready[k];
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(k));
      cycle = std::max(cycle, earliest(i));
      issue_from_end(i);
      peak = std::max(peak, pressure_);
      issued_[i] = true;
      if (needs_gap(kernel_, code_[i])) gap_until_ = cycle + 2;
      while (last > 0 && issued_[last - 1]) --last;
      order.push_back(i);
      for (const auto& [earlier, needs] : before[i]) {
        ready_at_[earlier] = std::max(ready_at_[earlier], cycle + slots_until(needs, latency(earlier)));
        if (--users[earlier] == 0) ready.push_back(earlier);
      }
      if (code_[i].role != Role::Copy && code_[i].role != Role::Tuple) cycle += code_[i].wide ? 2 : 1;
    }
    Result result;
    result.peak = peak;
    ready_at_.assign(n, 0);
    for (size_t k = n; k-- > 0;) {
      const size_t i = order[k];
      result.cycles = std::max(result.cycles, ready_at_[i]);
      for (const auto& [next, needs] : after_[i])
        ready_at_[next] = std::max(ready_at_[next], result.cycles + slots_until(needs, latency(i)));
      if (code_[i].role != Role::Copy && code_[i].role != Role::Tuple) result.cycles += code_[i].wide ? 2 : 1;
      result.code.push_back(code_[i]);
    }
    return result;
  }

 private:
  [[nodiscard]] unsigned earliest(size_t i) const {
    return needs_gap(kernel_, code_[i]) ? std::max(ready_at_[i], gap_until_) : ready_at_[i];
  }

  void prepare() {
    const size_t n = code_.size();
    waits_for_.assign(n, 0), length_.assign(n, 0), ready_at_.assign(n, 0);
    gap_until_ = 0;
    for (const auto& users : after_)
      for (const auto& [next, needs] : users) ++waits_for_[next];
    number_registers();
  }

  // Live are the registers that are read after the code.
  void start_at_end() {
    std::vector<int> reads_in_code(words_.size(), 0);
    for (const Read& r : reads_) reads_in_code[r.number] += r.times;
    for (uint32_t r = 0; r < words_.size(); ++r) {
      const bool out = reads_left_[r] > reads_in_code[r];
      if (live_[r] && !out) end(r);
      if (!live_[r] && out) begin(r);
      reads_left_[r] = reads_in_code[r];
    }
  }

  // The change of register pressure by putting the instruction before what was chosen.
  [[nodiscard]] int growth_from_end(size_t i) const {
    int change = 0;
    for (const uint32_t n : begins(i))
      if (live_[n]) change -= static_cast<int>(words_[n]);
    for (const Read& r : reads(i)) {
      const bool written = std::ranges::find(begins(i), r.number) != begins(i).end();
      if (!live_[r.number] || written) change += static_cast<int>(words_[r.number]);
    }
    return change;
  }
  [[nodiscard]] bool has_predicates_from_end(size_t i) const {
    int change = 0;
    for (const uint32_t n : begins(i)) change -= predicate_[n] && live_[n];
    for (const Read& r : reads(i)) {
      const bool written = std::ranges::find(begins(i), r.number) != begins(i).end();
      change += predicate_[r.number] && (!live_[r.number] || written);
    }
    return change <= 0 || predicates_ + change <= kPredicates;
  }
  void issue_from_end(size_t i) {
    for (const uint32_t n : begins(i))
      if (live_[n]) end(n);
    for (const Read& r : reads(i)) {
      if (!live_[r.number]) begin(r.number);
      reads_left_[r.number] -= r.times;
    }
  }

  // The fewest reads after which a source's live range is complete.
  [[nodiscard]] int fewest_reads_left(size_t i) const {
    int fewest = 1 << 20;
    for (const Read& r : reads(i)) fewest = std::min(fewest, reads_left_[r.number]);
    return fewest;
  }

  size_t choose_from_end(const std::vector<size_t>& ready, unsigned cycle, size_t from) {
    size_t best = 0;
    bool have = false;
    const int room = static_cast<int>(budget_) - static_cast<int>(pressure_);
    auto better = [&](size_t a, size_t b) {
      const int ga = growth_from_end(a), gb = growth_from_end(b);
      const bool fits_a = (ga <= 0 || ga <= room) && has_predicates_from_end(a);
      const bool fits_b = (gb <= 0 || gb <= room) && has_predicates_from_end(b);
      if (fits_a != fits_b) return fits_a;
      if (!fits_a) return a > b;
      const unsigned at_a = earliest(a), at_b = earliest(b);
      const bool now_a = at_a <= cycle, now_b = at_b <= cycle;
      if (room <= 0 && (ga < 0) != (gb < 0)) return ga < 0;
      if (now_a != now_b) return now_a;
      if (!now_a && at_a != at_b) return at_a < at_b;
      // What ends more values than it reads goes as late as its latency allows: until then their registers are free.
      if (completes_ ? ga != gb && (ga <= 0 || gb <= 0) : (ga < 0) != (gb < 0)) return ga < gb;
      if (length_[a] != length_[b]) return length_[a] > length_[b];
      if (const int fa = fewest_reads_left(a), fb = fewest_reads_left(b); fa != fb) return fa < fb;
      return a > b;
    };
    constexpr size_t kLooked = 600;  // bounds the time of lowering
    for (size_t k = ready.size() > kLooked ? ready.size() - kLooked : 0; k < ready.size(); ++k)
      if (ready[k] >= from && (!have || better(ready[k], ready[best]))) best = k, have = true;
    return best;
  }

  [[nodiscard]] unsigned words(Register r) const {
    const RegisterInfo& info = kernel_.registers[r];
    return info.file == RegisterFile::General ? info.words : 0;
  }

  [[nodiscard]] bool is_predicate(Register r) const { return kernel_.registers[r].file == RegisterFile::Predicate; }

  // Numbers the registers of the code, and lists what each instruction reads and writes: choose() asks again and again.
  void number_registers() {
    std::unordered_map<Register, uint32_t> number;
    const auto add = [&](unsigned words, bool predicate) {
      words_.push_back(words), predicate_.push_back(predicate), reads_left_.push_back(0), live_.push_back(false);
    };
    const auto number_of = [&](Register r) {
      const auto [known, is_new] = number.try_emplace(r, static_cast<uint32_t>(words_.size()));
      if (is_new) add(words(r), is_predicate(r));
      return known->second;
    };
    std::vector<bool> seen;
    std::unordered_set<Register> in_vector;
    std::unordered_map<Register, unsigned> times_written;
    for (const Instruction& c : code_)
      for (const Register d : c.destination)
        if (d != kNone) ++times_written[d];
    for (const Instruction& c : code_) {
      if (!whole_vectors_ || c.space == AddressSpace::None || c.destination.size() < 2 || c.guard) continue;
      unsigned total = 0;
      const bool vector = std::ranges::all_of(c.destination, [&](Register d) {
        if (d == kNone || words(d) == 0 || times_written[d] != 1) return false;
        total += words(d);
        return !std::ranges::binary_search(live_around_.out, d);
      });
      if (!vector) continue;
      for (const Register d : c.destination) number[d] = static_cast<uint32_t>(words_.size()), in_vector.insert(d);
      add(std::bit_ceil(total), false);
    }
    for (const Instruction& c : code_) {
      uses_.push_back({reads_.size(), writes_.size(), begins_.size()});
      for_each_source(c, [&](const Source& s) {
        const uint32_t n = number_of(s.reg);
        seen.resize(words_.size());
        if (!seen[n]) seen[n] = true, begin(n);  // live in
        ++reads_left_[n];
        const auto mine = std::span(reads_).subspan(uses_.back().reads);
        if (const auto same = std::ranges::find(mine, n, &Read::number); same != mine.end())
          ++same->times;
        else
          reads_.push_back({n, 1});
      });
      for (const Register d : c.destination) {
        if (d == kNone) continue;
        // A register that is written again has another value: the one before it ends with its last read.
        if (!c.guard && number.contains(d) && !in_vector.contains(d)) number.erase(d);
        const bool known = number.contains(d);
        const uint32_t n = number_of(d);
        const auto mine = std::span(writes_).subspan(uses_.back().writes);
        if (std::ranges::find(mine, n) != mine.end()) continue;
        writes_.push_back(n);
        // A guarded write keeps the old value, if there is one.
        if (!c.guard || (!known && !std::ranges::binary_search(live_around_.in, d))) begins_.push_back(n);
        seen.resize(words_.size());
        seen[n] = true;
      }
    }
    uses_.push_back({reads_.size(), writes_.size(), begins_.size()});
    for (const Register r : live_around_.out)
      if (const auto known = number.find(r); known != number.end())
        ++reads_left_[known->second];
      else
        pressure_ += words(r), predicates_ += is_predicate(r);
  }

  struct Read {
    uint32_t number;
    int times;
  };
  [[nodiscard]] std::span<const Read> reads(size_t i) const {
    return std::span(reads_).subspan(uses_[i].reads, uses_[i + 1].reads - uses_[i].reads);
  }
  [[nodiscard]] std::span<const uint32_t> writes(size_t i) const {
    return std::span(writes_).subspan(uses_[i].writes, uses_[i + 1].writes - uses_[i].writes);
  }
  // What it writes and does not keep the old value of.
  [[nodiscard]] std::span<const uint32_t> begins(size_t i) const {
    return std::span(begins_).subspan(uses_[i].begins, uses_[i + 1].begins - uses_[i].begins);
  }

  // The change of register pressure by the instruction.
  [[nodiscard]] int growth(size_t i) const {
    int change = 0;
    for (const Read& r : reads(i))
      if (reads_left_[r.number] <= r.times) change -= static_cast<int>(words_[r.number]);
    for (const uint32_t n : writes(i))
      if (!live_[n]) change += static_cast<int>(words_[n]);
    return change;
  }

  // Whether there are predicates for those that it writes.
  [[nodiscard]] bool has_predicates(size_t i) const {
    int change = 0;
    for (const Read& r : reads(i)) change -= predicate_[r.number] && reads_left_[r.number] <= r.times;
    for (const uint32_t n : writes(i)) change += predicate_[n] && !live_[n] && reads_left_[n] > 0;
    return change <= 0 || predicates_ + change <= kPredicates;
  }

  void begin(uint32_t n) { live_[n] = true, pressure_ += words_[n], predicates_ += predicate_[n]; }
  void end(uint32_t n) { live_[n] = false, pressure_ -= words_[n], predicates_ -= predicate_[n]; }
  void issue(size_t i) {
    for (const Read& r : reads(i))
      if ((reads_left_[r.number] -= r.times) == 0 && live_[r.number]) end(r.number);
    for (const uint32_t n : writes(i))
      if (!live_[n] && reads_left_[n] > 0) begin(n);
  }

  // Whether an instruction that takes no further register waits for this one alone.
  [[nodiscard]] bool lets_go_on(size_t i) const {
    return std::ranges::any_of(after_[i], [&](const auto& user) {
      return user.second != DependsOn::Order && waits_for_[user.first] == 1 && growth(user.first) <= 0;
    });
  }

  size_t choose(const std::vector<size_t>& ready, unsigned cycle) {
    size_t best = 0;
    bool have = false;
    const int room = static_cast<int>(budget_) - static_cast<int>(pressure_);
    auto better = [&](size_t a, size_t b) {  // is a better than b
      const int ga = growth(a), gb = growth(b);
      const bool fits_a = (ga <= 0 || ga <= room) && has_predicates(a);
      const bool fits_b = (gb <= 0 || gb <= room) && has_predicates(b);
      if (fits_a != fits_b) return fits_a;
      // Nothing fits: program order ends values soonest, or what lets others go on.
      if (!fits_a) {
        if (!continues_) return a < b;
        const bool continues_a = lets_go_on(a), continues_b = lets_go_on(b);
        if (continues_a != continues_b) return continues_a;
        return continues_a && ga != gb ? ga < gb : a < b;
      }
      const unsigned at_a = earliest(a), at_b = earliest(b);
      const bool now_a = at_a <= cycle, now_b = at_b <= cycle;
      // Out of registers: prefer an instruction that frees some, ready or not.
      if (room <= 0 && (ga < 0) != (gb < 0)) return ga < 0;
      if (now_a != now_b) return now_a;
      if (!now_a && at_a != at_b) return at_a < at_b;
      if (length_[a] != length_[b]) return length_[a] > length_[b];
      return a < b;
    };
    constexpr size_t kLooked = 600;  // bounds the time of lowering
    for (size_t k = 0; k < ready.size() && k < kLooked; ++k) {
      if (ready[k] > first_ + window_) continue;
      if (!pressed_) pressed_ = growth(ready[k]) > std::max(room, 0);
      if (!have || better(ready[k], ready[best])) best = k, have = true;
    }
    return best;
  }

  const Kernel& kernel_;
  const std::vector<Instruction>& code_;
  const Dependences& after_;
  const LiveAround& live_around_;
  static constexpr int kPredicates = 7;  // the eighth is always true
  unsigned budget_, pressure_ = 0;
  int predicates_ = 0;  // live
  size_t window_, first_ = 0;
  bool whole_vectors_, continues_, completes_ = false;
  // In code with a barrier, where tiles are loaded ahead and stored for the next round. With the latency of other
  // loads, products with tiles of warps take half as long again as ptxas's.
  static constexpr unsigned kBesideBarrier = 200;
  const unsigned most_latency_;
  std::vector<bool> issued_;
  bool pressed_ = false;
  std::vector<unsigned> waits_for_, length_, ready_at_;
  unsigned gap_until_ = 0;  // where the next one of those may issue that needs_gap()
  // By instruction, and one more: where the lists of its registers begin.
  struct Uses {
    size_t reads, writes, begins;
  };
  std::vector<Uses> uses_;
  std::vector<Read> reads_;
  std::vector<uint32_t> writes_, begins_;
  // By number of a register.
  std::vector<unsigned> words_;
  std::vector<bool> predicate_;
  std::vector<int> reads_left_;
  std::vector<bool> live_;
};

// An order from the end is taken if its estimated cycles are at most so many times those of the order from the start.
constexpr double kAsGood = 1.05;  // assumed
// ptxas's is the one order from the end that completes what was begun. It is taken if its estimated cycles are at most
// so many times the best order's: where it has many more, our code has other live values than ptxas's. It leaves three
// registers to the allocator, beyond ours; fewer where it would wait for global memory once more. Fitted to 351 hot
// loops that ptxas 13 fits in 32 registers: 97 of them are more than 10 % from the estimated cycles of its code. With
// three registers always free, and 1.5 times the cycles, 107 are.
constexpr double kLikely = 2;
constexpr unsigned kOnceMore = 200;  // cycles: a wait for global memory that the best order has not
constexpr unsigned kFree[] = {3, 2, 1, 0};

}  // namespace

LiveAround live_around(const LiveSets& live, const Region& region) {
  return {live.in(region.path[0].block), live.at(region.successors)};
}

unsigned schedule(const Kernel& kernel, std::vector<Instruction>& code, const LiveAround& live, unsigned budget,
                  Orders orders) {
  const Dependences after = find_dependences(code);
  const bool from_end = orders == Orders::FromBothEnds;
  const auto ordered = [&](size_t window, unsigned spared = 0) {
    return Scheduler(kernel, code, after, live, budget - std::min(budget, spared), window, from_end);
  };
  Scheduler::Result best = ordered(code.size()).run();
  std::optional<Scheduler::Result> best_from_end;
  const auto try_from_end = [&](size_t window, unsigned spared = 0) {
    Scheduler::Result other = ordered(window, spared).run_from_end(false);
    if (other.peak <= budget && (!best_from_end || other.cycles < best_from_end->cycles))
      best_from_end = std::move(other);
  };
  constexpr size_t kLong = 1024, kLongest = 8192;  // instructions
  if (from_end && code.size() <= kLongest) try_from_end(code.size());
  // An order may be better with fewer registers, for each instruction is chosen without a look at those behind it.
  if (from_end && best.pressed && code.size() <= kLong)
    for (const unsigned spared : {1u, 2u, 3u, 4u}) try_from_end(code.size(), spared);
  // With too much in flight, no registers are left to finish anything: try smaller windows. Of long code only one
  // window, for scheduling it repeatedly takes too long.
  constexpr unsigned kWindows[] = {96, 48, 32, 24, 16}, kWindowOfLong[] = {48};
  const std::span<const unsigned> windows = code.size() <= kLong ? std::span<const unsigned>(kWindows) : kWindowOfLong;
  if (best.pressed && code.size() <= kLongest) {
    for (const size_t window : windows) {
      if (window >= code.size()) continue;
      Scheduler::Result other = ordered(window).run();
      if (other.cycles < best.cycles) best = std::move(other);
      if (from_end) try_from_end(window);
    }
  }
  // Of long chains that wait for values of several vectors, program order keeps all of these.
  if (best.pressed && best.peak > budget && code.size() <= kLong) {
    Scheduler::Result other = Scheduler(kernel, code, after, live, budget, code.size(), from_end, true).run();
    if (other.peak < best.peak && other.cycles <= best.cycles * kAsGood) best = std::move(other);
  }
  if (best_from_end && best_from_end->cycles <= best.cycles * kAsGood) best = std::move(*best_from_end);
  if (orders == Orders::FromStartOrPtxas && code.size() <= kLong) {
    std::optional<Scheduler::Result> likely;
    for (const unsigned free : kFree) {
      const unsigned most = budget - std::min(budget, free);
      Scheduler::Result other = Scheduler(kernel, code, after, live, most, code.size()).run_from_end(true);
      if (other.peak <= budget && other.cycles <= (likely ? likely->cycles : best.cycles * kLikely))
        likely = std::move(other);
      if (likely && likely->cycles <= best.cycles + kOnceMore) break;
    }
    if (likely) best = std::move(*likely);
  }
  code = std::move(best.code);
  return best.cycles;
}

unsigned least_pressure(const Kernel& kernel, const std::vector<Instruction>& code, const LiveAround& live) {
  const Dependences after = find_dependences(code);
  const auto ordered = [&](bool continues) {
    return Scheduler(kernel, code, after, live, 0, code.size(), false, continues);
  };
  return std::min({ordered(false).run().peak, ordered(true).run().peak, ordered(false).run_from_end(false).peak});
}

}  // namespace drywarp::sass
