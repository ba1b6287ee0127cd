#include "collector/metrics/http_library.h"

SHARED_LIBRARY_DEFINE(http, MHD_, HTTP_FUNCTIONS, get_version(), "libmicrohttpd",
                      "libmicrohttpd.so.12", "libmicrohttpd12", "--metrics")
