"""Does with a test of h5perf.py what ReFrame does, as far as the stub goes.

drive.py NAME STAGE VALUES, where VALUES are the variables of the test, as JSON, prints the command line, the variables
of the environment, and either why the sanity check failed or the performance variables.
"""

import json
import sys

import reframe
from reframe.core.exceptions import SanityError

import h5perf  # noqa: F401, its tests are in reframe.tests

name, stage, values = sys.argv[1:]
values = json.loads(values)
values['reference'] = reframe.ScopedDict(values.get('reference') or {})
test = reframe.tests[name](stage, **values)
test.hooks('run')
said = {
    'command': [test.executable, *test.executable_opts], 'after': test.postrun_cmds, 'environment': test.env_vars,
    'kept': test.keep_files, 'fault': '', 'values': {}, 'units': {},
}
try:
    test.hooks('the sanity function')
except SanityError as error:
    said['fault'] = str(error)
else:
    test.hooks('performance')
    for name, variable in test.perf_variables.items():
        said['values'][name], said['units'][name] = variable.evaluate(), variable.unit
print(json.dumps(said))
