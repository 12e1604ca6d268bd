// Whole files, also when other processes write them at the same time: a reader never sees half a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drywarp {

// nullopt if the file cannot be read, a folder for example, or has no end (/dev/zero): errno says why.
std::optional<std::string> read_whole(const std::string& path);
// Writes a temporary file beside `path` and renames it. False: `path` is unchanged.
bool write_whole(const std::string& path, std::string_view bytes);

}  // namespace drywarp
