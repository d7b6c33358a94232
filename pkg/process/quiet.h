/* Reports whether the Go runtime got its number of processors from this package. */
int h5perf_quiet_limited(void);
