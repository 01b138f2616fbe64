void run_resolved();

int main()
{
    run_resolved();
}
