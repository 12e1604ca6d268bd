// Encodes the parts of a drawn launch as compressed blobs. Decoding checks that every index is in range.
#pragma once

#include <string>
#include <string_view>

#include "base/support/result.h"
#include "profile/record/drawn_launch.h"

namespace drywarp::store {

// With indices of the kernel's instructions and files.
std::string encode(const record::MachineListing& listing);
Result<record::MachineListing> decode_listing(std::string_view bytes, const KernelInfo& kernel);

// Times are kept to a sixteenth of a cycle. A timeline that was decoded is encoded to the same bytes.
std::string encode(const sm::Timeline& timeline);
Result<sm::Timeline> decode_timeline(std::string_view bytes);

// Code blocks may be those of functions outside the kernel.
std::string encode(const BlockSteps& steps);
Result<BlockSteps> decode_steps(std::string_view bytes);

}  // namespace drywarp::store
