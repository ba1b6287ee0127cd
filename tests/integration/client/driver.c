/*
 * Lets a test call the C client: reads commands from stdin, one on each line, and answers each with
 * a line on stdout. driver.py does the same with the Python client.
 *
 *   seal FILE NAME MODE                                     opens a sealer for the next open: "ok",
 *                                                           or the name of the error
 *   open TO SENDER [memory=N] [datagram=N] [KEY:VALUE...]   "ok", or the name of the error
 *   counter|gauge NAME UNIT [KEY:VALUE...]                  the metric's number, or "none"
 *   histogram NAME UNIT BOUND,... [KEY:VALUE...]            the same
 *   add|set|record NUMBER VALUE                             "ok"
 *   flush, flush_every MILLISECONDS                         the result of the call
 *   threads COUNT ROUNDS COUNTER GAUGE HISTOGRAM            "ok" when all have ended
 *   pace COUNT RATE MILLISECONDS COUNTER GAUGE HISTOGRAM    what the threads did, as JSON
 *   fork        "ok" from the child, which answers until "exit"; then the parent answers
 *   renew SENDER, close                                     "ok", or the name of the error
 *   counts                                                  as JSON
 *   exit
 *
 * "-" is NULL as a unit, as the name of a key, and as the sender of renew. Metrics are numbered
 * from 0.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/integration/client/driver_sealing.h"
#include "tools/client/sluice_client.h"

#define WORDS_MOST   64
#define METRICS_MOST 20000
#define THREADS_MOST 64

static struct sluice_client *client;
static struct sluice_sealer *sealer;
static void *metrics[METRICS_MOST];
static size_t metric_count;

static const char *error_name(int error)
{
    switch (error) {
    case 0:
        return "ok";
    case EINVAL:
        return "EINVAL";
    case EADDRNOTAVAIL:
        return "EADDRNOTAVAIL";
    case EMSGSIZE:
        return "EMSGSIZE";
    case EBUSY:
        return "EBUSY";
    default:
        return strerror(error);
    }
}

static const char *flushed_name(enum sluice_flushed flushed)
{
    static const char *const names[] = {
        [SLUICE_SENT] = "sent",     [SLUICE_BUSY] = "busy",       [SLUICE_FULL] = "full",
        [SLUICE_FAILED] = "failed", [SLUICE_NOT_DUE] = "not_due", [SLUICE_OFF] = "off",
    };
    return names[flushed];
}

/* Makes labels from words of the form KEY:VALUE, which it modifies. */
static void read_labels(char **words, struct sluice_label *labels)
{
    for (; *words != NULL; words++) {
        char *colon = strchr(*words, ':');
        *colon = '\0';
        *labels++ = (struct sluice_label){*words, colon + 1};
    }
    *labels = (struct sluice_label){NULL, NULL};
}

static const char *text_or_null(const char *word)
{
    return strcmp(word, "-") != 0 ? word : NULL;
}

static const char *run_seal(char **words)
{
    sealer = driver_sealer_open(words[0], text_or_null(words[1]), words[2]);
    return sealer == NULL && errno == EACCES ? "EACCES" : error_name(sealer != NULL ? 0 : errno);
}

static const char *run_open(char **words)
{
    struct sluice_settings settings = {.memory = 0};
    struct sluice_label labels[WORDS_MOST];
    char **at = words + 2;
    for (; *at != NULL; at++) {
        if (strncmp(*at, "memory=", 7) == 0)
            settings.memory = (size_t)atol(*at + 7);
        else if (strncmp(*at, "datagram=", 9) == 0)
            settings.datagram = (size_t)atol(*at + 9);
        else
            break;
    }
    read_labels(at, labels);
    settings.labels = labels;
    settings.sealer = sealer;
    client = sluice_client_open(words[0], words[1], &settings);
    return error_name(client != NULL ? 0 : errno);
}

static const char *keep(void *metric)
{
    static char number[24];
    if (metric == NULL)
        return "none";
    if (metric_count == METRICS_MOST)
        abort();
    metrics[metric_count] = metric;
    snprintf(number, sizeof number, "%zu", metric_count++);
    return number;
}

static const char *run_counter(char **words)
{
    struct sluice_label labels[WORDS_MOST];
    read_labels(words + 2, labels);
    return keep(sluice_client_counter(client, words[0], text_or_null(words[1]), labels));
}

static const char *run_gauge(char **words)
{
    struct sluice_label labels[WORDS_MOST];
    read_labels(words + 2, labels);
    return keep(sluice_client_gauge(client, words[0], text_or_null(words[1]), labels));
}

