# job.bash: common functions of the batch scripts, which source it. It needs bash for arrays of words.
# shellcheck shell=bash
#
# begin NAME          creates the directory of the job, chooses program and launcher, and prints what the job measures, and how
# alone DIR           ends the job if another job of its array is measuring
# options NAME ...    words = those of the variable NAME, followed by the other arguments; but 'run WORKLOAD' comes first
# doctor DIR...       ends the job if h5perf doctor finds a problem that prevents the measurement
# on NODES TASKS      sets the number of nodes and tasks for the steps that follow
# measure WORD...     runs h5perf; report and messages go to the directory of the job, messages also to the output of the job
# draw FILE DOCUMENT...  writes the HTML report of the results
# end                 ends the job with the status of the measurement
set -uo pipefail

# Newer Slurm does not pass these to srun by itself. With sbatch --export=NONE the tasks would have no environment.
export SLURM_EXPORT_ENV=ALL
# srun ends the tasks that are left one minute after the first one has ended: they may wait for it, for example in MPI_Init.
export SLURM_WAIT=${SLURM_WAIT-60}
[ -z "${SLURM_CPUS_PER_TASK-}" ] || export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK

# Variables that name a file which h5perf reads or writes.
files=(H5PERF_PUSHGATEWAY_PASSWORD_FILE H5PERF_PUSHGATEWAY_TOKEN_FILE H5PERF_PUSHGATEWAY_CA H5PERF_PUSHGATEWAY_CERT
    H5PERF_PUSHGATEWAY_KEY H5PERF_TEXTFILE)

# The run must end this number of seconds before the end of the job: Slurm may send the signal of --signal a minute early.
margin=130

# fail STATUS TEXT
fail() {
    echo "h5perf: $2" >&2
    exit "$1"
}

# A script that measures with one process sets serial=yes before begin.
serial=

begin() {
    home=$(cd -P -- "$home" && pwd) || exit
    submit=${SLURM_SUBMIT_DIR:-$PWD}
    local name on_nodes=${nodes-} of_tasks=${tasks-} # the prologue may use the same names
    prologue
    nodes=${on_nodes:-$SLURM_JOB_NUM_NODES} tasks=${of_tasks:-${SLURM_NTASKS:-$SLURM_JOB_NUM_NODES}} status=0
    [ -n "${H5PERF_DIR-}" ] || fail 2 "H5PERF_DIR is not set: set it to the directory to measure (sbatch --export=NONE passes \
no variables to the job; use sbatch --export=H5PERF_DIR=/scratch/project)"
    H5PERF_DIR=$(absolute "$H5PERF_DIR")
    H5PERF_DIR_B=$(absolute "${H5PERF_DIR_B:-$H5PERF_DIR}")
    for name in HDF5_PARAPREFIX HDF5_PREFIX; do
        [ "${!name-$H5PERF_DIR}" = "$H5PERF_DIR" ] || echo "h5perf: $name=${!name} is ignored: the job measures H5PERF_DIR"
    done
    for name in H5PERF_RESULTS H5PERF_SPOOL; do
        [ -n "${!name-}" ] || continue
        export "$name=$(absolute "${!name}")"
        mkdir -p -- "${!name}" || fail 1 "cannot create the directory $name=${!name}"
    done
    for name in "${files[@]}"; do
        [ -z "${!name-}" ] || export "$name=$(absolute "${!name}")"
    done
    # A requeued job uses a new directory, so its earlier results stay.
    job=$(absolute "${H5PERF_OUT:-$submit/h5perf-results}")/$1${SLURM_RESTART_COUNT:+.restart$SLURM_RESTART_COUNT}
    mkdir -p -- "$job" || fail 1 "cannot create the directory for results, $job: set H5PERF_OUT to another directory"
    deadline
    tell_place "$H5PERF_DIR"
    [ "$H5PERF_DIR_B" = "$H5PERF_DIR" ] || tell_place "$H5PERF_DIR_B"
    echo "h5perf: with $tasks tasks on $nodes of the nodes $SLURM_JOB_NODELIST$(sharing)"
    [ -z "${H5PERF_DEADLINE-}" ] || echo "h5perf: measures until $H5PERF_DEADLINE, with as many iterations as fit"
    echo "h5perf: results are in $job"
    choose
    on "$nodes" "$tasks"
    echo "h5perf: ${program[*]} ($version), launched by ${launch[*]}${SLURM_RESTART_COUNT:+, restart $SLURM_RESTART_COUNT}"
    everywhere
    trap ending TERM INT
    export H5PERF_PROGRESS=${H5PERF_PROGRESS:-1m}
}

