#include "race_judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "race_oracle.h"

namespace drywarp::check {
namespace {

using Kind = TraceEvent::Kind;

class NoMemory : public MemoryMap {
 public:
  [[nodiscard]] std::optional<Near> near(uint64_t) const override { return std::nullopt; }
  [[nodiscard]] std::optional<Near> near(uint64_t, uint64_t) const override { return std::nullopt; }
  void made(uint64_t, const std::string&) override {}
  [[nodiscard]] bool written(uint64_t, uint64_t) const override { return true; }
  void write(uint64_t, uint64_t) override {}
};

// Tells a check of the trace.
std::vector<Finding> checked(const Trace& trace, const RaceLimits& limits) {
  KernelInfo kernel;
  kernel.display_name = "k";
  kernel.instructions.resize(trace.instructions);
  for (uint32_t i = 0; i < trace.instructions; ++i) {
    InstructionInfo& info = kernel.instructions[i];
    info.access = i, info.ptx_line = i + 1;
    info.load = true;
  }
  for (const TraceEvent& e : trace.events)
    if (e.access == AccessKind::Swap) kernel.instructions[e.instruction].compare_swap = true;
  for (const TraceEvent& e : trace.events)
    if (e.unread) kernel.instructions[e.instruction].unread = true;
  for (const TraceEvent& e : trace.events)
    if (e.idle) {
      InstructionInfo& info = kernel.instructions[e.instruction];
      info.atomic = true, info.text = "atom.global.add.u32 %r1, [%rd1], 0;";
    }
  for (const TraceEvent& e : trace.events)
    if (e.kind == Kind::Copy) kernel.instructions[e.instruction + 1].block = InstructionInfo::kNone;
  for (const TraceEvent& e : trace.events) {
    if (e.lock == TraceEvent::Lock::None) continue;
    InstructionInfo& info = kernel.instructions[e.instruction];
    info.atomic = e.access != AccessKind::Store, info.store = !info.atomic;
    info.text = e.lock == TraceEvent::Lock::Swap ? "atom.cas.b32 %r1, [%rd1], 0, 1;"
                : info.atomic                    ? "atom.exch.b32 %r1, [%rd1], %r2;"
                                                 : "st.relaxed.u32 [%rd1], %r2;";
  }
  // Each event has a line behind those: findings at one place are one.
  const auto line_of_event = [&](size_t number) { return static_cast<uint32_t>(trace.instructions + 1 + number); };
  for (size_t number = 0; number < trace.events.size(); ++number)
    kernel.instructions.emplace_back().ptx_line = line_of_event(number);
  NoMemory memory;
  const CheckedLaunch launch(kernel, {trace.blocks, 1, 1}, {trace.warps * kWarpSize, 1, 1}, memory);
  RaceCheck check(launch, limits);
  observe::BlockOrder order;
  order.independent = trace.independent;
  if (trace.cluster) order.cluster = {trace.blocks, 1, 1};
  order.tests = std::ranges::any_of(trace.events, &TraceEvent::tested);
  check.starts(order);
  std::vector<std::unique_ptr<observe::BlockObserver>> blocks;
  for (uint32_t b = 0; b < trace.blocks; ++b) blocks.push_back(check.begin(b));
  std::map<uint32_t, uint32_t> phases;  // by block: of its barrier object
  for (const TraceEvent& e : trace.events) {
    observe::BlockObserver& block = *blocks[e.block];
    observe::Access access;
    access.warp = e.warp, access.access = e.instruction, access.memory = e.memory, access.kind = e.access;
    access.order = e.order, access.scope = e.scope, access.bytes = e.bytes, access.lanes = e.lanes;
    access.places = access.addresses = e.at.data();
    std::array<uint64_t, kWarpSize> owners;
    owners.fill(e.owner);
    if (trace.cluster && e.kind == Kind::Access && e.memory == Memory::Shared && e.owner != e.block)
      access.remote = true, access.owners = owners.data();
    switch (e.kind) {
      case Kind::Access: {
        std::vector<uint8_t> values(size_t{kWarpSize} * e.bytes);
        for (uint32_t lane = 0; lane < kWarpSize; ++lane)
          std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(lane * e.bytes), e.bytes, e.value[lane]);
        if (e.access == AccessKind::Store) access.values = values.data(), access.element_bytes = e.bytes;
        TestedLanes tested;
        tested.others[0].fill(e.asked);
        tested.test.count = 1;
        tested.test.steps[0] = {.op = ValueTest::Op::Equal, .b = ValueTest::kOther};
        if (e.tested) access.tested = &tested;
        access.replaces = e.access == AccessKind::Atomic && e.lock != TraceEvent::Lock::None;
        block.access(access);
        const LaneMask replaced = e.lock == TraceEvent::Lock::Exchange && e.taken ? e.lanes : 0;
        if (e.access == AccessKind::Atomic || e.access == AccessKind::Swap)
          block.outcome({e.warp, e.instruction, e.lanes, e.wrote, replaced, values.data(), e.after.data()});
        break;
      }
      case Kind::Copy: {
        observe::Access read = access;
        read.memory = Memory::Global, read.kind = AccessKind::Load;
        read.places = read.addresses = e.from.data();
        block.access(read);
        access.access = e.instruction + 1, access.memory = Memory::Shared;
        block.access(access);
        break;
      }
      case Kind::Commit:
        block.copies({e.warp, observe::CopyUse::Use::Commit, 0, e.lanes, nullptr});
        break;
      case Kind::Wait:
        block.copies({e.warp, observe::CopyUse::Use::Wait, e.count, e.lanes, nullptr});
        break;
      case Kind::WaitAll:
        block.copies({e.warp, observe::CopyUse::Use::WaitAll, 0, e.lanes, nullptr});
        break;
      case Kind::Fence:
        block.fence({e.warp, 0, MemoryOrder::Sc, e.scope, e.lanes});
        break;
      case Kind::Arrive:
        block.arrival({e.warp, 0, e.barrier, 0, e.waits, e.lanes});
        break;
      case Kind::Release:
        block.release({e.barrier, e.released, nullptr});
        break;
      case Kind::WarpSync:
        block.warp_release({e.warp, false, e.lanes});
        break;
      case Kind::ObjectArrive:
      case Kind::ObjectWait:
        for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
          if ((e.lanes >> lane & 1) == 0) continue;
          const bool arrives = e.kind == Kind::ObjectArrive;
          observe::Mbarrier use;
          use.warp = e.warp, use.lane = lane, use.address = e.barrier;
          use.use = arrives ? observe::Mbarrier::Use::Arrive : observe::Mbarrier::Use::Wait;
          use.passed = !arrives;
          use.before.valid = use.after.valid = true;
          use.tokens = true, use.ptx_line = line_of_event(size_t(&e - trace.events.data()));
          uint32_t& phase = phases[e.block];
          use.before.phase = phase;
          if (arrives && e.completes && e.lanes >> lane == 1) phase ^= 1;
          use.after.phase = phase;
          block.mbarrier(use);
        }
        break;
      case Kind::ObjectCopies: {
        const std::array<uint64_t, kWarpSize> object{};
        block.copies({e.warp, observe::CopyUse::Use::Arrive, 0, e.lanes, object.data()});
        break;
      }
    }
  }
  blocks.clear();
  return check.findings(trace.blocks);
}

}  // namespace

