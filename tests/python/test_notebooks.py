"""The notebooks of examples/notebooks run from the first cell to the last, and print what they show.

`BALLESTA_REWRITE=1` stores what they print and draw."""

import os
import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def printed(notebook):
    """What each code cell prints, without pictures; the kernel cuts a text into pieces as it likes."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    is_text = lambda output: output.output_type == "stream" and output.name == "stdout"
    return ["".join("".join(output.text) for output in cell.outputs if is_text(output)) for cell in cells]


def test_there_are_six():
    assert [path.stem for path in NOTEBOOKS] == ["controller", "environment", "gradient", "identification", "observer", "spillover"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs_and_prints_what_it_shows(path, tmp_path):
    # As in the source tree, for models of the gallery.
    folder = tmp_path / path.parent.relative_to(ROOT)
    folder.mkdir(parents=True)
    for model in path.parent.glob("*.toml"):
        shutil.copy(model, folder)
    shutil.copytree(ROOT / "models/slewing_arm", tmp_path / "models/slewing_arm")
    stored = nbformat.read(path, as_version=4)
    notebook = nbformat.from_dict(stored)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}, record_timing=False).execute()
    if os.environ.get("BALLESTA_REWRITE"):
        nbformat.write(notebook, path)
        return
    assert printed(notebook) == printed(nbformat.read(path, as_version=4)), "BALLESTA_REWRITE=1 stores what the notebook prints"
