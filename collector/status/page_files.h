/*
 * The status page's own files, as they stand in the folder page/ and as gzip has them. Constant;
 * the build writes the table (CMakeLists.txt).
 */
#ifndef SLUICE_COLLECTOR_STATUS_PAGE_FILES_H
#define SLUICE_COLLECTOR_STATUS_PAGE_FILES_H

#include <stddef.h>

struct page_file {
    const char *path; /* that it is asked for by: "/", "/page/style.css" */
    const char *type; /* what it is, with its character set */
    const unsigned char *plain;
    const size_t *plain_size; /* bytes */
    const unsigned char *gzip;
    const size_t *gzip_size;
};

/* A row without a path ends them. */
extern const struct page_file page_files[];

#endif
