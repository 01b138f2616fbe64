__device__ int other[3]={4,5,6}; extern __constant__ int cc[10];
__device__ double f(double x,int n){ __shared__ double t[4]; t[n]=x; __syncthreads(); switch(n){case 0:return x+1;case 1:return x*cc[2];case 2:return x-t[1];case 3:return other[1];case 4:return x*3;case 5:return x*x;default: return 9;} }
__global__ void k3(double*p){ p[0]=f(p[1],3); }
