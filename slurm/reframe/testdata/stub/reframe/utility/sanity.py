class PerformanceFunction:
    def __init__(self, function, unit, *args):
        self.evaluate, self.unit = (lambda: function(*args)), unit


make_performance_function = PerformanceFunction
