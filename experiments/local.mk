# Data: shipped as it stands, linked to nothing.
EXTRA_DIST += experiments

# What they include from there.
EXTRA_DIST += topologies
