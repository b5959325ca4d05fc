"""The command line: options and arguments in, one call of the library, its result out."""

from rankworth.cli.app import main as main
