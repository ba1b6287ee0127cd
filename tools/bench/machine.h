/*
 * The machine on which the bench runs, and the use of its processors. CMake selects the
 * implementation in tools/platform/.
 */
#ifndef SLUICE_TOOLS_BENCH_MACHINE_H
#define SLUICE_TOOLS_BENCH_MACHINE_H

struct machine {
    char cpu[128];       /* the model, as named by the system */
    char system[192];    /* name and version of the system */
    unsigned processors; /* processors that this process may use */
    int sender_cpu;      /* -1: the sender has no processor of its own */
    int receiver_cpu;    /* -1: the receiver has no processor of its own */

    /*
     * Processor time of one sleep of MACHINE_SLEEP_NS, in nanoseconds; negative: unknown. A
     * receiver that pauses after each drain spends it each time: on some virtual machines this is
     * most of the cost at a few thousand datagrams a second.
     */
    double sleep_cost_ns;
};

/* The default of coalesce=, and the sleep of the null receiver edge+pause. */
#define MACHINE_SLEEP_NS 500000

/*
 * Examines the machine, in less than a tenth of a second, and binds this process to the sender's
 * processor, so that the bench itself does not disturb the receiver.
 */
void machine_look(struct machine *machine);

#endif
