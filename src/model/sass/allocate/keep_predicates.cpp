// Within a region, the predicate that is read last makes room for another one (Belady, "A study of replacement
// algorithms for a virtual-storage computer", 1966). Those that are read least cross the ends of regions in registers.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "model/sass/allocate/allocate.h"

namespace drywarp::sass {
namespace {

constexpr size_t kPredicates = 7;  // P0 to P6

class PredicateKeeper {
 public:
  PredicateKeeper(Kernel& kernel, std::vector<Region>& regions, LiveSets& live)
      : kernel_(kernel), regions_(regions), live_(live) {}

  void run() {
    weigh();
    for (const Region& region : regions_)
      if (!region.fallback) {
        keep_across(live_.in(region.path[0].block), region);
        keep_across(live_.at(region.successors), region);
      }
    for (Region& region : regions_) rewrite(region);
    for (const auto& [predicate, in] : across_) live_.replace(predicate, in);
  }

 private:
  struct Event {
    size_t at;
    bool reads;
  };
  struct Value {
    bool resident = false;
    Register name = kNone;  // the predicate that it has while it is resident
    Register kept = kNone;  // the general register that has it, too
  };

  [[nodiscard]] bool is_predicate(Register r) const {
    return r != kNone && kernel_.registers[r].file == RegisterFile::Predicate;
  }

  void weigh() {
    cost_.assign(kernel_.registers.size(), 0);
    for (const Region& region : regions_) {
      if (region.fallback) continue;
      const double weight = std::pow(kLoopWeight, region.loop_depth);
      for (const Instruction& c : region.code) {
        for_each_source(c, [&](const Source& s) { cost_[s.reg] += weight; });
        for (const Register d : c.destination)
          if (d != kNone) cost_[d] += weight;
      }
    }
  }

  // Chooses those that are in general registers at an end of the region. Its branch needs a predicate, too.
  void keep_across(const std::vector<Register>& live, const Region& region) {
    std::vector<Register> some;
    for (const Register r : live)
      if (is_predicate(r) && !across_.contains(r)) some.push_back(r);
    size_t room = kPredicates;
    if (!region.code.empty() && region.code.back().role == Role::Branch) {
      const Register guard = region.code.back().guard.reg;
      room -= is_predicate(guard) && std::ranges::find(some, guard) == some.end() ? 1 : 0;
    }
    std::ranges::stable_sort(some, {}, [&](Register r) { return cost_[r]; });
    for (size_t i = 0; i + room < some.size(); ++i) across_[some[i]] = kernel_.make();
  }

  void rewrite(Region& region) {
    values_.clear(), events_.clear(), resident_ = 0, out_.clear();
    live_out_ = live_.at(region.successors);
    const auto end = static_cast<size_t>(before_branches(region.code) - region.code.begin());
    for (size_t i = 0; i < region.code.size(); ++i) {
      const Instruction& c = region.code[i];
      for_each_source(c, [&](const Source& s) { events_[s.reg].push_back({i, true}); });
      for (const Register d : c.destination)
        if (is_predicate(d)) events_[d].push_back({i, static_cast<bool>(c.guard)});
      if (i + 1 == end) note_live_out(end);
    }
    if (end == 0) note_live_out(end);
    for (const Register r : live_.in(region.path[0].block)) {
      if (!is_predicate(r)) continue;
      const auto kept = across_.find(r);
      if (kept == across_.end()) make_resident(r, r);
      values_[r].kept = kept == across_.end() ? kNone : kept->second;
    }
    for (size_t i = 0; i < region.code.size(); ++i) {
      Instruction c = region.code[i];
      if (i == end) leave(end, c);
      for_each_source(c, [&](Source& s) {
        if (is_predicate(s.reg)) s.reg = fetch(s.reg, i, c);
      });
      for (Register& d : c.destination)
        if (is_predicate(d)) define(d, i, c);
      out_.push_back(std::move(c));
      drop_dead(i);
    }
    if (end == region.code.size()) leave(end, {});
    region.code = std::move(out_);
  }

  void note_live_out(size_t end) {
    for (const Register r : live_out_)
      if (is_predicate(r) && !across_.contains(r)) events_[r].push_back({end, true});
  }

  // Where the value is read next; SIZE_MAX: nowhere in the region.
  [[nodiscard]] size_t next_read(Register r, size_t from) {
    for (const Event& e : events_[r])
      if (e.at >= from) return e.reads ? e.at : SIZE_MAX;
    return SIZE_MAX;
  }

