#include "faces/cli/targets/ptx_arguments.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <random>

namespace drywarp::cli {
namespace {

struct TypeName {
  const char* name;
  ElementType type;
  unsigned size;
};

constexpr TypeName kTypes[] = {
    {"i8", ElementType::I8, 1},   {"u8", ElementType::U8, 1},     {"i16", ElementType::I16, 2},
    {"u16", ElementType::U16, 2}, {"i32", ElementType::I32, 4},   {"u32", ElementType::U32, 4},
    {"i64", ElementType::I64, 8}, {"u64", ElementType::U64, 8},   {"f32", ElementType::F32, 4},
    {"f64", ElementType::F64, 8}, {"int", ElementType::I32, 4},   {"s32", ElementType::I32, 4},
    {"s64", ElementType::I64, 8}, {"float", ElementType::F32, 4}, {"double", ElementType::F64, 8},
};

constexpr uint64_t kLargestBuffer = 1ull << 40;

const TypeName* find_type(std::string_view name) {
  for (const TypeName& type : kTypes) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

template <class T>
bool parse_number(std::string_view text, T& value) {
  int base = 10;
  if constexpr (std::is_integral_v<T>) {
    if (text.starts_with("0x")) {
      base = 16;
      text.remove_prefix(2);
    }
  }
  std::from_chars_result end{};
  if constexpr (std::is_integral_v<T>)
    end = std::from_chars(text.data(), text.data() + text.size(), value, base);
  else
    end = std::from_chars(text.data(), text.data() + text.size(), value);
  return end.ec == std::errc() && end.ptr == text.data() + text.size() && !text.empty();
}

template <class T>
std::vector<uint8_t> raw(T value) {
  std::vector<uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// Calls `use` with a value of the C++ type for `type`.
template <class F>
auto with_type(ElementType type, F use) {
  switch (type) {
    case ElementType::I8:
      return use(int8_t());
    case ElementType::U8:
      return use(uint8_t());
    case ElementType::I16:
      return use(int16_t());
    case ElementType::U16:
      return use(uint16_t());
    case ElementType::I32:
      return use(int32_t());
    case ElementType::U32:
      return use(uint32_t());
    case ElementType::I64:
      return use(int64_t());
    case ElementType::U64:
      return use(uint64_t());
    case ElementType::F32:
      return use(float());
    case ElementType::F64:
      break;
  }
  return use(double());
}

Diagnostic not_an_argument(std::string_view text) {
  return error(fmt::format("--arg {}: not an argument", text),
               "write a scalar as i32:5 or f32:2.5, a buffer as buf:4096:zero, buf:1M:u32:iota, buf:1M:random or "
               "buf:4096:float:1.0");
}

Result<std::vector<uint8_t>> scalar(ElementType type, std::string_view text) {
  return with_type(type, [&](auto value) -> Result<std::vector<uint8_t>> {
    if (!parse_number(text, value)) return error(fmt::format("'{}' is not a number of type {}", text, name_of(type)));
    return raw(value);
  });
}

Status fill(KernelArgument& buffer, std::string_view how) {
  if (how.empty() || how == "zero") return {};
  size_t count = buffer.bytes.size() / size_of(buffer.type);
  return with_type(buffer.type, [&](auto value) -> Status {
    using T = decltype(value);
    std::mt19937_64 random(1);
    T constant{};
    bool iota = how == "iota", randomly = how == "random";
    if (!iota && !randomly && !parse_number(how, constant)) {
      return error(
          fmt::format("'{}' is neither zero, iota, random nor a number of type {}", how, name_of(buffer.type)));
    }
    for (size_t i = 0; i < count; ++i) {
      T element = constant;
      if (iota) element = T(i);
      if (randomly) {
        uint64_t bits = random();
        if constexpr (std::is_floating_point_v<T>)
          element = T(double(bits >> 40) * 0x1p-24);
        else
          element = T(bits);
      }
      std::memcpy(buffer.bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
    return {};
  });
}

Result<KernelArgument> buffer(std::string_view text, std::string_view rest) {
  size_t colon = rest.find(':');
  Result<uint64_t> size = parse_size(rest.substr(0, colon));
  if (!size) return size.problem();
  if (*size == 0 || *size > kLargestBuffer) return error(fmt::format("--arg {}: a buffer holds 1 byte to 1024G", text));
  KernelArgument argument;
  argument.is_buffer = true;
  argument.bytes.resize(*size);
  std::string_view how = colon == rest.npos ? std::string_view() : rest.substr(colon + 1);
  colon = how.find(':');
  std::string_view first = how.substr(0, colon);
  if (const TypeName* type = find_type(first)) {
    argument.type = type->type;
    how = colon == how.npos ? std::string_view() : how.substr(colon + 1);
  } else if (first == "iota") {
    argument.type = ElementType::I32;
  }
  if (Status status = fill(argument, how); !status)
    return error(fmt::format("--arg {}: {}", text, status.problem().message));
  return argument;
}

}  // namespace

unsigned size_of(ElementType type) {
  for (const TypeName& known : kTypes) {
    if (known.type == type) return known.size;
  }
  return 0;
}

const char* name_of(ElementType type) {
  for (const TypeName& known : kTypes) {
    if (known.type == type) return known.name;
  }
  return "";
}

Result<std::array<uint32_t, 3>> parse_extent(std::string_view text) {
  std::array<uint32_t, 3> sides = {1, 1, 1};
  std::string_view rest = text;
  for (size_t i = 0;; ++i) {
    size_t end = rest.find_first_of("x,");
    if (i == sides.size() || !parse_number(rest.substr(0, end), sides[i]) || sides[i] == 0) {
      return error(fmt::format("'{}' is not a size of a grid or block", text), "write 256, 16x16 or 8x8x4");
    }
    if (end == rest.npos) return sides;
    rest.remove_prefix(end + 1);
  }
}

Result<uint64_t> parse_size(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";  // powers of 1024, from the first
  const auto no_size = [&] {
    return error(fmt::format("'{}' is not a size", text), "write a number of bytes, or 64K, 16M, 1.5G, 1T");
  };
  std::string_view digits = text;
  unsigned shift = 0;
  if (!text.empty())
    if (const size_t unit = kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
        unit != kUnits.npos) {
      shift = 10 * (static_cast<unsigned>(unit) + 1);
      digits.remove_suffix(1);
    }
  uint64_t value = 0;
  if (parse_number(digits, value)) {
    if (value > (UINT64_MAX >> shift)) return no_size();
    return value << shift;
  }
  // A fraction of a unit: bytes have none.
  double fraction = 0;
  if (shift == 0 || digits.find_first_not_of("0123456789.") != digits.npos || !parse_number(digits, fraction))
    return no_size();
  const double bytes = std::ldexp(fraction, static_cast<int>(shift));
  if (bytes >= 0x1p64) return no_size();
  return static_cast<uint64_t>(bytes);
}

Result<KernelArgument> parse_argument(std::string_view text) {
  size_t colon = text.find(':');
  if (colon == text.npos) return not_an_argument(text);
  std::string_view kind = text.substr(0, colon), rest = text.substr(colon + 1);
  if (kind == "buf") return buffer(text, rest);
  const TypeName* type = find_type(kind);
  if (!type) return not_an_argument(text);
  Result<std::vector<uint8_t>> bytes = scalar(type->type, rest);
  if (!bytes) return error(fmt::format("--arg {}: {}", text, bytes.problem().message));
  return KernelArgument{std::move(*bytes), type->type, false};
}

std::string format_elements(const uint8_t* bytes, size_t size, ElementType type, unsigned count) {
  std::string text;
  for (size_t i = 0; i < count && (i + 1) * size_of(type) <= size; ++i) {
    with_type(type, [&](auto value) {
      std::memcpy(&value, bytes + i * sizeof value, sizeof value);
      if constexpr (sizeof value == 1)
        text += fmt::format("{}{}", text.empty() ? "" : " ", int(value));
      else
        text += fmt::format("{}{}", text.empty() ? "" : " ", value);
    });
  }
  return text;
}

std::vector<std::string> kernel_names(std::string_view ptx) {
  std::vector<std::string> names;
  constexpr std::string_view kEntry = ".entry";
  for (size_t at = ptx.find(kEntry); at != ptx.npos; at = ptx.find(kEntry, at + 1)) {
    size_t start = ptx.find_first_not_of(" \t\r\n", at + kEntry.size());
    if (start == ptx.npos || start == at + kEntry.size()) continue;
    size_t end = ptx.find_first_of(" \t\r\n(){};", start);
    size_t line = ptx.rfind('\n', at);
    std::string_view before = ptx.substr(line == ptx.npos ? 0 : line + 1, at - (line == ptx.npos ? 0 : line + 1));
    if (before.find("//") == before.npos) names.emplace_back(ptx.substr(start, end - start));
  }
  return names;
}

}  // namespace drywarp::cli
