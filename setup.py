"""The compiled rooms: statistics/, records/, learners/, evaluation/ (the rest: pyproject.toml).

STREAMBAYES_CHECKED=1 makes the checked build: bounds checks, library assertions, sanitizers.
"""
import os
import shutil
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

CHECKED = os.environ.get("STREAMBAYES_CHECKED") == "1"
DIRECTIVES = {
    "language_level": 3, "boundscheck": CHECKED, "wraparound": False, "initializedcheck": CHECKED,
    "cdivision": True, "embedsignature": True, "binding": True,
}
COMPILE = ["-std=c++17", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
           "-fvisibility=hidden", "-fno-semantic-interposition", "-fno-plt", "-g0"]
LINK = []
if CHECKED:
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    COMPILE = [
        *COMPILE[:1],
        "-O1",
        "-g",
        "-ffp-contract=off",
        "-fno-math-errno",
        "-D_GLIBCXX_ASSERTIONS",
        *sanitizers,
    ]
    LINK = sanitizers
if os.name == "nt":
    COMPILE, LINK = ["/std:c++17", "/O2", "/fp:precise"], []


class BuildBeside(build_ext):
    """Leaves the modules beside their sources too, so that Python finds them in the root."""

    def run(self):
        super().run()
        for ext in self.extensions:
            built = Path(self.get_ext_fullpath(ext.name))
            beside = Path(*ext.name.split(".")[:-1]) / built.name
            if not CHECKED and built.exists() and built.resolve() != beside.resolve():
                try:
                    shutil.copy2(built, beside)
                except OSError:
                    pass  # a read-only source folder: the installed copy serves


sources = sorted(Path("streambayes").glob("*/*.pyx"))
headers = [
    str(p) for p in (*Path("streambayes").glob("*/*.hpp"), *Path("streambayes").glob("*/*.pxd"))
]
extensions = [
    Extension(
        ".".join(p.with_suffix("").parts),
        [str(p)],
        language="c++",
        include_dirs=["streambayes"],
        depends=headers,
        extra_compile_args=COMPILE,
        extra_link_args=LINK,
    )
    for p in sources
]
setup(
    ext_modules=cythonize(extensions, compiler_directives=DIRECTIVES, nthreads=os.cpu_count() or 1),
    cmdclass={"build_ext": BuildBeside},
)
