// Tells the observers of a block what happens in it.
#pragma once

#include <algorithm>

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

// Whether some observer of the block is left to be told.
inline bool has_listeners(const Block& block) {
  return std::ranges::any_of(block.observers, [](const auto& observer) { return observer && !observer->has_left(); });
}

template <class Event>
void tell(const Block& block, void (observe::BlockObserver::*what)(const Event&), const Event& event) {
  for (const auto& observer : block.observers)
    if (observer && !observer->has_left()) (observer.get()->*what)(event);
}

}  // namespace drywarp::exec
