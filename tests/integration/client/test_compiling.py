"""The client library compiles as C11, its header as C++, without a warning, by any compiler."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

CLIENT = pathlib.Path(__file__).resolve().parents[3] / "tools" / "client"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

# Sealing needs libsodium; an application without it does not compile sluice_seal.c.
SOURCES = [CLIENT / "sluice_client.c"]
if pathlib.Path("/usr/include/sodium.h").exists():
    SOURCES.append(CLIENT / "sluice_seal.c")

IN_CPP = """
#include <sluice_client.h>

int main()
{
    const sluice_label labels[] = {{"path", "/"}, {nullptr, nullptr}};
    sluice_client *client = sluice_client_open("127.0.0.1:9", "web1", nullptr);
    sluice_counter *counter = sluice_client_counter(client, "total", "1", labels);
    sluice_counter_add(counter, 1);
    bool sent = sluice_client_flush(client) == SLUICE_SENT;
    sluice_client_close(client);
    return sent ? 0 : 1;
}
"""


def here(*compilers):
    return [name for name in compilers if shutil.which(name)]


class Compiling(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sluice-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compile(self, *command):
        done = subprocess.run([*command, *STRICT, "-I", CLIENT], cwd=self.folder, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_as_c(self):
        for compiler in here("gcc", "clang"):
            for dialect in ("c11", "gnu11", "c17"):
                for more in ((), ("-D_GNU_SOURCE",), ("-D_DEFAULT_SOURCE",)):
                    with self.subTest(compiler=compiler, dialect=dialect, more=more):
                        for source in SOURCES:
                            self.compile(compiler, f"-std={dialect}", *more, "-fsyntax-only",
                                         source)

    def test_an_application_in_cpp(self):
        source = self.folder / "application.cc"
        source.write_text(IN_CPP, encoding="utf-8")
        for c, cpp in (("gcc", "g++"), ("clang", "clang++")):
            if not here(c) or not here(cpp):
                continue
            with self.subTest(compiler=cpp):
                self.compile(c, "-std=c11", "-c", CLIENT / "sluice_client.c", "-o", "client.o")
                self.compile(cpp, "-std=c++11", source, "client.o", "-o", "application")
                subprocess.run([self.folder / "application"], timeout=60, check=True)

    def test_there_is_a_compiler(self):
        self.assertTrue(here("gcc", "clang"))


if __name__ == "__main__":
    unittest.main()
