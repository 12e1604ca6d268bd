// The texture and surface objects of a device, by handle. Thread-safe. A launch takes a snapshot, so that its look-ups
// need no lock.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "engine/exec/textures/texture.h"

namespace drywarp::exec {

using TextureMap = std::map<uint64_t, std::shared_ptr<const Texture>>;

class TextureTable {
 public:
  // Returns the handle, which is never 0.
  uint64_t add(Texture texture) {
    const std::lock_guard lock(mutex_);
    change().emplace(next_, std::make_shared<const Texture>(std::move(texture)));
    return next_++;
  }
  void remove(uint64_t handle) {
    const std::lock_guard lock(mutex_);
    change().erase(handle);
  }
  [[nodiscard]] std::shared_ptr<const TextureMap> snapshot() const {
    const std::lock_guard lock(mutex_);
    return textures_;
  }

 private:
  // A map that no launch reads.
  TextureMap& change() {
    if (textures_.use_count() > 1) textures_ = std::make_shared<TextureMap>(*textures_);
    return *textures_;
  }

  mutable std::mutex mutex_;
  std::shared_ptr<TextureMap> textures_ = std::make_shared<TextureMap>();
  uint64_t next_ = 1;
};

}  // namespace drywarp::exec
