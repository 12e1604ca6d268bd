#include "faces/cli/targets/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "faces/cli/options/console.h"
#include "faces/cli/targets/captured_output.h"
#include "faces/compile/nvcc_options/process.h"

namespace drywarp::cli {
namespace {

constexpr std::array kForwarded = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

// Global because the signal handler reads it.
volatile sig_atomic_t child_pid = 0;

void forward(int signal, siginfo_t* info, void*) {
  int saved = errno;
  bool from_terminal = (signal == SIGINT || signal == SIGQUIT) && info->si_code == SI_KERNEL;
  if (!from_terminal && child_pid > 0) kill(pid_t(child_pid), signal);
  errno = saved;
}

volatile sig_atomic_t late = 0;  // the time limit has passed

void stop_child(int) {
  if (child_pid > 0) kill(pid_t(child_pid), late ? SIGKILL : SIGTERM);
  late = 1;
}

class TimeLimit {
 public:
  explicit TimeLimit(double seconds) {
    if (seconds <= 0) return;
    late = 0;
    struct sigaction action{};
    action.sa_handler = stop_child;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, &before_);
    const double whole = std::floor(std::min(seconds, 1e9));
    const auto rest = suseconds_t((std::min(seconds, 1e9) - whole) * 1e6);
    constexpr time_t kGrace = 5;  // the session writes the profile in it
    set({{kGrace, 0}, {time_t(whole), whole == 0 ? std::max<suseconds_t>(rest, 1) : rest}});
    limited_ = true;
  }
  ~TimeLimit() {
    if (!limited_) return;
    set({});
    sigaction(SIGALRM, &before_, nullptr);
  }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  static void set(itimerval times) { setitimer(ITIMER_REAL, &times, nullptr); }
  struct sigaction before_{};
  bool limited_ = false;
};

class ForwardSignals {
 public:
  ForwardSignals() {
    struct sigaction action{};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < kForwarded.size(); ++i) {
      sigaction(kForwarded[i], nullptr, &before_[i]);
      // A signal that is ignored (nohup) stays ignored, in the child too.
      if (before_[i].sa_handler != SIG_IGN) sigaction(kForwarded[i], &action, nullptr);
    }
  }
  ~ForwardSignals() { restore(); }
  ForwardSignals(const ForwardSignals&) = delete;
  ForwardSignals& operator=(const ForwardSignals&) = delete;
  void restore() const {
    for (size_t i = 0; i < kForwarded.size(); ++i) sigaction(kForwarded[i], &before_[i], nullptr);
  }

 private:
  std::array<struct sigaction, kForwarded.size()> before_{};
};

void run_in_child(const ChildRequest& request, const std::vector<char*>& argv, int report) {
  for (const auto& [name, value] : request.environment) {
    if (value.empty())
      unsetenv(name.c_str());
    else
      setenv(name.c_str(), value.c_str(), 1);
  }
  if (request.no_input)
    if (const int nothing = open("/dev/null", O_RDONLY); nothing >= 0) dup2(nothing, STDIN_FILENO);
  if (request.captured)
    dup2(request.captured->program_end(), STDOUT_FILENO);
  else if (request.output_to_errors)
    dup2(STDERR_FILENO, STDOUT_FILENO);
  if (request.body) {
    close(report);
    std::exit(request.body());  // runs exit handlers, in which the runtime closes the profile
  }
  execv(request.path.c_str(), argv.data());
}

}  // namespace

Result<ChildExit> run_child(const ChildRequest& request) {
  std::vector<char*> argv;
  for (const std::string& argument : request.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ForwardSignals signals;
  Result<compile::ForkedChild> child = compile::fork_child(request.path, [&](int report) {
    signals.restore();
    run_in_child(request, argv, report);
  });
  if (!child) return child.problem();
  child_pid = child->pid;
  const TimeLimit limit(request.limit_seconds);
  if (request.captured) request.captured->start();
  const Status started = compile::wait_for_exec(*child, request.path);
  int status = 0;
  while (started.ok() && waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
  }
  child_pid = 0;
  if (request.captured) request.captured->stop();
  if (!started) return started.problem();
  ChildExit end;
  end.pid = int(child->pid);
  end.timed_out = request.limit_seconds > 0 && late != 0;
  if (WIFSIGNALED(status)) {
    if (ProgressLine::can_show(STDERR_FILENO)) say("\033[K");  // erases a line of progress that the child left
    end.signal = WTERMSIG(status);
    end.core_dumped = WCOREDUMP(status);
    end.exit_code = 128 + end.signal;
  } else {
    end.exit_code = WEXITSTATUS(status);
  }
  return end;
}

void exit_like(const ChildExit& end) {
  if (end.signal != 0) {
    rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);  // only the program writes a core file
    signal(end.signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, end.signal);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    raise(end.signal);
  }
  std::_Exit(end.exit_code);
}

}  // namespace drywarp::cli