std::string print(const Trace& trace) {
  std::string text = fmt::format("{} blocks of {} warps{}{}\n", trace.blocks, trace.warps,
                                 trace.independent ? ", independent" : "", trace.cluster ? ", a cluster" : "");
  const char* const kinds[] = {"access", "copy",    "commit",    "wait",          "wait all",      "fence",
                               "arrive", "release", "warp sync", "object arrive", "object copies", "object wait"};
  const char* const accesses[] = {"load", "store", "atomic", "swap", "copy", "copy"};
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& e = trace.events[i];
    text += fmt::format("{:3} b{} w{} {:08x} {}", i, e.block, e.warp, e.lanes, kinds[size_t(e.kind)]);
    if (e.kind == Kind::Access || e.kind == Kind::Copy) {
      text += fmt::format(" #{} {} {} order {} scope {} bytes {} at", e.instruction, accesses[size_t(e.access)],
                          e.memory == Memory::Shared ? "shared" : "global", int(e.order), int(e.scope), e.bytes);
      for (uint32_t lane = 0; lane < kWarpSize; ++lane)
        if (e.lanes >> lane & 1) text += fmt::format(" {:x}", e.at[lane]);
      if (trace.cluster && e.kind == Kind::Access) text += fmt::format(" of b{}", e.owner);
      if (e.kind == Kind::Copy) text += fmt::format(" from {:x} ...", e.from[0]);
      const char* const locks[] = {"", " by swap", " by exchange", " gives"};
      text += fmt::format("{}{}{}", locks[size_t(e.lock)], e.taken ? " taken" : "",
                          e.unread ? " unread"
                          : e.idle ? " idle"
                                   : "");
      if (e.tested) text += fmt::format(" tested for {:x}", e.asked);
      if (e.access == AccessKind::Store && e.order != MemoryOrder::Weak)
        text += fmt::format(" values {}", fmt::join(e.value, " "));
      if (e.access == AccessKind::Atomic) text += fmt::format(" after {}", fmt::join(e.after, " "));
      if (e.access == AccessKind::Swap) text += fmt::format(" wrote {:08x}", e.wrote);
    } else {
      text += fmt::format(" scope {} count {} barrier {} {}", int(e.scope), e.count, e.barrier,
                          e.completes ? "completes"
                          : e.waits   ? ""
                                      : "goes on");
    }
    text += "\n";
  }
  return text;
}

