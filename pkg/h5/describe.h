/* Functions for the description of files that others have made. */
#ifndef H5PERF_H5_DESCRIBE_H
#define H5PERF_H5_DESCRIBE_H

#include "calls.h"

/* Names that follow each other, each after a byte for its kind, and with a zero byte at its end. Release `text`. */
typedef struct {
    char *text;
    size_t used, room;
    uint64_t count, most; /* so many there may be */
    int full;             /* there are more, or there is no memory */
} h5perf_list;

/* Lists the links of a group: h for hard links, s for soft ones, e for external ones, u for those of users. */
herr_t h5perf_links(hid_t group, h5perf_list *list);
/* Lists the attributes of an object. */
herr_t h5perf_attribute_names(hid_t object, h5perf_list *list);

/* Identifies an object within its file. */
typedef struct {
    int type; /* H5O_type_t */
    unsigned char key[32];
} h5perf_object;

herr_t h5perf_describe_object(hid_t object, h5perf_object *to);

/* Returns the bytes of all texts of variable length of an attribute, or a negative number. */
int64_t h5perf_text_bytes(hid_t attribute, hid_t type, hid_t space, uint64_t texts);

/* Gets the value of a word of an enumeration of at most 8 bytes. */
herr_t h5perf_enum_value(hid_t type, unsigned word, size_t bytes, int big, uint64_t *value);

#endif
