#include "cuda/modules/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/support/digest.h"
#include "cuda/fatbin/fatbin.h"
#include "cuda/modules/kernel_resources.h"
#include "cuda/modules/linker.h"
#include "engine/exec/kernels/loaded_module.h"
#include "language/ir/build/build.h"

namespace drywarp::cuda {
namespace {

// For each image (several: units of relocatable device code), picks the newest PTX that the device may run. If all PTX
// is for newer devices, picks the oldest and warns: a GPU would refuse it, but it may use no newer instruction.
std::vector<const fatbin::Entry*> choose_ptx(const std::vector<fatbin::Image>& images, unsigned compute_capability,
                                             const Say& say) {
  std::vector<const fatbin::Entry*> out;
  for (const fatbin::Image& image : images) {
    const fatbin::Entry* chosen = image.best_ptx(compute_capability);
    bool too_new = false;
    if (!chosen)
      for (const fatbin::Entry& entry : image.entries)
        if (entry.kind == fatbin::EntryKind::Ptx && (!chosen || entry.sm < chosen->sm)) chosen = &entry, too_new = true;
    if (!chosen) continue;
    if (too_new && out.empty())
      say(fmt::format(
          "drywarp: warning: the program's PTX is for compute_{}, newer than the device's compute_{}; it runs "
          "here, a GPU would refuse it",
          chosen->sm, compute_capability));
    out.push_back(chosen);
  }
  return out;
}

Result<std::vector<fatbin::Image>> read(const void* wrapper, const std::vector<uint8_t>& bytes) {
  if (wrapper) {
    auto read = fatbin::read_wrapper_in_memory(wrapper);
    if (!read) return read.problem();
    return std::move(read->images);
  }
  auto read = fatbin::read_image(bytes);
  if (!read) return read.problem();
  std::vector<fatbin::Image> images;
  images.push_back(std::move(*read));
  return images;
}

// The images' machine code that the device could run.
std::vector<std::string> machine_code(const std::vector<fatbin::Image>& images, unsigned compute_capability) {
  std::vector<std::string> out;
  for (const fatbin::Image& image : images)
    for (const fatbin::Entry& entry : image.entries)
      if (entry.kind == fatbin::EntryKind::Elf && entry.sm / 10 == compute_capability / 10 &&
          entry.sm <= compute_capability)
        if (auto bytes = entry.contents()) out.push_back(std::move(*bytes));
  return out;
}

}  // namespace

int architecture(const ir::Module& module) {
  const std::string& target = module.target;
  const size_t digit = target.find_first_of("0123456789");
  int value = 0;
  if (digit != std::string::npos) std::from_chars(target.data() + digit, target.data() + target.size(), value);
  return value;
}

Error Image::load_now(exec::Engine& engine, unsigned compute_capability, const Say& say) {
  const auto complain = [&](const Diagnostic& problem, Error error) {
    say("drywarp: " + problem.to_string());
    return error;
  };
  const auto images = read(wrapper_, bytes_);
  if (!images) return complain(images.problem(), Error::InvalidKernelImage);
  const auto entries = choose_ptx(*images, compute_capability, say);
  if (entries.empty()) {
    say("drywarp: the program carries machine code but no PTX; build it with PTX, for example "
        "nvcc -gencode arch=compute_90,code=compute_90");
    return Error::NoKernelImageForDevice;
  }
  std::vector<std::string> texts;
  for (const fatbin::Entry* entry : entries) {
    auto text = entry->contents();
    if (!text) return complain(text.problem(), Error::InvalidKernelImage);
    texts.push_back(std::move(*text));
  }
  const std::string linked = link_ptx(texts);
  ptx_ = Digester().add(linked).hex();
  auto module = ir::parse_module(linked, name_.empty() ? "the program's PTX" : name_);
  if (!module) return complain(module.problem(), Error::InvalidPtx);
  auto loaded = engine.load(std::make_shared<const ir::Module>(std::move(*module)));
  if (!loaded) return complain(loaded.problem(), Error::InvalidPtx);
  loaded_ = std::move(*loaded);
  machine_code_ = read_cubins(machine_code(*images, compute_capability));
  place_managed_variables();
  return Error::Success;
}

// No kernel is compiled yet, so only initial values of other variables contain the addresses that the engine chose.
void Image::place_managed_variables() {
  for (const auto& [name, host] : host_copies) {
    const ir::SymbolId id = lives_in_host_memory(host) ? code().find_symbol(name) : ir::kNone;
    if (id == ir::kNone) continue;
    const ir::Symbol& symbol = code().symbols[id];
    // The host's copy has no initial value.
    std::memcpy(reinterpret_cast<void*>(host), reinterpret_cast<const void*>(loaded_->symbols[id]), symbol.size);
    const uint64_t moved = host - std::exchange(loaded_->symbols[id], host);
    loaded_->memory->adopt(host, symbol.size, exec::MemoryKind::Managed);
    move_pointers_to(id, moved);
  }
}

void Image::move_pointers_to(ir::SymbolId target, uint64_t distance) {
  for (ir::SymbolId id = 0; id < code().symbols.size(); ++id)
    for (const ir::Symbol::Relocation& relocation : code().symbols[id].relocations) {
      if (relocation.symbol != target || relocation.bytes != sizeof distance || relocation.mask) continue;
      auto* const place = reinterpret_cast<uint8_t*>(loaded_->symbols[id] + relocation.offset);
      uint64_t value = 0;
      std::memcpy(&value, place, sizeof value);
      value += distance;
      std::memcpy(place, &value, sizeof value);
    }
}

bool Image::lives_in_host_memory(uint64_t host) const {
  return managed && std::ranges::any_of(*managed, [&](const auto& r) { return host >= r.begin && host < r.end; });
}

bool Image::has_managed_variables() const {
  return std::ranges::any_of(host_copies, [&](const auto& copy) { return lives_in_host_memory(copy.second); });
}

Error Image::load(exec::Engine& engine, unsigned compute_capability, const Say& say) {
  if (!outcome_) outcome_ = load_now(engine, compute_capability, say);
  return *outcome_;
}

const CompiledKernel& Image::compile(ir::FunctionId kernel, const KernelResourceModel& resources) {
  const auto [known, is_new] = compiled_.try_emplace(kernel);
  if (is_new) {
    KernelInfo info = *exec::Engine::describe(*loaded_, kernel);
    // The program's machine code has the true register counts. Only files that the user gives take precedence.
    apply_compiled(machine_code_, resources.compute_capability(), info);
    known->second = resources.compile(code(), exec::Engine::parts(*loaded_, kernel), std::move(info), ptx_);
  }
  return known->second;
}

void Image::forget_loaded() {
  loaded_.reset();
  machine_code_ = {};
  compiled_.clear();
  outcome_.reset();
  for (const auto& kernel : kernels) kernel->function = ir::kNone;
}

Image* Modules::register_image(const void* wrapper) { return add(std::make_unique<Image>(wrapper)); }

Image* Modules::add(std::unique_ptr<Image> image) {
  image->managed = &managed_;
  return images_.emplace_back(std::move(image)).get();
}

void Modules::register_kernel(Image* image, const void* stub, const char* name) {
  if (!is_live(image)) return;
  Kernel* kernel = image->kernels.emplace_back(std::make_unique<Kernel>()).get();
  kernel->image = image;
  kernel->name = name;
  kernel->stub = stub;
  by_stub_[stub] = kernel;
  handles_.insert(kernel);
}

void Modules::register_variable(Image* image, const void* host, const char* name, uint64_t size) {
  if (!is_live(image)) return;
  variables_[host] = {image, name, size, nullptr};
  image->host_copies[name] = reinterpret_cast<uint64_t>(host);
}

void Modules::register_managed(Image* image, void** host, const char* name, uint64_t size) {
  if (is_live(image)) variables_[host] = {image, name, size, host};
}

void Modules::unregister(Image* image) {
  if (!is_live(image)) return;
  for (const auto& kernel : image->kernels) {
    handles_.erase(kernel.get());
    if (const auto stub = by_stub_.find(kernel->stub); stub != by_stub_.end() && stub->second == kernel.get())
      by_stub_.erase(stub);
  }
  std::erase_if(variables_, [&](const auto& entry) { return entry.second.image == image; });
  std::erase_if(images_, [&](const auto& own) { return own.get() == image; });
}

Kernel* Modules::kernel_named(Image& image, const std::string& name) {
  const auto known = std::ranges::find(image.kernels, name, [](const auto& kernel) { return kernel->name; });
  if (known != image.kernels.end()) return known->get();
  const ir::FunctionId function = image.code().find_function(name);
  if (function == ir::kNone || !image.code().functions[function].is_kernel) return nullptr;
  Kernel* kernel = image.kernels.emplace_back(std::make_unique<Kernel>()).get();
  kernel->image = &image;
  kernel->name = name;
  handles_.insert(kernel);
  return kernel;
}

Kernel* Modules::find_kernel(const void* stub_or_handle) const {
  if (const auto stub = by_stub_.find(stub_or_handle); stub != by_stub_.end()) return stub->second;
  if (handles_.contains(stub_or_handle)) return static_cast<Kernel*>(const_cast<void*>(stub_or_handle));
  return nullptr;
}

const Variable* Modules::find_variable(const void* host) const {
  const auto found = variables_.find(host);
  return found == variables_.end() ? nullptr : &found->second;
}

bool Modules::is_live(const Image* image) const {
  return std::ranges::any_of(images_, [&](const auto& own) { return own.get() == image; });
}

}  // namespace drywarp::cuda
