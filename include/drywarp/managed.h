// Managed variables are global variables in device code; in host code they are in the section drywarp_managed. If the
// runtime has __drywarp_register_managed, it gets the section's bounds before main, and places the device's variables
// there too, so that host and device share the memory.
#ifndef DRYWARP_MANAGED_H
#define DRYWARP_MANAGED_H
#pragma GCC system_header

#if defined(__CUDA__) && !defined(__CUDA_ARCH__)
extern "C" {
// The linker defines the bounds if the section exists.
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
