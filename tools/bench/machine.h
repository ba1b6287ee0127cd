/*
 * The machine that the bench runs on, and which of its processors do what. CMake picks the
 * implementation under tools/platform/.
 */
#ifndef SLUICE_TOOLS_BENCH_MACHINE_H
#define SLUICE_TOOLS_BENCH_MACHINE_H

struct machine {
    char cpu[128];       /* the model, as the system calls it */
    char system[192];    /* its name and version */
    unsigned processors; /* that this process may use */
    int sender_cpu;      /* -1: there is none of its own */
    int receiver_cpu;    /* the same */

    /*
     * What one sleep of MACHINE_SLEEP_NS costs who sleeps, in nanoseconds of processor time;
     * negative: not known here. A receiver that pauses after each drain pays it for each: on
     * some virtual machines it is most of what such a receiver costs at a few thousand datagrams a
     * second.
     */
    double sleep_cost_ns;
};

/* As coalesce= is by default, and as the null receiver edge+pause sleeps. */
#define MACHINE_SLEEP_NS 500000

/*
 * Looks at it, in less than a tenth of a second, and has this process keep to the sender's
 * processor: what the bench itself does is not to disturb the receiver.
 */
void machine_look(struct machine *machine);

#endif
