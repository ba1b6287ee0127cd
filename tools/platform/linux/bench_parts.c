/* The parts of the bench on Linux: all there are. */
#include "tools/bench/bench.h"

const struct part bench_parts[] = {
    {"decode", false, part_decode},   {"encode", false, part_encode},
    {"stages", false, part_stages},   {"receive", false, part_receive},
    {"streams", false, part_streams}, {"rates", false, part_rates},
    {"latency", false, part_latency}, {"scale", true, part_scale},
    {"soak", true, part_soak},        {0},
};
