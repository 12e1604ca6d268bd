// NVRTC's C interface.
#include "nvrtc.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "cuda.h"
#include "faces/compile/nvcc_options/compilation.h"
#include "faces/nvrtc/program.h"

using namespace drywarp::nvrtc;

struct _nvrtcProgram {
  Source source;
  std::vector<std::string> expressions;
  bool compiled = false;  // an attempt was made
  std::optional<Output> output;
  std::string log;
  int (*callback)(void*, void*) = nullptr;
  void* payload = nullptr;
};

namespace {

const char* const kErrors[] = {"NVRTC_SUCCESS",
                               "NVRTC_ERROR_OUT_OF_MEMORY",
                               "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                               "NVRTC_ERROR_INVALID_INPUT",
                               "NVRTC_ERROR_INVALID_PROGRAM",
                               "NVRTC_ERROR_INVALID_OPTION",
                               "NVRTC_ERROR_COMPILATION",
                               "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                               "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                               "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                               "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                               "NVRTC_ERROR_INTERNAL_ERROR",
                               "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
                               "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
                               "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
                               "NVRTC_ERROR_PCH_CREATE",
                               "NVRTC_ERROR_CANCELLED",
                               "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED"};

// A text as the caller's buffer of its size gets it.
nvrtcResult size_of(const std::string& text, size_t* size) {
  if (!size) return NVRTC_ERROR_INVALID_INPUT;
  *size = text.size() + 1;
  return NVRTC_SUCCESS;
}
nvrtcResult copy(const std::string& text, char* to) {
  if (!to) return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return NVRTC_SUCCESS;
}

}  // namespace

extern "C" {

const char* nvrtcGetErrorString(nvrtcResult result) {
  return size_t(result) < std::size(kErrors) ? kErrors[result] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
  if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
  *major = CUDA_VERSION / 1000;
  *minor = CUDA_VERSION % 1000 / 10;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* number) {
  if (!number) return NVRTC_ERROR_INVALID_INPUT;
  *number = int(drywarp::compile::known_architectures().size());
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  if (!architectures) return NVRTC_ERROR_INVALID_INPUT;
  std::ranges::copy(drywarp::compile::known_architectures(), architectures);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int count,
                               const char* const* headers, const char* const* names) {
  if (!program || !source || count < 0 || (count > 0 && (!headers || !names))) return NVRTC_ERROR_INVALID_INPUT;
  auto made = std::make_unique<_nvrtcProgram>();
  made->source = {name && *name ? name : "default_program", source, {}};
  for (int i = 0; i < count; ++i) {
    if (!headers[i] || !names[i]) return NVRTC_ERROR_INVALID_INPUT;
    made->source.headers.push_back({names[i], headers[i]});
  }
  *program = made.release();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  if (!program || !*program) return NVRTC_ERROR_INVALID_PROGRAM;
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  if (count < 0 || (count > 0 && !options)) return NVRTC_ERROR_INVALID_INPUT;
  std::vector<std::string> words;
  for (int i = 0; i < count; ++i) {
    if (!options[i]) return NVRTC_ERROR_INVALID_INPUT;
    words.emplace_back(options[i]);
  }
  program->output.reset();
  program->log.clear();
  if (program->callback && program->callback(program->payload, nullptr) != 0) return NVRTC_ERROR_CANCELLED;
  drywarp::Result<CompiledProgram> done = compile_program(program->source, program->expressions, words);
  if (!done) {
    program->log = done.problem().to_string() + '\n';
    return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
  }
  program->log = std::move(done->log);
  if (done->options_wrong) return NVRTC_ERROR_INVALID_OPTION;
  program->compiled = true;
  program->output = std::move(done->output);
  return program->output ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* size) {
  return program && program->output ? size_of(program->output->ptx, size) : NVRTC_ERROR_INVALID_PROGRAM;
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* ptx) {
  return program && program->output ? copy(program->output->ptx, ptx) : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size) {
  if (!program || !program->output) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!size) return NVRTC_ERROR_INVALID_INPUT;
  *size = program->output->cubin.size();
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin) {
  if (!program || !program->output || program->output->cubin.empty()) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!cubin) return NVRTC_ERROR_INVALID_INPUT;
  std::ranges::copy(program->output->cubin, cubin);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size) {
  return program ? size_of(program->log, size) : NVRTC_ERROR_INVALID_PROGRAM;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  return program ? copy(program->log, log) : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!expression) return NVRTC_ERROR_INVALID_INPUT;
  if (program->compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  if (std::ranges::find(program->expressions, expression) == program->expressions.end())
    program->expressions.emplace_back(expression);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!expression || !name) return NVRTC_ERROR_INVALID_INPUT;
  if (!program->output) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  const auto found = program->output->lowered.find(expression);
  if (found == program->output->lowered.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *name = found->second.c_str();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram, size_t*) { return NVRTC_ERROR_INVALID_PROGRAM; }
nvrtcResult nvrtcGetLTOIR(nvrtcProgram, char*) { return NVRTC_ERROR_INVALID_PROGRAM; }
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram, size_t*) { return NVRTC_ERROR_INVALID_PROGRAM; }
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram, char*) { return NVRTC_ERROR_INVALID_PROGRAM; }

nvrtcResult nvrtcGetPCHHeapSize(size_t* size) {
  if (!size) return NVRTC_ERROR_INVALID_INPUT;
  *size = 0;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcSetPCHHeapSize(size_t) { return NVRTC_SUCCESS; }
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program) {
  return program ? NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED : NVRTC_ERROR_INVALID_PROGRAM;
}
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t*) {
  return program ? NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void*, void*), void* payload) {
  if (!program || !callback) return NVRTC_ERROR_INVALID_INPUT;
  program->callback = callback;
  program->payload = payload;
  return NVRTC_SUCCESS;
}

}  // extern "C"
