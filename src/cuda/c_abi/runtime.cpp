#include "cuda/c_abi/runtime.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string_view>

#include "cuda/c_abi/interrupt.h"

namespace drywarp::cudart {
namespace {

struct Process {
  ProgressLine progress{STDERR_FILENO};
  Session session;
  pid_t owner = getpid();
  std::mutex reported_mutex;
  std::set<std::string_view> reported;  // names of functions

  Process() : session(options(), hooks()) {
    // on_exit passes the exit code. Handlers run in reverse order; this one is registered before the program's
    // constructors run, so it runs last.
    on_exit([](int code, void* self) { static_cast<Process*>(self)->end(code); }, this);
    if (!session.options().profile.empty()) watch_for_interrupts(session, before_exit);
  }

  // True the first time a missing function is reported.
  bool is_first_report(const char* function) {
    const std::lock_guard hold(reported_mutex);
    return reported.insert(function).second;
  }

  // A forked child has a copy of this object; its exit must not close the profile.
  void end(int code) {
    if (getpid() != owner) return;
    session.finish(code);
    if (!session.compiles_late()) return;
    std::fflush(nullptr);
    _exit(code);
  }

  // For a process that a signal ends. A thread stopped inside the C library may hold a stdio lock forever, so only try
  // to lock.
  static void before_exit();

  static cuda::Options options() {
    cuda::Options out =
        cuda::read_options([](const char* name) { return std::getenv(name); },
                           [](const std::string& text) { std::fprintf(stderr, "drywarp: %s\n", text.c_str()); });
    out.program = cuda::command_line();
    return out;
  }

  cuda::Hooks hooks() {
    cuda::Hooks out;
    out.message = [this](const std::string& text) {
      progress.clear();
      std::fflush(stdout);
      std::fprintf(stderr, "%s\n", text.c_str());
    };
    out.print = [this](const char* text, size_t size) {
      progress.clear();
      std::fwrite(text, 1, size, stdout);
    };
    out.progress = [this](const Progress& now) { progress.show(now); };
    out.launch_done = [this] { progress.clear(); };
    return out;
  }
};

Process& process() {
  static Process* const instance = new Process;
  return *instance;
}

void Process::before_exit() {
  if (ftrylockfile(stderr) == 0) {
    process().progress.clear();
    funlockfile(stderr);
  }
  if (ftrylockfile(stdout) == 0) {
    fflush_unlocked(stdout);
    funlockfile(stdout);
  }
}

}  // namespace

Session& runtime() { return process().session; }

void say(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

Error report_unsupported(const char* function, const char* why) {
  if (process().is_first_report(function))
    say(std::string("drywarp: ") + function + ": " + why + "; the program sees error 801 (operation not supported)");
  return Error::NotSupported;
}

void block_if_interrupted() {
  if (!interrupted()) return;
  for (;;) pause();
}

}  // namespace drywarp::cudart
