//go:build cgo

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include "quiet.h"

typedef int start(int argc, char **argv, char **envp);

static int limited;

static start *go_main; /* the start of the Go runtime */

/* Calls main with GOMAXPROCS=2 unless it is set. The runtime expects arguments, variables and the auxiliary vector one
 * after another, as the kernel passes them. */
static int limited_main(int argc, char **argv, char **envp)
{
    static char limit[] = "GOMAXPROCS=2";
    const size_t name = sizeof "GOMAXPROCS=" - 1;
    char **end = envp;
    for (; *end; end++)
        if (strncmp(*end, limit, name) == 0)
            return go_main(argc, argv, envp);
    const ElfW(auxv_t) *last = (const ElfW(auxv_t) *)(end + 1);
    while (last->a_type != AT_NULL)
        last++;
    const size_t before = (size_t)((char *)envp - (char *)argv), after = (size_t)((char *)(last + 1) - (char *)envp);
    char **copy = malloc(before + sizeof *copy + after);
    if (!copy)
        return go_main(argc, argv, envp);
    char **variables = copy + before / sizeof *copy;
    memcpy(copy, argv, before);
    variables[0] = limit;
    memcpy(variables + 1, envp, after);
    limited = 1;
    return go_main(argc, copy, variables);
}

/* The first instructions of the program call this function, which is here in place of that of the C library. (The option
 * --wrap of the linker would do the same, but it makes Go's linker build another kind of program.) */
int __libc_start_main(start *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
    void (*rtld_fini)(void), void *stack_end)
{
    typeof(__libc_start_main) *next;
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    go_main = main;
    return next(limited_main, argc, argv, init, fini, rtld_fini, stack_end);
}

int h5perf_quiet_limited(void)
{
    return limited;
}
