#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proa::cli {

// The command line with which `proa lab` starts this program as a machine of a lab. It is not for
// people, and no part of the table of commands. `all`: the folder of all labs.
std::vector<std::string> lab_machine_words(const std::string& program, const std::string& all,
                                           const std::string& lab, const std::string& machine);

// Starts the machine if `words` (without the program) are such a command line, and returns the exit
// code; nullopt if they are not.
std::optional<int> run_as_lab_machine(std::span<const std::string> words);

}  // namespace proa::cli
