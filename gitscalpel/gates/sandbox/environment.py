"""The variables that a program in a sandbox finds: those that say how to work, none that opens a door.

Names are let through, not kept out: nobody can list what tokens are called.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Mapping

_PASSING = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "COLORTERM"),
    *("NO_COLOR", "FORCE_COLOR", "CLICOLOR*", "CI", "SOURCE_DATE_EPOCH", "NODE_ENV", "RAILS_ENV", "RACK_ENV"),
    *("GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_ATTR_NOSYSTEM"),
    *("PYTHONPATH", "PYTHONHOME", "PYTHONHASHSEED", "PYTHONWARNINGS", "PYTHONUTF8", "PYTHONIOENCODING"),
    *("PYTEST_ADDOPTS", "HYPOTHESIS_PROFILE", "TOX_*", "NOX_*", "VIRTUAL_ENV", "CONDA_PREFIX"),
    *("CONDA_DEFAULT_ENV", "PYENV_ROOT", "PYENV_VERSION", "NVM_DIR", "NVM_BIN", "VOLTA_HOME", "NODE_PATH"),
    *("NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "DENO_DIR", "BUN_INSTALL"),
    *("CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "RUSTFLAGS", "RUST_BACKTRACE", "CARGO_TERM_COLOR"),
    *("GOPATH", "GOROOT", "GOFLAGS", "GOMODCACHE", "GOTOOLCHAIN", "GOOS", "GOARCH", "CGO_ENABLED"),
    *("JAVA_HOME", "JDK_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT", "GEM_HOME", "GEM_PATH", "RUBYLIB"),
    *("RBENV_ROOT", "RBENV_VERSION", "ASDF_DIR", "ASDF_DATA_DIR", "PERL5LIB", "CLASSPATH", "DOTNET_ROOT"),
    *("CC", "CXX", "CPP", "LD", "AR", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "MAKEFLAGS", "MAKELEVEL"),
    *("PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CMAKE_PREFIX_PATH"),
    *("CMAKE_GENERATOR", "PRE_COMMIT_HOME", "SKIP", "SCALPEL_TX", "SCALPEL_JUDGES"),
)
"""Names, and patterns of names."""


def passing(outer: Mapping[str, str], more: Iterable[str]) -> dict[str, str]:
    """What of the caller's environment gets in: what everybody's programs need, and the names in ``more``."""
    patterns = (*_PASSING, *more)
    return {
        name: value
        for name, value in outer.items()
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    }


def home(outer: Mapping[str, str]) -> str:
    """Where the user's home is; the sandbox has an empty folder in that place."""
    return os.path.normpath(outer.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111
