#include "race_oracle.h"

#include <algorithm>
#include <bit>
#include <map>

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

bool wide(MemoryScope s) { return s != MemoryScope::Cta && s != MemoryScope::Cluster; }
bool is_atomic(const TraceEvent& e) { return e.access == AccessKind::Atomic || e.access == AccessKind::Swap; }
bool strong(const TraceEvent& e) { return is_atomic(e) || e.order != MemoryOrder::Weak; }
bool acquire(MemoryOrder o) { return o == MemoryOrder::Acquire || o == MemoryOrder::AcqRel; }
bool release(MemoryOrder o) { return o == MemoryOrder::Release || o == MemoryOrder::AcqRel; }

struct Node {
  uint32_t event = 0, lane = 0;
  uint64_t thread = 0;
  Bits before;
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
struct Read {  // of a strong access, with what it has observed
  uint64_t word = 0;
  bool wide = false;
  std::vector<Write> chain;
};
struct Thread {
  uint32_t last = ~0u;
  std::vector<Ordering> fences;
  std::map<uint64_t, std::vector<Ordering>> releases;  // by word
  std::vector<Read> reads;
  std::vector<uint32_t> uncommitted, issued;  // copies
  std::vector<std::vector<uint32_t>> groups;
};
struct Touch {  // an access of one lane
  uint32_t node, event, lane;
  uint64_t at;
  bool writes, copy, source;
};

class Oracle {
 public:
  explicit Oracle(const Trace& trace) : trace_(trace) {}
  std::set<OracleRace> run() {
    for (uint32_t i = 0; i < trace_.events.size(); ++i) event(i);
    return races();
  }

 private:
  uint64_t thread_of(const TraceEvent& e, uint32_t lane) const {
    return (uint64_t{e.block} * trace_.warps + e.warp) * kWarpSize + lane;
  }
  uint32_t make(uint32_t event, uint32_t lane, uint64_t thread) {
    nodes_.push_back({event, lane, thread, {}});
    return static_cast<uint32_t>(nodes_.size() - 1);
  }
  void order(uint32_t from, uint32_t to) {
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
  static uint64_t word(const TraceEvent& e, uint64_t at) {
    return (e.memory == Memory::Shared ? (uint64_t{e.block} + 1) << 48 : 0) + at / 4;
  }

  void synchronize(const Read& read, uint32_t sink, uint64_t thread, uint32_t block, bool sink_wide) {
    for (const Write& w : read.chain)
      for (const Ordering& source : w.sources) {
        const bool all_wide = w.wide && source.wide && read.wide && sink_wide;
        if (w.thread != thread && (w.block == block || all_wide)) order(source.node, sink);
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
    for (uint32_t warp = 0; warp < trace_.warps; ++warp)
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
        if ((e.released[warp] >> lane & 1) == 0) continue;
        const uint64_t thread = (uint64_t{e.block} * trace_.warps + warp) * kWarpSize + lane;
        const uint32_t node = step(number, lane, thread);
        for (const uint32_t a : arrived) order(a, node);
      }
    arrived.clear();
  }
  void warp_sync(uint32_t number, const TraceEvent& e) {
    std::vector<uint32_t> arrived;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      if (e.lanes >> lane & 1) arrived.push_back(step(number, lane, thread_of(e, lane)));
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((e.lanes >> lane & 1) == 0) continue;
      const uint32_t node = step(number, lane, thread_of(e, lane));
      for (const uint32_t a : arrived) order(a, node);
    }
  }

  void one(uint32_t number, const TraceEvent& e, uint32_t lane) {
    const uint64_t thread = thread_of(e, lane);
    const uint32_t node = step(number, lane, thread);
    Thread& t = threads_[thread];
    const uint64_t object = uint64_t{e.block} << 32 | e.barrier;
    switch (e.kind) {
      case Kind::Access:
        return access(number, e, lane, node);
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
        for (const Read& r : t.reads) synchronize(r, node, thread, e.block, wide(e.scope));
        t.fences.push_back({node, wide(e.scope)});
        return;
      case Kind::Arrive:
        arrived_[{e.block, e.barrier}].push_back(node);
        return;
      case Kind::ObjectArrive:
        objects_[object].push_back(node);
        if (e.completes && (e.lanes >> lane) == 1) completed_[object] = std::exchange(objects_[object], {});
        return;
      case Kind::ObjectCopies:
        for (const uint32_t copy : t.issued) objects_[object].push_back(copy);
        return;
      case Kind::ObjectWait:
        for (const uint32_t a : completed_[object]) order(a, node);
        return;
      default:
        return;
    }
  }

