//go:build cgo

#include <pthread.h>
#include <sys/prctl.h>

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);

/* A thread inherits the timer slack of the thread that starts it. The first thread that this program starts is the
 * monitor. It may start others, which get the usual slack. The linker directs calls of pthread_create in the program
 * here, and leaves those in libraries as they are. */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    static unsigned long usual; /* 0 before the first thread */
    const unsigned long own = (unsigned long)prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
    const unsigned long slack = usual ? usual : 10000000UL;
    if (!usual)
        usual = own;
    if (slack != own)
        prctl(PR_SET_TIMERSLACK, slack, 0UL, 0UL, 0UL);
    int rc = __real_pthread_create(thread, attributes, start, argument);
    if (slack != own)
        prctl(PR_SET_TIMERSLACK, own, 0UL, 0UL, 0UL);
    return rc;
}
