//# header
struct Shape$n {
    int side;
    __device__ Shape$n(int s) : side(s) {}
    __device__ virtual int area(int x) const { return side * x; }
    __device__ virtual int corners() const;
    __device__ virtual ~Shape$n() {}
};
struct Square$n : Shape$n {
    int extra;
    __device__ Square$n(int s) : Shape$n(s), extra(s + $(1|2|3)) {}
    __device__ int area(int x) const override { return extra * x + side; }
    __device__ int corners() const override { return 4; }
};
__device__ int shape$n(const Shape$n &shape, int x);
//# file
__device__ int Shape$n::corners() const { return 3; }
__device__ int shape$n(const Shape$n &shape, int x) { return shape.area(x) + shape.corners(); }
//# file
__device__ int f$n(int x)
{
    $calls
    Square$n square(x);
    Shape$n plain(x + 1);
    return shape$n(square, x) + shape$n(plain, x);
}
