void run_shared();

int main()
{
    run_shared();
}
