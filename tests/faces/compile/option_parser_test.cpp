#include "faces/compile/nvcc_options/option_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "faces/compile/nvcc_options/compilation.h"
#include "faces/compile/nvcc_options/option_table.h"

namespace drywarp::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Words = std::vector<std::string>;

Compilation parsed(const Words& words) {
  Result<Compilation> compilation = parse_options(words);
  EXPECT_TRUE(compilation.ok()) << (compilation.ok() ? "" : compilation.problem().to_string());
  return compilation.ok() ? *compilation : Compilation();
}

std::string problem_of(const Words& words) {
  Result<Compilation> compilation = parse_options(words);
  return compilation.ok() ? "" : compilation.problem().message;
}

TEST(OptionTable, EveryNameIsUnique) {
  std::set<std::string> names;
  for (const Option& option : option_table()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    if (option.alias && option.alias != std::string(option.name))
      EXPECT_TRUE(names.insert(option.alias).second) << option.alias;
  }
}

TEST(OptionTable, HonouredOptionsApplyAndOthersSayWhyNot) {
  const std::set<std::string> known_to_the_parser = {"--x", "--options-file"};
  for (const Option& option : option_table()) {
    if (option.treatment == Treatment::Honoured) {
      EXPECT_TRUE(option.apply || known_to_the_parser.contains(option.name)) << option.name;
    } else {
      EXPECT_EQ(option.apply, nullptr) << option.name;
    }
    EXPECT_GT(std::string(option.help).size(), 1u) << option.name;
  }
}

TEST(OptionTable, EveryWarnedOptionWarnsByNameAndEveryRefusedOneFails) {
  for (const Option& option : option_table()) {
    for (const char* name : {option.name, option.alias}) {
      if (!name) continue;
      Words words = {name};
      if (option.form == OptionForm::Value || option.form == OptionForm::List) words.emplace_back("x");
      words.emplace_back("a.cu");
      Result<Compilation> compilation = parse_options(words);
      if (option.treatment == Treatment::Refused) {
        ASSERT_FALSE(compilation.ok()) << name;
        EXPECT_THAT(compilation.problem().message, HasSubstr(name));
      } else if (option.treatment == Treatment::Warned) {
        ASSERT_TRUE(compilation.ok()) << name;
        ASSERT_EQ(compilation->warnings.size(), 1u) << name;
        EXPECT_THAT(compilation->warnings[0], HasSubstr(name));
      } else if (option.treatment == Treatment::Silent) {
        ASSERT_TRUE(compilation.ok()) << name;
        EXPECT_THAT(compilation->warnings, IsEmpty()) << name;
        EXPECT_EQ(compilation->inputs.size(), 1u) << name << " took the source as its value";
      }
    }
  }
}

TEST(OptionParser, TakesValuesJoinedSeparateAndWithEqualSigns) {
  for (const Words& words : {Words{"-o", "app", "a.cu"}, Words{"-o=app", "a.cu"}, Words{"--output-file=app", "a.cu"},
                             Words{"--output-file", "app", "a.cu"}, Words{"-output-file", "app", "a.cu"}}) {
    EXPECT_EQ(parsed(words).output, "app") << words[0];
  }
  EXPECT_THAT(
      parsed({"-Iinc", "-I", "b", "-DX=1", "-D", "Y", "-UZ", "-isystem", "s", "-include", "p.h", "a.cu"}).preprocessor,
      ElementsAre("-Iinc", "-Ib", "-DX=1", "-DY", "-UZ", "-isystem", "s", "-include", "p.h"));
}

TEST(OptionParser, LongNamesWinOverShortOnesWithJoinedValues) {
  EXPECT_TRUE(parsed({"-lineinfo", "a.cu"}).link.size() == 1) << "-lineinfo is not -l ineinfo";
  EXPECT_EQ(parsed({"-lib", "a.cu"}).stage, Stage::Library);
  EXPECT_EQ(parsed({"-dc", "a.cu"}).stage, Stage::Object);
  EXPECT_TRUE(parsed({"-dc", "a.cu"}).relocatable);
  EXPECT_EQ(parsed({"-Ofc", "max", "a.cu"}).fast_compile_device, true);
  EXPECT_EQ(parsed({"-O3", "a.cu"}).host_optimization, "3");
  EXPECT_EQ(parsed({"-O", "a.cu"}).inputs.size(), 1u) << "a bare -O takes no value";
  EXPECT_THAT(parsed({"-march=native", "-mavx2", "-Wall", "-fPIC", "a.cu"}).host_options,
              ElementsAre("-march=native", "-mavx2", "-Wall", "-fPIC"));
}

