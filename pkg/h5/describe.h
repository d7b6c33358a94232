/* Functions that describe existing files. */
#ifndef H5PERF_H5_DESCRIBE_H
#define H5PERF_H5_DESCRIBE_H

#include "calls.h"

/* Names that follow each other. Before each is a byte for its kind, after it a zero byte. The caller must free
 * `text`. */
typedef struct {
    char *text;
    size_t used, room;
    uint64_t count, most; /* number of names, and its limit */
    int full;             /* there are more names than `most`, or there is no memory */
} h5perf_list;

/* Lists the links of a group: h for hard links, s for soft links, e for external links, u for user-defined links. They are
 * in the order of their creation if it is tracked, or else of their names. */
herr_t h5perf_links(hid_t group, int tracked, h5perf_list *list);
/* Lists the attributes of an object, in the same order. */
herr_t h5perf_attribute_names(hid_t object, int tracked, h5perf_list *list);

/* Gets what a soft or external link points to. The caller must free both texts; file is NULL for a soft link. */
herr_t h5perf_link_target(hid_t group, const char *name, char **file, char **path);

/* Identifies an object within its file. */
typedef struct {
    int type; /* H5O_type_t */
    unsigned char key[32];
    int changed; /* it has a time of its last change */
} h5perf_object;

herr_t h5perf_describe_object(hid_t object, h5perf_object *to);

/* Reports whether a file creation list has another file space strategy than the default. Returns a negative number on
 * error. */
int h5perf_has_own_space(hid_t list);

/* Gets the number of chunks of a dataset that have storage. Returns 1 if the library cannot tell it. */
int h5perf_num_chunks(hid_t dataset, hsize_t *chunks);

/* Gets the value of a member of an enumeration, which has at most 8 bytes. */
herr_t h5perf_enum_value(hid_t type, unsigned word, size_t bytes, int big, uint64_t *value);

#endif
