//# header
struct Node$n {
    Node$n *next;
    __device__ virtual int visit(int x) = 0;
    __device__ virtual ~Node$n() {}
};
template <int K> struct Leaf$n : Node$n {
    __device__ int visit(int x) override { return x * K + (this->next ? this->next->visit(x) : 0); }
};
__device__ Node$n *make$n(int kind);
//# file
__device__ Node$n *make$n(int kind)
{
    if (kind & 1)
        return new Leaf$n<1>();
    return new Leaf$n<$(2|5|7)>();
}
//# file
__device__ int f$n(int x)
{
    $calls
    Node$n *node = make$n(x);
    node->next = nullptr;
    int result = node->visit(x);
    delete node;
    return result;
}
