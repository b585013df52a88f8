#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "cli/command_line/command.h"
#include "lab/lab.h"

namespace proa::cli {

Flag lab_dir_flag();
// What it says, as an absolute path.
std::string lab_dir(const Settings& settings);
// `--name` and `--lab-dir`, which every command of a lab takes.
std::vector<Flag> lab_flags(std::vector<Flag> more = {});
// Whether they make sense.
Result<void> check_lab_flags(const Invocation& invocation);

// A lab as a command sees it. Steps are printed to the terminal.
class LabTools {
 public:
  LabTools(const Settings& settings, Terminal& terminal);

  lab::LabContext context();
  // The lab that --name names.
  Result<lab::Lab> open();
  const std::string& name() const { return name_; }

 private:
  SystemFiles files_;
  SystemClock clock_;
  Terminal& terminal_;
  const std::string name_;
  const std::string folder_;
};

// The path of the running program, for the processes that it starts.
std::string own_program();

}  // namespace proa::cli
