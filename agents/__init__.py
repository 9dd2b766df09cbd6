"""Everything that decides or learns: agents that answer ``values(positions)``, and their trainers."""
