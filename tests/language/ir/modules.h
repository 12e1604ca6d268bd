// Small PTX modules for the tests of the IR.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "language/ir/build/build.h"
#include "language/ir/kernel.h"

namespace drywarp::ir {

inline const std::string kHead = ".version 8.3\n.target sm_90\n.address_size 64\n";
// Registers that bodies of the tests use. Placed on the line behind the function's brace.
inline const std::string kRegisters =
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<9>; .reg .f64 %fd<9>;";

inline Module load(const std::string& text) {
  Result<Module> module = parse_module(kHead + text, "t.ptx");
  EXPECT_TRUE(module.ok()) << module.problem().to_string();
  return module.ok() ? std::move(*module) : Module{};
}

// A kernel `k` with the body's text from line 6 on.
inline std::string kernel_text(const std::string& body) {
  return ".entry k() {\n" + kRegisters + "\n" + body + "\n}\n";
}

inline Module load_body(const std::string& body) { return load(kernel_text(body)); }

inline Diagnostic problem_of(const std::string& text) {
  const Result<Module> module = parse_module(kHead + text, "t.ptx");
  EXPECT_FALSE(module.ok()) << text;
  return module.ok() ? Diagnostic{} : module.problem();
}

inline const Function& function(const Module& module, const std::string& name) {
  const FunctionId id = module.find_function(name);
  EXPECT_NE(id, kNone) << name;
  static const Function none;
  return id == kNone ? none : module.functions[id];
}

inline const Symbol& symbol(const Module& module, const std::string& name) {
  for (const Symbol& s : module.symbols) {
    if (s.name == name) return s;
  }
  ADD_FAILURE() << "no symbol " << name;
  static const Symbol none;
  return none;
}

}  // namespace drywarp::ir
