// The functions that generated code calls: jit::DW_RUNTIME_FUNCTIONS, with C linkage. Defined in runtime_<what>.cpp.
#pragma once

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

// Every one of them with its address, for the JIT.
std::vector<jit::RuntimeSymbol> runtime_symbols();

}  // namespace drywarp::exec

extern "C" {
using drywarp::jit::AccessSite;
using drywarp::jit::WarpContext;
void dw_load_affine(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space, uint32_t base,
                    uint32_t stride1, uint32_t stride2, uint32_t how, uint64_t scale, uint64_t addend, uint32_t mask,
                    uint32_t bytes, uint32_t count, void* out);
void dw_store_affine(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space, uint32_t base,
                     uint32_t stride1, uint32_t stride2, uint32_t how, uint64_t scale, uint64_t addend, uint32_t mask,
                     uint32_t bytes, uint32_t count, void* in);
void dw_load(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space, void* addresses,
             uint32_t mask, uint32_t bytes, uint32_t count, void* out);
void dw_store(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space, void* addresses,
              uint32_t mask, uint32_t bytes, uint32_t count, void* in);
void dw_atomic(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space, uint32_t what,
               void* addresses, uint32_t mask, void* a, void* b, void* out);
void dw_check_affine(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space, uint32_t base,
                     uint32_t stride1, uint32_t stride2, uint32_t how, uint64_t scale, uint64_t addend, uint32_t mask,
                     uint32_t bytes, uint32_t op);
void dw_check_lanes(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space, void* addresses,
                    uint32_t mask, uint32_t bytes, uint32_t op);
void dw_copy_async(WarpContext* context, AccessSite* sites, uint32_t instruction, void* to, void* from, uint32_t mask,
                   uint32_t bytes, void* source_bytes, uint32_t op);
void dw_copy_lanes(void* to, void* from, uint32_t mask, uint32_t bytes);
uint32_t dw_barrier(WarpContext* context, uint32_t instruction, uint32_t kind, uint32_t barrier, uint32_t threads,
                    uint32_t mask, uint32_t predicate);
void dw_let_others_read(WarpContext* context);
void dw_mbarrier(WarpContext* context, uint32_t instruction, uint32_t kind, void* addresses, uint32_t mask,
                 void* operands, void* out);
uint32_t dw_back_edge(WarpContext* context, uint32_t block, uint32_t mask, uint32_t waiting);
void dw_hand_over(WarpContext* context, uint32_t block, uint32_t mask, uint32_t depth, uint32_t returned);
void dw_trap(WarpContext* context, uint32_t instruction, uint32_t reason, uint32_t mask);
void dw_call_external(WarpContext* context, uint32_t instruction, uint32_t function, uint32_t mask, uint64_t frame);
void dw_call_indirect(WarpContext* context, uint32_t instruction, uint32_t mask, void* targets, uint32_t after);
void dw_call_direct(WarpContext* context, uint32_t instruction, uint32_t mask, uint32_t function, uint32_t after);
void dw_trace_step(WarpContext* context, uint32_t block, uint32_t mask);
void dw_trace_access(WarpContext* context, uint32_t slot, uint32_t space, void* addresses, uint32_t mask,
                     uint32_t bytes, uint32_t kind);
void dw_trace_barrier(WarpContext* context, uint32_t barrier, uint32_t threads, uint32_t mask);
void dw_watch(WarpContext* context, uint32_t space, void* addresses, uint32_t mask, uint32_t bytes, uint32_t elements,
              uint32_t kind, void* values);
uint64_t dw_clock(WarpContext* context, uint32_t kind);
void dw_check_reads(WarpContext* context, uint32_t instruction, void* addresses, void* counts, uint32_t mask,
                    uint32_t bytes);
void dw_sleep(WarpContext* context, uint32_t nanoseconds);
void dw_group_go(WarpContext* context, uint32_t block, uint32_t mask);
void dw_group_exit(WarpContext* context, uint32_t mask);
void dw_group_return(WarpContext* context, uint32_t mask);
void dw_group_call(WarpContext* context, uint32_t instruction, uint32_t mask, uint32_t function, uint32_t after);
void dw_group_call_indirect(WarpContext* context, uint32_t instruction, uint32_t mask, void* targets, uint32_t after);
void dw_group_converge(WarpContext* context, uint32_t block, uint32_t mask, uint32_t members);
void dw_group_warp_sync(WarpContext* context, uint32_t next, uint32_t mask, uint32_t members);
void dw_group_barrier(WarpContext* context, uint32_t instruction, uint32_t next, uint32_t kind, uint32_t barrier,
                      uint32_t threads, uint32_t mask, uint32_t predicate);
}
