#include "sinks/encoders/remote_write_request.h"

#include "collector/base/rule.h"
#include "sinks/encoders/remote_write_order.h"
#include "sinks/encoders/snappy_block.h"
#include "sinks/encoders/wire_output.h"

enum {
    REQUEST_SERIES = WIRE_TAG(1, WIRE_LENGTH),
    SERIES_EXEMPLARS = WIRE_TAG(3, WIRE_LENGTH),
    SERIES_HISTOGRAMS = WIRE_TAG(4, WIRE_LENGTH),

    /* In both versions. */
    SERIES_SAMPLES = WIRE_TAG(2, WIRE_LENGTH),
    SAMPLE_VALUE = WIRE_TAG(1, WIRE_FIXED64),
    SAMPLE_TIME = WIRE_TAG(2, WIRE_VARINT),
    HISTOGRAM_TIME = WIRE_TAG(15, WIRE_VARINT),

    REQUEST_2_SYMBOLS = WIRE_TAG(4, WIRE_LENGTH),
    REQUEST_2_SERIES = WIRE_TAG(5, WIRE_LENGTH),
    SERIES_2_LABELS = WIRE_TAG(1, WIRE_LENGTH),
    SERIES_2_HISTOGRAMS = WIRE_TAG(3, WIRE_LENGTH),
    SERIES_2_EXEMPLARS = WIRE_TAG(4, WIRE_LENGTH),
    SERIES_2_METADATA = WIRE_TAG(5, WIRE_LENGTH),
    SAMPLE_2_START = WIRE_TAG(3, WIRE_VARINT),
    HISTOGRAM_2_START = WIRE_TAG(17, WIRE_VARINT),
    EXEMPLAR_2_LABELS = WIRE_TAG(1, WIRE_LENGTH),
    METADATA_TYPE = WIRE_TAG(1, WIRE_VARINT),
    METADATA_HELP = WIRE_TAG(3, WIRE_VARINT),
    METADATA_UNIT = WIRE_TAG(4, WIRE_VARINT),
};

/*
 * A request has at most 9/4 of the size of its samples in the block. A label needs two references
 * of at most five bytes, and has at least eight bytes in the block. A sample needs 72 bytes in
 * addition, and its head in the block has 32. An exemplar takes at most twice its bytes. MORE is
 * for the empty symbol and for rounding.
 */
#define MORE ((size_t)64)

/* --- symbols ---------------------------------------------------------------------------------- */

/*
 * The symbols of a 2.0 request, a hash table of their texts. Its size is fixed: if there are too
 * many symbols, a text can lose its slot, and becomes another symbol when it occurs again. The
 * texts are numbered twice in the same order: to write the symbols, and to refer to them.
 */
#define SYMBOL_SLOTS ((uint32_t)1 << 14)
#define SYMBOL_TRIES 4

struct symbol {
    uint32_t at;     /* position in the block of the text's length, which is before the text */
    uint32_t number; /* 0: the slot is free */
};

struct symbols {
    const char *block;
    struct symbol *slots;
    uint32_t count; /* number of symbols, with the empty symbol, which is the first */
};

static void symbols_clear(struct symbols *symbols)
{
    memset(symbols->slots, 0, SYMBOL_SLOTS * sizeof *symbols->slots);
    symbols->count = 1;
}

/* Returns the text whose length is at `at`. The length is valid, because this program wrote it. */
static struct text text_at(const char *at)
{
    size_t size = 0;
    unsigned shift = 0;
    for (; (*at & 0x80) != 0; at++, shift += 7)
        size |= (size_t)(*at & 0x7f) << shift;
    size |= (size_t)*at << shift;
    return (struct text){at + 1, size};
}

/*
 * Returns the FNV-1a hash of the text. Different texts with equal hashes only make a request
 * longer.
 */