TEST(OptionParser, KeepsTheOrderOfTheLinkLine) {
  Compilation c = parsed({"a.cu", "-Llib", "-lm", "b.o", "-lfoo", "-Xlinker", "-z,now"});
  Words shown;
  for (const LinkItem& item : c.link)
    shown.push_back(item.input >= 0 ? c.inputs[size_t(item.input)].path : item.option);
  EXPECT_THAT(shown, ElementsAre("a.cu", "-Llib", "-lm", "b.o", "-lfoo", "-Wl,-z", "-Wl,now"));
}

TEST(OptionParser, OurRuntimeReplacesTheToolkitsAndMissingLibrariesAreNamed) {
  Compilation c = parsed({"a.cu", "-lcudart", "-lcudart_static", "-lcudadevrt", "-lcuda"});
  EXPECT_EQ(c.link.size(), 1u);
  EXPECT_THAT(c.warnings, IsEmpty());
  EXPECT_THAT(parsed({"a.cu", "-lcudnn"}).warnings, ElementsAre(HasSubstr("-lcudnn")));
  c = parsed({"a.cu", "-lcublas_static", "-lnvrtc", "-lcurand", "-lcusparse_static", "-lcusolver", "-lcufft"});
  EXPECT_THAT(c.warnings, IsEmpty());
  Words linked;
  for (const LinkItem& item : c.link)
    if (item.input < 0) linked.push_back(item.option);
  EXPECT_THAT(linked, ElementsAre("-lcublas", "-lnvrtc", "-lcurand", "-lcusparse", "-lcusolver", "-lcufft"));
}

TEST(OptionParser, SplitsListsAtCommasOutsideQuotes) {
  EXPECT_THAT(
      parsed({"-Xcompiler", "-Wall,-Wextra", "-Xcompiler=-fPIC", "--compiler-options", "-DA='b, c' -O2", "a.cu"})
          .host_options,
      ElementsAre("-Wall", "-Wextra", "-fPIC", "-DA=b, c", "-O2"));
}

// The device's compute capability, or the nearest older one that clang knows; -arch takes precedence.
TEST(OptionParser, CompilesForADevice) {
  for (const auto& [device, compiled] : std::vector<std::pair<int, int>>{
           {90, 90}, {80, 80}, {52, 52}, {88, 87}, {100, 90}, {120, 90}, {36, 35}, {30, 35}, {13, 35}}) {
    Compilation c = parsed({"a.cu"});
    compile_for_device(c, device);
    EXPECT_THAT(effective_architectures(c), ElementsAre(compiled)) << device;
  }
  Compilation given = parsed({"-arch=sm_60", "a.cu"});
  compile_for_device(given, 80);
  EXPECT_THAT(effective_architectures(given), ElementsAre(60));
}

TEST(OptionParser, ReadsArchitecturesInEverySpelling) {
  EXPECT_THAT(effective_architectures(parsed({"a.cu"})), ElementsAre(90));
  EXPECT_THAT(effective_architectures(parsed({"-arch=sm_80", "a.cu"})), ElementsAre(80));
  EXPECT_THAT(effective_architectures(parsed({"-arch", "compute_75", "-code=sm_75,compute_75", "a.cu"})),
              ElementsAre(75));
  EXPECT_THAT(effective_architectures(parsed({"-gencode", "arch=compute_90,code=[sm_90,compute_90]",
                                              "-gencode=arch=compute_70,code=sm_70", "a.cu"})),
              ElementsAre(70, 90));
  EXPECT_THAT(effective_architectures(parsed({"-arch=native", "a.cu"})), ElementsAre(90));
  Compilation newer =
      parsed({"-gencode", "arch=compute_120,code=sm_120", "-gencode", "arch=compute_100a,code=sm_100a", "a.cu"});
  EXPECT_THAT(effective_architectures(newer), ElementsAre(90));
  EXPECT_THAT(newer.warnings, ElementsAre(HasSubstr("compute_120"), HasSubstr("compute_100a")));
  EXPECT_THAT(problem_of({"-arch=pentium", "a.cu"}), HasSubstr("pentium"));
}

TEST(OptionParser, FastMathIsItsFourParts) {
  Compilation c = parsed({"--use_fast_math", "a.cu"});
  EXPECT_TRUE(c.fast_math && c.flush_denormals && c.fuse_multiply_add && !c.precise_division && !c.precise_square_root);
  c = parsed({"-use_fast_math", "-prec-div=true", "-ftz", "false", "a.cu"});
  EXPECT_TRUE(c.precise_division && !c.flush_denormals && !c.precise_square_root);
  EXPECT_THAT(problem_of({"-ftz=perhaps", "a.cu"}), HasSubstr("perhaps"));
}