Judged judge_trace(const Trace& trace, bool prints) {
  constexpr size_t kShort = 16;
  Judged judged{mistakes(trace), std::ranges::all_of(races_of(trace), &OracleRace::read) ? 0U : 1U};
  if (!judged.problems.empty() && (prints || trace.events.size() < kShort)) judged.problems += print(trace);
  return judged;
}

std::string mistakes(const Trace& trace, const RaceLimits& limits, bool* incomplete) {
  const std::set<OracleRace> truth = races_of(trace);
  std::vector<Finding> findings = checked(trace, limits);
  const bool gave_up = std::erase_if(findings, [](const Finding& f) { return f.kind == FindingKind::Incomplete; }) != 0;
  if (incomplete) *incomplete = gave_up;
  std::string wrong;
  std::set<uint32_t> early;
  std::erase_if(findings, [&](const Finding& f) {
    if (f.kind != FindingKind::BarrierOrder) return false;
    early.insert(f.where.ptx_line - trace.instructions - 1);
    return true;
  });
  if (const std::set<uint32_t> truly = early_arrivals_of(trace); early != truly)
    wrong += fmt::format("early arrivals: events {}, not {}\n", fmt::join(early, " "), fmt::join(truly, " "));
  using Pair = std::pair<uint32_t, uint32_t>;
  const auto pair = [](uint32_t a, uint32_t b) { return Pair{std::min(a, b), std::max(a, b)}; };
  std::set<Pair> found;
  std::set<uint32_t> racing;  // events
  for (const OracleRace& r : truth)
    if (!r.read) racing.insert(r.later_event);
  for (const Finding& f : findings) {
    const Pair p = pair(f.where.ptx_line - 1, f.other->where.ptx_line - 1);
    found.insert(p);
    const bool writes = f.kind == FindingKind::WriteWrite || f.kind == FindingKind::SameValue;
    const bool right = std::ranges::any_of(truth, [&](const OracleRace& r) {
      // Of an access that races, a partner may be named that it is behind, if the read that says so was behind another.
      return pair(r.earlier, r.later) == p && (!r.read || racing.contains(r.later_event)) &&
             (!writes || r.write_write) && (f.kind != FindingKind::WarpLevel || r.one_warp);
    });
    if (!right)
      wrong += fmt::format("false alarm: {} of #{} and #{}: {}\n", info(f.kind).key, p.first, p.second, f.what);
  }
  if (gave_up && incomplete) return wrong;
  // Each access that races with an earlier one is told, with one of those.
  std::map<std::pair<uint32_t, uint32_t>, bool> told;
  for (const OracleRace& r : truth)
    if (!r.read && !r.settled && !r.by_lock) told[{r.later_event, r.later}] |= found.contains(pair(r.earlier, r.later));
  for (const auto& [later, is_told] : told)
    if (!is_told) {
      wrong += fmt::format("missed: #{} of event {}, with", later.second, later.first);
      for (const OracleRace& r : truth)
        if (r.later == later.second && r.later_event == later.first && !r.read) wrong += fmt::format(" #{}", r.earlier);
      wrong += "\n";
    }
  // Each section that lacks a fence is told, with one of the accesses that miss it; or else its access races with one
  // that may stand for the other.
  std::map<std::pair<uint32_t, bool>, bool> loose;
  std::set<uint32_t> in_races;
  for (const auto& [a, b] : found) in_races.insert({a, b});
  for (const OracleRace& r : truth)
    if (r.by_lock && !r.optional) loose[{r.loose, r.given}] = false;
  for (const OracleRace& r : truth)
    if (const auto fence = loose.find({r.loose, r.given}); r.by_lock && fence != loose.end())
      fence->second |= found.contains(pair(r.earlier, r.later)) || in_races.contains(r.given ? r.later : r.earlier);
  for (const auto& [fence, is_told] : loose)
    if (!is_told) {
      wrong += fmt::format("missed: a fence {} section {}, with", fence.second ? "at the end of" : "of", fence.first);
      for (const OracleRace& r : truth)
        if (r.by_lock && std::pair{r.loose, r.given} == fence) wrong += fmt::format(" #{}-#{}", r.earlier, r.later);
      wrong += "\n";
    }
  if (!wrong.empty()) {
    wrong += "found:";
    for (const auto& [a, b] : found) wrong += fmt::format(" #{}-#{}", a, b);
    wrong += "\n";
  }
  return wrong;
}

}  // namespace drywarp::check
