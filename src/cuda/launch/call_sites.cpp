#include "cuda/launch/call_sites.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace drywarp::cuda {
namespace {

constexpr size_t kMostFrames = 48;
constexpr int kCallers = 4;  // the first may be wrappers in CUDA's headers

// A program that is not position-independent has its addresses in its file.
uint64_t in_file(uint64_t address, const Dl_info& where) {
  const auto* header = static_cast<const ElfW(Ehdr)*>(where.dli_fbase);
  return header->e_type == ET_EXEC ? address : address - reinterpret_cast<uint64_t>(where.dli_fbase);
}

bool is_program(const Dl_info& where) {
  static const void* const program = [] {
    Dl_info entry{};
    return ::dladdr(reinterpret_cast<void*>(::getauxval(AT_ENTRY)), &entry) == 0 ? nullptr : entry.dli_fbase;
  }();
  return where.dli_fbase == program;
}

// The dynamic linker knows the program itself by argv[0], which need not be a path, and may be that of another file.
std::string path_of(const Dl_info& where) {
  std::error_code problem;
  const auto whole = std::filesystem::canonical(is_program(where) ? "/proc/self/exe" : where.dli_fname, problem);
  return problem ? where.dli_fname : whole.string();
}

// Who calls the program, or is called by it in between: no place in the program.
bool is_of_system(const Dl_info& where) {
  constexpr std::array<std::string_view, 6> kNames = {"libc.so",       "libstdc++.so", "libc++.so",
                                                      "libpthread.so", "ld-linux",     "libgcc_s.so"};
  const std::string name = std::filesystem::path(where.dli_fname).filename().string();
  return std::ranges::any_of(kNames, [&](std::string_view system) { return name.starts_with(system); });
}

// Visits "path+0x1234" of the callers that are not in this library, the innermost first, until `visit` says no.
template <class Visit>
void for_each_caller(std::span<void* const> frames, Visit visit) {
  Dl_info own{};
  if (::dladdr(reinterpret_cast<void*>(&path_of), &own) == 0) return;
  for (void* const frame : frames) {
    Dl_info where{};
    // A return address may belong to the next line: the call is before it.
    const uint64_t call = reinterpret_cast<uint64_t>(frame) - 1;
    if (::dladdr(reinterpret_cast<void*>(call), &where) == 0 || !where.dli_fname) continue;
    if (where.dli_fbase == own.dli_fbase || is_of_system(where)) continue;
    if (!visit(fmt::format("{}+{:#x}", path_of(where), in_file(call, where)))) return;
  }
}

struct Stack {
  std::array<void*, kMostFrames> frames;
  size_t count;
  Stack() : count(static_cast<size_t>(::backtrace(frames.data(), static_cast<int>(frames.size())))) {}
  [[nodiscard]] std::span<void* const> calls() const { return std::span(frames).first(count); }
};

}  // namespace

std::string callers_of_library() { return callers_of_library(Stack().calls()); }

std::vector<void*> host_stack() {
  const Stack stack;
  return {stack.calls().begin(), stack.calls().end()};
}

std::string callers_of_library(std::span<void* const> frames, Callers which) {
  std::string callers;
  int found = 0;
  for_each_caller(frames, [&](const std::string& caller) {
    callers += (found == 0 ? "" : "|") + caller;
    return ++found < kCallers || which == Callers::All;
  });
  return callers;
}

std::vector<HostFrame> calls_to_library(std::span<void* const> frames) {
  std::vector<HostFrame> calls;
  for_each_caller(frames, [&](std::string caller) {
    calls.push_back({"", std::move(caller), 0});
    return true;
  });
  return calls;
}

}  // namespace drywarp::cuda
