#include "cuda/fatbin/program_file.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "image_builder.h"

namespace drywarp::fatbin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kHeaderPtx = ".version 8.3\n.target sm_80\n.address_size 64\n";

// A temporary file, deleted at the end of the test.
class Scratch {
 public:
  explicit Scratch(const std::vector<uint8_t>& bytes) {
    char name[] = "/tmp/drywarp_program_XXXXXX";
    close(mkstemp(name));
    path_ = name;
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
  }
  ~Scratch() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Section {
  std::string name;
  std::vector<uint8_t> bytes;
};
std::vector<uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

// An x86-64 program with these libraries, imported symbols and sections; addresses equal file offsets.
std::vector<uint8_t> make_program(const std::vector<std::string>& needed, const std::vector<std::string>& imports,
                                  const std::vector<Section>& extra, const std::vector<int64_t>& paths = {}) {
  std::vector<uint8_t> out(sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr));
  const auto append = [&out](const void* data, size_t size) {
    out.resize((out.size() + 7) / 8 * 8);
    const size_t at = out.size();
    out.resize(at + size);
    std::memcpy(out.data() + at, data, size);
    return at;
  };
  std::string strings(1, '\0'), names(1, '\0');
  std::vector<Elf64_Dyn> dynamic;
  std::vector<Elf64_Sym> symbols(1);
  for (const std::string& n : needed) {
    dynamic.push_back({DT_NEEDED, {strings.size()}});
    strings += n + '\0';
  }
  for (const std::string& n : imports) {
    symbols.emplace_back().st_name = Elf64_Word(strings.size());
    strings += n + '\0';
  }
  std::vector<Elf64_Shdr> sections(1);
  const auto section = [&](const std::string& name, uint32_t type, size_t at, size_t size, uint32_t link) {
    Elf64_Shdr& s = sections.emplace_back();
    s.sh_name = Elf64_Word(names.size()), s.sh_type = type, s.sh_offset = at, s.sh_size = size, s.sh_link = link;
    names += name + '\0';
  };
  for (const int64_t tag : paths) dynamic.push_back({tag, {0}});
  const size_t strings_at = append(strings.data(), strings.size());
  section(".dynstr", SHT_STRTAB, strings_at, strings.size(), 0);
  dynamic.push_back({DT_STRTAB, {strings_at}});
  dynamic.push_back({DT_STRSZ, {strings.size()}});
  dynamic.push_back({DT_NULL, {0}});
  section(".dynsym", SHT_DYNSYM, append(symbols.data(), symbols.size() * sizeof(Elf64_Sym)),
          symbols.size() * sizeof(Elf64_Sym), 1);
  const size_t dynamic_at = append(dynamic.data(), dynamic.size() * sizeof(Elf64_Dyn));
  for (const Section& s : extra)
    section(s.name, SHT_PROGBITS, append(s.bytes.data(), s.bytes.size()), s.bytes.size(), 0);
  const size_t names_size = names.size() + sizeof ".shstrtab";
  names.resize(names_size);  // its own name is at the end
  std::memcpy(names.data() + names_size - sizeof ".shstrtab", ".shstrtab", sizeof ".shstrtab");
  section(".shstrtab", SHT_STRTAB, append(names.data(), names_size), names_size, 0);
  sections.back().sh_name = Elf64_Word(names_size - sizeof ".shstrtab");
  const size_t sections_at = append(sections.data(), sections.size() * sizeof(Elf64_Shdr));
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64, header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_X86_64;
  header.e_phoff = sizeof header, header.e_phnum = 2, header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_shoff = sections_at, header.e_shnum = Elf64_Half(sections.size()), header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shstrndx = Elf64_Half(sections.size() - 1);
  Elf64_Phdr segments[2] = {};
  segments[0].p_type = PT_LOAD, segments[0].p_filesz = out.size();
  segments[1].p_type = PT_DYNAMIC, segments[1].p_offset = dynamic_at;
  segments[1].p_filesz = dynamic.size() * sizeof(Elf64_Dyn);
  std::memcpy(out.data(), &header, sizeof header);
  std::memcpy(out.data() + sizeof header, segments, sizeof segments);
  return out;
}

ProgramFile inspect(const std::vector<uint8_t>& bytes) {
  const Scratch file(bytes);
  const auto program = inspect_program(file.path());
  EXPECT_TRUE(program.ok()) << program.problem().to_string();
  return program ? *program : ProgramFile{};
}

std::vector<uint8_t> runtime_inside() {
  return bytes_of(std::string("CUDA driver version is insufficient for CUDA runtime version") + '\0' + "libcuda.so.1" +
                  '\0');
}

