/*
 * Describes the machine on which the bench runs, and assigns its processors to the sender and the
 * receiver. CMake selects the implementation in tools/platform/.
 */
#ifndef SLUICE_TOOLS_BENCH_MACHINE_H
#define SLUICE_TOOLS_BENCH_MACHINE_H

struct machine {
    char cpu[128];       /* model of the processor */
    char system[192];    /* name and version of the operating system */
    unsigned processors; /* number of processors for this process */
    int sender_cpu;      /* the sender's own processor; -1 means none */
    int receiver_cpu;    /* the receiver's own processor; -1 means none */

    /*
     * The processor time of one sleep of MACHINE_SLEEP_NS, in nanoseconds. A negative value means
     * unknown. A receiver that pauses after each drain pays this for each pause. On some virtual
     * machines this is most of its cost at a few thousand datagrams a second.
     */
    double sleep_cost_ns;
};

/* The default of the key coalesce=, and the pause of the null receiver edge+pause. */
#define MACHINE_SLEEP_NS 500000

/*
 * Examines the machine, in less than a tenth of a second. Binds this process to the sender's
 * processor, so that the bench does not disturb the receiver.
 */
void machine_look(struct machine *machine);

#endif
