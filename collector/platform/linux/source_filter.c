#include "collector/platform/linux/source_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "collector/platform/udp.h"

/*
 * Jumps only go forward, so the filter is built from its end: the target of a jump then exists
 * already. A label is the position of an instruction, counted from the end.
 */

/*
 * The longest conditional jump is 255. One is subtracted for an instruction that may still be
 * inserted.
 */
#define REACH 254

/* The lowest first byte of an IPv6 header, which has the version in its upper four bits. */
#define IPV6_LEAST 0x60

#define WORDS 4 /* 32-bit words in an address */

/* Offset in the IP header of word 0 of the source address. An IPv4 address has only word 3. */
#define IPV4_PLACE 0
#define IPV6_PLACE 8

/*
 * The first address of a range for which the filter's answer differs from that for the address
 * before it.
 */
struct edge {
    uint32_t words[WORDS];
};

/* A range of values of one word. It ends where the next segment starts. */
struct segment {
    uint32_t start;
    bool passes;  /* the answer; if the next word decides: the answer for addresses before the first
                     edge */
    size_t from;  /* if the next word decides: the index of the first edge in this segment */
    size_t count; /* the number of edges in this segment; 0: this word decides */
};

/* The target of a jump: an answer, or the instruction at a label. */
struct target {
    bool is_answer, passes;
    size_t label;
};

struct making {
    struct sock_filter *program;
    size_t count; /* the number of instructions, including those that do not fit into `program` */
    size_t answers[2]; /* the labels of the latest refusing [0] and accepting [1] instruction */
    bool answered[2];
    const struct edge *edges;
    struct segment *segments; /* memory for further segments */
    uint32_t place;
};

/* --- instructions ----------------------------------------------------------------------------- */

static size_t emit(struct making *making, struct sock_filter instruction)
{
    if (making->count < BPF_MAXINSNS)
        making->program[making->count] = instruction;
    return making->count++;
}

/* Returns how many instructions are between the label and the instruction that is emitted next. */
static size_t distance(const struct making *making, size_t label)
{
    return making->count - label - 1;
}

static size_t label_of_answer(struct making *making, bool passes)
{
    const struct sock_filter answer = BPF_STMT(BPF_RET | BPF_K, passes ? UINT32_MAX : 0);
    if (!making->answered[passes] || distance(making, making->answers[passes]) > REACH)
        making->answers[passes] = emit(making, answer);
    making->answered[passes] = true;
    return making->answers[passes];
}

/*
 * Returns a label that leads to the target and is near enough for a jump that is emitted next. May
 * emit instructions.
 */
static size_t label_of(struct making *making, const struct target *target)
{
    if (target->is_answer)
        return label_of_answer(making, target->passes);
    size_t between = distance(making, target->label);
    if (between <= REACH)
        return target->label;
    return emit(making, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, (uint32_t)between));
}

static struct target branch(struct making *making, uint32_t least, struct target above,
                            struct target below)
{
    size_t if_above = label_of(making, &above);
    size_t if_below = label_of(making, &below);
    const struct sock_filter jump =
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, least, (uint8_t)distance(making, if_above),
                 (uint8_t)distance(making, if_below));
    return (struct target){.label = emit(making, jump)};
}

/*
 * Emits a load from the IP header, ahead of the code that uses the loaded word and was emitted
 * last.
 */
static struct target filter_load(struct making *making, unsigned size, uint32_t at)
{
    const struct sock_filter load =
        BPF_STMT((uint16_t)(BPF_LD | BPF_ABS | size), (uint32_t)SKF_NET_OFF + at);
    return (struct target){.label = emit(making, load)};
}

/* --- decisions -------------------------------------------------------------------------------- */

static bool is_zero_from(const struct edge *edge, unsigned word)
{
    for (; word < WORDS; word++)
        if (edge->words[word] != 0)
            return false;
    return true;
}

/*
 * Divides the values of this word into segments at `count` edges, which are equal in all words
 * before it. `passes` is the answer before the first edge. Returns the number of segments, at most
 * 2 * count + 1.
 */
static size_t make_segments(struct making *making, unsigned word, size_t from, size_t count,
                            bool passes)
{
    const struct edge *edges = making->edges;
    struct segment *to = making->segments;
    size_t made = 0;
    if (edges[from].words[word] != 0)
        to[made++] = (struct segment){.passes = passes};
    for (size_t at = from, next; at < from + count; at = next) {
        uint32_t value = edges[at].words[word];
        for (next = at + 1; next < from + count && edges[next].words[word] == value; next++)
            continue;
        bool turns = (next - at) % 2 != 0;
        bool leaf = next - at == 1 && is_zero_from(&edges[at], word + 1);
        to[made++] = leaf ? (struct segment){.start = value, .passes = !passes}
                          : (struct segment){value, passes, at, next - at};
        passes = passes != turns;
        if (!leaf && value != UINT32_MAX)
            to[made++] = (struct segment){.start = value + 1, .passes = passes};
    }
    return made;
}

static struct target decide(struct making *making, unsigned word, size_t from, size_t count,
                            bool passes);

