#include "sweep/runs/pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>

#include "base/support/whole_file.h"

namespace drywarp::sweep {
namespace {

// Resident bytes by process group.
std::map<pid_t, uint64_t> resident_bytes() {
  std::map<pid_t, uint64_t> bytes;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  std::error_code unknown;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", unknown)) {
    const std::string name = entry.path().filename().string();
    if (name.empty() || name[0] < '0' || name[0] > '9') continue;
    const auto stat = read_whole(entry.path().string() + "/stat");
    const size_t behind = stat ? stat->rfind(')') : std::string::npos;  // the program's name may have blanks
    if (behind == std::string::npos) continue;
    int group = 0;
    long long resident = 0;
    if (std::sscanf(stat->c_str() + behind + 1,
                    " %*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %*u %lld", &group,
                    &resident) == 2 &&
        resident > 0)
      bytes[group] += static_cast<uint64_t>(resident) * page;
  }
  return bytes;
}

[[noreturn]] void run(std::vector<char*>& argv, const char* log, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it died before prctl()
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int input = open("/dev/null", O_RDONLY), output = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (input < 0 || output < 0) _exit(127);
  dup2(input, STDIN_FILENO), dup2(output, STDOUT_FILENO), dup2(output, STDERR_FILENO);
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

Pool::~Pool() {
  for (const Process& process : running_) {
    kill(-process.pid, SIGKILL);
    while (waitpid(process.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

Status Pool::start(size_t row, const std::vector<std::string>& arguments, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0) run(argv, log.c_str(), parent);
  setpgid(pid, pid);  // in both, so that it is done before either goes on
  running_.push_back({pid, row, Clock::now()});
  return {};
}

void Pool::hold_to_limits() {
  const Clock::time_point now = Clock::now();
  if (now - checked_ < std::chrono::milliseconds(100)) return;
  checked_ = now;
  const auto bytes = limits_.bytes != 0 ? resident_bytes() : std::map<pid_t, uint64_t>();
  for (Process& process : running_) {
    process.timed_out |=
        limits_.seconds > 0 && std::chrono::duration<double>(now - process.since).count() > limits_.seconds;
    const auto used = bytes.find(process.pid);
    process.over_memory |= used != bytes.end() && used->second > limits_.bytes;
    if (process.timed_out || process.over_memory) kill(-process.pid, SIGKILL);
  }
}

std::vector<Ended> Pool::ended() {
  hold_to_limits();
  std::vector<Ended> all;
  for (size_t i = 0; i < running_.size();) {
    const Process& process = running_[i];
    int status = 0;
    if (waitpid(process.pid, &status, WNOHANG) != process.pid) {
      ++i;
      continue;
    }
    kill(-process.pid, SIGKILL);  // what it started and left behind
    Ended end{process.row,
              0,
              0,
              process.timed_out,
              process.over_memory,
              std::chrono::duration<double>(Clock::now() - process.since).count()};
    if (WIFSIGNALED(status))
      end.signal = WTERMSIG(status);
    else
      end.exit_code = WEXITSTATUS(status);
    all.push_back(end);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (all.empty() && !running_.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return all;
}

}  // namespace drywarp::sweep
