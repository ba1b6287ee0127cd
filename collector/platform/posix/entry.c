/* Calls program_main(). The standard streams pass bytes unchanged without further steps. */
#include "collector/platform/process.h"

int main(int argc, char **argv)
{
    return program_main(argc, argv);
}
