#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace proa::testkit {

// Runs a script: blocks of a command, a line "----", and the output that is expected of it, with an
// empty line behind each block.
//
//   # A comment belongs to the block below it.
//   put /a 1
//   ----
//   rev=2
//
// A command may be several lines long; `run` gets it without the last line end. Output that has
// empty lines itself stands between two "----\n----" pairs. Each difference fails the test with its
// line in the script; with UPDATE_GOLDEN=1 in the environment the script is rewritten instead, and
// a person reads the diff.
//
// `file` is best made from __FILE__: std::filesystem::path(__FILE__).parent_path() /
// "testdata/x.txt". Relative paths are found from the working directory or from beside the test
// program.
//
// Where the output has random values, use a CaseRandom (testkit/case_random.h).
void run_golden(const std::filesystem::path& file,
                const std::function<std::string(std::string_view command)>& run);

}  // namespace proa::testkit
