#include "engine/check/sync_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "engine/check/barrier_objects.h"

namespace drywarp::check {
namespace {

using observe::Exit;
using observe::Release;
using observe::WarpSync;

constexpr FindingKind kOfNote[] = {FindingKind::DivergentBarrier, FindingKind::SkippedBarrier,
                                   FindingKind::EndedBeforeBarrier, FindingKind::DifferentBarriers};
static_assert(std::size(kOfNote) == kBarrierNoteKinds);

// The code blocks from which a thread can get to this one.
std::vector<bool> leading_to(const CodeFlow& flow, uint32_t code_block) {
  std::vector<bool> leads(flow.successors.size());
  leads[code_block] = true;
  for (bool grows = true; grows;) {
    grows = false;
    for (size_t b = 0; b < leads.size(); ++b)
      if (!leads[b] && std::ranges::any_of(flow.successors[b], [&](uint32_t s) { return leads[s]; }))
        leads[b] = grows = true;
  }
  return leads;
}

class BlockSyncCheck : public BlockCheck {
 public:
  using BlockCheck::BlockCheck;

  void mbarrier(const observe::Mbarrier& m) override {
    if (!m.remote && !foreign_.contains(m.place)) objects_.use(m);
  }
  // An object that other blocks of the cluster use is not judged.
  void written_by_others(const observe::RemoteWrite& w) override { foreign_.insert(w.offset); }

  void step(const observe::Step& s) override {
    const CodeFlow& flow = launch().kernel().flow;
    if (s.code_block >= flow.only_ends.size() || flow.only_ends[s.code_block]) return;
    if (last_.size() <= s.warp) last_.resize(s.warp + 1);
    for (LaneMask left = s.lanes; left != 0; left &= left - 1) last_[s.warp][std::countr_zero(left)] = s.code_block;
  }

  void arrival(const observe::Arrival& a) override {
    if (a.barrier >= barriers_.size()) return;
    barriers_[a.barrier] = a.threads == 0 ? a.code_block : InstructionInfo::kNone;
    if (a.threads != 0 || !a.waits) return;
    std::vector<Came>& came = came_[a.barrier];
    if (came.size() <= a.warp) came.resize(a.warp + 1);
    Came& first = came[a.warp];
    if (first.lanes == 0)
      first = {a.code_block, a.lanes, 0};
    else if (a.code_block != first.code_block)
      first.others |= a.lanes;
  }

  void release(const Release& r) override {
    const bool apart = r.barrier < came_.size() && come_apart(came_[r.barrier]);
    if (apart && !r.note) return;
    if (!r.note || r.note->kind == BarrierNote::Kind::ThreadsEnded)
      if (const std::optional<Missed> missed = missed_by(r)) return report_note(missed->note, missed->kind);
    if (r.note) report_note(*r.note, kOfNote[static_cast<size_t>(r.note->kind)]);
  }
  void exit(const Exit& e) override {
    if (ended_.size() <= e.warp) ended_.resize(e.warp + 1);
    ended_[e.warp] |= e.lanes;
  }

  void warp_sync(const WarpSync& s) override {
    LaneMask extra = 0, ended = 0, apart = 0, named = 0;
    const LaneMask gone = s.warp < ended_.size() ? ended_[s.warp] : 0;
    for (LaneMask left = s.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(left));
      const LaneMask members = s.members[lane], self = left & -left;
      named |= members;
      if ((members & self) == 0) extra |= self;
      if (s.exchange) ended |= members & gone;
      // Lanes that it names and that came with it must name the same.
      for (LaneMask others = members & s.lanes; others != 0; others &= others - 1)
        if (s.members[std::countr_zero(others)] != members) apart |= self;
    }
    const InstructionInfo* at = launch().at_block(s.code_block);
    const auto found = [&](FindingKind kind, LaneMask lanes, const std::string& what) {
      if (lanes == 0) return;
      report(kind, at, 1, [&](Finding& f) {
        const bool of_others = kind == FindingKind::EndedLanes || kind == FindingKind::ActiveMask;
        const auto lane = static_cast<uint32_t>(std::countr_zero(of_others ? s.lanes : lanes));
        f.thread = thread(s.warp, lane);
        f.what = what;
      });
    };
    const LaneMask first = s.members[std::countr_zero(s.lanes)];
    found(FindingKind::ExtraLanes, extra,
          fmt::format("lanes {:#010x} of warp {} execute it, and their mask {:#010x} does not name lanes {:#010x}",
                      s.lanes, s.warp, extra == 0 ? first : s.members[std::countr_zero(extra)], extra));
    found(FindingKind::DifferentMasks, apart & ~extra,
          fmt::format("lanes {:#010x} of warp {} execute it together, and name different masks, {:#010x} in all",
                      s.lanes, s.warp, named));
    found(
        FindingKind::EndedLanes, ended,
        fmt::format("the mask {:#010x} names lanes {:#010x} of warp {}, which have ended: what they give is undefined",
                    first, ended, s.warp));
    // Where all lanes of the warp are, no GPU is known to give another mask.
    const LaneMask missing = ~first & ~s.exited;
    if (at && at->active_mask)
      found(FindingKind::ActiveMask, missing,
            fmt::format("the mask {:#010x} of warp {} is what __activemask() gave, without lanes {:#010x}, and nothing "
                        "looks at which lanes it names: a GPU may give fewer than take the branch. __ballot_sync() "
                        "before the branch names those that do",
                        first, s.warp, missing));
  }

  // All threads of the block have ended.
  void finish() { objects_.finish(); }

