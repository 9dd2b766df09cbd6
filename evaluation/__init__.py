"""Everything that measures: tournaments on shared draws, their statistics and their reports."""