static const char *run_histogram(char **words)
{
    static double bounds[1000];
    struct sluice_label labels[WORDS_MOST];
    size_t count = 0;
    read_labels(words + 3, labels);
    for (char *at = words[2]; at != NULL; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        bounds[count++] = strtod(at, NULL);
    return keep(
        sluice_client_histogram(client, words[0], text_or_null(words[1]), labels, bounds, count));
}

static void *metric_at(const char *word)
{
    return metrics[atol(word)];
}

static const char *run_add(char **words)
{
    sluice_counter_add(metric_at(words[0]), strtoull(words[1], NULL, 10));
    return "ok";
}

static const char *run_set(char **words)
{
    sluice_gauge_set(metric_at(words[0]), strtod(words[1], NULL));
    return "ok";
}

static const char *run_record(char **words)
{
    sluice_histogram_record(metric_at(words[0]), strtod(words[1], NULL));
    return "ok";
}

static const char *run_flush(char **words)
{
    (void)words;
    return flushed_name(sluice_client_flush(client));
}

static const char *run_flush_every(char **words)
{
    return flushed_name(sluice_client_flush_every(client, (unsigned)atol(words[0])));
}

struct work {
    long rounds;
    char **metrics;
    pthread_barrier_t begin;
};

/*
 * Each round makes three updates. Some rounds also flush, perhaps at the same time as other
 * threads.
 */
static void *run_rounds(void *argument)
{
    struct work *work = argument;
    pthread_barrier_wait(&work->begin);
    for (long i = 0; i < work->rounds; i++) {
        sluice_counter_add(metric_at(work->metrics[0]), (uint64_t)(i % 7));
        sluice_gauge_set(metric_at(work->metrics[1]), (double)i);
        sluice_histogram_record(metric_at(work->metrics[2]), (double)(i % 100));
        if (i % 64 == 0)
            sluice_client_flush_every(client, 2);
    }
    return NULL;
}

static const char *run_threads(char **words)
{
    pthread_t threads[THREADS_MOST];
    long count = atol(words[0]);
    struct work work = {.rounds = atol(words[1]), .metrics = words + 2};
    pthread_barrier_init(&work.begin, NULL, (unsigned)count);
    for (long i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run_rounds, &work) != 0)
            abort();
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&work.begin);
    return "ok";
}

/* --- updates at a steady rate ----------------------------------------------------------------- */

#define SLOW_NS 50000

struct pace {
    double per_ns; /* updates of one thread per nanosecond */
    int64_t until_ns;
    int64_t start_ns;
    void *metrics[3];
};

/* The results of one thread. */
struct paced {
    const struct pace *pace;
    uint64_t updates;
    uint64_t added;    /* sum of the values added to the counter */
    uint64_t recorded; /* number of values recorded in the histogram */
    uint64_t calls;    /* number of updates and flushes */
    uint64_t slow;     /* number of these calls that took SLOW_NS or more of processor time */
    int64_t longest_ns;
};

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void update(struct paced *paced)
{
    uint64_t number = paced->updates++;
    switch (number % 3) {
    case 0:
        sluice_counter_add(paced->pace->metrics[0], number % 7);
        paced->added += number % 7;
        break;
    case 1:
        sluice_gauge_set(paced->pace->metrics[1], (double)number);
        break;
    case 2:
        sluice_histogram_record(paced->pace->metrics[2], (double)(number % 100));
        paced->recorded++;
        break;
    }
}

static void timed(struct paced *paced, bool is_flush)
{
    int64_t before = now_ns(CLOCK_THREAD_CPUTIME_ID);
    if (is_flush)
        sluice_client_flush_every(client, 100);
    else
        update(paced);
    int64_t took = now_ns(CLOCK_THREAD_CPUTIME_ID) - before;
    paced->calls++;
    paced->slow += took >= SLOW_NS;
    if (took > paced->longest_ns)
        paced->longest_ns = took;
}

