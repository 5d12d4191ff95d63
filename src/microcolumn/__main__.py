"""``python -m microcolumn``: the command line of this interpreter's installation."""

from .cli import app

if __name__ == "__main__":
    app(prog_name="microcolumn")
