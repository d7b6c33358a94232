"""As much of ReFrame's names as h5perf.py uses, without ReFrame's pipeline."""

import copy

from reframe.core import builtins

tests = {}  # by name


def simple_test(cls):
    tests[cls.__name__] = cls
    return cls


class ScopedDict:
    """References by scope: system:partition, system, or *."""

    def __init__(self, data):
        self.data = data

    def scope(self, name):
        system = name.split(':')[0]
        return {**self.data.get('*', {}), **self.data.get(system, {}), **self.data.get(name, {})}


class Partition:
    fullname = 'site:compute'


class RunOnlyRegressionTest:
    reference = ScopedDict({})
    stderr = 'rfm_job.err'
    current_partition = Partition()

    def __init__(self, stagedir, **values):
        self.stagedir = stagedir
        self.env_vars, self.perf_variables, self.postrun_cmds = {}, {}, []
        for cls in reversed(type(self).__mro__):
            for name, value in vars(cls).items():
                if isinstance(value, builtins.variable):
                    setattr(self, name, copy.deepcopy(value.value))
                elif isinstance(value, builtins.parameter):
                    setattr(self, name, value.values[0])
                elif name in self.__dict__:  # a class that extends another may set a variable of it
                    setattr(self, name, copy.deepcopy(value))
        for name, value in values.items():
            setattr(self, name, value)

    def hooks(self, mark):
        """Calls what is decorated with a mark."""
        for name in dir(type(self)):
            if getattr(getattr(type(self), name), 'mark', '') == mark:
                getattr(self, name)()
