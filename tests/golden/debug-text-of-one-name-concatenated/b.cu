// nvcc: -lineinfo
