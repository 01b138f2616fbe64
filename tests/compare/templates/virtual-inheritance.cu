//# header
struct Base$n { int id; __device__ virtual int run(int x) { return x + id; } __device__ virtual ~Base$n() {} };
struct Left$n : virtual Base$n { int left; __device__ int run(int x) override; };
struct Right$n : virtual Base$n { int right; };
struct Both$n : Left$n, Right$n { __device__ int run(int x) override { return Left$n::run(x) * $(3|5); } };
__device__ int call$n(Base$n *base, int x);
//# file
__device__ int Left$n::run(int x) { return x - this->id; }
__device__ int call$n(Base$n *base, int x) { return base->run(x); }
//# file
__device__ int f$n(int x)
{
    $calls
    Both$n both;
    both.id = x;
    both.left = both.right = $(1|2);
    return call$n(&both, x) + call$n(static_cast<Right$n *>(&both), x + 1);
}
