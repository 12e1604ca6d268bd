#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

// A pass that needs no control flow.
template <void (*run)(Kernel&)>
void alone(Kernel& kernel, const Flow&) {
  run(kernel);
}

constexpr Pass kKernelPasses[] = {
    {"optimize_kernel", alone<optimize_kernel>},
    {"sink_moves", sink_moves},
    {"split_counters", split_counters},
    {"narrow", alone<narrow>},
    {"fold_extensions", alone<fold_extensions>},
    {"fold_shifted_steps", alone<fold_shifted_steps>},
    {"fold_variable_addresses", alone<fold_variable_addresses>},
    {"fold_shared_places", alone<fold_shared_places>},
    {"promote_arrays", promote_arrays},
    {"form_jump_tables", form_jump_tables},
    {"fuse_zero_tests", alone<fuse_zero_tests>},
    {"aggregate_atomics", aggregate_atomics},
    {"share_reciprocals", share_reciprocals},
    {"hoist_invariants", hoist_invariants},
    {"exit_early", alone<exit_early>},
    {"share_special_registers", alone<share_special_registers>},
    {"choose_uniform", choose_uniform},
    {"place_constants", place_constants},
    {"hoist_literals", hoist_literals},
    {"place_barriers", place_barriers},
    {"place_breaks", alone<place_breaks>},
    {"place_exchange_checks", place_exchange_checks},
    {"place_prologue", alone<place_prologue>},
    {"drop_jumps", drop_jumps},
};

constexpr RegionPass kRegionPasses[] = {
    {"drop_repeated_checks", drop_repeated_checks},
    {"share_vector_loads", share_vector_loads},
    {"optimize_regions",
     [](Kernel& kernel, std::vector<Region>& regions) { optimize_regions(kernel, regions, LiveSets(kernel)); }},
    {"settle_indices", settle_indices},
    {"pair_products", [](Kernel&, std::vector<Region>& regions) { pair_products(regions); }},
    {"place_constant_loads", place_constant_loads},
    {"merge_accesses", merge_accesses},
    {"merge_halves", merge_halves},
    {"predicate_selects", predicate_selects},
    {"predicate_steps", predicate_steps},
    {"pair_pointer_halves", pair_pointer_halves},
};

}  // namespace

std::span<const Pass> kernel_passes() { return kKernelPasses; }
std::span<const RegionPass> region_passes() { return kRegionPasses; }

}  // namespace drywarp::sass
