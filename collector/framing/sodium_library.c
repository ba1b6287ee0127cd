#include "collector/framing/sodium_library.h"

SHARED_LIBRARY_DEFINE(sodium, , SODIUM_FUNCTIONS, sodium_version_string(), "libsodium",
                      SLUICE_LOADED_SODIUM, SLUICE_LOADED_SODIUM_PACKAGE, "sealed datagrams")
