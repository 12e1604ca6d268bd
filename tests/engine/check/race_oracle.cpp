#include "race_oracle.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace drywarp::check {
namespace {

using Kind = TraceEvent::Kind;

class Bits {
 public:
  void set(uint32_t i) {
    if (words_.size() <= i / 64) words_.resize(i / 64 + 1);
    words_[i / 64] |= uint64_t{1} << i % 64;
  }
  [[nodiscard]] bool has(uint32_t i) const { return i / 64 < words_.size() && (words_[i / 64] >> i % 64 & 1) != 0; }
  void add(const Bits& o) {
    if (words_.size() < o.words_.size()) words_.resize(o.words_.size());
    for (size_t i = 0; i < o.words_.size(); ++i) words_[i] |= o.words_[i];
  }

 private:
  std::vector<uint64_t> words_;
};

// For more than the block. Blocks are all in one cluster, or each is one.
bool is_wide_in(MemoryScope s, bool cluster) { return s != MemoryScope::Cta && (cluster || s != MemoryScope::Cluster); }
bool is_atomic(const TraceEvent& e) { return e.access == AccessKind::Atomic || e.access == AccessKind::Swap; }
bool strong(const TraceEvent& e) { return is_atomic(e) || e.order != MemoryOrder::Weak; }
bool acquire(MemoryOrder o) { return o == MemoryOrder::Acquire || o == MemoryOrder::AcqRel; }
bool release(MemoryOrder o) { return o == MemoryOrder::Release || o == MemoryOrder::AcqRel; }

struct Node {
  uint32_t event = 0, lane = 0;
  uint64_t thread = 0;
  Bits before;
  std::vector<std::pair<uint32_t, uint64_t>> edges = {};  // from the last one before, and through which word
};

// Something that a thread did which a pattern of release or acquire may begin or end with.
struct Ordering {
  uint32_t node;
  bool wide;
};
struct Write {
  uint32_t node = 0;
  uint64_t thread = 0;
  uint32_t block = 0;
  bool is_strong = false, atomic = false, wide = false;
  std::vector<Ordering> sources;  // what it releases
};
// A strong write, as a later read may choose among those of its word.
struct Written {
  uint32_t node;
  uint64_t value;
  std::vector<Write> chain;  // what is read there
};
struct Read {  // of a strong access, with what it has observed
  uint64_t word = 0;
  bool wide = false;
  std::vector<Write> chain;
};
// What threads hand on that synchronize: their fences, for more than the block, and reads. Fences are in one order:
// they count for another thread's writes behind them, and for another thread's reads before them.
struct Handed {
  std::set<uint32_t> fences;
  std::set<std::shared_ptr<const Read>> reads;
  void add(const Handed& o) {
    fences.insert(o.fences.begin(), o.fences.end());
    reads.insert(o.reads.begin(), o.reads.end());
  }
};
struct Thread {
  Handed handed;  // its own, too
  uint32_t last = ~0u;
  std::vector<Ordering> fences;
  std::map<uint64_t, std::vector<Ordering>> releases;  // by word
  std::vector<std::shared_ptr<const Read>> reads;
  std::map<uint64_t, size_t> read;            // by word: which write of its history it has read last
  std::vector<uint32_t> uncommitted, issued;  // copies
  std::vector<std::vector<uint32_t>> groups;
};
struct Try {  // to take a lock
  uint64_t word = 0;
  uint32_t before = ~0u, node = ~0u;  // the thread's last one before the first of a row, and this one
};
// From where a thread takes a lock to where it gives it back.
struct Section {
  uint64_t thread = 0, word = 0;
  uint32_t block = 0;
  std::pair<TraceEvent::Lock, uint8_t> how;  // of exchanges, for which value
  uint32_t before = ~0u;                     // the thread's last node before it
  uint32_t taken = ~0u, given = ~0u;         // nodes
  Ordering acquires{}, releases{};           // what taking and giving do themselves, if their nodes are there
};
struct Touch {  // an access of one lane
  uint32_t node, event, lane;
  uint64_t at;
  bool writes, copy, source;
  std::vector<uint32_t> sections = {};
};

class Oracle {
 public:
  explicit Oracle(const Trace& trace) : trace_(trace) {}
  std::set<OracleRace> run() {
    for (uint32_t i = 0; i < trace_.events.size(); ++i) event(i);
    return races();
  }
  [[nodiscard]] const std::set<uint32_t>& early() const { return early_; }

