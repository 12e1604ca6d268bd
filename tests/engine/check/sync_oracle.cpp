#include "sync_oracle.h"

#include <algorithm>

namespace drywarp::check {
namespace {

using OracleOp = SyncOp::Kind;

constexpr uint32_t kLanes = 32;

bool exchanges(OracleOp k) { return k == OracleOp::WarpSync || k == OracleOp::Shuffle || k == OracleOp::Vote; }

struct OracleThread {
  size_t at = 0;
  bool ended = false;
  bool guarded = false;  // it ended by an exit, as behind a guard
  bool left = false;     // it ended by its number
  bool waits = false;
  int64_t token = 0;
  bool polled = true;  // whoever runs now comes after its wait for the token
};

class Simulation {
 public:
  explicit Simulation(const SyncProgram& p) : p_(p), threads_(p.threads) {}

  SyncTruth run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (uint32_t warp = 0; warp * kLanes < p_.threads; ++warp) moved |= run_warp(warp * kLanes);
      moved |= release_named() || release_block();
    }
    truth_.deadlock = std::ranges::any_of(threads_, [](const OracleThread& t) { return !t.ended; });
    return std::move(truth_);
  }

 private:
  const SyncOp& op(const OracleThread& t) const { return p_.ops[t.at]; }
  void find(const char* key, size_t at) { truth_.findings.emplace(key, static_cast<uint32_t>(at)); }
  // Whether it stands at the operation and takes part in it.
  bool stands(uint32_t i, size_t at) const {
    const OracleThread& t = threads_[i];
    return !t.ended && t.at == at && p_.ops[at].takes[i];
  }

  // Lanes run operation by operation, the hindmost first, as they reconverge behind each.
  bool run_warp(uint32_t first) {
    bool moved = false;
    for (;;) {
      size_t at = ~size_t{0};
      for (uint32_t i = first; i < first + kLanes; ++i)
        if (OracleThread& t = threads_[i]; !t.ended && !t.waits) at = std::min(at, t.at);
      if (at == ~size_t{0}) return release_exchange(first) || moved;
      moved = true;
      if (at == p_.ops.size()) {
        for (uint32_t i = first; i < first + kLanes; ++i)
          if (OracleThread& t = threads_[i]; !t.waits && t.at == at) t.ended = true;
        continue;
      }
      run_op(first, at);
    }
  }

  void run_op(uint32_t first, size_t at) {
    const SyncOp& o = p_.ops[at];
    uint64_t arriving = 0;
    const int64_t due = object_.pending;
    bool over = false, ended_phase = false;
    for (uint32_t i = first; i < first + kLanes; ++i) {
      OracleThread& t = threads_[i];
      if (t.ended || t.waits || t.at != at) continue;
      if (!o.takes[i]) {
        ++t.at;
        continue;
      }
      switch (o.kind) {
        case OracleOp::Exit:
          t.ended = t.guarded = true;
          break;
        case OracleOp::Leave:
          t.ended = t.left = true;
          break;
        case OracleOp::Init:
          if (o.value[i] == 0) find("barrier-count", at);
          if (object_.live)
            find(object_.pending != object_.expected ? "barrier-in-use" : "barrier-initialized-again", at);
          object_ = {true, o.value[i], o.value[i], 0};
          ++t.at;
          break;
        case OracleOp::Inval:
          if (!object_.live)
            find("barrier-not-initialized", at);
          else if (object_.pending != object_.expected)
            find("barrier-in-use", at);
          object_ = {};
          ++t.at;
          break;
        case OracleOp::Arrive:
          if (!object_.live) find("barrier-not-initialized", at);
          if (object_.expected == 0) undefined_from(at);
          arriving += o.value[i];
          over |= object_.live && static_cast<int64_t>(arriving) > due;
          t.token = object_.phase, t.polled = false;
          object_.pending = std::max<int64_t>(0, object_.pending - o.value[i]);
          if (object_.pending == 0) complete_phase(), ended_phase = true;
          ++t.at;
          break;
        default:
          t.waits = true;
      }
    }
    if (over) find("barrier-overflow", at), early(at);
    for (uint32_t i = 0; ended_phase && i < p_.threads; ++i) {
      const OracleThread& t = threads_[i];
      const bool comes = !t.ended && t.at <= at && o.takes[i];
      // It arrives no more, so that the phase does not wait for it, and may not have seen that the one before is over.
      const bool slow = i / kLanes != first / kLanes && !t.polled && t.token == object_.phase - 2;
      if (comes || slow) early(at);
    }
    if (o.kind == OracleOp::Await) poll(first, at);
  }

  void undefined_from(size_t at) { truth_.defined = std::min(truth_.defined, at); }
  // A phase may be over before all have polled for the one before: an object knows the last phase alone (PTX ISA,
  // mbarrier.test_wait), and such a wait may last for ever.
  void early(size_t at) {
    undefined_from(at);
    for (size_t before = at; before-- != 0;)
      if (p_.ops[before].kind == OracleOp::Await) return undefined_from(before);
  }
  void complete_phase() {
    object_.pending = object_.expected;
    ++object_.phase;
  }

  void poll(uint32_t first, size_t at) {
    for (uint32_t i = first; i < first + kLanes; ++i)
      if (stands(i, at)) {
        if (!object_.live) find("barrier-not-initialized", at);
        if (threads_[i].token != object_.phase) pass(threads_[i]);
      }
  }
  void pass(OracleThread& t) { t.waits = false, ++t.at; }

