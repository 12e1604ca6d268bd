#include "cuda/modules/module.h"

#include <algorithm>

namespace drywarp::cuda {

Error Image::load(exec::Engine& engine, unsigned compute_capability, const Say& say) {
  if (!outcome_) outcome_ = load_now(engine, compute_capability, say);
  return *outcome_;
}

void Image::forget_loaded() {
  loaded_.reset();
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
