//# header
struct Node$n { Node$n *next; int value; };
extern __managed__ Node$n *list$n;
//# file
__managed__ Node$n nodes$n[$(2|40)];
__managed__ Node$n *list$n = $(nullptr|0);
__device__ int f$n(int x) { $calls int sum = 0; for (Node$n *p = list$n; p; p = p->next) sum += p->value; return sum; }
//# file
namespace { __managed__ double weight$n = $(0|2.5); }
__global__ void push$n(int *out, int x) { list$n->value = x; weight$n += x; out[0] = (int)weight$n; }
