/*
 * The files of the status page (folder page/), uncompressed and compressed by gzip. Constant; the
 * build generates the table (CMakeLists.txt).
 */
#ifndef SLUICE_COLLECTOR_STATUS_PAGE_FILES_H
#define SLUICE_COLLECTOR_STATUS_PAGE_FILES_H

#include <stddef.h>

struct page_file {
    const char *path; /* "/", "/page/style.css" */
    const char *type; /* Content-Type with the character set */
    const unsigned char *plain;
    const size_t *plain_size; /* bytes */
    const unsigned char *gzip;
    const size_t *gzip_size;
};

/* Ends with an entry whose `path` is NULL. */
extern const struct page_file page_files[];

#endif
