// Texture and surface objects: the program's descriptions by handle, for the calls that return them. What kernels
// sample is in the engine's table, under the same handles.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/exec/textures/texture_table.h"

namespace drywarp::cuda {

// The descriptions are the C ABI's structures, byte for byte.
struct TextureObject {
  std::vector<uint8_t> resource, sampling, view;
  bool surface = false;
};

class Textures {
 public:
  // Returns the handle, which is never 0.
  uint64_t add(exec::TextureTable& table, TextureObject object, exec::Texture texture) {
    const uint64_t handle = table.add(std::move(texture));
    objects_[handle] = std::move(object);
    return handle;
  }
  [[nodiscard]] const TextureObject* find(uint64_t handle, bool surface) const {
    const auto found = objects_.find(handle);
    return found == objects_.end() || found->second.surface != surface ? nullptr : &found->second;
  }
  bool remove(exec::TextureTable& table, uint64_t handle, bool surface) {
    if (!find(handle, surface)) return false;
    table.remove(handle);
    return objects_.erase(handle) > 0;
  }
  void clear(exec::TextureTable& table) {
    for (const auto& [handle, object] : objects_) table.remove(handle);
    objects_.clear();
  }

 private:
  std::map<uint64_t, TextureObject> objects_;
};

}  // namespace drywarp::cuda
