#include "cuda/c_abi/interrupt.h"

#include <semaphore.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

namespace drywarp::cudart {
namespace {

// State that the signal handler reads and writes; safe to use in a handler.
struct Watch {
  sem_t wake;
  std::atomic<int> signal{0};
  cuda::Session* session = nullptr;
  void (*before_exit)() = nullptr;
};
Watch& watch() {
  static Watch* const the = new Watch;
  return *the;
}

void on_signal(int number) {
  const int saved = errno;
  Watch& w = watch();
  int none = 0;
  if (w.signal.compare_exchange_strong(none, number)) {
    w.session->interrupt();
    sem_post(&w.wake);
  }
  errno = saved;
}

// How long a running kernel may take to stop. If it stops in time, the profile has its counts; else only its name.
constexpr auto kStopTimeout = std::chrono::seconds(3);

void wait_and_finish() {
  Watch& w = watch();
  while (sem_wait(&w.wake) != 0) {
  }
  const int number = w.signal;
  const auto until = std::chrono::steady_clock::now() + kStopTimeout;
  auto hold = w.session->try_lock_idle();
  while (!hold.owns_lock() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    w.session->interrupt();
    hold = w.session->try_lock_idle();
  }
  w.before_exit();
  // End by the same signal, so that the parent process sees the usual exit status.
  signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(number);
}

}  // namespace

bool interrupted() { return watch().signal != 0; }

void watch_for_interrupts(cuda::Session& session, void (*before_exit)()) {
  Watch& w = watch();
  w.session = &session;
  w.before_exit = before_exit;
  sem_init(&w.wake, 0, 0);
  sigset_t all, before;
  sigfillset(&all);
  // The watching thread blocks all signals: they belong to the program's own threads.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(wait_and_finish).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART | int(SA_RESETHAND);
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction old{};
    // nohup and background jobs ignore a signal on purpose.
    if (sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_DFL) sigaction(number, &action, nullptr);
  }
}

}  // namespace drywarp::cudart
