"""Tests of ReFrame 4 that measure a file system with h5perf: see README.md.

The performance variables are the results of the run, as 'h5perf report' computes them from its document:

  OPERATION_API_PROCESSES_BYTES           median throughput in bytes per second (BYTES: one transfer, or the workload)
  OPERATION_API_over_API_PROCESSES_BYTES  the throughput divided by that of the API below, in the same case

A run that is not complete, or that lacks what was asked for, fails the sanity check. So it has no performance.
"""

import json
import os

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as typ
from reframe.core.builtins import parameter, required, run_before, sanity_function, variable
from reframe.core.exceptions import SanityError

DOCUMENT = 'h5perf.json'  # the run, with every sample
FIGURES = 'h5perf.ndjson'  # what 'h5perf report --export ndjson' makes of it


class h5perf_base(rfm.RunOnlyRegressionTest):
    """One run of h5perf."""

    #: A directory on the file system, which all nodes see. The run makes a private directory in it, and removes that.
    directory = variable(str, value=required)

    #: The APIs that are measured in turns.
    apis = variable(typ.List[str], value=['posix', 'mpiio', 'phdf5'])

    #: Further options of h5perf. The shell splits and expands them.
    options = variable(typ.List[str], value=['--preset', 'standard'])

    #: A directory in which h5perf stores the document, for 'h5perf trend'. '' means none.
    results = variable(str, value='')

    valid_systems = ['*']
    valid_prog_environs = ['*']
    executable = 'h5perf'
    num_tasks = 2
    keep_files = [DOCUMENT, FIGURES]

    def measured(self):
        """Returns the options that say what is measured."""
        return []

    @run_before('run')
    def prepare(self):
        self.env_vars['HDF5_PARAPREFIX'] = self.directory
        if self.results:
            self.env_vars['H5PERF_RESULTS'] = self.results
        self.executable_opts = [*self.measured(), '-A', ','.join(self.apis), *self.options, '--json', DOCUMENT]
        self.postrun_cmds = [
            *self.postrun_cmds, f'{self.executable} report --export ndjson {DOCUMENT} > {FIGURES}',
        ]

    def document(self):
        """Returns the document of the run."""
        path = os.path.join(self.stagedir, DOCUMENT)
        if not os.path.exists(path):
            raise SanityError(f'h5perf was not started, or refused to run: see {self.stderr}')
        with open(path, encoding='utf-8') as file:
            return json.load(file)

    def points(self):
        """Returns the results of the run."""
        with open(os.path.join(self.stagedir, FIGURES), encoding='utf-8') as file:
            return [r for r in map(json.loads, file) if r['measurement'] == 'h5perf']

    def figures(self):
        """Returns the performance variables: by name, their value and unit. A result without a figure has none."""
        named = {}
        for p in self.points():
            what = f'{p["processes"]}_{p.get("workload") or p.get("transfer_bytes")}'
            head = f'{p.get("operation")}_{p["api"]}'
            if 'throughput_median_bytes_per_second' in p:
                named[f'{head}_{what}'] = p['throughput_median_bytes_per_second'], 'B/s'
            if 'layer_median_ratio' in p:
                named[f'{head}_over_{p["layer_below"]}_{what}'] = p['layer_median_ratio'], 'ratio'
        return named

    @sanity_function
    def complete(self):
        """The run is complete, has figures of all APIs, and has each figure that has a reference here."""
        document, points, figures = self.document(), self.points(), self.figures()
        errors = '; '.join(e['message'] for e in document.get('errors', []))
        lacking = sorted({f'{p["api"]}: {p.get("case_reason")}' for p in points
                          if 'throughput_median_bytes_per_second' not in p})
        absent = sorted(set(self.apis) - {p['api'] for p in points})
        # ReFrame ignores references to what is not measured. Those with an index (ReFrame 4.10) have no scope.
        scope = getattr(self.reference, 'scope', lambda _: {})(self.current_partition.fullname)
        unknown = sorted(set(scope) - set(figures))
        for holds, fault in (
            (document['state'] == 'complete', f'the run is {document["state"]}: {errors or "no error is known"}'),
            (not lacking, f'without a figure: {lacking}'),
            (not absent, f'not measured: {absent}'),
            ({p['run_id'] for p in points} == {document['run_id']}, f'{FIGURES} is not of the run in {DOCUMENT}'),
            (not unknown, f'references to {unknown}, but there are only {sorted(figures)}'),
        ):
            if not holds:
                raise SanityError(fault)
        return True

    @run_before('performance')
    def take_figures(self):
        for name, (value, unit) in self.figures().items():
            self.perf_variables[name] = sn.make_performance_function(float, unit, value)


@rfm.simple_test
class h5perf_transfer(h5perf_base):
    """Transfers of one size, from all processes."""

    #: Sizes of a transfer, each of which is a test.
    transfer = parameter(['64K', '1M', '16M'])

    #: What each process writes. For figures of the storage, more than the memory of its share of a node.
    bytes_per_process = variable(str, value='64M')

    def measured(self):
        return ['-e', self.bytes_per_process, '-x', self.transfer, '-X', self.transfer, '-p', str(self.num_tasks)]


@rfm.simple_test
class h5perf_workload(h5perf_base):
    """What an application does with its files: see 'h5perf workload list'."""

    #: Profiles, or files with workloads, each of which is a test.
    workload = parameter(['particles'])

    #: Its sizes: site, or tiny to see that all works.
    size = variable(str, value='site')

    options = ['-i', '6', '--order', 'random', '--sync', 'close', '--cold']

    def measured(self):
        return ['run', self.workload, '--size', self.size]
