/* collector/platform/entry.h where programs begin in main, and streams know bytes alone. */
#include "collector/platform/entry.h"

int main(int argc, char **argv)
{
    return program_main(argc, argv);
}
