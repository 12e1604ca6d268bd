#include "drywarp/api/device_runtime.h"
