#include "model/machine/machine_code.h"

#include <type_traits>

namespace drywarp::machine {

namespace {

constexpr OperationInfo kOperations[] = {
#define DW_OPERATION(name, mnemonic, pipe, timing) {mnemonic, Pipe::pipe, TimingClass::timing},
#include "base/device/operations.def"
};
constexpr const char* kPipes[] = {
#define DW_PIPE(name, text, description) text,
#include "base/device/operations.def"
};
constexpr const char* kTimingKeys[] = {
#define DW_TIMING_CLASS(name, key, description) key,
#include "base/device/operations.def"
};

}  // namespace

const OperationInfo& info(Operation op) { return kOperations[unsigned(op)]; }
const char* name(Pipe pipe) { return kPipes[unsigned(pipe)]; }
const char* key(TimingClass timing) { return kTimingKeys[unsigned(timing)]; }

uint64_t MachineKernel::instruction_count() const {
  uint64_t count = 0;
  for (const MachineBlock& block : blocks) count += block.instructions.size();
  return count;
}

namespace {

// Digests all fields of a MachineKernel. Structured bindings name every member, so a member that is missing here does
// not compile.
class Bytes {
 public:
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(T value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(const RegisterRange& range) {
    const auto& [file, first, count] = range;
    all(file, first, count);
  }
  void add(const MachineInstruction& instruction) {
    const auto& [op, destination, source, guard, space, bytes, spill, frame_word, past_l1, constant, one_lane, ptx,
                 step, access, merged_access, merged_step, line, file] = instruction;
    each(destination);
    each(source);
    each(merged_access);
    each(merged_step);
    all(op, guard, space, bytes, spill, frame_word, past_l1, constant, one_lane, ptx, step, access, line, file);
  }
  void add(const PathStep& path_step) {
    const auto& [block, optional] = path_step;
    all(block, optional);
  }
  void add(const MachineBlock& block) {
    const auto& [path, instructions] = block;
    each(path);
    each(instructions);
  }
  template <class Range>
  void each(const Range& values) {
    add(std::size(values));
    for (const auto& value : values) add(value);
  }
  template <class... T>
  void all(const T&... values) {
    (add(values), ...);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

void add(Digester& digester, const MachineKernel& kernel) {
  const auto& [name, compute_capability, registers, at_bounds, spill_store_bytes, spill_load_bytes, spill_frame_bytes,
               barriers, predicates, code_bytes, blocks, texts] = kernel;
  static_cast<void>(texts);  // they follow from the rest
  Bytes bytes;
  bytes.all(compute_capability, registers, at_bounds, spill_store_bytes, spill_load_bytes, spill_frame_bytes, barriers,
            predicates, code_bytes);
  bytes.each(blocks);
  digester.add(name).add(bytes.text());
}

}  // namespace drywarp::machine