  void writes_of_words(const TraceEvent& e, uint32_t lane, uint32_t node, Memory) {
    Write w{node, thread_of(e, lane), e.block, false, false, false, {}};
    for (uint64_t at = e.at[lane] / 4 * 4; at < e.at[lane] + e.bytes; at += 4) words_[word(e, at)] = {w};
  }

  void access(uint32_t number, const TraceEvent& e, uint32_t lane, uint32_t node) {
    const uint64_t thread = thread_of(e, lane);
    Thread& t = threads_[thread];
    const bool atomic = is_atomic(e), writes = e.access != AccessKind::Load;
    const bool takes_effect = writes && (!atomic || (e.wrote >> lane & 1) != 0);
    touches_.push_back({node, number, lane, e.at[lane], writes, false, false});
    if (!strong(e)) {
      if (writes) writes_of_words(e, lane, node, e.memory);
      return;
    }
    const uint64_t w = word(e, e.at[lane]);
    if (!writes || atomic) {
      Read read{w, wide(e.scope), words_[w]};
      for (const Write& from : read.chain)
        if (from.is_strong && (from.block == e.block || (from.wide && read.wide))) {
          readers_[from.node].push_back(node);
          for (const uint32_t f : failed_before_[from.node]) readers_[f].push_back(node);
        }
      t.reads.push_back(std::move(read));
      if (acquire(e.order))
        for (const Read& r : t.reads)
          if (r.word == w) synchronize(r, node, thread, e.block, wide(e.scope));
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
    Write write{node, thread, e.block, true, atomic, wide(e.scope), t.fences};
    if (release(e.order)) t.releases[w].push_back({node, wide(e.scope)});
    for (const Ordering& r : t.releases[w]) write.sources.push_back(r);
    std::vector<Write>& chain = words_[w];
    if (!atomic) chain.clear();
    chain.push_back(std::move(write));
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
          if (races(*touches[i], *touches[j])) all.insert(race(*touches[i], *touches[j]));
    return all;
  }
  bool races(const Touch& a, const Touch& b) const {
    if (!a.writes && !b.writes) return false;
    const TraceEvent &x = trace_.events[a.event], &y = trace_.events[b.event];
    const bool a_global = a.source || (!a.copy && x.memory == Memory::Global);
    const bool b_global = b.source || (!b.copy && y.memory == Memory::Global);
    if (a_global != b_global || (!a_global && x.block != y.block)) return false;
    if (a.at + x.bytes <= b.at || b.at + y.bytes <= a.at || a.node == b.node) return false;
    const bool one_warp = x.block == y.block && x.warp == y.warp;
    if (!a.copy && !b.copy && strong(x) && strong(y)) {
      const bool in_step =
          !a_global && one_warp && x.order == MemoryOrder::Volatile && y.order == MemoryOrder::Volatile;
      const bool in_scope = x.block == y.block || (wide(x.scope) && wide(y.scope));
      if (in_scope && !in_step) return false;
    }
    return !nodes_[b.node].before.has(a.node) && !nodes_[a.node].before.has(b.node);
  }
  // Causality order, beside the base causality order.
  bool read_before(uint32_t a, uint32_t b) const {
    const auto readers = readers_.find(a);
    return readers != readers_.end() &&
           std::ranges::any_of(readers->second, [&](uint32_t r) { return nodes_[b].before.has(r); });
  }
  // Of a strong access, the same of a later write to its word that it is ordered before: who reads that one cannot come
  // before the first. The check may have forgotten the first, as the write stands for it.
  bool settled_before(const Touch& a, const Touch& b) const {
    const TraceEvent& x = trace_.events[a.event];
    if (a.copy || !strong(x)) return false;
    return std::ranges::any_of(readers_, [&](const auto& written) {
      const Node& write = nodes_[written.first];
      const TraceEvent& w = trace_.events[write.event];
      return word(w, w.at[write.lane]) == word(x, a.at) && write.before.has(a.node) &&
             (w.block == x.block || (wide(w.scope) && wide(x.scope))) && read_before(written.first, b.node);
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
  std::map<uint64_t, std::vector<Write>> words_;       // the last write of each, and the chain of atomics behind it
  std::map<uint32_t, std::vector<uint32_t>> readers_;  // of a strong write
  // Swaps that wrote nothing: by instruction, thread and word; by the swap that wrote behind them.
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, std::vector<uint32_t>> failed_;
  std::map<uint32_t, std::vector<uint32_t>> failed_before_;
  std::vector<Touch> touches_;
};

}  // namespace

std::set<OracleRace> races_of(const Trace& trace) { return Oracle(trace).run(); }

}  // namespace drywarp::check
