#include "engine/jit/host_cpu.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>

namespace drywarp::jit {

Result<HostCpu> host_cpu(const std::string& most) {
  if (!most.empty() && most != "avx512" && most != "avx2" && most != "sse")
    return error("unknown vector instruction set '" + most + "'", "use avx512, avx2 or sse");
  llvm::StringMap<bool> have = llvm::sys::getHostCPUFeatures();
  bool avx512 = have.lookup("avx512f") && have.lookup("avx512bw") && have.lookup("avx512dq") && have.lookup("avx512vl");
  bool avx2 = have.lookup("avx2") && have.lookup("fma");
  if (most == "avx2" || most == "sse") avx512 = false;
  if (most == "sse") avx2 = false;

  if (!avx2) return HostCpu{"x86-64", "", 128};
  if (!avx512) return HostCpu{"x86-64-v3", "", 256};
  std::string features;
  for (const auto& feature : have) {
    if (!features.empty()) features += ',';
    features += (feature.second ? '+' : '-') + feature.first().str();
  }
  features += ",-prefer-256-bit";
  return HostCpu{llvm::sys::getHostCPUName().str(), features, 512};
}

}  // namespace drywarp::jit
