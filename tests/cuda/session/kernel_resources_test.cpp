// One lowering a kernel, with the kernel's number of registers from any source.
#include "cuda/modules/kernel_resources.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/support/whole_file.h"
#include "language/analysis/passes.h"
#include "language/ir/build/build.h"
#include "language/ir/passes.h"
#include "model/machine/code_codec.h"
#include "model/machine/machine_code.h"
#include "model/sm/residency.h"

namespace drywarp::cuda {
namespace {

device::DeviceSpec h200() {
  auto spec = device::load_device("h200");
  if (!spec) throw std::runtime_error(spec.problem().to_string());
  return *spec;
}

// A kernel with a hundred live values.
CompiledKernel compiled(const std::string& bounds, std::shared_ptr<const fatbin::CompiledTable> table = nullptr,
                        KernelInfo info = {}, const std::string& cache = {}, std::string_view digest = {}) {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry hungry(.param .u64 p) " + bounds +
                     " {\n.reg .f32 %f<100>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n";
  for (int i = 0; i < 100; ++i) text += "ld.volatile.global.f32 %f" + std::to_string(i) + ", [%rd1];\n";
  for (int i = 100; i-- > 0;) text += "st.volatile.global.f32 [%rd1], %f" + std::to_string(i) + ";\n";
  text += "ret;\n}\n";
  auto module = ir::parse_module(text, "hungry.ptx");
  if (!module) throw std::runtime_error(module.problem().to_string());
  const analysis::KernelToRun kernel = analysis::kernel_to_run(*module, 0);
  info.name = "hungry";
  return KernelResourceModel(h200(), std::move(table), 0, false, cache)
      .compile(*module, kernel.parts, std::move(info), digest);
}

std::shared_ptr<const fatbin::CompiledTable> ptxas(const char* spills, const char* registers) {
  auto read = fatbin::read_ptxas_info(std::string("ptxas info    : Compiling entry function 'hungry' for 'sm_90'\n"
                                                  "ptxas info    : Function properties for hungry\n    ") +
                                      spills + "\nptxas info    : Used " + registers + ", used 0 barriers\n");
  if (!read) throw std::runtime_error(read.problem().to_string());
  auto table = std::make_shared<fatbin::CompiledTable>();
  table->add(std::move(*read), fatbin::CompiledBy::PtxasInfo);
  return table;
}

TEST(KernelResources, AnEstimateIsOfTheCodeThatIsTimed) {
  const CompiledKernel free = compiled("");
  EXPECT_EQ(free.info->resources_from, ResourceSource::Estimate);
  EXPECT_GT(free.info->registers, 100u);
  ASSERT_NE(free.machine_code, nullptr);
  EXPECT_EQ(free.machine_code->registers, free.info->registers);
}

TEST(KernelResources, LaunchBoundsHoldForTheCodeThatIsTimed) {
  const CompiledKernel bound = compiled(".maxntid 1024, 1, 1");
  EXPECT_EQ(bound.info->resources_from, ResourceSource::LaunchBounds);
  EXPECT_EQ(bound.info->registers, 64u);
  EXPECT_GT(bound.info->spill_store_bytes, 0u);
  ASSERT_NE(bound.machine_code, nullptr);
  EXPECT_EQ(bound.machine_code->registers, 64u);
  EXPECT_EQ(bound.machine_code->spill_store_bytes, bound.info->spill_store_bytes);
  EXPECT_EQ(compiled(".maxnreg 48").info->registers, 48u);
  // Launch bounds that do not limit the registers are not their source.
  EXPECT_EQ(compiled(".maxntid 128, 1, 1").info->resources_from, ResourceSource::Estimate);
}

TEST(KernelResources, ACompilersWordHoldsForTheCodeThatIsTimed) {
  const CompiledKernel told =
      compiled("", ptxas("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", "80 registers"));
  EXPECT_EQ(told.info->resources_from, ResourceSource::PtxasInfo);
  EXPECT_EQ(told.info->registers, 80u);
  ASSERT_NE(told.machine_code, nullptr);
  EXPECT_EQ(told.machine_code->registers, 80u);
  EXPECT_EQ(told.machine_code->spill_store_bytes, 0u) << "it spilled nothing";
  const CompiledKernel spilt =
      compiled("", ptxas("160 bytes stack frame, 160 bytes spill stores, 160 bytes spill loads", "64 registers"));
  EXPECT_GT(spilt.machine_code->spill_store_bytes, 0u);
  EXPECT_EQ(spilt.info->spill_store_bytes, 160u);
  // More registers than the launch bounds allow: the bounds are from another compilation.
  EXPECT_EQ(
      compiled(".maxnreg 48", ptxas("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", "96 registers"))
          .machine_code->registers,
      96u);
}

TEST(KernelResources, WhatTheProgramCarriesIsKeptUnlessTheUserSaysOtherwise) {
  KernelInfo carried;
  carried.registers = 72, carried.resources_from = ResourceSource::Cubin;
  const CompiledKernel own = compiled("", std::make_shared<fatbin::CompiledTable>(), carried);
  EXPECT_EQ(own.info->registers, 72u);
  EXPECT_EQ(own.info->resources_from, ResourceSource::Cubin);
  EXPECT_EQ(own.machine_code->registers, 72u);
  const CompiledKernel given =
      compiled("", ptxas("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", "80 registers"), carried);
  EXPECT_EQ(given.info->registers, 80u);
  EXPECT_EQ(given.info->resources_from, ResourceSource::PtxasInfo);
}

TEST(KernelResources, MachineCodeIsKeptBetweenRuns) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("drywarp_code_" + std::to_string(::getpid()));
  const auto kept = [&] {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    return files;
  };
  const CompiledKernel first = compiled("", nullptr, {}, folder, "text 1");
  ASSERT_EQ(kept().size(), 1u);
  const std::string file = kept()[0];
  EXPECT_EQ(*read_whole(file), machine::encode(*first.machine_code));

  machine::MachineKernel other = *first.machine_code;  // shows whether the file was read
  other.registers += 3;
  ASSERT_TRUE(write_whole(file, machine::encode(other)));
  EXPECT_EQ(compiled("", nullptr, {}, folder, "text 1").info->registers, first.info->registers + 3);
  EXPECT_EQ(compiled("", nullptr, {}, folder, "text 2").info->registers, first.info->registers) << "of another text";
  EXPECT_EQ(compiled("").info->registers, first.info->registers) << "without a cache";
  const CompiledKernel told =
      compiled("", ptxas("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", "80 registers"), {}, folder,
               "text 1");
  EXPECT_EQ(told.info->registers, 80u) << "scheduled for another number";

  ASSERT_TRUE(write_whole(file, "damaged"));
  EXPECT_EQ(compiled("", nullptr, {}, folder, "text 1").info->registers, first.info->registers);
  EXPECT_EQ(*read_whole(file), machine::encode(*first.machine_code)) << "and is written again";
  fs::remove_all(folder);
}

TEST(LaunchOccupancy, AnEstimateForbidsNoBlockAndACompilersWordDoes) {
  KernelInfo kernel;
  kernel.registers = 100;
  EXPECT_EQ(sm::occupancy_request(h200(), kernel, {1024, 0}).registers_per_thread, 64u);
  kernel.resources_from = ResourceSource::LaunchBounds;
  EXPECT_EQ(sm::occupancy_request(h200(), kernel, {1024, 0}).registers_per_thread, 64u);
  kernel.resources_from = ResourceSource::Cubin;
  EXPECT_EQ(sm::occupancy_request(h200(), kernel, {1024, 0}).registers_per_thread, 100u);
}

}  // namespace
}  // namespace drywarp::cuda
