/* An MPI program that does the collective calls of a run and nothing else. Each process prints the peak of its own
 * memory, that of programs and libraries left out. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static char block[262144];
    double one = 1, sum;
    char line[256];
    MPI_Comm work;
    MPI_File file;
    FILE *status;
    int rank;
    long peak = 0, files = 0;

    if (argc != 2)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &work);
    MPI_Bcast(block, sizeof block, MPI_BYTE, 0, work);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, work);
    MPI_Barrier(work);
    MPI_File_open(work, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof block, block, sizeof block, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, rank * (MPI_Offset)sizeof block, block, sizeof block, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) {
        sscanf(line, "VmHWM: %ld", &peak);
        sscanf(line, "RssFile: %ld", &files);
    }
    printf("own memory: %ld KiB\n", peak - files);
    MPI_Finalize();
    return 0;
}
