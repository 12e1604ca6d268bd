// Texture objects and references, surfaces.
// ptx: tex.2d.v4.f32.f32
// ptx: tex.1d.v4.s32.s32
// ptx: tex.3d.v4.u32.f32
// ptx: suld.b.2d.b32.trap
// ptx: sust.b.2d.v4.b32.clamp
// ptx: .texref image
// no ptx: call
// flags: -include drywarp_texture_names.h
texture<float, cudaTextureType2D, cudaReadModeElementType> image;

__global__ void textures(float4* o, cudaTextureObject_t t, cudaSurfaceObject_t s, float x) {
  o[0] = tex2D<float4>(t, x, x);
  o[1].x = static_cast<float>(tex1Dfetch<int>(t, 3) + static_cast<int>(tex3D<unsigned>(t, x, x, x)));
  o[2].x = tex2D(image, x, x) + surf2Dread<float>(s, 4, 5);
  surf2Dwrite(o[0], s, 16, 5, cudaBoundaryModeClamp);
}
cudaError_t bind(cudaArray_t array) {
  image.addressMode[0] = cudaAddressModeWrap;
  return cudaBindTextureToArray(image, array);
}
