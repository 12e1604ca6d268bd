// A kernel k from PTX text, with its control flow.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "language/analysis/passes.h"
#include "language/ir/build/build.h"

namespace drywarp::analysis {

struct PtxKernel {
  // `declarations`: the module's, up to the kernel's opening brace; `body` without the final ret.
  PtxKernel(const std::string& declarations, const std::string& body) {
    auto built = ir::parse_module(
        ".version 8.3\n.target sm_90\n.address_size 64\n" + declarations + body + "\nret;\n}\n", "t.ptx");
    EXPECT_TRUE(built.ok()) << built.problem().to_string();
    if (!built.ok()) return;
    module = std::move(*built);
    f = module.functions[module.find_function("k")];
    flow = control_flow(f);
  }
  ir::Module module;
  ir::Function f;
  ControlFlow flow;
};

}  // namespace drywarp::analysis
