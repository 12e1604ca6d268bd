// NVTX ranges of the calling thread and of the process, for every way to call NVTX.
#pragma once

#include <cstdint>

#include "nvtx3/nvToolsExt.h"

namespace drywarp::cudart::nvtx {

int push(const char* text);  // depth before
int push_wide(const wchar_t* text);
int push_attributes(const nvtxEventAttributes_t* attributes);
int pop();  // depth after; -2 if none is open
uint64_t start(const char* text);
uint64_t start_wide(const wchar_t* text);
uint64_t start_attributes(const nvtxEventAttributes_t* attributes);
void end(uint64_t range);

// Ranges of domains count as the thread's. A registered string is represented by its text.
int domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes);
int domain_pop(nvtxDomainHandle_t domain);
uint64_t domain_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes);
void domain_end(nvtxDomainHandle_t domain, uint64_t range);
nvtxStringHandle_t domain_register(nvtxDomainHandle_t domain, const char* text);
nvtxDomainHandle_t domain_create(const char* name);

}  // namespace drywarp::cudart::nvtx
