// Everything that one run of a CUDA program has: the device, its memory, the engine, the program's code, streams,
// graphs, errors and the profile. The only place that wires and owns. The CUDA runtime's logic is in the parts; the C
// ABI calls them. Nothing here prints: texts for people go through Hooks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cuda/device/device.h"
#include "cuda/device/error.h"
#include "cuda/device/settings.h"
#include "cuda/graphs/graphs.h"
#include "cuda/launch/launcher.h"
#include "cuda/launch/options.h"
#include "cuda/launch/recorder.h"
#include "cuda/memory/memory.h"
#include "cuda/memory/textures.h"
#include "cuda/memory/virtual_memory.h"
#include "cuda/modules/kernel_resources.h"
#include "cuda/modules/module.h"
#include "cuda/streams/backlog.h"
#include "cuda/streams/streams.h"

namespace drywarp::cuda {

// How the embedding program is reached.
struct Hooks {
  std::function<void(const std::string&)> message;  // for the person at the terminal: faults, warnings
  std::function<void(const char*, size_t)> print;   // device printf
  ReportProgress progress;                          // may be empty; called from threads of its own
  std::function<void()> launch_done;                // may be empty
};

// The error state that cudaGetLastError reads: one a thread, and the error that cost the whole context. Thread-safe.
class LastErrors {
 public:
  void note(Error error);  // Success changes nothing
  [[nodiscard]] Error peek() const;
  Error take();  // a sticky error stays
  [[nodiscard]] Error sticky() const;
  // The calling thread's own error, which the driver API neither reads nor changes.
  [[nodiscard]] Error mine() const;
  void put_back(Error mine);

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

  // Calls that use the device hold this; host callbacks run without it.
  [[nodiscard]] SessionLock lock() { return SessionLock(mutex_); }
  // Owns nothing while work is going on, in whatever thread.
  [[nodiscard]] SessionLock try_lock_idle();

  // Brings the device up on first use; the parts below Textures exist after Success.
  Error start();
  // The same, and then the sticky error if there is one: for whatever works with the device.
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
  [[nodiscard]] Streams& streams() { return machine_->streams; }
  [[nodiscard]] Graphs& graphs() { return machine_->graphs; }
  [[nodiscard]] Launcher& launcher() { return machine_->launcher; }
  [[nodiscard]] Recorder& recorder() { return machine_->recorder; }

  // Address and size of a registered variable; loads its image. InvalidSymbol if it is none.
  Error symbol(const void* host, uint64_t& address, uint64_t& size);
  // Loads an image that the program gives at run time. `name` is for messages; `log` gets what is wrong with it.
  Error load_image(std::vector<uint8_t> bytes, std::string name, Image*& out, std::string& log);
  Error unload_image(Image* image);
  // Makes the pointers of every registered __managed__ variable valid, as a CUDA program finds them after
  // initialisation.
  Error load_managed_variables();
  // Before main: gives the managed variables that live in the host's memory their initial values. Brings the device up
  // only if there are any.
  Error initialise_managed_variables();

  // Waits for all work, but stops kernels that do nothing but wait: nobody is left who could end their waiting.
  void settle();

  void reset();                              // cudaDeviceReset
  void interrupt();                          // async-signal-safe: the running kernel stops soon
  [[nodiscard]] bool compiles_late() const;  // see exec::Engine
  void finish(int exit_code);                // closes the profile; harmless when repeated

 private:
  struct Machine {
    Machine(Session& session, Device spec);
    Device device;
    exec::DeviceMemory device_memory;
    std::shared_ptr<const KernelResourceModel> resources;
    exec::Engine engine;
    Memory memory;
    VirtualMemory virtual_memory;
    Recorder recorder;
    Launcher launcher;
    Graphs graphs;
    Backlog backlog;
    Streams streams;
  };

  // What an operation that runs in a thread of its own belongs to.
  struct Background {
    Work& work;
    SessionLock& lock;  // held; to be given up for what takes long
  };
  struct Performer;
  // Runs an operation now, in the calling thread; `background` null: the thread that issues it.
  Error run(Stream& stream, const Operation& operation, Background* background);
  [[nodiscard]] static bool may_wait(const Operation& operation);

  Options options_;
  Hooks hooks_;
  std::recursive_mutex mutex_;
  LastErrors errors_;
  std::unique_ptr<Machine> machine_;  // outlives what is loaded into its memory
  Modules modules_;
  Textures textures_;
  Settings settings_;
  std::atomic<exec::Engine*> engine_{nullptr};  // for interrupt(), which may take no lock
  std::atomic<bool> settling_{false};
  Error start_error_ = Error::Success;
};

}  // namespace drywarp::cuda
