// Warp matrix functions (nvcuda::wmma) are not here yet. A program that includes this header is told so once, and not
// at every use, which is what #error would lead to: only an include that fails ends the compilation.
#include <drywarp/warp_matrix_functions.h>
