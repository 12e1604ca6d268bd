// Ctrl-C and SIGTERM while a profile is written: the running kernel stops, so that the profile has what it did, and the
// process ends by that signal. A second signal ends it at once. Other deaths need no help: see profile/store/row_log.h.
#pragma once

#include "cuda/session/session.h"

namespace drywarp::cudart {

// Once a process, before the program can install handlers of its own (which then stay in charge). `last_words` is
// called just before the process ends, from a thread of its own.
void watch_for_interrupts(cuda::Session& session, void (*last_words)());
[[nodiscard]] bool interrupted();

}  // namespace drywarp::cudart