TEST(ProgramFile, FoldersBeforeTheEnvironment) {
  const auto looks_first = [](const std::vector<int64_t>& paths) {
    return inspect(make_program({"libcudart.so.13"}, {}, {}, paths)).rpath_overrides_environment;
  };
  EXPECT_FALSE(looks_first({}));
  EXPECT_TRUE(looks_first({DT_RPATH}));
  EXPECT_FALSE(looks_first({DT_RUNPATH}));
  EXPECT_FALSE(looks_first({DT_RPATH, DT_RUNPATH}));  // the loader then ignores DT_RPATH
}

TEST(ProgramFile, SharedRuntime) {
  const auto program = inspect(make_program(
      {"libcudart.so.12", "libc.so.6"}, {"__cudaRegisterFatBinary"},
      {{".nv_fatbin", make_image({{.kind = 2, .sm = 90, .text = "code"}, {.sm = 90, .text = kHeaderPtx}})}}));
  EXPECT_TRUE(program.elf);
  EXPECT_TRUE(program.x86_64);
  EXPECT_EQ(program.runtime, CudaRuntime::Shared);
  EXPECT_EQ(program.runtime_soname, "libcudart.so.12");
  EXPECT_THAT(program.needed, ElementsAre("libcudart.so.12", "libc.so.6"));
  EXPECT_TRUE(program.has_ptx);
  EXPECT_THAT(program.ptx_targets, ElementsAre(90u));
  EXPECT_THAT(program.sass_targets, ElementsAre(90u));
  EXPECT_FALSE(program.has_sass_only());
}

TEST(ProgramFile, StaticRuntime) {
  const auto image = make_image({{.text = kHeaderPtx}});
  EXPECT_EQ(
      inspect(make_program({"libc.so.6"}, {"dlopen"}, {{".rodata", runtime_inside()}, {".nv_fatbin", image}})).runtime,
      CudaRuntime::Static);
  // All its kernels may be in libraries.
  EXPECT_EQ(inspect(make_program({"libc.so.6"}, {}, {{".rodata", runtime_inside()}})).runtime, CudaRuntime::Static);
  // The driver's error text alone is not enough.
  EXPECT_EQ(
      inspect(make_program({"libc.so.6"}, {},
                           {{".rodata", bytes_of("CUDA driver version is insufficient for CUDA runtime version")}}))
          .runtime,
      CudaRuntime::None);
  // A program with the shared runtime may contain the texts too.
  EXPECT_EQ(inspect(make_program({"libcudart.so.13"}, {}, {{".rodata", runtime_inside()}})).runtime,
            CudaRuntime::Shared);
}

TEST(ProgramFile, RuntimeThroughAnotherLibrary) {
  const auto program = inspect(make_program({"libkernels.so"}, {"__cudaRegisterFatBinary"},
                                            {{".nv_fatbin", make_image({{.text = kHeaderPtx}})}}));
  EXPECT_EQ(program.runtime, CudaRuntime::Shared);
  EXPECT_EQ(program.runtime_soname, "");
}

TEST(ProgramFile, RelocatableDeviceCode) {
  const auto program =
      inspect(make_program({"libcudart.so.13"}, {},
                           {{".nv_fatbin", make_image({{.kind = 2, .sm = 90, .text = "linked"}})},
                            {"__nv_relfatbin", make_image({{.sm = 75, .text = kHeaderPtx, .flags = 0x8011}})}}));
  EXPECT_TRUE(program.has_ptx);
  EXPECT_THAT(program.ptx_targets, ElementsAre(75u));
}

TEST(ProgramFile, MachineCodeOnly) {
  const auto program = inspect(
      make_program({"libcudart.so.13"}, {}, {{".nv_fatbin", make_image({{.kind = 2, .sm = 80, .text = "code"}})}}));
  EXPECT_TRUE(program.has_sass_only());
}

// nvlink writes an empty cubin if no unit has device code. Such a program may load its kernels from files and must be
// accepted.
TEST(ProgramFile, EmptyMachineCode) {
  struct {
    Elf64_Ehdr header{};
    Elf64_Shdr none{};
  } cubin;
  std::memcpy(cubin.header.e_ident, ELFMAG, SELFMAG);
  cubin.header.e_ident[EI_CLASS] = ELFCLASS64;
  cubin.header.e_machine = 190;  // EM_CUDA
  cubin.header.e_shoff = sizeof(Elf64_Ehdr);
  cubin.header.e_shentsize = sizeof(Elf64_Shdr);
  cubin.header.e_shnum = 1;
  const std::string code(reinterpret_cast<const char*>(&cubin), sizeof cubin);
  const auto program = inspect(
      make_program({"libcudart.so.13"}, {}, {{".nv_fatbin", make_image({{.kind = 2, .sm = 90, .text = code}})}}));
  EXPECT_FALSE(program.has_sass_only());
  EXPECT_EQ(program.runtime, CudaRuntime::Shared);
}

