//go:build slurm && nightly

package rig_test

// terminations is the number of jobs that are ended in each way.
const terminations = 20