 private:
  uint64_t thread_of(const TraceEvent& e, uint32_t lane) const {
    return (uint64_t{e.block} * trace_.warps + e.warp) * kWarpSize + lane;
  }
  uint32_t make(uint32_t event, uint32_t lane, uint64_t thread) {
    nodes_.push_back({event, lane, thread, {}});
    return static_cast<uint32_t>(nodes_.size() - 1);
  }
  // `by`: through which word of memory; 0: none.
  void order(uint32_t from, uint32_t to, uint64_t by = 0) {
    nodes_[to].edges.emplace_back(from, by);
    nodes_[to].before.set(from);
    nodes_[to].before.add(nodes_[from].before);
  }
  uint32_t step(uint32_t event, uint32_t lane, uint64_t thread) {
    const uint32_t node = make(event, lane, thread);
    Thread& t = threads_[thread];
    if (t.last != ~0u) order(t.last, node);
    t.last = node;
    return node;
  }
  // The words of a memory that blocks do not share have the block in their number.
  uint64_t word(const TraceEvent& e, uint64_t at) const {
    return (e.memory == Memory::Shared ? (owner(e) + 1) << 48 : 0) + at / 4;
  }
  uint64_t owner(const TraceEvent& e) const { return trace_.cluster && e.kind == Kind::Access ? e.owner : e.block; }
  bool wide(MemoryScope s) const { return is_wide_in(s, trace_.cluster); }

  void synchronize(const Read& read, uint32_t sink, uint64_t thread, uint32_t block, bool sink_wide) {
    for (const Write& w : read.chain)
      for (const Ordering& source : w.sources) {
        const bool all_wide = w.wide && source.wide && read.wide && sink_wide;
        if (w.thread != thread && (w.block == block || all_wide)) order(source.node, sink, read.word + 1);
      }
  }

  void event(uint32_t number) {
    const TraceEvent& e = trace_.events[number];
    if (e.kind == Kind::Release) return release_barrier(number, e);
    if (e.kind == Kind::WarpSync) return warp_sync(number, e);
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      if (e.lanes >> lane & 1) one(number, e, lane);
  }

