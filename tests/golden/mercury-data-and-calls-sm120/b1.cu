__constant__ int cc[10]; __device__ int gi[4]={1,2,3,4}; __device__ int gz;
extern __device__ double f(double x,int n); extern __shared__ int dyn[];
__device__ __noinline__ int sw(int x){switch(x){case 0:return gi[1];case 1:return 77*gz;case 2:return cc[3];case 3:return 12345;case 4:return x*x*55;case 5: return gi[0]*cc[1];case 6:return gz+4;case 7:return gz*17;default:return 0;}}
__global__ void k1(int*p,double*d){__shared__ int s[32]; s[threadIdx.x]=p[0]; __syncthreads(); d[0]=f(s[3],p[1]); p[2]=sw(p[3])+cc[p[1]]; gi[2]=s[1]; }
__global__ void k2(int*p){p[0]=dyn[p[3]]; gz=3;}
