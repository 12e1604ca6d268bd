// The name that cuSPARSE had for its second interface, now the only one.
#pragma once
#include "cusparse.h"
