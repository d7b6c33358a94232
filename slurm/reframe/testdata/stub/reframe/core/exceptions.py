class SanityError(Exception):
    pass
