#include "faces/compile/device_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace drywarp::compile;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

// What find_launches() takes for kernels.
std::vector<std::string> kernels(const std::string& text) {
  std::vector<std::string> out;
  for (const Launch& l : find_launches(text)) out.push_back(text.substr(l.kernel, l.brackets - l.kernel));
  return out;
}

TEST(FindLaunches, KnowsTheKernelsExpression) {
  EXPECT_THAT(kernels("if (x > y) k<<<1, 2>>>(a); else b::k<<<1, 2>>>();"), ElementsAre("k", "b::k"));
  EXPECT_THAT(kernels("return ::a::k<int, (4 > 2)><<<1, 2>>>(a);"), ElementsAre("::a::k<int, (4 > 2)>"));
  EXPECT_THAT(kernels("o.template f<vector<vector<int>>><<<1, 2>>>(a);"),
              ElementsAre("o.template f<vector<vector<int>>>"));
  EXPECT_THAT(kernels("(*p)<<<1, 2>>>(a); if (x) (k)<<<1, 2>>>(a); table[i](3)->f<<<n, m>>>(a);"),
              ElementsAre("(*p)", "(k)", "table[i](3)->f"));
}

TEST(FindLaunches, IgnoresTextAndShifts) {
  EXPECT_THAT(
      kernels("// k<<<1, 1>>>();\n/* k<<<1, 1>>>(); */ s = \"k<<<1, 1>>>()\"; R\"x(k<<<1, 1>>>())x\"; a << b >> c;"),
      IsEmpty());
  EXPECT_THAT(kernels("k<<<1, 1>>>;"), IsEmpty());
  EXPECT_THAT(kernels("<<<1, 1>>>(a);"), IsEmpty());
}

TEST(WithCalls, MovesTheConfigurationInFront) {
  EXPECT_EQ(with_calls("if (x) a::k<T><<<dim3(1, f(2)), g[1], 0,\n s>>>(a, h(b)); k<<<1, 2>>> ();"),
            "if (x) (__drywarp_configure_launch(dim3(1, f(2)), g[1], 0,\n s), a::k<T>(a, h(b)), "
            "__drywarp_launched()); (__drywarp_configure_launch(1, 2), k (), __drywarp_launched());");
}

TEST(WithoutLaunches, KeepsLinesAndColumns) {
  const std::string text = "a; k<<<1,\n2>>>(x); k<<<3, 4>>>(y); b;";
  const std::vector<Launch> all = find_launches(text);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(without_launches(text, {all[1].brackets}), "a; k<<<1,\n2>>>(x); ((void)0)     ; b;");
  EXPECT_EQ(without_launches("k<<<1,1>>>(); b;", {1}), "((void)0)   ; b;");
  // A line end where the statement would stand.
  EXPECT_EQ(without_launches("k<<<1,\n\n1,\n2\n>>>(); b;", {1}), "      \n\n  \n \n     ; b;");
}

TEST(DeviceLaunches, LearnsFromErrorsInDeviceCodeAlone) {
  const std::string path = "/nowhere/a.cu";
  const std::string text = "void h() { k<<<1, 1>>>(); }\n__global__ void p() { k<<<1, 1>>>(); }\n";
  DeviceLaunches launches;
  EXPECT_FALSE(launches.learn(path + ":1:12: error: no matching function for call to 'k'\n"
                                     "b.h:3:17: note: candidate function not viable: requires 1 argument\n",
                              {{path, text}}));
  EXPECT_FALSE(launches.any());
  const std::string error =
      path +
      ":2:23: error: no matching function for call to 'k'\n"
      "b.h:3:17: note: candidate function not viable: call to __global__ function from __global__ "
      "function\n";
  EXPECT_TRUE(launches.learn(error, {{path, text}}));
  EXPECT_EQ(launches.host_texts({}).at(path), "void h() { k<<<1, 1>>>(); }\n__global__ void p() { ((void)0)    ; }\n");
  EXPECT_EQ(find_launches(launches.device_texts({}).at(path)).size(), 0u);
  EXPECT_FALSE(launches.learn(error, {{path, text}})) << "nothing new";
}

}  // namespace
