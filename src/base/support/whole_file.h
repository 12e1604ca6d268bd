// Files that other processes may write at the same time: what a reader finds is whole, or not there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drywarp {

// nullopt if the file cannot be read, a folder for example, or has no end (/dev/zero): errno says why.
std::optional<std::string> read_whole(const std::string& path);
// Written beside and renamed. False: `path` is as it was.
bool write_whole(const std::string& path, std::string_view bytes);

}  // namespace drywarp