/* Emits a binary search for the segment of the loaded word. */
static struct target choose(struct making *making, unsigned word, const struct segment *segments,
                            size_t count)
{
    if (count == 1 && segments->count == 0)
        return (struct target){.is_answer = true, .passes = segments->passes};
    if (count == 1)
        return decide(making, word + 1, segments->from, segments->count, segments->passes);
    size_t half = count / 2;
    struct target above = choose(making, word, segments + half, count - half);
    struct target below = choose(making, word, segments, half);
    return branch(making, segments[half].start, above, below);
}

/*
 * Emits code that decides by this word of the address and, if it equals an edge, by later words.
 * All earlier words are equal to those of the edges.
 */
static struct target decide(struct making *making, unsigned word, size_t from, size_t count,
                            bool passes)
{
    struct segment *segments = making->segments;
    size_t made = make_segments(making, word, from, count, passes);
    making->segments += made;
    struct target target = choose(making, word, segments, made);
    making->segments = segments;
    return made == 1 ? target : filter_load(making, BPF_W, making->place + 4 * word);
}

static struct edge edge_of(struct host_number number)
{
    return (struct edge){{(uint32_t)(number.high >> 32), (uint32_t)number.high,
                          (uint32_t)(number.low >> 32), (uint32_t)number.low}};
}

/* Stores the edges of the ranges, except one after the address `most`. Returns their number. */
static size_t make_edges(struct edge *edges, const struct network_range *ranges, size_t count,
                         struct host_number most)
{
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        struct host_number last = ranges[i].last;
        edges[made++] = edge_of(ranges[i].first);
        if (last.high == most.high && last.low == most.low)
            break;
        edges[made++] = edge_of(host_number_after(last));
    }
    return made;
}

static struct target decide_ipv4(struct making *making, struct edge *edges,
                                 const struct networks *sources)
{
    const struct host_number most = {0, UINT32_MAX};
    size_t count = make_edges(edges, sources->ranges, sources->ipv4_count, most);
    making->place = IPV4_PLACE;
    return count == 0 ? (struct target){.is_answer = true}
                      : decide(making, WORDS - 1, 0, count, false);
}

static struct target decide_ipv6(struct making *making, struct edge *edges,
                                 const struct networks *sources)
{
    const struct host_number most = {UINT64_MAX, UINT64_MAX};
    const struct network_range *ranges = sources->ranges + sources->ipv4_count;
    size_t count = make_edges(edges, ranges, sources->ipv6_count, most);
    making->place = IPV6_PLACE;
    return count == 0 ? (struct target){.is_answer = true} : decide(making, 0, 0, count, false);
}

static void turn_round(struct sock_filter *program, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct sock_filter first = program[i];
        program[i] = program[count - 1 - i];
        program[count - 1 - i] = first;
    }
}

bool source_filter_make(const struct networks *sources, struct sock_filter *program, size_t *needed)
{
    size_t most = 2 * (sources->ipv4_count + sources->ipv6_count) + 1;
    struct edge *edges = calloc(most, sizeof *edges);
    struct segment *segments = calloc((2 * most + 1) * WORDS, sizeof *segments);
    if (edges != NULL && segments != NULL) {
        struct making making = {.program = program, .edges = edges, .segments = segments};
        struct target ipv6 = decide_ipv6(&making, edges, sources);
        struct target ipv4 = decide_ipv4(&making, edges, sources);
        branch(&making, IPV6_LEAST, ipv6, ipv4);
        filter_load(&making, BPF_B, 0);
        *needed = making.count;
        if (making.count <= BPF_MAXINSNS)
            turn_round(program, making.count);
    }
    bool made = edges != NULL && segments != NULL;
    free(edges);
    free(segments);
    return made;
}

/* --- sockets ---------------------------------------------------------------------------------- */

static struct sock_filter *make_program(const struct networks *sources, size_t *count,
                                        struct error *error)
{
    struct sock_filter *program = calloc(BPF_MAXINSNS, sizeof *program);
    if (program == NULL || !source_filter_make(sources, program, count)) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a filter");
        free(program);
        return NULL;
    }
    if (*count <= BPF_MAXINSNS)
        return program;
    error_set(
        error, EXIT_CODE_CONFIG,
        "kernel_filter=on: %zu ranges of addresses take a filter of %zu instructions, and the "
        "kernel takes at most %d; without it allow= and deny= may be as long",
        sources->ipv4_count + sources->ipv6_count, *count, BPF_MAXINSNS);
    free(program);
    return NULL;
}

int udp_socket_check_filter(const struct networks *only_from, struct error *error)
{
    size_t count;
    struct sock_filter *program = make_program(only_from, &count, error);
    free(program);
    return program != NULL ? 0 : -1;
}

int source_filter_attach(int fd, const struct networks *sources, struct error *error)
{
    size_t count;
    struct sock_filter *program = make_program(sources, &count, error);
    if (program == NULL)
        return -1;
    const struct sock_fprog filter = {.len = (unsigned short)count, .filter = program};
    int result = setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
    int code = errno;
    free(program);
    if (result == 0)
        return 0;
    error_set(error, EXIT_CODE_CANNOT_BIND,
              "kernel_filter=on: the kernel refuses a filter of %zu instructions: %s%s", count,
              strerror(code), code == ENOMEM ? "; raise net.core.optmem_max" : "");
    return -1;
}
