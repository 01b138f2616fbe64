//# header
struct Animal$n {
    int legs = $(2|4);
    __device__ virtual int noise(int x) const { return legs + x; }
    __device__ virtual int move(int x) { return legs * x; }
    __device__ virtual ~Animal$n() {}
};
struct Bird$n : Animal$n {
    __device__ int noise(int x) const override { return x ^ $(11|13); }
};
struct Fish$n : Bird$n {
    __device__ int move(int x) override { return x - 1; }
};
__device__ inline __noinline__ int meet$n(Animal$n &animal, int x) { return animal.noise(x) + animal.move(x); }
__device__ int other$n(int x);
//# file
__device__ int other$n(int x)
{
    $calls
    Bird$n bird;
    Fish$n fish;
    return meet$n(bird, x) - meet$n(fish, x);
}
//# file
__device__ int f$n(int x)
{
    Animal$n animal;
    Fish$n fish;
    return meet$n(animal, x) + meet$n(fish, x) + other$n(x);
}
