// Of the programs of this folder: a condition that does not hold ends the program.
#pragma once

#include <cstdio>
#include <cstdlib>

#define EXPECT(condition)                                         \
  do {                                                            \
    if (!(condition)) {                                           \
      std::printf("line %d: not so: %s\n", __LINE__, #condition); \
      std::exit(1);                                               \
    }                                                             \
  } while (0)
