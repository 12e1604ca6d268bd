// Handles Ctrl-C and SIGTERM while a profile is written: the running kernel stops, its counts go to the profile, and
// the process ends by that signal. A second signal ends it at once. Other ways to die need no handling: see
// profile/store/row_log.h.
#pragma once

#include "cuda/session/session.h"

namespace drywarp::cudart {

// Call once a process, before the program installs its own handlers, which then replace these. `before_exit` runs in
// the watching thread just before the process ends.
void watch_for_interrupts(cuda::Session& session, void (*before_exit)());
[[nodiscard]] bool interrupted();

}  // namespace drywarp::cudart
