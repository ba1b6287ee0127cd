/* collector/platform/process.h where programs begin in main, and streams know bytes alone. */
#include "collector/platform/process.h"

int main(int argc, char **argv)
{
    return program_main(argc, argv);
}
