// nvcc: -G

