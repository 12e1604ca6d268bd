#include "faces/explain/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace drywarp::explain {
namespace {

constexpr BuiltInName kBuiltIn[] = {
    {"threadIdx.x", "CUDA's own"},
    {"threadIdx.y", "CUDA's own"},
    {"threadIdx.z", "CUDA's own"},
    {"blockIdx.x", "CUDA's own"},
    {"blockIdx.y", "CUDA's own"},
    {"blockIdx.z", "CUDA's own"},
    {"blockDim.x", "CUDA's own"},
    {"blockDim.y", "CUDA's own"},
    {"blockDim.z", "CUDA's own"},
    {"gridDim.x", "CUDA's own"},
    {"gridDim.y", "CUDA's own"},
    {"gridDim.z", "CUDA's own"},
    {"tx", "threadIdx.x"},
    {"ty", "threadIdx.y"},
    {"tz", "threadIdx.z"},
    {"bx", "blockIdx.x"},
    {"by", "blockIdx.y"},
    {"bz", "blockIdx.z"},
    {"tid", "the thread's number in its block, x fastest: threadIdx.x in a one-dimensional block"},
    {"bid", "the block's number in the grid, x fastest"},
    {"gid", "bid * threads of a block + tid"},
    {"lane", "tid % 32"},
    {"warp", "tid / 32"},
    {"warpSize", "32"},
    {"Row", "blockIdx.y * blockDim.y + threadIdx.y"},
    {"Col", "blockIdx.x * blockDim.x + threadIdx.x"},
};
constexpr uint32_t kBuiltIns = std::size(kBuiltIn);

bool is_identifier(std::string_view text) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 && std::ranges::all_of(text, part);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

std::span<const BuiltInName> built_in_names() { return kBuiltIn; }

Names::Names() = default;

Status Names::define(std::string_view name, std::string_view text) {
  if (!is_identifier(name))
    return error(fmt::format("'{}' is not a name that can be defined", name),
                 "--let NAME=EXPRESSION, such as --let Width=1024");
  Result<Expression> expression = parse_expression(text, *this, std::string(name));
  if (!expression) return expression.problem();
  definitions_.push_back({std::string(name), std::move(*expression)});
  return {};
}

Status Names::define(std::string_view definition) {
  const size_t equals = definition.find('=');
  if (equals == std::string_view::npos)
    return error(fmt::format("'{}' is not a definition", definition),
                 "--let NAME=EXPRESSION, such as --let Width=1024");
  return define(trimmed(definition.substr(0, equals)), trimmed(definition.substr(equals + 1)));
}

std::optional<uint32_t> Names::slot(std::string_view name) const {
  for (size_t i = definitions_.size(); i-- > 0;)
    if (definitions_[i].name == name) return static_cast<uint32_t>(kBuiltIns + i);
  for (uint32_t i = 0; i < kBuiltIns; ++i)
    if (kBuiltIn[i].name == name) return i;
  return std::nullopt;
}

std::string Names::hint(std::string_view name) const {
  return name.find('.') == std::string_view::npos ? fmt::format("define it: --let {}=...", name)
                                                  : "threadIdx, blockIdx, blockDim and gridDim have x, y, z";
}

Status Names::values(const LaunchConfiguration& launch, uint64_t block, uint32_t thread,
                     std::vector<int64_t>& out) const {
  const Extent3 t = place_in(launch.block, thread), b = place_in(launch.grid, block);
  const int64_t tid = thread, bid = static_cast<int64_t>(block);
  out.assign({t[0],
              t[1],
              t[2],
              b[0],
              b[1],
              b[2],
              launch.block[0],
              launch.block[1],
              launch.block[2],
              launch.grid[0],
              launch.grid[1],
              launch.grid[2],
              t[0],
              t[1],
              t[2],
              b[0],
              b[1],
              b[2],
              tid,
              bid,
              bid * launch.threads() + tid,
              tid % kWarpSize,
              tid / kWarpSize,
              kWarpSize,
              int64_t{b[1]} * launch.block[1] + t[1],
              int64_t{b[0]} * launch.block[0] + t[0]});
  for (const Definition& definition : definitions_) {
    const Result<int64_t> value = definition.expression.evaluate(out);
    if (!value) return value.problem();
    out.push_back(*value);
  }
  return {};
}

}  // namespace drywarp::explain
