#include "collector/text/utf8.h"
