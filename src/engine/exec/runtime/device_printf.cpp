#include "engine/exec/runtime/device_printf.h"

#include <cstdio>
#include <cstring>

namespace drywarp::exec {
namespace {

template <class T>
std::string formatted(const std::string& conversion, T value) {
  char text[512];
  const int length = std::snprintf(text, sizeof text, conversion.c_str(), value);
  if (length < 0) return {};
  if (static_cast<size_t>(length) < sizeof text) return {text, static_cast<size_t>(length)};
  std::string longer(static_cast<size_t>(length) + 1, 0);
  std::snprintf(longer.data(), longer.size(), conversion.c_str(), value);
  longer.pop_back();
  return longer;
}

}  // namespace

std::string format_device_printf(const std::string& format, const uint8_t* arguments, size_t size,
                                 const std::function<std::string(uint64_t)>& string_at, int* count) {
  std::string text;
  size_t at = 0;
  *count = 0;
  auto take = [&](void* value, size_t bytes) {
    at = (at + bytes - 1) / bytes * bytes;
    if (!arguments || at + bytes > size) return false;
    std::memcpy(value, arguments + at, bytes);
    at += bytes;
    return true;
  };
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      text += '%';
      ++i;
      continue;
    }
    // %[flags][width][.precision][length]conversion; '*' takes an int each.
    std::string conversion = "%";
    size_t j = i + 1;
    for (; j < format.size() && std::strchr("-+ #0123456789.*", format[j]); ++j) {
      int number;
      if (format[j] != '*') {
        conversion += format[j];
      } else if (take(&number, 4)) {
        conversion += std::to_string(number);
      } else {
        return text;
      }
    }
    std::string length;
    for (; j < format.size() && std::strchr("hlLzjtq", format[j]); ++j) length += format[j];
    if (j >= format.size()) {
      text += format.substr(i);
      break;
    }
    const char kind = format[j];
    const bool wide = length == "l" || length == "ll" || length == "z" || length == "j" || length == "t" ||
                      length == "q" || length == "L";
    if (std::strchr("diouxXc", kind)) {
      if (wide && kind != 'c') {
        uint64_t value;
        if (!take(&value, 8)) return text;
        text += formatted(conversion + "ll" + kind, value);
      } else {
        uint32_t value;
        if (!take(&value, 4)) return text;
        text += formatted(conversion + (length == "h" || length == "hh" ? length : "") + kind, value);
      }
    } else if (std::strchr("eEfFgGaA", kind)) {
      double value;
      if (!take(&value, 8)) return text;
      text += formatted(conversion + kind, value);
    } else if (kind == 's') {
      uint64_t value;
      if (!take(&value, 8)) return text;
      const std::string s = value == 0 ? "(null)" : string_at(value);
      text += formatted(conversion + 's', s.c_str());
    } else if (kind == 'p') {
      void* value;
      if (!take(&value, 8)) return text;
      text += formatted(conversion + 'p', value);
    } else {  // not a conversion: as it stands
      text += format.substr(i, j - i + 1);
      i = j;
      continue;
    }
    ++*count;
    i = j;
  }
  return text;
}

}  // namespace drywarp::exec
