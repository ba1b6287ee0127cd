/*
 * Connections of the simulated world: what those who connect do with them, and what became of each
 * of them on the program's side. The program's own calls are platform_tcp.c's.
 */
#ifndef SLUICE_TESTS_SIMULATION_TCP_NETWORK_H
#define SLUICE_TESTS_SIMULATION_TCP_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/platform/wakeup.h"
#include "tests/simulation/frames.h"

/* In a thousand: calls that fail as their manual pages name it. */
struct tcp_faults {
    unsigned later;   /* a receive or a send would block, though it need not: ENOBUFS */
    unsigned few;     /* a receive or a send takes fewer bytes than it could */
    unsigned accept;  /* descriptors are short: EMFILE */
    unsigned watch;   /* the notifier has no memory for a connection */
    bool late_hangup; /* a hang-up is reported when all before it was read, and not at once */
};
extern struct tcp_faults tcp_faults;

/* Whether the program may be about to close connections to the port: it is to stop, or a reload
 * goes on, or has taken the listener away. */
extern bool (*tcp_may_close)(uint16_t port);

#define TCP_WAITING_MOST 64
#define TCP_PORTS_MOST   4
#define TCP_BUFFER_MOST  16384
#define TCP_MARKS_MOST   1000
#define TCP_ANSWERS_MOST ((size_t)20 * TCP_MARKS_MOST)

/* Connections of one life of the program, including those that were not accepted. */
#define TCP_CONNECTIONS_MOST 256

/* How the program is watching a socket. */
struct tcp_watch {
    struct stream_notifier *by; /* NULL: not owned */
    void *token;
    unsigned armed; /* enum notifier_interest; 0: it is silent */
    unsigned level; /* what holds now */
};

/* A part of the stream, which the program has when it has read up to `end`. */
struct tcp_mark {
    uint64_t end;
    enum frame_kind kind;
    uint32_t number; /* of a record */
};

struct tcp_connection {
    struct tcp_port *port; /* that it was made to */
    unsigned generation;   /* of that */
    struct address peer;
    struct tcp_watch watch;

    /* To the program. */
    uint8_t bytes[TCP_BUFFER_MOST];
    size_t capacity, first, used;
    uint64_t read;
    struct tcp_mark marks[TCP_MARKS_MOST];
    size_t mark_count, marks_read;
    bool ended; /* nothing more comes */
    bool reset; /* by its client */

    /* Where each frame is answered: all the answers, and the frame that the next one is for. */
    bool is_answered;
    enum framing_kind framing;
    uint8_t all_answers[TCP_ANSWERS_MOST];
    size_t all_used, all_seen;
    size_t marks_answered;

    /* From the program. */
    bool reads_at_once; /* the client reads all of it immediately */
    uint8_t answers[256];
    size_t answers_used;
    bool finished; /* nothing more comes from there */
    bool stops_reading; /* the client reads no more */

    /* The program's actions, and the events reported to it. */
    bool accepted, closed;
    bool was_watched, watch_failed;
    bool told_end, told_reset;   /* by a receive */
    bool told_closed, told_broken; /* by a send: an end, a reset */
    bool was_ended;              /* it was to be closed, by what was read: see frame_kind */
    bool closed_in_doubt;        /* when a stop, or a reload, was asked for */
    int64_t unread_ns;           /* since when there is something to be read of which nothing was */
    bool starved;                /* when it was closed that was so for long */
    int64_t active_ns;           /* when something was read last, or it was made */
    int64_t silent_ns;           /* how long it had not when it was closed */
};

/* Called of records whose frames are answered: after network_received, and with the answer. */
extern void (*tcp_waits_for_answer)(uint32_t number);
extern void (*tcp_was_answered)(uint32_t number);

/* A port, and what the program did there. */
struct tcp_port {
    uint16_t number;
    bool listens;
    struct tcp_watch watch;
    unsigned generation; /* how often somebody has begun to listen */
    struct tcp_connection *waiting[TCP_WAITING_MOST];
    size_t waiting_count;

    unsigned open, most_open;       /* connections that were accepted and not closed */
    unsigned watched, most_watched; /* of them those that were not refused */
    uint64_t accept_failures;       /* the program was told that it has no means */
};

/* Of this life. */
size_t tcp_connection_count(void);
struct tcp_connection *tcp_connection_at(size_t index);
struct tcp_port *tcp_port(uint16_t number);
struct tcp_port *tcp_port_at(size_t index); /* below TCP_PORTS_MOST */

/* The program's name for them. */
bool tcp_is_listener(wait_handle handle);
struct tcp_port *tcp_port_of(wait_handle handle);
struct tcp_connection *tcp_connection_of(wait_handle handle);

/* For the watcher of a socket: its state has changed, or it is closed. */
void tcp_note_level(struct tcp_watch *watch, unsigned level);
void tcp_forget_watch(struct tcp_watch *watch);

/* Something of the socket has changed. */
void tcp_note_connection(struct tcp_connection *connection);
void tcp_note_port(struct tcp_port *port);

/* --- those who connect ------------------------------------------------------------------------ */

/* Returns NULL if the port is closed, or its backlog is full. */
struct tcp_connection *tcp_connect(uint16_t port, const struct address *from, size_t buffer);

/* The stream that is sent next is this. */
void tcp_mark(struct tcp_connection *connection, uint64_t end, enum frame_kind kind,
              uint32_t number);

/* Sends a first part of the bytes. Returns how many. */
size_t tcp_send(struct tcp_connection *connection, const uint8_t *bytes, size_t size);

/* Of a struct tcp_connection, for world_wait: it takes bytes, or none any more; the program has
 * closed it; the program has sent something, or will not. */
bool tcp_takes_some(const void *connection);
bool tcp_is_closed(const void *connection);
bool tcp_has_answers(const void *connection);

size_t tcp_read_answers(struct tcp_connection *connection, uint8_t *bytes, size_t size);

/* Sends no more data. With `stops_reading` it reads no more either. */
void tcp_finish(struct tcp_connection *connection, bool stops_reading);

/* Breaks it: with `loses` what the program has not read is lost. */
void tcp_break(struct tcp_connection *connection, bool loses);

#endif