# prologue loads what the site needs, such as modules.
prologue() {
    [ -n "${H5PERF_PROLOGUE-}" ] || return 0
    local file
    file=$(absolute "$H5PERF_PROLOGUE")
    [ -r "$file" ] || fail 2 "H5PERF_PROLOGUE=$file: no such file"
    set +u # modules may use variables that are not set
    # shellcheck disable=SC1090
    . "$file" || fail 2 "H5PERF_PROLOGUE=$file: its last command ended with status $?"
    set -u
}

# absolute PATH prints PATH relative to the directory in which sbatch was called, as an absolute path.
absolute() {
    case $1 in
    /*) echo "$1" ;;
    *) echo "$submit/$1" ;;
    esac
}

# tell_place DIR prints the directory to measure and its file system.
tell_place() {
    local kind source target
    read -r kind source target < <(timeout 10 findmnt -rn -o FSTYPE,SOURCE,TARGET -T "$1" 2>/dev/null | tail -n 1)
    echo "h5perf: measures $1${kind:+ on $kind ($source, mounted on $target)}"
}

# sharing prints whether other jobs may use the nodes.
sharing() {
    case $(scontrol show job "$SLURM_JOB_ID" 2>/dev/null | sed -n 's/.*OverSubscribe=\([A-Z]*\).*/\1/p' | head -n 1) in
    NO) echo '; no other job uses them' ;;
    ?*) echo '; other jobs may use them, too (sbatch --exclusive prevents that)' ;;
    esac
}

# deadline sets H5PERF_DEADLINE to shortly before the end of the job. It does nothing if the variable is set, or if the end is near or
# not known. It converts a duration to a time, because a job may have several runs.
deadline() {
    local unit
    if [[ ${H5PERF_DEADLINE-} =~ ^([0-9]+)([smh])$ ]]; then
        case ${BASH_REMATCH[2]} in s) unit=1 ;; m) unit=60 ;; h) unit=3600 ;; esac
        H5PERF_DEADLINE=$(date -u -d "@$(($(date +%s) + 10#${BASH_REMATCH[1]} * unit))" +%FT%TZ)
    fi
    [ -z "${H5PERF_DEADLINE-}" ] || return 0
    local end=${SLURM_JOB_END_TIME-}
    if [ -z "$end" ]; then
        end=$(scontrol show job "$SLURM_JOB_ID" 2>/dev/null | sed -n 's/.*EndTime=\([0-9T:-]*\).*/\1/p' | head -n 1)
        [ -n "$end" ] && end=$(date -d "$end" +%s 2>/dev/null) || return 0
    fi
    [[ $end =~ ^[0-9]+$ ]] || return 0
    [ $((end - margin)) -gt "$(date +%s)" ] || return 0
    H5PERF_DEADLINE=$(date -u -d "@$((end - margin))" +%FT%TZ)
    export H5PERF_DEADLINE
}

