// The text of a device-side printf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace drywarp::exec {

// `arguments` is the buffer that the compiler packs for vprintf: each value at its natural alignment (int 4, everything
// else 8). A conversion whose argument lies past `size` stops the formatting. `string_at` reads a %s argument from
// device memory. *count: conversions done, as vprintf returns.
std::string format_device_printf(const std::string& format, const uint8_t* arguments, size_t size,
                                 const std::function<std::string(uint64_t)>& string_at, int* count);

}  // namespace drywarp::exec
