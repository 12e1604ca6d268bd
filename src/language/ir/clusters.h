// Clusters of thread blocks (PTX ISA, "Cluster of Cooperative Thread Arrays").
#pragma once

#include "language/ir/kernel.h"

namespace drywarp::ir {

// Whether the code reads its position in a cluster, or uses the cluster's shared memory or barrier. Blocks of other
// kernels do not notice that they are a part of one.
[[nodiscard]] bool uses_clusters(const Function& code);

}  // namespace drywarp::ir
