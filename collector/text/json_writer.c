#include "collector/text/json_writer.h"
