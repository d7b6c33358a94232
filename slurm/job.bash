# job.bash: what the batch scripts have in common; they source it. bash, for lists of words that may hold anything.
# shellcheck shell=bash
#
# begin NAME          makes the directory of the job, and chooses program and launch
# options NAME ...    words = those of the variable NAME and of the other arguments
# doctor DIR...       ends the job where h5perf doctor finds that it cannot measure
# measure WORD...     runs h5perf on all tasks, or as the list tasks tells srun; its report and its messages go to the directory of the job
# draw FILE DOCUMENT  draws what was measured
# end                 ends the job with the status of what was measured
set -uo pipefail

# Newer Slurm passes neither on to srun by itself; with sbatch --export=NONE the tasks would have no environment at all.
export SLURM_EXPORT_ENV=ALL
[ -z "${SLURM_CPUS_PER_TASK-}" ] || export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK

# Variables that name a file which h5perf reads or writes.
files=(H5PERF_PUSHGATEWAY_PASSWORD_FILE H5PERF_PUSHGATEWAY_TOKEN_FILE H5PERF_PUSHGATEWAY_CA H5PERF_PUSHGATEWAY_CERT
    H5PERF_PUSHGATEWAY_KEY H5PERF_TEXTFILE)

# fail STATUS TEXT
fail() {
    echo "h5perf: $2" >&2
    exit "$1"
}

begin() {
    home=$(cd -P -- "$home" && pwd) || exit
    submit=${SLURM_SUBMIT_DIR:-$PWD}
    H5PERF_DIR=$(absolute "${H5PERF_DIR:-.}")
    H5PERF_DIR_B=$(absolute "${H5PERF_DIR_B:-$H5PERF_DIR}")
    local name
    for name in H5PERF_RESULTS H5PERF_SPOOL; do
        [ -n "${!name-}" ] || continue
        export "$name=$(absolute "${!name}")"
        mkdir -p -- "${!name}" || fail 1 "no directory $name"
    done
    for name in "${files[@]}"; do
        [ -z "${!name-}" ] || export "$name=$(absolute "${!name}")"
    done
    # A job that was requeued begins anew, and what it had measured before stays.
    job=$(absolute "${H5PERF_OUT:-$submit/h5perf-results}")/$1${SLURM_RESTART_COUNT:+.restart$SLURM_RESTART_COUNT}
    mkdir -p -- "$job" || fail 1 "no directory for results: set H5PERF_OUT"
    echo "h5perf: results are in $job"
    choose
    echo "h5perf: ${program[*]} ($version), srun --mpi=$mpi${SLURM_RESTART_COUNT:+, restart $SLURM_RESTART_COUNT}"
    tasks=() status=0
}