# choose sets sif, program, version and mpi to those of the first program that can be launched.
choose() {
    local sifs=() candidate flavour
    find_sifs
    for candidate in "${sifs[@]}"; do
        choose_program "$candidate"
        version=$("${program[@]}" --version) || fail 1 "'${program[*]} --version' fails on this node: $version"
        # A program without MPI cannot replace one with MPI.
        for flavour in $version; do
            case $flavour in openmpi | mpich | serial | none) break ;; esac
        done
        [[ -n $serial || ${#sifs[@]} = 1 || $flavour = openmpi || $flavour = mpich ]] || continue
        [ -n "$serial" ] || [ "${H5PERF_LAUNCH:-srun}" = srun ] || return 0
        mpi=${H5PERF_MPI:-$(choose_mpi "$flavour")} && return
        echo "h5perf: ${program[*]} ($version) is not used" >&2
    done
    exit 3
}

# on NODES TASKS sets launch, the command that launches TASKS tasks on NODES nodes of the job.
on() {
    if [ -z "$serial" ] && [ "${H5PERF_LAUNCH:-srun}" != srun ]; then
        read -r -a launch <<<"$H5PERF_LAUNCH"
        [ "${launch[0]##*/}" != srun ] || launch+=(--nodes="$1")
        launch+=(-n "$2")
    else
        launch=(srun --mpi="$mpi" --nodes="$1" --ntasks="$2")
    fi
}

# find_sifs sets sifs, the candidates for H5PERF_SIF: the value of the variable if a variable names the program; otherwise each existing
# image, and none for the program of the host if it exists.
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

# choose_program SIF sets sif, and sets program to the command that starts h5perf in the image or on the host.
choose_program() {
    local candidate name
    sif=$1
    case $sif in
    none)
        program=("$(host_program)")
        command -v -- "${program[0]}" >/dev/null ||
            fail 2 "no program: ${program[0]} is not found; build it with 'make build', or set H5PERF_PROGRAM or H5PERF_SIF"
        ;;
    *)
        [ -f "$sif" ] || fail 2 "H5PERF_SIF=$sif: no such file"
        command -v apptainer >/dev/null ||
            fail 2 "H5PERF_SIF=$sif: apptainer is not installed on this node; install it, or set H5PERF_SIF=none"
        program=(apptainer --quiet exec)
        local bound=$'\n'
        for name in job H5PERF_DIR H5PERF_DIR_B H5PERF_RESULTS H5PERF_SPOOL "${files[@]}"; do
            candidate=${!name-}
            [ "$name" != H5PERF_TEXTFILE ] || candidate=${candidate%/*} # a new file takes its place
            case $candidate in
            *[:,]*)
                fail 2 "directory $candidate: apptainer cannot bind a name with a colon or a comma; use another name, or set \
H5PERF_SIF=none"
                ;;
            esac
            [ -e "$candidate" ] && [[ $bound != *$'\n'"$candidate"$'\n'* ]] && bound+=$candidate$'\n' && program+=(--bind "$candidate")
        done
        program+=("$sif" h5perf)
        ;;
    esac
}

# choose_mpi FLAVOUR prints the first type that srun offers and the MPI of the program supports. A serial job needs none.
choose_mpi() {
    local offered wanted kind
    offered=$(srun --mpi=list 2>&1)
    case $serial$1 in
    openmpi) wanted='pmix pmix_v5 pmix_v4 pmix_v3 pmix_v2' ;;
    mpich) wanted='pmi2 cray_shasta' ;;
    *) wanted=none ;;
    esac
    for kind in $wanted; do
        ! grep -qw -- "$kind" <<<"$offered" || { echo "$kind" && return; }
    done
    fail 3 "srun offers none of: $wanted; a program with this MPI ($1) needs one of them; srun offers: ${offered//$'\n'/ }"
}

# everywhere ends the job if the program does not start on a node. (The run itself is launched without --kill-on-bad-exit, because srun
# would then report a signal instead of the original error.)
everywhere() {
    local wrong
    # shellcheck disable=SC2016 # of the shell on each node
    wrong=$(srun --kill-on-bad-exit=1 --mpi=none --nodes="$nodes" --ntasks="$nodes" --ntasks-per-node=1 bash -c '
        said=$("$@" --version 2>&1) || { echo "h5perf: node $(hostname -s): $said" && exit 1; }' bash "${program[@]}" 2>&1) ||
        { echo "$wrong" >&2 && fail 2 "${program[*]} must start on all nodes: put it on a file system that all nodes share"; }
}

# alone DIR holds DIR/measures, a link to the job id, until the end of the job. It ends the job if another running job of the array holds
# it. The creation of the link is atomic.
alone() {
    local other there
    until ln -s -T -- "$SLURM_JOB_ID" "$1/measures" 2>/dev/null; do
        other=$(readlink -- "$1/measures") || fail 1 "cannot create $1/measures: $(ln -s -T -- "$SLURM_JOB_ID" "$1/measures" 2>&1)"
        there=$(squeue -h -t RUNNING,SUSPENDED,COMPLETING -o %A 2>&1) || fail 1 "cannot check whether job $other has ended: squeue: $there"
        if ! grep -qx -- "$other" <<<"$there"; then
            rm -f -- "$1/measures" # of a job that was killed
            continue
        fi
        fail 2 "job $other measures the same file system now: jobs of an array that run at once slow down each other; submit \
the array with %1, for example --array=1,2,4,8%1"
    done
    # shellcheck disable=SC2064 # the directory is known now
    trap "rm -f -- '${1//\'/\'\\\'\'}/measures'" EXIT
}

options() {
    local name=$1 first=() more
    shift
    if [ "${1-}" = run ]; then
        first=("${@:1:2}")
        shift "${#first[@]}"
    fi
    IFS=$' \t\n' read -r -d '' -a more <<<"${!name-}" # neither patterns nor quotes nor $ mean anything
    words=("${first[@]}" "${more[@]}" "$@")
    [ ${#words[@]} -gt 0 ] || words=(--preset standard)
}

# ending ends the job on a signal between two steps. A script may replace it.
ending() {
    status=143
    end
}

# tell_end PID sends SIGTERM to the tasks of the launcher PID. srun itself would kill them at once, and the document would stay running.
tell_end() {
    if [ "${launch[0]##*/}" = srun ] && squeue -h -s -j "$SLURM_JOB_ID" -o %i 2>/dev/null | grep -Eq '\.[0-9]+$'; then
        scancel --signal=TERM "$SLURM_JOB_ID" 2>/dev/null && return
    fi
    kill -TERM "$1" 2>/dev/null
}