static void *run_paced(void *argument)
{
    struct paced *paced = argument;
    const struct pace *pace = paced->pace;
    for (;;) {
        int64_t now = now_ns(CLOCK_MONOTONIC);
        if (now >= pace->until_ns)
            return NULL;
        uint64_t due = (uint64_t)((double)(now - pace->start_ns) * pace->per_ns);
        while (paced->updates < due)
            timed(paced, false);
        timed(paced, true);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static const char *run_pace(char **words)
{
    static char text[512];
    pthread_t threads[THREADS_MOST];
    struct paced paced[THREADS_MOST] = {{NULL, 0, 0, 0, 0, 0, 0}};
    struct paced all = {NULL, 0, 0, 0, 0, 0, 0};
    long count = atol(words[0]);
    struct pace pace = {.per_ns = atof(words[1]) / (double)count / 1e9,
                        .start_ns = now_ns(CLOCK_MONOTONIC)};
    pace.until_ns = pace.start_ns + atol(words[2]) * 1000000;
    for (size_t i = 0; i < 3; i++)
        pace.metrics[i] = metric_at(words[3 + i]);
    for (long i = 0; i < count; i++) {
        paced[i].pace = &pace;
        if (pthread_create(&threads[i], NULL, run_paced, &paced[i]) != 0)
            abort();
    }
    for (long i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        all.updates += paced[i].updates;
        all.added += paced[i].added;
        all.recorded += paced[i].recorded;
        all.calls += paced[i].calls;
        all.slow += paced[i].slow;
        if (paced[i].longest_ns > all.longest_ns)
            all.longest_ns = paced[i].longest_ns;
    }
    snprintf(text, sizeof text,
             "{\"updates\":%" PRIu64 ",\"added\":%" PRIu64 ",\"recorded\":%" PRIu64
             ",\"calls\":%" PRIu64 ",\"slow\":%" PRIu64 ",\"longest_ns\":%" PRId64 "}",
             all.updates, all.added, all.recorded, all.calls, all.slow, all.longest_ns);
    return text;
}

/* --- processes, and the rest ------------------------------------------------------------------ */

static const char *run_fork(char **words)
{
    (void)words;
    pid_t child = fork();
    if (child == 0)
        return "ok";
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        abort();
    return NULL;
}

static const char *run_renew(char **words)
{
    return error_name(sluice_client_renew(client, text_or_null(words[0])) == 0 ? 0 : errno);
}

static const char *run_close(char **words)
{
    (void)words;
    sluice_client_close(client);
    client = NULL;
    return "ok";
}

static const char *run_counts(char **words)
{
    (void)words;
    static char text[1024];
    struct sluice_client_counts counts = sluice_client_counts(client);
    snprintf(text, sizeof text,
             "{\"metrics\":%" PRIu64 ",\"metrics_refused\":%" PRIu64 ",\"not_recorded\":%" PRIu64
             ",\"flushes\":%" PRIu64 ",\"busy\":%" PRIu64 ",\"datagrams\":%" PRIu64
             ",\"bytes\":%" PRIu64 ",\"samples\":%" PRIu64 ",\"oversized\":%" PRIu64
             ",\"full\":%" PRIu64 ",\"refused\":%" PRIu64 ",\"failed\":%" PRIu64
             ",\"last_error\":%d,\"datagram\":%zu}",
             counts.metrics, counts.metrics_refused, counts.not_recorded, counts.flushes,
             counts.busy, counts.datagrams, counts.bytes, counts.samples, counts.oversized,
             counts.full, counts.refused, counts.failed, counts.last_error, counts.datagram);
    return text;
}

static const struct {
    const char *name;
    const char *(*run)(char **words);
} commands[] = {
    {"open", run_open},       {"counter", run_counter}, {"gauge", run_gauge},
    {"add", run_add},         {"set", run_set},         {"histogram", run_histogram},
    {"record", run_record},   {"flush", run_flush},     {"flush_every", run_flush_every},
    {"threads", run_threads}, {"fork", run_fork},       {"renew", run_renew},
    {"counts", run_counts},   {"close", run_close},     {"pace", run_pace},
    {"seal", run_seal},
};

static const char *run(char **words)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(words[0], commands[i].name) == 0)
            return commands[i].run(words + 1);
    return "unknown command";
}

int main(void)
{
    static char line[65536];
    /* Unbuffered, so that a forked child has not read its parent's commands. */
    setvbuf(stdin, NULL, _IONBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *words[WORDS_MOST] = {NULL};
        size_t count = 0;
        for (char *word = strtok(line, " \n"); word != NULL && count < WORDS_MOST - 1;
             word = strtok(NULL, " \n"))
            words[count++] = word;
        if (strcmp(words[0], "exit") == 0)
            break;
        const char *answer = run(words);
        if (answer != NULL) {
            puts(answer);
            fflush(stdout);
        }
    }
    sluice_client_close(client);
    driver_sealer_close(sealer);
    return 0;
}
