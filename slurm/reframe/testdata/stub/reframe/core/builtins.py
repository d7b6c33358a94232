required = object()


class variable:
    def __init__(self, *types, value=required):
        self.value = value


class parameter:
    def __init__(self, values):
        self.values = values


def marked(mark):
    def decorate(function):
        function.mark = mark
        return function
    return decorate


run_before = marked
sanity_function = marked('the sanity function')
