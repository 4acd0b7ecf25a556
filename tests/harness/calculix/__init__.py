"""A clamped steel bar on a hub, meshed with solids for CalculiX: its matrices at rest and under loads, and its frequencies at speed."""
