#include "sinks/destinations/nats_library.h"

SHARED_LIBRARY_DEFINE(nats, , NATS_FUNCTIONS, nats_GetVersion(), "nats.c",
                      "libnats.so.3.4", "libnats3.4", "nats")