TEST(ProgramFile, TextThatClangEmbedded) {
  const auto program = inspect(make_program({"libcudart.so.13"}, {}, {{".nv_fatbin", bytes_of(kHeaderPtx + '\0')}}));
  EXPECT_TRUE(program.has_ptx);
  EXPECT_THAT(program.ptx_targets, ElementsAre(80u));
}

TEST(ProgramFile, NoCuda) {
  const auto shell = inspect_program("/bin/sh");
  ASSERT_TRUE(shell.ok()) << shell.problem().to_string();
  EXPECT_TRUE(shell->elf);
  EXPECT_EQ(shell->runtime, CudaRuntime::None);
  EXPECT_FALSE(shell->has_device_code);
  EXPECT_THAT(shell->needed, testing::Contains("libc.so.6"));
  EXPECT_FALSE(inspect(bytes_of("#!/bin/sh\necho\n")).elf);
  EXPECT_FALSE(inspect({}).elf);
}

TEST(ProgramFile, Errors) {
  EXPECT_THAT(inspect_program("/nowhere/at/all").problem().message, HasSubstr("/nowhere/at/all"));
  auto program = make_program({"libcudart.so.13"}, {}, {{".nv_fatbin", make_image({{.text = kHeaderPtx}})}});
  const Scratch cut({program.begin(), program.begin() + 40});
  EXPECT_FALSE(inspect_program(cut.path()).ok());
  auto damaged = program;
  put<uint64_t>(damaged, offsetof(Elf64_Ehdr, e_shoff), ~0ull);
  const Scratch tables(damaged);
  EXPECT_THAT(inspect_program(tables.path()).problem().message, HasSubstr("outside the file"));
  const Scratch image(make_program({"libcudart.so.13"}, {},
                                   {{".nv_fatbin", bytes_of("\x50\xED\x55\xBA"
                                                            "0123456789abcdef")}}));
  EXPECT_THAT(inspect_program(image.path()).problem().message, HasSubstr(".nv_fatbin"));
}

TEST(ProgramFile, DamagedTablesAreSurvived) {
  const auto good = make_program({"libcudart.so.13", "libc.so.6"}, {"__cudaRegisterFatBinary"},
                                 {{".nv_fatbin", make_image({{.text = kHeaderPtx}})}});
  uint32_t state = 1;
  unsigned fine = 0;
  for (unsigned round = 0; round < 1500; ++round) {
    auto bytes = good;
    for (unsigned i = 0; i < 3; ++i) {
      state = state * 1664525 + 1013904223;
      bytes[16 + (state >> 8) % (bytes.size() - 16)] = uint8_t(state >> 24);
    }
    const Scratch file(bytes);
    fine += inspect_program(file.path()).ok();
  }
  EXPECT_GT(fine, 100u);
}

// Programs linked by nvcc, if it is installed.
TEST(ProgramFile, WhatNvccLinks) {
  if (std::system("command -v nvcc > /dev/null 2>&1") != 0) GTEST_SKIP() << "nvcc is not installed";
  const std::string folder = std::filesystem::temp_directory_path() / ("drywarp_nvcc_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/a.cu") << "__global__ void k(int* p) { *p = 1; }\nint main() { k<<<1, 1>>>(nullptr); return "
                                     "cudaDeviceSynchronize(); }\n";
  const auto build = [&folder](const std::string& options) {
    EXPECT_EQ(std::system(("cd " + folder + " && nvcc " + options + " -o a a.cu").c_str()), 0);
    return inspect_program(folder + "/a");
  };
  const auto shared = build("-arch=sm_90 -cudart shared");
  EXPECT_EQ(shared->runtime, CudaRuntime::Shared);
  EXPECT_THAT(shared->runtime_soname, testing::StartsWith("libcudart.so."));
  EXPECT_TRUE(shared->has_ptx);
  EXPECT_EQ(build("-arch=sm_90")->runtime, CudaRuntime::Static);
  EXPECT_EQ(build("-arch=sm_90 -Xlinker -s")->runtime, CudaRuntime::Static);
  EXPECT_TRUE(build("-arch=sm_90 -cudart shared -rdc=true")->has_ptx);
  EXPECT_TRUE(build("-gencode arch=compute_90,code=sm_90 -cudart shared")->has_sass_only());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace drywarp::fatbin
