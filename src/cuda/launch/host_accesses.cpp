#include "cuda/launch/host_accesses.h"

#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

namespace drywarp::cuda {
namespace {

using Pages = HostAccesses::Pages;
using Seen = HostAccesses::Seen;

constexpr unsigned kMostSeen = 256;  // then more are not noted
constexpr unsigned kRetries = 2;     // of an access to a page that another thread has just opened

thread_local const void* role = nullptr;
thread_local uint64_t retried = 0;
thread_local unsigned retries = 0;

// What the handler reads and writes. It may interrupt any code of the program, but none that holds the lock.
struct Watch {
  std::atomic_flag lock;
  std::vector<Pages> closed, opened;  // opened: at the last change
  std::array<Seen, kMostSeen> seen;
  unsigned count = 0;
  bool installed = false;
  struct sigaction before{};
};

Watch& watch() {
  static Watch* const the = new Watch;
  return *the;
}

class Hold {
 public:
  explicit Hold(Watch& w) : lock_(w.lock) {
    while (lock_.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Hold() { lock_.clear(std::memory_order_release); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  std::atomic_flag& lock_;
};

bool contains(const std::vector<Pages>& all, uint64_t address) {
  return std::ranges::any_of(all, [&](const Pages& p) { return address >= p.begin && address < p.end; });
}

void protect(const Pages& pages, int access) {
  ::mprotect(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, access);
}

// A frame is a return address, behind its call: the faulting instruction is given likewise.
void note_stack(Seen& seen, void* at) {
  std::array<void*, 40> frames;
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  const auto end = frames.begin() + count;
  const auto found = std::find(frames.begin(), end, at);
  seen.stack[seen.frames++] = static_cast<char*>(at) + 1;
  for (auto it = found; it != end && ++it != end && seen.frames < seen.stack.size();) seen.stack[seen.frames++] = *it;
}

// Whether the access may be tried again.
bool handle(uint64_t address, const ucontext_t& context) {
  Watch& w = watch();
  {
    const Hold hold(w);
    if (!contains(w.closed, address)) {
      // Another thread may have opened the page since the access.
      if (!contains(w.opened, address)) return false;
      if (std::exchange(retried, address) != address) retries = 0;
      return ++retries <= kRetries;
    }
  }
  Seen seen;
  seen.address = address;
  seen.writes = (context.uc_mcontext.gregs[REG_ERR] & 2) != 0;
  seen.role = role;
  note_stack(seen, reinterpret_cast<void*>(context.uc_mcontext.gregs[REG_RIP]));
  const Hold hold(w);
  const uint64_t page = address / HostAccesses::kPageBytes * HostAccesses::kPageBytes;
  protect({page, page + HostAccesses::kPageBytes}, PROT_READ | PROT_WRITE);
  if (w.count < kMostSeen) w.seen[w.count++] = seen;
  return true;
}

void on_fault(int number, siginfo_t* info, void* context) {
  const int saved = errno;
  const bool again = handle(reinterpret_cast<uint64_t>(info->si_addr), *static_cast<const ucontext_t*>(context));
  errno = saved;
  if (again) return;
  const struct sigaction& before = watch().before;
  if ((before.sa_flags & SA_SIGINFO) != 0)
    before.sa_sigaction(number, info, context);
  else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)
    ::sigaction(number, &before, nullptr);  // the access happens again, and ends the program as it would have
  else
    before.sa_handler(number);
}

// Also if the program has set its own handler since.
void install(Watch& w) {
  struct sigaction now{};
  if (::sigaction(SIGSEGV, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault) return;
  w.before = now;
  struct sigaction ours{};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  w.installed = ::sigaction(SIGSEGV, &ours, nullptr) == 0;
}

}  // namespace

HostAccesses::HostAccesses() {
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // loads what it needs now, not in the handler
}

HostAccesses::~HostAccesses() { close({}); }

void HostAccesses::set_role(const void* of_thread) { role = of_thread; }

void HostAccesses::close(std::vector<Pages> pages) {
  Watch& w = watch();
  if (pages.empty() && w.closed.empty()) return;
  // What the device writes, last: a page may be in several.
  std::ranges::stable_sort(pages, {}, &Pages::reads);
  if (!pages.empty()) install(w);
  const Hold hold(w);
  for (const Pages& p : w.closed) protect(p, PROT_READ | PROT_WRITE);
  w.opened.swap(w.closed);
  w.closed.swap(pages);
  for (const Pages& p : w.closed) protect(p, p.reads ? PROT_NONE : PROT_READ);
}

void HostAccesses::open(uint64_t address, uint64_t bytes) {
  Watch& w = watch();
  std::vector<Pages> rest;
  for (const Pages& p : w.closed)
    if (p.end <= address || p.begin >= address + bytes) rest.push_back(p);
  if (rest.size() != w.closed.size()) close(std::move(rest));
}

std::vector<HostAccesses::Seen> HostAccesses::take() {
  Watch& w = watch();
  const Hold hold(w);
  std::vector<Seen> all(w.seen.begin(), w.seen.begin() + w.count);
  w.count = 0;
  return all;
}

}  // namespace drywarp::cuda
