#include "engine/exec/blocks/worker_threads.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#if defined(DRYWARP_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace drywarp::exec {
namespace {

// oneTBB is not built with the thread sanitizer, which therefore cannot see how it hands work over. Its headers do a
// part of that, so this file is built without the sanitizer too (src/CMakeLists.txt) and annotates the order itself.
void hand_over([[maybe_unused]] void* to) {
#if defined(DRYWARP_TSAN)
  __tsan_release(to);
#endif
}

void take_over([[maybe_unused]] void* from) {
#if defined(DRYWARP_TSAN)
  __tsan_acquire(from);
#endif
}

}  // namespace

struct WorkerThreads::Arena {
  explicit Arena(unsigned count)
      : allowed(tbb::global_control::max_allowed_parallelism, count), threads(static_cast<int>(count)) {}
  tbb::global_control allowed;  // more than cores, if asked for
  tbb::task_arena threads;
};

WorkerThreads::WorkerThreads(unsigned count) : arena_(std::make_unique<Arena>(count)) {}
WorkerThreads::~WorkerThreads() = default;

void WorkerThreads::run(size_t count, const std::function<void(size_t)>& body) {
  char begun = 0, ended = 0;
  hand_over(&begun);
  arena_->threads.execute([&] {
    tbb::parallel_for(
        size_t{0}, count,
        [&](size_t i) {
          take_over(&begun);
          body(i);
          hand_over(&ended);
        },
        tbb::simple_partitioner());
  });
  take_over(&ended);
}

}  // namespace drywarp::exec