TEST(OptionParser, LanguageFollowsTheNameOrTheOption) {
  const auto languages = [](const std::vector<std::string>& arguments) {
    std::vector<Language> found;
    for (const Input& input : parsed(arguments).inputs) found.push_back(input.language);
    return found;
  };
  EXPECT_THAT(languages({"a.cu", "b.cpp", "c.c", "d.o", "libe.a", "libf.so.1"}),
              ElementsAre(Language::Cuda, Language::Cxx, Language::C, Language::Object, Language::Archive,
                          Language::SharedObject));
  // Of all inputs, before or behind it; the last one, if there are several.
  EXPECT_THAT(languages({"a.txt", "b.cpp", "d.o", "-x", "cu", "g.c"}),
              ElementsAre(Language::Cuda, Language::Cuda, Language::Object, Language::Cuda));
  EXPECT_THAT(languages({"-x", "c++", "a.cpp", "-x", "cu", "b.cpp"}), ElementsAre(Language::Cuda, Language::Cuda));
  EXPECT_THAT(problem_of({"kernel.ptx"}), HasSubstr("PTX"));
  EXPECT_THAT(problem_of({"notes.txt"}), HasSubstr("notes.txt"));
  EXPECT_THAT(problem_of({"-x", "fortran", "a.f"}), HasSubstr("fortran"));
}

TEST(OptionParser, UnknownOptionsAndMissingValuesAreErrors) {
  EXPECT_THAT(problem_of({"-nonsense", "a.cu"}), HasSubstr("-nonsense"));
  EXPECT_THAT(problem_of({"a.cu", "-o"}), HasSubstr("-o"));
  EXPECT_THAT(parsed({"-forward-unknown-to-host-compiler", "-nonsense", "a.cu"}).host_options,
              ElementsAre("-nonsense"));
  EXPECT_THAT(problem_of({"-Werror", "a.cu"}), HasSubstr("a.cu")) << "-Werror needs a kind";
}

TEST(OptionParser, ReadsOptionsFiles) {
  auto path = std::filesystem::temp_directory_path() / "drywarp_options_test.txt";
  std::ofstream(path) << "-DFROM_FILE -I \"with space\"\n-O1 -I\"and more\" -DTEXT='\"a,b\"'";
  for (const Words& words : {Words{"@" + path.string(), "a.cu"}, Words{"-optf", path.string(), "a.cu"}}) {
    Compilation c = parsed(words);
    EXPECT_THAT(c.preprocessor, ElementsAre("-DFROM_FILE", "-Iwith space", "-Iand more", "-DTEXT=\"a,b\""));
    EXPECT_EQ(c.host_optimization, "1");
  }
  std::ofstream(path) << "@" << path.string();
  EXPECT_THAT(problem_of({"@" + path.string()}), HasSubstr("include each other"));
  std::filesystem::remove(path);
}

TEST(OptionParser, AppliesMeaningfulPtxasOptions) {
  EXPECT_EQ(parsed({"-Xptxas", "-O0", "a.cu"}).fast_compile_device, true);
  EXPECT_EQ(parsed({"-Xptxas=-maxrregcount=24,-O3", "a.cu"}).max_registers, 24);
  EXPECT_THAT(parsed({"-Xptxas", "-v", "a.cu"}).warnings, ElementsAre(HasSubstr("-Xptxas -v")));
  EXPECT_EQ(parsed({"-maxrregcount=32", "a.cu"}).max_registers, 32);
  EXPECT_THAT(problem_of({"-maxrregcount", "many", "a.cu"}), HasSubstr("many"));
}

TEST(OptionLength, CountsSeparateValues) {
  EXPECT_EQ(option_length(Words{"-o", "x", "y"}), 2u);
  EXPECT_EQ(option_length(Words{"-ox", "y"}), 1u);
  EXPECT_EQ(option_length(Words{"-O", "y"}), 1u);
  EXPECT_EQ(option_length(Words{"-rdc", "true"}), 2u);
  EXPECT_EQ(option_length(Words{"-rdc=true", "true"}), 1u);
  EXPECT_EQ(option_length(Words{"-Wall", "y"}), 1u);
  EXPECT_EQ(option_length(Words{"--metrics", "y"}), 0u);
}

}  // namespace
}  // namespace drywarp::compile
