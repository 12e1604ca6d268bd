// Encodes counts and kernel descriptions: numbers in base 128 (most take one byte), strings with a length prefix. The
// order of fields is the format; kFormat in schema.h changes with it.
#pragma once

#include <string>
#include <string_view>

#include "base/events/counts.h"
#include "base/support/result.h"
#include "model/sm/summary.h"

namespace drywarp::store {

std::string encode(const LaunchCounts& counts);
// `format` of the file: from 8 on it names the counts of memory instructions, from 9 on it has notes of barriers.
Result<LaunchCounts> decode_counts(std::string_view bytes, int64_t format);

// Figures by name: the reader skips names that it does not know; figures that the writer did not know are 0.
std::string encode(const sm::Summary& time);
Result<sm::Summary> decode_time(std::string_view bytes);
// Cycles are rounded to integers; instructions that never ran take no space.
std::string encode(const std::vector<sm::InstructionTiming>& instructions);
Result<std::vector<sm::InstructionTiming>> decode_instruction_times(std::string_view bytes);
// Lines of "number<tab>stand-in", readable in the database.
std::string encode(const std::vector<machine::StandIn>& stand_ins);
std::vector<machine::StandIn> decode_stand_ins(std::string_view text);

// Lines of "change<tab>seconds".
std::string encode(const std::vector<sm::Alternative>& alternatives);
std::vector<sm::Alternative> decode_alternatives(std::string_view text);

// The parts of a KernelInfo without a column of their own: files and instructions.
std::string encode(const KernelInfo& kernel);
Status decode_kernel(std::string_view bytes, KernelInfo& kernel);

}  // namespace drywarp::store
