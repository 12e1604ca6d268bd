// Warp matrix functions (nvcuda::wmma) are not supported yet. A failed include stops the compilation with one error;
// after #error, every use would be an error too.
#include <drywarp/warp_matrix_functions.h>
