#include "tests/simulation/disk.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/simulation/moments.h"
#include "tests/simulation/world.h"

#define NODES_MOST   4096
#define NAMES_MOST   4096
#define CHANGES_MOST 8192
#define ARENA_SIZE   ((size_t)512 * 1024 * 1024)
#define SECTOR       512

struct name {
    char path[DISK_PATH_SIZE];
    struct disk_node *node; /* NULL if the slot is free */
};

/* A change of a name that may not have reached the disk yet. */
struct change {
    char path[DISK_PATH_SIZE];
    char from[DISK_PATH_SIZE]; /* the old name if this is a rename, otherwise empty */
    struct disk_node *node; /* the file with that name after the change, or NULL if there is none */
};

struct disk {
    struct disk_node nodes[NODES_MOST];
    size_t node_count;
    struct name names[NAMES_MOST];
    struct name synced_names[NAMES_MOST];
    size_t name_count;                   /* slots used so far in both tables */
    struct change changes[CHANGES_MOST]; /* the changes since synced_names */
    size_t change_count;
    uint64_t room; /* free bytes */
    unsigned faults_in_thousand;
    unsigned read_faults_in_thousand;
    uint64_t faults;
    size_t used;
    uint8_t arena[];
};

static struct disk *disk;

void disk_create(void)
{
    disk = mmap(NULL, sizeof *disk + ARENA_SIZE, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (disk == MAP_FAILED)
        world_fail("no memory for a disk");
}

void disk_clear(const char *folder)
{
    memset(disk->nodes, 0, disk->node_count * sizeof disk->nodes[0]);
    memset(disk->names, 0, disk->name_count * sizeof disk->names[0]);
    memset(disk->synced_names, 0, disk->name_count * sizeof disk->synced_names[0]);
    disk->node_count = disk->name_count = disk->change_count = 0;
    disk->faults = disk->faults_in_thousand = disk->read_faults_in_thousand = 0;
    disk->used = 0;
    disk->room = UINT64_MAX;
    disk_make(folder, true);
    disk_sync_names();
}

void disk_set_room(uint64_t bytes)
{
    disk->room = bytes;
}

void disk_set_faults(unsigned in_thousand)
{
    disk->faults_in_thousand = in_thousand;
}

void disk_set_read_faults(unsigned in_thousand)
{
    disk->read_faults_in_thousand = in_thousand;
}

uint64_t disk_faults(void)
{
    return disk->faults;
}

static bool fails(unsigned in_thousand)
{
    bool does = in_thousand != 0 && world_chance(in_thousand);
    disk->faults += does;
    return does;
}

bool disk_fails(void)
{
    return fails(disk->faults_in_thousand);
}

bool disk_fails_to_read_at(struct disk_node *node, uint64_t offset)
{
    bool is_unread = node->read_failures != 0 && offset == node->unread;
    bool may_fail = node->read_failures == 0 || (is_unread && node->read_failures < 2);
    if (may_fail && (disk_fails() || fails(disk->read_faults_in_thousand))) {
        node->read_failures++;
        node->unread = offset;
        return true;
    }
    if (is_unread)
        node->read_failures = 0;
    return false;
}

static void release(struct disk_node *node)
{
    if (--node->links == 0 && disk->room != UINT64_MAX)
        disk->room += node->size;
}

/* --- names ------------------------------------------------------------------------------------ */

static struct name *name_in(struct name *names, const char *path)
{
    for (size_t i = 0; i < disk->name_count; i++)
        if (names[i].node != NULL && strcmp(names[i].path, path) == 0)
            return &names[i];
    return NULL;
}

static void set_name(struct name *names, const char *path, struct disk_node *node)
{
    struct name *name = name_in(names, path);
    if (name == NULL && node == NULL)
        return;
    for (size_t i = 0; name == NULL && i < disk->name_count; i++)
        if (names[i].node == NULL)
            name = &names[i];
    if (name == NULL) {
        if (disk->name_count == NAMES_MOST)
            world_fail("more than %d names", NAMES_MOST);
        name = &names[disk->name_count++];
    }
    snprintf(name->path, sizeof name->path, "%s", path);
    name->node = node;
}

static void apply(struct name *names, const struct change *one)
{
    if (one->from[0] != '\0')
        set_name(names, one->from, NULL);
    set_name(names, one->path, one->node);
}

static void change(const char *from, const char *path, struct disk_node *node)
{
    if (strlen(path) >= DISK_PATH_SIZE || disk->change_count == CHANGES_MOST)
        world_fail("a name that is too long, or too many of them");
    struct change *one = &disk->changes[disk->change_count++];
    snprintf(one->path, sizeof one->path, "%s", path);
    snprintf(one->from, sizeof one->from, "%s", from);
    one->node = node;
    apply(disk->names, one);
    moment_comes(MOMENT_NAME_CHANGES);
}

static void settle_names(size_t count)
{
    for (size_t i = 0; i < count; i++)
        apply(disk->synced_names, &disk->changes[i]);
    disk->change_count -= count;
    memmove(disk->changes, disk->changes + count, disk->change_count * sizeof disk->changes[0]);
}

static bool has_folder(const char *path)
{
    char folder[DISK_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path)
        return true;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    struct disk_node *node = disk_find(folder);
    return node != NULL && node->is_folder;
}

struct disk_node *disk_find(const char *path)
{
    struct name *name = name_in(disk->names, path);
    return name == NULL ? NULL : name->node;
}

static struct disk_node *add_node(bool is_folder)
{
    if (disk->node_count == NODES_MOST)
        world_fail("more than %d files", NODES_MOST);
    struct disk_node *node = &disk->nodes[disk->node_count++];
    *node = (struct disk_node){.is_folder = is_folder, .links = 1, .modified_ns = world_date_ns()};
    return node;
}

struct disk_node *disk_make(const char *path, bool is_folder)
{
    if (disk_find(path) != NULL || !has_folder(path) || disk_fails())
        return NULL;
    struct disk_node *node = add_node(is_folder);
    world_trace("%s is made", path);
    change("", path, node);
    return node;
}

bool disk_remove(const char *path)
{
    struct disk_node *node = disk_find(path);
    if (node == NULL || disk_fails())
        return false;
    release(node);
    world_trace("%s is removed", path);
    change("", path, NULL);
    return true;
}

bool disk_rename(const char *from, const char *to)
{
    struct disk_node *node = disk_find(from);
    struct disk_node *before = disk_find(to);
    if (node == NULL || !has_folder(to) || disk_fails())
        return false;
    if (before != NULL)
        release(before);
    world_trace("%s becomes %s, %zu bytes, %zu of them synced", from, to, node->size,
                node->synced_size);
    change(from, to, node);
    return true;
}

const char *disk_next_name(const char *folder, size_t *at, struct disk_node **node)
{
    size_t length = strlen(folder);
    while (*at < disk->name_count) {
        const struct name *name = &disk->names[(*at)++];
        if (name->node == NULL || strncmp(name->path, folder, length) != 0 ||
            name->path[length] != '/' || strchr(name->path + length + 1, '/') != NULL)
            continue;
        *node = name->node;
        return name->path + length + 1;
    }
    return NULL;
}

/* --- data ------------------------------------------------------------------------------------- */

static void make_room(uint8_t **bytes, size_t *room, size_t size)
{
    if (size <= *room)
        return;
    size_t larger = *room * 2 > size ? *room * 2 : size + 4096;
    if (disk->used + larger > ARENA_SIZE)
        world_fail("more is written than the world's disk has room for");
    uint8_t *moved = disk->arena + disk->used;
    disk->used += larger;
    if (*room != 0)
        memcpy(moved, *bytes, *room);
    *bytes = moved;
    *room = larger;
}

/* Takes free space for the growth of the file. Returns the number of bytes that may be written. */
static size_t reserve(struct disk_node *node, uint64_t offset, size_t size)
{
    uint64_t end = offset + size;
    uint64_t more = end > node->size ? end - node->size : 0;
    uint64_t granted = more < disk->room ? more : disk->room;
    if (disk->room != UINT64_MAX)
        disk->room -= granted;
    uint64_t missing = more - granted;
    return missing > size ? 0 : size - (size_t)missing;
}

enum disk_result disk_write(struct disk_node *node, uint64_t offset, const void *bytes, size_t size,
                            size_t *written)
{
    *written = 0;
    if (size == 0)
        return DISK_DONE;
    bool failed = disk_fails();
    size_t part = failed ? (size_t)world_below(size) : size;
    part = part == 0 ? 0 : reserve(node, offset, part);
    *written = part;
    if (part != 0) {
        if (offset != node->size)
            node->in_place = true;
        make_room(&node->bytes, &node->room, offset + part);
        if (offset > node->size)
            memset(node->bytes + node->size, 0, offset - node->size);
        memcpy(node->bytes + offset, bytes, part);
        if (offset + part > node->size)
            node->size = offset + part;
        node->modified_ns = world_date_ns();
        moment_comes(MOMENT_FILE_IS_WRITTEN);
    }
    if (failed || part < size)
        world_trace("a write of %zu bytes at %llu fails after %zu", size,
                    (unsigned long long)offset, part);
    if (failed)
        return DISK_FAILED;
    disk->faults += part < size;
    return part < size ? DISK_FULL : DISK_DONE;
}

size_t disk_read(const struct disk_node *node, uint64_t offset, void *bytes, size_t size)
{
    if (offset >= node->size)
        return 0;
    size_t part = node->size - offset < size ? node->size - offset : size;
    memcpy(bytes, node->bytes + offset, part);
    return part;
}

bool disk_truncate(struct disk_node *node, uint64_t size)
{
    if (disk_fails())
        return false;
    world_trace("a file is cut from %zu to %zu bytes", node->size, (size_t)size);
    make_room(&node->bytes, &node->room, size);
    if (size > node->size)
        memset(node->bytes + node->size, 0, size - node->size);
    else if (disk->room != UINT64_MAX)
        disk->room += node->size - size;
    node->size = size;
    return true;
}

bool disk_sync(struct disk_node *node)
{
    if (disk_fails())
        return false;
    make_room(&node->synced, &node->synced_room, node->size);
    if (node->size != 0)
        memcpy(node->synced, node->bytes, node->size);
    node->synced_size = node->size;
    settle_names(disk->change_count);
    moment_comes(MOMENT_FILE_IS_SYNCED);
    return true;
}

bool disk_sync_names(void)
{
    if (disk_fails())
        return false;
    settle_names(disk->change_count);
    return true;
}

void disk_put(const char *path, const void *bytes, size_t size)
{
    uint64_t room = disk->room;
    unsigned faults = disk->faults_in_thousand;
    struct disk_node *node = add_node(false), *before = disk_find(path);
    size_t written;
    disk->room = UINT64_MAX;
    disk->faults_in_thousand = 0;
    disk_write(node, 0, bytes, size, &written);
    if (before != NULL)
        release(before);
    change("", path, node);
    disk_sync(node);
    disk->room = room;
    disk->faults_in_thousand = faults;
}

/* --- ends of processes, and power cuts -------------------------------------------------------- */

void disk_process_ended(void)
{
    for (size_t i = 0; i < disk->node_count; i++) {
        struct disk_node *node = &disk->nodes[i];
        node->open = node->writers = node->sharing = node->read_failures = 0;
        node->exclusive = false;
    }
}

static size_t between(size_t a, size_t b)
{
    size_t low = a < b ? a : b, high = a < b ? b : a;
    return low + (size_t)world_below(high - low + 1);
}

/* Each sector that was written since the last sync gets its new or its old content. */
static void tear_sectors(struct disk_node *node)
{
    for (size_t at = 0; at < node->size; at += SECTOR) {
        size_t end = node->size - at < SECTOR ? node->size : at + SECTOR;
        if (world_chance(500))
            continue;
        for (size_t i = at; i < end; i++)
            node->bytes[i] = i < node->synced_size ? node->synced[i] : 0;
    }
}

static void cut_power_of(struct disk_node *node)
{
    size_t size = between(node->size, node->synced_size);
    if (node->in_place) {
        tear_sectors(node);
    } else if (node->size < node->synced_size && world_chance(500)) {
        make_room(&node->bytes, &node->room, node->synced_size);
        memcpy(node->bytes, node->synced, node->synced_size);
        size = node->synced_size;
    }
    node->size = size < node->size || !node->in_place ? size : node->size;
}

void disk_cut_power(void)
{
    disk_process_ended();
    settle_names(world_below(disk->change_count + 1));
    disk->change_count = 0;
    memcpy(disk->names, disk->synced_names, disk->name_count * sizeof disk->names[0]);
    for (size_t i = 0; i < disk->node_count; i++)
        disk->nodes[i].links = 0;
    for (size_t i = 0; i < disk->name_count; i++)
        if (disk->names[i].node != NULL)
            disk->names[i].node->links++;
    for (size_t i = 0; i < disk->node_count; i++)
        if (!disk->nodes[i].is_folder)
            cut_power_of(&disk->nodes[i]);
    for (size_t i = 0; i < disk->node_count; i++) {
        struct disk_node *node = &disk->nodes[i];
        make_room(&node->synced, &node->synced_room, node->size);
        if (node->size != 0)
            memcpy(node->synced, node->bytes, node->size);
        node->synced_size = node->size;
    }
}
