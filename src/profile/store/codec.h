// Counts and kernel descriptions as bytes: numbers in base 128 (small ones, which most are, take one byte), strings
// with their length before them. The order of fields is the format; kFormat in schema.h changes with it.
#pragma once

#include <string>
#include <string_view>

#include "base/events/counts.h"
#include "base/support/result.h"
#include "model/sm/summary.h"

namespace drywarp::store {

std::string encode(const LaunchCounts& counts);
Result<LaunchCounts> decode_counts(std::string_view bytes);

// Figures by name: one that this drywarp does not know is left out, one that the writer did not know is 0.
std::string encode(const sm::Summary& time);
Result<sm::Summary> decode_time(std::string_view bytes);
// Cycles are kept whole; instructions that never ran take no room.
std::string encode(const std::vector<sm::InstructionTiming>& instructions);
Result<std::vector<sm::InstructionTiming>> decode_instruction_times(std::string_view bytes);
// Lines of "number<tab>what stood in for it": readable in the database as they are.
std::string encode(const std::vector<machine::StandIn>& stand_ins);
std::vector<machine::StandIn> decode_stand_ins(std::string_view text);

// Everything of a KernelInfo that is not a column of its own: files and instructions.
std::string encode(const KernelInfo& kernel);
Status decode_kernel(std::string_view bytes, KernelInfo& kernel);

}  // namespace drywarp::store
