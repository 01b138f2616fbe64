//# header
struct Record$n { double d; int i[$(3|20)]; char c; };
__device__ Record$n make$n(Record$n a, int x);
//# file
__device__ Record$n make$n(Record$n a, int x) { a.d += x; a.i[x % 3] = x; return a; }
//# file
__device__ int f$n(int x)
{
    $calls
    Record$n record{1.5, {x}, 'c'};
    record = make$n(record, x);
    return record.i[0] + (int)record.d;
}
