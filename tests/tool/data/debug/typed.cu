// `typed` has parameters of this file's types. Only the name of `plain` encodes types. -G is used.
struct point {
    float x, y;
};
enum colour { RED, GREEN };
typedef unsigned long long count_t;

extern "C" __global__ void typed(const point *points, point origin, colour c, count_t n, float &out)
{
    out = points[n].x + origin.y + c;
}

__global__ void plain(void *p, int n)
{
    ((char *)p)[n] = 1;
}
