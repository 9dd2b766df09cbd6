"""A second, slow, independent set of the rules, to hold the compiled one against.

Written from the rules alone, in another style: coordinates, dictionaries, sets and strings such as "978".
It shares no code with `takeiteasy_env`, and must not come to do so.
"""
