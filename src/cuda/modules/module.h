// The program's code: images (fat binaries or PTX text), and their kernels and variables. Registration runs before the
// program's static constructors, so it only stores pointers. An image is decoded, parsed and loaded when one of its
// kernels or variables is first used.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cuda/device/error.h"
#include "cuda/modules/kernel_resources.h"
#include "engine/exec/engine.h"

namespace drywarp::cuda {

class Image;

// What the PTX is written for: 90 for sm_90a.
[[nodiscard]] int architecture(const ir::Module& module);

// A kernel, as registered or looked up by name. cudaFunction_t, cudaKernel_t and CUfunction are pointers to one.
struct Kernel {
  Image* image = nullptr;
  std::string name;            // in the PTX (mangled)
  const void* stub = nullptr;  // the host function for it; null if looked up by name
  // cudaFuncSetAttribute
  bool any_cluster_size = false;         // cudaFuncAttributeNonPortableClusterSizeAllowed
  int max_dynamic_shared = -1;           // bytes; -1: the device's default
  int carveout = -1;                     // percent; -1: default
  std::optional<bool> eight_byte_banks;  // cudaFuncSetSharedMemConfig; none: the device's setting
  // Set once the image is loaded
  ir::FunctionId function = ir::kNone;
  CompiledKernel compiled;
};

// A device variable; the host identifies it by the address of the host's copy.
struct Variable {
  Image* image = nullptr;
  std::string name;
  uint64_t size = 0;
  void** managed = nullptr;  // where the host keeps the pointer to a __managed__ variable
};

// The section of a clang-built program that holds its __managed__ variables: [begin, end).
struct ManagedRange {
  uint64_t begin = 0, end = 0;
};

// Prints a message for the user.
using Say = std::function<void(const std::string&)>;

class Image {
 public:
  // A registered wrapper ({magic, version, data, prelinked}); it is not read yet.
  explicit Image(const void* wrapper) : wrapper_(wrapper) {}
  // PTX text or a fat binary, copied.
  explicit Image(std::vector<uint8_t> bytes, std::string name) : bytes_(std::move(bytes)), name_(std::move(name)) {}

  // Decodes, parses and loads on the first call; later calls return the same result. `compute_capability`: 90 for 9.0.
  Error load(exec::Engine& engine, unsigned compute_capability, const Say& say);
  [[nodiscard]] exec::LoadedModule& loaded() const { return *loaded_; }  // precondition: load() returned Success
  [[nodiscard]] const ir::Module& code() const { return exec::Engine::module_of(*loaded_); }
  // One of its kernels, compiled on the first call. Precondition as above.
  [[nodiscard]] const CompiledKernel& compile(ir::FunctionId kernel, const KernelResourceModel& resources);
  [[nodiscard]] bool is_loaded() const { return loaded_ != nullptr; }
  [[nodiscard]] const void* wrapper() const { return wrapper_; }
  // Whether some of its variables live in the host's memory, where the host may read them before its first CUDA call.
  [[nodiscard]] bool has_managed_variables() const;
  void forget_loaded();  // cudaDeviceReset: the next use loads again

  std::vector<std::unique_ptr<Kernel>> kernels;
  // Host copies of variables, by the name in the PTX. A variable whose copy is in a managed range lives there.
  std::map<std::string, uint64_t> host_copies;
  const std::vector<ManagedRange>* managed = nullptr;

 private:
  void place_managed_variables();
  void move_pointers_to(ir::SymbolId target, uint64_t distance);
  [[nodiscard]] bool lives_in_host_memory(uint64_t host) const;
  Error load_now(exec::Engine& engine, unsigned compute_capability, const Say& say);
  const void* wrapper_ = nullptr;
  std::vector<uint8_t> bytes_;
  std::string name_;
  std::string ptx_;  // a digest of its text
  std::shared_ptr<exec::LoadedModule> loaded_;
  fatbin::CompiledTable machine_code_;  // that the program carries
  std::map<ir::FunctionId, CompiledKernel> compiled_;
  std::optional<Error> outcome_;
};

// Every image of the program, and the tables of registered kernels and variables. Not thread-safe.
class Modules {
 public:
  Image* register_image(const void* wrapper);
  void register_kernel(Image* image, const void* stub, const char* name);
  void register_variable(Image* image, const void* host, const char* name, uint64_t size);
  void register_managed(Image* image, void** host, const char* name, uint64_t size);
  void add_managed_range(ManagedRange range) { managed_.push_back(range); }
  void unregister(Image* image);

  Image* add(std::unique_ptr<Image> image);
  // The kernel of that name in a loaded image, created on first request; null if there is none.
  Kernel* kernel_named(Image& image, const std::string& name);

  // By host stub or by handle; null if it is neither.
  [[nodiscard]] Kernel* find_kernel(const void* stub_or_handle) const;
  [[nodiscard]] const Variable* find_variable(const void* host) const;
  [[nodiscard]] bool is_live(const Image* image) const;
  [[nodiscard]] const std::vector<std::unique_ptr<Image>>& images() const { return images_; }
  [[nodiscard]] const std::map<const void*, Variable>& variables() const { return variables_; }

 private:
  std::vector<std::unique_ptr<Image>> images_;
  std::map<const void*, Kernel*> by_stub_;
  std::set<const void*> handles_;
  std::map<const void*, Variable> variables_;
  std::vector<ManagedRange> managed_;
};

}  // namespace drywarp::cuda
