#include "shared.h"

__global__ void first(int *out)
{
    *out = twice(*out) + next();
}
