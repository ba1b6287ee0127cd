#include "collector/text/shortest_double.h"
