extern __device__ int f(int x,int n);
__device__ __noinline__ int sw(int x,int y){switch(x){case 0:return y+1;case 1:return 77*y;case 2:return y*y/3;case 3:return 12345/y;case 4:return x*x*55*y;case 5: return y*y*y;case 6:return y%4;case 7:return y/17;default:return 0;}}
__global__ void k1(int*p,int*d){switch(p[9]){case 0:d[0]=f(p[3],p[1]);break; case 1:d[1]=p[4]/p[5];break; case 2: d[5]=p[7]%5;break;case 3: d[7]=p[5]*3;break;case 4: d[9]=4; break; case 5: d[8]=sw(d[6],d[9]);break;} p[2]=sw(p[3],p[4]); }
