//go:build cgo

#include <signal.h>
#include <string.h>
#include <unistd.h>

static void die(int number)
{
    static const char text[] = "h5perf: crash in a library\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    signal(number, SIG_DFL);
    raise(number);
}

/* The Go runtime, which starts later, calls a handler that it finds for signals of crashes in C. */
__attribute__((constructor)) static void prepare(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = die;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (unsigned i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i], &action, NULL);
}
