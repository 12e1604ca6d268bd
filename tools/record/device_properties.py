#!/usr/bin/env python3
"""Writes a CUDA program that prints every device attribute, property and limit the toolkit's headers know, as `key = value`.

    device_properties.py <folder of the CUDA headers> > device_properties.cu
"""
import re
import sys

header = open(sys.argv[1] + "/driver_types.h").read()
attributes = re.findall(r"\b(cudaDevAttr\w+)\s*=\s*\d+", header)
limits = re.findall(r"\b(cudaLimit\w+)\s*=\s*0x\w+", header)
body = re.search(r"struct __device_builtin__ cudaDeviceProp\s*\{(.*?)\n\};", header, re.S).group(1)
scalars = re.findall(r"^\s*(?:int|size_t|unsigned int)\s+(\w+);", body, re.M)
arrays = re.findall(r"^\s*(?:int|size_t|unsigned int)\s+(\w+)\[(\d+)\];", body, re.M)

print("#include <cstdio>\nint main() {\n  cudaDeviceProp p;\n  cudaGetDeviceProperties(&p, 0);\n  int value;\n  size_t size;")
print('  printf("property.name = %s\\n", p.name);')
for name in scalars:
    print(f'  printf("property.{name} = %lld\\n", (long long)p.{name});')
for name, count in arrays:
    if name == "reserved":
        continue
    for i in range(int(count)):
        print(f'  printf("property.{name}[{i}] = %lld\\n", (long long)p.{name}[{i}]);')
for name in attributes:
    if name in ("cudaDevAttrMax",):
        continue
    print(f'  if (!cudaDeviceGetAttribute(&value, {name}, 0)) printf("attribute.{name} = %d\\n", value);')
    print("  cudaGetLastError();")
for name in limits:
    print(f'  if (!cudaDeviceGetLimit(&size, {name})) printf("limit.{name} = %zu\\n", size);')
    print("  cudaGetLastError();")
print("  size_t free_bytes, total;\n  cudaMemGetInfo(&free_bytes, &total);")
print('  printf("memory.free = %zu\\nmemory.total = %zu\\n", free_bytes, total);')
print('  cudaDriverGetVersion(&value); printf("version.driver = %d\\n", value);')
print('  cudaRuntimeGetVersion(&value); printf("version.runtime = %d\\n", value);\n}')
