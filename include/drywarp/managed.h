// Managed variables. The device code has them as global variables, the host code in the section drywarp_managed. Where
// the runtime has __drywarp_register_managed, it is told the section's bounds before main, and lets the device's
// variables live there too: one memory that host and device see.
#ifndef DRYWARP_MANAGED_H
#define DRYWARP_MANAGED_H
#pragma GCC system_header

#if defined(__CUDA__) && !defined(__CUDA_ARCH__)
extern "C" {
// The linker defines the bounds where there is such a section.
extern char __start_drywarp_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_drywarp_managed[] __attribute__((weak, visibility("hidden")));
void __drywarp_register_managed(void* begin, void* end) __attribute__((weak));
}
static __attribute__((constructor, used)) void __drywarp_announce_managed() {
  if (__start_drywarp_managed && __drywarp_register_managed)
    __drywarp_register_managed(__start_drywarp_managed, __stop_drywarp_managed);
}
#endif

#endif
