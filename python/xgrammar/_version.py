"""The version of the package, in the one place that the build reads too."""

__version__ = "0.3.0"
__version_tuple__ = (0, 3, 0)
