/* Names of like objects, for the engines that use objects by their names. All functions are static inline, as in
 * h5perf_kernel.h. */
#ifndef H5PERF_NAMES_H
#define H5PERF_NAMES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Names of like objects, which have a number between a prefix and a suffix. */
typedef struct {
    size_t prefix, suffix; /* sizes in bytes */
    const char *ending;    /* the suffix */
    uint64_t first;        /* number in the name of member 0 */
    int numbered;          /* 0: the name of all members is the prefix and the suffix */
    int width;             /* minimum number of characters of a number */
    char pad;              /* fills numbers with fewer digits */
    char name[];           /* the prefix, and what the last h5perf_name wrote after it */
} h5perf_names;

/* The largest number has 20 digits. */
enum { H5PERF_DIGITS = 20 };

/* Returns NULL if there is no memory. The caller must free the result. */
static inline h5perf_names *h5perf_new_names(const char *prefix, const char *suffix, uint64_t first, int numbered,
                                             int width, char pad)
{
    size_t before = strlen(prefix), after = strlen(suffix);
    size_t room = before + (size_t)(width > H5PERF_DIGITS ? width : H5PERF_DIGITS) + after + 1;
    h5perf_names *n = calloc(1, sizeof *n + room + after + 1);
    if (!n)
        return NULL;
    *n = (h5perf_names){before, after, memcpy(n->name + room, suffix, after), first, numbered, width, pad};
    memcpy(n->name, prefix, before);
    return n;
}

/* Returns the name of a member. It is valid until the next call. */
static inline const char *h5perf_name(h5perf_names *n, uint64_t member)
{
    char digits[H5PERF_DIGITS], *at = n->name + n->prefix;
    int used = 0;
    if (n->numbered) {
        uint64_t number = n->first + member;
        do
            digits[used++] = (char)('0' + number % 10);
        while (number /= 10);
        for (int i = used; i < n->width; i++)
            *at++ = n->pad;
        while (used > 0)
            *at++ = digits[--used];
    }
    memcpy(at, n->ending, n->suffix);
    at[n->suffix] = 0;
    return n->name;
}

/* Returns whether one of members 0 to count - 1 has the name that begins at text and has the given size in bytes. */
static inline int h5perf_has_name(h5perf_names *n, const char *text, size_t bytes, uint64_t count)
{
    uint64_t number = n->first;
    if (bytes < n->prefix + n->suffix || memcmp(text, n->name, n->prefix) != 0)
        return 0;
    if (n->numbered) {
        const char *at = text + n->prefix, *end = text + bytes - n->suffix;
        while (at < end - 1 && *at == ' ')
            at++;
        if (end - at > H5PERF_DIGITS && n->pad != '0')
            return 0;
        for (number = 0; at < end; at++) {
            if (*at < '0' || *at > '9')
                return 0;
            number = 10 * number + (uint64_t)(*at - '0');
        }
        if (number - n->first >= count)
            return 0;
    }
    const char *name = h5perf_name(n, number - n->first);
    return strlen(name) == bytes && memcmp(name, text, bytes) == 0;
}

/* A stop flag may be NULL. */
static inline int h5perf_stopped(const volatile int32_t *stop) { return stop && *stop; }

#endif
