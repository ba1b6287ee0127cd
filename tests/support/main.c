/* The main function of test programs that need no other one. */
#include "tests/support/test.h"

int main(void)
{
    return test_run_all(NULL);
}