 private:
  void report_note(const BarrierNote& note, FindingKind kind) {
    report(kind, launch().at_block(note.code_block), note.times,
           [&](Finding& f) { f.what = fmt::format("{}: {}", what_happened(note), meaning(note)); });
  }

  // Lanes that came by one call of the function with the barrier, and by another one.
  struct Came {
    uint32_t code_block = 0;
    LaneMask lanes = 0, others = 0;
  };
  bool come_apart(std::vector<Came>& came) {
    bool found = false;
    for (uint32_t warp = 0; warp < came.size(); ++warp) {
      const Came c = std::exchange(came[warp], {});
      if (c.others == 0) continue;
      found = true;
      report(FindingKind::DivergentBarrier, launch().at_block(c.code_block), 1, [&](Finding& f) {
        f.thread = thread(warp, static_cast<uint32_t>(std::countr_zero(c.lanes)));
        f.what = fmt::format(
            "lanes {:#010x} of warp {} come to it by one call of its function, and lanes {:#010x} by another: "
            "bar.sync needs all lanes of a warp at once",
            c.lanes, warp, c.others);
      });
    }
    return found;
  }

  struct Missed {
    BarrierNote note;
    FindingKind kind;
  };

  // Of a barrier behind a guard: threads that have passed the guard, and ended where no way leads to the barrier. Who
  // ends at the guard itself comes from where others go on to the barrier. So does who ends at a branch that only looks
  // at the thread's place in its block, which is no guard. GPUs since Volta let warps that end count as arrived; but
  // with a part of a warp gone, an H100 has been seen to wait for ever.
  std::optional<Missed> missed_by(const Release& r) {
    const CodeFlow& flow = launch().kernel().flow;
    if (last_.empty() || r.barrier >= barriers_.size()) return {};
    const uint32_t home = barriers_[r.barrier];
    if (home >= flow.behind_guard.size() || !flow.behind_guard[home]) return {};
    std::vector<bool>& leads = leading_[home];
    if (leads.empty()) leads = leading_to(flow, home);
    uint32_t waited = 0, skipped = 0, left_whole = 0;
    const ThreadPlace place = thread(0, 0);
    std::optional<BarrierNote> left_in_part;
    for (uint32_t warp = 0; warp < r.lanes.size(); ++warp) {
      waited += r.lanes[warp] != 0;
      if (warp >= last_.size() || warp >= ended_.size()) continue;
      LaneMask absent = 0, chose = 0;
      for (LaneMask left = ended_[warp] & ~r.lanes[warp]; left != 0; left &= left - 1) {
        const uint32_t last = last_[warp][std::countr_zero(left)];
        if (!leads[last]) absent |= left & -left;
        if (flow.chosen_ends[last]) chose |= left & -left;
      }
      if (r.lanes[warp] == 0)
        skipped += absent != 0, left_whole += absent == 0 && chose != 0;
      else if (chose != 0 && !left_in_part)
        left_in_part = BarrierNote{BarrierNote::Kind::DivergentWarp,
                                   home,
                                   1,
                                   place.block,
                                   warp,
                                   static_cast<uint32_t>(std::popcount(r.lanes[warp])),
                                   static_cast<uint32_t>(std::popcount(chose))};
    }
    const auto whole = [&](uint32_t warps) {
      return BarrierNote{BarrierNote::Kind::SkippedByWarps, home, 1, place.block, 0, waited, warps};
    };
    if (left_in_part) return Missed{*left_in_part, FindingKind::DivergentBarrier};
    if (skipped != 0) return Missed{whole(skipped), FindingKind::SkippedBarrier};
    if (left_whole != 0) return Missed{whole(left_whole), FindingKind::LeftBarrier};
    return {};
  }

  void report_object(FindingKind kind, const observe::Mbarrier& m, std::string what) {
    const InstructionInfo* at = launch().at_line(m.ptx_line, m.line);
    report(kind, at, 1, [&](Finding& f) {
      if (!at) f.where.ptx_line = m.ptx_line;
      f.thread = thread(m.warp, m.lane);
      f.what = std::move(what);
    });
  }

  std::unordered_set<uint32_t> foreign_;               // places in shared memory
  std::vector<LaneMask> ended_;                        // by warp
  std::vector<std::array<uint32_t, kWarpSize>> last_;  // by warp: the code block in which a lane did something last
  // By barrier of the whole block: the code block from which lanes last arrived at it.
  std::array<uint32_t, 16> barriers_{};
  std::array<std::vector<Came>, 16> came_;         // by barrier, then by warp: since it completed last
  std::map<uint32_t, std::vector<bool>> leading_;  // leading_to(), by code block
  BarrierObjects objects_{[this](FindingKind kind, const observe::Mbarrier& m, std::string what) {
    report_object(kind, m, std::move(what));
  }};
};

}  // namespace

SyncCheck::SyncCheck(const CheckedLaunch& launch) : Check(launch) {
  const CodeFlow& flow = launch.kernel().flow;
  guarded_ = std::ranges::any_of(launch.kernel().instructions, [&](const InstructionInfo& i) {
    return i.barrier && i.block < flow.behind_guard.size() && flow.behind_guard[i.block];
  });
}

std::unique_ptr<observe::BlockObserver> SyncCheck::begin(uint64_t block) {
  return std::make_unique<BlockSyncCheck>(*this, block);
}

void SyncCheck::end(std::unique_ptr<observe::BlockObserver> block) { static_cast<BlockSyncCheck&>(*block).finish(); }

}  // namespace drywarp::check
