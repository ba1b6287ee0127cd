/*
 * Connections of the simulated world: the actions of the clients, and the state of each connection
 * on the program's side. The program's own calls are platform_tcp.c's.
 */
#ifndef SLUICE_TESTS_SIMULATION_TCP_NETWORK_H
#define SLUICE_TESTS_SIMULATION_TCP_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/platform/wakeup.h"
#include "tests/simulation/frames.h"

/* In a thousand: calls that fail in ways that their manual pages describe. */
struct tcp_faults {
    unsigned later;   /* a receive or send that need not block returns would-block (ENOBUFS) */
    unsigned few;     /* a receive or a send takes fewer bytes than it could */
    unsigned accept;  /* descriptors are short: EMFILE */
    unsigned watch;   /* the notifier has no memory for a connection */
    bool late_hangup; /* a hang-up is reported only after all data was read */
};
extern struct tcp_faults tcp_faults;

/*
 * Whether the program may close connections to the port soon: it must stop, a reload is under way,
 * or the listener was removed.
 */
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
    unsigned armed; /* enum notifier_interest; 0: not armed */
    unsigned level; /* what holds now */
};

/* A part of the stream. The program has it when it has read up to `end`. */
struct tcp_mark {
    uint64_t end;
    enum frame_kind kind;
    uint32_t number; /* of a record */
};

struct tcp_connection {
    struct tcp_port *port; /* the port that it connected to */
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

    /* If each frame is answered: all answers so far, and the frame that the next answer is for. */
    bool is_answered;
    enum framing_kind framing;
    uint8_t all_answers[TCP_ANSWERS_MOST];
    size_t all_used, all_seen;
    size_t marks_answered;

    /* From the program. */
    bool reads_at_once; /* the client reads answers immediately */
    uint8_t answers[256];
    size_t answers_used;
    bool finished; /* the program sends no more data */
    bool stops_reading; /* the client reads no more data */

    /* The program's actions, and the events reported to it. */
    bool accepted, closed;
    bool was_watched, watch_failed;
    bool told_end, told_reset;   /* by a receive */
    bool told_closed, told_broken; /* told_closed: a send reported an end; told_broken: a reset */
    bool was_ended;              /* a frame was read after which it must be closed (frame_kind) */
    bool closed_in_doubt;        /* closed when a stop or a reload was requested */
    int64_t unread_ns;           /* since when unread data waits of which no part was read */
    bool starved;                /* unread data had waited for long when it was closed */
    int64_t active_ns;           /* when data was read last, or the connection was made */
    int64_t silent_ns;           /* how long no data had been read when it was closed */
};

/*
 * Called for records whose frames are answered: after network_received, and when the answer comes.
 */
extern void (*tcp_waits_for_answer)(uint32_t number);
extern void (*tcp_was_answered)(uint32_t number);

/* A port, and the program's state there. */
struct tcp_port {
    uint16_t number;
    bool listens;
    struct tcp_watch watch;
    unsigned generation; /* times that the program has begun to listen */
    struct tcp_connection *waiting[TCP_WAITING_MOST];
    size_t waiting_count;

    unsigned open, most_open;       /* accepted connections that are not closed */
    unsigned watched, most_watched; /* of these, the connections that were not refused */
    uint64_t accept_failures;       /* accepts that failed, as descriptors were short */
};

/* Of this life. */
size_t tcp_connection_count(void);
struct tcp_connection *tcp_connection_at(size_t index);
struct tcp_port *tcp_port(uint16_t number);
struct tcp_port *tcp_port_at(size_t index); /* below TCP_PORTS_MOST */

/* The sockets by the program's handles. */
bool tcp_is_listener(wait_handle handle);
struct tcp_port *tcp_port_of(wait_handle handle);
struct tcp_connection *tcp_connection_of(wait_handle handle);

/*
 * For the watcher of a socket: the socket's state has changed (note_level), or it is closed
 * (forget_watch).
 */
void tcp_note_level(struct tcp_watch *watch, unsigned level);
void tcp_forget_watch(struct tcp_watch *watch);

/* Called when the state of a socket has changed. */
void tcp_note_connection(struct tcp_connection *connection);
void tcp_note_port(struct tcp_port *port);

/* --- clients ---------------------------------------------------------------------------------- */

/* Returns NULL if the port is closed, or its backlog is full. */
struct tcp_connection *tcp_connect(uint16_t port, const struct address *from, size_t buffer);

/* The stream up to `end`, which will be sent next, is a frame of this kind. */
void tcp_mark(struct tcp_connection *connection, uint64_t end, enum frame_kind kind,
              uint32_t number);

/* Sends a first part of the bytes, up to the room of the receiver. Returns the number sent. */
size_t tcp_send(struct tcp_connection *connection, const uint8_t *bytes, size_t size);

/*
 * For world_wait, of a struct tcp_connection: takes_some: it has room, or was closed; is_closed:
 * the program has closed it; has_answers: the program has sent data, or will not send any.
 */
bool tcp_takes_some(const void *connection);
bool tcp_is_closed(const void *connection);
bool tcp_has_answers(const void *connection);

size_t tcp_read_answers(struct tcp_connection *connection, uint8_t *bytes, size_t size);

/* Ends the data to the program. With `stops_reading` the client does not read any more either. */
void tcp_finish(struct tcp_connection *connection, bool stops_reading);

/* Resets the connection. With `loses` the data that the program has not read is lost. */
void tcp_break(struct tcp_connection *connection, bool loses);

#endif
