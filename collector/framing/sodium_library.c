#include "collector/framing/sodium_library.h"

SHARED_LIBRARY_DEFINE(sodium, , SODIUM_FUNCTIONS, sodium_version_string(), "libsodium",
                      "libsodium.so.23", "libsodium23", "sealed datagrams")
