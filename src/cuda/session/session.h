// The session of one run of a CUDA program. It owns and connects the device, its memory, the engine, the program's
// code, streams, graphs, errors and the profile; the logic is in these parts, and the C ABI calls them. Nothing here
// prints: messages go through Hooks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cuda/device/device.h"
#include "cuda/device/error.h"
#include "cuda/graphs/graphs.h"
#include "cuda/launch/launcher.h"
#include "cuda/launch/options.h"
#include "cuda/launch/recorder.h"
#include "cuda/memory/interprocess.h"
#include "cuda/memory/memory.h"
#include "cuda/memory/textures.h"
#include "cuda/memory/virtual_memory.h"
#include "cuda/modules/kernel_resources.h"
#include "cuda/modules/module.h"
#include "cuda/streams/backlog.h"
#include "cuda/streams/streams.h"

namespace drywarp::cuda {

// Callbacks to the embedding program.
struct Hooks {
  std::function<void(const std::string&)> message;  // for the user: faults, warnings
  std::function<void(const char*, size_t)> print;   // device printf
  ReportProgress progress;                          // may be empty; called from other threads
  std::function<void()> launch_done;                // may be empty
};

// The errors that cudaGetLastError reads: one for each thread, and the sticky error of the context. Thread-safe.
class LastErrors {
 public:
  void note(Error error);  // Success changes nothing
  [[nodiscard]] Error peek() const;
  Error take();  // a sticky error stays
  [[nodiscard]] Error sticky() const;
  // The calling thread's own error, which the driver API neither reads nor changes.
  [[nodiscard]] Error mine() const;
  void restore(Error mine);

 private:
  mutable std::mutex mutex_;
  std::map<std::thread::id, Error> last_;
  Error sticky_ = Error::Success;
};

class Session {
 public:
  Session(Options options, Hooks hooks);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Calls that use the device hold the lock; host callbacks run without it.
  [[nodiscard]] SessionLock lock() { return SessionLock(mutex_); }
  // The returned lock is not held while any thread has work.
  [[nodiscard]] SessionLock try_lock_idle();

  // Creates the device on first use. After Success, the accessors below textures() are valid.
  Error start();
  // The same, but returns the sticky error if there is one: for calls that use the device.
  Error ready();

  [[nodiscard]] bool is_up() const { return machine_ != nullptr; }

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] LastErrors& errors() { return errors_; }
  [[nodiscard]] Modules& modules() { return modules_; }
  [[nodiscard]] Settings& settings() { return settings_; }
  [[nodiscard]] Textures& textures() { return textures_; }
  [[nodiscard]] const Device& device() const { return machine_->device; }
  [[nodiscard]] Memory& memory() { return machine_->memory; }
  [[nodiscard]] VirtualMemory& virtual_memory() { return machine_->virtual_memory; }
  [[nodiscard]] Interprocess& interprocess() { return machine_->interprocess; }
  [[nodiscard]] exec::TextureTable& texture_table() { return machine_->engine.textures(); }
  [[nodiscard]] Streams& streams() { return machine_->streams; }
  [[nodiscard]] Graphs& graphs() { return machine_->graphs; }
  [[nodiscard]] Launcher& launcher() { return machine_->launcher; }
  [[nodiscard]] Recorder& recorder() { return machine_->recorder; }
  [[nodiscard]] LaunchChecks& checks() { return machine_->checks; }

  // Address and size of a registered variable; loads its image. InvalidSymbol if it is not registered.
  Error symbol(const void* host, uint64_t& address, uint64_t& size);
  // Loads an image at run time. `name` is for messages; `log` gets the messages.
  Error load_image(std::vector<uint8_t> bytes, std::string name, Image*& out, std::string& log);
  Error unload_image(Image* image);
  // Sets the host's pointers to all registered __managed__ variables, as CUDA's initialisation does.
  Error load_managed_variables();
  // Call before main: sets initial values of managed variables that live in the host's memory. Creates the device only
  // if there are any.
  Error initialise_managed_variables();

  // Waits for all work, but stops kernels that only wait: nothing can wake them any more.
  void drain();

  void reset();                              // cudaDeviceReset
  void interrupt();                          // stops the running kernel soon; async-signal-safe
  [[nodiscard]] bool compiles_late() const;  // see exec::Engine
  void finish(int exit_code);                // closes the profile; may be called twice

 private:
  struct Machine {
    Machine(Session& session, Device spec);
    Device device;
    exec::DeviceMemory device_memory;
    KernelResourceModel resources;
    exec::Engine engine;
    Memory memory;
    VirtualMemory virtual_memory;
    Interprocess interprocess;
    Recorder recorder;
    OperationLog log;
    LaunchChecks checks;
    Launcher launcher;
    Graphs graphs;
    Backlog backlog;
    Streams streams;
  };

  // The context of an operation that runs in its own thread.
  struct Background {
    Work& work;
    SessionLock& lock;  // held; released during long waits
  };
  struct OperationRunner;
  // Runs an operation in the calling thread. `background`: null if that is the issuing thread.
  // `moment`: its place in the program's order, for checks; else null.
  Error run(Stream& stream, const Operation& operation, Background* background, const check::OperationMoment* moment);
  void note(Error error);  // of an operation
  [[nodiscard]] static bool may_wait(const Operation& operation);
  // Says once that such copies have no modelled time, if the program's events leave them out.
  void say_untimed(record::TransferKind kind);

  Options options_;
  Hooks hooks_;
  std::recursive_mutex mutex_;
  LastErrors errors_;
  std::unique_ptr<Machine> machine_;  // declared first: outlives the modules in its memory
  Modules modules_;
  Textures textures_;
  Settings settings_;
  std::atomic<exec::Engine*> engine_{nullptr};  // for interrupt(), which must not lock
  std::atomic<bool> draining_{false};
  Error start_error_ = Error::Success;
  bool said_untimed_copy_ = false;
};

}  // namespace drywarp::cuda
