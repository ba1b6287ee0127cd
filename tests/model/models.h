/* The list of all models, for main.c. */
#ifndef SLUICE_TESTS_MODEL_MODELS_H
#define SLUICE_TESTS_MODEL_MODELS_H

#include "tests/model/explorer.h"

/* Each row ROW(NAME) stands for the object model_NAME. */
#define MODELS(ROW)                                                                                \
    ROW(ring_of_one)                                                                               \
    ROW(ring_of_two)                                                                               \
    ROW(ring_take_out)                                                                             \
    ROW(claim)                                                                                     \
    ROW(claim_tried)                                                                               \
    ROW(batch)                                                                                     \
    ROW(queue)                                                                                     \
    ROW(queue_grows)                                                                               \
    ROW(heartbeat)                                                                                 \
    ROW(sink)                                                                                      \
    ROW(quiesce_one)                                                                               \
    ROW(quiesce_two)                                                                               \
    ROW(schemas)

#define DECLARE_MODEL(name) extern const struct model model_##name;
MODELS(DECLARE_MODEL)
#undef DECLARE_MODEL

#endif
