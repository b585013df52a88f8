#include "cli/commands/lab/lab_settings.h"

#include <unistd.h>

#include <climits>
#include <filesystem>

#include "cli/command_line/step.h"
#include "cli/commands/lab/lab_machine.h"

namespace proa::cli {

Flag lab_dir_flag() {
  return {.name = "lab-dir",
          .kind = ValueKind::kFolder,
          .word = "DIR",
          .fallback = lab::kAllLabs,
          .summary = "directory of all labs, each in a folder of its name"};
}

std::string lab_dir(const Settings& settings) {
  return std::filesystem::absolute(settings.text("lab-dir")).lexically_normal().string();
}

std::vector<Flag> lab_flags(std::vector<Flag> more) {
  std::vector<Flag> flags{
      {.name = "name", .word = "NAME", .fallback = lab::kDefaultLab, .summary = "name of the lab"},
      lab_dir_flag()};
  flags.insert(flags.begin(), more.begin(), more.end());
  return flags;
}

Result<void> check_lab_flags(const Invocation& invocation) {
  return lab::check_lab_name(invocation.settings.text("name"));
}

std::string own_program() {
  char path[PATH_MAX] = "";
  return readlink("/proc/self/exe", path, sizeof path - 1) > 0 ? path : "/proc/self/exe";
}

LabTools::LabTools(const Settings& settings, Terminal& terminal)
    : terminal_(terminal), name_(settings.text("name")), folder_(lab_dir(settings)) {}

lab::LabContext LabTools::context() {
  lab::LabContext made{.files = files_, .clock = clock_, .all = folder_};
  made.start_words = [this](const std::string& lab, const std::string& machine) {
    return lab_machine_words(own_program(), folder_, lab, machine);
  };
  made.exec_words = [this](const std::string& lab, const std::string& machine) {
    return std::vector<std::string>{own_program(),   "lab",   "exec", "--lab-dir=" + folder_,
                                    "--name=" + lab, machine, "--"};
  };
  made.progress = [this](std::string_view who, std::string_view what) {
    print_step(terminal_, who, what);
  };
  return made;
}

Result<lab::Lab> LabTools::open() { return lab::Lab::open(context(), name_); }

}  // namespace proa::cli
