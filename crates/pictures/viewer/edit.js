// The workshop.
