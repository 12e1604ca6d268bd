// What a program never destroys, memory and other objects.
// TOOLS: leakcheck
// FINDS: leak -
// FINDS: leak -
// FINDS: left-object @STREAM
// FINDS: left-object @EVENT
// FINDS: left-object @GRAPH
// FINDS: left-object @CAPTURED
// FINDS: left-object @EXEC
// FINDS: left-object @TEXTURE
// FINDS: left-object @SURFACE
// FINDS: left-object @POOL
// FINDS: left-object @PINNED
// FINDS: left-object @REGISTERED
#include <cstdio>
#include <cstring>

static char registered[8192];

static cudaTextureObject_t texture_of(cudaArray_t array) {
  cudaTextureObject_t texture;
  cudaResourceDesc resource = {};
  cudaTextureDesc sampling = {};
  resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
  cudaCreateTextureObject(&texture, &resource, &sampling, nullptr);  // @TEXTURE
  return texture;
}
static cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaSurfaceObject_t surface;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
  cudaCreateSurfaceObject(&surface, &resource);  // @SURFACE
  return surface;
}
static cudaMemPool_t pool_of_device() {
  cudaMemPool_t pool;
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPoolCreate(&pool, &properties);  // @POOL
  return pool;
}

// One of each: the second time, they are destroyed.
static void make(bool destroys) {
  void *memory, *pinned;
  cudaArray_t array;
  cudaStream_t stream;
  cudaEvent_t event;
  cudaGraph_t graph, captured;
  cudaGraphExec_t exec;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMalloc(&memory, 1000);
  cudaMallocArray(&array, &format, 16, 16, cudaArraySurfaceLoadStore);
  cudaMallocHost(&pinned, 100);  // @PINNED
  cudaHostRegister(registered, sizeof registered, 0);  // @REGISTERED
  cudaStreamCreate(&stream);  // @STREAM
  cudaEventCreate(&event);  // @EVENT
  cudaGraphCreate(&graph, 0);  // @GRAPH
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);  // @CAPTURED
  cudaMemsetAsync(memory, 0, 100, stream);
  cudaStreamEndCapture(stream, &captured);
  cudaGraphInstantiate(&exec, captured, 0);  // @EXEC
  const cudaTextureObject_t texture = texture_of(array);
  const cudaSurfaceObject_t surface = surface_of(array);
  const cudaMemPool_t pool = pool_of_device();
  if (!destroys) return;
  cudaMemPoolDestroy(pool);
  cudaDestroySurfaceObject(surface);
  cudaDestroyTextureObject(texture);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(captured);
  cudaGraphDestroy(graph);
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
  cudaHostUnregister(registered);
  cudaFreeHost(pinned);
  cudaFreeArray(array);
  cudaFree(memory);
}

int main() {
  make(true);
  make(false);
}
