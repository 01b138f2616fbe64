int run_second();

int main()
{
    return run_second() < 0;
}