# absolute PATH: seen from where sbatch was called.
absolute() {
    case $1 in
    /*) echo "$1" ;;
    *) echo "$submit/$1" ;;
    esac
}

# choose sets program, version and mpi: of the programs that there are, the first that srun can launch.
choose() {
    local sifs=() sif
    find_sifs
    for sif in "${sifs[@]}"; do
        choose_program "$sif"
        version=$("${program[@]}" --version) || fail 1 "${program[*]} does not run here: $version"
        # A program without MPI is no substitute for one with it.
        [[ ${#sifs[@]} = 1 || $version = *' openmpi' || $version = *' mpich' ]] || continue
        mpi=${H5PERF_MPI:-$(choose_mpi "${version##* }")} && return
        echo "h5perf: ${program[*]} ($version) is not taken" >&2
    done
    exit 3
}

# find_sifs sets sifs: what H5PERF_SIF is to be, as it is if a variable names the program, else each image that is there, and none for
# the program of the host if there is one.
find_sifs() {
    local candidate
    if [ -n "${H5PERF_SIF-}${H5PERF_PROGRAM-}" ]; then
        sifs=("${H5PERF_SIF:-none}")
        return
    fi
    for candidate in "$home"/h5perf.sif "$home"/.cache/images/h5perf-{openmpi,mpich}.sif; do
        [ ! -f "$candidate" ] || ! command -v apptainer >/dev/null || sifs+=("$candidate")
    done
    if [ ${#sifs[@]} = 0 ] || command -v -- "$(host_program)" >/dev/null; then
        sifs+=(none)
    fi
}

host_program() {
    local built=$home/bin/h5perf
    [ -x "$built" ] || built=h5perf
    echo "${H5PERF_PROGRAM:-$built}"
}

# choose_program SIF sets program to the words that start h5perf: in the image, or by itself.
choose_program() {
    local sif=$1 candidate name
    case $sif in
    none)
        program=("$(host_program)")
        command -v -- "${program[0]}" >/dev/null ||
            fail 2 "no program: ${program[0]} is not found; build it with 'make build', or set H5PERF_PROGRAM or H5PERF_SIF"
        ;;
    *)
        [ -f "$sif" ] || fail 2 "H5PERF_SIF=$sif: no such file"
        command -v apptainer >/dev/null || fail 2 "H5PERF_SIF=$sif: no apptainer here; install it, or set H5PERF_SIF=none"
        program=(apptainer exec)
        local bound=$'\n'
        for name in job H5PERF_DIR H5PERF_DIR_B H5PERF_RESULTS H5PERF_SPOOL "${files[@]}"; do
            candidate=${!name-}
            [ "$name" != H5PERF_TEXTFILE ] || candidate=${candidate%/*} # a new file takes its place
            case $candidate in
            *[:,]*) fail 2 "directory $candidate: apptainer cannot bind a name with a colon or a comma; use another, or H5PERF_SIF=none" ;;
            esac
            [ -e "$candidate" ] && [[ $bound != *$'\n'"$candidate"$'\n'* ]] && bound+=$candidate$'\n' && program+=(--bind "$candidate")
        done
        program+=("$sif" h5perf)
        ;;
    esac
}

# choose_mpi FLAVOUR: what srun offers and the MPI of the program speaks.
choose_mpi() {
    local offered wanted kind
    offered=$(srun --mpi=list 2>&1)
    case $1 in
    openmpi) wanted='pmix pmix_v5 pmix_v4 pmix_v3 pmix_v2' ;;
    mpich) wanted='pmi2 cray_shasta' ;;
    *) wanted=none ;;
    esac
    for kind in $wanted; do
        ! grep -qw -- "$kind" <<<"$offered" || { echo "$kind" && return; }
    done
    fail 3 "srun offers none of: $wanted, of which a program with this MPI ($1) needs one, but: ${offered//$'\n'/ }"
}

options() {
    local name=$1
    shift
    IFS=$' \t\n' read -r -d '' -a words <<<"${!name-}" # neither patterns nor quotes nor $ mean anything
    words+=("$@")
    [ ${#words[@]} -gt 0 ] || words=(--profile standard)
}

# step WORD... runs srun with these words, passes on to it that the job is to end, and returns its status.
step() {
    srun --mpi="$mpi" "$@" &
    local pid=$!
    trap 'kill -TERM "$pid" 2>/dev/null' TERM INT
    while kill -0 "$pid" 2>/dev/null; do wait "$pid"; done
    wait "$pid"
}

doctor() {
    [ "${H5PERF_DOCTOR-}" != no ] || return 0
    step "${tasks[@]}" "${program[@]}" doctor "$@" >"$job/doctor.txt" 2>&1 && return
    status=$?
    cat "$job/doctor.txt" >&2
    end
}

measure() {
    step "${tasks[@]}" "${program[@]}" "$@" >"$job/report.txt" 2>"$job/log.txt"
    status=$?
    cat "$job/log.txt" >&2
}

draw() {
    [ ! -s "$2" ] && [ ! -d "$2" ] || "${program[@]}" report --html "$1" "$2" >>"$job/log.txt" 2>&1 ||
        echo "h5perf: no $1: see $job/log.txt" >&2
}

end() {
    echo "h5perf: exit status $status"
    # A job that is preempted and ends by itself would have failed, and would not be queued again though that was asked for.
    if [ "$status" = 143 ] && scontrol show job "$SLURM_JOB_ID" | grep -q ' PreemptTime=[0-9]'; then
        echo "h5perf: preempted; Slurm ends the job"
        exec sleep infinity
    fi
    exit "$status"
}
