//go:build cgo

#include <pthread.h>
#include <sys/prctl.h>

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);

/* A thread inherits the timer slack of the thread that starts it. The first thread that this program starts is the
 * monitor. The linker directs calls of pthread_create in the program here, and leaves those in libraries as they are.
 */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    static int started;
    if (__atomic_exchange_n(&started, 1, __ATOMIC_RELAXED))
        return __real_pthread_create(thread, attributes, start, argument);
    int usual = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
    prctl(PR_SET_TIMERSLACK, 10000000UL, 0UL, 0UL, 0UL);
    int rc = __real_pthread_create(thread, attributes, start, argument);
    prctl(PR_SET_TIMERSLACK, (unsigned long)usual, 0UL, 0UL, 0UL);
    return rc;
}
