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
};

/*
 * Looks at it, and has this process keep to the sender's processor: what the bench itself does is
 * not to disturb the receiver.
 */
void machine_look(struct machine *machine);

#endif
