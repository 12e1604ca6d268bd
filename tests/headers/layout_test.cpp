// Sizes and numbers that binaries made by other compilers rely on.
#include <gtest/gtest.h>

#include <cstddef>

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace {

TEST(LayoutTest, StructuresHaveCudasSizes) {
  EXPECT_EQ(sizeof(cudaDeviceProp), 1032u);
  EXPECT_EQ(offsetof(cudaDeviceProp, clockRate), 348u);
  EXPECT_EQ(offsetof(cudaDeviceProp, multiProcessorCount), 388u);
  EXPECT_EQ(sizeof(cudaFuncAttributes), 144u);
  EXPECT_EQ(sizeof(cudaMemcpy3DParms), 160u);
  EXPECT_EQ(sizeof(cudaPointerAttributes), 88u);
  EXPECT_EQ(sizeof(cudaLaunchConfig_t), 56u);
  EXPECT_EQ(sizeof(cudaLaunchAttribute), 72u);
  EXPECT_EQ(sizeof(cudaResourceDesc), 144u);
  EXPECT_EQ(sizeof(cudaTextureDesc), 72u);
  EXPECT_EQ(sizeof(cudaGraphNodeParams), 256u);
  EXPECT_EQ(offsetof(cudaGraphNodeParams, kernel), 16u);
  EXPECT_EQ(sizeof(cudaMemcpyNodeParams), 176u);
  EXPECT_EQ(sizeof(cudaMemAllocNodeParamsV2), 120u);
  EXPECT_EQ(offsetof(cudaConditionalNodeParams, phGraph_out), 16u);
  EXPECT_EQ(sizeof(cudaMemcpy3DBatchOp), 112u);
  EXPECT_EQ(offsetof(cudaMemcpy3DBatchOp, extent), 80u);
  EXPECT_EQ(sizeof(cudaExternalMemoryHandleDesc), 104u);
  EXPECT_EQ(sizeof(cudaExternalSemaphoreHandleDesc), 96u);
  EXPECT_EQ(sizeof(cudaExternalSemaphoreSignalParams), 144u);
  EXPECT_EQ(sizeof(cudaExternalSemaphoreWaitParams), 144u);
  EXPECT_EQ(sizeof(dim3), 12u);
  EXPECT_EQ(sizeof(float3), 12u);
  EXPECT_EQ(alignof(float4), 16u);
  EXPECT_EQ(alignof(double2), 16u);
  EXPECT_EQ(alignof(uchar4), 4u);
  EXPECT_EQ(sizeof(__half2), 4u);
}

TEST(LayoutTest, NumbersAreCudas) {
  EXPECT_EQ(cudaErrorMemoryAllocation, 2);
  EXPECT_EQ(cudaErrorInvalidConfiguration, 9);
  EXPECT_EQ(cudaErrorIllegalAddress, 700);
  EXPECT_EQ(cudaErrorMisalignedAddress, 716);
  EXPECT_EQ(cudaErrorLaunchFailure, 719);
  EXPECT_EQ(cudaErrorUnknown, 999);
  EXPECT_EQ(cudaDevAttrMultiProcessorCount, 16);
  EXPECT_EQ(cudaDevAttrComputeCapabilityMajor, 75);
  EXPECT_EQ(cudaFuncAttributeMaxDynamicSharedMemorySize, 8);
  EXPECT_EQ(CUDA_ERROR_NO_DEVICE, 100);
  EXPECT_EQ(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76);
}

// Host arithmetic of halves against the compiler's own 16-bit type, which rounds once as well.
TEST(LayoutTest, HostHalvesRoundToNearestEven) {
  for (unsigned i = 0; i < 65536; i += 5)
    for (unsigned j = 3; j < 65536; j += 331) {
      const __half x = __ushort_as_half(static_cast<unsigned short>(i)),
                   y = __ushort_as_half(static_cast<unsigned short>(j));
      const _Float16 p = __builtin_bit_cast(_Float16, static_cast<unsigned short>(i));
      const _Float16 q = __builtin_bit_cast(_Float16, static_cast<unsigned short>(j));
      const _Float16 sums[] = {static_cast<_Float16>(p + q), static_cast<_Float16>(p * q),
                               static_cast<_Float16>(p / q)};
      const __half ours[] = {x + y, x * y, x / y};
      for (int k = 0; k < 3; ++k) {
        if (sums[k] != sums[k]) {
          ASSERT_TRUE(__hisnan(ours[k]));
        } else {
          ASSERT_EQ(__half_as_ushort(ours[k]), __builtin_bit_cast(unsigned short, sums[k]))
              << i << " " << j << " " << k;
        }
      }
    }
}

TEST(LayoutTest, HostConversionsHonourTheRoundingMode) {
  EXPECT_EQ(__half_as_ushort(__float2half_rn(65519.0f)), 0x7bffu);
  EXPECT_EQ(__half_as_ushort(__float2half_rn(65520.0f)), 0x7c00u);
  EXPECT_EQ(__half_as_ushort(__float2half_rz(65520.0f)), 0x7bffu);
  EXPECT_EQ(__half_as_ushort(__float2half_ru(1.0001f)), 0x3c01u);
  EXPECT_EQ(__half_as_ushort(__float2half_rd(-1.0001f)), 0xbc01u);
  EXPECT_EQ(__half_as_ushort(__float2half_rn(2.98023224e-8f)), 0x0000u);  // half of the smallest: to even
  EXPECT_EQ(__half_as_ushort(__float2half_rn(2.98023259e-8f)), 0x0001u);
  EXPECT_EQ(__half_as_ushort(__hfma(__float2half(3.0f), __float2half(5.0f), __float2half(-15.0f))), 0x0000u);
  EXPECT_EQ(__half2int_rz(__float2half(-2.75f)), -2);
  EXPECT_EQ(__half2int_rn(__float2half(2.5f)), 2);
}

}  // namespace