# step WORD... launches a command, forwards SIGTERM to it, and returns its status. After a signal it returns 143 for any failure, because
# mpiexec of Open MPI uses another status.
step() {
    local pid told='' result
    "${launch[@]}" "$@" &
    pid=$!
    trap 'told=yes; tell_end "$pid"' TERM INT
    while kill -0 "$pid" 2>/dev/null; do wait "$pid"; done
    trap ending TERM INT
    wait "$pid"
    result=$?
    [ -z "$told" ] || [ "$result" = 0 ] || result=143
    return "$result"
}

doctor() {
    [ "${H5PERF_DOCTOR-}" != no ] || return 0
    step "${program[@]}" doctor ${serial:+--serial} "$@" >"$job/doctor.txt" 2>&1 && return
    status=$?
    cat "$job/doctor.txt" >&2
    end
}

measure() {
    local copy name=${what:-report}
    exec 3> >(trap '' TERM INT && exec tee -a -- "$job/log.txt" >&2)
    copy=$!
    step "${program[@]}" "$@" >"$job/$name.txt" 2>&3
    status=$?
    exec 3>&-
    wait "$copy"
}

draw() {
    local file=$1
    shift
    [ ! -s "$1" ] && [ ! -d "$1" ] || "${program[@]}" report --html "$file" "$@" >>"$job/log.txt" 2>&1 ||
        echo "h5perf: could not write $file: see $job/log.txt" >&2
}

end() {
    echo "h5perf: exit status $status"
    # If a preempted job ended by itself, Slurm would report it as failed and would not requeue it.
    if [ "$status" = 143 ] && scontrol show job "$SLURM_JOB_ID" | grep -q ' PreemptTime=[0-9]'; then
        echo "h5perf: preempted; Slurm ends the job"
        exec sleep infinity
    fi
    exit "$status"
}
