"""Random structures of beams, trusses, springs and masses in space, beside PyNite and consistent masses from textbooks."""
