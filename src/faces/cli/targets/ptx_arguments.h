// Parses the launch that `drywarp profile k.ptx` makes: grid, block and kernel arguments.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"

namespace drywarp::cli {

// "256", "16x16", "8,8,4"; missing dimensions are 1.
Result<std::array<uint32_t, 3>> parse_extent(std::string_view text);

// A number of bytes with an optional K, M, G or T (powers of 1024), of which there may be fractions: "1.5G".
Result<uint64_t> parse_size(std::string_view text);

enum class ElementType : uint8_t { I8, U8, I16, U16, I32, U32, I64, U64, F32, F64 };
unsigned size_of(ElementType type);
const char* name_of(ElementType type);

// A kernel argument: a scalar, or a buffer in device memory and its contents.
//   i32:5  u64:0x10  f32:2.5          scalars by type
//   buf:SIZE                          zeros
//   buf:SIZE:zero | iota | random     iota: 0, 1, 2 ...; random: f32 in [0, 1), with a fixed seed
//   buf:SIZE:TYPE:FILL                elements of a given type: buf:4096:u32:random, buf:1M:f64:iota
//   buf:SIZE:TYPE:NUMBER              every element has that value; buf:4096:float:1.0 is f32
struct KernelArgument {
  std::vector<uint8_t> bytes;  // a scalar's value, or a buffer's content
  ElementType type = ElementType::F32;
  bool is_buffer = false;
};
Result<KernelArgument> parse_argument(std::string_view text);

// The first elements as text, separated by spaces.
std::string format_elements(const uint8_t* bytes, size_t size, ElementType type, unsigned count);

// The names of all kernels in PTX text, in order.
std::vector<std::string> kernel_names(std::string_view ptx);

}  // namespace drywarp::cli
