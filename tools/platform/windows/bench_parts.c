/* The parts of the bench on Windows: what receives and sends there is measured on Linux alone. */
#include "tools/bench/bench.h"

const struct part bench_parts[] = {
    {"decode", false, part_decode}, {"encode", false, part_encode},
    {"stages", false, part_stages}, {"receive", true, NULL},
    {"streams", true, NULL},        {"rates", true, NULL},
    {"latency", true, NULL},        {"scale", true, NULL},
    {"soak", true, NULL},           {0},
};
