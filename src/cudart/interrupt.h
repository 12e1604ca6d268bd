// Ctrl-C and SIGTERM while a profile is written: the running kernel stops, the profile is closed, the process exits
// with 128 + the signal's number. A second signal kills at once.
#pragma once

#include "session/session.h"

namespace drywarp::cudart {

// Once a process, before the program can install handlers of its own (which then stay in charge).
void watch_for_interrupts(session::Session& session);
[[nodiscard]] bool interrupted();

}  // namespace drywarp::cudart
