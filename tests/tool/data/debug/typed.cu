// A kernel whose name says no types, and one with types of its own; compiled with -G.
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