static uint32_t hash_of(const struct text *text)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < text->size; i++)
        hash = (hash ^ (unsigned char)text->data[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static uint32_t symbol_number(struct symbols *symbols, const char *at, bool *is_new)
{
    RULE(at >= symbols->block, "a symbol is a text of the block");
    const struct text text = text_at(at);
    uint32_t hash = hash_of(&text);
    struct symbol *slot = NULL;
    *is_new = false;
    if (text.size == 0)
        return 0;
    for (uint32_t i = 0; i < SYMBOL_TRIES; i++) {
        slot = &symbols->slots[(hash + i) % SYMBOL_SLOTS];
        if (slot->number == 0)
            break;
        const struct text known = text_at(symbols->block + slot->at);
        if (text_equal(&known, &text))
            return slot->number;
        if (i + 1 == SYMBOL_TRIES)
            slot = &symbols->slots[hash % SYMBOL_SLOTS];
    }
    *is_new = true;
    *slot = (struct symbol){(uint32_t)(at - symbols->block), symbols->count++};
    return slot->number;
}

/* --- the labels of a sample ------------------------------------------------------------------- */

/* A walk over labels. `name` and `value` point to the lengths before the texts. */
struct label_walk {
    const char *at, *end;
    const char *name, *value;
};

static struct label_walk labels_of_exemplar(const struct remote_write_exemplar *exemplar)
{
    return (struct label_walk){.at = exemplar->labels, .end = exemplar->labels_end};
}

static struct label_walk labels_of(const struct remote_write_index *index, size_t i)
{
    const char *labels = remote_write_index_labels(index, i);
    return (struct label_walk){.at = labels,
                               .end = labels + remote_write_index_load(index, i).labels_size};
}

static bool next_label(struct label_walk *walk)
{
    if (walk->at == walk->end)
        return false;
    const struct text label = text_at(walk->at + 1);
    walk->name = label.data + 1;
    const struct text name = text_at(walk->name);
    walk->value = name.data + name.size + 1;
    walk->at = label.data + label.size;
    return true;
}

/* --- writing ---------------------------------------------------------------------------------- */

struct writing {
    struct remote_write_index index;
    struct symbols symbols;
    struct output *out; /* the request before compression */
};

static struct remote_write_fields fields_of(const struct remote_write_index *index, size_t i)
{
    return remote_write_sample_fields(index->block + index->at[i]);
}

/*
 * Returns true if the next sample of the series has the same millisecond. Only the last one is
 * sent.
 */
static bool is_replaced(const struct remote_write_index *index, size_t i, size_t next)
{
    return i + 1 < next && remote_write_index_load(index, i).time_ms ==
                               remote_write_index_load(index, i + 1).time_ms;
}

static void put_float(struct output *out, const struct remote_write_sample *sample,
                      int64_t start_ms)
{
    size_t begun = wire_begin_message(out, SERIES_SAMPLES);
    wire_add_double_field(out, SAMPLE_VALUE, sample->value);
    wire_add_varint_field(out, SAMPLE_TIME, (uint64_t)sample->time_ms);
    if (start_ms != 0)
        wire_add_varint_field(out, SAMPLE_2_START, (uint64_t)start_ms);
    wire_end_message(out, begun);
}

/*
 * Copies the fields of the histogram, which are the same in both versions, and appends its times.
 */
static void put_histogram(struct output *out, uint32_t tag, const char *histogram, int64_t time_ms,
                          int64_t start_ms)
{
    const struct text fields = text_at(histogram);
    size_t begun = wire_begin_message(out, tag);
    output_bytes(out, fields.data, fields.size);
    wire_add_varint_field(out, HISTOGRAM_TIME, (uint64_t)time_ms);
    if (start_ms != 0)
        wire_add_varint_field(out, HISTOGRAM_2_START, (uint64_t)start_ms);
    wire_end_message(out, begun);
}

/* Writes the samples of a series. Only version 2.0 has start times. */
static void put_samples(struct writing *writing, size_t shape, size_t first, size_t next)
{
    for (size_t i = first; i < next; i++) {
        const struct remote_write_sample sample = remote_write_index_load(&writing->index, i);
        const struct remote_write_fields fields = fields_of(&writing->index, i);
        int64_t start_ms = shape == REMOTE_WRITE_2 ? fields.start_ms : 0;
        if (is_replaced(&writing->index, i, next))
            continue;
        if (fields.histogram == NULL)
            put_float(writing->out, &sample, start_ms);
        else
            put_histogram(writing->out,
                          shape == REMOTE_WRITE_2 ? SERIES_2_HISTOGRAMS : SERIES_HISTOGRAMS,
                          fields.histogram, sample.time_ms, start_ms);
    }
}

/* --- version 1.0 ------------------------------------------------------------------------------ */

/* Copies the exemplars, which already have the form of version 1.0 in the block. */
static void put_exemplars_1(struct writing *writing, size_t first, size_t next)
{
    struct remote_write_exemplar exemplar;
    for (size_t i = first; i < next; i++) {
        const struct remote_write_fields fields = fields_of(&writing->index, i);
        const char *at = fields.exemplars;
        while (remote_write_next_exemplar(&at, fields.end, &exemplar)) {
            const struct text whole = {exemplar.labels, (size_t)(exemplar.end - exemplar.labels)};
            wire_add_bytes_field(writing->out, SERIES_EXEMPLARS, &whole);
        }
    }
}

static void put_series_1(struct writing *writing, size_t first, size_t next)
{
    struct output *out = writing->out;
    size_t series = wire_begin_message(out, REQUEST_SERIES);
    output_bytes(out, remote_write_index_labels(&writing->index, first),
                 remote_write_index_load(&writing->index, first).labels_size);
    put_samples(writing, REMOTE_WRITE_1, first, next);
    put_exemplars_1(writing, first, next);
    wire_end_message(out, series);
}

/* --- version 2.0 ------------------------------------------------------------------------------ */

static void put_symbol(struct writing *writing, const char *at)
{
    bool is_new;
    symbol_number(&writing->symbols, at, &is_new);
    const struct text text = text_at(at);
    if (is_new)
        wire_add_bytes_field(writing->out, REQUEST_2_SYMBOLS, &text);
}

static void put_label_symbols(struct writing *writing, struct label_walk walk)
{
    while (next_label(&walk)) {
        put_symbol(writing, walk.name);
        put_symbol(writing, walk.value);
    }
}

/* Numbers the texts of a series in the order in which put_series_2 refers to them. */
static void put_symbols(struct writing *writing, size_t first, size_t next)
{
    const struct remote_write_fields of_first = fields_of(&writing->index, first);
    struct remote_write_exemplar exemplar;
    put_label_symbols(writing, labels_of(&writing->index, first));
    put_symbol(writing, of_first.unit);
    if (of_first.help != NULL)
        put_symbol(writing, of_first.help);
    for (size_t i = first; i < next; i++) {
        const struct remote_write_fields fields = fields_of(&writing->index, i);
        const char *at = fields.exemplars;
        while (remote_write_next_exemplar(&at, fields.end, &exemplar))
            put_label_symbols(writing, labels_of_exemplar(&exemplar));
    }
}

static uint32_t reference(struct writing *writing, const char *at)
{
    bool is_new;
    return symbol_number(&writing->symbols, at, &is_new);
}

static void put_references(struct writing *writing, uint32_t tag, struct label_walk walk)
{
    size_t labels = wire_begin_message(writing->out, tag);
    while (next_label(&walk)) {
        wire_add_varint(writing->out, reference(writing, walk.name));
        wire_add_varint(writing->out, reference(writing, walk.value));
    }
    wire_end_message(writing->out, labels);
}

static void put_exemplars_2(struct writing *writing, size_t first, size_t next)
{
    struct output *out = writing->out;
    struct remote_write_exemplar exemplar;
    for (size_t i = first; i < next; i++) {
        const struct remote_write_fields fields = fields_of(&writing->index, i);
        const char *at = fields.exemplars;
        while (remote_write_next_exemplar(&at, fields.end, &exemplar)) {
            size_t begun = wire_begin_message(out, SERIES_2_EXEMPLARS);
            put_references(writing, EXEMPLAR_2_LABELS, labels_of_exemplar(&exemplar));
            output_bytes(out, exemplar.labels_end, (size_t)(exemplar.end - exemplar.labels_end));
            wire_end_message(out, begun);
        }
    }
}

static void put_metadata(struct writing *writing, size_t first, uint32_t unit, uint32_t help)
{
    struct output *out = writing->out;
    size_t metadata = wire_begin_message(out, SERIES_2_METADATA);
    wire_add_varint_field(out, METADATA_TYPE, remote_write_index_load(&writing->index, first).type);
    if (help != 0)
        wire_add_varint_field(out, METADATA_HELP, help);
    if (unit != 0)
        wire_add_varint_field(out, METADATA_UNIT, unit);
    wire_end_message(out, metadata);
}

/* Refers to the texts in the order of put_symbols. */
static void put_series_2(struct writing *writing, size_t first, size_t next)
{
    struct output *out = writing->out;
    const struct remote_write_fields fields = fields_of(&writing->index, first);
    size_t series = wire_begin_message(out, REQUEST_2_SERIES);
    put_references(writing, SERIES_2_LABELS, labels_of(&writing->index, first));
    uint32_t unit = reference(writing, fields.unit);
    uint32_t help = fields.help == NULL ? 0 : reference(writing, fields.help);
    put_samples(writing, REMOTE_WRITE_2, first, next);
    put_exemplars_2(writing, first, next);
    put_metadata(writing, first, unit, help);
    wire_end_message(out, series);
}

typedef void series_writer(struct writing *writing, size_t first, size_t next);

static void for_each_series(struct writing *writing, series_writer *write)
{
    size_t next;
    for (size_t first = 0; first < writing->index.count; first = next) {
        next = remote_write_next_series(&writing->index, first);
        RULE(next > first && next <= writing->index.count, "a series has samples of the block");
        write(writing, first, next);
    }
}

static void put_request_2(struct writing *writing)
{
    static const struct text empty = {"", 0};
    symbols_clear(&writing->symbols);
    wire_add_bytes_field(writing->out, REQUEST_2_SYMBOLS, &empty);
    for_each_series(writing, put_symbols);
    symbols_clear(&writing->symbols);
    for_each_series(writing, put_series_2);
}

/* Layout of the working memory for a block of `size` bytes: offsets, and sizes in bytes. */
struct memory_layout {
    size_t symbols, table, plain, plain_size, end;
};

static struct memory_layout layout_of(size_t size)
{
    struct memory_layout layout;
    size_t samples = size / REMOTE_WRITE_SMALLEST + 1;
    layout.symbols = 2 * samples * sizeof(uint32_t);
    layout.table = layout.symbols + SYMBOL_SLOTS * sizeof(struct symbol);
    layout.plain = layout.table + SNAPPY_SCRATCH;
    layout.plain_size = size / 4 * 9 + MORE;
    layout.end = layout.plain + layout.plain_size;
    return layout;
}

size_t remote_write_scratch(size_t size)
{
    return layout_of(size).end;
}

size_t remote_write_bound(size_t size)
{
    return snappy_block_bound(layout_of(size).plain_size);
}

bool remote_write_request(size_t shape, const char *bytes, size_t size, void *scratch,
                          struct output *out)
{
    const struct memory_layout layout = layout_of(size);
    char *memory = scratch;
    struct output plain = {.data = memory + layout.plain, .capacity = layout.plain_size};
    struct writing writing = {
        .index = {.block = bytes, .at = scratch},
        .symbols = {.block = bytes, .slots = (struct symbol *)(void *)(memory + layout.symbols)},
        .out = &plain,
    };
    if (!remote_write_order(&writing.index, size))
        return false;
    if (shape == REMOTE_WRITE_2)
        put_request_2(&writing);
    else
        for_each_series(&writing, put_series_1);
    snappy_block_put(plain.data, plain.used, memory + layout.table, out);
    return !plain.overflow && !out->overflow;
}
