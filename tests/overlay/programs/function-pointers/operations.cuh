#pragma once

using Operation = float (*)(float, float);

extern __device__ Operation operations[4];

__device__ Operation choose(int i);