  void release_barrier(uint32_t number, const TraceEvent& e) {
    std::vector<uint32_t>& arrived = arrived_[{e.block, e.barrier}];
    Handed& handed = handed_at_[{e.block, e.barrier}];
    for (uint32_t warp = 0; warp < trace_.warps; ++warp)
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
        if ((e.released[warp] >> lane & 1) == 0) continue;
        const uint64_t thread = (uint64_t{e.block} * trace_.warps + warp) * kWarpSize + lane;
        const uint32_t node = step(number, lane, thread);
        for (const uint32_t a : arrived) order(a, node);
        threads_[thread].handed.add(handed);
      }
    arrived.clear();
    handed = {};
  }
  void warp_sync(uint32_t number, const TraceEvent& e) {
    std::vector<uint32_t> arrived;
    Handed handed;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      if (e.lanes >> lane & 1) {
        arrived.push_back(step(number, lane, thread_of(e, lane)));
        handed.add(threads_[thread_of(e, lane)].handed);
      }
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((e.lanes >> lane & 1) == 0) continue;
      const uint32_t node = step(number, lane, thread_of(e, lane));
      for (const uint32_t a : arrived) order(a, node);
      threads_[thread_of(e, lane)].handed.add(handed);
    }
  }

  void one(uint32_t number, const TraceEvent& e, uint32_t lane) {
    const uint64_t thread = thread_of(e, lane);
    const uint32_t before = threads_[thread].last;
    const uint32_t node = step(number, lane, thread);
    Thread& t = threads_[thread];
    const uint64_t object = uint64_t{e.block} << 32 | e.barrier;
    switch (e.kind) {
      case Kind::Access:
        access(number, e, lane, node);
        if (e.lock != TraceEvent::Lock::None) section(e, lane, node, before);
        return;
      case Kind::Copy: {
        const uint32_t copy = make(number, lane, thread);
        order(node, copy);
        t.uncommitted.push_back(copy);
        t.issued.push_back(copy);
        touches_.push_back({copy, number, lane, e.from[lane], false, true, true});
        touches_.push_back({copy, number, lane, e.at[lane], true, true, false});
        writes_of_words(e, lane, copy, Memory::Shared);
        return;
      }
      case Kind::Commit:
        t.groups.push_back(std::move(t.uncommitted));
        t.uncommitted.clear();
        return;
      case Kind::Wait:
        for (size_t g = 0; g + e.count < t.groups.size(); ++g)
          for (const uint32_t copy : t.groups[g]) order(copy, node);
        return;
      case Kind::WaitAll:
        for (const uint32_t copy : t.issued) order(copy, node);
        return;
      case Kind::Fence:
        for (const auto& r : t.handed.reads) synchronize(*r, node, thread, e.block, wide(e.scope));
        t.fences.push_back({node, wide(e.scope)});
        if (wide(e.scope)) t.handed.fences.insert(node);
        return;
      case Kind::Arrive:
        arrived_[{e.block, e.barrier}].push_back(node);
        handed_at_[{e.block, e.barrier}].add(t.handed);
        return;
      case Kind::ObjectArrive:
        for (const uint32_t a : last_phase_[object])
          if (!nodes_[node].before.has(a)) early_.insert(number);
        phase_[object].push_back(node);
        objects_[object].push_back(node);
        handed_phase_[object].add(t.handed);
        if (e.completes && (e.lanes >> lane) == 1) handed_last_[object] = std::exchange(handed_phase_[object], {});
        if (e.completes && (e.lanes >> lane) == 1) last_phase_[object] = std::exchange(phase_[object], {});
        if (e.completes && (e.lanes >> lane) == 1) completed_[object] = std::exchange(objects_[object], {});
        return;
      case Kind::ObjectCopies:
        for (const uint32_t copy : t.issued) objects_[object].push_back(copy), phase_[object].push_back(copy);
        return;
      case Kind::ObjectWait:
        for (const uint32_t a : completed_[object]) order(a, node);
        t.handed.add(handed_last_[object]);
        return;
      default:
        return;
    }
  }

  // Takes or gives locks; the touch of the access itself is in no section of its own.
  void section(const TraceEvent& e, uint32_t lane, uint32_t node, uint32_t before) {
    const uint64_t thread = thread_of(e, lane), w = word(e, e.at[lane]);
    std::vector<uint32_t>& open = open_[thread];
    if (e.lock == TraceEvent::Lock::Give) {
      std::erase_if(open, [&](uint32_t number) {
        Section& s = sections_[number];
        if (s.word != w) return false;
        s.given = node;
        if (release(e.order)) s.releases = {node, wide(e.scope)};
        return true;
      });
      return;
    }
    // What it learns of the lock while it tries, it has not learned besides.
    Try& last = tries_[thread];
    if (last.node == before && last.word == w) before = last.before;
    last = {w, before, node};
    if (e.taken) {
      Section s{thread, w, e.block, {e.lock, e.lock == TraceEvent::Lock::Exchange ? e.value[lane] : uint8_t{0}}};
      s.before = before, s.taken = node;
      s.acquires.node = s.releases.node = ~0u;
      if (acquire(e.order)) s.acquires = {node, wide(e.scope)};
      open.push_back(static_cast<uint32_t>(sections_.size()));
      sections_.push_back(s);
    }
  }
  // Whether the thread fences between two of its nodes, for the other block.
  bool fenced(uint64_t thread, uint32_t from, uint32_t to, bool one_block) const {
    return std::ranges::any_of(threads_.at(thread).fences, [&](const Ordering& f) {
      return from < f.node && f.node < to && (one_block || f.wide);
    });
  }
  // Whether something orders them beside a word.
  bool ordered_besides(uint32_t a, uint32_t b, uint64_t word) const {
    std::vector<uint32_t> left{b};
    std::set<uint32_t> seen{b};
    while (!left.empty()) {
      const uint32_t node = left.back();
      left.pop_back();
      if (node == a) return true;
      for (const auto& [from, by] : nodes_[node].edges)
        if (from >= a && by != word + 1 && seen.insert(from).second) left.push_back(from);
    }
    return false;
  }
  // Whether a write between them, outside of the lock, may stand for the first.
  bool replaced(const Touch& a, const Touch& b, uint64_t lock) const {
    return std::ranges::any_of(touches_, [&](const Touch& c) {
      const auto in_lock = [&](uint32_t number) { return sections_[number].word == lock; };
      return c.writes && c.at / 4 == a.at / 4 && nodes_[c.node].before.has(a.node) &&
             nodes_[b.node].before.has(c.node) && std::ranges::none_of(c.sections, in_lock);
    });
  }
  // Of two that are ordered: by a lock alone, that would not order them the other way.
  bool by_lock(const Touch& a, const Touch& b, OracleRace& race) const {
    const auto lacks = [&](uint32_t section, bool given, bool narrow) {
      const Section& of = sections_[section];
      race.by_lock = true, race.loose = section, race.given = given;
      const bool shared = std::ranges::any_of(
          sections_, [&](const Section& o) { return o.block == of.block && o.thread != of.thread; });
      race.optional = (narrow && shared) || ordered_besides(a.node, b.node, of.word) || replaced(a, b, of.word);
      return true;
    };
    for (const uint32_t x : a.sections)
      for (const uint32_t y : b.sections) {
        const Section &first = sections_[x], &second = sections_[y];
        const bool other = first.thread != second.thread && first.word == second.word && first.how == second.how;
        if (!other || first.given == ~0u || !nodes_[b.node].before.has(a.node)) continue;
        if (second.before != ~0u && (nodes_[second.before].before.has(a.node))) continue;
        const bool one_block = first.block == second.block;
        const auto counts = [&](const Ordering& o) { return o.node != ~0u && (one_block || o.wide); };
        if (!counts(first.acquires) && !fenced(first.thread, first.taken, a.node, one_block))
          return lacks(x, false, first.acquires.node != ~0u || fenced(first.thread, first.taken, a.node, true));
        if (second.given != ~0u && !counts(second.releases) && !fenced(second.thread, b.node, second.given, one_block))
          return lacks(y, true, second.releases.node != ~0u || fenced(second.thread, b.node, second.given, true));
      }
    return false;
  }

  void writes_of_words(const TraceEvent& e, uint32_t lane, uint32_t node, Memory) {
    Write w{node, thread_of(e, lane), e.block, false, false, false, {}};
    for (uint64_t at = e.at[lane] / 4 * 4; at < e.at[lane] + e.bytes; at += 4) {
      words_[word(e, at)] = {w};
      forgotten_[word(e, at)] = history_[word(e, at)].size();
    }
  }

  void access(uint32_t number, const TraceEvent& e, uint32_t lane, uint32_t node) {
    const uint64_t thread = thread_of(e, lane);
    Thread& t = threads_[thread];
    const bool atomic = is_atomic(e), writes = e.access != AccessKind::Load;
    const bool takes_effect = writes && (!atomic || (e.wrote >> lane & 1) != 0);
    touches_.push_back({node, number, lane, e.at[lane], writes, false, false});
    if (!strong(e)) touches_.back().sections = open_[thread];
    if (!strong(e)) {
      if (writes) writes_of_words(e, lane, node, e.memory);
      return;
    }
    const uint64_t w = word(e, e.at[lane]);
    if (!writes || atomic) {
      // Nobody looks at the value: it may be one that no other thread has written.
      Read read{w, wide(e.scope), e.unread ? std::vector<Write>() : words_[w]};
      for (const Write& from : e.unread ? std::vector<Write>() : words_[w])
        if (from.is_strong && (from.block == e.block || (from.wide && read.wide))) {
          readers_[from.node].push_back(node);
          for (const uint32_t f : failed_before_[from.node]) readers_[f].push_back(node);
        }
      if (!e.unread) choose(e, w, node, t, read);
      t.reads.push_back(std::make_shared<const Read>(std::move(read)));
      t.handed.reads.insert(t.reads.back());
      if (acquire(e.order))
        for (const auto& r : t.reads)
          if (r->word == w) synchronize(*r, node, thread, e.block, wide(e.scope));
    }
    // A loop's compare-and-swaps: the one that writes stands for the thread's earlier ones there.
    if (e.access == AccessKind::Swap) {
      std::vector<uint32_t>& failed = failed_[{e.instruction, thread, w}];
      if (takes_effect)
        failed_before_[node] = std::exchange(failed, {});
      else
        failed.push_back(node);
    }
    if (!takes_effect) return;
    if (e.idle) {  // it releases nothing: who reads behind it need not have seen it
      words_[w].push_back({node, thread, e.block, true, true, wide(e.scope), {}});
      return;
    }
    Write write{node, thread, e.block, true, atomic, wide(e.scope), t.fences};
    for (const uint32_t fence : t.handed.fences)
      if (nodes_[fence].thread != thread) write.sources.push_back({fence, true});
    if (release(e.order)) t.releases[w].push_back({node, wide(e.scope)});
    for (const Ordering& r : t.releases[w]) write.sources.push_back(r);
    std::vector<Write>& chain = words_[w];
    if (!atomic) chain.clear();
    chain.push_back(std::move(write));
    history_[w].push_back({node, atomic ? e.after[lane] : e.value[lane] * uint64_t{0x01010101}, chain});
  }
  // The first write of the word that tells the thread as much as the last one, and that it may still read.
  void choose(const TraceEvent& e, uint64_t w, uint32_t node, Thread& t, Read& read) {
    const std::vector<Written>& all = history_[w];
    if (all.size() == forgotten_[w]) return;
    size_t first = std::max(t.read[w], forgotten_[w]);
    for (size_t i = 0; i < all.size(); ++i)
      if (nodes_[node].before.has(all[i].node)) first = std::max(first, i);
    size_t chosen = all.size() - 1;
    const bool answer = all[chosen].value == e.asked;
    for (size_t i = chosen; e.tested && i + 1 > first; --i)
      if ((all[i].value == e.asked) == answer) chosen = i;
    t.read[w] = std::max(t.read[w], chosen);
    read.chain = all[chosen].chain;
  }

  std::set<OracleRace> races() {
    std::set<OracleRace> all;
    // By part of memory; an access is in two at most.
    std::map<uint64_t, std::vector<const Touch*>> parts;
    for (const Touch& t : touches_)
      for (uint64_t part = t.at / 16; part <= (t.at + trace_.events[t.event].bytes - 1) / 16; ++part)
        parts[part].push_back(&t);
    for (const auto& [part, touches] : parts)
      for (size_t i = 0; i < touches.size(); ++i)
        for (size_t j = i + 1; j < touches.size(); ++j)
          if (conflict(*touches[i], *touches[j])) add(all, *touches[i], *touches[j]);
    return all;
  }
  void add(std::set<OracleRace>& all, const Touch& a, const Touch& b) const {
    if (!nodes_[b.node].before.has(a.node) && !nodes_[a.node].before.has(b.node)) {
      all.insert(race(a, b));
    } else {
      OracleRace one = race(a, b);
      if (by_lock(a, b, one)) all.insert(one);
    }
  }
  // Some order they need.
  bool conflict(const Touch& a, const Touch& b) const {
    if (!a.writes && !b.writes) return false;
    const TraceEvent &x = trace_.events[a.event], &y = trace_.events[b.event];
    const bool a_global = a.source || (!a.copy && x.memory == Memory::Global);
    const bool b_global = b.source || (!b.copy && y.memory == Memory::Global);
    if (a_global != b_global || (!a_global && owner(x) != owner(y))) return false;
    if (a.at + x.bytes <= b.at || b.at + y.bytes <= a.at || a.node == b.node) return false;
    const bool one_warp = x.block == y.block && x.warp == y.warp;
    if (!a.copy && !b.copy && strong(x) && strong(y)) {
      const bool in_step =
          !a_global && one_warp && x.order == MemoryOrder::Volatile && y.order == MemoryOrder::Volatile;
      const bool in_scope = x.block == y.block || (wide(x.scope) && wide(y.scope));
      if (in_scope && !in_step) return false;
    }
    return true;
  }
  // Causality order, beside the base causality order.
  bool read_before(uint32_t a, uint32_t b, bool or_by_it = false) const {
    const auto readers = readers_.find(a);
    return readers != readers_.end() && std::ranges::any_of(readers->second, [&](uint32_t r) {
             return nodes_[b].before.has(r) || (or_by_it && r == b);
           });
  }
  // Of a strong access, the same of a later write to its word that it is ordered before: who reads that one cannot come
  // before the first. The check may have forgotten the first, as the write stands for it. Nor can who reads it.
  bool settled_before(const Touch& a, const Touch& b) const {
    const TraceEvent& x = trace_.events[a.event];
    if (a.copy || !strong(x)) return false;
    return std::ranges::any_of(readers_, [&](const auto& written) {
      const Node& write = nodes_[written.first];
      const TraceEvent& w = trace_.events[write.event];
      return word(w, w.at[write.lane]) == word(x, a.at) && write.before.has(a.node) &&
             (w.block == x.block || (wide(w.scope) && wide(x.scope))) && read_before(written.first, b.node, true);
    });
  }
  OracleRace race(const Touch& a, const Touch& b) const {
    const TraceEvent &x = trace_.events[a.event], &y = trace_.events[b.event];
    return {x.instruction + (a.copy && !a.source ? 1 : 0),
            y.instruction + (b.copy && !b.source ? 1 : 0),
            b.event,
            a.writes && b.writes,
            x.block == y.block && x.warp == y.warp && !a.copy && !b.copy,
            read_before(a.node, b.node) || read_before(b.node, a.node),
            settled_before(a, b) || settled_before(b, a)};
  }

  const Trace& trace_;
  std::vector<Node> nodes_;
  std::map<uint64_t, Thread> threads_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> arrived_;
  std::map<uint64_t, std::vector<uint32_t>> objects_, completed_;
  std::map<std::pair<uint32_t, uint32_t>, Handed> handed_at_;     // a barrier, by threads that have arrived
  std::map<uint64_t, Handed> handed_phase_, handed_last_;         // an object, likewise
  std::map<uint64_t, std::vector<uint32_t>> phase_, last_phase_;  // arrivals and copies
  std::set<uint32_t> early_;
  std::map<uint64_t, std::vector<Written>> history_;
  std::map<uint64_t, size_t> forgotten_;               // how many of them a plain store has replaced
  std::map<uint64_t, std::vector<Write>> words_;       // the last write of each, and the chain of atomics behind it
  std::map<uint32_t, std::vector<uint32_t>> readers_;  // of a strong write
  // Swaps that wrote nothing: by instruction, thread and word; by the swap that wrote behind them.
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, std::vector<uint32_t>> failed_;
  std::map<uint32_t, std::vector<uint32_t>> failed_before_;
  std::vector<Section> sections_;
  std::map<uint64_t, Try> tries_;                   // by thread, the last one
  std::map<uint64_t, std::vector<uint32_t>> open_;  // by thread
  std::vector<Touch> touches_;
};

}  // namespace

std::set<OracleRace> races_of(const Trace& trace) { return Oracle(trace).run(); }

std::set<uint32_t> early_arrivals_of(const Trace& trace) {
  Oracle oracle(trace);
  (void)oracle.run();
  return oracle.early();
}

}  // namespace drywarp::check
