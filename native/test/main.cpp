// The program of the C++ unit tests: one file per kernel; ctest runs one test per file (see CMakeLists.txt).
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
