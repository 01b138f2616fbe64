__device__ int f1(int x);
struct Base1 { int id; __device__ virtual int run(int x) { return x + id; } __device__ virtual ~Base1() {} };
struct Left1 : virtual Base1 { int left; __device__ int run(int x) override; };
struct Right1 : virtual Base1 { int right; };
struct Both1 : Left1, Right1 { __device__ int run(int x) override { return Left1::run(x) * 3; } };
__device__ int call1(Base1 *base, int x);
__device__ int Left1::run(int x) { return x - this->id; }
__device__ int call1(Base1 *base, int x) { return base->run(x); }