  // Hardware counts whole warps: the last lanes to come complete the warp's 32.
  uint32_t arrived_named() const {
    uint32_t arrived = 0;
    for (uint32_t first = 0; first < p_.threads; first += kLanes) {
      uint32_t here = 0, living = 0;
      for (uint32_t i = first; i < first + kLanes; ++i) {
        const OracleThread& t = threads_[i];
        living += !t.ended;
        here += !t.ended && t.waits && op(t).kind == OracleOp::Named;
      }
      arrived += here != 0 && here == living ? kLanes : here;
    }
    return arrived;
  }
  bool release_named() {
    bool moved = false;
    for (size_t at = 0; at < p_.ops.size(); ++at) {
      if (p_.ops[at].kind == OracleOp::Await)
        for (uint32_t i = 0; i < p_.threads; ++i)
          if (stands(i, at) && threads_[i].waits && threads_[i].token != object_.phase) pass(threads_[i]), moved = true;
      if (p_.ops[at].kind != OracleOp::Named) continue;
      for (uint32_t i = 0; i < p_.threads; ++i)
        if (stands(i, at) && threads_[i].waits && arrived_named() >= p_.ops[at].value[i]) {
          for (OracleThread& t : threads_)
            if (!t.ended && t.waits && p_.ops[t.at].kind == OracleOp::Named) pass(t);
          moved = true;
        }
    }
    return moved;
  }

  bool release_block() {
    std::set<size_t> places;
    for (const OracleThread& t : threads_) {
      if (t.ended) continue;
      if (!t.waits || op(t).kind != OracleOp::Barrier) return false;
      places.insert(t.at);
    }
    if (places.empty()) return false;
    const size_t at = first_place();
    bool split = false, parts = false, skipped = false, guarded = false, left_whole = false;
    for (uint32_t first = 0; first < p_.threads; first += kLanes) {
      bool waits = false, ran_on = false, left = false;
      std::set<size_t> of_warp;
      for (uint32_t i = first; i < first + kLanes; ++i) {
        const OracleThread& t = threads_[i];
        if (t.ended)
          (t.guarded ? guarded : t.left && t.at < at ? left : ran_on) = true;
        else
          waits = true, of_warp.insert(t.at);
      }
      split |= waits && (ran_on || left), skipped |= !waits && ran_on, parts |= of_warp.size() > 1;
      left_whole |= !waits && !ran_on && left;
    }
    if (places.size() > 1 && parts) return false;  // they wait for each other
    // Who comes first, and whether lanes end before that, decides which of the places is named.
    if (places.size() > 1 && (split || guarded || skipped || left_whole)) undefined_from(*places.begin());
    if (split)
      find("divergent-barrier", at);
    else if (skipped)
      find("skipped-barrier", at);
    else if (left_whole)
      find("left-barrier", at);
    else if (guarded)
      find("ended-before-barrier", at);
    else if (places.size() > 1)
      find("different-barriers", kAnyOp);
    for (OracleThread& t : threads_) {
      t.polled = true;  // who has ended, too: the barrier waits for that
      if (!t.ended) pass(t);
    }
    return true;
  }
  // The lowest warp that has not ended came first.
  size_t first_place() const {
    return std::ranges::find_if(threads_, [](const OracleThread& t) { return !t.ended; })->at;
  }

  bool release_exchange(uint32_t first) {
    for (uint32_t i = first; i < first + kLanes; ++i) {
      OracleThread& t = threads_[i];
      if (t.ended || !t.waits || !exchanges(op(t).kind)) continue;
      const size_t at = t.at;
      uint32_t here = 0, ended = 0;
      for (uint32_t l = 0; l < kLanes; ++l) {
        here |= uint32_t{stands(first + l, at)} << l;
        ended |= uint32_t{threads_[first + l].ended} << l;
      }
      uint32_t named = 0;
      for (uint32_t l = 0; l < kLanes; ++l)
        if (here >> l & 1) named |= op(t).value[first + l];
      if ((named & ~here & ~ended) != 0) continue;
      judge(first, at, here, ended);
      for (uint32_t l = 0; l < kLanes; ++l)
        if (here >> l & 1) pass(threads_[first + l]);
      return run_warp(first), true;
    }
    return false;
  }
  void judge(uint32_t first, size_t at, uint32_t here, uint32_t ended) {
    const SyncOp& o = p_.ops[at];
    bool extra = false, differ = false;
    for (uint32_t a = 0; a < kLanes; ++a) {
      if ((here >> a & 1) == 0) continue;
      const uint32_t mask = o.value[first + a];
      const bool own = (mask >> a & 1) != 0;
      extra |= !own;
      for (uint32_t b = 0; b < kLanes; ++b)
        if (own && (here & mask) >> b & 1) differ |= o.value[first + b] != mask;
      if (o.kind != OracleOp::WarpSync && (mask & ended) != 0) find("ended-lanes", at);
    }
    if (extra) find("extra-lanes", at);
    if (differ) find("different-masks", at);
  }

  struct Object {
    bool live = false;
    int64_t expected = 0, pending = 0, phase = 0;
  };
  const SyncProgram& p_;
  std::vector<OracleThread> threads_;
  Object object_;
  SyncTruth truth_;
};

}  // namespace

SyncTruth truth_of(const SyncProgram& program) { return Simulation(program).run(); }

}  // namespace drywarp::check
