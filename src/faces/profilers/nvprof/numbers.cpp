#include "faces/profilers/nvprof/numbers.h"
