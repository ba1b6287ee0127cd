#include "collector/capture/capture.h"
