#include "engine/exec/teams.h"

#include <algorithm>
#include <utility>

#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/accesses.h"

namespace drywarp::exec {
namespace {

LaunchCounts counts_of(Worker& worker) {
  flush_sites(worker);
  LaunchCounts counts;
  counts.blocks_run = worker.blocks_run, counts.warps_run = worker.warps_run, counts.threads_run = worker.threads_run;
  counts.blocks.assign(worker.blocks.begin(), worker.blocks.end());
  counts.predicates.assign(worker.predicates.begin(), worker.predicates.end());
  counts.branches.assign(worker.branches.begin(), worker.branches.end());
  for (const jit::AccessSite& site : worker.sites) counts.accesses.push_back(site.total);
  return counts;
}

}  // namespace

Teams::Claim::Claim(Teams& teams, unsigned wanted) : teams_(teams) {
  const std::lock_guard hold(teams_.mutex_);
  alone_ = teams_.running_++ == 0;
  if (wanted > 1 && !std::exchange(teams_.threads_taken_, true)) workers_ = wanted;
}

Teams::Claim::~Claim() {
  const std::lock_guard hold(teams_.mutex_);
  --teams_.running_;
  if (workers_ > 1) teams_.threads_taken_ = false;
}

void Teams::run(Launch& launch, unsigned team, LaunchCounts& counts) {
  std::vector<Worker> workers(team);
  const CounterBase& sizes = launch.kernel->counters;
  std::unique_lock hold(mutex_);
  Fibers mine = std::exchange(fibers_, {});
  const uint64_t now = clock_;
  hold.unlock();
  if (mine.size() < team) mine.resize(team);
  for (size_t i = 0; i < workers.size(); ++i) {
    Worker& w = workers[i];
    w.launch = &launch;
    w.fibers = &mine[i];
    w.clock = now;
    w.log = launch.watch ? &launch.watch->log(static_cast<unsigned>(i)) : nullptr;
    w.may_leave = i > 0;
    w.blocks.resize(sizes.blocks);
    w.predicates.resize(sizes.predicates);
    w.branches.resize(sizes.branches);
    w.sites.resize(sizes.accesses);
  }
  launch.running = team;
  if (team == 1) {
    run_worker(workers[0]);
  } else {
    if (!threads_) threads_ = std::make_unique<WorkerThreads>(workers_);
    threads_->run(workers.size(), [&](size_t i) { run_worker(workers[i]); });
  }
  hold.lock();
  for (const Worker& w : workers) clock_ = std::max(clock_, w.clock);
  if (fibers_.size() < mine.size()) fibers_ = std::move(mine);
  hold.unlock();
  if (launch.counters)
    for (Worker& w : workers) counts += counts_of(w);
  for (const BarrierNote& note : std::exchange(launch.barrier_notes, {})) add(counts.barrier_notes, note);
  for (const Worker& w : workers)
    for (const auto& [instruction, stray] : w.strays) add(counts.stray_accesses, stray);
}

}  // namespace drywarp::exec
