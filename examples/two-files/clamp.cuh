// Both files include this header. Each object has a copy of the function, and both copies are weak.
#pragma once

extern "C" __noinline__ inline __device__ float clamp_unit(float x)
{
    return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
}
