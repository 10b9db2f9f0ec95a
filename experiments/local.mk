# Data: shipped as it stands, linked to nothing.
EXTRA_DIST += experiments
