/* A program that does nothing: its run time is the cost of starting a program. */
int main(void)
{
    return 0;
}
