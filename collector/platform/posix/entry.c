/* program_main() is called by main; streams pass bytes as they are. */
#include "collector/platform/process.h"

int main(int argc, char **argv)
{
    return program_main(argc, argv);
}
