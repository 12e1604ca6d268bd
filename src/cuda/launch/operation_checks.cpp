#include "cuda/launch/operation_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/support/plural.h"
#include "base/support/round_up.h"
#include "cuda/launch/call_sites.h"

namespace drywarp::cuda {
namespace {

using check::Footprint;
using check::MemoryUse;
using check::OperationMoment;
using exec::Allocation;
using exec::MemoryKind;

constexpr const char* kTransfers[] = {"copy to the device", "copy to the host", "copy inside the device",
                                      "copy inside the host", "fill"};

std::vector<HostFrame> calls_of(const OperationMoment& moment) {
  return moment.stack ? calls_to_library(*moment.stack) : std::vector<HostFrame>();
}

bool is_shared(const Allocation& a) { return a.kind == MemoryKind::Managed || a.kind == MemoryKind::PinnedHost; }

}  // namespace

OperationChecks::OperationChecks(const Wanted& wanted, const exec::DeviceMemory& memory, const check::MemoryMap& map,
                                 Fact fact, Found found)
    : wanted_(wanted),
      memory_(memory),
      fact_(std::move(fact)),
      found_(std::move(found)),
      races_(map, memory.base(), calls_of) {}

// ---- the order of the program

OperationMoment OperationChecks::issue(uint32_t line, uint32_t stream, const Operation* operation) {
  catch_up();
  const auto* child = operation ? std::get_if<ChildOperation>(operation) : nullptr;
  const Graph* graph = child ? child->graph.get() : nullptr;
  if (graph) order_.wait(line, graphs_[graph]);
  const auto* kernel = operation ? std::get_if<KernelOperation>(operation) : nullptr;
  OperationMoment moment = order_.issue(line, kernel && kernel->beside_previous);
  moment.stream = stream;
  moment.stack = std::make_shared<const std::vector<void*>>(host_stack());
  if (watches_launches()) moment.place = callers_of_library(*moment.stack);
  if (graph) graphs_[graph] = order_.now(line);
  return moment;
}

std::string OperationChecks::place() const { return watches_launches() ? callers_of_library() : std::string(); }

void OperationChecks::host_waits(const check::OperationClock& event) {
  catch_up();
  order_.host_waits(event);
  forget();
  close_pages();
}

void OperationChecks::host_waits_for(uint32_t line) { host_waits(order_.now(line)); }

void OperationChecks::host_waits_for_all() {
  catch_up();
  order_.host_waits_for_all();
  blind_ = false;
  forget();
  close_pages();
}

// ---- operations that run

void OperationChecks::begin() {
  catch_up();
  if (running_++ == 0) host_.close({});
}

void OperationChecks::end() {
  if (--running_ == 0) close_pages();
}

bool OperationChecks::expect_host_functions(const OperationMoment& moment) {
  if (!wanted_.races) return false;
  expected_.push_back(moment);
  return true;
}

void OperationChecks::ran_host_functions(const OperationMoment& moment) {
  std::erase_if(expected_,
                [&](const OperationMoment& m) { return m.line == moment.line && m.number == moment.number; });
  catch_up();
  forget();
  close_pages();
}

void OperationChecks::host_function(const OperationMoment* moment) {
  catch_up();
  HostAccesses::set_role(moment);
  if (moment)
    ++host_functions_;
  else
    --host_functions_;
  close_pages();
}

// What a host function will access is not known before it has run.
void OperationChecks::forget() {
  races_.forget([&](const OperationMoment& m) {
    const auto beside = [&](const OperationMoment& function) { return check::unordered(m, function); };
    return order_.host_knows(m) && std::ranges::none_of(expected_, beside);
  });
}

void OperationChecks::launched(const OperationMoment& moment, Footprint footprint, bool chosen) {
  catch_up();
  // Memory of a kernel's malloc() has another owner whenever it is freed.
  for (const auto& [base, a] : heap_)
    for (const auto& part : footprint.parts) part->bytes.erase(base, a.size);
  ran(moment, std::move(footprint), chosen ? check::RunOperation::Role::Chosen : check::RunOperation::Role::LeftOut);
}

void OperationChecks::add_box(Footprint& footprint, MemoryUse use, const Box& box, size_t width, const Extent3& extent,
                              const OperationMoment& moment, const char* what) {
  if (!memory_.find(box.address)) return;  // the program's own memory
  auto part = std::make_shared<Part>();
  part->use = use;
  part->where = {moment.place, 0, 0, what};
  part->key = &*places_.insert(moment.place + what).first;
  for (size_t z = 0; z < extent.depth; ++z)
    for (size_t y = 0; y < extent.height; ++y) part->bytes.insert(box.address + z * box.slice + y * box.pitch, width);
  footprint.parts.push_back(std::move(part));
}

void OperationChecks::copied(const OperationMoment& moment, const CopyOperation& copy) {
  if (!watches_launches() || copy.extent.width == 0) return;
  Footprint footprint;
  const char* what = kTransfers[static_cast<size_t>(copy.kind)];
  add_box(footprint, MemoryUse::Read, copy.from, copy.extent.width, copy.extent, moment, what);
  add_box(footprint, MemoryUse::Write, copy.to, copy.extent.width, copy.extent, moment, what);
  ran(moment, std::move(footprint));
}

void OperationChecks::filled(const OperationMoment& moment, const FillOperation& fill) {
  if (!watches_launches() || fill.extent.width == 0) return;
  Footprint footprint;
  add_box(footprint, MemoryUse::Write, fill.to, fill.extent.width * fill.element, fill.extent, moment, "fill");
  ran(moment, std::move(footprint));
}

void OperationChecks::allocated(const OperationMoment& moment, uint64_t address) {
  if (!wanted_.pools) return;
  catch_up();
  const auto a = memory_.find(address);
  if (!a) return;
  pooled_.insert(a->base);
  Footprint footprint;
  const OperationMoment here = moment.place.empty() ? [&] {
    OperationMoment m = moment;
    m.place = callers_of_library();
    return m;
  }()
                                                    : moment;
  add_box(footprint, MemoryUse::Allocate, {a->base}, a->size, {a->size, 1, 1}, here, "allocation");
  ran(here, std::move(footprint));
}

void OperationChecks::freed(const OperationMoment& moment, uint64_t address) {
  if (!wanted_.pools) return;
  catch_up();
  const auto a = memory_.find(address);
  if (!a || a->base != address) return;
  Footprint footprint;
  add_box(footprint, MemoryUse::Free, {a->base}, a->size, {a->size, 1, 1}, moment, "free");
  ran(moment, std::move(footprint));
}

void OperationChecks::ran(const OperationMoment& moment, Footprint footprint, check::RunOperation::Role role) {
  catch_up();
  if (wanted_.unused)
    for (const auto& part : footprint.parts)
      if (part->use == MemoryUse::Read || part->use == MemoryUse::Write) used_.insert(part->bytes);
  auto operation = std::make_unique<check::RunOperation>();
  operation->moment = moment;
  operation->role = role;
  operation->footprint = std::move(footprint);
  if (!wanted_.races && !wanted_.pools) return;
  std::vector<Finding> found = races_.add(std::move(operation));
  if (!found.empty()) {
    const std::vector<HostFrame> calls = calls_of(moment);
    for (Finding& f : found) f.launched = calls;
  }
  if (!blind_) found_(found);
}

// ---- pages

std::vector<HostAccesses::Pages> OperationChecks::pages_of(const Footprint& footprint) const {
  constexpr uint64_t kPage = HostAccesses::kPageBytes;
  std::vector<HostAccesses::Pages> pages;
  for (const auto& [base, a] : shared_) {
    // Beside memory that is no multiple of pages lies memory of another owner.
    const bool own_pages = a.base % kPage == 0;
    const uint64_t end = a.base + a.size;
    const uint64_t first = round_up(a.base, kPage), last = own_pages ? round_up(end, kPage) : end / kPage * kPage;
    for (const auto& part : footprint.parts) {
      const bool accesses = part->use == MemoryUse::Read || part->use == MemoryUse::Write;
      if (!accesses || !part->bytes.has_any(a.base, a.size)) continue;
      // Launches that talk to the host order what it accesses.
      if (part->with_host) return {};
      for (uint64_t page = first; page < last; page += kPage) {
        const uint64_t bytes = std::min(kPage, end - page);
        // System calls fill pinned buffers piece by piece.
        const bool in_use =
            a.kind == MemoryKind::Managed ? part->bytes.has_any(page, bytes) : part->bytes.has_all(page, bytes);
        if (!in_use) continue;
        if (!pages.empty() && pages.back().end == page && pages.back().reads == part->writes())
          pages.back().end += kPage;
        else
          pages.push_back({page, page + kPage, part->writes()});
      }
    }
  }
  return pages;
}

void OperationChecks::close_pages() {
  if (!wanted_.races || running_ != 0) return;
  if (shared_.empty()) return host_.close({});
  std::map<uint64_t, std::vector<HostAccesses::Pages>> pages;
  std::vector<HostAccesses::Pages> all;
  for (const auto& operation : races_.kept()) {
    if (operation->role == check::RunOperation::Role::LeftOut) continue;
    // Kept for host functions alone.
    if (host_functions_ == 0 && order_.host_knows(operation->moment)) continue;
    const auto known = pages_.find(operation->id);
    auto& own = pages[operation->id] =
        known != pages_.end() ? std::move(known->second) : pages_of(operation->footprint);
    all.insert(all.end(), own.begin(), own.end());
  }
  pages_ = std::move(pages);
  host_.close(std::move(all));
}

// ---- memory

void OperationChecks::allocated(const Allocation& allocation, bool by_kernel) {
  const std::lock_guard hold(mutex_);
  changes_.push_back({allocation, true, by_kernel});
}

void OperationChecks::freed(const Allocation& allocation, bool by_kernel) {
  if (is_shared(allocation)) host_.open(allocation.base, allocation.size);
  const std::lock_guard hold(mutex_);
  changes_.push_back({allocation, false, by_kernel});
}

void OperationChecks::catch_up() {
  for (const HostAccesses::Seen& seen : host_.take()) {
    const auto* role = static_cast<const OperationMoment*>(seen.role);
    const auto known = [&](const OperationMoment& m) {
      return role ? check::is_before(m, *role) : order_.host_knows(m);
    };
    std::vector<Finding> races = races_.host_access(seen.address, seen.writes, known);
    if (races.empty()) continue;
    const std::string place = callers_of_library(std::span(seen.stack).first(seen.frames));
    for (Finding& f : races) f.where.file = place;
    found_(races);
  }
  std::vector<Change> changes;
  {
    const std::lock_guard hold(mutex_);
    changes.swap(changes_);
  }
  for (const Change& change : changes) {
    const Allocation& a = change.allocation;
    races_.renew(a.base, a.size);
    if (!change.made) {
      shared_.erase(a.base);
      pooled_.erase(a.base);
      if (!change.by_kernel) note_unused(a);
      used_.erase(a.base, a.size);
      continue;
    }
    heap_.erase(heap_.lower_bound(a.base), heap_.lower_bound(a.base + a.size));
    if (change.by_kernel) heap_[a.base] = a;
    if (is_shared(a)) shared_[a.base] = a;
  }
  if (!changes.empty()) pages_.clear();
}

void OperationChecks::note_unused(const Allocation& a) {
  const bool of_program = a.kind == MemoryKind::Device || a.kind == MemoryKind::Managed;
  if (!wanted_.unused || !of_program || heap_.contains(a.base)) return;
  const uint64_t unused = a.size - used_.count(a.base, a.size);
  const double percent = 100.0 * static_cast<double>(unused) / static_cast<double>(a.size);
  if (unused == 0 || percent <= wanted_.most_unused) return;
  Finding f;
  f.kind = FindingKind::UnusedMemory;
  f.allocation = fact_(a);
  f.what = fmt::format("the device accesses {} of {} of {}: {:.0f} % of it is never used",
                       unused == a.size ? std::string("nothing") : plural(a.size - unused, "byte"), exec::name(a.kind),
                       plural(a.size, "byte"), percent);
  found_({f});
}

void OperationChecks::finish(const std::vector<Allocation>& unfreed) {
  catch_up();
  host_.close({});
  for (const Allocation& a : unfreed) note_unused(a);
}

}  // namespace drywarp::cuda