  void make_resident(Register r, Register name) {
    Value& value = values_[r];
    resident_ += value.resident ? 0 : 1;
    value.resident = true, value.name = name;
  }

  // Makes room for one more at an instruction that reads others up to `at`.
  void make_room(size_t at, const Instruction& beside) {
    while (resident_ >= kPredicates) {
      Register farthest = kNone;
      size_t when = at;
      for (auto& [r, value] : values_) {
        if (!value.resident) continue;
        const size_t next = next_read(r, at + 1);
        const bool read_here = next_read(r, at) == at;
        if (!read_here && (next > when || (next == when && farthest != kNone && r < farthest)))
          farthest = r, when = next;
      }
      if (farthest == kNone) return;
      Value& value = values_[farthest];
      save(farthest, value, beside);
      value.resident = false, --resident_;
    }
  }

  void save(Register r, Value& value, const Instruction& beside) {
    if (value.kept != kNone) return;
    const auto kept = across_.find(r);
    value.kept = kept == across_.end() ? kernel_.make() : kept->second;
    Instruction c;
    c.op = Operation::P2r;
    c.source.set(0, Source::of(value.name));
    c.destination.set(0, value.kept);
    c.step = beside.step;
    out_.push_back(c);
  }

  Register fetch(Register r, size_t at, const Instruction& beside) {
    Value& value = values_[r];
    if (!value.resident && value.kept == kNone) make_resident(r, r);  // never written
    if (value.resident) return value.name;
    make_room(at, beside);
    Instruction c;
    c.op = Operation::Isetp;
    c.form = {.type = ir::Type::S32, .compare = ir::Compare::Ne};
    c.source.set(0, Source::of(value.kept));
    c.source.set(1, Source::immediate(0));
    c.step = beside.step;
    // What is live across regions keeps its name.
    const bool local = across_.contains(r) || !crosses(r);
    c.destination.set(0, local ? kernel_.make(1, RegisterFile::Predicate) : r);
    out_.push_back(c);
    make_resident(r, c.destination[0]);
    if (!across_.contains(r)) value.kept = kNone;  // displaced again, it takes another P2R
    return c.destination[0];
  }

  void define(Register& d, size_t at, const Instruction& c) {
    const Register r = d;
    Value& value = values_[r];
    if (c.guard && (value.resident || value.kept != kNone)) {
      d = fetch(r, at, c);
    } else {
      if (!value.resident) make_room(at, c);
      if (across_.contains(r)) d = kernel_.make(1, RegisterFile::Predicate);
      make_resident(r, d);
    }
    values_[r].kept = kNone;
  }

  // Whether it is in a general register behind the region.
  [[nodiscard]] bool stays(Register r) const {
    return across_.contains(r) && std::binary_search(live_out_.begin(), live_out_.end(), r);
  }

  void drop_dead(size_t at) {
    for (auto& [r, value] : values_)
      if (value.resident && next_read(r, at + 1) == SIZE_MAX && (value.kept != kNone || !stays(r)))
        value.resident = false, --resident_;
  }

  // Behind the region, each is where the next ones expect it.
  void leave(size_t end, const Instruction& beside) {
    for (const Register r : live_out_) {
      if (!is_predicate(r)) continue;
      if (!across_.contains(r)) {
        fetch(r, end, beside);
      } else if (Value& value = values_[r]; value.resident) {
        save(r, value, beside);
      }
    }
  }

  [[nodiscard]] bool crosses(Register r) const {
    return std::ranges::any_of(regions_, [&](const Region& region) {
      const auto& in = live_.in(region.path[0].block);
      return std::binary_search(in.begin(), in.end(), r);
    });
  }

  Kernel& kernel_;
  std::vector<Region>& regions_;
  LiveSets& live_;
  std::vector<double> cost_;
  std::unordered_map<Register, Register> across_;  // in which general register a predicate crosses the ends of regions
  // Of the region at hand
  std::unordered_map<Register, Value> values_;
  std::unordered_map<Register, std::vector<Event>> events_;
  size_t resident_ = 0;
  std::vector<Register> live_out_;
  std::vector<Instruction> out_;
};

}  // namespace

void keep_predicates(Kernel& kernel, std::vector<Region>& regions, LiveSets& live, uint16_t reserved,
                     bool colours_vectors, Allocation& allocation) {
  if (allocation.predicates <= kPredicates) return;
  PredicateKeeper(kernel, regions, live).run();
  allocation = allocate(kernel, regions, live, reserved, colours_vectors);
}

}  // namespace drywarp::sass
